//! Forest plot: the ratio of each library's time to the time of the fastest library, with intervals paired by rounds.
//! Each library has one line. Lines are grouped by operation and algorithm, fastest first.

use super::areas::subject;
use super::canvas::{Anchor, Canvas, Quantity, Scale, TextStyle, label, width_of};
use super::intervals::{name_without_operation, usual};
use super::look::Looks;
use super::provenance::{RATIO_WHISKERS, failures, named, states};
use super::{Chart, slug};
use pqlab_analysis::comparison::{NotRanked, Standing};
use pqlab_analysis::findings::unit_words;
use pqlab_analysis::number::{factor_range, factor_within, is_approximate, known_factor, known_time};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct, grouped};
use pqlab_record::{Statistic, Unit};
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;
const LINE: f64 = 19.0;
/// Maximum number of lines in a picture.
const MOST: usize = 48;
/// Maximum number of pictures for an area.
const PICTURES: usize = 12;
/// Largest ratio on the scale. The whiskers of slower libraries end in an arrow.
const LARGEST: f64 = 64.0;
/// Minimum width of the column with the ratio, in SVG units.
const RATIO: f64 = 84.0;
/// Width of the column with the time, in SVG units.
const TIME: f64 = 88.0;

/// Note for figures with estimated core cycles.
pub(super) const ESTIMATED: &str = "Core cycles are estimated from the time and the core clock.";

/// A line of the plot: a case and its ratio to the fastest case.
struct Line<'s, 'a> {
    case: &'s CaseAnalysis<'a>,
    /// Ratio to the fastest case; `None` for the fastest case itself.
    ratio: Option<Interval>,
    /// Ratio as text. For the fastest case, its standing, such as `fastest`, or `1×` if no case is ranked.
    text: String,
}

/// An operation of an algorithm, with one line for each library, fastest first.
struct Group<'s, 'a> {
    name: String,
    operation: String,
    unit: Unit,
    /// Time of the fastest case in ns.
    time: f64,
    lines: Vec<Line<'s, 'a>>,
}

/// Draws one picture for an area. If this picture would be too long, draws one or more pictures for each operation.
pub(super) fn ratios(analysis: &RunAnalysis<'_>, area: &str) -> Vec<Chart> {
    let rows = usual(analysis, area);
    let jobs = grouped(rows.iter().copied(), |row| row.job());
    let mut groups: Vec<Group<'_, '_>> = jobs.iter().filter_map(|(_, rows)| group(analysis, rows)).collect();
    let single = jobs.len() - groups.len();
    let operations = distinct(groups.iter().map(|group| group.operation.clone()));
    let place = |group: &Group<'_, '_>| operations.iter().position(|operation| *operation == group.operation);
    groups.sort_by(|one, other| place(one).cmp(&place(other)).then(one.time.total_cmp(&other.time)));
    let height = |groups: &[&Group<'_, '_>]| groups.iter().map(|group| group.lines.len() + 1).sum::<usize>();
    if height(&groups.iter().collect::<Vec<_>>()) <= MOST {
        let groups: Vec<&Group<'_, '_>> = groups.iter().collect();
        let title = subject(area).to_owned();
        return picture(analysis, area, &title, area, "", &groups, single).into_iter().collect();
    }
    let mut charts = Vec::new();
    for (operation, groups) in grouped(groups.iter(), |group| group.operation.clone()) {
        let mut pages: Vec<Vec<&Group<'_, '_>>> = Vec::new();
        for group in groups {
            match pages.last_mut() {
                Some(page) if height(page) + group.lines.len() < MOST => page.push(group),
                _ => pages.push(vec![group]),
            }
        }
        let count = pages.len();
        for (number, page) in pages.iter().enumerate() {
            let part = if count > 1 { format!(" ({} of {count})", number + 1) } else { String::new() };
            let title = format!("{}, {operation}", subject(area));
            charts.extend(picture(analysis, area, &title, &format!("{area} {operation}"), &part, page, 0));
        }
    }
    charts.truncate(PICTURES);
    charts
}

/// Compares the cases of one operation with the fastest case. Returns `None` if there are fewer than two cases.
fn group<'s, 'a>(analysis: &RunAnalysis<'a>, rows: &[&'s CaseAnalysis<'a>]) -> Option<Group<'s, 'a>> {
    let time = |row: &CaseAnalysis<'_>| row.time().map_or(f64::INFINITY, |time| time.estimate);
    let mut rows = rows.to_vec();
    rows.sort_by(|one, other| time(one).total_cmp(&time(other)));
    // If no case is ranked, compare with the lowest figure. All marks are then hollow.
    let best = analysis.leading(&rows).first().copied().or_else(|| rows.first().copied())?;
    let mut unit = Unit::Nanoseconds;
    let mut lines = Vec::new();
    for row in &rows {
        if std::ptr::eq(*row, best) {
            let text = analysis.standing(row).map_or_else(|| "1×".to_owned(), |standing| standing.text());
            lines.push(Line { case: row, ratio: None, text });
            continue;
        }
        let compared = analysis.ratio(&[best], &[row]);
        let ratio = compared.as_ref().and_then(|compared| Some(compared.ratio?.ratio));
        let Some((compared, ratio)) = compared.zip(ratio) else { continue };
        unit = compared.unit;
        let tied = if analysis.standing(row).is_some_and(Standing::leads) { ", tied" } else { "" };
        lines.push(Line { case: row, ratio: Some(ratio), text: format!("{}{tied}", ratio_text(&ratio)) });
    }
    lines.sort_by(|one, other| over(one).total_cmp(&over(other)));
    let operation = best.case().operation.clone();
    (lines.len() > 1).then(|| Group { name: name_without_operation(best), operation, unit, time: time(best), lines })
}

fn over(line: &Line<'_, '_>) -> f64 {
    line.ratio.map_or(1.0, |ratio| ratio.estimate)
}

/// Formats a ratio with its uncertainty. An interval wider than ±10% may be far from symmetric, so both ends are given.
pub(super) fn ratio_text(ratio: &Interval) -> String {
    if is_approximate(ratio) {
        format!("{} ({})", known_factor(ratio), factor_range(ratio))
    } else {
        factor_within(ratio)
    }
}

/// Returns the reason why a case with a figure is not ranked.
pub(super) fn doubt(row: &CaseAnalysis<'_>) -> Option<&'static str> {
    row.not_ranked().filter(|reason| *reason != NotRanked::NoFigure).map(NotRanked::text)
}

/// Returns a library's label: `liboqs`, or `liboqs (known defect)`.
pub(super) fn name(analysis: &RunAnalysis<'_>, row: &CaseAnalysis<'_>) -> String {
    named(analysis, &label(&row.case().provider), &row.case().algorithm, doubt(row))
}

/// Draws a picture. `single` is the number of operations that are omitted because only one library has a figure.
fn picture(
    analysis: &RunAnalysis<'_>,
    area: &str,
    subject: &str,
    what: &str,
    part: &str,
    groups: &[&Group<'_, '_>],
    single: usize,
) -> Option<Chart> {
    let drawn = || groups.iter().flat_map(|group| &group.lines);
    drawn().next()?;
    let looks = Looks::new(analysis);
    let name = |row: &CaseAnalysis<'_>| name(analysis, row);
    let title = format!("{subject}: how much longer each library takes than the fastest{part}");
    let widest = drawn().map(|line| width_of(&name(line.case), 12.0)).fold(80.0, f64::max);
    let gutter = widest.min(330.0) + 14.0;
    let operations = distinct(groups.iter().map(|group| group.operation.as_str()));
    let headings = if operations.len() > 1 { operations.len() } else { 0 };
    let lines = drawn().count() + groups.len() + headings;
    let mut canvas = Canvas::new(WIDTH);
    let top = canvas.head(&title, &[]) + 18.0;
    let bottom = top + lines as f64 * LINE + 4.0;
    canvas.ends_at(bottom + 36.0);
    let column = drawn().map(|line| width_of(&line.text, 12.0) + 10.0).fold(RATIO, f64::max);
    let right = WIDTH - column - TIME - 10.0;
    let bounds = drawn().filter_map(|line| line.ratio).flat_map(|ratio| [ratio.low, ratio.high]);
    let across = Scale::log(bounds.map(|bound| bound.min(LARGEST)).chain([1.0]), gutter, right);
    canvas.axis_across(&across, Quantity::Factor, top - 6.0, bottom);
    let units = distinct(groups.iter().map(|group| unit_words(group.unit)));
    let axis = format!("ratio to the fastest library, in {} (logarithmic)", units.join(" or "));
    canvas.text((gutter + right) / 2.0, bottom + 31.0, TextStyle::Faint, Anchor::Middle, &axis);
    let heads = [(right + column, "ratio"), (WIDTH, "time")];
    for (x, head) in heads {
        canvas.text(x, top - 8.0, TextStyle::Faint, Anchor::End, head);
    }
    canvas.base((across.at(1.0), top - 6.0), (across.at(1.0), bottom));
    let (mut y, mut operation, mut listed) = (top + LINE / 2.0, "", Vec::new());
    for group in groups {
        if headings > 0 && group.operation != operation {
            operation = &group.operation;
            canvas.text(0.0, y + 4.0, TextStyle::Value, Anchor::Start, operation);
            y += LINE;
        }
        canvas.text(
            if headings > 0 { 10.0 } else { 0.0 },
            y + 4.0,
            TextStyle::Strong,
            Anchor::Start,
            &label(&group.name),
        );
        y += LINE;
        for line in &group.lines {
            let case = line.case;
            let look = looks.of_provider(&case.case().provider);
            let doubt = doubt(case);
            let time = case.time().map(|time| known_time(&time)).unwrap_or_default();
            let mean = case.estimates.as_ref().is_some_and(|estimates| estimates.statistic == Statistic::Mean);
            let time = if mean { format!("mean {time}") } else { time };
            let about = format!("{} {}: {}, {time}", case.job(), name(case), line.text);
            let style = if doubt.is_some() { TextStyle::Faint } else { TextStyle::Label };
            canvas.rule((gutter, y), (right, y));
            canvas.text(gutter - 10.0, y + 4.0, style, Anchor::End, &name(case));
            if let Some(ratio) = line.ratio {
                canvas.interval_across(y, &across, ratio.low, ratio.high);
            }
            let at = across.at(over(line));
            canvas.mark(look.doubted(doubt), at, y, &about);
            canvas.text(right + column, y + 4.0, style, Anchor::End, &line.text);
            canvas.text(WIDTH, y + 4.0, TextStyle::Faint, Anchor::End, &time);
            canvas.shows(case);
            listed.push(about);
            y += LINE;
        }
    }
    canvas.note(RATIO_WHISKERS);
    if single > 0 {
        canvas.note(format!("Operations left out because only one library has a figure: {single}."));
    }
    canvas.note(states(analysis, area));
    canvas.note(failures(analysis, &drawn().map(|line| line.case).collect::<Vec<_>>()));
    if groups.iter().any(|group| group.unit == Unit::CoreCycles) && drawn().any(|line| is_estimated(line.case)) {
        canvas.note(ESTIMATED);
    }
    let few: Vec<String> = listed.iter().take(40).cloned().collect();
    let about = format!(
        "{} libraries in {} groups, each compared with the fastest ranked library of its group by the ratio of {}. {}.",
        distinct(drawn().map(|line| line.case.case().provider.as_str())).len(),
        groups.len(),
        units.join(" or "),
        few.join("; ")
    );
    let file = if what == area { slug(area) } else { slug(&format!("{what}{}", part.replace(" (", " "))) };
    Some(canvas.finish(analysis, &format!("ratios-{file}"), &title, about))
}

/// Returns whether the case's core cycles are estimated, not counted.
pub(super) fn is_estimated(row: &CaseAnalysis<'_>) -> bool {
    row.estimates.as_ref().is_some_and(pqlab_analysis::Estimates::cycles_are_estimated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn ratios_have_paired_intervals_and_are_sorted() {
        let run = fixtures::run();
        let analysis = RunAnalysis::new(&run);
        let rows = usual(&analysis, "kem");
        let mut compared = 0;
        for (_, rows) in grouped(rows.iter().copied(), |row| row.job()) {
            let Some(group) = group(&analysis, &rows) else { continue };
            assert!(group.lines.is_sorted_by(|one, other| over(one) <= over(other)));
            let best = group.lines.iter().find(|line| line.ratio.is_none()).unwrap();
            for line in group.lines.iter().filter(|line| line.ratio.is_some()) {
                let wanted = analysis.ratio(&[best.case], &[line.case]).unwrap();
                assert!(wanted.paired);
                assert_eq!(line.ratio, wanted.ratio.map(|ratio| ratio.ratio));
                compared += 1;
            }
        }
        assert!(compared > 0);
        assert!(!ratios(&analysis, "kem").is_empty());
    }

    #[test]
    fn cases_that_are_not_ranked_are_hollow_and_labelled() {
        let mut run = fixtures::run();
        run.records[1].case.facts.defect = Some("wrong".to_owned());
        let analysis = RunAnalysis::new(&run);
        let charts = ratios(&analysis, "kem");
        let chart = charts.first().unwrap();
        assert!(chart.svg.contains("class=\"doubtful\""), "{}", chart.svg);
        let text = crate::charts::texts(chart);
        assert!(text.contains("(known defect)") && text.contains("Grey marks are not ranked: 1 of 2"), "{text}");
    }
}
