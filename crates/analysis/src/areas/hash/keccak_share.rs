//! Table of the time that Keccak alone would take in each operation of ML-KEM and ML-DSA.

use super::permutations::{permutations, rate, sponge};
use crate::areas::{kem, signature};
use crate::case::CaseAnalysis;
use crate::caveats::Caveats;
use crate::group::grouped;
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};
use pqlab_record::Form;

/// Minimum length in bytes of a message whose digest shows the cost of a permutation. Padding and the call itself take a
/// larger share of shorter messages.
const LEAST_LENGTH: u64 = 4096;

/// Cost of one permutation in core cycles, and the case that shows it.
struct Permutation<'r, 'a> {
    cycles: f64,
    case: &'r CaseAnalysis<'a>,
}

/// Returns the fastest permutation in the run: the core cycles of a digest divided by its number of permutations.
/// `lanes` is the number of messages that one call hashes.
fn fastest<'r, 'a>(analysis: &'r RunAnalysis<'a>, lanes: &[(&str, u64)]) -> Option<Permutation<'r, 'a>> {
    let cost = |case: &'r CaseAnalysis<'a>| {
        let (_, lanes) = lanes.iter().find(|(operation, _)| *operation == case.case().operation)?;
        let length = case.case().message_length().filter(|length| *length >= LEAST_LENGTH)?;
        let output = case.case().output_length().unwrap_or(32);
        let count = lanes * sponge(length, output, rate(&case.case().algorithm)?);
        Some(Permutation { cycles: headline(case)? / count as f64, case })
    };
    analysis.area(super::AREA).filter_map(cost).min_by(|one, other| one.cycles.total_cmp(&other.cycles))
}

fn headline(case: &CaseAnalysis<'_>) -> Option<f64> {
    Some(case.estimates.as_ref()?.cycles.as_ref()?.headline().estimate)
}

/// Builds the table: for each operation, the number of permutations that the standard requires, the fastest library,
/// and the share of its time that the permutations would take.
pub(crate) fn keccak_share(analysis: &RunAnalysis<'_>) -> Table {
    let mut table =
        Table::new("keccak-share", super::AREA, "Share of Keccak in ML-KEM and ML-DSA, by the fastest library")
            .names("algorithm", "algorithm")
            .names("operation", "operation")
            .names("key", "key")
            .names("provider", "fastest")
            .figures("permutations", "permutations", "", 0)
            .figures("cycles", "cycles", "", 0)
            .figures("share_single_pct", "one state at a time", "%", 0)
            .figures("share_lanes_pct", "several at a time", "%", 0);
    let Some(single) = fastest(analysis, &[("digest", 1)]) else { return table };
    let lanes = fastest(analysis, &[("digest-x4", 4), ("digest-x8", 8)]);
    let all = analysis.area(kem::AREA).chain(analysis.area(signature::AREA));
    let counted: Vec<&CaseAnalysis<'_>> =
        all.filter(|one| one.ranked() && permutations(one.case()).is_some() && headline(one).is_some()).collect();
    let operation = |one: &&CaseAnalysis<'_>| {
        let case = one.case();
        (case.algorithm.clone(), case.operation.clone(), case.form, case.message_length())
    };
    for ((algorithm, operation, form, _), cases) in grouped(counted.iter(), operation) {
        let by_cycles = |one: &&&&CaseAnalysis<'_>| headline(one).unwrap_or(f64::INFINITY);
        let fastest = cases.iter().min_by(|one, other| by_cycles(one).total_cmp(&by_cycles(other)));
        let Some((best, count)) = fastest.and_then(|best| Some((best, permutations(best.case())?))) else { continue };
        let cycles = by_cycles(&best);
        let share = |permutation: &Permutation<'_, '_>| Cell::percent(100.0 * count * permutation.cycles / cycles);
        let mut caveats: Vec<&Caveats> = vec![&best.caveats, &single.case.caveats];
        caveats.extend(lanes.as_ref().map(|lanes| &lanes.case.caveats));
        let key = if form == Some(Form::Encoded) { "encoded" } else { "prepared" };
        table.row(
            caveats,
            [
                Cell::text(algorithm),
                Cell::text(operation),
                Cell::text(key),
                Cell::text(best.case().provider.as_str()),
                Cell::significant(count),
                Cell::significant(cycles),
                share(&single),
                Cell::optional(lanes.as_ref(), share),
            ],
        );
    }
    let by = |permutation: &Permutation<'_, '_>| {
        let case = permutation.case.case();
        format!("{:.0} cycles ({} {} by {})", permutation.cycles, case.algorithm, case.operation, case.provider)
    };
    let several = lanes.as_ref().map_or_else(String::new, |lanes| format!("; several at a time, {}", by(lanes)));
    table
        .note(format!("fastest permutation in this run: one state at a time, {}{several}", by(&single)))
        .note("permutations: expected number by FIPS 203 and FIPS 204; a prepared key may keep its matrix and the hash of the public key, so these do not count for it")
        .note("a share above 100% shows that the library permutes several states at a time")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::table::Row;

    #[test]
    fn compares_the_time_of_the_permutations_with_the_time_of_the_operation() {
        let mut run = fixtures::references_run();
        for (provider, microseconds) in [("aws-lc", 10.0), ("openssl", 20.0)] {
            let record = fixtures::record(provider, microseconds);
            run.header.plan.push(record.case.clone());
            run.records.push(record);
        }
        let table = keccak_share(&RunAnalysis::new(&run));
        let is_encapsulation = |row: &&Row| [&row.cells[0].text, &row.cells[1].text] == ["ML-KEM-768", "encapsulate"];
        let row = table.rows.iter().find(is_encapsulation).unwrap();
        let texts = [0, 1, 2, 3, 4].map(|place| row.cells[place].text.as_str());
        assert_eq!(texts, ["ML-KEM-768", "encapsulate", "prepared", "aws-lc", "8.00"]);
        // The fastest digest of 16 KiB takes 42 µs for 121 permutations, so eight of them take 28% of 10 µs.
        let share = row.cells[6].number.as_ref().unwrap().estimate;
        assert!((share - 27.8).abs() < 1.0, "{share}");
        assert!(row.cells[7].is_empty(), "the run has no digests of several messages");
    }

    #[test]
    fn is_empty_without_long_messages() {
        assert!(keccak_share(&RunAnalysis::new(&fixtures::sound_run())).rows.is_empty());
    }
}
