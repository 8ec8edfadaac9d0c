//! Preview of a run: its cases, and its approximate duration.

use crate::planning::plan::remove_unavailable;
use crate::{ExpectedDuration, Filters, LabError, Laboratory, Plan, ProtocolOverrides};
use pqlab_record::Case;
use pqlab_store::Store;
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;

/// Preview of a run.
#[derive(Clone, Debug)]
pub struct Outline {
    /// Names of the suites, joined by a plus sign.
    pub suite: String,
    /// Ids of the cases, without overhead cases (every run measures those). If trials must choose a library
    /// (`fastest`), lists the cases of every candidate.
    pub cases: Vec<String>,
    /// Number of cases that the run measures once trials have chosen the libraries. Approximate, because it can depend
    /// on the choice.
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

fn without_overhead(plan: &Plan) -> impl Iterator<Item = &Case> {
    plan.cases.iter().filter(|case| !case.is_overhead())
}

impl Laboratory {
    /// Returns a preview of the run that `words` and `filters` select. Estimates its duration from the times of earlier
    /// runs in `store` and from trials. Setting `stop` ends the trials.
    ///
    /// # Errors
    /// Errors from [`named`](Self::named), [`draft`](Self::draft) and [`expected_duration`](Self::expected_duration).
    pub fn outline(
        &self,
        words: &[String],
        filters: Filters,
        overrides: &ProtocolOverrides,
        store: &Store,
        stop: &AtomicBool,
    ) -> Result<Outline, LabError> {
        let named = self.named(words)?;
        let filters = named.narrow(filters);
        let (mut draft, mut plan) = self.draft_and_likeness(&named.suites, &filters, overrides)?;
        let mut notes = named.notes;
        notes.extend(filters.idle(&draft.cases));
        remove_unavailable(&mut draft.cases, &mut |note| notes.push(note.to_owned()))?;
        if let Some(plan) = &mut plan {
            remove_unavailable(&mut plan.cases, &mut |_| {})?;
        }
        let cases: Vec<String> = without_overhead(&draft).map(Case::id).collect();
        let plan = plan.unwrap_or(draft);
        Ok(Outline {
            cases,
            measured: without_overhead(&plan).count(),
            expected: self.expected_duration(store, &plan, false, stop)?,
            suite: plan.suite,
            notes,
        })
    }
}
