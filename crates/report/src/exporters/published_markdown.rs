//! Comparison of a run with published figures, as Markdown.

use super::markdown::escape;
use crate::terminal::published_figure;
use pqlab_analysis::number::factor;
use pqlab_analysis::published::{Agreement, PublishedComparison, PublishedPair};

/// Writes the answer, then a table for each level of agreement with the reasons for differences, the largest difference
/// last, then the sources.
pub fn compared_published(comparison: &PublishedComparison) -> String {
    let core = comparison.core.unwrap_or("an unknown core");
    let mut out = format!(
        "Run {} on {} ({}).\n\n{}\n",
        escape(&comparison.run),
        escape(&comparison.cpu),
        escape(core),
        escape(&comparison.answer())
    );
    for agreement in Agreement::ALL {
        let pairs: Vec<&PublishedPair> = comparison.at(agreement).collect();
        out.push_str(&table(&format!("{} ({})", agreement.name(), pairs.len()), &pairs));
    }
    let others: Vec<&PublishedPair> = comparison.others.iter().collect();
    out.push_str(&table(&format!("Other CPUs ({}), not judged", others.len()), &others));
    let far = comparison.far_slower();
    if !far.is_empty() {
        out.push_str("\nFar slower than published:\n\n");
        far.iter().for_each(|sentence| out.push_str(&format!("- {}\n", escape(sentence))));
    }
    out.push_str("\nSources:\n\n");
    for source in comparison.sources() {
        out.push_str(&format!(
            "- `{}`: [{}]({}), {}, read {}\n",
            source.id,
            escape(&source.title),
            source.url,
            source.date,
            source.looked_at
        ));
    }
    out
}

fn table(heading: &str, pairs: &[&PublishedPair]) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "\n**{heading}**\n\n| case | here | published | ratio | source | CPU | possible reasons |\n\
         |---|---:|---:|---:|---|---|---|\n"
    );
    for pair in pairs {
        // Close figures need no reason.
        let reasons = if pair.agreement() == Agreement::Close { String::new() } else { pair.reasons.join("; ") };
        out.push_str(&format!(
            "| <code>{}</code> | {} | {} | {} | {} | {} | {} |\n",
            escape(&pair.case),
            published_figure(pair, pair.here.estimate),
            published_figure(pair, pair.published),
            factor(pair.ratio()),
            pair.source.id,
            escape(&pair.cpu.name),
            escape(&reasons)
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_analysis::RunAnalysis;
    use pqlab_analysis::published::compare_published;
    use pqlab_record::CpuNumbers;

    #[test]
    fn every_row_has_all_columns_and_every_source_an_address() {
        let mut run = fixtures::run();
        run.header.environment.cpu.numbers = Some(CpuNumbers { family: 25, model: 1, stepping: 1 });
        run.header.environment.cpu.model = "a|b <i>".into();
        let comparison = compare_published(&RunAnalysis::new(&run), true);
        let text = compared_published(&comparison);
        let columns = |line: &str| line.replace("\\|", "").matches('|').count();
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).collect();
        assert!(rows.len() > comparison.pairs.len() && rows.iter().all(|row| columns(row) == 8), "{text}");
        assert!(!text.contains("<i>") && text.contains("Answer: "), "{text}");
        assert_eq!(text.matches("](https://").count(), comparison.sources().len());
    }
}
