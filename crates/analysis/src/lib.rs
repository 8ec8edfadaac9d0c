//! Computes results from the samples of a run, as values and text that other crates show.
//!
//! [`RunAnalysis`] holds a run and the figures of its cases, each computed once. Everything else builds on it: which
//! library is faster ([`comparison`]), the languages of the libraries ([`languages`]), findings ([`findings`]), and
//! results for each area: the extra cost of a hybrid ([`hybrid`]), the gain from more threads ([`scaling`]), circuit
//! handshakes, TLS handshakes and blocks of transactions ([`ntor`], [`tls`], [`ledger`]), and the best single library
//! for a job ([`libraries`]). [`estimates`] defines how figures are computed from samples, and [`caveats`] what a
//! reader must know about them.
//!
//! All results are pure functions of stored runs. This crate uses no harness and no cryptographic library, and reads no
//! clock.
//!
//! Modules depend on each other in one direction only, which a test checks: text and estimates come first, then cases,
//! comparisons, runs and areas, and finally findings, tables and answers. The last group knows areas only through the
//! lists in `areas`.

pub mod answer;
mod areas;
mod case;
pub mod caveats;
pub mod comparison;
mod disturbances;
pub mod environment;
pub mod estimates;
mod facts;
pub mod fastest;
pub mod findings;
mod group;
pub mod histogram;
pub mod history;
mod job;
mod kinds;
pub mod languages;
mod measured;
mod merged;
pub mod number;
mod rate;
mod recommendation;
mod run;
pub mod series;
mod statement;
mod table;
pub mod tables;
pub mod text;
pub mod timeline;
pub mod trust;
pub mod words;

pub use areas::{hybrid, ledger, libraries, ntor, scaling, tls};
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
