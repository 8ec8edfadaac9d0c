use crate::{Conditions, Disturbance};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A worker process of a run. Resuming a run starts new processes, so the process number alone is not unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Worker {
    /// Start of the run that created the process, as in [`Visit::start`].
    pub start: u32,
    /// Index of the process among the processes of this start.
    pub process: u32,
}

impl fmt::Display for Worker {
    /// Writes the process number, followed by the start if it is not the first: `3`, `3 of start 2`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.start {
            0 => write!(formatter, "{}", self.process),
            start => write!(formatter, "{} of start {}", self.process, u64::from(start) + 1),
        }
    }
}

/// A worker process and a round. Rounds of different starts may have the same number, even if they are hours apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    /// The process.
    pub worker: Worker,
    /// Number of the round within the worker's start.
    pub round: u32,
}

impl Moment {
    /// Returns the process and the round as numbers that are unique across all starts of the run.
    pub fn numbers(&self) -> (u64, u64) {
        let unique = |number: u32| u64::from(self.worker.start) << 32 | u64::from(number);
        (unique(self.worker.process), unique(self.round))
    }
}

/// Samples that one process took of one case in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// Start of the run in which this visit took place: 0 for the first start, 1 after the first resumption, and so on.
    pub start: u32,
    /// Index of the worker process within `start`. Two visits are by the same process if their [workers](Self::worker)
    /// are equal.
    pub process: u32,
    /// Number of the round within `start`. The visits of a round, over all cases and processes, are close in time. Two
    /// visits by one process belong to the same round if their [moments](Self::moment) are equal.
    pub round: u32,
    /// Number of times that the visit was disturbed, discarded and repeated.
    pub repeats: u32,
    /// Disturbances of the last attempt; empty if it was undisturbed.
    pub disturbances: Vec<Disturbance>,
    /// Estimated core clock during the visit, in Hz.
    pub clock_hz: f64,
    /// Counter ticks of each sample, for its whole batch of operations.
    pub ticks: Vec<u64>,
    /// Wall time of each sample in ns, for its whole batch of operations. Empty if it can be computed from `ticks` and
    /// [`Samples::ns_per_tick`](crate::Samples::ns_per_tick).
    pub wall_ns: Vec<u64>,
    /// Values that the workload itself measured, by name: sizes in bytes, delays in ns, time windows of threads.
    pub extra: Vec<(String, Vec<f64>)>,
    /// Conditions under which the samples were taken.
    pub conditions: Conditions,
}

impl Visit {
    /// Returns the worker process that made the visit.
    pub fn worker(&self) -> Worker {
        Worker { start: self.start, process: self.process }
    }

    /// Returns the process and the round of the visit. Comparisons pair visits with equal moments.
    pub fn moment(&self) -> Moment {
        Moment { worker: self.worker(), round: self.round }
    }

    /// Returns the core clock during each sample, in Hz.
    pub(crate) fn clocks(&self) -> impl Iterator<Item = f64> {
        let of_chunks = self.conditions.chunks.iter().flat_map(|chunk| (0..chunk.samples).map(|_| chunk.clock_hz));
        of_chunks.chain(std::iter::repeat(self.clock_hz))
    }

    /// Returns, for each sample, whether another program used the core's other hardware thread during its chunk.
    pub(crate) fn in_shared_chunk(&self) -> impl Iterator<Item = bool> {
        let of_chunks = self.conditions.chunks.iter().flat_map(|chunk| (0..chunk.samples).map(|_| chunk.shared));
        of_chunks.chain(std::iter::repeat(false))
    }

    /// Returns, for each sample, whether its chunk and both adjacent chunks are free of other loads. The adjacent
    /// chunks matter because a load that starts or stops between two probes also slows down a chunk next to the one in
    /// which it was detected.
    fn clear(&self) -> impl Iterator<Item = bool> {
        let chunks = &self.conditions.chunks;
        let shared = |at: usize| chunks.get(at).is_some_and(|chunk| chunk.shared);
        let clear = move |at: usize| !(shared(at) || shared(at + 1) || at > 0 && shared(at - 1));
        let of_chunks =
            chunks.iter().enumerate().flat_map(move |(at, chunk)| (0..chunk.samples).map(move |_| clear(at)));
        of_chunks.chain(std::iter::repeat(true))
    }

    /// Returns whether at least half of the samples are [clear](Self::clear).
    fn is_mostly_clear(&self) -> bool {
        let samples = self.ticks.len();
        2 * self.clear().take(samples).filter(|clear| *clear).count() >= samples
    }

    /// Returns, for each sample, whether estimates that use the visit also use the sample. Estimates exclude samples in
    /// or next to a [shared](crate::Chunk::shared) chunk. If these are more than half of the visit's samples, estimates
    /// use all samples.
    pub fn sample_counts(&self) -> impl Iterator<Item = bool> {
        let whole = !self.is_mostly_clear();
        self.clear().map(move |clear| whole || clear)
    }

    /// Returns the values of the [used](Self::sample_counts) samples. `values` contains one value for each sample.
    pub(crate) fn counted(&self, values: &[f64]) -> Vec<f64> {
        values.iter().zip(self.sample_counts()).filter(|(_, counts)| *counts).map(|(value, _)| *value).collect()
    }

    /// Returns whether nothing disturbed the visit. Unlike [`counts`](Self::counts), returns `false` for a kept
    /// disturbance.
    pub fn is_clean(&self) -> bool {
        self.disturbances.is_empty() && self.is_mostly_clear()
    }

    /// Returns whether estimates may use the visit. All its disturbances must be [kept](Disturbance::is_kept), and at
    /// most half of its samples may be in or next to a [shared](crate::Chunk::shared) chunk.
    pub fn counts(&self) -> bool {
        self.disturbances.iter().all(Disturbance::is_kept) && self.is_mostly_clear()
    }
}
