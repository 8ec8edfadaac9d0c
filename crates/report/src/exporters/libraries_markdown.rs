//! Comparison of two libraries in one run, as Markdown for comments on pull requests.

use super::markdown::escape;
use pqlab_analysis::comparison::{ComparedCase, Comparison};
use pqlab_analysis::environment::environment_line;
use pqlab_analysis::number::{NONE, percent, time};
use pqlab_record::{Environment, Unit};
use pqlab_stats::{VERDICT_SIGNIFICANCE, Verdict};

/// Writes the answer in one or two lines. A row for each pair of cases follows, then the versions of the libraries,
/// then the criteria. `first` and `second` are provider ids.
pub fn compared_libraries(comparison: &Comparison, environment: &Environment, [first, second]: [&str; 2]) -> String {
    let mut out = format!("### {} against {}\n\n", escape(second), escape(first));
    comparison.answer().lines().for_each(|line| out.push_str(&format!("{}\n", escape(line))));
    out.push_str(&format!(
        "\n| case | {} | {} | ratio | 95% interval | verdict | notes |\n|---|---:|---:|---:|---:|---|---|\n",
        escape(first),
        escape(second)
    ));
    for case in &comparison.cases {
        let name = case.first.strip_suffix(&format!("@{first}")).unwrap_or(&case.first);
        out.push_str(&row(case, &escape(name)));
    }
    out.push('\n');
    for id in [first, second] {
        let build = environment.providers.iter().find(|build| build.id == id);
        let version =
            build.map_or_else(|| "unknown".to_owned(), |build| format!("{} ({})", build.version, build.origin()));
        out.push_str(&format!("- {}: {}\n", escape(id), escape(&version)));
    }
    out.push_str(&judged(comparison, ", from the same rounds and processes"));
    out.push_str(&format!("- run {}, on {}\n", escape(&comparison.first_run), escape(&environment_line(environment))));
    out
}

/// Formats the criteria of the comparison as a list item. `origin` describes the source of the figures.
pub(super) fn judged(comparison: &Comparison, origin: &str) -> String {
    let criteria = &comparison.criteria;
    let cycles = comparison.cases.iter().filter(|case| case.unit == Unit::CoreCycles).count();
    let unit = match cycles {
        0 => "time",
        all if all == comparison.cases.len() => "core cycles",
        _ => "core cycles (in time if they are unknown)",
    };
    format!(
        "- the ratio is second / first in {unit}{origin}; equivalent: within ±{} ({}); at most {} of truly equal pairs \
         are called faster or slower\n",
        percent(criteria.margin_pct),
        escape(&criteria.margin_source),
        percent(100.0 * VERDICT_SIGNIFICANCE)
    )
}

/// Returns a row of the table. `name` is already Markdown and is not escaped.
pub(super) fn row(case: &ComparedCase, name: &str) -> String {
    let time = |ns: Option<f64>| ns.map_or_else(|| NONE.to_owned(), time);
    let (ratio, ends) = case.ratio.map_or_else(
        || (NONE.to_owned(), NONE.to_owned()),
        |found| (format!("{:.3}", found.ratio.estimate), format!("{:.3} to {:.3}", found.ratio.low, found.ratio.high)),
    );
    let word = case.judgement.verdict.name();
    let verdict = match case.judgement.verdict {
        Verdict::Slower => format!("**{word}**"),
        _ => word.to_owned(),
    };
    format!(
        "| {name} | {} | {} | {ratio} | {ends} | {verdict} | {} |\n",
        time(case.first_ns),
        time(case.second_ns),
        escape(&case.notes.join("; "))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_analysis::comparison::ComparisonCriteria;
    use pqlab_analysis::{RunAnalysis, compare};
    use pqlab_record::LoadedLibrary;

    #[test]
    fn comments_have_the_answer_all_cases_and_the_versions() {
        let mut run = fixtures::run();
        run.header.environment.providers[1].library = Some(LoadedLibrary {
            kind: "openssl".into(),
            path: "/opt/a|b/libcrypto.so".into(),
            spec: "aws-lc=openssl:/opt/a|b/libcrypto.so".into(),
        });
        let analysis = RunAnalysis::new(&run);
        let case = |id: &str| analysis.cases().iter().find(|case| case.case().id() == id).expect("missing case");
        let pair = (case("kem/ML-KEM-768/encapsulate@liboqs"), case("kem/ML-KEM-768/encapsulate@aws-lc"));
        let comparison = compare(&analysis, &analysis, &[pair], &ComparisonCriteria::default());
        let text = compared_libraries(&comparison, &run.header.environment, ["liboqs", "aws-lc"]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "### aws-lc against liboqs");
        assert!(lines[2].starts_with("Answer: 1 of 1 slower, largest difference: "), "{text}");
        assert_eq!(lines[4], "| case | liboqs | aws-lc | ratio | 95% interval | verdict | notes |");
        assert!(
            lines[6].starts_with("| kem/ML-KEM-768/encapsulate | ") && lines[6].contains(" | **slower** | "),
            "{text}"
        );
        let columns = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(lines[4..7].iter().all(|line| columns(line) == 8), "{text}");
        assert!(text.contains("- liboqs: 0.13.0 (avx2, vendored)\n"), "{text}");
        assert!(text.contains("- aws-lc: 1.19.0 (assembly; loaded from /opt/a\\|b/libcrypto.so)\n"), "{text}");
        assert!(text.contains(&format!("- run {}, on Example CPU", run.header.id)), "{text}");
    }
}
