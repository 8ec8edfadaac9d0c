//! Charts of the times of single operations: cumulative distributions by provider, and violins by algorithm.

use super::canvas::{Anchor, Canvas, Quantity, Scale, TextStyle, label, width_of};
use super::intervals::usual;
use super::{Chart, slug};
use pqlab_analysis::number::time;
use pqlab_analysis::{CaseAnalysis, RunAnalysis, grouped};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 300.0;
/// Fraction of samples that is shown. The slowest samples would squeeze all others into the left of the plot.
const SHOWN: f64 = 0.99;
/// Operations in order of preference.
const FIRST: [&str; 6] = ["sign", "decapsulate", "handshake", "verify", "reply", "encapsulate"];
const VIOLINS: usize = 14;

fn single<'r, 'a>(rows: &[&'r CaseAnalysis<'a>]) -> Vec<&'r CaseAnalysis<'a>> {
    let single = |row: &&&CaseAnalysis<'_>| {
        row.estimates.as_ref().is_some_and(|estimates| estimates.batch == 1 && estimates.n >= 20)
    };
    rows.iter().filter(single).copied().collect()
}

/// Draws the operation of an area that most providers support. If several qualify, the order of preference decides.
pub(super) fn cumulative(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let rows = single(&usual(analysis, area));
    let jobs = grouped(rows.iter().copied(), |row| row.job());
    let rank = |operation: &str| FIRST.iter().position(|first| *first == operation).unwrap_or(FIRST.len());
    let best = jobs.iter().filter(|(_, rows)| rows.len() > 1).max_by_key(|(_, rows)| {
        let post_quantum = rows.iter().any(|row| row.case().facts.category.is_some());
        (post_quantum, rows.len().min(8), std::cmp::Reverse(rank(&rows[0].case().operation)))
    });
    let (job, rows) = best?;
    let rows: Vec<&CaseAnalysis<'_>> = rows.iter().take(8).copied().collect();
    let series: Vec<(usize, String)> =
        rows.iter().map(|row| (analysis.series(&row.case().provider), row.case().provider.clone())).collect();
    let title = format!("{job}: cumulative distribution of single operations");
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    let top = canvas.head(&title, &series);
    let (left, bottom) = (52.0, HEIGHT - 28.0);
    let curves: Vec<(usize, Vec<(f64, f64)>)> =
        rows.iter().map(|row| (analysis.series(&row.case().provider), row.distribution())).collect();
    let shown =
        curves.iter().flat_map(|(_, curve)| curve.iter().filter(|(_, share)| *share <= SHOWN).map(|(time, _)| *time));
    let across = Scale::log(shown.collect::<Vec<_>>().into_iter(), left, WIDTH - 16.0);
    let up = Scale::between(0.0, 1.0, bottom, top + 6.0);
    canvas.axis_across(&across, Quantity::Time, top + 6.0, bottom);
    canvas.axis_up(&up, Quantity::Share, left, WIDTH - 16.0);
    for (series, curve) in &curves {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for (time, share) in curve.iter().filter(|(_, share)| *share <= SHOWN) {
            let (x, y) = (across.at(*time), up.at(*share));
            points.extend(points.last().map(|(_, before)| (x, *before)));
            points.push((x, y));
        }
        canvas.line(*series, &points, false);
        if let Some((time, _)) = curve.iter().find(|(_, share)| *share >= 0.5) {
            canvas.mark(*series, across.at(*time), up.at(0.5), "median");
        }
    }
    let spread: Vec<String> = rows.iter().filter_map(|row| spread(row)).collect();
    let about = format!(
        "Percentage of operations that took at most the time shown, up to the 99th percentile. {}.",
        spread.join("; ")
    );
    Some(canvas.finish(&format!("distribution-{}", slug(area)), &title, about))
}

/// Draws the preferred operation of each algorithm, measured with a provider that no other provider beats.
pub(super) fn violins(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let rows = single(&usual(analysis, area));
    let operation = FIRST.into_iter().find(|first| {
        grouped(rows.iter().copied().filter(|row| row.case().operation == *first), |row| row.case().algorithm.clone())
            .len()
            > 1
    })?;
    let algorithms =
        grouped(rows.into_iter().filter(|row| row.case().operation == operation), |row| row.case().algorithm.clone());
    let mut chosen: Vec<&CaseAnalysis<'_>> =
        algorithms.iter().filter_map(|(_, rows)| analysis.leading(rows).first().copied()).collect();
    chosen.truncate(VIOLINS);
    let title = format!("{area} {operation}: distribution of single operations, fastest library of each algorithm");
    let line = 34.0;
    let top = 34.0;
    let height = top + chosen.len() as f64 * line + 30.0;
    let mut canvas = Canvas::new(WIDTH, height);
    canvas.head(&title, &[]);
    let name = |row: &CaseAnalysis<'_>| label(&format!("{} · {}", row.case().algorithm, row.case().provider));
    let gutter = chosen.iter().map(|row| width_of(&name(row), 12.0)).fold(80.0, f64::max).min(320.0) + 14.0;
    let shapes: Vec<(usize, Vec<(f64, f64)>)> =
        chosen.iter().map(|row| (analysis.series(&row.case().provider), row.distribution())).collect();
    let shown =
        shapes.iter().flat_map(|(_, curve)| curve.iter().filter(|(_, share)| *share <= SHOWN).map(|(time, _)| *time));
    let across = Scale::log(shown.collect::<Vec<_>>().into_iter(), gutter, WIDTH - 16.0);
    canvas.axis_across(&across, Quantity::Time, top, height - 26.0);
    for (place, (row, (series, curve))) in chosen.iter().zip(&shapes).enumerate() {
        let y = top + (place as f64 + 0.5) * line;
        canvas.text(gutter - 10.0, y + 4.0, TextStyle::Label, Anchor::End, &name(row));
        canvas.area(*series, &outline(curve, &across, y, 0.42 * line));
        if let Some(median) = row.median() {
            let x = across.at(median.estimate);
            canvas.whisker((x, y - 0.42 * line), (x, y + 0.42 * line));
        }
    }
    let spread: Vec<String> = chosen.iter().filter_map(|row| spread(row)).collect();
    let about = format!(
        "One violin for each algorithm, wider at times that more operations took. It ends at the 99th percentile; the \
         line is the median. {}.",
        spread.join("; ")
    );
    Some(canvas.finish(&format!("violin-{}", slug(area)), &title, about))
}

/// Returns the outline of a violin: the density of samples at equidistant steps along the scale.
fn outline(curve: &[(f64, f64)], across: &Scale, middle: f64, half: f64) -> Vec<(f64, f64)> {
    let places: Vec<f64> =
        curve.iter().filter(|(_, share)| *share <= SHOWN).map(|(time, _)| across.at(*time)).collect();
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return Vec::new() };
    // A wider kernel would merge separate groups of samples; a narrower one would give a ragged shape.
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
        "{} {}: median {}, 95% within {}",
        row.case().algorithm,
        row.case().provider,
        time(operations.median),
        time(operations.p95)
    ))
}
