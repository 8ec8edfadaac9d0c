//! Preview of a run: its cases, and its approximate duration.

use crate::planning::plan::without_what_is_missing;
use crate::{ExpectedDuration, Filters, LabError, Laboratory, Plan, ProtocolOverrides};
use pqlab_record::Case;
use pqlab_store::Store;
use serde_json::{Value, json};

/// Plan that is shown but not measured.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Names of the suites, joined by a plus sign.
    pub suite: String,
    /// Ids of the cases, without the overhead cases, which every run measures. If a library must be chosen by trial
    /// (`fastest`), lists every candidate.
    pub cases: Vec<String>,
    /// Approximate number of cases that the run measures after trials have chosen the libraries. The run may measure
    /// some of the other candidates anyway.
    pub measured: usize,
    /// Expected duration.
    pub expected: ExpectedDuration,
    /// Notes on the selection, one line each.
    pub notes: Vec<String>,
}

impl Outline {
    /// Returns the outline as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "suite": self.suite,
            "cases": self.cases,
            "measured": self.measured,
            "seconds": self.expected.seconds,
            "unknown": self.expected.unknown,
        })
    }
}

fn beside_the_floor(plan: &Plan) -> impl Iterator<Item = &Case> {
    plan.cases.iter().filter(|case| !case.is_overhead())
}

impl Laboratory {
    /// Returns a preview of the run that `words` select. The store provides the times of earlier runs.
    ///
    /// # Errors
    /// Errors from [`named`](Self::named), [`draft`](Self::draft) and [`expected_duration`](Self::expected_duration).
    pub fn outline(
        &self,
        words: &[String],
        filters: Filters,
        overrides: &ProtocolOverrides,
        store: &Store,
    ) -> Result<Outline, LabError> {
        let named = self.named(words)?;
        let (mut draft, mut plan) = self.draft_and_likeness(&named.suites, &named.narrow(filters), overrides)?;
        let mut notes = named.notes;
        without_what_is_missing(&mut draft.cases, &mut |note| notes.push(note.to_owned()))?;
        if let Some(plan) = &mut plan {
            without_what_is_missing(&mut plan.cases, &mut |_| {})?;
        }
        let cases: Vec<String> = beside_the_floor(&draft).map(Case::id).collect();
        let plan = plan.unwrap_or(draft);
        Ok(Outline {
            cases,
            measured: beside_the_floor(&plan).count(),
            expected: self.expected_duration(store, &plan, false)?,
            suite: plan.suite,
            notes,
        })
    }
}
