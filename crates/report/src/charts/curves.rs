//! Charts with curves: throughput by threads and tasks, time by message length, medians over runs.

use super::canvas::{Anchor, Canvas, LegendEntry, Quantity, Scale, TextStyle};
use super::{Chart, slug};
use pqlab_analysis::history::Past;
use pqlab_analysis::{CaseAnalysis, RunAnalysis, grouped, rate};
use pqlab_record::{Case, Parameter};
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 320.0;
/// Maximum number of curves in a picture.
const MOST: usize = 8;

/// A curve: its name, and its points with their intervals.
pub(super) struct Series {
    pub(super) name: String,
    pub(super) points: Vec<(f64, Interval)>,
}

/// Name, title and axes of a chart with curves.
pub(super) struct Plot<'p> {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) across: (&'p str, Quantity),
    pub(super) up: (&'p str, Quantity),
    /// Whether the vertical scale is logarithmic.
    pub(super) log: bool,
    /// Whether to draw ideal growth, which is proportional to the first point of each curve.
    pub(super) ideal: bool,
}

/// Returns a curve for each group of rows that differ only in `parameter`, if the group has at least two points.
fn series<'r>(
    rows: impl Iterator<Item = &'r CaseAnalysis<'r>>,
    parameter: &str,
    value: impl Fn(&CaseAnalysis<'_>) -> Option<Interval>,
) -> Vec<Series> {
    let with = rows.filter(|row| row.case().number(parameter).is_some() && !row.case().is_null());
    let all = grouped(with, |row| name_without(row.case(), parameter))
        .into_iter()
        .map(|(name, rows)| {
            let point = |row: &&CaseAnalysis<'_>| Some((row.case().number(parameter)? as f64, value(row)?));
            let mut points: Vec<(f64, Interval)> = rows.iter().filter_map(point).collect();
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            Series { name, points }
        })
        .collect();
    curves(all)
}

/// Returns the name that all cases of a curve share. It omits the parameter on the horizontal axis.
fn name_without(case: &Case, parameter: &str) -> String {
    let case = case.clone().without(&[parameter]);
    format!("{} · {}", case.name(), case.provider)
}

/// Returns the curves with at least two points, sorted by their last value in descending order.
pub(super) fn curves(mut all: Vec<Series>) -> Vec<Series> {
    all.retain(|series| series.points.len() > 1);
    all.sort_by(|one, other| last(other).total_cmp(&last(one)));
    all
}

fn last(series: &Series) -> f64 {
    series.points.last().map_or(0.0, |(_, interval)| interval.estimate)
}

/// Removes the part before the provider from the names if all names share it. Returns this part and the providers'
/// usual colours.
fn in_common(all: &mut [Series], analysis: &RunAnalysis<'_>) -> Option<(String, Vec<usize>)> {
    let (what, _) = all.first()?.name.split_once(" · ")?;
    let what = what.to_owned();
    let prefix = format!("{what} · ");
    let provider =
        |series: &Series| analysis.providers.contains(&series.name.strip_prefix(&prefix)?.to_owned()).then_some(());
    if all.len() < 2 || all.iter().any(|series| provider(series).is_none()) {
        return None;
    }
    all.iter_mut().for_each(|series| series.name = series.name[prefix.len()..].to_owned());
    Some((what, all.iter().map(|series| analysis.series(&series.name)).collect()))
}

pub(super) fn draw(analysis: &RunAnalysis<'_>, plot: &Plot<'_>, mut all: Vec<Series>) -> Option<Chart> {
    let total = all.len();
    all.truncate(MOST);
    if all.is_empty() {
        return None;
    }
    let (title, colours) = match in_common(&mut all, analysis) {
        Some((what, colours)) => (format!("{}, {what}", plot.title), colours),
        None => (plot.title.clone(), (0..all.len()).collect()),
    };
    let mut legend: Vec<(LegendEntry, String)> =
        all.iter().zip(&colours).map(|(series, colour)| (LegendEntry::Mark(*colour), series.name.clone())).collect();
    if plot.ideal {
        legend.push((LegendEntry::Ideal, "ideal: proportional to the first point".to_owned()));
    }
    let mut canvas = Canvas::new(WIDTH, 0.0);
    let top = canvas.head_of(&title, &legend) + 20.0;
    let mut canvas = Canvas::new(WIDTH, top + HEIGHT);
    canvas.head_of(&title, &legend);
    canvas.text(0.0, top - 12.0, TextStyle::Faint, Anchor::Start, plot.up.0);
    let (left, right, bottom) = (62.0, WIDTH - 20.0, top + HEIGHT - 44.0);
    let places = || all.iter().flat_map(|series| series.points.iter().map(|(place, _)| *place));
    let ideal =
        |series: &Series| Some(series.points.first()?.1.estimate * series.points.last()?.0 / series.points.first()?.0);
    let ideals = || all.iter().filter(|_| plot.ideal).filter_map(ideal);
    let bounds = || {
        let measured =
            all.iter().flat_map(|series| series.points.iter().flat_map(|(_, value)| [value.low, value.high]));
        measured.chain(ideals())
    };
    let across = Scale::log(places(), left, right);
    let up = if plot.log { Scale::log(bounds(), bottom, top) } else { Scale::linear(bounds(), bottom, top) };
    canvas.axis_up(&up, plot.up.1, left, right);
    let mut ticks: Vec<f64> = places().collect();
    ticks.sort_by(f64::total_cmp);
    ticks.dedup();
    for tick in ticks.iter().take(14) {
        canvas.rule((across.at(*tick), top), (across.at(*tick), bottom));
        canvas.text(across.at(*tick), bottom + 15.0, TextStyle::Faint, Anchor::Middle, &plot.across.1.show(*tick));
    }
    canvas.text((left + right) / 2.0, bottom + 34.0, TextStyle::Faint, Anchor::Middle, plot.across.0);
    for (series, index) in all.iter().zip(colours) {
        let points: Vec<(f64, f64)> =
            series.points.iter().map(|(place, value)| (across.at(*place), up.at(value.estimate))).collect();
        canvas.line(index, &points, false);
        for ((place, value), (x, y)) in series.points.iter().zip(&points) {
            canvas.interval_up(*x, &up, value.low, value.high);
            canvas.mark(
                index,
                *x,
                *y,
                &format!("{} at {}: {}", series.name, plot.across.1.show(*place), plot.up.1.show(value.estimate)),
            );
        }
        // Draw the ideal over the curve, because the two may coincide.
        if let (true, Some((first, value))) = (plot.ideal, series.points.first()) {
            let at = |place: f64| (across.at(place), up.at(value.estimate * place / first));
            canvas.ideal(&series.points.iter().map(|(place, _)| at(*place)).collect::<Vec<_>>());
        }
    }
    let listed: Vec<String> = all
        .iter()
        .map(|series| {
            let points: Vec<String> = series
                .points
                .iter()
                .map(|(place, value)| format!("{} at {}", plot.up.1.show(value.estimate), plot.across.1.show(*place)))
                .collect();
            format!("{}: {}", series.name, points.join(", "))
        })
        .collect();
    let ideal = if plot.ideal { " Dashed: ideal, proportional to the first point." } else { "" };
    let more = if total > MOST { format!(" The table lists {} more.", total - MOST) } else { String::new() };
    let about = format!("Plotted against {}, with 95% intervals.{ideal} {}.{more}", plot.across.0, listed.join("; "));
    Some(canvas.finish(&plot.name, &title, about))
}

/// Draws throughput by number of threads, with ideal growth.
pub(super) fn threads(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    // A sample of these cases is the elapsed time divided by the number of operations on all threads, so its reciprocal
    // is the throughput.
    let rows = analysis.area(area).filter(|row| row.case().tasks().is_none());
    let count = |row: &CaseAnalysis<'_>| row.case().transactions().unwrap_or(1) as f64;
    let all = series(rows, Parameter::THREADS, |row| rate(row, count(row)));
    let title = format!("{area}: throughput by threads");
    let plot = Plot {
        name: format!("threads-{}", slug(area)),
        title,
        across: ("threads", Quantity::Plain),
        up: ("operations per second", Quantity::Rate),
        log: true,
        ideal: true,
    };
    draw(analysis, &plot, all)
}

/// Draws throughput by number of concurrent tasks.
pub(super) fn load(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let all = series(analysis.area(area), Parameter::TASKS, |row| rate(row, 1.0));
    let title = format!("{area}: throughput by concurrent tasks");
    let plot = Plot {
        name: format!("load-{}", slug(area)),
        title,
        across: ("concurrent tasks", Quantity::Plain),
        up: ("tasks per second", Quantity::Rate),
        log: false,
        ideal: false,
    };
    draw(analysis, &plot, all)
}

/// Draws time by message length, or bytes per second if operations process the whole message.
pub(super) fn lengths(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let through = analysis.area(area).any(|row| row.case().facts.bytes.is_some());
    let rows = || analysis.area(area).filter(|row| row.usual());
    let (title, up, all) = if through {
        let all = series(rows(), Parameter::LENGTH, |row| rate(row, row.case().facts.bytes? as f64));
        // Show a single hash function, so that readers can compare providers.
        let functions = ["SHA3-256 digest ·", "SHA-256 digest ·"];
        let function = functions
            .into_iter()
            .find(|function| all.iter().filter(|series| series.name.starts_with(function)).count() > 1);
        let all = all
            .into_iter()
            .filter(|series| function.is_none_or(|function| series.name.starts_with(function)))
            .collect();
        (format!("{area}: throughput by message length"), ("bytes per second", Quantity::Throughput), all)
    } else {
        let all = series(rows(), Parameter::LENGTH, |row| row.median());
        (format!("{area}: time by message length"), ("time per operation", Quantity::Time), all)
    };
    let plot = Plot {
        name: format!("lengths-{}", slug(area)),
        title,
        across: ("message length", Quantity::Bytes),
        up,
        log: true,
        ideal: false,
    };
    draw(analysis, &plot, all)
}

/// Draws medians over the runs on the same machine, relative to the newest run.
pub(super) fn trend(analysis: &RunAnalysis<'_>, past: &[Past], name: &str) -> Option<Chart> {
    let past: Vec<&Past> = past.iter().filter(|past| past.same_machine(analysis.run)).collect();
    let post_quantum = |row: &&CaseAnalysis<'_>| row.usual() && row.median().is_some() && !row.case().is_null();
    let rows = analysis.cases().iter().filter(post_quantum).filter(|row| !row.case().is_overhead());
    let mut all: Vec<Series> = rows
        .filter_map(|row| {
            let now = row.median()?;
            let id = row.case().id();
            let relative = |one: Interval| Interval {
                estimate: one.estimate / now.estimate,
                low: one.low / now.estimate,
                high: one.high / now.estimate,
                ..one
            };
            let mut points: Vec<(f64, Interval)> = past
                .iter()
                .enumerate()
                .filter_map(|(place, past)| Some((place as f64 + 1.0, relative(*past.medians.get(&id)?))))
                .collect();
            points.push((past.len() as f64 + 1.0, relative(now)));
            (points.len() > 1).then_some(Series { name: format!("{} · {}", row.job(), row.case().provider), points })
        })
        .collect();
    // Show the largest changes first.
    let change = |series: &Series| series.points.iter().map(|(_, value)| value.estimate.ln().abs()).fold(0.0, f64::max);
    all.sort_by(|one, other| change(other).total_cmp(&change(one)));
    let plot = Plot {
        name: name.to_owned(),
        title: "Trend: the cases that changed most, relative to the newest run".to_owned(),
        across: ("runs, oldest to newest", Quantity::Plain),
        up: ("relative to the newest run", Quantity::Plain),
        log: true,
        ideal: false,
    };
    draw(analysis, &plot, all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_record::{Form, Run};

    #[test]
    fn key_forms_have_separate_curves() {
        let on = |threads, encoded: bool, microseconds| {
            let mut record = fixtures::ledger_block("ML-DSA-65", "aws-lc", 100, microseconds);
            record.case.form = Some(if encoded { Form::Encoded } else { Form::Prepared });
            record.case.parameters.push(Parameter::Number("threads".into(), threads));
            record
        };
        let records = vec![on(1, true, 4_000.0), on(2, true, 2_000.0), on(1, false, 700.0), on(2, false, 350.0)];
        let run = Run { records, ..fixtures::run() };
        let chart = threads(&RunAnalysis::of(&run), "ledger").unwrap();
        assert!(chart.about.contains("verify-block[encoded,tx=100,"), "{}", chart.about);
        assert!(chart.about.contains("verify-block[tx=100,"), "{}", chart.about);
    }
}
