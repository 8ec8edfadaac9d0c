use crate::Residue;
use serde::{Deserialize, Serialize};

/// Consecutive samples of a visit, a millisecond or two of them, between two probes of the core.
// The store encodes its fields in this order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// Number of samples.
    pub samples: u32,
    /// Estimated core clock during the chunk, in Hz: the mean of the probes before and after it.
    pub clock_hz: f64,
    /// Whether one of the two probes found the core's other hardware thread in use. Such samples do not count as long
    /// as enough others do.
    pub shared: bool,
}

/// CPU time of the thread that did a visit's work, with the wall time over which it was spent: from before the first
/// sample to after the last, untimed work included.
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
    /// The samples in order, in chunks; empty if the core was probed only before and after the visit.
    pub chunks: Vec<Chunk>,
    /// The processor on which the visit ended.
    pub processor: Option<u32>,
    /// State that the operation left behind in its thread after more than half of the samples; `None` if it could not
    /// be read.
    pub residues: Option<Vec<Residue>>,
    /// Time of the operation's first call in this process, in ns, including what the library set up in it. Only the
    /// first visit of a process has one.
    pub first_call_ns: Option<f64>,
    /// CPU time of the visit; `None` if the operation's own threads did the work.
    pub cpu_time: Option<CpuTime>,
}
