//! The facade: suite -> plan -> run -> store -> report. What the command line does, a program can do through here.

mod between;
mod blocks;
mod catalogue;
mod compare;
mod defects;
mod destination;
mod error;
mod fastest;
mod gather;
mod independence;
mod inspect;
mod keys;
mod leak;
pub mod ledger;
mod place;
mod plan;
mod relay;
mod session;
#[cfg(test)]
mod simulated;
mod spread;
mod suite;
mod taint;
mod worker;

pub use between::{Agreement, Between, BetweenRequest, CaseBetween, FEWEST_RUNS};
pub use blocks::senders;
pub use catalogue::{AlgorithmEntry, CounterEntry, ProviderEntry, algorithms, counters, provider_entries};
pub use compare::{check_percentage, compare_stored, yardstick};
pub use destination::{Destination, Writing};
pub use error::LabError;
pub use gather::{Gathered, gather};
pub use independence::{DIFFERENCES_PCT, Dependence, INDEPENDENCE_SIGNIFICANCE, Independence, IndependenceRequest};
pub use inspect::{Check, InspectRequest, Inspection, Item, inspect};
pub use keys::keys;
pub use leak::{
    LeakConclusion, LeakEffect, LeakFigures, LeakOutcome, LeakRequest, leak_cases, leak_without_figures, measure_leak,
};
pub use plan::{Filters, Plan, matches};
pub use pqlab_harness::counter::estimated_over_counted;
pub use relay::relay;
pub use session::{Ended, Laboratory, Progress, RunRequest};
pub use suite::{ProtocolOverrides, Select, Suite, builtin_suites};
pub use taint::{TaintEnd, TaintFinding, run_tainted, taint_findings};
pub use worker::serve_as_worker;

pub use pqlab_workloads::ntor::relay::Relay;

pub use pqlab_harness::environment::{Advice, Severity, advise, advise_here};
pub use pqlab_primitives::Provider;
pub use pqlab_record as record;
pub use pqlab_report as report;
pub use pqlab_store as store;
pub use pqlab_verification as verification;
pub use pqlab_workloads::leak::{LeakCase, Role as LeakRole};
pub use pqlab_workloads::{Keys, Senders};
