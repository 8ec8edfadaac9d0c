//! Charts of circuit handshakes: the times of their steps, and the pictures of the reference report.

use crate::charts::areas::subject;
use crate::charts::canvas::{LegendEntry, Quantity};
use crate::charts::columns::{Column, Texts, columns};
use crate::charts::intervals::usual;
use crate::charts::ratios::{ESTIMATED, doubt, is_estimated};
use crate::charts::stack::{Bar, MOST, stacked};
use crate::charts::{Chart, slug};
use pqlab_analysis::findings::unit_words;
use pqlab_analysis::ntor::AREA;
use pqlab_analysis::number::is_approximate;
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct, grouped, wire_bytes};
use pqlab_stats::Interval;

/// Steps of a circuit handshake, in order.
const STEPS: [&str; 3] = ["create", "reply", "finish"];
/// Name of the operation that covers the complete handshake.
const WHOLE: &str = "handshake";
// Algorithms of the handshakes in the reference report.
const CLASSICAL: &str = "ntor-v1";
const KEM_ONLY: &str = "kem-only-mlkem512";
const AUTHENTICATED: &str = "ntor-x25519-mlkem512";
const OPERATIONS: [&str; 4] = ["create", "reply", "finish", "handshake"];
/// Title of the vertical axis, which shows time.
const TIME: &str = "time per operation (unit at each tick)";
/// Note for handshakes that do not authenticate the relay.
const UNAUTHENTICATED: &str = " kem-only does not authenticate the relay.";

/// Note for pairs of libraries.
const PAIRS: &str = "Pairs of libraries: X25519, hashes and key derivation + ML-KEM.";

/// Returns the note for bars of steps. Explains the diamond, and names handshakes that do not authenticate the relay.
fn steps_note(bars: &[Bar]) -> String {
    let mut note = "Medians. Each step was measured separately.".to_owned();
    if bars.iter().any(|bar| bar.whole.is_some()) {
        note.push_str(" The diamond is the whole handshake, measured as one operation.");
    }
    if bars.iter().any(|bar| bar.algorithm.starts_with("kem-only")) {
        note.push_str(UNAUTHENTICATED);
    }
    note
}

/// Draws the same pictures as the reference report, with the same names but figures from this run.
pub(crate) fn named(analysis: &RunAnalysis<'_>) -> Vec<Chart> {
    let pictures: [fn(&RunAnalysis<'_>) -> Option<Chart>; 4] =
        [operation_times, handshake_breakdown, ntor_comparison, overhead_analysis];
    pictures.into_iter().filter_map(|picture| picture(analysis)).collect()
}

/// Returns the cases of a handshake by the fastest provider. If several providers are tied for fastest, returns the
/// cases of the one with the lowest figure.
fn fastest<'s, 'a>(analysis: &'s RunAnalysis<'a>, algorithm: &str) -> Vec<&'s CaseAnalysis<'a>> {
    let rows = usual(analysis, AREA).into_iter().filter(|row| row.case().algorithm == algorithm).collect::<Vec<_>>();
    let whole: Vec<&CaseAnalysis<'a>> =
        rows.iter().copied().filter(|row| row.case().operation == "handshake").collect();
    let Some(provider) = analysis.leading(&whole).first().map(|row| row.case().provider.clone()) else {
        return Vec::new();
    };
    rows.into_iter().filter(|row| row.case().provider == provider).collect()
}

/// Returns a sentence for each handshake in `algorithms` with several providers tied for fastest, and these providers
/// with their handshakes.
fn tied(analysis: &RunAnalysis<'_>, algorithms: &[&str]) -> (String, Vec<(String, String)>) {
    let (mut sentences, mut named) = (String::new(), Vec::new());
    for algorithm in algorithms {
        let usual = usual(analysis, AREA).into_iter();
        let whole: Vec<&CaseAnalysis<'_>> =
            usual.filter(|row| row.case().algorithm == *algorithm && row.case().operation == WHOLE).collect();
        let leading = analysis.leading(&whole);
        let names: Vec<&str> = leading.iter().map(|row| row.case().provider.as_str()).collect();
        if names.len() > 1 {
            sentences.push_str(&format!(" The fastest libraries of {algorithm} are tied: {}.", names.join(", ")));
            named.extend(names.into_iter().map(|name| (name.to_owned(), (*algorithm).to_owned())));
        }
    }
    (sentences, named)
}

/// Returns a bar with the median of an operation.
fn column(rows: &[&CaseAnalysis<'_>], operation: &str, name: &str) -> Option<Column> {
    let row = rows.iter().find(|row| row.case().operation == operation)?;
    Some(column_of(row, name, row.median()?, None))
}

fn column_of(row: &CaseAnalysis<'_>, name: &str, value: Interval, part: Option<usize>) -> Column {
    let (provider, algorithm) = (row.case().provider.clone(), row.case().algorithm.clone());
    Column { name: name.to_owned(), provider, algorithm, value, part, doubt: doubt(row) }
}

fn whole<'r, 'a>(rows: &[&'r CaseAnalysis<'a>]) -> Option<&'r CaseAnalysis<'a>> {
    rows.iter().copied().find(|row| row.case().operation == "handshake")
}

/// Returns the cases of the handshake that the reference report measured.
fn measured<'s, 'a>(analysis: &'s RunAnalysis<'a>) -> Vec<&'s CaseAnalysis<'a>> {
    fastest(analysis, KEM_ONLY)
}

fn provider<'r>(rows: &[&'r CaseAnalysis<'_>]) -> &'r str {
    rows.first().map_or("", |row| row.case().provider.as_str())
}

fn operation_times(analysis: &RunAnalysis<'_>) -> Option<Chart> {
    let rows = measured(analysis);
    let bars: Vec<Column> = OPERATIONS.iter().filter_map(|operation| column(&rows, operation, operation)).collect();
    let title = format!("{KEM_ONLY}: time of each operation, {}", provider(&rows));
    let note = "Medians. The handshake consists of create, reply and finish, measured as one operation. It does not \
                authenticate the relay.";
    let texts =
        Texts { name: "operation_times", title: &title, up: TIME, note, whiskers: None, pairs: PAIRS, named: &[] };
    columns(analysis, &texts, Quantity::Time, &[], &bars)
}

fn handshake_breakdown(analysis: &RunAnalysis<'_>) -> Option<Chart> {
    let best: Vec<(String, String)> = [CLASSICAL, KEM_ONLY, AUTHENTICATED]
        .iter()
        .map(|name| ((*name).to_owned(), provider(&fastest(analysis, name)).to_owned()))
        .collect();
    let mut bars = steps(analysis, AREA);
    bars.retain(|bar| best.iter().any(|(name, provider)| *name == bar.name && *provider == bar.provider));
    let (tied, named) = tied(analysis, &[CLASSICAL, KEM_ONLY, AUTHENTICATED]);
    for bar in &mut bars {
        let same = named.iter().filter(|(_, algorithm)| *algorithm == bar.algorithm);
        bar.tied = same.map(|(provider, _)| provider.clone()).collect();
    }
    let note = format!("{} Each handshake with its fastest library.{tied}", steps_note(&bars));
    stacked(
        analysis,
        "handshake_breakdown",
        "Circuit handshakes: time by step",
        &["create (client)", "reply (relay)", "finish (client)"],
        bars,
        MOST,
        [&note, PAIRS],
    )
}

fn ntor_comparison(analysis: &RunAnalysis<'_>) -> Option<Chart> {
    let bars: Vec<Column> = [CLASSICAL, KEM_ONLY, AUTHENTICATED]
        .iter()
        .filter_map(|name| column(&fastest(analysis, name), WHOLE, name))
        .collect();
    if bars.len() < 2 {
        return None;
    }
    let all = [CLASSICAL, KEM_ONLY, AUTHENTICATED];
    let missing: Vec<&str> = all.into_iter().filter(|name| bars.iter().all(|bar| bar.name != *name)).collect();
    let missing = if missing.is_empty() { String::new() } else { format!(" Not measured: {}.", missing.join(", ")) };
    let (tied, named) = tied(analysis, &all);
    let note = format!(
        "Medians of whole handshakes from one run, each with its fastest library.{UNAUTHENTICATED}{}{missing}",
        tied
    );
    let title = "Whole circuit handshake: classical, KEM only, authenticated hybrid";
    let texts =
        Texts { name: "ntor_comparison", title, up: TIME, note: &note, whiskers: None, pairs: PAIRS, named: &named };
    columns(analysis, &texts, Quantity::Time, &[], &bars)
}

/// Returns the total length in bytes of both messages of a handshake (onionskin and reply), as recorded in the cases.
fn bytes(rows: &[&CaseAnalysis<'_>]) -> Option<u64> {
    wire_bytes(&rows.first()?.case().facts.sizes)
}

fn overhead_analysis(analysis: &RunAnalysis<'_>) -> Option<Chart> {
    let classical = fastest(analysis, CLASSICAL);
    let (time, wire) = (whole(&classical)?, bytes(&classical)?);
    let (mut bars, mut units) = (Vec::new(), Vec::new());
    for name in &[KEM_ONLY, AUTHENTICATED] {
        let rows = fastest(analysis, name);
        let (Some(handshake), Some(sent)) = (whole(&rows), bytes(&rows)) else { continue };
        let Some(found) = analysis.ratio(&[time], &[handshake]) else { continue };
        let Some(ratio) = found.ratio else { continue };
        let ratio = ratio.ratio;
        units.push(unit_words(found.unit));
        let communication = sent as f64 / wire as f64;
        let bytes = Interval { estimate: communication, low: communication, high: communication, ..ratio };
        bars.push(column_of(handshake, &format!("{name}, bytes"), bytes, Some(0)));
        bars.push(column_of(handshake, &format!("{name}, time"), ratio, Some(1)));
    }
    let legend = [
        (LegendEntry::Part(0), "communication: bytes of both messages".to_owned()),
        (LegendEntry::Part(1), "computation: time of the handshake".to_owned()),
    ];
    let (tied, mut named) = tied(analysis, &[CLASSICAL, KEM_ONLY, AUTHENTICATED]);
    let estimated = if is_estimated(time) { format!(" {ESTIMATED}") } else { String::new() };
    let note = format!(
        "Ratios of medians, relative to {CLASSICAL} by {}. Communication: bytes of both messages. Computation: the whole handshake, in {}. \
         {}{}{estimated}",
        time.case().provider,
        distinct(units).join(" or "),
        UNAUTHENTICATED.trim_start(),
        tied
    );
    let title = "Cost of post-quantum circuit handshakes relative to the classical one";
    let up = "ratio to the classical handshake";
    let whiskers = Some("Whiskers: 95% interval of the ratio of times. Lengths are exact.");
    named.push((time.case().provider.clone(), CLASSICAL.to_owned()));
    let texts = Texts { name: "overhead_analysis", title, up, note: &note, whiskers, pairs: PAIRS, named: &named };
    columns(analysis, &texts, Quantity::Factor, &legend, &bars)
}

/// Draws the times of the steps of each handshake. Each step was measured separately.
pub(crate) fn phases(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    if area != AREA {
        return None;
    }
    let bars = steps(analysis, area);
    let note = steps_note(&bars);
    stacked(
        analysis,
        &format!("phases-{}", slug(area)),
        &format!("{}: time of each step of the handshake", subject(AREA)),
        &STEPS,
        bars,
        MOST,
        [&note, PAIRS],
    )
}

/// Returns a bar for each algorithm and provider in an area, if all three steps were measured.
fn steps(analysis: &RunAnalysis<'_>, area: &str) -> Vec<Bar> {
    let rows = usual(analysis, area);
    let groups = grouped(rows.iter().copied(), |row| (row.case().algorithm.clone(), row.case().provider.clone()));
    let bar = |((algorithm, provider), rows): &((String, String), Vec<&CaseAnalysis<'_>>)| {
        let time = |operation: &str| rows.iter().find(|row| row.case().operation == operation)?.time();
        let parts: Vec<Interval> = STEPS.iter().map(|step| time(step)).collect::<Option<_>>()?;
        Some(Bar {
            name: algorithm.clone(),
            provider: provider.clone(),
            algorithm: algorithm.clone(),
            approximate: parts.iter().chain(&time(WHOLE)).any(is_approximate),
            parts: parts.iter().map(|part| part.estimate).collect(),
            whole: time(WHOLE),
            doubt: rows.iter().find_map(|row| doubt(row)),
            faster: Vec::new(),
            tied: Vec::new(),
        })
    };
    groups.iter().filter_map(bar).collect()
}
