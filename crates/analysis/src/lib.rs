//! Computes results from the samples of a run, as values and text that other crates show.
//!
//! [`RunAnalysis`] contains a run and the figures of its cases, each computed once. [`estimates`] defines how figures
//! are computed from samples. [`caveats`] lists what a reader must know about the figures. Everything else builds on
//! these modules:
//!
//! - [`comparison`]: which library is faster
//! - [`findings`]: recommendations, costs and caveats of a run
//! - [`languages`]: the languages of the libraries
//! - [`published`]: figures that others published
//! - [`libraries`]: the best single library for a job
//! - [`hybrid`]: the cost of a hybrid in addition to its halves
//! - [`scaling`]: the gain from more threads
//! - [`ntor`], [`tls`], [`quic`] and [`ledger`]: circuit handshakes, TLS and QUIC handshakes, blocks of transactions
//!
//! All results are pure functions of stored runs. This crate uses no harness and no cryptographic library, and reads no
//! clock.
//!
//! Modules depend on each other in one direction only: text and estimates come first, then cases, comparisons, runs and
//! areas, and finally findings, tables and answers. The last group uses areas only through the lists in `areas`. A test
//! checks these dependencies.

pub mod answer;
mod areas;
mod case;
pub mod caveats;
pub mod comparison;
mod disturbances;
pub mod environment;
pub mod estimates;
pub mod facts;
pub mod fastest;
pub mod findings;
mod group;
pub mod histogram;
pub mod history;
mod interruptions;
mod job;
mod kinds;
pub mod languages;
mod measured;
mod merged;
pub mod number;
pub mod published;
mod rate;
mod recommendation;
mod run;
pub mod series;
pub mod standardization;
mod statement;
mod table;
pub mod tables;
pub mod text;
pub mod timeline;
pub mod trust;
pub mod words;

pub use areas::{hybrid, ledger, libraries, ntor, protocols, quic, scaling, tls};
pub use case::{CaseAnalysis, wire_bytes};
pub use caveats::{Caveat, Caveats};
pub use disturbances::Disturbances;
pub use estimates::{Estimates, crossed_of, run_spread};
pub use group::{distinct, gathered, grouped};
pub use merged::{Merged, NotOneRun};
pub use rate::rate;
pub use run::{Group, RunAnalysis, compare, compare_runs};

#[cfg(test)]
use pqlab_fixtures as fixtures;
