//! Comparison of two runs, as Markdown for comments on pull requests.

use super::libraries_markdown::{judged, row};
use super::markdown::escape;
use pqlab_analysis::comparison::Comparison;

/// Writes the answer in one or two lines. The differences between the machines and builds of the runs follow, then a
/// row for each case, then the criteria.
pub fn compared_runs(comparison: &Comparison) -> String {
    let Comparison { first_run, second_run, .. } = comparison;
    let mut out = format!("### Run {} against {}\n\n", escape(second_run), escape(first_run));
    comparison.answer().lines().for_each(|line| out.push_str(&format!("{}\n", escape(line))));
    out.push('\n');
    if let Some([first, second]) = &comparison.machines {
        let machines = format!("{} and {}", escape(first), escape(second));
        out.push_str(&format!("- **different machines**: {machines}; this compares machines, not code\n"));
    }
    for difference in &comparison.differences {
        let both = format!("{} and {}", escape(&difference.first), escape(&difference.second));
        out.push_str(&format!("- {} differs: {both}\n", escape(&difference.what)));
    }
    out.push_str(
        "\n| case | before | now | ratio | 95% interval | verdict | notes |\n|---|---:|---:|---:|---:|---|---|\n",
    );
    for case in &comparison.cases {
        // Write the id as code, so that `@` does not mention a user.
        out.push_str(&row(case, &format!("<code>{}</code>", escape(&case.first))));
    }
    out.push('\n');
    for (which, ids) in [("first", &comparison.only_first), ("second", &comparison.only_second)] {
        if !ids.is_empty() {
            let ids = ids.iter().map(|id| escape(id)).collect::<Vec<_>>().join(", ");
            out.push_str(&format!("- only in the {which} run: {ids}\n"));
        }
    }
    out + &judged(comparison, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_analysis::comparison::ComparisonCriteria;
    use pqlab_analysis::{RunAnalysis, compare_runs};

    #[test]
    fn comments_have_the_answer_and_all_cases() {
        let (first, mut second) = (fixtures::run(), fixtures::run());
        second.header.id = "later".into();
        second.header.environment.build.rustc = "a|b <i>".into();
        second.records[0].samples = fixtures::samples(15.6, 1);
        let (one, two) = (RunAnalysis::new(&first), RunAnalysis::new(&second));
        let comparison = compare_runs(&one, &two, &ComparisonCriteria::default());
        let text = compared_runs(&comparison);
        assert!(text.starts_with(&format!("### Run later against {}\n\nAnswer: ", first.header.id)), "{text}");
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).collect();
        assert_eq!(rows.len(), comparison.cases.len() + 1);
        let columns = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(rows.iter().all(|row| columns(row) == 8), "{text}");
        assert!(
            rows[1].starts_with("| <code>kem/ML-KEM-768/encapsulate@liboqs</code> | ")
                && rows[1].contains("| **slower** |"),
            "{text}"
        );
        assert!(text.contains("Rust compiler differs: 1.95.0 and a\\|b") && !text.contains("<i>"), "{text}");
    }
}
