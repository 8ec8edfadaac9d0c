//! Judging the machine: what disturbs measuring on it, how far its runs lie apart, whether cases influence each other.

pub(crate) mod agreement;
pub(crate) mod doctor;
pub(crate) mod independence;
pub(crate) mod run_spread;
