//! Chart of times with their intervals on a logarithmic scale. Each algorithm has one line, with its fastest library.

use super::areas::{has_pairs, subject};
use super::canvas::{Anchor, Canvas, LABEL_LINE, Quantity, Scale, TextStyle, lines_of, width_of};
use super::look::Looks;
use super::provenance::{failures, states, time_whiskers};
use super::{Chart, ratios, slug};
use pqlab_analysis::number::known_time;
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct, grouped};
use pqlab_record::Statistic;
use pqlab_stats::Interval;

/// Maximum number of lines in a picture.
const MOST: usize = 36;
const WIDTH: f64 = 760.0;
const LINE: f64 = 23.0;
/// Maximum width of the names of algorithms, in SVG units.
const NAMES: f64 = 290.0;
/// Maximum width of a mark's label, in SVG units. A label that would be longer names only one library.
const LABELS: f64 = 330.0;
/// Title of the horizontal axis in pictures of times.
pub(super) const TIME_AXIS: &str = "time per operation (unit at each tick, logarithmic)";

/// Returns the [usual](CaseAnalysis::usual) cases of an area that have a figure. Keeps only one message length for each
/// operation: the longest for hash functions, otherwise the shortest.
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
    if has_pairs(area) {
        return Vec::new();
    }
    let mut rows = usual(analysis, area);
    if rows.is_empty() {
        // All cases in the area have special parameters. Leave out cases with threads or tasks,
        // because other charts draw them as curves.
        let concurrent = |row: &CaseAnalysis<'_>| row.case().threads().or(row.case().tasks()).is_some();
        let plain = |row: &&CaseAnalysis<'_>| row.time().is_some() && !row.case().is_null() && !concurrent(row);
        rows = analysis.area(area).filter(plain).collect();
    }
    let lines = grouped(rows.iter().copied(), |row| row.job());
    if lines.len() <= MOST {
        return picture(analysis, area, None, &rows).into_iter().collect();
    }
    let operations = grouped(rows.iter().copied(), |row| row.case().operation.clone());
    // A picture with a single figure compares nothing.
    let several = |(_, rows): &&(String, Vec<&CaseAnalysis<'_>>)| rows.len() > 1;
    let draw =
        |(operation, rows): &(String, Vec<&CaseAnalysis<'_>>)| picture(analysis, area, Some(operation.as_str()), rows);
    operations.iter().filter(several).filter_map(draw).collect()
}

/// A line of the chart. Its heading is the operation, if this differs from the operation of the line above.
struct Line<'s, 'a> {
    heading: Option<&'s str>,
    name: String,
    /// Fastest case, followed by the cases tied with it. If no case is ranked, the case with the lowest figure.
    leaders: Vec<&'s CaseAnalysis<'a>>,
    time: Interval,
    /// Label of the mark: the libraries and the time.
    text: String,
}

/// Returns the label of a mark, with the libraries and the time: `liboqs 11.2 µs`,
/// `aws-lc, liboqs (tied) mean 88.8 µs`.
fn text_of(analysis: &RunAnalysis<'_>, leaders: &[&CaseAnalysis<'_>], time: &Interval) -> String {
    let names: Vec<String> = leaders.iter().map(|row| ratios::name(analysis, row)).collect();
    let mean = leaders[0].estimates.as_ref().is_some_and(|it| it.statistic == Statistic::Mean);
    let mean = if mean { "mean " } else { "" };
    let tied = if names.len() > 1 { " (tied)" } else { "" };
    let with = |count: usize| {
        let more = names.len().saturating_sub(count);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}{tied} {mean}{}", names[..names.len().min(count)].join(", "), known_time(time))
    };
    let text = with(2);
    if width_of(&text, 11.0) <= LABELS { text } else { with(1) }
}

/// Returns the part of a title that names the library. This is `by liboqs` if only one library was measured, otherwise
/// `with the fastest ranked library`.
pub(super) fn library_words(rows: &[&CaseAnalysis<'_>]) -> String {
    match distinct(rows.iter().map(|row| row.case().provider.as_str())).as_slice() {
        [only] => format!("by {only}"),
        _ if rows.iter().all(|row| ratios::doubt(row).is_some()) => "(lowest figures, none is ranked)".to_owned(),
        _ => "with the fastest ranked library".to_owned(),
    }
}

/// Sentence for pictures with the fastest ranked library of each algorithm.
pub(super) const LOWEST: &str = "A grey mark is the lowest figure of an algorithm for which no library is ranked.";

/// Maximum number of cases to name in a sentence.
const NAMED: usize = 3;

/// Returns a sentence that names the cases with lower figures than the lines, which are not ranked. Returns an empty
/// string if there are none. Records the libraries of these cases, so that the small print lists their versions.
fn passed_over(canvas: &mut Canvas, lines: &[Line<'_, '_>], rows: &[&CaseAnalysis<'_>]) -> String {
    let time = |row: &CaseAnalysis<'_>| row.time().map_or(f64::INFINITY, |time| time.estimate);
    let is_lower = |row: &&CaseAnalysis<'_>| {
        let line = lines.iter().find(|line| line.leaders[0].job() == row.job());
        line.is_some_and(|line| time(row) < line.time.estimate && ratios::doubt(line.leaders[0]).is_none())
    };
    let lower = rows.iter().copied().filter(is_lower).filter(|row| ratios::doubt(row).is_some());
    let lower: Vec<&CaseAnalysis<'_>> = lower.collect();
    lower.iter().for_each(|row| canvas.shows_library(&row.case().provider, &row.case().algorithm));
    let groups =
        grouped(lower.into_iter(), |row| (row.case().provider.clone(), ratios::doubt(row).unwrap_or_default()));
    let sentence = |((provider, reason), all): &((String, &str), Vec<&CaseAnalysis<'_>>)| {
        let named: Vec<String> = all.iter().take(NAMED).map(|row| row.job()).collect();
        let more = all.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{provider} ({reason}): {}{more}", named.join(", "))
    };
    let sentences: Vec<String> = groups.iter().map(sentence).collect();
    if sentences.is_empty() {
        return String::new();
    }
    format!("Lower, but not ranked: {}.", sentences.join("; "))
}

/// Draws the times of an area, or of one of its operations.
fn picture<'a>(
    analysis: &RunAnalysis<'a>,
    area: &str,
    only: Option<&str>,
    rows: &[&CaseAnalysis<'a>],
) -> Option<Chart> {
    let operations = grouped(rows.iter().copied(), |row| row.case().operation.clone());
    let mut lines: Vec<Line<'_, '_>> = Vec::new();
    for (operation, rows) in &operations {
        let jobs = grouped(rows.iter().copied(), |row| row.job()).into_iter();
        let mut of_operation: Vec<Line<'_, '_>> = jobs.filter_map(|(job, rows)| line(analysis, &job, &rows)).collect();
        of_operation.sort_by(|one, other| one.time.estimate.total_cmp(&other.time.estimate));
        // If all cases share one operation, name it in the title.
        if let (true, Some(first)) = (operations.len() > 1, of_operation.first_mut()) {
            first.heading = Some(operation);
        }
        lines.extend(of_operation);
    }
    let all = lines.len();
    lines.truncate(MOST);
    lines.first()?;
    let looks = Looks::new(analysis);
    let headings = lines.iter().filter(|line| line.heading.is_some()).count();
    let names: Vec<Vec<String>> = lines.iter().map(|line| lines_of(&line.name, 12.0, NAMES)).collect();
    let widest = names.iter().flatten().map(|name| width_of(name, 12.0)).fold(80.0, f64::max);
    let gutter = widest + 14.0;
    let operation = match operations.as_slice() {
        [(operation, _)] => format!(", {operation}"),
        _ => String::new(),
    };
    let title = format!("{}{operation}: time per operation {}", subject(area), library_words(rows));
    let bounds = || lines.iter().flat_map(|line| [line.time.low, line.time.high]);
    let wide = Scale::log(bounds(), gutter, WIDTH - 16.0);
    // A label lies to the right of its mark, or to the left if it does not fit to the right. If a label fits on neither
    // side, the plot leaves room for labels to the right.
    let length = |line: &Line<'_, '_>| width_of(&line.text, 11.0) + 10.0;
    let after = |line: &Line<'_, '_>| wide.at(line.time.high) + length(line) <= WIDTH;
    let before = |line: &Line<'_, '_>| wide.at(line.time.low) - length(line) >= gutter;
    let longest = lines.iter().map(length).fold(0.0, f64::max);
    let fits = lines.iter().all(|line| after(line) || before(line));
    let right = if fits { WIDTH - 16.0 } else { (WIDTH - longest - 8.0).max(gutter + 100.0) };
    let height = |names: &Vec<String>| LINE.max(names.len() as f64 * LABEL_LINE + 4.0);
    let mut canvas = Canvas::new(WIDTH);
    let top = canvas.head(&title, &[]) + 4.0;
    let bottom = top + names.iter().map(height).sum::<f64>() + headings as f64 * LINE + 4.0;
    canvas.ends_at(bottom + 36.0);
    let across = Scale::log(bounds(), gutter, right);
    canvas.axis_across(&across, Quantity::Time, top, bottom);
    canvas.text((gutter + right) / 2.0, bottom + 31.0, TextStyle::Faint, Anchor::Middle, TIME_AXIS);
    let (mut end, mut listed) = (top, Vec::new());
    for (line, names) in lines.iter().zip(&names) {
        if let Some(heading) = line.heading {
            canvas.text(0.0, end + LINE / 2.0 + 4.0, TextStyle::Value, Anchor::Start, heading);
            end += LINE;
        }
        let y = end + height(names) / 2.0;
        end += height(names);
        canvas.label(gutter - 10.0, y, TextStyle::Label, Anchor::End, names);
        canvas.rule((gutter, y), (right, y));
        canvas.interval_across(y, &across, line.time.low, line.time.high);
        let text = &line.text;
        let best = line.leaders[0];
        let about = format!("{}: {text}", best.job());
        let look = looks.of_provider(&best.case().provider).doubted(ratios::doubt(best));
        canvas.mark(look, across.at(line.time.estimate), y, &about);
        canvas.shows(best);
        let (low, high) = (across.at(line.time.low), across.at(line.time.high));
        let (x, anchor) = if !fits || after(line) { (high + 10.0, Anchor::Start) } else { (low - 10.0, Anchor::End) };
        canvas.text_over_rule(x, y + 4.0, anchor, text);
        listed.push(about);
    }
    for row in lines.iter().flat_map(|line| &line.leaders) {
        canvas.shows_library(&row.case().provider, &row.case().algorithm);
    }
    canvas.note(time_whiskers(analysis));
    let lower = passed_over(&mut canvas, &lines, rows);
    canvas.note(lower);
    let unranked = lines.iter().filter(|line| ratios::doubt(line.leaders[0]).is_some()).count();
    if unranked > 0 && unranked < lines.len() {
        canvas.note(LOWEST);
    }
    canvas.note(states(analysis, area));
    canvas.note(failures(analysis, rows));
    let left_out =
        if all > lines.len() { format!("The table lists {} more.", all - lines.len()) } else { String::new() };
    canvas.note(left_out.clone());
    let about = format!(
        "Times with 95% intervals on a logarithmic scale, one line for each of {} algorithms and operations, with the \
         fastest ranked library of each. {}. {left_out}",
        lines.len(),
        listed.join("; ")
    );
    let what = only.map_or_else(|| area.to_owned(), |operation| format!("{area} {operation}"));
    let name = format!("latency-{}", slug(&what));
    Some(canvas.finish(analysis, &name, &title, about.trim_end().to_owned()))
}

fn line<'s, 'a>(analysis: &RunAnalysis<'a>, job: &str, rows: &[&'s CaseAnalysis<'a>]) -> Option<Line<'s, 'a>> {
    let time = |row: &CaseAnalysis<'_>| row.time().map_or(f64::INFINITY, |time| time.estimate);
    let mut leaders = analysis.leading(rows);
    if leaders.is_empty() {
        leaders.extend(rows.iter().copied().min_by(|one, other| time(one).total_cmp(&time(other))));
    }
    let name = leaders.first().map_or_else(|| job.to_owned(), |row| name_without_operation(row));
    let time = leaders.first()?.time()?;
    let text = text_of(analysis, &leaders, &time);
    Some(Line { heading: None, name, leaders, time, text })
}

/// Returns a sentence that lists the fastest cases, given the list as text. Returns an empty string if the list is
/// empty.
pub(super) fn fastest_sentence(named: &str) -> String {
    if named.is_empty() { String::new() } else { format!(" Fastest for each operation: {named}.") }
}

pub(super) fn name_without_operation(row: &CaseAnalysis<'_>) -> String {
    let case = row.case();
    let name = case.name();
    let brackets = name.strip_prefix(&format!("{} {}", case.algorithm, case.operation)).unwrap_or_default();
    format!("{}{}", case.algorithm, if brackets.is_empty() { String::new() } else { format!(" {brackets}") })
}
