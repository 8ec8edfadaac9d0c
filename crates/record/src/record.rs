use crate::{Case, Disturbance, Moment, Residue, Visit, Worker};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Quantity that a counter counts.
// Add new variants at the end, because the store encodes a variant by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Nanoseconds of the monotonic clock.
    Wall,
    /// Ticks of the time-stamp counter, which runs at a constant rate. They are not core cycles.
    Tsc,
    /// Core cycles.
    Cycles,
    /// Retired instructions.
    Instructions,
}

impl Metric {
    /// Returns the keyword used in command lines and files.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Wall => "wall",
            Metric::Tsc => "tsc",
            Metric::Cycles => "cycles",
            Metric::Instructions => "instructions",
        }
    }

    /// Returns the name of the unit in tables.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::Wall => "ns",
            Metric::Tsc => "TSC ticks",
            Metric::Cycles => "cycles",
            Metric::Instructions => "instructions",
        }
    }
}

/// Minimum counts for excluding disturbed visits from estimates. A case needs this many processes, and each of them
/// needs this many undisturbed visits.
const ENOUGH: usize = 3;

/// Source of a case's core cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CyclesSource {
    /// Counted by the processor's performance-monitoring unit.
    Counter,
    /// Estimated: the time of each sample multiplied by the core clock, which was probed before, after and within each
    /// visit.
    Estimated,
}

impl CyclesSource {
    /// Returns the keyword used in files.
    pub fn name(self) -> &'static str {
        match self {
            CyclesSource::Counter => "counter",
            CyclesSource::Estimated => "estimated",
        }
    }
}

/// All raw samples of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// Quantity that [`Visit::ticks`] counts.
    pub metric: Metric,
    /// Nanoseconds per tick if the counter runs at a constant rate (1 for the wall clock). `None` for cycles and
    /// instructions: visits then also contain the wall time of each sample.
    pub ns_per_tick: Option<f64>,
    /// Number of operations per sample.
    pub batch: u64,
    /// Visits, in chronological order.
    pub visits: Vec<Visit>,
}

impl Samples {
    /// Returns an empty set of samples, without visits.
    pub fn none() -> Samples {
        Samples { metric: Metric::Wall, ns_per_tick: Some(1.0), batch: 1, visits: Vec::new() }
    }

    /// Returns whether processes from the same start of the run visited both cases. If not, different processes
    /// measured the cases at different times.
    pub fn shares_start(&self, other: &Samples) -> bool {
        let starts: BTreeSet<u32> = self.visits.iter().map(|visit| visit.start).collect();
        other.visits.iter().any(|visit| starts.contains(&visit.start))
    }

    /// Returns the number of samples.
    pub fn count(&self) -> usize {
        self.visits.iter().map(|visit| visit.ticks.len()).sum()
    }

    /// Returns the wall time of one operation in ns for each sample of a visit, including excluded samples.
    pub fn all_ns_per_operation(&self, visit: &Visit) -> Vec<f64> {
        let batch = self.batch as f64;
        match self.ns_per_tick {
            Some(ns) => visit.ticks.iter().map(|&ticks| ticks as f64 * ns / batch).collect(),
            None => visit.wall_ns.iter().map(|&wall| wall as f64 / batch).collect(),
        }
    }

    /// Returns the wall time of one operation in ns for each [used](Visit::sample_counts) sample of a visit.
    pub fn ns_per_operation(&self, visit: &Visit) -> Vec<f64> {
        visit.counted(&self.all_ns_per_operation(visit))
    }

    /// Returns the core cycles of one operation for each [used](Visit::sample_counts) sample of a visit. The cycles are
    /// counted, or estimated by multiplying the time of the sample by the core clock at that moment. Returns `None` if
    /// the cycles are unknown.
    pub fn cycles_per_operation(&self, visit: &Visit) -> Option<Vec<f64>> {
        if self.metric == Metric::Cycles {
            return Some(self.ticks_per_operation(visit));
        }
        let ns = self.all_ns_per_operation(visit);
        let known = visit.clock_hz > 0.0 && visit.conditions.chunks.iter().all(|chunk| chunk.clock_hz > 0.0);
        let cycles = ns.iter().zip(visit.clocks()).map(|(ns, hz)| ns * hz / 1e9).collect::<Vec<f64>>();
        (known && self.metric != Metric::Instructions).then(|| visit.counted(&cycles))
    }

    /// Returns the value of one operation for each used sample, in `unit` and grouped by visit. Omits visits without
    /// used samples. Returns `None` if the values are unknown in this unit.
    pub fn values(&self, unit: Unit, visits: Visits) -> Option<Vec<(Moment, Vec<f64>)>> {
        let read = |visit: &Visit| match unit {
            Unit::Nanoseconds => Some((visit.moment(), self.ns_per_operation(visit))),
            Unit::CoreCycles => Some((visit.moment(), self.cycles_per_operation(visit)?)),
        };
        let found =
            visits.select(self).filter(|visit| !visit.ticks.is_empty()).map(read).collect::<Option<Vec<_>>>()?;
        Some(found.into_iter().filter(|(_, values)| !values.is_empty()).collect())
    }

    /// Returns the source of the [cycles](Self::cycles_per_operation) of this case.
    pub fn cycles_source(&self) -> CyclesSource {
        if self.metric == Metric::Cycles { CyclesSource::Counter } else { CyclesSource::Estimated }
    }

    /// Returns the counter ticks of one operation for each [used](Visit::sample_counts) sample of a visit.
    pub fn ticks_per_operation(&self, visit: &Visit) -> Vec<f64> {
        visit.counted(&visit.ticks.iter().map(|&ticks| ticks as f64 / self.batch as f64).collect::<Vec<f64>>())
    }

    /// Returns the number of visits with fewer than `least` samples. Ignores visits whose samples take a millisecond or
    /// more on average.
    pub fn scanty_visits(&self, least: usize) -> usize {
        let scanty = |visit: &&Visit| {
            let wall_ns: f64 = self.ns_per_operation(visit).iter().map(|ns| ns * self.batch as f64).sum();
            visit.ticks.len() < least && wall_ns < 1e6 * visit.ticks.len() as f64
        };
        self.visits.iter().filter(scanty).count()
    }

    /// Returns whether the results must be marked as disturbed.
    ///
    /// Estimates can exclude disturbed visits only if three processes, or all processes if there are fewer, have at
    /// least three undisturbed visits each. A process with fewer than three visits counts if all of them are
    /// undisturbed. Otherwise estimates use all visits, and the results describe a busy machine.
    ///
    /// The results are also marked if more than half of the visits were [kept](Disturbance::is_kept) in spite of
    /// another load.
    pub fn contended(&self) -> bool {
        let by_process = |visits: &mut dyn Iterator<Item = &Visit>| {
            let mut counts: BTreeMap<Worker, usize> = BTreeMap::new();
            visits.for_each(|visit| *counts.entry(visit.worker()).or_default() += 1);
            let mut counts: Vec<usize> = counts.into_values().collect();
            counts.sort_unstable_by(|one, other| other.cmp(one));
            counts
        };
        let all = by_process(&mut self.visits.iter());
        let clean = by_process(&mut self.visits.iter().filter(|visit| visit.counts()));
        let enough = |(at, visits): (usize, &usize)| clean.get(at).copied().unwrap_or(0) >= (*visits).min(ENOUGH);
        let kept = self.visits.iter().filter(|visit| visit.disturbances.iter().any(Disturbance::is_kept)).count();
        2 * kept > self.visits.len() || !all.iter().take(ENOUGH).enumerate().all(enough)
    }

    /// Returns the percentage of the measuring time during which another program used the core's other hardware thread.
    pub fn shared_pct(&self) -> f64 {
        let (mut shared, mut all) = (0.0, 0.0);
        for visit in &self.visits {
            let times = self.all_ns_per_operation(visit);
            all += times.iter().sum::<f64>();
            if visit.disturbances.iter().any(Disturbance::is_neighbour) {
                shared += times.iter().sum::<f64>();
            } else {
                let in_shared = times.iter().zip(visit.in_shared_chunk()).filter(|(_, shared)| *shared);
                shared += in_shared.map(|(time, _)| time).sum::<f64>();
            }
        }
        if all > 0.0 { 100.0 * shared / all } else { 0.0 }
    }

    /// Returns the kinds of processor state that the operation leaves behind in its thread. A kind must appear in more
    /// than half of the readings. If there are several readings, it must appear at least twice. Returns `None` if the
    /// state could not be read in any visit.
    pub fn residues(&self) -> Option<Vec<Residue>> {
        let readings: Vec<&Vec<Residue>> =
            self.visits.iter().filter_map(|visit| visit.conditions.residues.as_ref()).collect();
        let seen = |residue: &Residue| readings.iter().filter(|reading| reading.contains(residue)).count();
        let usual = |residue: &Residue| {
            let seen = seen(residue);
            2 * seen > readings.len() && (seen >= 2 || readings.len() == 1)
        };
        (!readings.is_empty()).then(|| Residue::ALL.into_iter().filter(usual).collect())
    }

    /// Returns the time of the operation's first call in each process, in ns.
    pub fn first_calls_ns(&self) -> Vec<f64> {
        self.visits.iter().filter_map(|visit| visit.conditions.first_call_ns).collect()
    }

    /// Returns the visits that estimates use: undisturbed visits and [kept](Disturbance::is_kept) ones. If the case is
    /// [disturbed](Self::contended), returns all visits, because excluding some would only hide the disturbance.
    pub fn usable(&self) -> impl Iterator<Item = &Visit> {
        Visits::Usable.select(self)
    }
}

/// Unit of a sample's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unit {
    /// Nanoseconds of wall time.
    Nanoseconds,
    /// Core cycles, counted or estimated.
    CoreCycles,
}

/// Selection of a case's visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visits {
    /// The [usable](Samples::usable) visits.
    Usable,
    /// All visits, including disturbed ones.
    All,
}

impl Visits {
    /// Returns the selected visits of a case.
    pub fn select(self, samples: &Samples) -> impl Iterator<Item = &Visit> {
        let all = self == Visits::All || samples.contended();
        samples.visits.iter().filter(move |visit| all || visit.counts())
    }
}

/// Outcome of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Measured and verified.
    Ok,
    /// Failed: see [`Record::error`].
    Failed,
}

/// Outcome of measuring a disturbed case again at the end of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecondChance {
    /// The case is no longer [disturbed](Samples::contended).
    Undisturbed,
    /// The case remained disturbed.
    Disturbed,
}

impl SecondChance {
    /// Returns the keyword used in files.
    pub fn name(self) -> &'static str {
        match self {
            SecondChance::Undisturbed => "undisturbed",
            SecondChance::Disturbed => "disturbed",
        }
    }
}

/// Phrase in [`Record::error`] that identifies a time limit: `no answer within 120 s`.
pub const NO_ANSWER: &str = "no answer within";

/// Stored result of a finished case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The measured case.
    pub case: Case,
    /// Outcome of the case.
    pub status: Status,
    /// Reason for the failure; `None` if the case did not fail.
    pub error: Option<String>,
    /// Whether all known-answer and round-trip tests passed.
    pub verified: bool,
    /// Whether the target precision was reached in time.
    pub precision_reached: bool,
    /// Outcome of measuring the disturbed case again at the end of the run; `None` if it was not measured again.
    pub second_chance: Option<SecondChance>,
    /// Raw samples; empty for a failed case.
    pub samples: Samples,
    /// Time when the case was finished (RFC 3339, UTC). Measuring it again at the end of the run does not change this
    /// time.
    pub finished_at: String,
}

impl Record {
    /// Returns the record of a failed case, without samples.
    pub fn failed(case: Case, error: String, finished_at: String) -> Record {
        Record {
            case,
            status: Status::Failed,
            error: Some(error),
            verified: false,
            precision_reached: false,
            second_chance: None,
            samples: Samples::none(),
            finished_at,
        }
    }

    /// Returns whether the case failed because of a time limit. The library may be slow, or the machine may have been
    /// paused or overloaded. Resuming the run measures such a case again.
    pub fn timed_out(&self) -> bool {
        self.error.as_deref().is_some_and(|error| error.contains(NO_ANSWER))
    }
}
