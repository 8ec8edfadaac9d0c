//! The shape of version 3's payload: version 2's, and the conditions of each visit. Order and types are the format: they never
//! change.

use super::{SamplesError, starts};
use pqlab_record as record;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct Samples {
    samples: starts::Samples,
    /// Of each visit, in their order.
    conditions: Vec<Conditions>,
}

#[derive(Serialize, Deserialize)]
struct Conditions {
    chunks: Vec<(u32, f64, bool)>,
    processor: Option<u32>,
    residues: Option<Vec<Residue>>,
    first_call_ns: Option<f64>,
}

#[derive(Serialize, Deserialize)]
enum Residue {
    VectorUpper,
    VectorUpper512,
    FloatControl,
    X87Control,
}

impl From<&record::Samples> for Samples {
    fn from(samples: &record::Samples) -> Samples {
        let conditions = samples.visits.iter().map(|visit| Conditions::from(&visit.conditions)).collect();
        Samples { samples: samples.into(), conditions }
    }
}

impl From<&record::Conditions> for Conditions {
    fn from(conditions: &record::Conditions) -> Conditions {
        let chunks = conditions.chunks.iter().map(|chunk| (chunk.samples, chunk.clock_hz, chunk.shared));
        let residue = |residue: &record::Residue| match residue {
            record::Residue::VectorUpper => Residue::VectorUpper,
            record::Residue::VectorUpper512 => Residue::VectorUpper512,
            record::Residue::FloatControl => Residue::FloatControl,
            record::Residue::X87Control => Residue::X87Control,
        };
        Conditions {
            chunks: chunks.collect(),
            processor: conditions.processor,
            residues: conditions.residues.as_ref().map(|residues| residues.iter().map(residue).collect()),
            first_call_ns: conditions.first_call_ns,
        }
    }
}

impl From<Conditions> for record::Conditions {
    fn from(conditions: Conditions) -> record::Conditions {
        let chunk = |(samples, clock_hz, shared)| record::Chunk { samples, clock_hz, shared };
        let residue = |residue| match residue {
            Residue::VectorUpper => record::Residue::VectorUpper,
            Residue::VectorUpper512 => record::Residue::VectorUpper512,
            Residue::FloatControl => record::Residue::FloatControl,
            Residue::X87Control => record::Residue::X87Control,
        };
        record::Conditions {
            chunks: conditions.chunks.into_iter().map(chunk).collect(),
            processor: conditions.processor,
            residues: conditions.residues.map(|residues| residues.into_iter().map(residue).collect()),
            first_call_ns: conditions.first_call_ns,
            cpu_time: None,
        }
    }
}

impl TryFrom<Samples> for record::Samples {
    type Error = SamplesError;

    fn try_from(samples: Samples) -> Result<record::Samples, SamplesError> {
        let Samples { samples, conditions } = samples;
        let mut samples = record::Samples::try_from(samples)?;
        if samples.visits.len() != conditions.len() {
            return Err(SamplesError::Conditions);
        }
        for (visit, conditions) in samples.visits.iter_mut().zip(conditions) {
            visit.conditions = conditions.into();
        }
        Ok(samples)
    }
}
