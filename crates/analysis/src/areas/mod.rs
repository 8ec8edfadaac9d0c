//! Figures, tables and findings, with one folder per area of work.
//!
//! A folder contains figures that combine several cases, tables (`tables`) and findings (`findings`). Some folders
//! cover several areas, such as the choice of a single library. The rest of the crate uses only the lists below. Add
//! each new folder to these lists. Reports show tables and sentences in the order of the lists.

mod certificate;
mod claims;
mod cms;
mod cold;
mod hash;
mod hpke;
pub mod hybrid;
mod kem;
pub mod ledger;
pub mod libraries;
mod memory;
mod mtc;
pub mod ntor;
pub mod protocols;
pub mod quic;
mod residue;
pub mod scaling;
mod signature;
mod ssh;
pub mod tls;
mod token;

pub(crate) use signature::most_lengths;

use crate::languages::languages;
use crate::recommendation::{Against, Smallest, UseCase};
use crate::run::RunAnalysis;
use crate::statement::Statement;
use crate::table::Table;
use ntor::RelayScenario;

/// Function that builds tables from a run. The caller removes tables without rows.
type MakeTables = fn(&RunAnalysis<'_>, &RelayScenario) -> Vec<Table>;

/// All tables, in the order in which they are shown.
pub(crate) const TABLES: [MakeTables; 16] = [
    |run, _| vec![hybrid::tables::headlines(run), languages(run)],
    |run, _| vec![libraries::tables::libraries_table(run, &run.job), libraries::tables::facts(run)],
    |run, _| vec![hybrid::tables::decomposition(run), hybrid::tables::spread(run)],
    |run, _| vec![scaling::tables::threads(run), scaling::tables::load(run)],
    |run, _| vec![hash::tables::per_byte(run), hash::keccak_share::keccak_share(run)],
    |run, _| vec![signature::tables::signatures(run), kem::tables::kems(run)],
    |run, _| vec![signature::tables::sizes(run), signature::tables::batches(run), token::tables::tokens(run)],
    |run, _| vec![cms::tables::signed_images(run)],
    |run, _| tls::tables::tables(run),
    |run, _| ssh::tables::tables(run),
    |run, _| vec![quic::tables::handshakes(run), quic::tables::connections(run)],
    |run, _| vec![protocols::table(run)],
    |run, _| vec![mtc::tables::verifying(run), mtc::tables::issuing(run)],
    |run, _| vec![ledger::tables::schemes(run), ledger::tables::blocks(run), ledger::tables::codec(run)],
    ntor::tables::tables,
    |run, _| vec![claims::claims(run)],
];

/// Function that builds statements about one area of a run.
type MakeStatements = fn(&RunAnalysis<'_>) -> Vec<Statement>;

/// All statements, in order.
pub(crate) const STATEMENTS: [MakeStatements; 17] = [
    protocols::statements,
    tls::findings::statements,
    ssh::findings::statements,
    quic::findings::statements,
    mtc::findings::statements,
    hpke::findings::statements,
    token::findings::statements,
    cms::findings::statements,
    memory::findings::statements,
    residue::findings::statements,
    cold::findings::statements,
    signature::findings::batches::statements,
    signature::findings::luck::statements,
    signature::findings::lengths::statements,
    signature::findings::sizes::statements,
    scaling::findings::load::statements,
    ledger::findings::statements,
];

/// All use cases, in the order of recommendations.
pub(crate) const USE_CASES: [&[UseCase]; 7] = [
    kem::findings::USE_CASES,
    signature::findings::USE_CASES,
    hybrid::findings::USE_CASES,
    certificate::findings::USE_CASES,
    ntor::findings::USE_CASES,
    ledger::findings::USE_CASES,
    hash::findings::USE_CASES,
];

/// All comparisons with classical algorithms, in the order in which they are shown.
pub(crate) const AGAINST: [&[Against]; 5] = [
    kem::findings::AGAINST,
    signature::findings::AGAINST,
    hybrid::findings::AGAINST,
    ledger::findings::AGAINST,
    ntor::findings::AGAINST,
];

/// All recommendations by size in bytes, in the order in which they are shown.
pub(crate) const SMALLEST: [Smallest; 3] =
    [signature::findings::SMALLEST, kem::findings::SMALLEST, ledger::findings::SMALLEST];

/// Returns whether an algorithm is a construction that only the reference systems use.
pub(crate) fn is_of_reference(algorithm: &str) -> bool {
    algorithm.starts_with(ledger::REFERENCE_FORM) || hybrid::OF_REFERENCE.contains(&algorithm)
}
