//! Charts of ledger transactions: the time of a block of 100, as in the reference ledger benchmark, and throughput by
//! block size.

use crate::charts::areas::subject;
use crate::charts::canvas::{Anchor, Canvas, Quantity, Scale, TextStyle, width_of};
use crate::charts::curves::{Plot, Point, Series, curves, draw};
use crate::charts::look::{Look, Looks};
use crate::charts::provenance::{named, time_whiskers};
use crate::charts::ratios::doubt;
use crate::charts::stack::doubt_of;
use crate::charts::{Chart, slug};
use pqlab_analysis::ledger::{self, AREA, REFERENCE_FORM, rank as rank_of};
use pqlab_analysis::number::{grouped as thousands, known_time, rate, time};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, rate as rate_of};
use pqlab_record::Form;
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;
/// Number of transactions in a block of the reference ledger benchmark.
const BLOCK: u64 = 100;
/// Signature scheme of the reference ledger benchmark.
const SCHEME: &str = "ML-DSA-65";

/// Draws the time to verify a block of transactions, and the average time per transaction. The average is also shown in
/// large type.
pub(crate) fn block_verify(analysis: &RunAnalysis<'_>) -> Option<Chart> {
    let block = |row: &&CaseAnalysis<'_>| {
        let case = row.case();
        case.operation.starts_with("verify")
            && case.transactions() == Some(BLOCK)
            && case.threads().is_none_or(|threads| threads == 1)
            && !case.has_invalid_transaction()
            && row.median().is_some()
            && !case.is_null()
    };
    let rows: Vec<&CaseAnalysis<'_>> = analysis.area(AREA).filter(block).collect();
    let by = |name: &str| rows.iter().copied().filter(|row| row.case().algorithm == name).collect::<Vec<_>>();
    let rows =
        Some(by(SCHEME)).filter(|rows| !rows.is_empty()).unwrap_or_else(|| by(&format!("{REFERENCE_FORM}{SCHEME}")));
    // Compare only blocks of the most typical form and regime.
    let rank = |row: &CaseAnalysis<'_>| rank_of(row.case());
    let typical = rows.iter().copied().filter_map(rank).min()?;
    let typical: Vec<&CaseAnalysis<'_>> = rows.iter().copied().filter(|row| rank(row) == Some(typical)).collect();
    let leading = analysis.leading(&typical);
    let best = *leading.first()?;
    let tied: Vec<&str> = leading.iter().skip(1).map(|row| row.case().provider.as_str()).collect();
    let tied = if tied.is_empty() { String::new() } else { format!(" Tied with {}.", tied.join(", ")) };
    let total = best.median()?;
    let one = |value: f64| value / BLOCK as f64;
    let average = Interval { estimate: one(total.estimate), low: one(total.low), high: one(total.high), ..total };
    let library = named(analysis, &best.case().provider, &best.case().algorithm, doubt(best));
    let algorithm = &best.case().algorithm;
    let title = format!("{}: time to verify a block of {BLOCK} transactions, {algorithm} · {library}", subject(AREA));
    let look = Looks::new(analysis).of_provider(&best.case().provider);
    let single = single_transactions(analysis, best);
    let mut canvas = Canvas::new(WIDTH);
    let head = canvas.head(&title, &[]);
    let (top, bottom) = (head + 46.0, head + 284.0);
    let height = bottom + 30.0;
    canvas.ends_at(height + if single.is_empty() { 0.0 } else { SINGLE * (single.len() as f64 + 1.5) + 22.0 });
    canvas.text(0.0, head + 14.0, TextStyle::Faint, Anchor::Start, "median time (unit at each tick, two scales)");
    // Give each bar its own axis, because the two values differ by a factor of about a hundred.
    let bars = [("whole block", total), ("one transaction", average)];
    for (place, (name, value)) in bars.into_iter().enumerate() {
        let left = 64.0 + place as f64 * 190.0;
        let up = Scale::linear([value.high].into_iter(), bottom, top);
        canvas.axis_up(&up, Quantity::Time, left, left + 110.0);
        let (x, y) = (left + 55.0, up.at(value.estimate));
        canvas.bar(look.colour, x - 34.0, y, 68.0, bottom - y, name);
        canvas.interval_up(x, &up, value.low, value.high);
        canvas.text(x, up.at(value.high) - 7.0, TextStyle::Value, Anchor::Middle, &known_time(&value));
        canvas.text(x, bottom + 17.0, TextStyle::Label, Anchor::Middle, name);
    }
    let figure = known_time(&average);
    let x = 440.0 + (WIDTH - 440.0) / 2.0;
    canvas.text(x, head + 124.0, TextStyle::Large, Anchor::Middle, &figure);
    canvas.text(x, head + 152.0, TextStyle::Label, Anchor::Middle, "average verification time per transaction");
    canvas.text(
        x,
        head + 172.0,
        TextStyle::Faint,
        Anchor::Middle,
        &format!("95% interval {} to {}", time(average.low), time(average.high)),
    );
    let throughput = rate_of(best, BLOCK as f64)?.estimate;
    canvas.text(
        x,
        head + 200.0,
        TextStyle::Label,
        Anchor::Middle,
        &format!("{} transactions per second", rate(throughput)),
    );
    canvas.text(
        x,
        head + 220.0,
        TextStyle::Faint,
        Anchor::Middle,
        &format!("{} samples", thousands(best.estimates.as_ref()?.n as u64)),
    );
    debug_assert!(width_of(&figure, 40.0) < WIDTH);
    alone(&mut canvas, look, &single, height);
    (0..bars.len() + single.len()).for_each(|_| canvas.shows(best));
    canvas.note(time_whiskers(analysis));
    canvas.note(tied.trim_start());
    let others: String = single.iter().map(|(name, time_of)| format!(" {name}: {}.", known_time(time_of))).collect();
    let about = format!(
        "{}. A block of {BLOCK} transactions takes {}, or {figure} per transaction; throughput: {} transactions per \
         second.{tied}{others}",
        best.case().id(),
        known_time(&total),
        rate(throughput)
    );
    Some(canvas.finish(analysis, "block_verify", &title, about))
}

/// Height of the row for an operation on a single transaction, in SVG units.
const SINGLE: f64 = 26.0;

/// Returns the times of operations on a single transaction, for the scheme and library of `block`.
fn single_transactions(analysis: &RunAnalysis<'_>, block: &CaseAnalysis<'_>) -> Vec<(&'static str, Interval)> {
    let time_of = |operation: &str| {
        let suits = |row: &&CaseAnalysis<'_>| {
            let (one, block) = (row.case(), block.case());
            one.operation == operation && one.algorithm == block.algorithm && one.provider == block.provider
        };
        // If the operation has two key forms, use the form that the block uses.
        let all: Vec<&CaseAnalysis<'_>> = analysis.area(AREA).filter(suits).collect();
        let alike = all.iter().find(|row| row.case().form == block.case().form).or(all.first());
        alike.and_then(|row| row.median())
    };
    let named = [("verify one alone", "verify"), ("encode one", "encode"), ("decode one", "decode")];
    named.into_iter().filter_map(|(name, operation)| Some((name, time_of(operation)?))).collect()
}

/// Draws one row for each operation on a logarithmic axis, because verifying takes thousands of times longer than
/// encoding.
fn alone(canvas: &mut Canvas, look: Look, single: &[(&str, Interval)], top: f64) {
    if single.is_empty() {
        return;
    }
    let (left, right) = (170.0, WIDTH - 90.0);
    let bottom = top + SINGLE * single.len() as f64;
    let across = Scale::log(single.iter().flat_map(|(_, time)| [time.low, time.high]), left, right);
    canvas.axis_across(&across, Quantity::Time, top, bottom);
    let axis = "median time (unit at each tick, logarithmic)";
    canvas.text((left + right) / 2.0, bottom + 34.0, TextStyle::Faint, Anchor::Middle, axis);
    for (place, (name, time)) in single.iter().enumerate() {
        let y = top + SINGLE * (place as f64 + 0.5);
        canvas.text(left - 12.0, y + 4.0, TextStyle::Label, Anchor::End, name);
        canvas.interval_across(y, &across, time.low, time.high);
        canvas.mark(look, across.at(time.estimate), y, name);
        canvas.text(across.at(time.high) + 10.0, y + 4.0, TextStyle::Value, Anchor::Start, &known_time(time));
    }
}

/// Draws transactions per second by block size.
pub(crate) fn blocks(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    if area != AREA {
        return None;
    }
    let valid =
        |row: &ledger::ScalingRow<'_>| row.case.threads().unwrap_or(1) == 1 && !row.case.has_invalid_transaction();
    let curve = |row: ledger::ScalingRow<'_>| {
        let form = (row.form == Some(Form::Encoded)).then(|| "encoded".to_owned());
        let all: Vec<String> =
            form.into_iter().chain([row.parameters].into_iter().filter(|text| !text.is_empty())).collect();
        let own = analysis.area(AREA).find(|of| std::ptr::eq(of.case(), row.case)).and_then(doubt);
        let point = |block: &ledger::Block| {
            let (at, value) = (block.transactions as f64, block.per_second?);
            Some(Point { at, value, doubt: own.or(doubt_of(&block.caveats)), statistic: None })
        };
        Series {
            what: format!("{} [{}]", row.algorithm, all.join(",")),
            points: row.blocks.iter().filter_map(point).collect(),
            provider: row.provider,
            algorithm: row.algorithm,
        }
    };
    let all = curves(ledger::scaling(analysis).into_iter().filter(valid).map(curve).collect());
    let title = format!("{}: verified transactions per second by block size", subject(area));
    let plot = Plot {
        name: format!("blocks-{}", slug(area)),
        title,
        across: ("number of transactions per block", Quantity::Plain),
        up: ("transactions per second", Quantity::Rate),
        log: true,
        ideal: false,
        note: "",
    };
    draw(analysis, &plot, all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_record::{Record, Run};

    /// Returns the record of verifying a block with prepared keys.
    fn prepared(transactions: u64, microseconds: f64) -> Record {
        let mut record = fixtures::ledger_block("ML-DSA-65", "aws-lc", transactions, microseconds);
        record.case.form = Some(Form::Prepared);
        record
    }

    fn run(records: Vec<Record>) -> Run {
        Run { records, ..fixtures::run() }
    }

    #[test]
    fn prepared_and_encoded_keys_have_separate_curves() {
        let run = run(vec![
            prepared(100, 700.0),
            fixtures::ledger_block("ML-DSA-65", "aws-lc", 100, 4_000.0),
            fixtures::ledger_block("ML-DSA-65", "aws-lc", 1_000, 40_000.0),
        ]);
        let chart = blocks(&RunAnalysis::new(&run), AREA).unwrap();
        // With encoded keys, both block sizes reach 25,000 transactions per second. Prepared keys have only one block
        // size, so they get no curve.
        assert!(chart.about.contains("encoded,regime=compute") && !chart.about.contains("143k"), "{}", chart.about);
        let both = run_with(run, prepared(1_000, 7_000.0));
        let chart = blocks(&RunAnalysis::new(&both), AREA).unwrap();
        for name in ["ML-DSA-65 [encoded,regime=compute] · aws-lc", "ML-DSA-65 [regime=compute] · aws-lc"] {
            assert!(chart.about.contains(name), "{name} in {}", chart.about);
        }
    }

    fn run_with(mut run: Run, record: Record) -> Run {
        run.records.push(record);
        run
    }

    #[test]
    fn throughput_is_the_reciprocal_of_the_mean() {
        let mut records = vec![
            fixtures::ledger_block("ML-DSA-65", "aws-lc", 100, 5_000.0),
            fixtures::ledger_block("ML-DSA-65", "aws-lc", 1_000, 50_000.0),
        ];
        // One sample in each visit takes 40 times as long, so the mean is 1.975 times the median.
        for visit in records.iter_mut().flat_map(|record| &mut record.samples.visits) {
            visit.ticks[0] *= 40;
        }
        let run = run(records);
        let chart = blocks(&RunAnalysis::new(&run), AREA).unwrap();
        assert!(chart.about.contains("10.1k at 100"), "{}", chart.about);
    }
}
