//! What would be measured, and about how long it would take.

use crate::{ExpectedDuration, Filters, LabError, Laboratory, Plan, ProtocolOverrides};
use pqlab_record::{Case, Protocol};
use pqlab_store::Store;
use pqlab_workloads::link_seconds;
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
    /// How long it takes, where the number of samples is fixed.
    pub expected: Option<ExpectedDuration>,
    /// Most seconds that it may take; less where the noise is small.
    pub most_s: f64,
    /// What is to be known of the selection, a line each.
    pub notes: Vec<String>,
}

impl Outline {
    /// The same for programs.
    pub fn to_json(&self) -> Value {
        let seconds = self.expected.as_ref().map_or(self.most_s, |expected| expected.seconds);
        json!({"suite": self.suite, "cases": self.cases, "measured": self.measured, "seconds": seconds, "at_most": self.expected.is_none()})
    }
}

/// Most seconds that a case takes; of one over a network about as many as it takes.
fn most_seconds(case: &Case, protocol: &Protocol) -> f64 {
    link_seconds(case, protocol.handshakes, protocol.processes).unwrap_or(protocol.max_time_s)
}

fn beside_the_floor(plan: &Plan) -> impl Iterator<Item = &Case> {
    plan.cases.iter().filter(|case| case.workload != "floor")
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
        let (draft, plan) = self.draft_and_likeness(&named.suites, &named.narrow(filters), overrides)?;
        let cases: Vec<String> = beside_the_floor(&draft).map(Case::id).collect();
        let plan = plan.unwrap_or(draft);
        Ok(Outline {
            cases,
            measured: beside_the_floor(&plan).count(),
            expected: self.expected_duration(store, &plan)?,
            most_s: plan.cases.iter().map(|case| most_seconds(case, &plan.protocol)).sum(),
            suite: plan.suite,
            notes: named.notes,
        })
    }
}
