//! Facade over the layers: suite -> plan -> run -> store -> analysis -> report. With this crate, other programs can do
//! everything that the command line does.
//!
//! A [`Laboratory`] measures a [`Plan`] in worker processes. The workers run a [`WorkerProgram`]: either the calling
//! program itself, if its `main` begins with [`run_if_worker`], or the `pqlab` program from the same build.
//! [`Laboratory::measure`] returns the run, and [`results`] computes its figures. [`Laboratory::run`] instead passes
//! each record to a [`RecordSink`] as soon as the case is finished. A [`store::Store`] is a sink, in a file or in
//! memory ([`store::Store::in_memory`]). A [`Progress`] receives progress events (`()` ignores them). Setting the
//! `AtomicBool` called `stop` ends a run early. `examples/embed.rs` is a complete program.
//!
//! An [`analysis::RunAnalysis`] compares and ranks the cases of a run. With the `report` feature, the `report` module
//! presents an analysis as files, tables, charts and web pages.
//!
//! Calls block until the work is done, and do not change the affinity of the calling thread. Unless a name or a comment
//! states another unit, durations are in nanoseconds, lengths in bytes, and relative differences in percent. Points in
//! time are in UTC, formatted as in RFC 3339.

#![warn(clippy::missing_errors_doc)]

mod added;
mod comparing;
mod environment_variables;
mod error;
mod inspect;
mod leak;
pub mod ledger;
mod libraries;
mod machine;
mod ntor;
mod output_file;
mod patterns;
mod planning;
mod running;
mod samples;
#[cfg(test)]
mod simulated;
mod stored;
mod verifying;

pub use added::{AddRequest, AddedBuild, AddedLibraries, AddedLibrary, AddedRecords, Recipe, RecipeVersion, recipes};
pub use comparing::gate::{Gate, GateRequest, GateStep, GatedCase};
pub use comparing::libraries::{ComparedLibrary, Side, compare_sides, same_file, shared_operations};
pub use comparing::runs::{
    Compared, Margin, check_percentage, compare_analyses, compare_cases, compare_named, compare_stored,
    compare_with_published, comparison_criteria, newest_before,
};
pub use environment_variables::check_environment;
pub use error::{LabError, SinkError, Thing};
pub use inspect::{Check, Fact, FileBlock, FileInspection, InspectRequest, Inspection, Item, ItemPart};
pub use leak::series::{FEWEST_LEAK_SAMPLES, LeakStep, leak_document, leak_listing, taint_document};
pub use leak::taint::{TaintEnd, TaintFinding, Tainted};
pub use leak::timing::{LeakConclusion, LeakEffect, LeakFigures, LeakOutcome, LeakRequest, leak_cases};
pub use libraries::catalogue::{
    AlgorithmEntry, CounterEntry, ProviderEntry, SuiteEntry, algorithms, counters, library_entry, provider_entries,
    suite_entries,
};
pub use libraries::linked::{LinkedLibrary, linked_libraries};
pub use libraries::{by_name, libraries_of_run, libraries_of_suites, prefer};
pub use machine::agreement::{Agreement, Between, BetweenRequest, CaseBetween, FEWEST_RUNS, Undisturbed};
pub use machine::doctor::{Machine, severity_word};
pub use machine::independence::{
    DIFFERENCES_PCT, Dependence, INDEPENDENCE_SIGNIFICANCE, Independence, IndependenceRequest, IndependenceSummary,
};
pub use machine::placement::{FactorEffect, LevelRange, PlacementFactor, PlacementReport};
pub use ntor::{RELAY_IDENTITY, RelayKeys, circuit_handshake, relay, relay_address, relay_client};
pub use output_file::{Destination, Writing};
pub use patterns::{is_pattern, matches, nearest};
pub use planning::duration::{ExpectedDuration, run_seconds};
pub use planning::names::{Named, round_three_note};
pub use planning::outline::Outline;
pub use planning::plan::{Filters, Plan};
pub use planning::suite::{ProtocolOverrides, Select, Suite, builtin_suites};
pub use planning::suites_of_tables::suites_with_table;
pub use pqlab_harness::counter::estimated_over_counted;
pub use pqlab_harness::environment::set_commit;
pub use running::laboratory::{Ended, Laboratory, Progress, RunRequest};
pub use running::program::WorkerProgram;
pub use running::sink::{CaseFailure, CaseResult, Collected, RecordSink, results};
pub use running::worker::{run_if_worker, run_if_worker_with, serve_as_worker};
pub use samples::files::{SampleFile, Samples, read_samples};
pub use samples::report::{SeriesFigures, SeriesReport};
pub use stored::names::{check_name, remove_runs};
pub use stored::selection::{Gathered, Reported, gather, gather_merged, gather_report, newest_of_each_suite};
pub use stored::timeline::{Visited, timeline};
pub use verifying::found::Found;
pub use verifying::parts::{VerifyPart, VerifyRequest};
pub use verifying::verify::{Extent, Verified};

pub use pqlab_workloads::ntor::client::{Client as RelayClient, ClientError};
pub use pqlab_workloads::ntor::relay::{Answered, FRAMES, Relay, RelayError, Served};
pub use pqlab_workloads::ntor::{Handshake, RelayDescriptor};

pub use pqlab_analysis as analysis;
pub use pqlab_foreign::process::frame;
pub use pqlab_foreign::{LibraryKind, LibrarySpec, WrongSpec};
pub use pqlab_harness::WorkerError;
pub use pqlab_harness::counter::CounterError;
pub use pqlab_harness::environment::{Advice, Severity, advise, advise_here};
pub use pqlab_primitives as primitives;
pub use pqlab_primitives::Provider;
pub use pqlab_record as record;
#[cfg(feature = "report")]
pub use pqlab_report as report;
pub use pqlab_stats as stats;
pub use pqlab_store as store;
pub use pqlab_verification as verification;
pub use pqlab_workloads::leak::{LeakCase, Role as LeakRole};
pub use pqlab_workloads::quantity;
pub use pqlab_workloads::{CaseOptions, Keys, OutOfRange, Registry, Senders, Variant, Workload};
