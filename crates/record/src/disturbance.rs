use serde::{Deserialize, Serialize};
use std::fmt;

/// Leftover register state: processor state that a call leaves behind in its thread. It slows down the code that runs
/// next, or changes that code's results.
// The store encodes a variant by its position, so add new variants at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Residue {
    /// Upper halves of the 256-bit vector registers are in use (XSAVE state component 2), which slows down SSE code.
    VectorUpper,
    /// Upper halves of the first sixteen 512-bit vector registers are in use (XSAVE state component 6).
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

/// A disturbance: a sign that a visit did not have its core to itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Disturbance {
    /// The hypervisor ran another virtual machine during part of the visit.
    Steal {
        /// Stolen time as a percentage of the visit's wall time.
        pct: f64,
    },
    /// The kernel gave the core to other threads.
    InvoluntarySwitches {
        /// Number of involuntary context switches.
        count: u64,
    },
    /// The thread ran during only part of the visit's wall time.
    CpuShare {
        /// CPU time as a percentage of the wall time.
        pct: f64,
    },
    /// At least one task waited for a processor during part of the visit (pressure stall information).
    Pressure {
        /// Time during which a task waited, as a percentage of the visit's wall time.
        pct: f64,
    },
    /// The core clock was different before and after the visit. The clock is estimated with a chain of dependent
    /// additions.
    ClockDrift {
        /// Change of the clock in percent.
        pct: f64,
    },
    /// Another program used the core's other hardware thread before or after the visit and competed for the core's
    /// execution units.
    SharedCore {
        /// Loss of instruction throughput in percent, compared with an otherwise idle core.
        pct: f64,
        /// Whether estimates use the visit anyway, because the user requested a fixed number of samples.
        kept: bool,
    },
    /// Tasks of other programs were ready to run before or after the visit, and had to share processors with the
    /// measured threads.
    OtherTasks {
        /// Number of ready tasks without a free processor.
        count: u64,
    },
}

impl Disturbance {
    /// Returns whether another program on the core's other hardware thread caused the disturbance. Such a load comes
    /// and goes, and the user cannot stop it. If estimates exclude the visits that it disturbs, the [shared
    /// percentage](crate::Samples::shared_pct) still shows that the machine is busy.
    pub fn is_neighbour(&self) -> bool {
        matches!(self, Disturbance::SharedCore { .. })
    }

    /// Returns an estimate of the factor by which the disturbance slowed down the visit. The factor is between 1 and 2,
    /// because two loads that share a core or hardware thread get half of it each.
    pub fn slowdown(&self) -> f64 {
        let lost = |pct: f64| 1.0 / (1.0 - (pct / 100.0).clamp(0.0, 0.5));
        match self {
            Disturbance::Steal { pct } | Disturbance::Pressure { pct } | Disturbance::SharedCore { pct, .. } => {
                lost(*pct)
            }
            Disturbance::CpuShare { pct } => lost(100.0 - pct),
            Disturbance::ClockDrift { pct } => (1.0 + pct.abs() / 100.0).min(2.0),
            Disturbance::InvoluntarySwitches { .. } | Disturbance::OtherTasks { .. } => 2.0,
        }
    }

    /// Marks a disturbance by [another load](Self::is_neighbour) as kept, so that estimates use the visit anyway. Does
    /// nothing for other kinds.
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
            Disturbance::Steal { pct } => write!(formatter, "the hypervisor stole {pct:.1}% of the time"),
            Disturbance::InvoluntarySwitches { count } => write!(formatter, "involuntary context switches: {count}"),
            Disturbance::CpuShare { pct } => write!(formatter, "the thread ran for only {pct:.1}% of the time"),
            Disturbance::Pressure { pct } => write!(formatter, "tasks waited for a processor {pct:.1}% of the time"),
            Disturbance::ClockDrift { pct } => write!(formatter, "core clock changed by {pct:+.1}%"),
            Disturbance::SharedCore { pct, .. } => {
                write!(formatter, "a load on the other hardware thread took {pct:.1}% of the core's throughput")
            }
            Disturbance::OtherTasks { count } => {
                write!(formatter, "tasks of other programs that waited for a processor: {count}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slowdown_is_a_factor_between_one_and_two() {
        let shared = |pct| Disturbance::SharedCore { pct, kept: false };
        assert_eq!([0.0, -3.0, 20.0, 50.0, 80.0].map(|pct| shared(pct).slowdown()), [1.0, 1.0, 1.25, 2.0, 2.0]);
        // A tick of stolen time may be longer than the visit.
        assert_eq!(Disturbance::Steal { pct: 140.0 }.slowdown(), 2.0);
        assert_eq!(Disturbance::CpuShare { pct: 80.0 }.slowdown(), 1.25);
        assert_eq!(Disturbance::ClockDrift { pct: -12.5 }.slowdown(), 1.125);
    }
}
