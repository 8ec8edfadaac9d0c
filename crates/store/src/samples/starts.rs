//! The shape of version 2's payload: version 1's, and which start of the run made which visits. Order and types are the
//! format: they never change.

use super::{SamplesError, wire};
use pqlab_record as record;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct Samples {
    samples: wire::Samples,
    /// In the order of the visits: a start, and how many of them one after the other it made.
    starts: Vec<(u32, u64)>,
}

impl From<&record::Samples> for Samples {
    fn from(samples: &record::Samples) -> Samples {
        let mut starts: Vec<(u32, u64)> = Vec::new();
        for visit in &samples.visits {
            match starts.last_mut() {
                Some((start, visits)) if *start == visit.start => *visits += 1,
                _ => starts.push((visit.start, 1)),
            }
        }
        Samples { samples: samples.into(), starts }
    }
}

impl TryFrom<Samples> for record::Samples {
    type Error = SamplesError;

    fn try_from(samples: Samples) -> Result<record::Samples, SamplesError> {
        let Samples { samples, starts } = samples;
        let mut samples = record::Samples::try_from(samples)?;
        let mut left = samples.visits.iter_mut();
        for (start, visits) in starts {
            for _ in 0..visits {
                left.next().ok_or(SamplesError::Starts)?.start = start;
            }
        }
        match left.next() {
            None => Ok(samples),
            Some(_) => Err(SamplesError::Starts),
        }
    }
}
