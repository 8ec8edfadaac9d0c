//! Tests of the machine: what disturbs measurements, the spread between runs, and whether cases influence each other.

pub(crate) mod agreement;
pub(crate) mod doctor;
pub(crate) mod independence;
pub(crate) mod run_spread;
