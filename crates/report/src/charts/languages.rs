//! Languages: the operations that programs in other languages do too, on a scale of logarithms, a line for each language.

use super::canvas::{Anchor, Canvas, Quantity, Scale, TextStyle, label, width_of};
use super::intervals::usual;
use super::{Chart, slug};
use pqlab_analysis::number::known_time;
use pqlab_analysis::{CaseAnalysis, RunAnalysis, grouped};

/// Most operations of a picture.
const MOST: usize = 24;
const WIDTH: f64 = 760.0;
/// Height of a language's line, and room between two operations.
const LINE: f64 = 14.0;
const GAP: f64 = 8.0;
/// What a legend calls the languages that nobody knows.
const UNKNOWN: &str = "not known";

/// An operation, with its providers.
type Job<'s, 'a> = (String, Vec<&'s CaseAnalysis<'a>>);

/// One picture of an area, or one for each operation where that would be too long; none where no program in another language was
/// measured beside something else.
pub(super) fn by_language(analysis: &RunAnalysis<'_>, area: &str) -> Vec<Chart> {
    let rows = usual(analysis, area);
    let beside = |(_, rows): &Job<'_, '_>| {
        rows.len() > 1 && rows.iter().any(|row| analysis.language(&row.case().provider).is_worker)
    };
    let jobs: Vec<Job<'_, '_>> = grouped(rows.iter().copied(), |row| row.job()).into_iter().filter(beside).collect();
    if jobs.len() <= MOST {
        return picture(analysis, area, &jobs).into_iter().collect();
    }
    let operation = |(_, rows): &Job<'_, '_>| rows.first().map(|row| row.case().operation.clone()).unwrap_or_default();
    let operations = grouped(jobs.iter(), |job| operation(job)).into_iter();
    let of = |(operation, jobs): (String, Vec<&Job<'_, '_>>)| {
        let jobs: Vec<Job<'_, '_>> = jobs.into_iter().take(MOST).cloned().collect();
        picture(analysis, &format!("{area} {operation}"), &jobs)
    };
    operations.filter_map(of).collect()
}

/// The languages of a run, in the order in which they first appear: what their colours and shapes go by.
fn languages(analysis: &RunAnalysis<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for language in analysis.providers.iter().map(|provider| language(analysis, provider)) {
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
        let own = language(analysis, &row.case().provider);
        all.iter().position(|known| *known == own).unwrap_or(all.len())
    };
    // Of each operation its languages, each with its providers.
    let lines: Vec<(&str, Vec<(usize, Vec<&CaseAnalysis<'_>>)>)> = jobs
        .iter()
        .map(|(job, rows)| {
            let mut of_language = grouped(rows.iter().copied(), |row| series(row));
            of_language.sort_by_key(|(series, _)| *series);
            (job.as_str(), of_language)
        })
        .collect();
    let drawn = || jobs.iter().flat_map(|(_, rows)| rows.iter().copied());
    let legend = legend(&all, drawn().map(|row| (series(row), row.case().provider.as_str())));
    let title = format!("{what}: time of one operation by language");
    let widest = jobs.iter().map(|(job, _)| width_of(&label(job), 12.0)).fold(80.0, f64::max);
    let gutter = widest.min(320.0) + 14.0;
    let height: f64 = lines.iter().map(|(_, languages)| languages.len() as f64 * LINE + GAP).sum();
    // The legend decides where the chart begins; so it is drawn once to see how high it is.
    let top = Canvas::new(WIDTH, 0.0).head(&title, &legend);
    let mut canvas = Canvas::new(WIDTH, top + height + 30.0);
    canvas.head(&title, &legend);
    let bounds = drawn().filter_map(|row| row.median()).flat_map(|median| [median.low, median.high]);
    let scale = Scale::log(bounds, gutter, WIDTH - 16.0);
    canvas.axis_across(&scale, Quantity::Time, top, top + height + 4.0);
    let mut y = top;
    for (job, languages) in &lines {
        canvas.rule((0.0, y), (WIDTH - 16.0, y));
        y += GAP / 2.0;
        let middle = y + languages.len() as f64 * LINE / 2.0;
        canvas.text(gutter - 10.0, middle + 4.0, TextStyle::Label, Anchor::End, &label(job));
        for (series, rows) in languages {
            let on = y + LINE / 2.0;
            for median in rows.iter().filter_map(|row| row.median()) {
                canvas.interval_across(on, &scale, median.low, median.high);
            }
            for row in rows {
                let Some(median) = row.median() else { continue };
                let (figure, width) = (known_time(&median), median.half_width_pct());
                let by = analysis.language(&row.case().provider).beside(&row.case().provider);
                canvas.mark(*series, scale.at(median.estimate), on, &format!("{job} {by}: {figure} ±{width:.1}%"));
            }
            y += LINE;
        }
        y += GAP / 2.0;
    }
    let about = format!(
        "Medians with their 95% intervals on a scale of logarithms, of {} operations: a line for each language, a mark for each provider. \
         Libraries in C and Rust are part of this program or loaded by it, the rest are programs of their own. The fastest of each: {}.",
        jobs.len(),
        fastest(analysis, jobs)
    );
    Some(canvas.finish(&format!("languages-{}", slug(what)), &title, about))
}

/// The languages that are drawn, each with its providers: `Rust: graviola, libcrux:avx2`, and `Go` where its provider is called so.
fn legend<'r>(all: &[String], drawn: impl Iterator<Item = (usize, &'r str)>) -> Vec<(usize, String)> {
    let mut drawn: Vec<(usize, &str)> = drawn.collect();
    drawn.sort();
    drawn.dedup();
    let of = |(series, of_it): (usize, Vec<&(usize, &str)>)| {
        let name = all.get(series).map_or(UNKNOWN, String::as_str);
        let providers: Vec<&str> = of_it.into_iter().map(|(_, provider)| *provider).collect();
        let said = matches!(&providers[..], [one] if one.eq_ignore_ascii_case(name));
        (series, if said { name.to_owned() } else { format!("{name}: {}", providers.join(", ")) })
    };
    grouped(drawn.iter(), |(series, _)| *series).into_iter().map(of).collect()
}

fn fastest(analysis: &RunAnalysis<'_>, jobs: &[Job<'_, '_>]) -> String {
    let best = |(job, rows): &Job<'_, '_>| {
        let leading = analysis.leading(rows);
        let figure = known_time(&leading.first()?.median()?);
        let by = |row: &&CaseAnalysis<'_>| analysis.language(&row.case().provider).beside(&row.case().provider);
        let names: Vec<String> = leading.iter().map(by).collect();
        let tied = if names.len() > 1 { " (not told apart)" } else { "" };
        Some(format!("{job} by {}{tied} in {figure}", names.join(", ")))
    };
    jobs.iter().filter_map(best).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn each_area_with_a_worker_has_a_picture_with_a_legend_of_languages() {
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
    }

    #[test]
    fn what_would_be_too_long_is_a_picture_for_each_operation() {
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
    fn without_a_worker_or_anything_beside_it_there_is_none() {
        assert!(by_language(&RunAnalysis::of(&fixtures::libraries_run()), "kem").is_empty());
        let mut alone = fixtures::workers_run();
        alone.records.retain(|record| record.case.provider == "go");
        assert!(by_language(&RunAnalysis::of(&alone), "kem").is_empty());
    }
}
