//! Text for citing a run.

use maud::{Markup, html};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::text::neutral;

/// Returns a BibTeX entry for the run.
fn bibtex(analysis: &RunAnalysis<'_>) -> String {
    let header = &analysis.run.header;
    let when = analysis.run.finished_at.as_deref().unwrap_or(&header.started_at);
    let build = &header.environment.build;
    let commit = build.commit.as_ref().map_or_else(String::new, |commit| format!(", commit {commit}"));
    let field = |text: &str| -> String {
        let plain = neutral(text);
        plain
            .chars()
            .filter(|character| !"{}\\".contains(*character))
            .flat_map(|character| match character {
                '%' | '&' | '#' | '_' | '$' => vec!['\\', character],
                other => vec![other],
            })
            .collect()
    };
    let key: String =
        header.id.chars().filter(|character| character.is_ascii_alphanumeric() || *character == '-').collect();
    format!(
        "@misc{{pqlab-{key},\n  title = {{pqlab run {}: suite {} on {}}},\n  year  = {{{}}},\n  note  = {{Measured {} with pqlab {}{}; \
         seed {}; repeat with: {}}}\n}}",
        field(&header.id),
        field(&header.suite),
        field(&header.environment.cpu.model),
        field(when.get(..4).unwrap_or(when)),
        field(when.get(..10).unwrap_or(when)),
        field(&build.version),
        field(&commit),
        header.seed,
        field(&header.command)
    )
}

/// Writes the section with the citation.
pub(super) fn cite(analysis: &RunAnalysis<'_>) -> Markup {
    html! {
        div #cite {
            h3 { "Cite this run" }
            div.copy { button type="button" data-copy="text" { "Copy BibTeX" } }
            pre { code { (bibtex(analysis)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn a_citation_names_the_run_and_stays_bibtex() {
        let mut run = fixtures::run();
        run.header.environment.cpu.model = "a}b_c\\".to_owned();
        let text = bibtex(&RunAnalysis::new(&run));
        assert!(text.contains(&run.header.id) && text.contains("ab\\_c"), "{text}");
        assert_eq!(text.matches('{').count(), text.matches('}').count());
    }
}
