use serde::{Deserialize, Serialize};
use std::fmt;

/// Leftover register state: processor state that a call leaves behind. It slows down the code that runs next in the
/// thread, or changes the results of that code.
// The store encodes a variant by its position, so add new variants at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Residue {
    /// The upper halves of the 256-bit vector registers are in use (XSAVE state component 2), which slows down SSE
    /// code.
    VectorUpper,
    /// The upper halves of the first sixteen 512-bit vector registers are in use (XSAVE state component 6).
    VectorUpper512,
    /// The floating-point control register has changed: rounding mode, exception masks or denormal handling
    /// (MXCSR, FPCR).
    FloatControl,
    /// The control word of the x87 unit has changed.
    X87Control,
}

impl Residue {
    /// All kinds of leftover register state.
    pub const ALL: [Residue; 4] =
        [Residue::VectorUpper, Residue::VectorUpper512, Residue::FloatControl, Residue::X87Control];

    /// Returns the keyword used in files.
    pub fn name(self) -> &'static str {
        match self {
            Residue::VectorUpper => "vector-upper",
            Residue::VectorUpper512 => "vector-upper-512",
            Residue::FloatControl => "float-control",
            Residue::X87Control => "x87-control",
        }
    }
}

/// Disturbance: a sign that a visit did not have its core to itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Disturbance {
    /// The hypervisor ran another virtual machine for part of the time.
    Steal {
        /// Percentage of the visit's wall time.
        pct: f64,
    },
    /// The kernel gave the core to other threads.
    InvoluntarySwitches {
        /// Number of switches.
        count: u64,
    },
    /// The thread ran during only part of the wall time.
    CpuShare {
        /// CPU time as a percentage of wall time.
        pct: f64,
    },
    /// At least one task waited for a processor for part of the time (pressure stall information).
    Pressure {
        /// Percentage of the visit's wall time.
        pct: f64,
    },
    /// The core clock was different after the visit. It is estimated with a chain of dependent additions.
    ClockDrift {
        /// Change in percent.
        pct: f64,
    },
    /// Another hardware thread used some of the core's execution units, before or after the visit.
    SharedCore {
        /// Loss of instruction throughput in percent, compared with a core that runs nothing else.
        pct: f64,
        /// Whether estimates use the visit anyway, because the user requested a fixed number of samples.
        kept: bool,
    },
    /// Other programs' tasks were ready to run, before or after the visit, and had to share processors with the
    /// measured threads.
    OtherTasks {
        /// Number of tasks without a free processor.
        count: u64,
    },
}

impl Disturbance {
    /// Returns whether a load on the core's other hardware thread caused the disturbance. Such a load comes and goes
    /// and cannot be stopped. Estimates may exclude the visits that it disturbs without hiding that the machine is
    /// busy.
    pub fn is_neighbour(&self) -> bool {
        matches!(self, Disturbance::SharedCore { .. })
    }

    /// Makes estimates use a visit although [another load](Self::is_neighbour) disturbed it.
    pub fn keep(&mut self) {
        if let Disturbance::SharedCore { kept, .. } = self {
            *kept = true;
        }
    }

    /// Returns whether estimates use the visit in spite of this disturbance.
    pub fn is_kept(&self) -> bool {
        matches!(self, Disturbance::SharedCore { kept: true, .. })
    }
}

impl fmt::Display for Disturbance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Disturbance::Steal { pct } => write!(formatter, "{pct:.1}% stolen by the hypervisor"),
            Disturbance::InvoluntarySwitches { count } => write!(formatter, "{count} involuntary context switches"),
            Disturbance::CpuShare { pct } => write!(formatter, "ran for only {pct:.1}% of the time"),
            Disturbance::Pressure { pct } => write!(formatter, "tasks waited for a processor {pct:.1}% of the time"),
            Disturbance::ClockDrift { pct } => write!(formatter, "core clock changed by {pct:+.1}%"),
            Disturbance::SharedCore { pct, .. } => {
                write!(formatter, "a load on the other hardware thread took {pct:.1}% of the core's throughput")
            }
            Disturbance::OtherTasks { count } => {
                write!(formatter, "other programs' tasks that were ready to run: {count}")
            }
        }
    }
}
