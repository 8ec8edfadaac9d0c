//! The shape of version 4's payload: version 3's, and the CPU time of each visit. Order and types are the format: they never change.

use super::{SamplesError, conditions};
use pqlab_record::{self as record, CpuTime};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct Samples {
    samples: conditions::Samples,
    /// Of each visit, in their order: CPU time and wall time in ns.
    cpu_times: Vec<Option<(u64, u64)>>,
}

impl From<&record::Samples> for Samples {
    fn from(samples: &record::Samples) -> Samples {
        let of = |visit: &record::Visit| visit.conditions.cpu_time.map(|time| (time.cpu_ns, time.wall_ns));
        Samples { samples: samples.into(), cpu_times: samples.visits.iter().map(of).collect() }
    }
}

impl TryFrom<Samples> for record::Samples {
    type Error = SamplesError;

    fn try_from(samples: Samples) -> Result<record::Samples, SamplesError> {
        let Samples { samples, cpu_times } = samples;
        let mut samples = record::Samples::try_from(samples)?;
        if samples.visits.len() != cpu_times.len() {
            return Err(SamplesError::CpuTimes);
        }
        for (visit, cpu_time) in samples.visits.iter_mut().zip(cpu_times) {
            visit.conditions.cpu_time = cpu_time.map(|(cpu_ns, wall_ns)| CpuTime { cpu_ns, wall_ns });
        }
        Ok(samples)
    }
}
