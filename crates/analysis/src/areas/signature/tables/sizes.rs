//! Table of the lengths of keys, ciphertexts and signatures: the maximum that the encoding allows, and the observed
//! lengths if they vary.

use super::length;
use crate::areas::kem;
use crate::areas::signature::{AREA, most_lengths};
use crate::case::{CaseAnalysis, wire_bytes};
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};
use pqlab_stats::Description;

const AREAS: [&str; 2] = [AREA, kem::AREA];

pub(crate) fn sizes(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("sizes", AREAS[0], "Lengths in bytes")
        .names("algorithm", "algorithm")
        .figures("public_key", "public key", "B", 1)
        .figures("secret_key", "secret key", "B", 3)
        .figures("sent", "sent, max", "B", 0)
        .figures("seen_min", "shortest seen", "B", 4)
        .figures("seen_max", "longest seen", "B", 2)
        .figures("mean", "mean", "B", 0)
        .figures("stdev", "stdev", "B", 5)
        .figures("cov", "CoV", "%", 0)
        .figures("p99", "p99", "B", 6)
        .figures("wire", "with key, max", "B", 0)
        .figures("wire_mean", "with key, mean", "B", 0)
        .prose("lengths_of", "measured on", 7);
    let mut seen: Vec<&str> = Vec::new();
    let mut varying = false;
    for area in AREAS {
        for of in analysis.area(area).filter(|of| !of.case().is_null()) {
            let case = of.case();
            let sizes = &case.facts.sizes;
            let Some(sent) = sizes.signature.or(sizes.ciphertext) else { continue };
            if seen.contains(&case.algorithm.as_str()) {
                continue;
            }
            if seen.is_empty() {
                table.area = area.to_owned();
            }
            seen.push(&case.algorithm);
            let measured = most_lengths(analysis, &case.algorithm);
            let lengths = measured.map(|(_, lengths)| lengths);
            // A length that never varies has no spread.
            let lengths = lengths.filter(|lengths| lengths.n > 1 && lengths.min < lengths.max);
            varying |= lengths.is_some();
            let whole = |value: f64| Cell::number(crate::number::grouped(value as u64), value);
            let cells = [
                Cell::text(&case.algorithm),
                Cell::optional(sizes.public_key, Cell::whole),
                Cell::optional(sizes.secret_key, Cell::whole),
                Cell::whole(sent),
                Cell::optional(lengths.map(|lengths| lengths.min), whole),
                Cell::optional(lengths.map(|lengths| lengths.max), whole),
                Cell::optional(lengths.map(|lengths| lengths.mean), length),
                Cell::optional(lengths.and_then(|lengths| lengths.stdev), Cell::significant),
                Cell::optional(lengths.and_then(|lengths| lengths.cov_pct), |cov| {
                    Cell::number(format!("{}%", crate::number::significant(cov)), cov)
                }),
                Cell::optional(lengths.map(|lengths| lengths.p99), whole),
                Cell::optional(wire_bytes(sizes), Cell::whole),
                Cell::optional(lengths.zip(sizes.public_key), |(of, key)| length(of.mean + key as f64)),
                Cell::text(
                    measured
                        .filter(|_| lengths.is_some())
                        .map(|(of, lengths)| seen_of(of, lengths))
                        .unwrap_or_default(),
                ),
            ];
            table.row([], cells);
        }
    }
    if seen.len() < 2 && !varying {
        table.rows.clear();
    }
    table
        .note("sent: signature or ciphertext; with key: plus the public key; max: the longest that the encoding allows")
        .note("shortest, longest, mean, stdev, CoV and p99: over all recorded signatures, if their lengths vary")
}

/// Formats the number of signatures and their provider: `10,000 signatures by liboqs`.
fn seen_of(case: &CaseAnalysis<'_>, lengths: &Description) -> String {
    format!("{} signatures by {}", crate::number::grouped(lengths.n as u64), case.case().provider)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn varying_lengths_show_the_shortest_and_the_longest() {
        let run = fixtures::references_run();
        let table = sizes(&RunAnalysis::new(&run));
        let cell = |algorithm: &str, name: &str| {
            let column = table.columns.iter().position(|column| column.name == name).unwrap();
            let row = table.rows.iter().find(|row| row.cells[0].text == algorithm).unwrap();
            row.cells[column].number.map(|number| number.estimate)
        };
        let of = |algorithm| ["sent", "seen_min", "seen_max"].map(|name| cell(algorithm, name));
        assert_eq!(of("Falcon-512"), [Some(752.0), Some(650.0), Some(660.0)]);
        assert_eq!(of("ML-DSA-44"), [Some(2420.0), None, None]);
    }
}
