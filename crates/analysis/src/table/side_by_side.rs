//! Table that compares algorithms side by side. Each row shows the rates, the NIST category and the lengths for one
//! algorithm and provider.

use super::{Cell, Holds, Table};
use crate::case::CaseAnalysis;
use crate::caveats::Caveats;
use crate::estimates::Estimates;
use crate::run::RunAnalysis;
use indexmap::{IndexMap, IndexSet};
use pqlab_record::{Case, Form};
use pqlab_stats::Interval;

/// Order of the algorithms, as in the table of the reference system. Other algorithms come last.
const ORDER: [&str; 11] = [
    "Falcon-512",
    "Falcon-1024",
    "ML-DSA-44",
    "ML-DSA-65",
    "SLH-DSA-SHA2-128f",
    "ECDSA-secp256k1",
    "Ed25519",
    "ML-KEM-512",
    "ML-KEM-768",
    "ML-KEM-1024",
    "X25519",
];
/// Minimum number of algorithms for the table to be shown.
const LEAST: usize = 2;

/// A row of the table: an algorithm as implemented by one provider.
pub(crate) struct Side<'r, 'a> {
    /// First of the row's cases, from which the facts about the algorithm are taken.
    pub(crate) case: &'a Case,
    pub(crate) cases: Vec<&'r CaseAnalysis<'a>>,
    /// Operations per second for each of the three operations.
    rates: [Option<Interval>; 3],
}

/// Creates a table for three operations, without rows. Each operation is given as its name in case ids and the heading
/// of its column. Areas append their own columns.
pub(crate) fn side_by_side(name: &'static str, area: &str, title: &str, operations: [(&str, &str); 3]) -> Table {
    let table = Table::new(name, area, title).names("algorithm", "algorithm").names("provider", "provider").figures(
        "nist_category",
        "NIST category",
        "",
        1,
    );
    let table = operations.into_iter().fold(table, |table, (name, heading)| table.figures(name, heading, "1/s", 0));
    table.figures("public_key", "public key", "B", 2).figures("secret_key", "secret key", "B", 3).column(
        "secret_key_form",
        "key encoding",
        "",
        Holds::Text,
        3,
    )
}

/// Adds a row for each algorithm and provider in the table's area. `more` creates the cells of the area's own columns.
pub(crate) fn filled(
    analysis: &RunAnalysis<'_>,
    mut table: Table,
    operations: [(&str, &str); 3],
    more: impl Fn(&Side<'_, '_>) -> Vec<Cell>,
) -> Table {
    let mut by_name: IndexMap<(&str, &str), Side<'_, '_>> = IndexMap::new();
    let area = table.area.clone();
    for one in analysis.area(&area).filter(|one| one.case().form == Some(Form::Prepared) && one.usual()) {
        let (case, estimates) = (one.case(), one.estimates.as_ref());
        let new = || Side { case, cases: Vec::new(), rates: [None; 3] };
        let row = by_name.entry((&case.algorithm, &case.provider)).or_insert_with(new);
        row.cases.push(one);
        if let Some(operation) = operations.iter().position(|(name, _)| *name == case.operation) {
            row.rates[operation] = estimates.and_then(Estimates::operations_per_second);
        }
    }
    let mut rows: Vec<Side<'_, '_>> = by_name.into_values().collect();
    rows.retain(|row| row.rates.iter().any(Option::is_some));
    let whole = rows.iter().filter(|row| row.rates.iter().all(Option::is_some));
    let mut algorithms: Vec<&str> = whole.map(|row| row.case.algorithm.as_str()).collect();
    algorithms.sort_unstable();
    algorithms.dedup();
    if algorithms.len() < LEAST {
        return table;
    }
    let names: IndexSet<&str> = ORDER.into_iter().chain(rows.iter().map(|row| row.case.algorithm.as_str())).collect();
    rows.sort_by_key(|row| names.get_index_of(row.case.algorithm.as_str()));
    for row in &rows {
        let facts = &row.case.facts;
        let mut cells = vec![
            Cell::text(&row.case.algorithm),
            Cell::text(&row.case.provider),
            Cell::optional(facts.category, |category| Cell::number(format!("L{category}"), f64::from(category))),
        ];
        cells.extend(row.rates.iter().map(|rate| Cell::optional(rate.as_ref(), Cell::rate_within)));
        cells
            .extend([facts.sizes.public_key, facts.sizes.secret_key].map(|length| Cell::optional(length, Cell::whole)));
        let form = facts.sizes.secret_key.and_then(|length| secret_key_form(&row.case.algorithm, length));
        cells.push(Cell::text(form.unwrap_or_default()));
        cells.extend(more(row));
        let caveats: Vec<&Caveats> = row.cases.iter().map(|case| &case.caveats).collect();
        table.row(caveats, cells);
    }
    table
        .note("rates: operations per second in a loop (1 / mean time); lengths in bytes")
        .note("key encoding: how the library writes the secret key, as seed or expanded, if the scheme has both")
}

/// Name prefixes of the schemes with two encodings of the secret key, and the length of the seed in bytes (FIPS 203,
/// algorithm 16; FIPS 204, algorithm 1).
const SEEDS: [(&str, u64); 2] = [("ML-DSA-", 32), ("ML-KEM-", 64)];

/// Returns the encoding of a secret key whose length is `length` bytes, or `None` for a scheme with only one encoding.
fn secret_key_form(algorithm: &str, length: u64) -> Option<&'static str> {
    let (_, seed) = SEEDS.into_iter().find(|(name, _)| algorithm.starts_with(name))?;
    Some(if length == seed { "seed" } else { "expanded" })
}
