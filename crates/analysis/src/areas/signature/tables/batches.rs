//! Signatures verified many at once: what one of them takes, and what that is worth.

use crate::areas::signature::AREA;
use crate::case::CaseAnalysis;
use crate::facts::shown;
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};
use pqlab_record::{Case, Form, State};
use pqlab_stats::Interval;

/// What an operation's name begins with that verifies many; the number follows.
const OPERATION: &str = "verify-x";
/// The flag of a library that has batches and does without.
const ONE_BY_ONE: &str = "one-by-one";
/// The batch that is set against single verifications.
const LARGE: u64 = 100;

/// Rows are a provider's verification of one algorithm with keys of one form, of which a batch was measured.
pub(crate) fn batches(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("batches", AREA, "Signatures verified at once: what one of them takes")
        .names("algorithm", "algorithm")
        .names("provider", "provider")
        .names("keys", "keys")
        .figures("alone", "alone", "µs", 0)
        .figures("of_8", "of 8", "µs", 3)
        .figures("of_32", "of 32", "µs", 4)
        .figures("of_100", "of 100", "µs", 0)
        .figures("by_10_signers", "by 10 signers", "µs", 5)
        .figures("by_1_signer", "by one", "µs", 5)
        .figures("gain", "100 alone / at once", "", 2)
        .figures("over_library", "fastest library / this", "", 1);
    let mut seen: Vec<Key> = Vec::new();
    for of in analysis.area(AREA).filter(|of| numbers(of.case()).is_some()) {
        let key = Key::of(of.case());
        if seen.contains(&key) {
            continue;
        }
        let single = analysis.area(AREA).find(|of| of.case().operation == "verify" && key.has(of.case()));
        let batch = |number, signers| {
            analysis.area(AREA).find(|of| numbers(of.case()) == Some((number, signers)) && Key::of(of.case()) == key)
        };
        let large = batch(LARGE, LARGE);
        let others = [batch(8, 8), batch(32, 32), large, batch(LARGE, 10), batch(LARGE, 1)];
        let gain = single.zip(large).and_then(|(single, large)| {
            // So many single ones over all of them at once.
            ratio(analysis, &[large], &vec![single; LARGE as usize])
        });
        let library = large.and_then(|large| fastest(analysis, &key).zip(Some(large)));
        let over = library
            .filter(|(library, large)| library.case().id() != large.case().id())
            .and_then(|(library, large)| ratio(analysis, &[large], &[library]));
        let each = |of: Option<&CaseAnalysis<'_>>| Cell::of(of.and_then(each), |ns| Cell::time_within(&ns));
        let caveats = others.into_iter().chain([single]).flatten().map(|of| &of.caveats);
        let case = of.case();
        let apart = if case.flag(ONE_BY_ONE) { ", one by one" } else { "" };
        let provider = format!("{}{apart}", shown(&case.provider));
        let mut cells = vec![
            Cell::text(&case.algorithm),
            Cell::text(provider),
            Cell::text(if case.form == Some(Form::Encoded) { "from bytes" } else { "prepared" }),
            each(single),
        ];
        cells.extend(others.map(each));
        cells.push(Cell::of(gain, |ratio| Cell::factor_within(&ratio)));
        cells.push(Cell::of(over, |ratio| Cell::factor_within(&ratio)));
        table.row(caveats, cells);
        seen.push(key);
    }
    table
        .note("times are of one signature: an operation's over their number; by as many signers as signatures where nothing else is said")
        .note("libraries without batches verify one after the other: what differs from alone is the memory of more keys and signatures")
        .note("fastest library: of those that are no code of this project, by its figure of 100 by 100 signers; above 1 this one takes less")
        .note("(own): this project's own code, which is not recommended as a library and takes part in no ranking")
        .stacked(2)
}

/// What the cases of a row have in common.
#[derive(PartialEq)]
struct Key {
    algorithm: String,
    provider: String,
    form: Option<Form>,
    length: Option<u64>,
    one_by_one: bool,
}

impl Key {
    fn of(case: &Case) -> Key {
        Key {
            algorithm: case.algorithm.clone(),
            provider: case.provider.clone(),
            form: case.form,
            length: case.message_length(),
            one_by_one: case.flag(ONE_BY_ONE),
        }
    }

    /// Whether a case is the single verification of this row.
    fn has(&self, case: &Case) -> bool {
        let parameters = usize::from(self.length.is_some());
        let same = Key { one_by_one: self.one_by_one, ..Key::of(case) } == *self;
        same && case.state() == State::Warm && case.parameters.len() == parameters
    }
}

/// How many signatures, by how many signers, an operation verifies at once.
fn numbers(case: &Case) -> Option<(u64, u64)> {
    let number = case.operation.strip_prefix(OPERATION)?.parse().ok()?;
    Some((number, case.signers()?)).filter(|_| case.state() == State::Warm)
}

/// The time for each signature in ns.
fn each(of: &CaseAnalysis<'_>) -> Option<Interval> {
    let of_all = of.median()?;
    let number = numbers(of.case()).map_or(1.0, |(number, _)| number as f64);
    let (estimate, low, high) = (of_all.estimate / number, of_all.low / number, of_all.high / number);
    Some(Interval { estimate, low, high, ..of_all })
}

/// Of the libraries that are none of this project's own, the one with the lowest figure for a hundred by a hundred signers.
fn fastest<'r, 'a>(analysis: &'r RunAnalysis<'a>, key: &Key) -> Option<&'r CaseAnalysis<'a>> {
    let rival = |of: &&CaseAnalysis<'_>| {
        let other = Key::of(of.case());
        let same = other.algorithm == key.algorithm && other.form == key.form && other.length == key.length;
        numbers(of.case()) == Some((LARGE, LARGE)) && same && of.ranked()
    };
    let figure = |of: &CaseAnalysis<'_>| of.median().map_or(f64::INFINITY, |median| median.estimate);
    analysis.area(AREA).filter(rival).min_by(|one, other| figure(one).total_cmp(&figure(other)))
}

/// The second's time over the first's.
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
    fn a_row_says_what_a_batch_is_worth_to_one_provider_and_against_the_libraries() {
        let run = fixtures::batches_run();
        let table = batches(&RunAnalysis::of(&run));
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
        assert_eq!((provider, keys), ("aws-lc", "from bytes"));
        assert_eq!(times, [Some(40.0), None, None, Some(42.0), None, None]);
        near(gain, 40.0 / 42.0);
        assert_eq!(over, None, "it is the fastest library");
        let (provider, _, times, (gain, over)) = row(1);
        assert_eq!(provider, "mldsa-batch:avx512 (own)");
        assert_eq!(times, [Some(25.0), Some(20.0), None, Some(14.0), Some(10.0), Some(8.0)]);
        near(gain, 25.0 / 14.0);
        near(over, 42.0 / 14.0);
        assert_eq!((row(2).0, row(3).0), ("rustcrypto", "rustcrypto, one by one"));
        near(row(3).3.1, 0.5);
    }
}
