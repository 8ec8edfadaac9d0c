use serde::{Deserialize, Serialize};
use std::fmt;

/// Processor state that a call leaves behind. It slows what runs next in the thread, or changes its results.
// The store encodes a variant by its position: new variants go to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Residue {
    /// The upper halves of the 256-bit vector registers are in use (state component 2 of XSAVE): SSE code that follows
    /// waits for them.
    VectorUpper,
    /// The upper halves of the first sixteen 512-bit vector registers are in use (component 6).
    VectorUpper512,
    /// The control of floating-point arithmetic has changed: rounding, masks, denormal numbers (MXCSR, FPCR).
    FloatControl,
    /// The control word of the x87 unit has changed.
    X87Control,
}

impl Residue {
    /// Every kind of residue.
    pub const ALL: [Residue; 4] =
        [Residue::VectorUpper, Residue::VectorUpper512, Residue::FloatControl, Residue::X87Control];

    /// Returns the word used in files.
    pub fn name(self) -> &'static str {
        match self {
            Residue::VectorUpper => "vector-upper",
            Residue::VectorUpper512 => "vector-upper-512",
            Residue::FloatControl => "float-control",
            Residue::X87Control => "x87-control",
        }
    }
}

/// Reason to doubt that a visit had its core to itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Disturbance {
    /// The hypervisor ran something else for this share of the time.
    Steal {
        /// Percent of the visit's wall time.
        pct: f64,
    },
    /// The kernel took the core away.
    InvoluntarySwitches {
        /// Number of switches.
        count: u64,
    },
    /// The thread had the processor for only this share of the wall time.
    CpuShare {
        /// CPU time in percent of wall time.
        pct: f64,
    },
    /// Some task waited for a processor for this share of the time (pressure stall information).
    Pressure {
        /// Percent of the visit's wall time.
        pct: f64,
    },
    /// The core clock, estimated by a chain of dependent additions, was different after the visit.
    ClockDrift {
        /// Change in percent.
        pct: f64,
    },
    /// Another hardware thread of the same core used some of its execution units, before or after the visit.
    SharedCore {
        /// Loss of instruction throughput in percent, compared with the core alone.
        pct: f64,
        /// Whether the visit counts anyway, because a fixed number of samples was requested.
        kept: bool,
    },
    /// Tasks of others were ready to run, before or after the visit, and had to share processors with the measured
    /// threads.
    OtherTasks {
        /// Number of tasks without a free processor.
        count: u64,
    },
}

impl Disturbance {
    /// Whether it comes from another load on the core's other hardware thread. Nobody can stop such a load, and it
    /// comes and goes: the visits that it spoils can be left out without hiding that the machine is busy.
    pub fn is_neighbour(&self) -> bool {
        matches!(self, Disturbance::SharedCore { .. })
    }

    /// Makes a visit count although [another load](Self::is_neighbour) disturbed it.
    pub fn keep(&mut self) {
        if let Disturbance::SharedCore { kept, .. } = self {
            *kept = true;
        }
    }

    /// Whether a visit counts although this disturbed it.
    pub fn is_kept(&self) -> bool {
        matches!(self, Disturbance::SharedCore { kept: true, .. })
    }
}

impl fmt::Display for Disturbance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Disturbance::Steal { pct } => write!(formatter, "{pct:.1}% stolen by the hypervisor"),
            Disturbance::InvoluntarySwitches { count } => write!(formatter, "{count} involuntary context switches"),
            Disturbance::CpuShare { pct } => write!(formatter, "had the processor for {pct:.1}% of the time"),
            Disturbance::Pressure { pct } => write!(formatter, "tasks waited for a processor {pct:.1}% of the time"),
            Disturbance::ClockDrift { pct } => write!(formatter, "core clock moved by {pct:+.1}%"),
            Disturbance::SharedCore { pct, .. } => {
                write!(formatter, "a load on the core's other hardware thread took {pct:.1}% of its throughput")
            }
            Disturbance::OtherTasks { count } => {
                write!(formatter, "tasks of other programs ready to run on its processors: {count}")
            }
        }
    }
}
