//! Tests of the machine: disturbing factors, the spread between runs, and the influence of cases on each other.

pub(crate) mod agreement;
pub(crate) mod doctor;
pub(crate) mod independence;
pub(crate) mod run_spread;
