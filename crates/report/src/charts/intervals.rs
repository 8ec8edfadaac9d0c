//! Chart of times with their intervals on a logarithmic scale: a line for each algorithm, a mark for each provider.

use super::canvas::{Anchor, Canvas, Quantity, Scale, TextStyle, label, width_of};
use super::{Chart, slug};
use pqlab_analysis::number::known_time;
use pqlab_analysis::{CaseAnalysis, RunAnalysis, grouped};

/// Maximum number of lines in a picture.
const MOST: usize = 36;
const WIDTH: f64 = 760.0;
const LINE: f64 = 23.0;

/// Returns the usual cases of an area that have a figure. Keeps a single message length for each operation.
pub(super) fn usual<'s, 'a>(analysis: &'s RunAnalysis<'a>, area: &'s str) -> Vec<&'s CaseAnalysis<'a>> {
    let rows = || analysis.area(area).filter(|row| row.usual() && row.time().is_some() && !row.case().is_null());
    let same = |one: &CaseAnalysis<'_>, other: &CaseAnalysis<'_>| {
        one.case().algorithm == other.case().algorithm && one.case().operation == other.case().operation
    };
    let chosen = |row: &&CaseAnalysis<'_>| {
        let lengths = rows().filter(|other| same(row, other)).filter_map(|other| other.case().message_length());
        // Compare hashes at the longest message (throughput) and signature schemes at the shortest (cost of signing
        // alone).
        let wanted = if row.case().facts.bytes.is_some() { lengths.max() } else { lengths.min() };
        row.case().message_length() == wanted
    };
    rows().filter(chosen).collect()
}

/// Draws one picture for an area, or one for each operation if a single picture would be too long.
pub(super) fn latency(analysis: &RunAnalysis<'_>, area: &str) -> Vec<Chart> {
    let mut rows = usual(analysis, area);
    if rows.is_empty() {
        // All cases in the area have special parameters. Leave out cases with threads or tasks, which other charts draw
        // as curves.
        let concurrent = |row: &CaseAnalysis<'_>| row.case().threads().or(row.case().tasks()).is_some();
        let plain = |row: &&CaseAnalysis<'_>| row.time().is_some() && !row.case().is_null() && !concurrent(row);
        rows = analysis.area(area).filter(plain).collect();
    }
    let lines = grouped(rows.iter().copied(), |row| row.job());
    if lines.len() <= MOST {
        return picture(analysis, area, area, &rows).into_iter().collect();
    }
    let operations = grouped(rows.iter().copied(), |row| row.case().operation.clone());
    // A picture of a single figure compares nothing.
    let several = |(_, rows): &&(String, Vec<&CaseAnalysis<'_>>)| rows.len() > 1;
    let draw = |(operation, rows): &(String, Vec<&CaseAnalysis<'_>>)| {
        picture(analysis, area, &format!("{area} {operation}"), rows)
    };
    operations.iter().filter(several).filter_map(draw).collect()
}

fn picture<'a>(analysis: &RunAnalysis<'a>, area: &str, what: &str, rows: &[&CaseAnalysis<'a>]) -> Option<Chart> {
    let operations = grouped(rows.iter().copied(), |row| row.case().operation.clone());
    let all = operations.iter().map(|(_, rows)| grouped(rows.iter().copied(), |row| row.job()).len()).sum::<usize>();
    if all == 0 {
        return None;
    }
    let mut left = MOST;
    let mut lines: Vec<(Option<&str>, String, Vec<&CaseAnalysis<'a>>)> = Vec::new();
    for (operation, rows) in &operations {
        for (place, (job, rows)) in grouped(rows.iter().copied(), |row| row.job()).into_iter().enumerate() {
            if left == 0 {
                break;
            }
            left -= 1;
            let name = rows.first().map_or(job.clone(), |row| name_without_operation(row));
            // If all cases share one operation, name it in the title.
            lines.push(((place == 0 && operations.len() > 1).then_some(operation), name, rows));
        }
    }
    let drawn: Vec<&CaseAnalysis<'_>> = lines.iter().flat_map(|(_, _, rows)| rows.iter().copied()).collect();
    let mut series: Vec<(usize, String)> =
        drawn.iter().map(|row| (analysis.series(&row.case().provider), row.case().provider.clone())).collect();
    series.sort();
    series.dedup();
    let headings = lines.iter().filter(|(heading, ..)| heading.is_some()).count();
    let widest = lines.iter().map(|(_, name, _)| width_of(&label(name), 12.0)).fold(80.0, f64::max);
    let gutter = widest.min(300.0) + 14.0;
    let height = |top: f64| top + (lines.len() + headings) as f64 * LINE + 30.0;
    let title = match operations.as_slice() {
        [(operation, _)] if what == area => format!("{area} {operation}: time per operation"),
        _ => format!("{what}: time per operation"),
    };
    // Draw the legend once to get its height, because the chart starts below it.
    let top = Canvas::new(WIDTH, 0.0).head(&title, &series);
    let mut canvas = Canvas::new(WIDTH, height(top));
    canvas.head(&title, &series);
    let bounds = drawn.iter().filter_map(|row| row.time()).flat_map(|median| [median.low, median.high]);
    let scale = Scale::log(bounds, gutter, WIDTH - 16.0);
    canvas.axis_across(&scale, Quantity::Time, top, height(top) - 26.0);
    let mut y = top + LINE / 2.0;
    for (heading, name, rows) in &lines {
        if let Some(heading) = heading {
            canvas.text(0.0, y + 4.0, TextStyle::Value, Anchor::Start, heading);
            y += LINE;
        }
        canvas.text(gutter - 10.0, y + 4.0, TextStyle::Label, Anchor::End, &label(name));
        canvas.rule((gutter, y), (WIDTH - 16.0, y));
        for row in rows {
            let Some(median) = row.time() else { continue };
            canvas.interval_across(y, &scale, median.low, median.high);
        }
        for row in rows {
            let Some(median) = row.time() else { continue };
            let (figure, width) = (known_time(&median), median.half_width_pct());
            let about = format!("{} {}: {figure} ±{width:.1}%", row.job(), row.case().provider);
            canvas.mark(analysis.series(&row.case().provider), scale.at(median.estimate), y, &about);
        }
        y += LINE;
    }
    let left_out =
        if all > lines.len() { format!(" The table lists {} more.", all - lines.len()) } else { String::new() };
    let fastest = fastest_sentence(&fastest(analysis, &lines));
    let about = format!(
        "Times of {} cases with 95% intervals on a logarithmic scale: one line for each of {} algorithms and \
         operations, one \
         mark for each of {} libraries.{fastest}{left_out}",
        drawn.len(),
        lines.len(),
        series.len(),
    );
    Some(canvas.finish(&format!("latency-{}", slug(if what == area { area } else { what })), &title, about))
}

/// Returns a sentence with the fastest case on each line. Empty if no case is ranked.
pub(super) fn fastest_sentence(named: &str) -> String {
    if named.is_empty() { String::new() } else { format!(" The fastest of each: {named}.") }
}

fn name_without_operation(row: &CaseAnalysis<'_>) -> String {
    let case = row.case();
    let name = case.name();
    let brackets = name.strip_prefix(&format!("{} {}", case.algorithm, case.operation)).unwrap_or_default();
    format!("{}{}", case.algorithm, if brackets.is_empty() { String::new() } else { format!(" {brackets}") })
}

fn fastest<'a>(analysis: &RunAnalysis<'a>, lines: &[(Option<&str>, String, Vec<&CaseAnalysis<'a>>)]) -> String {
    let best = |rows: &[&CaseAnalysis<'a>]| {
        let leading = analysis.leading(rows);
        let figure = known_time(&leading.first()?.time()?);
        let names: Vec<&str> = leading.iter().map(|row| row.case().provider.as_str()).collect();
        let tied = if names.len() > 1 { " (tied)" } else { "" };
        Some(format!("{} by {}{tied} in {figure}", leading[0].job(), names.join(", ")))
    };
    let all: Vec<String> = lines.iter().take(12).filter_map(|(_, _, rows)| best(rows)).collect();
    all.join("; ")
}
