//! What is found of transactions: the use cases, and the cost of a transaction in blocks of other sizes than the one that libraries are
//! chosen by.

use super::{AREA, rank, transactions_verified};
use crate::case::CaseAnalysis;
use crate::group::{distinct, grouped};
use crate::number::grouped as thousands;
use crate::recommendation::{Against, Smallest, UseCase};
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case, time_per_item};

/// The use cases of the area.
pub(crate) const USE_CASES: &[UseCase] = &[
    UseCase {
        name: "Signing transactions",
        area: AREA,
        operations: &["sign"],
        what: "one transaction, with a prepared key",
        ..UseCase::USUAL
    },
    UseCase {
        name: "Verifying transactions",
        area: AREA,
        operations: &["verify"],
        what: "one transaction, with a prepared key",
        ..UseCase::USUAL
    },
    UseCase {
        name: "Verifying blocks",
        area: AREA,
        operations: &["verify-block"],
        what: "verifying a block of 100 transactions",
        transactions: Some(TYPICAL),
        ..UseCase::USUAL
    },
];

/// What is set against what is in use today.
pub(crate) const AGAINST: &[Against] = &[
    ("Signing a transaction", AREA, &["sign"], "ML-DSA-65", "ECDSA-secp256k1"),
    ("Verifying a transaction", AREA, &["verify"], "ML-DSA-65", "ECDSA-secp256k1"),
    ("Verifying a transaction", AREA, &["verify"], "Falcon-padded-512", "ECDSA-secp256k1"),
];

/// What is sent the fewest bytes of.
pub(crate) const SMALLEST: Smallest =
    (AREA, "verify", "Smallest transaction key and signature", "public key and signature together, at most");

/// The block that libraries are chosen by.
const TYPICAL: u64 = 100;

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let suits = |of: &&CaseAnalysis<'_>| {
        of.case().operation == "verify-block" && rank(of.case()).is_some() && of.median().is_some()
    };
    let rows: Vec<&CaseAnalysis<'_>> = analysis.area(AREA).filter(suits).collect();
    let by_algorithm = grouped(rows.iter(), |of| of.case().algorithm.clone());
    by_algorithm.into_iter().filter_map(|(algorithm, rows)| algorithm_statement(analysis, &algorithm, &rows)).collect()
}

fn algorithm_statement(analysis: &RunAnalysis<'_>, algorithm: &str, rows: &[&&CaseAnalysis<'_>]) -> Option<Statement> {
    let size = |of: &CaseAnalysis<'_>| transactions_verified(of.case()).unwrap_or(0);
    let mut sizes = distinct(rows.iter().map(|of| size(of)));
    sizes.sort_unstable();
    if sizes == [TYPICAL] {
        return None;
    }
    // The smallest block and the largest, of which one says what the other costs more or less.
    sizes.dedup();
    let ends = distinct([sizes.last().copied()?, sizes.first().copied()?]);
    let part = |transactions: u64| {
        let of_size = rows.iter().filter(|of| size(of) == transactions);
        // In one form and regime: the ranks of blocks of one size differ in nothing else.
        let typical = of_size.clone().filter_map(|of| rank(of.case())).min()?;
        let same = of_size.filter(|of| rank(of.case()) == Some(typical)).map(|of| &analysis.cases()[of.place]);
        let found = fastest_case(analysis, &same.collect::<Vec<_>>())?;
        let each = time_per_item(found.best[0], transactions)?;
        let many =
            if transactions == 1 { "alone".to_owned() } else { format!("in a block of {}", thousands(transactions)) };
        Some(format!("{} a transaction {many} by {}", each, found.by))
    };
    let parts: Vec<String> = ends.into_iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| Statement::new(AREA, format!("Blocks of {algorithm}"), parts.join(", ")))
}
