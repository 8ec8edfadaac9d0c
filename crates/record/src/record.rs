use crate::Case;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// What a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Nanoseconds of the monotonic clock.
    Wall,
    /// Ticks of the time-stamp counter, which runs at a constant rate: not core cycles.
    Tsc,
    /// Core cycles.
    Cycles,
    /// Retired instructions.
    Instructions,
}

impl Metric {
    /// The word that command lines and files carry.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Wall => "wall",
            Metric::Tsc => "tsc",
            Metric::Cycles => "cycles",
            Metric::Instructions => "instructions",
        }
    }

    /// What tables call one unit of it.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::Wall => "ns",
            Metric::Tsc => "TSC ticks",
            Metric::Cycles => "cycles",
            Metric::Instructions => "instructions",
        }
    }
}

/// State of the processor that a call left behind and that outlives it: what runs next in the thread pays, or computes
/// otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Residue {
    /// The upper halves of the 256-bit vector registers are in use (state component 2 of XSAVE): SSE code that follows waits
    /// for them.
    VectorUpper,
    /// The upper halves of the first sixteen 512-bit vector registers are in use (component 6).
    VectorUpper512,
    /// Control of floating-point arithmetic is another: rounding, masks, denormal numbers (MXCSR, FPCR).
    FloatControl,
    /// The control word of the x87 unit is another.
    X87Control,
}

impl Residue {
    /// All of them.
    pub const ALL: [Residue; 4] =
        [Residue::VectorUpper, Residue::VectorUpper512, Residue::FloatControl, Residue::X87Control];

    /// The word that files carry.
    pub fn name(self) -> &'static str {
        match self {
            Residue::VectorUpper => "vector-upper",
            Residue::VectorUpper512 => "vector-upper-512",
            Residue::FloatControl => "float-control",
            Residue::X87Control => "x87-control",
        }
    }
}

/// Why a visit is not believed to have had a core to itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Disturbance {
    /// The hypervisor ran something else for this share of the time.
    Steal {
        /// Percent of the visit's wall time.
        pct: f64,
    },
    /// The kernel took the core away this often.
    InvoluntarySwitches {
        /// Number of switches.
        count: u64,
    },
    /// The thread had the processor for this share of the wall time only.
    CpuShare {
        /// CPU time in percent of wall time.
        pct: f64,
    },
    /// Some task waited for a processor for this share of the time (pressure stall information).
    Pressure {
        /// Percent of the visit's wall time.
        pct: f64,
    },
    /// The core clock, estimated by a chain of dependent additions, was another after the visit than before.
    ClockDrift {
        /// Percent by which it changed.
        pct: f64,
    },
    /// Another hardware thread of the same core took a share of its execution units, before the visit or after it.
    SharedCore {
        /// By how many percent fewer instructions at once the core carried out than when it is alone.
        pct: f64,
        /// Whether the visit counts all the same: a fixed number of samples was asked for.
        kept: bool,
    },
    /// Tasks of others were ready to run, before the visit or after it, and had to share processors with the threads that were
    /// measured.
    OtherTasks {
        /// Number of tasks for which no processor was left.
        count: u64,
    },
}

impl Disturbance {
    /// Whether it is the work of a neighbour on the core's other hardware thread, whom nobody can send away: it comes and
    /// goes, and visits that it spoils can be left out without hiding that the machine is busy.
    pub fn is_neighbour(&self) -> bool {
        matches!(self, Disturbance::SharedCore { .. })
    }

    /// Has a visit count although a [neighbour](Self::is_neighbour) disturbed it.
    pub fn keep(&mut self) {
        if let Disturbance::SharedCore { kept, .. } = self {
            *kept = true;
        }
    }

    /// Whether a visit that it disturbed counts all the same.
    pub fn is_kept(&self) -> bool {
        matches!(self, Disturbance::SharedCore { kept: true, .. })
    }
}

impl fmt::Display for Disturbance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Disturbance::Steal { pct } => write!(formatter, "{pct:.1}% stolen by the hypervisor"),
            Disturbance::InvoluntarySwitches { count } => write!(formatter, "{count} involuntary context switches"),
            Disturbance::CpuShare { pct } => write!(formatter, "{pct:.1}% of the processor"),
            Disturbance::Pressure { pct } => write!(formatter, "tasks waited for a processor {pct:.1}% of the time"),
            Disturbance::ClockDrift { pct } => write!(formatter, "core clock moved by {pct:+.1}%"),
            Disturbance::SharedCore { pct, .. } => {
                write!(formatter, "a neighbour on the core's other hardware thread took {pct:.1}% of its width")
            }
            Disturbance::OtherTasks { count } => {
                write!(formatter, "tasks of others ready to run on its processors: {count}")
            }
        }
    }
}

/// A worker process of a run. Processes are started anew when a stopped run is gone on with, so that a number alone does not
/// tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Worker {
    /// The start of the run: see [`Visit::start`].
    pub start: u32,
    /// Its number in that start.
    pub process: u32,
}

impl fmt::Display for Worker {
    /// The number, with that of the start behind it where it is not the first: `3`, `3 of start 2`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.start {
            0 => write!(formatter, "{}", self.process),
            start => write!(formatter, "{} of start {}", self.process, u64::from(start) + 1),
        }
    }
}

/// A worker process in a round. A round of another start of the run was hours away, whatever its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    /// The process.
    pub worker: Worker,
    /// The round of its start.
    pub round: u32,
}

/// The samples that one process took of one case in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// Which start of the run made it: 0 for the first, one more each time that a stopped run was gone on with. Absent in
    /// files of before it was kept.
    #[serde(default)]
    pub start: u32,
    /// Which worker process of that start. Two visits are of one process where their [workers](Self::worker) are equal.
    pub process: u32,
    /// Which round of that start. Visits of one round, over cases and processes, are neighbours in time; two of one
    /// process are where their [moments](Self::moment) are equal.
    pub round: u32,
    /// How often the visit was measured again because it was disturbed by more than a
    /// [neighbour](Disturbance::is_neighbour).
    pub repeats: u32,
    /// What disturbed it still; empty for a clean visit.
    pub disturbances: Vec<Disturbance>,
    /// Estimated core clock during the visit, in Hz.
    pub clock_hz: f64,
    /// The counter's reading for each sample, for the whole batch.
    pub ticks: Vec<u64>,
    /// Wall time of each sample in ns, for the whole batch. Empty where it follows from `ticks` and
    /// [`Samples::ns_per_tick`].
    pub wall_ns: Vec<u64>,
    /// What the workload measured itself, by name: sizes in bytes, delays in ns, windows of threads.
    pub extra: Vec<(String, Vec<f64>)>,
}

impl Visit {
    /// The worker process that made it.
    pub fn worker(&self) -> Worker {
        Worker { start: self.start, process: self.process }
    }

    /// Its place in the run: what is paired with one another, process by process and round by round, has equal moments.
    pub fn moment(&self) -> Moment {
        Moment { worker: self.worker(), round: self.round }
    }

    /// Whether nothing disturbed it, or only what it is [kept](Disturbance::is_kept) in spite of.
    pub fn counts(&self) -> bool {
        self.disturbances.iter().all(Disturbance::is_kept)
    }
}

/// Processes without which nothing can be said of how far processes differ.
const FEWEST_PROCESSES: usize = 3;

/// All raw samples of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// What `ticks` count.
    pub metric: Metric,
    /// Nanoseconds in a tick where the counter runs at a constant rate (1 for the wall clock); `None` for cycles and
    /// instructions, whose wall time is kept beside them.
    pub ns_per_tick: Option<f64>,
    /// Operations in a sample.
    pub batch: u64,
    /// In the order in which they were taken.
    pub visits: Vec<Visit>,
}

impl Samples {
    /// No samples.
    pub fn none() -> Samples {
        Samples { metric: Metric::Wall, ns_per_tick: Some(1.0), batch: 1, visits: Vec::new() }
    }

    /// Whether some start of the run made visits of both cases: else they were measured by other processes at another time.
    pub fn shares_start(&self, other: &Samples) -> bool {
        let starts: BTreeSet<u32> = self.visits.iter().map(|visit| visit.start).collect();
        other.visits.iter().any(|visit| starts.contains(&visit.start))
    }

    /// Number of samples.
    pub fn count(&self) -> usize {
        self.visits.iter().map(|visit| visit.ticks.len()).sum()
    }

    /// Wall time of one operation in ns, for each sample of a visit.
    pub fn ns_per_operation(&self, visit: &Visit) -> Vec<f64> {
        let batch = self.batch as f64;
        match self.ns_per_tick {
            Some(ns) => visit.ticks.iter().map(|&ticks| ticks as f64 * ns / batch).collect(),
            None => visit.wall_ns.iter().map(|&wall| wall as f64 / batch).collect(),
        }
    }

    /// Visits with fewer than `least` samples, although a sample takes less than a millisecond.
    pub fn scanty_visits(&self, least: usize) -> usize {
        let scanty = |visit: &&Visit| {
            let wall_ns: f64 = self.ns_per_operation(visit).iter().map(|ns| ns * self.batch as f64).sum();
            visit.ticks.len() < least && wall_ns < 1e6 * visit.ticks.len() as f64
        };
        self.visits.iter().filter(scanty).count()
    }

    /// Ticks of one operation, for each sample of a visit.
    pub fn ticks_per_operation(&self, visit: &Visit) -> Vec<f64> {
        visit.ticks.iter().map(|&ticks| ticks as f64 / self.batch as f64).collect()
    }

    /// Whether the figures must be marked: more than one visit in ten stayed disturbed, or a third of all attempts was,
    /// counting those that were repeated. A machine on which a quiet visit is a matter of luck is not a quiet one. Of visits
    /// that only a [neighbour](Disturbance::is_neighbour) disturbed half may be left out, as long as three processes stay,
    /// with fewer of which no interval can be had.
    pub fn contended(&self) -> bool {
        let disturbed = |visit: &&Visit| !visit.disturbances.is_empty();
        let by_more = |visit: &&Visit| !visit.disturbances.iter().all(Disturbance::is_neighbour);
        let (all, by_more) = (self.visits.iter().filter(disturbed).count(), self.visits.iter().filter(by_more).count());
        let repeats: usize = self.visits.iter().map(|visit| visit.repeats as usize).sum();
        let visits = self.visits.len();
        by_more * 10 > visits || repeats * 2 > visits || all * 2 > visits || self.too_few_processes_stay()
    }

    /// Whether without the disturbed visits there are fewer than three processes, and with them there are not.
    fn too_few_processes_stay(&self) -> bool {
        let processes = |visits: &mut dyn Iterator<Item = &Visit>| {
            visits.map(Visit::worker).collect::<BTreeSet<_>>().len().min(FEWEST_PROCESSES)
        };
        processes(&mut self.visits.iter().filter(|visit| visit.counts())) < processes(&mut self.visits.iter())
    }

    /// The visits that estimates are made from: the undisturbed ones and those that are [kept](Disturbance::is_kept), unless
    /// the whole case is [contended](Self::contended), in which case leaving some out would only hide it.
    pub fn usable(&self) -> impl Iterator<Item = &Visit> {
        Visits::Usable.of(self)
    }
}

/// Which visits something is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visits {
    /// The [usable](Samples::usable) ones.
    Usable,
    /// Also those that were disturbed.
    All,
}

impl Visits {
    /// Those of a case.
    pub fn of(self, samples: &Samples) -> impl Iterator<Item = &Visit> {
        let all = self == Visits::All || samples.contended();
        samples.visits.iter().filter(move |visit| all || visit.counts())
    }
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Measured and verified.
    Ok,
    /// No figure: see [`Record::error`].
    Failed,
}

/// What is kept of a finished case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What was measured.
    pub case: Case,
    /// How it ended.
    pub status: Status,
    /// Why it failed.
    pub error: Option<String>,
    /// Whether known answers and every round trip were right.
    pub verified: bool,
    /// Whether the wanted precision was reached in the time given.
    pub precision_reached: bool,
    /// Raw samples; empty for a failed case.
    pub samples: Samples,
    /// When it was finished: RFC 3339, UTC.
    pub finished_at: String,
}

impl Record {
    /// A case that gave no figure, and why.
    pub fn failed(case: Case, error: String, finished_at: String) -> Record {
        Record {
            case,
            status: Status::Failed,
            error: Some(error),
            verified: false,
            precision_reached: false,
            samples: Samples::none(),
            finished_at,
        }
    }
}
