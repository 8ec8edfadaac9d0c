//! Chart of operations that programs in other languages also perform, on a logarithmic scale. Each provider has a mark
//! in the colour of its language.

use super::canvas::{Anchor, Canvas, Quantity, Scale, TextStyle, label, width_of};
use super::intervals::{fastest_sentence, usual};
use super::{Chart, slug};
use pqlab_analysis::number::known_time;
use pqlab_analysis::{CaseAnalysis, RunAnalysis, grouped};
use pqlab_record::NULL;
use pqlab_stats::Interval;

/// Maximum number of operations in a picture.
const MOST: usize = 24;
const WIDTH: f64 = 760.0;
/// Height of one line of marks.
const LINE: f64 = 14.0;
/// Space between two operations.
const GAP: f64 = 8.0;
/// Half the width of a mark, including the space around it.
const MARK: f64 = 6.5;
/// Legend entry for unknown languages.
const UNKNOWN: &str = "unknown";

/// An operation with the cases of its providers.
type Job<'s, 'a> = (String, Vec<&'s CaseAnalysis<'a>>);

/// Draws one picture for an area, or one for each operation if a single picture would be too long. Draws nothing unless
/// some operation was measured both with a program in another language and with another provider.
pub(super) fn by_language(analysis: &RunAnalysis<'_>, area: &str) -> Vec<Chart> {
    let rows = usual(analysis, area);
    let mixed = |(_, rows): &Job<'_, '_>| {
        rows.len() > 1 && rows.iter().any(|row| analysis.language(&row.case().provider).is_worker)
    };
    let jobs: Vec<Job<'_, '_>> = grouped(rows.iter().copied(), |row| row.job()).into_iter().filter(mixed).collect();
    if jobs.len() <= MOST {
        return picture(analysis, area, &jobs).into_iter().collect();
    }
    let operation = |(_, rows): &Job<'_, '_>| rows.first().map(|row| row.case().operation.clone()).unwrap_or_default();
    let operations = grouped(jobs.iter(), |job| operation(job)).into_iter();
    let draw = |(operation, jobs): (String, Vec<&Job<'_, '_>>)| {
        let jobs: Vec<Job<'_, '_>> = jobs.into_iter().take(MOST).cloned().collect();
        picture(analysis, &format!("{area} {operation}"), &jobs)
    };
    operations.filter_map(draw).collect()
}

/// Returns the languages in a run in order of appearance, which determines their colours and shapes.
fn languages(analysis: &RunAnalysis<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for language in analysis.providers.iter().filter(|one| *one != NULL).map(|one| language(analysis, one)) {
        if !found.contains(&language) {
            found.push(language);
        }
    }
    found
}

fn language(analysis: &RunAnalysis<'_>, provider: &str) -> String {
    analysis.language(provider).group.unwrap_or_else(|| UNKNOWN.to_owned())
}

fn picture(analysis: &RunAnalysis<'_>, what: &str, jobs: &[Job<'_, '_>]) -> Option<Chart> {
    if jobs.is_empty() {
        return None;
    }
    let all = languages(analysis);
    let series = |row: &CaseAnalysis<'_>| {
        let name = language(analysis, &row.case().provider);
        all.iter().position(|known| *known == name).unwrap_or(all.len())
    };
    let drawn = || jobs.iter().flat_map(|(_, rows)| rows.iter().copied());
    let legend = legend(&all, drawn().map(|row| (series(row), row.case().provider.as_str())));
    let title = format!("{what}: time per operation by language");
    let widest = jobs.iter().map(|(job, _)| width_of(&label(job), 12.0)).fold(80.0, f64::max);
    let gutter = widest.min(320.0) + 14.0;
    // Draw the legend once to get its height, because the chart starts below it.
    let top = Canvas::new(WIDTH, 0.0).head(&title, &legend);
    let bounds = drawn().filter_map(|row| row.time()).flat_map(|median| [median.low, median.high]);
    let scale = Scale::log(bounds, gutter, WIDTH - 16.0);
    let lines: Vec<Lines<'_, '_>> = jobs.iter().map(|(_, rows)| Lines::of(rows, &scale)).collect();
    let height: f64 = lines.iter().map(Lines::height).sum();
    let mut canvas = Canvas::new(WIDTH, top + height + 30.0);
    canvas.head(&title, &legend);
    canvas.axis_across(&scale, Quantity::Time, top, top + height + 4.0);
    let mut y = top;
    for ((job, _), lines) in jobs.iter().zip(&lines) {
        canvas.rule((0.0, y), (WIDTH - 16.0, y));
        canvas.text(gutter - 10.0, y + lines.height() / 2.0 + 4.0, TextStyle::Label, Anchor::End, &label(job));
        for (row, median, line) in &lines.marks {
            let on = y + (GAP + LINE) / 2.0 + *line as f64 * LINE;
            canvas.interval_across(on, &scale, median.low, median.high);
            let (figure, width) = (known_time(median), median.half_width_pct());
            let by = analysis.language(&row.case().provider).beside(&row.case().provider);
            canvas.mark(series(row), scale.at(median.estimate), on, &format!("{job} {by}: {figure} ±{width:.1}%"));
        }
        y += lines.height();
    }
    let mut workers: Vec<&str> = drawn().map(|row| row.case().provider.as_str()).collect();
    workers.retain(|provider| analysis.language(provider).is_worker);
    workers.sort_unstable();
    workers.dedup();
    let about = format!(
        "Times of {} operations with 95% intervals on a logarithmic scale. Each provider has a mark in the colour and \
         shape of its language; marks that would overlap are on separate lines. Separate programs: {}; the rest are \
         libraries.{}",
        jobs.len(),
        workers.join(", "),
        fastest_sentence(&fastest(analysis, jobs))
    );
    Some(canvas.finish(&format!("languages-{}", slug(what)), &title, about))
}

/// Marks for one operation, arranged on lines.
struct Lines<'s, 'a> {
    /// Marks, each with its time in ns and the index of its line, fastest first.
    marks: Vec<(&'s CaseAnalysis<'a>, Interval, usize)>,
    /// Number of lines.
    count: usize,
}

impl<'s, 'a> Lines<'s, 'a> {
    /// Places each mark, with its interval, on the first line where it does not touch another mark.
    fn of(rows: &[&'s CaseAnalysis<'a>], scale: &Scale) -> Lines<'s, 'a> {
        let mut rows: Vec<(&CaseAnalysis<'a>, Interval)> =
            rows.iter().filter_map(|row| Some((*row, row.time()?))).collect();
        rows.sort_by(|(_, one), (_, other)| one.estimate.total_cmp(&other.estimate));
        // End of the last mark on each line.
        let mut ends: Vec<f64> = Vec::new();
        let mut marks = Vec::new();
        for (row, median) in rows {
            let at = scale.at(median.estimate);
            let (left, right) = (scale.at(median.low).min(at - MARK), scale.at(median.high).max(at + MARK));
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

/// Returns legend entries for the drawn languages and their providers: `Rust: graviola, libcrux:avx2`, or only `Go` for
/// a provider named `go`.
fn legend<'r>(all: &[String], drawn: impl Iterator<Item = (usize, &'r str)>) -> Vec<(usize, String)> {
    let mut drawn: Vec<(usize, &str)> = drawn.collect();
    drawn.sort();
    drawn.dedup();
    let entry = |(series, drawn): (usize, Vec<&(usize, &str)>)| {
        let name = all.get(series).map_or(UNKNOWN, String::as_str);
        let providers: Vec<&str> = drawn.into_iter().map(|(_, provider)| *provider).collect();
        let same_name = matches!(&providers[..], [one] if one.eq_ignore_ascii_case(name));
        (series, if same_name { name.to_owned() } else { format!("{name}: {}", providers.join(", ")) })
    };
    grouped(drawn.iter(), |(series, _)| *series).into_iter().map(entry).collect()
}

fn fastest(analysis: &RunAnalysis<'_>, jobs: &[Job<'_, '_>]) -> String {
    let best = |(job, rows): &Job<'_, '_>| {
        let leading = analysis.leading(rows);
        let figure = known_time(&leading.first()?.time()?);
        let by = |row: &&CaseAnalysis<'_>| analysis.language(&row.case().provider).beside(&row.case().provider);
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
        let analysis = RunAnalysis::of(&run);
        let charts: Vec<Chart> = analysis.areas().into_iter().flat_map(|area| by_language(&analysis, area)).collect();
        let names: Vec<&str> = charts.iter().map(|chart| chart.name.as_str()).collect();
        assert_eq!(names, ["languages-kem", "languages-signature", "languages-hash"]);
        for text in [
            ">C: branch, openssl<",
            ">Rust: libcrux:avx2<",
            ">Go<",
            ">JavaScript: script<",
            "keygen openssl (C): 20.0 µs",
        ] {
            assert!(charts[0].svg.contains(text), "{text}: {}", charts[0].svg);
        }
        assert_eq!(charts[0].svg.matches("class=\"whisker\"").count(), 15);
        assert!(charts[1].about.contains("ML-DSA-65 verify[len=32] by go in 80.0 µs"), "{}", charts[1].about);
        assert!(charts[1].about.contains("Separate programs: go, script; the rest"), "{}", charts[1].about);
    }

    #[test]
    fn marks_do_not_overlap() {
        let run = fixtures::workers_run();
        let analysis = RunAnalysis::of(&run);
        let rows: Vec<&CaseAnalysis<'_>> =
            analysis.area("kem").filter(|row| row.case().operation == "keygen").collect();
        let scale = Scale::log([19e3, 420e3].into_iter(), 0.0, 300.0);
        let lines = Lines::of(&rows, &scale);
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
        let charts = by_language(&RunAnalysis::of(&run), "kem");
        let names: Vec<&str> = charts.iter().map(|chart| chart.name.as_str()).collect();
        assert_eq!(names, ["languages-kem-keygen", "languages-kem-encapsulate", "languages-kem-decapsulate"]);
    }

    #[test]
    fn areas_without_workers_or_without_other_providers_have_no_picture() {
        assert!(by_language(&RunAnalysis::of(&fixtures::libraries_run()), "kem").is_empty());
        let mut alone = fixtures::workers_run();
        alone.records.retain(|record| record.case.provider == "go");
        assert!(by_language(&RunAnalysis::of(&alone), "kem").is_empty());
    }
}
