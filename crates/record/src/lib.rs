//! Schema of results: the output of a measurement, and the input of all reports.
//!
//! A [`Run`] is one execution of a suite on one host. It consists of an [`Environment`], a [`Protocol`], a plan of
//! [`Case`]s, and a [`Record`] for each finished case. A record contains raw samples; reports recompute all estimates
//! from them. The [`document`] module defines the exported JSON.

pub mod document;

mod case;
mod conditions;
mod disturbance;
mod environment;
mod noise;
mod offsets;
mod protocol;
mod record;
mod run;
mod summary;
mod visit;
mod word;

pub use case::{
    Case, CaseId, CoinSource, ExpectedAttempts, Facts, Form, Kind, Parameter, Sizes, State, Statistic, UnreadableId,
};
pub use conditions::{Chunk, Conditions, CpuTime};
pub use disturbance::{Disturbance, Residue};
pub use environment::{
    Build, Cache, CoreChecks, Counters, Cpu, CpuNumbers, Environment, Host, Interruptions, Latency, LoadedLibrary,
    Memory, OperatingSystem, Pressure, ProviderBuild, Virtualization,
};
pub use noise::MachineNoise;
pub use offsets::{MemoryPart, Offsets};
pub use protocol::{
    ASSUMED, CaseSpread, CounterChoice, FailedCandidate, Fastest, Protocol, ProtocolKind, RunSpreads, RunnerUp,
};
pub use record::{CyclesSource, Metric, NO_ANSWER, Record, Samples, SecondChance, Status, Unit, Visits};
pub use run::{Run, RunHeader};
pub use summary::RunSummary;
pub use visit::{Moment, Visit, Worker};
pub use word::UnknownWord;

/// Name and version of the schema in exported files.
pub const SCHEMA: &str = "pqlab/1";

/// Name of the provider that does nothing. Measuring it gives the overhead of the harness. `pqlab_primitives` defines
/// the same constant.
pub const NULL: &str = "null";

/// Name of the area that measures the overhead of the harness. Every run includes it.
pub const FLOOR: &str = "floor";
