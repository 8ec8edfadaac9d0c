use crate::{Conditions, Disturbance};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Worker process of a run. Resuming a run starts new processes, so a number alone does not identify one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Worker {
    /// The start of the run: see [`Visit::start`].
    pub start: u32,
    /// Its number within that start.
    pub process: u32,
}

impl fmt::Display for Worker {
    /// Writes the number, followed by the start if it is not the first: `3`, `3 of start 2`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.start {
            0 => write!(formatter, "{}", self.process),
            start => write!(formatter, "{} of start {}", self.process, u64::from(start) + 1),
        }
    }
}

/// Worker process in a round. A round of another start may be hours away, even if it has the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    /// The process.
    pub worker: Worker,
    /// The round within its start.
    pub round: u32,
}

impl Moment {
    /// Returns process and round as numbers that are unique in the run, over all its starts.
    pub fn numbers(&self) -> (u64, u64) {
        let unique = |number: u32| u64::from(self.worker.start) << 32 | u64::from(number);
        (unique(self.worker.process), unique(self.round))
    }
}

/// The samples that one process took of one case in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// Start of the run that made it: 0 for the first, one more each time that the run was resumed.
    pub start: u32,
    /// Worker process of that start. Two visits are of one process if their [workers](Self::worker) are equal.
    pub process: u32,
    /// Round of that start. Visits of one round, over cases and processes, are close in time. Two visits of one process
    /// are of one round if their [moments](Self::moment) are equal.
    pub round: u32,
    /// Number of times that the visit was found disturbed, discarded and measured again.
    pub repeats: u32,
    /// Disturbances that remain; empty for a clean visit.
    pub disturbances: Vec<Disturbance>,
    /// Estimated core clock during the visit, in Hz.
    pub clock_hz: f64,
    /// Counter reading of each sample, for the whole batch.
    pub ticks: Vec<u64>,
    /// Wall time of each sample in ns, for the whole batch. Empty if it follows from `ticks` and
    /// [`Samples::ns_per_tick`](crate::Samples::ns_per_tick).
    pub wall_ns: Vec<u64>,
    /// Figures that the workload measured itself, by name: sizes in bytes, delays in ns, windows of threads.
    pub extra: Vec<(String, Vec<f64>)>,
    /// Conditions under which the samples were taken.
    pub conditions: Conditions,
}

impl Visit {
    /// Returns the worker process that made it.
    pub fn worker(&self) -> Worker {
        Worker { start: self.start, process: self.process }
    }

    /// Returns its place in the run. Visits are paired by equal moments, process by process and round by round.
    pub fn moment(&self) -> Moment {
        Moment { worker: self.worker(), round: self.round }
    }

    /// Returns the core clock during each sample, in Hz.
    pub(crate) fn clocks(&self) -> impl Iterator<Item = f64> {
        let of_chunks = self.conditions.chunks.iter().flat_map(|chunk| (0..chunk.samples).map(|_| chunk.clock_hz));
        of_chunks.chain(std::iter::repeat(self.clock_hz))
    }

    /// For each sample, whether its chunk was shared with another load.
    pub(crate) fn in_shared_chunk(&self) -> impl Iterator<Item = bool> {
        let of_chunks = self.conditions.chunks.iter().flat_map(|chunk| (0..chunk.samples).map(|_| chunk.shared));
        of_chunks.chain(std::iter::repeat(false))
    }

    /// For each sample, whether neither its chunk nor the one before or after it was shared. A load that comes or goes
    /// between two probes of the core also slows the chunk next to the one that detected it.
    fn clear(&self) -> impl Iterator<Item = bool> {
        let chunks = &self.conditions.chunks;
        let shared = |at: usize| chunks.get(at).is_some_and(|chunk| chunk.shared);
        let clear = move |at: usize| !(shared(at) || shared(at + 1) || at > 0 && shared(at - 1));
        let of_chunks =
            chunks.iter().enumerate().flat_map(move |(at, chunk)| (0..chunk.samples).map(move |_| clear(at)));
        of_chunks.chain(std::iter::repeat(true))
    }

    /// Whether at least half of its samples are [clear](Self::clear).
    fn is_mostly_clear(&self) -> bool {
        let samples = self.ticks.len();
        2 * self.clear().take(samples).filter(|clear| *clear).count() >= samples
    }

    /// For each sample, whether it counts if the visit does. Samples near a shared chunk do not, unless they are more
    /// than half of the visit.
    pub fn sample_counts(&self) -> impl Iterator<Item = bool> {
        let whole = !self.is_mostly_clear();
        self.clear().map(move |clear| whole || clear)
    }

    /// Returns the values of the samples that count; `values` has one per sample.
    pub(crate) fn counted(&self, values: &[f64]) -> Vec<f64> {
        values.iter().zip(self.sample_counts()).filter(|(_, counts)| *counts).map(|(value, _)| *value).collect()
    }

    /// Whether the visit is undisturbed: all its disturbances are [kept](Disturbance::is_kept), and the core was shared
    /// near at most half of its samples.
    pub fn counts(&self) -> bool {
        self.disturbances.iter().all(Disturbance::is_kept) && self.is_mostly_clear()
    }
}
