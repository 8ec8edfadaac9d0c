//! Table of batch verification: the time per signature, and the gain over single verification.

use crate::areas::signature::AREA;
use crate::case::CaseAnalysis;
use crate::facts::shown;
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};
use pqlab_record::{Case, Form, State};
use pqlab_stats::Interval;

/// Prefix of operations that verify a batch. The batch size follows.
const OPERATION: &str = "verify-x";
/// Flag of cases that verify signatures one by one although the library supports batches.
const ONE_BY_ONE: &str = "one-by-one";
/// Batch size that the table compares with single verifications.
const LARGE: u64 = 100;

/// Builds a table with one row for each algorithm, provider and key form for which a batch was measured.
pub(crate) fn batches(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("batches", AREA, "Batch verification: time per signature")
        .names("algorithm", "algorithm")
        .names("provider", "provider")
        .names("keys", "keys")
        .figures("alone", "alone", "µs", 0)
        .figures("of_8", "batch of 8", "µs", 3)
        .figures("of_32", "batch of 32", "µs", 4)
        .figures("of_100", "batch of 100", "µs", 0)
        .figures("by_10_signers", "by 10 signers", "µs", 5)
        .figures("by_1_signer", "by 1 signer", "µs", 5)
        .figures("gain", "100 alone / batch", "", 2)
        .figures("over_library", "fastest library / this row", "", 1);
    let mut seen: Vec<Key> = Vec::new();
    for of in analysis.area(AREA).filter(|of| numbers(of.case()).is_some()) {
        let key = Key::new(of.case());
        if seen.contains(&key) {
            continue;
        }
        let single = analysis.area(AREA).find(|of| of.case().operation == "verify" && key.has(of.case()));
        let batch = |number, signers| {
            analysis.area(AREA).find(|of| numbers(of.case()) == Some((number, signers)) && Key::new(of.case()) == key)
        };
        let large = batch(LARGE, LARGE);
        let others = [batch(8, 8), batch(32, 32), large, batch(LARGE, 10), batch(LARGE, 1)];
        let gain = single.zip(large).and_then(|(single, large)| {
            // The gain is the time of `LARGE` single verifications divided by the time of one
            // batch.
            ratio(analysis, &[large], &vec![single; LARGE as usize])
        });
        let library = large.and_then(|large| fastest(analysis, &key).zip(Some(large)));
        let over = library
            .filter(|(library, large)| library.case().id() != large.case().id())
            .and_then(|(library, large)| ratio(analysis, &[large], &[library]));
        let each = |of: Option<&CaseAnalysis<'_>>| Cell::optional(of.and_then(each), |ns| Cell::time_within(&ns));
        let caveats = others.into_iter().chain([single]).flatten().map(|of| &of.caveats);
        let case = of.case();
        let apart = if case.flag(ONE_BY_ONE) { ", one by one" } else { "" };
        let provider = format!("{}{apart}", shown(&case.provider));
        let mut cells = vec![
            Cell::text(&case.algorithm),
            Cell::text(provider),
            Cell::text(if case.form == Some(Form::Encoded) { "encoded" } else { "prepared" }),
            each(single),
        ];
        cells.extend(others.map(each));
        cells.push(Cell::optional(gain, |ratio| Cell::factor_within(&ratio)));
        cells.push(Cell::optional(over, |ratio| Cell::factor_within(&ratio)));
        table.row(caveats, cells);
        seen.push(key);
    }
    table
        .note("times: the operation's time divided by the number of signatures; each signature has its own signer unless stated")
        .note("libraries without batch verification verify one by one, so only their memory use differs from single verification")
        .note("fastest library: for 100 signatures by 100 signers, excluding pqlab's code; above 1: this row is faster")
        .note("(own): this project's own code, which is neither ranked nor recommended")
        .stacked(2)
}

/// Properties that the cases of a row share.
#[derive(PartialEq)]
struct Key {
    algorithm: String,
    provider: String,
    form: Option<Form>,
    length: Option<u64>,
    one_by_one: bool,
}

impl Key {
    fn new(case: &Case) -> Key {
        Key {
            algorithm: case.algorithm.clone(),
            provider: case.provider.clone(),
            form: case.form,
            length: case.message_length(),
            one_by_one: case.flag(ONE_BY_ONE),
        }
    }

    /// Returns whether a case is the single verification of this row.
    fn has(&self, case: &Case) -> bool {
        let parameters = usize::from(self.length.is_some());
        let same = Key { one_by_one: self.one_by_one, ..Key::new(case) } == *self;
        same && case.state() == State::Warm && case.parameters.len() == parameters
    }
}

/// Returns the number of signatures that an operation verifies together, and the number of signers.
fn numbers(case: &Case) -> Option<(u64, u64)> {
    let number = case.operation.strip_prefix(OPERATION)?.parse().ok()?;
    Some((number, case.signers()?)).filter(|_| case.state() == State::Warm)
}

/// Returns the time per signature in ns.
fn each(of: &CaseAnalysis<'_>) -> Option<Interval> {
    let of_all = of.median()?;
    let number = numbers(of.case()).map_or(1.0, |(number, _)| number as f64);
    let (estimate, low, high) = (of_all.estimate / number, of_all.low / number, of_all.high / number);
    Some(Interval { estimate, low, high, ..of_all })
}

/// Returns the ranked library with the lowest time for a hundred signatures by a hundred signers.
fn fastest<'r, 'a>(analysis: &'r RunAnalysis<'a>, key: &Key) -> Option<&'r CaseAnalysis<'a>> {
    let rival = |of: &&CaseAnalysis<'_>| {
        let other = Key::new(of.case());
        let same = other.algorithm == key.algorithm && other.form == key.form && other.length == key.length;
        numbers(of.case()) == Some((LARGE, LARGE)) && same && of.ranked()
    };
    let figure = |of: &CaseAnalysis<'_>| of.median().map_or(f64::INFINITY, |median| median.estimate);
    analysis.area(AREA).filter(rival).min_by(|one, other| figure(one).total_cmp(&figure(other)))
}

/// Returns the ratio of the time of `second` to the time of `first`.
fn ratio<'a>(
    analysis: &RunAnalysis<'a>,
    first: &[&CaseAnalysis<'a>],
    second: &[&CaseAnalysis<'a>],
) -> Option<Interval> {
    Some(analysis.ratio(first, second)?.ratio?.ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn a_row_compares_a_batch_with_single_verification_and_with_libraries() {
        let run = fixtures::batches_run();
        let table = batches(&RunAnalysis::new(&run));
        let row = |place: usize| {
            let cells = &table.rows[place].cells;
            let numbers: Vec<Option<f64>> =
                cells[3..].iter().map(|cell| cell.number.map(|number| number.estimate)).collect();
            let times: Vec<Option<f64>> = numbers[..6].iter().map(|time| time.map(f64::round)).collect();
            (cells[1].text.as_str(), cells[2].text.as_str(), times, (numbers[6], numbers[7]))
        };
        let near = |value: Option<f64>, wanted: f64| assert!((value.unwrap() - wanted).abs() < 0.02, "{value:?}");
        assert_eq!(table.rows.len(), 4);
        let (provider, keys, times, (gain, over)) = row(0);
        assert_eq!((provider, keys), ("aws-lc", "encoded"));
        assert_eq!(times, [Some(40.0), None, None, Some(42.0), None, None]);
        near(gain, 40.0 / 42.0);
        assert_eq!(over, None, "the fastest library must not be compared with itself");
        let (provider, _, times, (gain, over)) = row(1);
        assert_eq!(provider, "mldsa-batch:avx512 (own)");
        assert_eq!(times, [Some(25.0), Some(20.0), None, Some(14.0), Some(10.0), Some(8.0)]);
        near(gain, 25.0 / 14.0);
        near(over, 42.0 / 14.0);
        assert_eq!((row(2).0, row(3).0), ("rustcrypto", "rustcrypto, one by one"));
        near(row(3).3.1, 0.5);
    }
}
