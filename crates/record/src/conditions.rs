use crate::Residue;
use serde::{Deserialize, Serialize};

/// Chunk of a visit: consecutive samples between two probes of the core. A chunk takes a millisecond or two.
// The order of the fields is part of the store's encoding.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// Number of samples.
    pub samples: u32,
    /// Estimated core clock during the chunk, in Hz: the mean of the probes before and after it.
    pub clock_hz: f64,
    /// Whether one of the two probes found the core's other hardware thread in use. Estimates exclude such samples as
    /// long as enough others remain.
    pub shared: bool,
}

/// CPU time of the thread that did a visit's work, and wall time of the same period, which lasts from before the first
/// sample to after the last and includes untimed work.
// The order of the fields is part of the store's encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuTime {
    /// CPU time of the thread in ns.
    pub cpu_ns: u64,
    /// Wall time in ns.
    pub wall_ns: u64,
}

/// Conditions under which the samples of a visit were taken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// Chunks of samples, in order. Empty if the core was probed only before and after the visit.
    pub chunks: Vec<Chunk>,
    /// The processor on which the visit ended.
    pub processor: Option<u32>,
    /// Processor state that the operation left behind in its thread after more than half of the samples. `None` if the
    /// state could not be read.
    pub residues: Option<Vec<Residue>>,
    /// Time of the operation's first call in this process, in ns, including any setup by the library. `None` except in
    /// the first visit of a process.
    pub first_call_ns: Option<f64>,
    /// CPU time of the visit; `None` if the operation's own threads did the work.
    pub cpu_time: Option<CpuTime>,
}
