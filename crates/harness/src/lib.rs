//! Measurement: counters, protocol, contention gates, worker processes, environment.
//!
//! A coordinator starts worker processes from the same build. It makes each worker prepare the cases of a block, and
//! visits the cases in shuffled rounds. Only one process measures at a time, for a few milliseconds per visit, so the
//! measurements of compared cases alternate. See [`schedule`] for the rules and [`worker`] for the worker's side.

pub mod affinity;
mod build_id;
pub mod clock;
pub mod cold;
mod core_checks;
pub mod counter;
mod ending;
pub mod environment;
pub mod errand;
pub mod gate;
mod heap;
pub mod layout;
pub mod leak;
pub mod memory;
mod own_time;
mod probes;
pub mod process;
mod program;
pub mod residue;
pub mod schedule;
mod stopwatch;
mod system;
pub mod taint;
mod timed;
pub mod trial;
pub mod wire;
pub mod worker;

pub use build_id::BuildId;
pub use core_checks::check_core;
pub use ending::ending;
pub use program::{Program, WorkerError};
pub use schedule::{Event, MeasuringError, Observer, ObserverError, Outcome, WorkerPool};
pub use trial::{Demands, Fault, Recorder, Seed, Trial, TrialSource};
