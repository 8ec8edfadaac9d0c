//! From samples to statements: what a run says, as values and words that are shown elsewhere.
//!
//! [`RunAnalysis`] is a run with the figures of its cases, each computed once. All else is made of it: who is faster than whom
//! ([`comparison`]), in which languages the libraries are written ([`languages`]), what was found in all ([`findings`]), and what is
//! known of each area of work: what a hybrid costs beyond its halves ([`hybrid`]), what more threads are worth ([`scaling`]), what
//! circuit handshakes, those of TLS and blocks of transactions take ([`ntor`], [`tls`], [`ledger`]), which one library is the best
//! for a job ([`libraries`]).
//! [`estimates`] says how figures come from samples, [`caveats`] what must be known when they are read.
//!
//! Everything here is a pure function of stored runs. It knows no harness and no cryptographic library and reads no clock.
//!
//! Modules use each other in one direction, which a test of the program checks: text and estimates, cases, comparisons, runs, areas,
//! and above them findings, tables and answers, which know areas by the lists in `areas`.

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
