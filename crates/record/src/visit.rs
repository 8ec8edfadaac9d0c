use crate::{Conditions, Disturbance};
use serde::{Deserialize, Serialize};
use std::fmt;

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

impl Moment {
    /// Process and round as numbers that are unique in the run, over all its starts.
    pub fn numbers(&self) -> (u64, u64) {
        let unique = |number: u32| u64::from(self.worker.start) << 32 | u64::from(number);
        (unique(self.worker.process), unique(self.round))
    }
}

/// The samples that one process took of one case in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// Which start of the run made it: 0 for the first, one more each time that a stopped run was gone on with.
    pub start: u32,
    /// Which worker process of that start. Two visits are of one process where their [workers](Self::worker) are equal.
    pub process: u32,
    /// Which round of that start. Visits of one round, over cases and processes, are other loads in time; two of one
    /// process are where their [moments](Self::moment) are equal.
    pub round: u32,
    /// How often the visit was measured, found disturbed, discarded and measured again.
    pub repeats: u32,
    /// What disturbed it still; empty for a clean visit.
    pub disturbances: Vec<Disturbance>,
    /// Estimated core clock during the visit, in Hz.
    pub clock_hz: f64,
    /// The counter's reading for each sample, for the whole batch.
    pub ticks: Vec<u64>,
    /// Wall time of each sample in ns, for the whole batch. Empty where it follows from `ticks` and
    /// [`Samples::ns_per_tick`](crate::Samples::ns_per_tick).
    pub wall_ns: Vec<u64>,
    /// What the workload measured itself, by name: sizes in bytes, delays in ns, windows of threads.
    pub extra: Vec<(String, Vec<f64>)>,
    /// Under which conditions the samples were taken.
    pub conditions: Conditions,
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

    /// The core's clock while each sample was taken, in Hz.
    pub(crate) fn clocks(&self) -> impl Iterator<Item = f64> {
        let of_chunks = self.conditions.chunks.iter().flat_map(|chunk| (0..chunk.samples).map(|_| chunk.clock_hz));
        of_chunks.chain(std::iter::repeat(self.clock_hz))
    }

    /// For each sample, whether its chunk was shared with another load.
    pub(crate) fn in_shared_chunk(&self) -> impl Iterator<Item = bool> {
        let of_chunks = self.conditions.chunks.iter().flat_map(|chunk| (0..chunk.samples).map(|_| chunk.shared));
        of_chunks.chain(std::iter::repeat(false))
    }

    /// For each sample, whether neither its chunk nor the one before or after it was shared: a load that comes or goes between two
    /// looks at the core slows the chunk next to the one that saw it.
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

    /// For each sample, whether it counts if the visit does: the clear ones do, as long as they are at least half of the visit;
    /// else all do.
    pub fn sample_counts(&self) -> impl Iterator<Item = bool> {
        let whole = !self.is_mostly_clear();
        self.clear().map(move |clear| whole || clear)
    }

    /// Those of the values, one a sample, whose sample counts.
    pub(crate) fn counted(&self, values: &[f64]) -> Vec<f64> {
        values.iter().zip(self.sample_counts()).filter(|(_, counts)| *counts).map(|(value, _)| *value).collect()
    }

    /// Whether the visit is undisturbed: no disturbance but those that it is [kept](Disturbance::is_kept) in spite of, and the core
    /// was shared near less than half of its samples.
    pub fn counts(&self) -> bool {
        self.disturbances.iter().all(Disturbance::is_kept) && self.is_mostly_clear()
    }
}
