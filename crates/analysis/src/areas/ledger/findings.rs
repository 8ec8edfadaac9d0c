//! Findings about transactions: use cases, and the cost per transaction in the smallest and the largest block.

use super::{AREA, rank, transactions_verified};
use crate::case::CaseAnalysis;
use crate::group::{distinct, grouped};
use crate::number::grouped as thousands;
use crate::recommendation::{Against, Smallest, UseCase};
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case, time_per_item};

/// Use cases in this area.
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

/// Comparisons with classical algorithms.
pub(crate) const AGAINST: &[Against] = &[
    ("Signing a transaction", AREA, &["sign"], "ML-DSA-65", "ECDSA-secp256k1"),
    ("Verifying a transaction", AREA, &["verify"], "ML-DSA-65", "ECDSA-secp256k1"),
    ("Verifying a transaction", AREA, &["verify"], "Falcon-padded-512", "ECDSA-secp256k1"),
];

/// Recommendation for the smallest public key and signature.
pub(crate) const SMALLEST: Smallest =
    (AREA, "verify", "Smallest transaction key and signature", "public key plus longest signature");

/// Block size for recommendations, in transactions.
const TYPICAL: u64 = 100;

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let suits = |case: &&CaseAnalysis<'_>| {
        case.case().operation == "verify-block" && rank(case.case()).is_some() && case.median().is_some()
    };
    let rows: Vec<&CaseAnalysis<'_>> = analysis.area(AREA).filter(suits).collect();
    let by_algorithm = grouped(rows.iter(), |case| case.case().algorithm.clone());
    by_algorithm.into_iter().filter_map(|(algorithm, rows)| algorithm_statement(analysis, &algorithm, &rows)).collect()
}

fn algorithm_statement(analysis: &RunAnalysis<'_>, algorithm: &str, rows: &[&&CaseAnalysis<'_>]) -> Option<Statement> {
    let size = |case: &CaseAnalysis<'_>| transactions_verified(case.case()).unwrap_or(0);
    let mut sizes = distinct(rows.iter().map(|case| size(case)));
    sizes.sort_unstable();
    if sizes == [TYPICAL] {
        return None;
    }
    // Describe the smallest and the largest block, because the cost per transaction depends on the
    // block size.
    sizes.dedup();
    let ends = distinct([sizes.last().copied()?, sizes.first().copied()?]);
    let part = |transactions: u64| {
        let of_size = rows.iter().filter(|case| size(case) == transactions);
        // Keep only blocks of the lowest rank, so that all have the same key form and regime.
        let typical = of_size.clone().filter_map(|case| rank(case.case())).min()?;
        let same = of_size.filter(|case| rank(case.case()) == Some(typical)).map(|case| &analysis.cases()[case.place]);
        let found = fastest_case(analysis, &same.collect::<Vec<_>>())?;
        let each = time_per_item(found.best[0], transactions)?;
        let extent = if transactions == 1 {
            "for a single transaction".to_owned()
        } else {
            format!("per transaction in a block of {}", thousands(transactions))
        };
        Some(format!("{} {extent} by {}", each, found.by))
    };
    let parts: Vec<String> = ends.into_iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| Statement::new(AREA, format!("Blocks of {algorithm}"), parts.join(", ")))
}
