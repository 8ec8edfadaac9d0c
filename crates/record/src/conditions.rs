use crate::{Offsets, Residue};
use serde::{Deserialize, Serialize};

/// A chunk of a visit: consecutive samples between two probes of the core. A chunk takes one to two milliseconds.
// The order of the fields is part of the store's encoding.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// Number of samples in the chunk.
    pub samples: u32,
    /// Estimated core clock during the chunk, in Hz: the mean of the probes before and after it.
    pub clock_hz: f64,
    /// Whether the probe before or after the chunk found that another program used the core's other hardware thread.
    /// Estimates exclude the samples of such a chunk if enough other samples remain.
    pub shared: bool,
}

/// CPU time of the thread that did the work of a visit, and wall time of the same period. The period starts before the
/// first sample, ends after the last one, and includes untimed work between samples.
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
    /// Chunks of the visit, in order. Empty if the core was probed only before and after the visit.
    pub chunks: Vec<Chunk>,
    /// Number of the logical processor on which the visit ended. `None` if the system does not report it.
    pub processor: Option<u32>,
    /// Kinds of leftover register state that the operation left behind in its thread after more than half of the
    /// samples. `None` if the state could not be read.
    pub residues: Option<Vec<Residue>>,
    /// Time of the operation's first call in this process, in ns, including any setup by the library. `None` except in
    /// the first visit of a process.
    pub first_call_ns: Option<f64>,
    /// CPU time of the visit; `None` if the work was done by threads that the operation started.
    pub cpu_time: Option<CpuTime>,
    /// Planned memory layout of the process; `None` if the process could not follow a plan, if another process or
    /// several threads did the work, or if an older version measured the case.
    #[serde(default)]
    pub offsets: Option<Offsets>,
}
