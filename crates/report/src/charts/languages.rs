//! Chart of operations that were also measured with programs in other languages, on a logarithmic scale. The legend
//! names the language of each library.

use super::areas::subject;
use super::canvas::{Anchor, Canvas, LABEL_LINE, LegendEntry, Quantity, Scale, TextStyle, lines_of, width_of};
use super::intervals::{TIME_AXIS, fastest_sentence, usual};
use super::look::Looks;
use super::provenance::{ELSEWHERE, failures, named, time_whiskers};
use super::ratios::doubt;
use super::{Chart, slug};
use pqlab_analysis::number::known_time;
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct, grouped};
use pqlab_stats::Interval;

/// Maximum number of operations in a picture.
const MOST: usize = 24;
const WIDTH: f64 = 760.0;
/// Height of one line of marks, in SVG units.
const LINE: f64 = 14.0;
/// Vertical space between two operations, in SVG units.
const GAP: f64 = 8.0;
/// Half the width of a mark, including the space around it, in SVG units.
const MARK: f64 = 6.5;
/// Maximum width of the names of operations, in SVG units.
const NAMES: f64 = 290.0;

/// Name of an operation, with the cases of all providers that were measured.
type Job<'s, 'a> = (String, Vec<&'s CaseAnalysis<'a>>);

/// Draws one picture for an area, or one for each operation if a single picture would be too long. Shows only
/// operations with several providers. At least one of these must be a program in another language.
pub(super) fn by_language(analysis: &RunAnalysis<'_>, area: &str) -> Vec<Chart> {
    let rows = usual(analysis, area);
    let mixed = |(_, rows): &Job<'_, '_>| {
        rows.len() > 1 && rows.iter().any(|row| analysis.language(&row.case().provider).is_worker)
    };
    let jobs: Vec<Job<'_, '_>> = grouped(rows.iter().copied(), |row| row.job()).into_iter().filter(mixed).collect();
    if jobs.len() <= MOST {
        return picture(analysis, area, subject(area), &jobs).into_iter().collect();
    }
    let operation = |(_, rows): &Job<'_, '_>| rows.first().map(|row| row.case().operation.clone()).unwrap_or_default();
    let operations = grouped(jobs.iter(), |job| operation(job)).into_iter();
    let draw = |(operation, jobs): (String, Vec<&Job<'_, '_>>)| {
        let jobs: Vec<Job<'_, '_>> = jobs.into_iter().take(MOST).cloned().collect();
        picture(analysis, &format!("{area} {operation}"), &format!("{}, {operation}", subject(area)), &jobs)
    };
    operations.filter_map(draw).collect()
}

fn picture(analysis: &RunAnalysis<'_>, what: &str, subject: &str, jobs: &[Job<'_, '_>]) -> Option<Chart> {
    if jobs.is_empty() {
        return None;
    }
    let drawn = || jobs.iter().flat_map(|(_, rows)| rows.iter().copied());
    let title = format!("{subject}: time per operation by library and language");
    let looks = Looks::new(analysis);
    let legend: Vec<_> = legend(analysis, drawn())
        .into_iter()
        .map(|provider| {
            let name = analysis.language(provider).label(provider);
            (LegendEntry::Mark(looks.of_provider(provider)), name)
        })
        .collect();
    let mut canvas = Canvas::new(WIDTH);
    let top = canvas.head(&title, &legend);
    let names: Vec<Vec<String>> = jobs.iter().map(|(job, _)| lines_of(job, 12.0, NAMES)).collect();
    let gutter = names.iter().flatten().map(|name| width_of(name, 12.0)).fold(80.0, f64::max) + 14.0;
    let reason = |row: &CaseAnalysis<'_>| {
        let named = named(analysis, &row.case().provider, &row.case().algorithm, doubt(row));
        (doubt(row).is_some() || named.ends_with(ELSEWHERE)).then_some(named)
    };
    let longest = drawn().filter_map(&reason).map(|text| width_of(&text, 11.0) + 8.0).fold(0.0, f64::max);
    let right = (WIDTH - 16.0 - longest).max(gutter + 160.0);
    let bounds = drawn().filter_map(|row| row.time()).flat_map(|median| [median.low, median.high]);
    let scale = Scale::log(bounds, gutter, right);
    let lines: Vec<Lines<'_, '_>> = jobs.iter().map(|(_, rows)| Lines::new(rows, &scale, reason)).collect();
    let row_height = |place: usize| lines[place].height().max(LABEL_LINE * names[place].len() as f64 + GAP);
    let height: f64 = (0..jobs.len()).map(row_height).sum();
    canvas.ends_at(top + height + 42.0);
    canvas.axis_across(&scale, Quantity::Time, top, top + height + 4.0);
    canvas.text((gutter + right) / 2.0, top + height + 34.0, TextStyle::Faint, Anchor::Middle, TIME_AXIS);
    let mut y = top;
    for (place, ((job, _), lines)) in jobs.iter().zip(&lines).enumerate() {
        canvas.rule((0.0, y), (WIDTH - 16.0, y));
        let middle = y + row_height(place) / 2.0;
        canvas.label(gutter - 10.0, middle, TextStyle::Label, Anchor::End, &names[place]);
        for (row, median, line) in &lines.marks {
            let on = middle + (*line as f64 - (lines.count as f64 - 1.0) / 2.0) * LINE;
            canvas.interval_across(on, &scale, median.low, median.high);
            let (figure, width) = (known_time(median), median.half_width_pct());
            let by = analysis.language(&row.case().provider).label(&row.case().provider);
            let look = looks.of_provider(&row.case().provider).doubted(doubt(row));
            canvas.mark(look, scale.at(median.estimate), on, &format!("{job} {by}: {figure} ±{width:.1}%"));
            if let Some(text) = reason(row) {
                let x = scale.at(median.high).max(scale.at(median.estimate) + MARK) + 3.0;
                canvas.text(x, on + 4.0, TextStyle::Faint, Anchor::Start, &text);
            }
            canvas.shows(row);
        }
        y += row_height(place);
    }
    let mut workers: Vec<&str> = drawn().map(|row| row.case().provider.as_str()).collect();
    workers.retain(|provider| analysis.language(provider).is_worker);
    workers.sort_unstable();
    workers.dedup();
    let about = format!(
        "Times of {} operations with 95% intervals on a logarithmic scale. Each library has its own mark; \
         marks that would overlap are on separate lines. Separate programs: {}; the rest are libraries.{}",
        jobs.len(),
        workers.join(", "),
        fastest_sentence(&fastest(analysis, jobs))
    );
    canvas.note(time_whiskers(analysis));
    canvas.note(format!("Separate programs: {}; the rest are libraries.", workers.join(", ")));
    canvas.note(failures(analysis, &drawn().collect::<Vec<_>>()));
    Some(canvas.finish(analysis, &format!("languages-{}", slug(what)), &title, about))
}

/// Marks of one operation, arranged on several lines so that they do not overlap.
struct Lines<'s, 'a> {
    /// Marks, each with its time in ns and the index of its line, fastest first.
    marks: Vec<(&'s CaseAnalysis<'a>, Interval, usize)>,
    /// Number of lines.
    count: usize,
}

impl<'s, 'a> Lines<'s, 'a> {
    /// Places each mark on the first line where it does not overlap another mark. A mark includes its whisker, and its
    /// label if it has one.
    fn new(
        rows: &[&'s CaseAnalysis<'a>],
        scale: &Scale,
        label: impl Fn(&CaseAnalysis<'_>) -> Option<String>,
    ) -> Lines<'s, 'a> {
        let mut rows: Vec<(&CaseAnalysis<'a>, Interval)> =
            rows.iter().filter_map(|row| Some((*row, row.time()?))).collect();
        rows.sort_by(|(_, one), (_, other)| one.estimate.total_cmp(&other.estimate));
        // Right end of the last mark on each line.
        let mut ends: Vec<f64> = Vec::new();
        let mut marks = Vec::new();
        for (row, median) in rows {
            let at = scale.at(median.estimate);
            let (left, right) = (scale.at(median.low).min(at - MARK), scale.at(median.high).max(at + MARK));
            let right = right + label(row).map_or(0.0, |text| width_of(&text, 11.0) + 6.0);
            let line = ends.iter().position(|end| *end <= left).unwrap_or(ends.len());
            match ends.get_mut(line) {
                Some(end) => *end = right,
                None => ends.push(right),
            }
            marks.push((row, median, line));
        }
        Lines { marks, count: ends.len() }
    }

    fn height(&self) -> f64 {
        self.count as f64 * LINE + GAP
    }
}

/// Returns the providers that the picture shows, grouped by language.
fn legend<'r>(analysis: &RunAnalysis<'_>, drawn: impl Iterator<Item = &'r CaseAnalysis<'r>>) -> Vec<&'r str> {
    let mut providers = distinct(drawn.map(|row| row.case().provider.as_str()));
    let language = |provider: &str| analysis.language(provider).group;
    providers.sort_by(|one, other| language(one).cmp(&language(other)).then(one.cmp(other)));
    providers
}

fn fastest(analysis: &RunAnalysis<'_>, jobs: &[Job<'_, '_>]) -> String {
    let best = |(job, rows): &Job<'_, '_>| {
        let leading = analysis.leading(rows);
        let figure = known_time(&leading.first()?.time()?);
        let by = |row: &&CaseAnalysis<'_>| analysis.language(&row.case().provider).label(&row.case().provider);
        let names: Vec<String> = leading.iter().map(by).collect();
        let tied = if names.len() > 1 { " (tied)" } else { "" };
        Some(format!("{job} by {}{tied} in {figure}", names.join(", ")))
    };
    jobs.iter().filter_map(best).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn areas_with_workers_have_a_picture_by_language() {
        let run = fixtures::workers_run();
        let analysis = RunAnalysis::new(&run);
        let charts: Vec<Chart> = analysis.areas().into_iter().flat_map(|area| by_language(&analysis, area)).collect();
        let names: Vec<&str> = charts.iter().map(|chart| chart.name.as_str()).collect();
        assert_eq!(names, ["languages-kem", "languages-signature", "languages-hash"]);
        for text in
            [">openssl (C)<", ">libcrux:avx2 (Rust)<", ">go<", ">script (JavaScript)<", "keygen openssl (C): 20.0 µs"]
        {
            assert!(charts[0].svg.contains(text), "{text}: {}", charts[0].svg);
        }
        assert_eq!(charts[0].svg.matches("class=\"whisker\"").count(), 15);
        assert!(charts[1].about.contains("ML-DSA-65 verify[len=32] by go in 80.0 µs"), "{}", charts[1].about);
        assert!(charts[1].about.contains("Separate programs: go, script; the rest"), "{}", charts[1].about);
    }

    #[test]
    fn marks_do_not_overlap() {
        let run = fixtures::workers_run();
        let analysis = RunAnalysis::new(&run);
        let rows: Vec<&CaseAnalysis<'_>> =
            analysis.area("kem").filter(|row| row.case().operation == "keygen").collect();
        let scale = Scale::log([19e3, 420e3].into_iter(), 0.0, 300.0);
        let lines = Lines::new(&rows, &scale, |_| None);
        let placed: Vec<(&str, usize)> =
            lines.marks.iter().map(|(row, _, line)| (row.case().provider.as_str(), *line)).collect();
        assert_eq!(placed, [("openssl", 0), ("branch", 1), ("libcrux:avx2", 0), ("go", 0), ("script", 0)]);
        for (place, (_, median, line)) in lines.marks.iter().enumerate() {
            for (_, other, _) in lines.marks[..place].iter().filter(|(.., other_line)| other_line == line) {
                assert!(scale.at(median.estimate) - scale.at(other.estimate) >= 2.0 * MARK);
            }
        }
        assert_eq!((lines.count, lines.height()), (2, 2.0 * LINE + GAP));
    }

    #[test]
    fn long_pictures_are_split_by_operation() {
        let mut run = fixtures::workers_run();
        let kem: Vec<_> = run.records.iter().filter(|record| record.case.workload == "kem").cloned().collect();
        for copy in 0..MOST {
            run.records.extend(kem.iter().cloned().map(|mut record| {
                record.case.algorithm = format!("KEM-{copy}");
                record
            }));
        }
        let charts = by_language(&RunAnalysis::new(&run), "kem");
        let names: Vec<&str> = charts.iter().map(|chart| chart.name.as_str()).collect();
        assert_eq!(names, ["languages-kem-keygen", "languages-kem-encapsulate", "languages-kem-decapsulate"]);
    }

    #[test]
    fn areas_without_workers_or_without_other_providers_have_no_picture() {
        assert!(by_language(&RunAnalysis::new(&fixtures::libraries_run()), "kem").is_empty());
        let mut alone = fixtures::workers_run();
        alone.records.retain(|record| record.case.provider == "go");
        assert!(by_language(&RunAnalysis::new(&alone), "kem").is_empty());
    }
}
