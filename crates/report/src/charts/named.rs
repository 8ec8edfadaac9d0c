//! The pictures that the reference suites publish, under their names, from what this run measured.

use super::Chart;
use super::canvas::{Anchor, Canvas, LegendEntry, Quantity, Scale, TextStyle, width_of};
use super::intervals::usual;
use super::stack::{MOST, stacked, steps};
use pqlab_analysis::ledger::REFERENCE_FORM;
use pqlab_analysis::number::{grouped as thousands, known_time, rate, time};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, wire_bytes};
use pqlab_record::NULL;
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;
/// The handshakes of the reference report, by what they are.
const CLASSICAL: &str = "ntor-v1";
const KEM_ONLY: &str = "kem-only-mlkem512";
const AUTHENTICATED: &str = "ntor-x25519-mlkem512";
const OPERATIONS: [&str; 4] = ["create", "reply", "finish", "handshake"];
/// Transactions in the block of the reference report.
const BLOCK: u64 = 100;
/// The scheme of the reference report.
const SCHEME: &str = "ML-DSA-65";

pub(super) fn all(analysis: &RunAnalysis<'_>) -> Vec<Chart> {
    let pictures: [fn(&RunAnalysis<'_>) -> Option<Chart>; 5] =
        [operation_times, handshake_breakdown, ntor_comparison, overhead_analysis, block_verify];
    pictures.into_iter().filter_map(|picture| picture(analysis)).collect()
}

/// The rows of a handshake by the fastest provider, or by the one with the lowest figure of those that are not told apart.
fn fastest<'s, 'a>(analysis: &'s RunAnalysis<'a>, algorithm: &str) -> Vec<&'s CaseAnalysis<'a>> {
    let rows = usual(analysis, "ntor").into_iter().filter(|row| row.case().algorithm == algorithm).collect::<Vec<_>>();
    let whole: Vec<&CaseAnalysis<'a>> =
        rows.iter().copied().filter(|row| row.case().operation == "handshake").collect();
    let Some(provider) = analysis.leading(&whole).first().map(|row| row.case().provider.clone()) else {
        return Vec::new();
    };
    rows.into_iter().filter(|row| row.case().provider == provider).collect()
}

/// Of the handshakes in a picture those whose fastest provider the data do not tell from others, in a sentence.
fn not_told_apart(analysis: &RunAnalysis<'_>, algorithms: &[&str]) -> String {
    let of = |algorithm: &&str| {
        let usual = usual(analysis, "ntor").into_iter();
        let whole: Vec<&CaseAnalysis<'_>> =
            usual.filter(|row| row.case().algorithm == *algorithm && row.case().operation == "handshake").collect();
        let names: Vec<&str> = analysis.leading(&whole).iter().map(|row| row.case().provider.as_str()).collect();
        (names.len() > 1)
            .then(|| format!(" The fastest libraries of {algorithm} are not told apart: {}.", names.join(", ")))
    };
    algorithms.iter().filter_map(of).collect()
}

fn of(rows: &[&CaseAnalysis<'_>], operation: &str) -> Option<Interval> {
    rows.iter().find(|row| row.case().operation == operation)?.median()
}

fn whole<'r, 'a>(rows: &[&'r CaseAnalysis<'a>]) -> Option<&'r CaseAnalysis<'a>> {
    rows.iter().copied().find(|row| row.case().operation == "handshake")
}

struct Column {
    name: String,
    value: Interval,
    series: usize,
}

/// Bars that stand up, each with its interval and its figure over it.
fn columns(
    name: &str,
    title: &str,
    quantity: Quantity,
    legend: &[(LegendEntry, String)],
    columns: &[Column],
    note: &str,
) -> Option<Chart> {
    if columns.is_empty() {
        return None;
    }
    let height = 340.0;
    let mut canvas = Canvas::new(WIDTH, height);
    let top = canvas.head_of(title, legend) + 18.0;
    let (left, right, bottom) = (64.0, WIDTH - 12.0, height - 30.0);
    let up = Scale::linear(columns.iter().map(|column| column.value.high), bottom, top);
    canvas.axis_up(&up, quantity, left, right);
    let step = (right - left) / columns.len() as f64;
    let width = (step * 0.62).min(90.0);
    for (place, column) in columns.iter().enumerate() {
        let x = left + (place as f64 + 0.5) * step;
        let y = up.at(column.value.estimate);
        let text = figure(quantity, column.value.estimate);
        canvas.bar(column.series, x - width / 2.0, y, width, bottom - y, &format!("{}: {text}", column.name));
        canvas.interval_up(x, &up, column.value.low, column.value.high);
        canvas.text(x, up.at(column.value.high) - 7.0, TextStyle::Value, Anchor::Middle, &text);
        canvas.text(x, bottom + 17.0, TextStyle::Label, Anchor::Middle, &column.name);
    }
    let listed: Vec<String> = columns
        .iter()
        .map(|column| {
            format!(
                "{} {} ({} to {})",
                column.name,
                figure(quantity, column.value.estimate),
                figure(quantity, column.value.low),
                figure(quantity, column.value.high)
            )
        })
        .collect();
    Some(canvas.finish(name, title, format!("{note} {}.", listed.join("; "))))
}

/// A value with its three digits, which an axis may shorten.
fn figure(quantity: Quantity, value: f64) -> String {
    if quantity == Quantity::Time { time(value) } else { quantity.show(value) }
}

/// The handshake that the reference measured, with what it is said to be.
fn measured<'s, 'a>(analysis: &'s RunAnalysis<'a>) -> Vec<&'s CaseAnalysis<'a>> {
    fastest(analysis, KEM_ONLY)
}

fn provider<'r>(rows: &[&'r CaseAnalysis<'_>]) -> &'r str {
    rows.first().map_or("", |row| row.case().provider.as_str())
}

fn operation_times(analysis: &RunAnalysis<'_>) -> Option<Chart> {
    let rows = measured(analysis);
    let bars: Vec<Column> = OPERATIONS
        .iter()
        .filter_map(|operation| {
            Some(Column {
                name: (*operation).to_owned(),
                value: of(&rows, operation)?,
                series: usize::from(*operation == "handshake"),
            })
        })
        .collect();
    let title = format!("{KEM_ONLY}: time of each operation, {}", provider(&rows));
    let note = "Medians with 95% intervals. This handshake does not authenticate the relay.";
    columns("operation_times", &title, Quantity::Time, &[], &bars, note)
}

fn handshake_breakdown(analysis: &RunAnalysis<'_>) -> Option<Chart> {
    let best: Vec<(String, String)> = [CLASSICAL, KEM_ONLY, AUTHENTICATED]
        .iter()
        .map(|name| ((*name).to_owned(), provider(&fastest(analysis, name)).to_owned()))
        .collect();
    let mut bars = steps(analysis, "ntor");
    bars.retain(|bar| best.iter().any(|(name, provider)| *name == bar.name && *provider == bar.provider));
    let note = "Each step was measured by itself; the line is the whole handshake, measured in one go.";
    stacked(
        "handshake_breakdown",
        "What a handshake's time is spent on",
        &["create (client)", "reply (relay)", "finish (client)"],
        bars,
        MOST,
        note,
    )
}

fn ntor_comparison(analysis: &RunAnalysis<'_>) -> Option<Chart> {
    let bars: Vec<Column> = [(CLASSICAL, 1), (KEM_ONLY, 0), (AUTHENTICATED, 2)]
        .iter()
        .filter_map(|(name, series)| {
            let rows = fastest(analysis, name);
            Some(Column { name: (*name).to_owned(), value: of(&rows, "handshake")?, series: *series })
        })
        .collect();
    if bars.len() < 2 {
        return None;
    }
    let note = format!(
        "Whole handshakes, measured in the same run, the fastest library of each. kem-only does not authenticate the relay.{}",
        not_told_apart(analysis, &[CLASSICAL, KEM_ONLY, AUTHENTICATED])
    );
    columns(
        "ntor_comparison",
        "Full handshake: classical, KEM only, authenticated hybrid",
        Quantity::Time,
        &[],
        &bars,
        &note,
    )
}

/// Bytes of onionskin and reply, as the cases say.
fn bytes(rows: &[&CaseAnalysis<'_>]) -> Option<u64> {
    wire_bytes(&rows.first()?.case().facts.sizes)
}

fn overhead_analysis(analysis: &RunAnalysis<'_>) -> Option<Chart> {
    let classical = fastest(analysis, CLASSICAL);
    let (time, wire) = (whole(&classical)?, bytes(&classical)?);
    let mut bars = Vec::new();
    for name in &[KEM_ONLY, AUTHENTICATED] {
        let rows = fastest(analysis, name);
        let (Some(its), Some(sent)) = (whole(&rows), bytes(&rows)) else { continue };
        let Some(ratio) = analysis.ratio(&[time], &[its]).and_then(|found| found.ratio) else { continue };
        let ratio = ratio.ratio;
        let communication = sent as f64 / wire as f64;
        bars.push(Column {
            name: (*name).to_owned(),
            value: Interval { estimate: communication, low: communication, high: communication, ..ratio },
            series: 0,
        });
        bars.push(Column { name: (*name).to_owned(), value: ratio, series: 1 });
    }
    let legend = [
        (LegendEntry::Block(0), "communication: bytes of both messages".to_owned()),
        (LegendEntry::Block(1), "computation: time of the handshake".to_owned()),
    ];
    let note = format!(
        "As multiples of {CLASSICAL}: bytes of both messages, and the whole handshake with its 95% interval, in core cycles where \
         both have them.{}",
        not_told_apart(analysis, &[CLASSICAL, KEM_ONLY, AUTHENTICATED])
    );
    let title = "Overhead: multiples of the classical handshake";
    columns("overhead_analysis", title, Quantity::Factor, &legend, &bars, &note)
}

/// A block of transactions: the whole and the average, and the average written large.
fn block_verify(analysis: &RunAnalysis<'_>) -> Option<Chart> {
    let block = |row: &&CaseAnalysis<'_>| {
        let case = row.case();
        case.operation.starts_with("verify")
            && case.transactions() == Some(BLOCK)
            && case.threads().is_none_or(|threads| threads == 1)
            && !case.has_invalid_transaction()
            && row.median().is_some()
            && case.provider != NULL
    };
    let rows: Vec<&CaseAnalysis<'_>> = analysis.area("ledger").filter(block).collect();
    let of = |name: &str| rows.iter().copied().filter(|row| row.case().algorithm == name).collect::<Vec<_>>();
    let rows =
        Some(of(SCHEME)).filter(|rows| !rows.is_empty()).unwrap_or_else(|| of(&format!("{REFERENCE_FORM}{SCHEME}")));
    // Of one form and regime, which is not chosen by how fast it was.
    let rank = |row: &CaseAnalysis<'_>| pqlab_analysis::ledger::rank(row.case());
    let typical = rows.iter().copied().filter_map(rank).min()?;
    let typical: Vec<&CaseAnalysis<'_>> = rows.iter().copied().filter(|row| rank(row) == Some(typical)).collect();
    let leading = analysis.leading(&typical);
    let best = *leading.first()?;
    let tied: Vec<&str> = leading.iter().skip(1).map(|row| row.case().provider.as_str()).collect();
    let tied = if tied.is_empty() { String::new() } else { format!(" Not told apart from {}.", tied.join(", ")) };
    let total = best.median()?;
    let one = |value: f64| value / BLOCK as f64;
    let average = Interval { estimate: one(total.estimate), low: one(total.low), high: one(total.high), ..total };
    let title = format!("Verify {BLOCK} transactions: {} · {}", best.case().algorithm, best.case().provider);
    let height = 340.0;
    let single = single_transactions(analysis, best);
    let mut canvas = Canvas::new(WIDTH, height + SINGLE * (single.len() as f64 + 1.5));
    let top = canvas.head(&title, &[]) + 24.0;
    let bottom = height - 30.0;
    // Two quantities a hundredfold apart: each has an axis of its own.
    for (place, (name, value)) in [("the whole block", total), ("one transaction", average)].into_iter().enumerate() {
        let left = 64.0 + place as f64 * 190.0;
        let up = Scale::linear([value.high].into_iter(), bottom, top);
        canvas.axis_up(&up, Quantity::Time, left, left + 110.0);
        let (x, y) = (left + 55.0, up.at(value.estimate));
        canvas.bar(place, x - 34.0, y, 68.0, bottom - y, name);
        canvas.interval_up(x, &up, value.low, value.high);
        canvas.text(x, up.at(value.high) - 7.0, TextStyle::Value, Anchor::Middle, &known_time(&value));
        canvas.text(x, bottom + 17.0, TextStyle::Label, Anchor::Middle, name);
    }
    let figure = known_time(&average);
    let x = 440.0 + (WIDTH - 440.0) / 2.0;
    canvas.text(x, 150.0, TextStyle::Large, Anchor::Middle, &figure);
    canvas.text(x, 178.0, TextStyle::Label, Anchor::Middle, "average verify time of a transaction");
    canvas.text(
        x,
        198.0,
        TextStyle::Faint,
        Anchor::Middle,
        &format!("95% interval {} to {}", time(average.low), time(average.high)),
    );
    let throughput = pqlab_analysis::rate(best, BLOCK as f64)?.estimate;
    canvas.text(x, 226.0, TextStyle::Label, Anchor::Middle, &format!("{} transactions a second", rate(throughput)));
    canvas.text(
        x,
        246.0,
        TextStyle::Faint,
        Anchor::Middle,
        &format!("{} samples", thousands(best.estimates.as_ref()?.n as u64)),
    );
    debug_assert!(width_of(&figure, 40.0) < WIDTH);
    alone(&mut canvas, &single, height);
    let beside: String = single.iter().map(|(name, time_of)| format!(" {name}: {}.", known_time(time_of))).collect();
    let about = format!(
        "{}. A block of {BLOCK} takes {}, one transaction {figure} on average, {} a second.{tied}{beside}",
        best.case().id(),
        known_time(&total),
        rate(throughput)
    );
    Some(canvas.finish("block_verify", &title, about))
}

/// Height of a line of the operations beside the block.
const SINGLE: f64 = 26.0;

/// What else is done with a transaction of the block's scheme and library, each alone: verifying, to bytes, from bytes.
fn single_transactions(analysis: &RunAnalysis<'_>, block: &CaseAnalysis<'_>) -> Vec<(&'static str, Interval)> {
    let of = |operation: &str| {
        let suits = |of: &&CaseAnalysis<'_>| {
            let (one, block) = (of.case(), block.case());
            one.operation == operation && one.algorithm == block.algorithm && one.provider == block.provider
        };
        // Where there are two forms, the one that reads the key from the transaction, as the block does.
        let all: Vec<&CaseAnalysis<'_>> = analysis.area("ledger").filter(suits).collect();
        let alike = all.iter().find(|of| of.case().form == block.case().form).or(all.first());
        alike.and_then(|of| of.median())
    };
    let named = [("one alone, verified", "verify"), ("one to bytes", "encode"), ("one from bytes", "decode")];
    named.into_iter().filter_map(|(name, operation)| Some((name, of(operation)?))).collect()
}

/// A line for each, on one logarithmic axis: a signature is thousands of times the work of a codec.
fn alone(canvas: &mut Canvas, single: &[(&str, Interval)], top: f64) {
    if single.is_empty() {
        return;
    }
    let (left, right) = (170.0, WIDTH - 90.0);
    let bottom = top + SINGLE * single.len() as f64;
    let across = Scale::log(single.iter().flat_map(|(_, of)| [of.low, of.high]), left, right);
    canvas.axis_across(&across, Quantity::Time, top, bottom);
    for (place, (name, of)) in single.iter().enumerate() {
        let y = top + SINGLE * (place as f64 + 0.5);
        canvas.text(left - 12.0, y + 4.0, TextStyle::Label, Anchor::End, name);
        canvas.interval_across(y, &across, of.low, of.high);
        canvas.mark(place, across.at(of.estimate), y, name);
        canvas.text(across.at(of.high) + 10.0, y + 4.0, TextStyle::Value, Anchor::Start, &known_time(of));
    }
}
