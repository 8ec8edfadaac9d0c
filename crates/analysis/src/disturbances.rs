use crate::number::grouped;
use pqlab_record::{Disturbance, Samples, Visit};
use std::fmt;

/// Summary of the disturbances of a case's visits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disturbances {
    /// Number of visits, without those that were discarded.
    pub visits: usize,
    /// Number of disturbed visits among [`visits`](Self::visits).
    pub disturbed: usize,
    /// Number of visits that were found disturbed, discarded and measured again.
    pub repeats: u64,
    /// For each kind of disturbance, the number of affected visits and the worst occurrence.
    pub kinds: Vec<(&'static str, usize, Disturbance)>,
}

impl Disturbances {
    /// Summarizes the visits of a case.
    pub fn count(samples: &Samples) -> Disturbances {
        let mut kinds: Vec<(&'static str, usize, Disturbance)> = Vec::new();
        for disturbance in samples.visits.iter().flat_map(|visit| &visit.disturbances) {
            let name = kind(disturbance);
            match kinds.iter_mut().find(|(other, ..)| *other == name) {
                None => kinds.push((name, 1, disturbance.clone())),
                Some((_, visits, worst)) => {
                    *visits += 1;
                    if severity(disturbance) > severity(worst) {
                        *worst = disturbance.clone();
                    }
                }
            }
        }
        let disturbed = |visit: &&Visit| !visit.disturbances.is_empty() || !visit.counts();
        Disturbances {
            visits: samples.visits.len(),
            disturbed: samples.visits.iter().filter(disturbed).count(),
            repeats: samples.visits.iter().map(|visit| u64::from(visit.repeats)).sum(),
            kinds,
        }
    }
}

impl fmt::Display for Disturbances {
    /// Formats the summary: `1 of 16 visits disturbed; 3 more were disturbed, discarded and measured again`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {} visits disturbed", self.disturbed, self.visits)?;
        match self.repeats {
            0 => Ok(()),
            some => write!(formatter, "; {} more were disturbed, discarded and measured again", grouped(some)),
        }
    }
}

/// Returns the keyword used in files for a kind of disturbance.
fn kind(disturbance: &Disturbance) -> &'static str {
    match disturbance {
        Disturbance::Steal { .. } => "steal",
        Disturbance::InvoluntarySwitches { .. } => "involuntary-switches",
        Disturbance::CpuShare { .. } => "cpu-share",
        Disturbance::Pressure { .. } => "pressure",
        Disturbance::ClockDrift { .. } => "clock-drift",
        Disturbance::SharedCore { .. } => "shared-core",
        Disturbance::OtherTasks { .. } => "other-tasks",
    }
}

/// Returns the severity of a disturbance, for comparison with other disturbances of the same kind.
fn severity(disturbance: &Disturbance) -> f64 {
    match disturbance {
        Disturbance::Steal { pct } | Disturbance::Pressure { pct } | Disturbance::SharedCore { pct, .. } => *pct,
        Disturbance::InvoluntarySwitches { count } | Disturbance::OtherTasks { count } => *count as f64,
        Disturbance::CpuShare { pct } => -pct,
        Disturbance::ClockDrift { pct } => pct.abs(),
    }
}
