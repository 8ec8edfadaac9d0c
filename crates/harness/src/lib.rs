//! How pqlab measures: counters, protocol, contention gates, worker processes, environment.

pub mod affinity;
pub mod clock;
pub mod counter;
pub mod environment;
pub mod gate;
