//! State of a case under measurement: the time of its operations, the processes that still visit it, and the number of
//! rounds.

use super::{AIM, FEWEST_FOR_MORE, JOINING_ROUNDS, MOST_PROCESSES, Numbers, PATIENCE, PILOT_ROUNDS};
use crate::wire::Visited;
use pqlab_record::{Case, Conditions, Protocol, Samples, State, Statistic, Unit, Visit, Visits};
use pqlab_stats::{
    CONFIDENCE, Crossed, Interval, RunSpread, crossed_visits, mean, median, processes_for_precision,
    rounds_for_precision,
};
use std::collections::BTreeMap;
use std::ops::Range;

pub(super) struct Open {
    pub(super) position: usize,
    pub(super) ns_per_operation: f64,
    /// Whether `ns_per_operation` comes from visits instead of the preparation's estimate.
    visited: bool,
    /// Number of samples that each process must still take. `None` if the adaptive rules choose the number.
    pub(super) quota: Option<Vec<u64>>,
    /// Maximum number of operations per call of the routine, if each operation is a sample; otherwise 0.
    pub(super) wave: u64,
    /// Whether the case takes the protocol's fixed number of samples, because its operations wait for a network.
    pub(super) counted: bool,
    pub(super) spent_ns: u64,
    /// Time for which visits may still be postponed, in ns.
    pub(super) patience_ns: u64,
    pub(super) rounds: u32,
    pub(super) first: Numbers,
    /// Processes that visit the case in the coming rounds.
    pub(super) members: Range<u32>,
    /// Number of rounds after which the interval is checked. `None` during the pilot, or if the pilot cannot determine
    /// it.
    until: Option<u64>,
    /// Whether more processes have joined.
    joined: bool,
    /// Whether a process has visited the case in this pass, or postponed a visit.
    pub(super) is_tried: bool,
    /// Time of the first call in each process, in ns. The first visit of a process removes the entry of the process.
    pub(super) first_calls_ns: BTreeMap<u32, f64>,
    pub(super) samples: Samples,
}

/// Returns the function that computes the statistic shown in reports: the mean if the operation retries a random number
/// of times, otherwise the median.
fn summary_of(case: &Case) -> fn(&[f64]) -> Option<f64> {
    match case.statistic() {
        Statistic::Median => median,
        Statistic::Mean => mean,
    }
}

/// Next step for a case after a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Run another round.
    Round,
    /// Prepare the case in these processes, and run rounds in them.
    Join(Range<u32>),
    /// Finish the case: it has enough samples, or its time is used up.
    Finished,
}

impl Open {
    pub(super) fn new(position: usize, ns_per_operation: f64, protocol: &Protocol, samples: Samples) -> Open {
        Open {
            position,
            ns_per_operation: ns_per_operation.max(0.1),
            visited: false,
            quota: None,
            wave: 0,
            counted: false,
            spent_ns: 0,
            patience_ns: (PATIENCE * protocol.max_time_s * 1e9) as u64,
            rounds: 0,
            first: Numbers::default(),
            members: 0..0,
            until: None,
            joined: false,
            is_tried: false,
            first_calls_ns: BTreeMap::new(),
            samples,
        }
    }

    /// Updates the estimated time per operation. A visit gives a better estimate than the preparation, which makes only
    /// a few cold calls. Keeps the shortest estimate, because disturbances only add time.
    pub(super) fn learn(&mut self, visited: &Visited) {
        let batch = self.samples.batch as f64;
        let times: Vec<f64> = match self.samples.ns_per_tick {
            Some(ns) => visited.ticks.iter().map(|&ticks| ticks as f64 * ns / batch).collect(),
            None => visited.wall_ns.iter().map(|&wall| wall as f64 / batch).collect(),
        };
        if let Some(seen) = median(&times) {
            let known = if self.visited { self.ns_per_operation } else { f64::INFINITY };
            (self.ns_per_operation, self.visited) = (seen.min(known).max(0.1), true);
        }
    }

    /// Converts a visit to the form that the record stores. `process` is the number of the process in the pool, and
    /// `worker` its number in the record.
    pub(super) fn visit_of(&mut self, process: u32, worker: u32, repeats: u32, mut visited: Visited) -> Visit {
        if self.quota.is_some() {
            // Exclude no samples, because the user requested a fixed number.
            visited.chunks.iter_mut().for_each(|chunk| chunk.shared = false);
        }
        Visit {
            start: self.first.start,
            process: worker,
            round: self.first.round + self.rounds,
            repeats,
            disturbances: visited.disturbances,
            clock_hz: visited.clock_hz,
            ticks: visited.ticks,
            wall_ns: visited.wall_ns,
            extra: visited.extra,
            conditions: Conditions {
                chunks: visited.chunks,
                processor: visited.processor,
                residues: visited.residues.map(|residues| residues.iter().collect()),
                first_call_ns: self.first_calls_ns.remove(&process),
                cpu_time: visited.cpu_time,
                offsets: visited.offsets,
            },
        }
    }

    /// Returns the next step for the case after a round, according to the rules in [the parent module](super).
    pub(super) fn next(&mut self, case: &Case, protocol: &Protocol) -> Next {
        if let Some(quota) = &self.quota {
            return if quota.iter().all(|&left| left == 0) { Next::Finished } else { Next::Round };
        }
        if self.rounds == PILOT_ROUNDS {
            self.until = rounds_for_precision(&self.pilot(case), protocol.precision_pct, CONFIDENCE);
        }
        if self.spent_ns as f64 >= protocol.max_time_s * 1e9 {
            return Next::Finished;
        }
        if self.until.is_none_or(|until| u64::from(self.rounds) < until) {
            return Next::Round;
        }
        match self.more_processes(case, protocol) {
            Some(members) => {
                self.members = members.clone();
                self.until = Some(u64::from(self.rounds + JOINING_ROUNDS));
                self.joined = true;
                Next::Join(members)
            }
            None => Next::Finished,
        }
    }

    /// Returns the processes to add if the case is imprecise because its processes differ. Stein's second stage
    /// determines their number, limited by [`MOST_PROCESSES`] and the remaining time. `None` if no processes are to be
    /// added, for example because the interval is narrow enough or processes have joined before.
    fn more_processes(&self, case: &Case, protocol: &Protocol) -> Option<Range<u32>> {
        let now = self.members.end;
        if self.joined || now < FEWEST_FOR_MORE || case.state() != State::Warm {
            return None;
        }
        let (crossed, runs) = self.crossed(case, protocol)?;
        if self.interval(case, protocol)?.half_width_pct() <= protocol.precision_pct {
            return None;
        }
        let wanted = processes_for_precision(&crossed, now.into(), runs, AIM * protocol.precision_pct, CONFIDENCE);
        // If no number of processes reaches the requested precision, add the maximum, which still narrows the interval.
        let wanted = wanted.unwrap_or(MOST_PROCESSES.into()).min(MOST_PROCESSES.into());
        let visits = self.samples.visits.len().max(1) as f64;
        let each_ns = self.spent_ns as f64 / visits * f64::from(JOINING_ROUNDS);
        let left_ns = protocol.max_time_s * 1e9 - self.spent_ns as f64;
        let affordable = (left_ns / each_ns.max(1.0)) as u64;
        let more = u32::try_from(wanted.saturating_sub(now.into()).min(affordable)).unwrap_or(0);
        (more > 0).then(|| now..now + more)
    }

    /// Returns the unit for judging precision: core cycles if they are known, otherwise nanoseconds. Changes of the
    /// core's clock rate do not affect core cycles.
    fn unit(&self, case: &Case) -> Unit {
        let known = case.computes() && self.samples.values(Unit::CoreCycles, Visits::Usable).is_some();
        if known { Unit::CoreCycles } else { Unit::Nanoseconds }
    }

    /// Returns the two-way model (processes and rounds) of the visits so far, together with the spread between runs.
    /// `None` if there are too few visits.
    fn crossed(&self, case: &Case, protocol: &Protocol) -> Option<(Crossed, RunSpread)> {
        let unit = self.unit(case);
        let visits = self.samples.values(unit, Visits::Usable)?;
        let visits = visits.iter().map(|(moment, values)| (moment.numbers(), values.as_slice()));
        let spreads = protocol.run_spreads.of_case(&case.id());
        // Use the spread in cycles for times, too. Part of the spread in times comes from different core clocks, and
        // measuring longer does not reduce this part.
        let pct = spreads.cycles_pct;
        let degrees_of_freedom = usize::try_from(spreads.degrees_of_freedom).unwrap_or(usize::MAX);
        Some((crossed_visits(visits, summary_of(case))?, RunSpread { pct, degrees_of_freedom }))
    }

    /// Returns the interval that reports will show, scaled to an estimate of 1.
    pub(super) fn interval(&self, case: &Case, protocol: &Protocol) -> Option<Interval> {
        let (crossed, runs) = self.crossed(case, protocol)?;
        let step = self.samples.ns_per_tick.unwrap_or(1.0) / self.samples.batch as f64 / self.ns_per_operation;
        Some(crossed.interval(1.0, runs, step, CONFIDENCE))
    }

    /// Returns the medians or means of the visits so far, grouped by process. Each first call runs in its own process,
    /// so first calls are grouped by their position in the round instead. The noise within such a group is therefore
    /// the noise between processes.
    fn pilot(&self, case: &Case) -> Vec<Vec<f64>> {
        let processes = self.members.end.max(1);
        let mut groups: Vec<Vec<f64>> = vec![Vec::new(); processes as usize];
        for (moment, values) in self.samples.values(self.unit(case), Visits::Usable).unwrap_or_default() {
            groups[(moment.worker.process % processes) as usize].extend(summary_of(case)(&values));
        }
        groups
    }

    /// Returns the fraction of the case's work that is done, according to its time, rounds or samples.
    pub(super) fn part_done(&self, protocol: &Protocol) -> f64 {
        match (&self.quota, protocol.iterations) {
            (Some(quota), iterations) => {
                let all = iterations.unwrap_or(protocol.handshakes).max(1);
                1.0 - quota.iter().sum::<u64>() as f64 / all as f64
            }
            (None, _) => {
                let time = self.spent_ns as f64 / (protocol.max_time_s * 1e9);
                let rounds = self.until.map_or(0.0, |until| f64::from(self.rounds) / until as f64);
                time.max(rounds).min(1.0)
            }
        }
    }
}
