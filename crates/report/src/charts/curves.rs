//! Charts with curves: throughput by number of threads and tasks, and time by message length.

use super::areas::{repeated, subject};
use super::canvas::{Anchor, Canvas, LABEL_LINE, LegendEntry, Quantity, Scale, TextStyle, lines_of, width_of};
use super::look::Looks;
use super::provenance::{cycle_whiskers, named, time_whiskers};
use super::{Chart, ratios, slug};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct, grouped, rate};
use pqlab_record::{Case, Parameter, Statistic};
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 340.0;
/// Maximum distance between two marks that stand side by side, in SVG units.
const MARK: f64 = 9.0;
/// Maximum number of curves in a picture.
const MOST: usize = 12;
/// Maximum width of the labels, in SVG units. Longer labels take several lines.
pub(super) const LABELS: f64 = 250.0;

/// A point of a curve: the value on the horizontal axis, and the value with its interval on the vertical axis.
#[derive(Clone, Copy)]
pub(super) struct Point {
    pub(super) at: f64,
    pub(super) value: Interval,
    /// Reason why the case is not ranked. The mark is then hollow.
    pub(super) doubt: Option<&'static str>,
    /// Statistic of the case; `None` if the value is a rate, which is the reciprocal of a mean.
    pub(super) statistic: Option<Statistic>,
}

/// A curve: figures of one provider.
pub(super) struct Series {
    /// Description of what was measured, without the library.
    pub(super) what: String,
    pub(super) provider: String,
    pub(super) algorithm: String,
    pub(super) points: Vec<Point>,
}

impl Series {
    pub(super) fn name(&self) -> String {
        format!("{} · {}", self.what, self.provider)
    }

    /// Returns the reason why a case of the curve is not ranked, if there is one.
    fn doubt(&self) -> Option<&'static str> {
        self.points.iter().find_map(|point| point.doubt)
    }
}

/// Name, title and axes of a chart with curves.
pub(super) struct Plot<'p> {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) across: (&'p str, Quantity),
    pub(super) up: (&'p str, Quantity),
    /// Whether the vertical scale is logarithmic.
    pub(super) log: bool,
    /// Whether to draw ideal growth for each curve: values proportional to its first point.
    pub(super) ideal: bool,
    /// Sentence for the small print.
    pub(super) note: &'p str,
}

/// Returns a curve for each group of cases that differ only in `parameter`, if the group has at least two points.
/// `value` returns the value of a point, and `statistic` its statistic, or `None` for a rate.
pub(super) fn series<'r>(
    rows: impl Iterator<Item = &'r CaseAnalysis<'r>>,
    parameter: &str,
    value: impl Fn(&CaseAnalysis<'_>) -> Option<Interval>,
    statistic: impl Fn(&CaseAnalysis<'_>) -> Option<Statistic>,
) -> Vec<Series> {
    let with = rows.filter(|row| row.case().number(parameter).is_some() && !row.case().is_null());
    let all = grouped(with, |row| (what_without(row.case(), parameter), row.case().provider.clone()))
        .into_iter()
        .map(|((what, provider), rows)| {
            let point = |row: &&CaseAnalysis<'_>| {
                let (at, value) = (row.case().number(parameter)? as f64, value(row)?);
                Some(Point { at, value, doubt: ratios::doubt(row), statistic: statistic(row) })
            };
            let mut points: Vec<Point> = rows.iter().filter_map(point).collect();
            points.sort_by(|one, other| one.at.total_cmp(&other.at));
            let algorithm = rows.first().map(|row| row.case().algorithm.clone()).unwrap_or_default();
            Series { what, provider, algorithm, points }
        })
        .collect();
    curves(all)
}

/// Returns the statistic of a case.
pub(super) fn statistic_of(row: &CaseAnalysis<'_>) -> Option<Statistic> {
    row.estimates.as_ref().map(|estimates| estimates.statistic)
}

/// Returns the part of the name that all cases of a curve share. Omits the library and the parameter on the horizontal
/// axis.
fn what_without(case: &Case, parameter: &str) -> String {
    case.clone().without(&[parameter]).name()
}

/// Returns the curves with at least two points, sorted by their last value, largest first.
pub(super) fn curves(mut all: Vec<Series>) -> Vec<Series> {
    all.retain(|series| series.points.len() > 1);
    all.sort_by(|one, other| last(other).total_cmp(&last(one)));
    all
}

fn last(series: &Series) -> f64 {
    series.points.last().map_or(0.0, |point| point.value.estimate)
}

/// Returns positions for labels of the given heights. The labels do not overlap and are as close as possible to the
/// positions in `wanted`, which must be sorted. A position is the middle of a label.
pub(super) fn spread(wanted: &[f64], heights: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    let mut places = wanted.to_vec();
    let apart = |place: usize| (heights[place] + heights[place + 1]) / 2.0;
    for place in 1..places.len() {
        places[place] = places[place].max(places[place - 1] + apart(place - 1));
    }
    // If the last labels are below the plot, move them and their neighbors up.
    for place in (0..places.len()).rev() {
        let limit = if place + 1 < places.len() { places[place + 1] - apart(place) } else { bottom };
        places[place] = places[place].min(limit);
    }
    let over = top - places.first().copied().unwrap_or(top);
    if over > 0.0 { places.iter().map(|place| place + over).collect() } else { places }
}

/// Draws curves, each with a label at its right end.
pub(super) fn draw(analysis: &RunAnalysis<'_>, plot: &Plot<'_>, mut all: Vec<Series>) -> Option<Chart> {
    let total = all.len();
    all.truncate(MOST);
    all.first()?;
    let what = distinct(all.iter().map(|series| series.what.as_str()));
    let what: Vec<String> = what.into_iter().map(str::to_owned).collect();
    let title = match what.as_slice() {
        [only] => format!("{}, {only}", plot.title),
        _ => plot.title.clone(),
    };
    let looks = Looks::new(analysis);
    let look = |series: &Series| {
        let look = looks.of_provider(&series.provider);
        let place = what.iter().position(|one| *one == series.what).unwrap_or_default();
        if what.len() > 1 { look.shaped(place) } else { look }
    };
    let legend = if plot.ideal {
        vec![(LegendEntry::Ideal, "ideal: proportional to the first point".to_owned())]
    } else {
        Vec::new()
    };
    let label_of = |series: &Series| -> Vec<String> {
        let doubts = series.points.iter().filter(|point| point.doubt.is_some()).count();
        let some = doubts > 0 && doubts < series.points.len();
        let doubt = series.doubt().map(|reason| match some {
            true => format!("{doubts} of {} {reason}", series.points.len()),
            false => reason.to_owned(),
        });
        let library = named(analysis, &series.provider, &series.algorithm, doubt.as_deref());
        let name = if what.len() > 1 { format!("{} · {library}", series.what) } else { library };
        lines_of(&name, 11.0, LABELS)
    };
    let labels: Vec<Vec<String>> = all.iter().map(label_of).collect();
    let height_of = |number: usize| LABEL_LINE * labels[number].len() as f64 + 3.0;
    let widest = labels.iter().flatten().map(|text| width_of(text, 11.0)).fold(60.0, f64::max);
    let mut canvas = Canvas::new(WIDTH);
    let top = canvas.head(&title, &legend) + 24.0;
    let height = HEIGHT.max((0..all.len()).map(height_of).sum::<f64>() + 80.0);
    canvas.ends_at(top + height - 4.0);
    canvas.text(0.0, top - 14.0, TextStyle::Faint, Anchor::Start, plot.up.0);
    let (left, right, bottom) = (62.0, WIDTH - widest - 28.0, top + height - 44.0);
    let places = || all.iter().flat_map(|series| series.points.iter().map(|point| point.at));
    let count = all.len();
    let ideal = |series: &Series| {
        let (first, last) = (series.points.first()?, series.points.last()?);
        Some(first.value.estimate * last.at / first.at)
    };
    let ideals = || all.iter().filter(|_| plot.ideal).filter_map(ideal);
    let bounds = || {
        let points = all.iter().flat_map(|series| &series.points);
        points.flat_map(|point| [point.value.low, point.value.high]).chain(ideals())
    };
    let mut ticks: Vec<f64> = places().collect();
    ticks.sort_by(f64::total_cmp);
    ticks.dedup();
    // Marks of the same place stand side by side, so that they do not hide each other.
    let plain = Scale::log(places(), left, right);
    let closest = ticks.windows(2).map(|pair| plain.at(pair[1]) - plain.at(pair[0])).fold(f64::INFINITY, f64::min);
    let step = if count > 1 { (0.7 * closest / count as f64).min(MARK) } else { 0.0 };
    let aside = |number: usize| step * (number as f64 - (count - 1) as f64 / 2.0);
    let across = Scale::log(places(), left - aside(0), right + aside(0));
    let up = if plot.log { Scale::log(bounds(), bottom, top) } else { Scale::linear(bounds(), bottom, top) };
    canvas.axis_up(&up, plot.up.1, left, right);
    let mut free = f64::NEG_INFINITY;
    for tick in ticks.iter().take(40) {
        let (x, text) = (across.at(*tick), plot.across.1.show(*tick));
        canvas.rule((x, top), (x, bottom));
        let half = width_of(&text, 11.0) / 2.0;
        if x - half > free {
            canvas.text(x, bottom + 15.0, TextStyle::Faint, Anchor::Middle, &text);
            free = x + half + 4.0;
        }
    }
    let scale = if plot.log { "both axes logarithmic" } else { "logarithmic" };
    let ticks_of = |quantity: Quantity| if quantity == Quantity::Bytes { "unit at each tick, " } else { "" };
    let axis = format!("{} ({}{scale})", plot.across.0, ticks_of(plot.across.1));
    canvas.text((left + right) / 2.0, bottom + 34.0, TextStyle::Faint, Anchor::Middle, &axis);
    if step > 0.0 {
        canvas.note("Marks for the same value on the horizontal axis are set side by side.");
    }
    for (number, series) in all.iter().enumerate() {
        let look = look(series);
        let at = |point: &Point| (across.at(point.at) + aside(number), up.at(point.value.estimate));
        let points: Vec<(f64, f64)> = series.points.iter().map(at).collect();
        match series.points.iter().all(|point| point.doubt.is_some()) {
            true => canvas.ideal(&points),
            false => canvas.line(look.colour, &points),
        }
        for (point, (x, y)) in series.points.iter().zip(&points) {
            let (place, value) = (plot.across.1.show(point.at), plot.up.1.show(point.value.estimate));
            canvas.interval_up(*x, &up, point.value.low, point.value.high);
            let about = format!("{} at {place}: {value}", series.name());
            canvas.mark(look.doubted(point.doubt), *x, *y, &about);
            canvas.shows_figure(&series.provider, &series.algorithm, point.doubt);
            match point.statistic {
                Some(statistic) => canvas.shows_statistic(statistic),
                None => canvas.note("Rates are reciprocals of means."),
            }
        }
        // Draw the line of ideal growth after the curve, so that it stays visible if the two
        // coincide.
        if let (true, Some(first)) = (plot.ideal, series.points.first()) {
            let at = |place: f64| (across.at(place) + aside(number), up.at(first.value.estimate * place / first.at));
            canvas.ideal(&series.points.iter().map(|point| at(point.at)).collect::<Vec<_>>());
        }
    }
    let mut ends: Vec<(f64, f64, usize)> = all
        .iter()
        .enumerate()
        .filter_map(|(number, series)| {
            let point = series.points.last()?;
            Some((up.at(point.value.estimate), across.at(point.at) + aside(number), number))
        })
        .collect();
    ends.sort_by(|one, other| one.0.total_cmp(&other.0));
    let wanted: Vec<f64> = ends.iter().map(|(y, ..)| *y).collect();
    let heights: Vec<f64> = ends.iter().map(|(.., number)| height_of(*number)).collect();
    for (place, (y, x, number)) in spread(&wanted, &heights, top, bottom).iter().zip(&ends) {
        let series = &all[*number];
        let every = series.points.iter().all(|point| point.doubt.is_some());
        canvas.rule((x + 7.0, *y), (right + 10.0, *place));
        canvas.symbol(look(series).doubted(series.doubt().filter(|_| every)), right + 16.0, *place, &series.name());
        canvas.label(right + 25.0, *place, TextStyle::Faint, Anchor::Start, &labels[*number]);
    }
    let in_cycles = plot.up.0.starts_with("core cycles");
    canvas.note(if in_cycles { cycle_whiskers(analysis) } else { time_whiskers(analysis) });
    canvas.note(plot.note);
    if what.len() > 1 {
        canvas.note("Colours are libraries; shapes are algorithms and operations.");
    }
    let listed: Vec<String> = all
        .iter()
        .map(|series| {
            let show =
                |point: &Point| format!("{} at {}", plot.up.1.show(point.value.estimate), plot.across.1.show(point.at));
            format!("{}: {}", series.name(), series.points.iter().map(show).collect::<Vec<_>>().join(", "))
        })
        .collect();
    let ideal = if plot.ideal { " Dashed: ideal, proportional to the first point." } else { "" };
    let more = if total > MOST { format!(" The table lists {} more.", total - MOST) } else { String::new() };
    canvas.note(more.trim_start());
    let about = format!("Figures by {}, with 95% intervals.{ideal} {}.{more}", plot.across.0, listed.join("; "));
    Some(canvas.finish(analysis, &plot.name, &title, about))
}

/// If all curves show the same operation, removes the operation from the names of the curves. Returns the plural noun
/// for the label of the axis, such as `server handshakes` or `operations`.
fn counted<'r>(area: &str, rows: impl Iterator<Item = &'r CaseAnalysis<'r>>, all: &mut [Series]) -> String {
    match distinct(rows.map(|row| row.case().operation.as_str())).as_slice() {
        [operation] => {
            let word = format!(" {operation}");
            all.iter_mut().for_each(|series| series.what = series.what.replacen(&word, "", 1));
            repeated(area, operation)
        }
        _ => "operations".to_owned(),
    }
}

/// Draws throughput by number of threads, with ideal growth.
pub(super) fn threads(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    // A sample of these cases is the elapsed time divided by the number of operations on all
    // threads, so its reciprocal is the throughput.
    let rows = || analysis.area(area).filter(|row| row.case().tasks().is_none() && row.case().threads().is_some());
    let transactions = rows().any(|row| row.case().transactions().is_some());
    let count = |row: &CaseAnalysis<'_>| row.case().transactions().unwrap_or(1) as f64;
    let mut all = series(rows(), Parameter::THREADS, |row| rate(row, count(row)), |_| None);
    let counted = if transactions { "transactions".to_owned() } else { counted(area, rows(), &mut all) };
    let up = format!("{counted} per second");
    let plot = Plot {
        name: format!("threads-{}", slug(area)),
        title: format!("{}: {up} by number of threads", subject(area)),
        across: ("number of threads", Quantity::Plain),
        up: (&up, Quantity::Rate),
        log: true,
        ideal: true,
        note: "",
    };
    draw(analysis, &plot, all)
}

/// Draws throughput by number of concurrent tasks.
pub(super) fn load(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let all = series(analysis.area(area), Parameter::TASKS, |row| rate(row, 1.0), |_| None);
    let plot = Plot {
        name: format!("load-{}", slug(area)),
        title: format!("{}: tasks per second by number of concurrent tasks", subject(area)),
        across: ("number of concurrent tasks", Quantity::Plain),
        up: ("tasks per second", Quantity::Rate),
        log: false,
        ideal: false,
        note: "A task is one operation, submitted to a pool of worker threads.",
    };
    draw(analysis, &plot, all)
}

/// Draws time by message length. Draws bytes per second instead, if the operations process the entire message.
pub(super) fn lengths(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let through = analysis.area(area).any(|row| row.case().facts.bytes.is_some());
    let rows = || analysis.area(area).filter(|row| row.usual());
    let (title, up, all) = if through {
        let all = series(rows(), Parameter::LENGTH, |row| rate(row, row.case().facts.bytes? as f64), |_| None);
        // Show a single hash function, so that the chart compares providers.
        let functions = ["SHA3-256 digest", "SHA-256 digest"];
        let function =
            functions.into_iter().find(|function| all.iter().filter(|series| series.what == *function).count() > 1);
        let all = all.into_iter().filter(|series| function.is_none_or(|function| series.what == function)).collect();
        let title = format!("{}: throughput by message length", subject(area));
        (title, ("bytes per second (unit at each tick)", Quantity::Throughput), all)
    } else {
        let all = series(rows(), Parameter::LENGTH, |row| row.time(), statistic_of);
        let title = format!("{}: time per operation by message length", subject(area));
        (title, ("time per operation (unit at each tick)", Quantity::Time), all)
    };
    let plot = Plot {
        name: format!("lengths-{}", slug(area)),
        title,
        across: ("message length", Quantity::Bytes),
        up,
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
        let chart = threads(&RunAnalysis::new(&run), "ledger").unwrap();
        assert!(chart.title.contains("transactions per second by number of threads"), "{}", chart.title);
        assert!(chart.about.contains("verify-block[encoded,tx=100,"), "{}", chart.about);
        assert!(chart.about.contains("verify-block[tx=100,"), "{}", chart.about);
    }
}
