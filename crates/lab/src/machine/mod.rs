//! Tests of the machine: factors that disturb measurements, the spread between runs, and effects of cases on each
//! other.

pub(crate) mod agreement;
pub(crate) mod doctor;
pub(crate) mod independence;
pub(crate) mod placement;
pub(crate) mod run_spread;
