//! What would be measured, and about how long it would take.

use crate::planning::plan::without_what_is_missing;
use crate::{ExpectedDuration, Filters, LabError, Laboratory, Plan, ProtocolOverrides};
use pqlab_record::Case;
use pqlab_store::Store;
use serde_json::{Value, json};

/// A plan that is looked at and not measured.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The suites.
    pub suite: String,
    /// The ids of the cases, without the floor, which is measured beside the first. Where a library is left to measurement (`fastest`),
    /// with every one that it may be.
    pub cases: Vec<String>,
    /// How many of them are measured, once trials have chosen those libraries: about, as some are measured anyway and others are not.
    pub measured: usize,
    /// How long it takes.
    pub expected: ExpectedDuration,
    /// What is to be known of the selection, a line each.
    pub notes: Vec<String>,
}

impl Outline {
    /// The same for programs.
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
    /// What a run of these words would measure. What earlier runs took stands in the store.
    ///
    /// # Errors
    /// As [`named`](Self::named), [`draft`](Self::draft) and [`expected_duration`](Self::expected_duration).
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
