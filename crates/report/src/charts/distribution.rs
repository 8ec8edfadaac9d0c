//! Charts of the times of single operations: cumulative distributions by provider, and violins by algorithm.

use super::areas::subject;
use super::canvas::{Anchor, Canvas, LABEL_LINE, LegendEntry, Quantity, Scale, TextStyle, lines_of, width_of};
use super::intervals::{LOWEST, library_words, usual};
use super::look::{Look, Looks};
use super::provenance::failures;
use super::ratios::{doubt, name as name_of};
use super::{Chart, slug};
use pqlab_analysis::number::time;
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct, grouped};
use pqlab_stats::Sorted;

const WIDTH: f64 = 760.0;
/// Height of the plot of cumulative distributions, in SVG units.
const PLOT: f64 = 230.0;
/// Quantile at which the time axis ends. If the axis included the slowest samples, all others would be squeezed into
/// the left of the plot.
const SHOWN: f64 = 0.99;
/// Number of steps of a curve.
const STEPS: usize = 200;
/// Operations, in order of preference.
const FIRST: [&str; 6] = ["sign", "decapsulate", "handshake", "verify", "reply", "encapsulate"];
/// Maximum number of curves in a picture.
const CURVES: usize = 8;
/// Maximum number of violins in a picture.
const VIOLINS: usize = 14;
/// Minimum height of a violin's row, in SVG units.
const LINE: f64 = 34.0;
/// Maximum width of a violin's label, in SVG units.
const NAMES: f64 = 300.0;
/// Minimum number of samples of single operations for a curve or a violin.
const LEAST: usize = 20;
/// Title of the time axis.
const AXIS: &str = "time of one operation (unit at each tick, logarithmic)";

fn single<'r, 'a>(rows: &[&'r CaseAnalysis<'a>]) -> Vec<&'r CaseAnalysis<'a>> {
    let single = |row: &&&CaseAnalysis<'_>| {
        row.estimates.as_ref().is_some_and(|estimates| estimates.batch == 1 && estimates.n >= LEAST)
    };
    rows.iter().filter(single).copied().collect()
}

/// Draws the times of one operation of an area, with a curve for each provider. Prefers post-quantum algorithms, then
/// operations with more providers, then operations that come first in [`FIRST`].
pub(super) fn cumulative(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let rows = single(&usual(analysis, area));
    let jobs = grouped(rows.iter().copied(), |row| row.job());
    let rank = |operation: &str| FIRST.iter().position(|first| *first == operation).unwrap_or(FIRST.len());
    let best = jobs.iter().filter(|(_, rows)| rows.len() > 1).max_by_key(|(_, rows)| {
        let post_quantum = rows.iter().any(|row| row.case().facts.category.is_some());
        (post_quantum, rows.len().min(CURVES), std::cmp::Reverse(rank(&rows[0].case().operation)))
    });
    let (job, rows) = best?;
    let with_times = rows.iter().filter_map(|row| Some((*row, row.times()?)));
    let mut curves: Vec<(&CaseAnalysis<'_>, Sorted)> = with_times.collect();
    curves.sort_by(|(_, one), (_, other)| one.median().total_cmp(&other.median()));
    let more = curves.len().saturating_sub(CURVES);
    curves.truncate(CURVES);
    let looks = Looks::new(analysis);
    let look = |row: &CaseAnalysis<'_>| looks.of_provider(&row.case().provider).doubted(doubt(row));
    let entry = |(row, times): &(&CaseAnalysis<'_>, Sorted)| {
        let text = format!("{}, median {}", name_of(analysis, row), time(times.median()));
        (LegendEntry::Mark(look(row)), text)
    };
    let title = format!("{job}: cumulative distribution of single-operation times");
    let mut canvas = Canvas::new(WIDTH);
    let head = canvas.head(&title, &curves.iter().map(entry).collect::<Vec<_>>());
    let (left, right, top) = (52.0, WIDTH - 16.0, head + 20.0);
    let bottom = top + PLOT;
    canvas.ends_at(bottom + 40.0);
    canvas.text((left + right) / 2.0, bottom + 34.0, TextStyle::Faint, Anchor::Middle, AXIS);
    canvas.text(0.0, head + 6.0, TextStyle::Faint, Anchor::Start, "operations that took at most this time");
    // The axis ends at the time by which the slowest library has completed 99% of its operations. The other curves
    // continue to that time.
    let ends = || curves.iter().map(|(_, times)| times.quantile(SHOWN));
    let last = ends().fold(0.0, f64::max);
    let across = Scale::log(curves.iter().map(|(_, times)| times.min()).chain(ends()), left, right);
    let up = Scale::between(0.0, 1.0, bottom, top);
    canvas.axis_across(&across, Quantity::Time, top, bottom);
    canvas.axis_up(&up, Quantity::Share, left, right);
    let mut cut = Vec::new();
    for (row, times) in &curves {
        let points = steps(times, last, &across, &up);
        match look(row).is_doubtful {
            true => canvas.ideal(&points),
            false => canvas.line(look(row).colour, &points),
        }
        if times.max() > last {
            cut.push(format!("{} {}", row.case().provider, time(times.max())));
        }
    }
    for (row, times) in &curves {
        canvas.mark(look(row), across.at(times.median()), up.at(0.5), "median");
        canvas.shows_figure(&row.case().provider, &row.case().algorithm, doubt(row));
    }
    let spread: Vec<String> = curves.iter().filter_map(|(row, _)| spread(row)).collect();
    canvas.note("A curve gives the percentage of operations that took at most the time on the axis.");
    canvas.note("A mark is the median.");
    let end = match cut.as_slice() {
        [] => "Every curve reaches 100%.".to_owned(),
        _ => format!(
            "The time axis ends at {}, the largest 99th percentile. Curves that end there reach 100% at: {}.",
            time(last),
            cut.join(", ")
        ),
    };
    canvas.note(end.clone());
    canvas.note("Curves have no whiskers; the tables give the intervals of the medians.");
    let more = if more > 0 { format!("Slower libraries, only in the table: {more}.") } else { String::new() };
    canvas.note(more.clone());
    canvas.note(failures(analysis, rows));
    let about =
        format!("Percentage of operations that took at most the time shown. {}. {end} {more}", spread.join("; "));
    Some(canvas.finish(analysis, &format!("distribution-{}", slug(area)), &title, about.trim_end().to_owned()))
}

/// Returns the points of a cumulative distribution, drawn as a step function. The last point shows the exact fraction
/// of samples that took at most `last`.
fn steps(times: &Sorted, last: f64, across: &Scale, up: &Scale) -> Vec<(f64, f64)> {
    let all = times.as_slice();
    let reached = all.partition_point(|time| *time <= last) as f64 / all.len() as f64;
    let shares = (0..=STEPS).map(|step| step as f64 / STEPS as f64).filter(|share| *share < reached);
    let curve = shares.map(|share| (times.quantile(share), share)).filter(|(time, _)| *time <= last);
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (time, share) in curve.chain([(times.max().min(last), reached)]) {
        let (x, y) = (across.at(time), up.at(share));
        points.extend(points.last().map(|(_, before)| (x, *before)));
        points.push((x, y));
    }
    // After its slowest operation, a curve stays at 100%.
    points.extend(points.last().map(|(_, y)| (across.at(last), *y)));
    points
}

/// Draws one violin per algorithm, which shows the algorithm's fastest provider. All violins show the same operation:
/// the first one in [`FIRST`] that at least two algorithms have.
pub(super) fn violins(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let rows = single(&usual(analysis, area));
    let operation = FIRST.into_iter().find(|first| {
        grouped(rows.iter().copied().filter(|row| row.case().operation == *first), |row| row.case().algorithm.clone())
            .len()
            > 1
    })?;
    let rows: Vec<&CaseAnalysis<'_>> = rows.into_iter().filter(|row| row.case().operation == operation).collect();
    let algorithms = grouped(rows.iter().copied(), |row| row.case().algorithm.clone());
    let median = |row: &CaseAnalysis<'_>| row.median().map_or(f64::INFINITY, |median| median.estimate);
    // If no library is ranked, draw the one with the lowest figure, hollow.
    let best = algorithms.iter().filter_map(|(_, rows)| {
        let lowest = || rows.iter().copied().min_by(|one, other| median(one).total_cmp(&median(other)));
        analysis.leading(rows).first().copied().or_else(lowest)
    });
    let mut chosen: Vec<&CaseAnalysis<'_>> = best.collect();
    chosen.sort_by(|one, other| median(one).total_cmp(&median(other)));
    let more = chosen.len().saturating_sub(VIOLINS);
    chosen.truncate(VIOLINS);
    let title =
        format!("{}, {operation}: distribution of single-operation times {}", subject(area), library_words(&rows));
    let mut canvas = Canvas::new(WIDTH);
    let top = canvas.head(&title, &[(LegendEntry::Diamond, "median".to_owned())]) + 6.0;
    let name = |row: &&CaseAnalysis<'_>| {
        lines_of(&format!("{} · {}", row.case().algorithm, name_of(analysis, row)), 12.0, NAMES)
    };
    let names: Vec<Vec<String>> = chosen.iter().map(name).collect();
    let row_height = |names: &Vec<String>| LINE.max(names.len() as f64 * LABEL_LINE + 6.0);
    let height = top + names.iter().map(row_height).sum::<f64>() + 42.0;
    canvas.ends_at(height);
    let gutter = names.iter().flatten().map(|name| width_of(name, 12.0)).fold(80.0, f64::max) + 14.0;
    let looks = Looks::new(analysis);
    let shapes: Vec<(Look, Vec<(f64, f64)>)> = chosen
        .iter()
        .map(|row| (looks.of_provider(&row.case().provider).doubted(doubt(row)), row.distribution()))
        .collect();
    let shown =
        shapes.iter().flat_map(|(_, curve)| curve.iter().filter(|(_, share)| *share <= SHOWN).map(|(time, _)| *time));
    let across = Scale::log(shown.collect::<Vec<_>>().into_iter(), gutter, WIDTH - 16.0);
    canvas.axis_across(&across, Quantity::Time, top, height - 38.0);
    canvas.text((gutter + WIDTH - 16.0) / 2.0, height - 6.0, TextStyle::Faint, Anchor::Middle, AXIS);
    let mut end = top;
    for ((row, (look, curve)), names) in chosen.iter().zip(&shapes).zip(&names) {
        let y = end + row_height(names) / 2.0;
        end += row_height(names);
        canvas.label(gutter - 10.0, y, TextStyle::Label, Anchor::End, names);
        canvas.area(*look, &outline(curve, &across, y, 0.42 * LINE));
        if let Some(median) = row.median() {
            canvas.diamond(across.at(median.estimate), y);
        }
        canvas.shows_figure(&row.case().provider, &row.case().algorithm, doubt(row));
    }
    let spread: Vec<String> = chosen.iter().filter_map(|row| spread(row)).collect();
    let shape = "The thickness of a shape shows how many operations took that time. A shape ends at the 99th percentile, \
                 because the slowest operations would squeeze all others. Shapes have no whiskers; the tables give the \
                 intervals of the medians.";
    let about = format!(
        "One violin for each algorithm; its width shows how many operations took that time. It ends at the 99th \
         percentile. The diamond is the median. {}.",
        spread.join("; ")
    );
    canvas.note(shape);
    if chosen.iter().any(|row| doubt(row).is_some()) {
        canvas.note(LOWEST);
    }
    let drawn = |rows: &[&CaseAnalysis<'_>]| chosen.iter().any(|row| row.case().algorithm == rows[0].case().algorithm);
    let tied = algorithms.iter().filter(|(_, rows)| drawn(rows)).filter_map(|(algorithm, rows)| {
        let names: Vec<&str> = analysis.leading(rows).iter().map(|row| row.case().provider.as_str()).collect();
        (names.len() > 1).then(|| format!("{algorithm} by {}", names.join(", ")))
    });
    let tied: Vec<String> = tied.collect();
    canvas.note(if tied.is_empty() { String::new() } else { format!("Tied: {}.", tied.join("; ")) });
    let all = usual(analysis, area);
    let few = all.iter().filter(|row| row.case().operation == operation && row.estimates.is_some());
    let mut few = distinct(few.map(|row| row.case().algorithm.as_str()));
    few.retain(|name| algorithms.iter().all(|(algorithm, _)| algorithm != name));
    canvas.note(match few.is_empty() {
        true => String::new(),
        false => format!("Not shown, because fewer than {LEAST} single operations were timed: {}.", few.join(", ")),
    });
    canvas.note(if more > 0 { format!("Slower algorithms, only in the table: {more}.") } else { String::new() });
    canvas.note(failures(analysis, &rows));
    Some(canvas.finish(analysis, &format!("violin-{}", slug(area)), &title, about))
}

/// Returns the outline of a violin: the density of samples at equal steps along the time axis.
fn outline(curve: &[(f64, f64)], across: &Scale, middle: f64, half: f64) -> Vec<(f64, f64)> {
    let places: Vec<f64> =
        curve.iter().filter(|(_, share)| *share <= SHOWN).map(|(time, _)| across.at(*time)).collect();
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return Vec::new() };
    // A wider kernel would merge separate groups of samples, and a narrower one would give a ragged
    // shape.
    let width = ((last - first) / 12.0).clamp(1.5, 8.0);
    let (from, to) = (first - 2.0 * width, last + 2.0 * width);
    let steps = (((to - from) / 2.0) as usize).clamp(8, 160);
    let density = |x: f64| places.iter().map(|place| (-0.5 * ((x - place) / width).powi(2)).exp()).sum::<f64>();
    let at = |step: usize| from + (to - from) * step as f64 / steps as f64;
    let heights: Vec<(f64, f64)> = (0..=steps).map(|step| (at(step), density(at(step)))).collect();
    let most = heights.iter().map(|(_, height)| *height).fold(f64::MIN_POSITIVE, f64::max);
    let above = heights.iter().map(|(x, height)| (*x, middle - half * height / most));
    let below = heights.iter().rev().map(|(x, height)| (*x, middle + half * height / most));
    above.chain(below).collect()
}

fn spread(row: &CaseAnalysis<'_>) -> Option<String> {
    let operations = row.estimates.as_ref()?.operations()?;
    Some(format!(
        "{} {}: median {}, 95th percentile {}",
        row.case().algorithm,
        row.case().provider,
        time(operations.median),
        time(operations.p95)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn curves_reach_all_samples_or_say_where_they_are_cut() {
        let times = Sorted::new((1..=1000).map(f64::from).collect()).unwrap();
        let across = Scale::log([1.0, 1000.0].into_iter(), 0.0, 500.0);
        let up = Scale::between(0.0, 1.0, 100.0, 0.0);
        let whole = steps(&times, 1000.0, &across, &up);
        assert_eq!(whole.last().unwrap().1, up.at(1.0));
        let cut = steps(&times, 990.0, &across, &up);
        assert_eq!(cut.last().copied(), Some((across.at(990.0), up.at(0.99))));
        let run = fixtures::libraries_run();
        let chart = cumulative(&RunAnalysis::new(&run), "kem").unwrap();
        assert!(chart.svg.contains("reach 100% at: ") && chart.svg.contains("99th percentile"), "{}", chart.svg);
    }

    #[test]
    fn violins_are_sorted_and_name_a_single_library() {
        let run = fixtures::references_run();
        let chart = violins(&RunAnalysis::new(&run), "signature").unwrap();
        assert!(chart.title.ends_with("by liboqs"), "{}", chart.title);
        let places = ["Ed25519 ·", "ML-DSA-44 ·", "Falcon-512 ·"].map(|name| chart.svg.find(name).unwrap());
        assert!(places.is_sorted(), "{}", chart.svg);
    }
}
