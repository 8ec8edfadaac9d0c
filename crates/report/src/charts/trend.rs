//! Trend: times in the runs on one machine, relative to the newest run. Shows control limits, and marks the runs
//! between which a library, the compiler or the machine changed.

use super::Chart;
use super::canvas::{Anchor, Canvas, LABEL_LINE, Quantity, Scale, TextStyle, lines_of, width_of};
use super::curves::{LABELS, spread};
use super::look::{Look, Looks};
use super::ratios;
use pqlab_analysis::comparison::Difference;
use pqlab_analysis::history::{CONTROL, Past};
use pqlab_analysis::number::percent;
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct};
use pqlab_record::{ASSUMED, Environment};
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 340.0;
/// Maximum number of cases in a picture.
const MOST: usize = 8;
/// Maximum number of runs in a picture.
const RUNS: usize = 30;
/// Maximum number of changes listed between two runs.
const CHANGES: usize = 4;

/// A case, with its time in each run relative to the newest run. The index of a point is the index of its run, oldest
/// first.
struct Curve<'r, 'a> {
    row: &'r CaseAnalysis<'a>,
    points: Vec<(usize, Interval)>,
}

impl Curve<'_, '_> {
    fn name(&self) -> String {
        format!("{} · {}", self.row.job(), self.row.case().provider)
    }
}

/// Draws the cases with the largest changes in time. `name` is the file name of the chart.
pub(super) fn trend(analysis: &RunAnalysis<'_>, past: &[Past], name: &str) -> Option<Chart> {
    let mut past: Vec<&Past> = past.iter().filter(|past| past.same_machine(analysis.run)).collect();
    past.drain(..past.len().saturating_sub(RUNS - 1));
    let usual = |row: &&CaseAnalysis<'_>| row.usual() && !row.case().is_null() && !row.case().is_overhead();
    let rows = analysis.cases().iter().filter(usual);
    let mut changed: Vec<(f64, &CaseAnalysis<'_>)> = rows.filter_map(|row| Some((change(row, &past)?, row))).collect();
    changed.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let total = changed.len();
    // Intervals take long to compute, so compute only those that are drawn.
    let all: Vec<Curve<'_, '_>> = changed.iter().take(MOST).filter_map(|(_, row)| curve(row, &past)).collect();
    all.first()?;
    let newest = &analysis.run.header;
    let environments: Vec<&Environment> =
        past.iter().map(|past| &past.environment).chain([&newest.environment]).collect();
    let dates: Vec<&str> =
        past.iter().map(|past| past.started_at.as_str()).chain([newest.started_at.as_str()]).collect();
    let title = "Trend: the cases that changed most, relative to the newest run";
    let label_of = |curve: &Curve<'_, '_>| {
        lines_of(&format!("{} · {}", curve.row.job(), ratios::name(analysis, curve.row)), 11.0, LABELS)
    };
    let labels: Vec<Vec<String>> = all.iter().map(label_of).collect();
    let looks = Looks::new(analysis);
    let jobs = distinct(all.iter().map(|curve| curve.row.job()));
    let look = |curve: &Curve<'_, '_>| -> Look {
        let job = jobs.iter().position(|job| *job == curve.row.job()).unwrap_or_default();
        looks.of_provider(&curve.row.case().provider).shaped(job).doubted(ratios::doubt(curve.row))
    };
    let widest = labels.iter().flatten().map(|text| width_of(text, 11.0)).fold(60.0, f64::max);
    let mut canvas = Canvas::new(WIDTH);
    let head = canvas.head(title, &[]);
    let top = head + 34.0;
    let (left, right, bottom) = (56.0, WIDTH - widest - 28.0, top + HEIGHT - 60.0);
    canvas.ends_at(bottom + 38.0);
    let axis = "time relative to the newest run (logarithmic)";
    canvas.text(0.0, head + 12.0, TextStyle::Faint, Anchor::Start, axis);
    let limits = past.last().and_then(|past| past.control_limits(newest));
    let values = all.iter().flat_map(|curve| curve.points.iter().flat_map(|(_, value)| [value.low, value.high]));
    let up = Scale::log(values.chain(limits.into_iter().flatten()), bottom, top);
    let last = dates.len().saturating_sub(1).max(1) as f64;
    let x = |place: usize| left + 14.0 + (right - left - 28.0) * place as f64 / last;
    if let Some([low, high]) = limits {
        canvas.band((left, up.at(high)), (right - left, up.at(low) - up.at(high)));
    }
    canvas.axis_up(&up, Quantity::Factor, left, right);
    canvas.base((left, up.at(1.0)), (right, up.at(1.0)));
    let mut free = f64::NEG_INFINITY;
    for (place, date) in dates.iter().enumerate() {
        canvas.rule((x(place), bottom), (x(place), bottom + 4.0));
        let text = date.get(..10).unwrap_or(date);
        let half = width_of(text, 11.0) / 2.0;
        if x(place) - half > free {
            canvas.text(x(place), bottom + 18.0, TextStyle::Faint, Anchor::Middle, text);
            free = x(place) + half + 6.0;
        }
    }
    canvas.text(
        (left + right) / 2.0,
        bottom + 34.0,
        TextStyle::Faint,
        Anchor::Middle,
        "start of the run, oldest to newest",
    );
    let mut listed = Vec::new();
    for (place, pair) in environments.windows(2).enumerate() {
        let changes = past.get(place).map(|past| past.changes_until(pair[1])).unwrap_or_default();
        if changes.is_empty() {
            continue;
        }
        let text = changes_text(&changes, pair[0], pair[1]);
        let sign = listed.len() + 1;
        let between = (x(place) + x(place + 1)) / 2.0;
        canvas.ideal(&[(between, top - 4.0), (between, bottom)]);
        canvas.text(between, top - 8.0, TextStyle::Value, Anchor::Middle, &format!("[{sign}]"));
        listed.push(format!("[{sign}] {text}"));
    }
    for curve in &all {
        let look = look(curve);
        let points: Vec<(f64, f64)> =
            curve.points.iter().map(|(place, value)| (x(*place), up.at(value.estimate))).collect();
        match look.is_doubtful {
            true => canvas.ideal(&points),
            false => canvas.line(look.colour, &points),
        }
        canvas.shows(curve.row);
        for ((place, value), (x, y)) in curve.points.iter().zip(&points) {
            canvas.interval_up(*x, &up, value.low, value.high);
            let about = format!("{} on {}: {}", curve.name(), dates[*place], Quantity::Factor.show(value.estimate));
            canvas.mark(look, *x, *y, &about);
        }
    }
    // All curves end at a ratio of 1, so sort their labels by the first points, slowest first.
    let mut order: Vec<usize> = (0..all.len()).collect();
    let first = |number: usize| all[number].points.first().map_or(1.0, |(_, value)| value.estimate);
    order.sort_by(|one, other| first(*other).total_cmp(&first(*one)));
    let heights: Vec<f64> = order.iter().map(|number| LABEL_LINE * labels[*number].len() as f64 + 3.0).collect();
    let mut place = up.at(1.0) - heights.iter().sum::<f64>() / 2.0;
    let mut wanted = Vec::new();
    for height in &heights {
        wanted.push(place + height / 2.0);
        place += height;
    }
    for (place, number) in spread(&wanted, &heights, top, bottom).into_iter().zip(order) {
        canvas.symbol(look(&all[number]), right + 16.0, place, &all[number].name());
        canvas.label(right + 25.0, place, TextStyle::Faint, Anchor::Start, &labels[number]);
    }
    canvas.note("Whiskers: 95% interval of the ratio of the two runs. Colours are libraries; shapes are algorithms and operations.");
    if let Some([_, high]) = limits {
        let assumed = if newest.protocol.run_spreads.source == ASSUMED { "assumed " } else { "" };
        canvas.note(format!(
            "Grey band: control limits of ±{} ({CONTROL} standard deviations of the {assumed}spread between runs).",
            percent(100.0 * (high - 1.0))
        ));
    }
    listed.iter().for_each(|change| canvas.note(format!("{change}.")));
    let curves: Vec<String> = all
        .iter()
        .map(|curve| {
            let show = |(place, value): &(usize, Interval)| {
                format!(
                    "{} on {}",
                    Quantity::Factor.show(value.estimate),
                    dates[*place].get(..10).unwrap_or(dates[*place])
                )
            };
            format!("{}: {}", curve.name(), curve.points.iter().map(show).collect::<Vec<_>>().join(", "))
        })
        .collect();
    let more =
        if total > all.len() { format!(" Cases that changed less: {}.", total - all.len()) } else { String::new() };
    let changed = if listed.is_empty() { String::new() } else { format!(" Changes: {}.", listed.join("; ")) };
    let about = format!("Times over {} runs with 95% intervals. {}.{changed}{more}", dates.len(), curves.join("; "));
    Some(canvas.finish(analysis, name, title, about))
}

/// Returns the largest change of a case's time between an earlier run and the newest run. The change is the absolute
/// logarithm of the ratio of the two times. Returns `None` if no earlier run contains the case.
fn change(row: &CaseAnalysis<'_>, past: &[&Past]) -> Option<f64> {
    let (now, id) = (row.time()?.estimate, row.case().id());
    let times = past.iter().filter_map(|past| Some((past.medians.get(&id)?.estimate / now).ln().abs()));
    times.reduce(f64::max)
}

/// Returns a case's times relative to the newest run. Returns `None` if no earlier run contains the case.
fn curve<'r, 'a>(row: &'r CaseAnalysis<'a>, past: &[&Past]) -> Option<Curve<'r, 'a>> {
    let now = row.time()?;
    let points = past.iter().enumerate().filter_map(|(place, past)| Some((place, row.time_over(past)?)));
    let mut points: Vec<(usize, Interval)> = points.collect();
    let newest = Interval { estimate: 1.0, low: 1.0, high: 1.0, ..now };
    if points.is_empty() {
        return None;
    }
    points.push((past.len(), newest));
    Some(Curve { row, points })
}

/// Lists the changes between two runs: `aws-lc 5.11.0 → 5.12.0, Rust compiler 1.94.0 → 1.95.0`.
fn changes_text(changes: &[Difference], before: &Environment, after: &Environment) -> String {
    let version = |environment: &Environment, id: &str| {
        let build = environment.providers.iter().find(|build| build.id == id)?;
        Some(build.version.clone())
    };
    let text = |change: &Difference| {
        let id = change.what.split_once(' ').map_or("", |(_, id)| id);
        match (version(before, id), version(after, id)) {
            (Some(first), Some(second)) if first != second => format!("{id} {first} → {second}"),
            (Some(_), Some(_)) => format!("{id} rebuilt"),
            _ if change.first.len() + change.second.len() < 60 => {
                let short = |text: &str| text.split(" (").next().unwrap_or_default().to_owned();
                format!("{} {} → {}", change.what, short(&change.first), short(&change.second))
            }
            _ => change.what.clone(),
        }
    };
    let named: Vec<String> = changes.iter().take(CHANGES).map(text).collect();
    let more = changes.len().saturating_sub(CHANGES);
    format!("{}{}", named.join(", "), if more > 0 { format!(" and {more} more") } else { String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn changes_are_marked_and_limits_drawn() {
        let run = fixtures::run();
        let mut earlier = fixtures::run();
        earlier.records[0].samples = fixtures::samples(12.0, 1);
        earlier.header.environment.build.rustc = "rustc 1.94.0".to_owned();
        let analysis = RunAnalysis::new(&run);
        let chart = trend(&analysis, &[Past::new(&earlier)], "trend").unwrap();
        assert!(chart.svg.contains("class=\"band\"") && chart.svg.contains(">[1]<"), "{}", chart.svg);
        assert!(chart.about.contains("rustc 1.94.0 →"), "{}", chart.about);
        assert!(chart.svg.contains("control limits"), "{}", chart.svg);
        let same = trend(&analysis, &[Past::new(&run)], "trend").unwrap();
        assert!(!same.svg.contains(">[1]<"));
        assert_eq!(trend(&analysis, &[], "trend"), None);
    }
}
