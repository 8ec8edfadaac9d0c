//! Figures and footnotes that the tables in Markdown and LaTeX share.

use super::ExportError;
use indexmap::IndexSet;
use pqlab_analysis::caveats::{Caveat, Caveats};
use pqlab_analysis::estimates::Estimates;
use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::number::{known_rate, percent, time, time_range};
use pqlab_analysis::tables::{Table, tables};
use pqlab_analysis::{CaseAnalysis, RunAnalysis};

/// Heading of a column, and the function that formats its cell for a case. The function returns `None` if the column
/// does not apply to the case.
pub(super) type Figure = (&'static str, fn(&CaseAnalysis<'_>, &Estimates) -> Option<String>);

/// Figures of a case, in the order of their columns.
pub(super) const FIGURES: [Figure; 6] = [
    ("Time", |_, of| Some(of.time_text())),
    ("95% interval", |_, of| Some(time_range(&of.headline_ns()))),
    ("Core cycles", |_, of| of.cycles_text()),
    ("p95", |_, of| of.percentile(0.95).map(time)),
    ("CoV", |_, of| {
        of.variation().map(|(what, pct)| if what == "CoV" { percent(pct) } else { format!("{what} {}", percent(pct)) })
    }),
    ("op/s", |case, _| {
        let text =
            |(rate, unit)| if unit == "op/s" { known_rate(&rate) } else { format!("{} {unit}", known_rate(&rate)) };
        case.rate().map(text)
    }),
];

/// Selection of tables of several cases to write.
#[derive(Clone, Debug, Default)]
pub(super) struct TableChoice {
    /// Assumptions for the tables of circuit handshakes.
    pub(super) scenario: RelayScenario,
    /// Name of the only table to write; `None` to write all.
    pub(super) only: Option<String>,
}

impl TableChoice {
    /// Returns all tables of a run.
    pub(super) fn all(&self, analysis: &RunAnalysis<'_>) -> Vec<Table> {
        tables(analysis, &self.scenario)
    }

    /// Returns the selected table, or `None` if the user selected none.
    pub(super) fn one(&self, analysis: &RunAnalysis<'_>) -> Result<Option<Table>, ExportError> {
        let Some(only) = &self.only else { return Ok(None) };
        let all = self.all(analysis);
        let names: Vec<&str> = all.iter().map(|table| table.name).collect();
        let available = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        match all.into_iter().find(|table| table.name == only) {
            Some(table) => Ok(Some(table)),
            None => Err(ExportError::Choice(format!("the run has no table {only:?}; available: {available}"))),
        }
    }
}

/// Footnotes of a table. Each text has its own mark, which may occur in several rows.
#[derive(Default)]
pub(super) struct Footnotes {
    texts: IndexSet<String>,
    /// Caveats of the disturbed rows. Their messages differ by a percentage, but share a footnote with the largest one.
    disturbed: Vec<Caveats>,
}

impl Footnotes {
    /// Returns the marks for a row, such as `imprecise (a), defect (b), (c)`. Adds new texts to the footnotes. Caveats
    /// that are notes get their keyword and a letter, other caveats only a letter.
    pub(super) fn mark(&mut self, caveats: &Caveats) -> String {
        if caveats.has(Caveat::Shared) {
            self.disturbed.push(caveats.clone());
        }
        let marks = caveats.iter().map(|(caveat, says)| {
            let mark = self.add(caveat, says);
            if caveat.is_note() { format!("{} {mark}", caveat.word()) } else { mark }
        });
        marks.collect::<Vec<_>>().join(", ")
    }

    /// Returns the texts of the footnotes with their marks: `(b) defect: ...`.
    pub(super) fn texts(&self) -> Vec<String> {
        let disturbed = Caveat::Shared.word();
        let merged = Caveats::merged(&self.disturbed).by_word();
        let text = |text: &String| match merged.get(disturbed) {
            Some(says) if text == disturbed => format!("{disturbed}: {says}"),
            _ => text.clone(),
        };
        self.texts.iter().enumerate().map(|(index, of)| format!("{} {}", mark(index), text(of))).collect()
    }

    fn add(&mut self, caveat: Caveat, says: &str) -> String {
        let text = match caveat {
            Caveat::Shared => caveat.word().to_owned(),
            // The message is short, so append the general meaning.
            _ if caveat.is_note() => format!("{}: {says} ({})", caveat.word(), caveat.legend()),
            _ => format!("{}: {says}", caveat.word()),
        };
        mark(self.texts.insert_full(text).0)
    }
}

/// Formats the mark of a footnote: `(a)` to `(z)`, then `(aa)`.
fn mark(index: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = index;
    loop {
        letters.push(char::from(b'a' + (rest % 26) as u8));
        match rest / 26 {
            0 => break,
            more => rest = more - 1,
        }
    }
    format!("({})", letters.into_iter().rev().collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_analysis::RunAnalysis;

    #[test]
    fn marks_continue_after_z() {
        let found: Vec<String> = [0, 25, 26, 51, 53, 701, 702].into_iter().map(mark).collect();
        assert_eq!(found, ["(a)", "(z)", "(aa)", "(az)", "(bb)", "(zz)", "(aaa)"]);
    }

    #[test]
    fn rows_with_the_same_caveat_share_a_footnote() {
        let run = fixtures::doubtful_run();
        let analysis = RunAnalysis::new(&run);
        let mut notes = Footnotes::default();
        let first = notes.mark(&analysis.cases()[0].caveats);
        assert_eq!(first, "disturbed (a), imprecise (b), defect (c), (d), (e), (f), (g), (h), (i)");
        assert_eq!(notes.mark(&analysis.cases()[0].caveats), first);
        let texts = notes.texts();
        assert_eq!(texts.len(), Caveat::ALL.len());
        assert_eq!(texts[2], format!("(c) defect: {} ({})", fixtures::DEFECT, Caveat::Defect.legend()));
        assert_eq!(texts[4], "(e) residue: the call leaves vector-upper behind");
    }
}
