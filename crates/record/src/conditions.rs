use crate::Residue;
use serde::{Deserialize, Serialize};

/// Samples of a visit that follow one another, a millisecond or two of them, between two looks at the core.
// The store encodes its fields in this order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// How many samples.
    pub samples: u32,
    /// Estimated core clock while they were taken, in Hz: the mean of the looks before and after them.
    pub clock_hz: f64,
    /// Whether somebody used the core's other hardware thread in one of the two looks: then the samples do not count, as long
    /// as enough others do.
    pub shared: bool,
}

/// CPU time of the thread that did a visit's work, beside the wall time in which it had it: from before the first sample to behind
/// the last, what is not timed included.
// The store encodes its fields in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuTime {
    /// CPU time of the thread in ns.
    pub cpu_ns: u64,
    /// Wall time in ns.
    pub wall_ns: u64,
}

/// Conditions under which a visit took its samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// The samples in their order, in chunks; none where the core was looked at before and after the visit only.
    pub chunks: Vec<Chunk>,
    /// The processor on which the visit ended.
    pub processor: Option<u32>,
    /// What the operation left behind in its thread after more than half of the samples; `None` where there was no reading it.
    pub residues: Option<Vec<Residue>>,
    /// Time of the operation's first call in this process, in ns, with what the library set up in it; in the first visit of a
    /// process alone.
    pub first_call_ns: Option<f64>,
    /// CPU time of the visit; `None` where threads of its own did the work.
    pub cpu_time: Option<CpuTime>,
}
