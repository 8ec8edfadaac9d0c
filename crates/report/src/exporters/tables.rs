//! What the tables that people read, in Markdown and LaTeX, have in common: their figures, and footnotes for caveats.

use super::ExportError;
use indexmap::IndexSet;
use pqlab_analysis::caveats::{Caveat, Caveats};
use pqlab_analysis::estimates::Estimates;
use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::number::{known_rate, percent, time, time_range};
use pqlab_analysis::tables::{Table, tables};
use pqlab_analysis::{CaseAnalysis, RunAnalysis};

/// A column's heading, and its cell of a case; `None` where it does not apply.
pub(super) type Figure = (&'static str, fn(&CaseAnalysis<'_>, &Estimates) -> Option<String>);

/// The figures of a case, in this order.
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

/// Which tables of several cases are wanted.
#[derive(Clone, Debug, Default)]
pub(super) struct TableChoice {
    /// What those of circuit handshakes ask about.
    pub(super) scenario: RelayScenario,
    /// One alone, by its name.
    pub(super) only: Option<String>,
}

impl TableChoice {
    /// All of a run.
    pub(super) fn all(&self, analysis: &RunAnalysis<'_>) -> Vec<Table> {
        tables(analysis, &self.scenario)
    }

    /// The one that is wanted alone; `None` where none is.
    pub(super) fn one(&self, analysis: &RunAnalysis<'_>) -> Result<Option<Table>, ExportError> {
        let Some(only) = &self.only else { return Ok(None) };
        let all = self.all(analysis);
        let names: Vec<&str> = all.iter().map(|table| table.name).collect();
        let there = if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
        match all.into_iter().find(|table| table.name == only) {
            Some(table) => Ok(Some(table)),
            None => Err(ExportError::Choice(format!("the run has no table {only:?}: {there}"))),
        }
    }
}

/// The footnotes of a table: a mark for each text, at however many rows it stands.
#[derive(Default)]
pub(super) struct Footnotes(IndexSet<String>);

impl Footnotes {
    /// What stands at a row: the words of its notes with their marks, and of its other caveats the marks alone:
    /// `imprecise (a), defect (b), (c)`.
    pub(super) fn mark(&mut self, caveats: &Caveats) -> String {
        let marks = caveats.iter().map(|(caveat, says)| {
            let mark = self.of(caveat, says);
            if caveat.is_note() { format!("{} {mark}", caveat.word()) } else { mark }
        });
        marks.collect::<Vec<_>>().join(", ")
    }

    /// The texts with their marks: `(b) defect: ...`.
    pub(super) fn texts(&self) -> Vec<String> {
        self.0.iter().enumerate().map(|(index, text)| format!("{} {text}", mark(index))).collect()
    }

    fn of(&mut self, caveat: Caveat, says: &str) -> String {
        // What a note says of one case is short: here stands also what it means.
        let meaning = if caveat.is_note() { format!(" ({})", caveat.legend()) } else { String::new() };
        let text = format!("{}: {says}{meaning}", caveat.word());
        mark(self.0.insert_full(text).0)
    }
}

/// `(a)` to `(z)`, then `(aa)`.
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
    fn marks_go_on_after_z() {
        let found: Vec<String> = [0, 25, 26, 51, 53, 701, 702].into_iter().map(mark).collect();
        assert_eq!(found, ["(a)", "(z)", "(aa)", "(az)", "(bb)", "(zz)", "(aaa)"]);
    }

    #[test]
    fn rows_with_the_same_caveat_share_a_footnote() {
        let run = fixtures::doubtful_run();
        let analysis = RunAnalysis::of(&run);
        let mut notes = Footnotes::default();
        let first = notes.mark(&analysis.cases()[0].caveats);
        assert_eq!(first, "shared (a), imprecise (b), defect (c), (d), (e), (f), (g), (h), (i)");
        assert_eq!(notes.mark(&analysis.cases()[0].caveats), first);
        let texts = notes.texts();
        assert_eq!(texts.len(), Caveat::ALL.len());
        assert_eq!(texts[2], format!("(c) defect: {} ({})", fixtures::DEFECT, Caveat::Defect.legend()));
        assert_eq!(texts[4], "(e) residue: the call leaves vector-upper behind");
    }
}
