//! The facade: suite -> plan -> run -> store -> analysis -> report. What the command line does, a program can do through here.
//!
//! A [`Laboratory`] measures a [`Plan`] in worker processes. It is told which program they run: this one once more, whose `main`
//! begins with [`run_if_worker`], or the program `pqlab` of the same build ([`WorkerProgram`]). [`Laboratory::measure`] returns
//! the run, and [`results`] its figures; [`Laboratory::run`] hands each record to a [`RecordSink`] as its case is finished, of
//! which a [`store::Store`] is one, in a file or [in memory](store::Store::in_memory). Whoever watches is a [`Progress`] (`()` for
//! nobody), and an `AtomicBool` stops what goes on. `examples/embed.rs` is a whole program.
//!
//! What a run says beyond the figures of each case is made of an [`analysis::RunAnalysis`]; with the feature `report`, `report`
//! shows it as files, tables, pictures and pages.
//!
//! Calls return when the work is done, and leave the calling thread on the processors on which it was. Times are in ns, lengths
//! in bytes, shares in percent, points in time RFC 3339 and UTC, unless a name says otherwise.

#![warn(clippy::missing_errors_doc)]

mod between;
mod catalogue;
mod claim;
mod compare;
mod defects;
mod destination;
mod duration;
mod errand;
mod error;
mod fastest;
mod gate;
mod gather;
mod independence;
mod inspect;
mod leak;
mod leaks;
pub mod ledger;
mod libraries;
mod machine;
mod names;
mod near;
pub mod offered;
mod outline;
mod paired;
mod place;
mod plan;
mod relay;
mod runs;
mod series;
mod series_report;
mod session;
#[cfg(test)]
mod simulated;
mod sink;
mod spread;
mod suite;
mod table_suites;
mod taint;
mod timeline;
mod variables;
mod verify;
mod worker;

pub use between::{Agreement, Between, BetweenRequest, CaseBetween, FEWEST_RUNS};
pub use catalogue::{
    AlgorithmEntry, CounterEntry, ProviderEntry, SuiteEntry, algorithms, counters, library_entry, provider_entries,
    suite_entries,
};
pub use compare::{
    Compared, Margin, check_percentage, compare_analyses, compare_cases, compare_named, compare_stored,
    comparison_criteria, newest_before,
};
pub use destination::{Destination, Writing};
pub use duration::{ExpectedDuration, run_seconds};
pub use error::{LabError, SinkError, Thing};
pub use gate::{Gate, GateRequest, GateStep, GatedCase};
pub use gather::{Gathered, Reported, gather, gather_merged, gather_report, newest_of_each_suite};
pub use independence::{
    DIFFERENCES_PCT, Dependence, INDEPENDENCE_SIGNIFICANCE, Independence, IndependenceRequest, IndependenceSummary,
};
pub use inspect::{Check, InspectRequest, Inspection, Item, ItemPart};

pub use leak::{LeakConclusion, LeakEffect, LeakFigures, LeakOutcome, LeakRequest, leak_cases};
pub use leaks::{FEWEST_LEAK_SAMPLES, LeakStep, leak_document, leak_listing, taint_document};
pub use libraries::{instead, libraries_of_run, libraries_of_suites};
pub use machine::{Machine, severity_word};
pub use names::Named;
pub use near::nearest;
pub use outline::Outline;
pub use paired::{ComparedLibrary, Side, compare_sides, shared_operations};
pub use plan::{Filters, Plan, matches};
pub use pqlab_harness::counter::estimated_over_counted;
pub use relay::{RELAY_IDENTITY, RelayKeys, circuit_handshake, relay, relay_address, relay_client};
pub use runs::{check_name, remove_runs};
pub use series::{Samples, read_samples};
pub use series_report::SeriesReport;
pub use session::{Ended, Laboratory, Progress, RunRequest};
pub use sink::{CaseFailure, CaseResult, Collected, RecordSink, results};
pub use suite::{ProtocolOverrides, Select, Suite, builtin_suites};
pub use table_suites::suites_with_table;
pub use taint::{TaintEnd, TaintFinding, Tainted};
pub use timeline::{Visited, timeline};
pub use variables::check_environment;
pub use verify::{Extent, Found, Verified, VerifyPart, VerifyRequest};
pub use worker::{WorkerProgram, run_if_worker, run_if_worker_with, serve_as_worker};

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
pub use pqlab_workloads::{CaseOptions, Keys, OutOfRange, Registry, Senders, Variant, Workload};
