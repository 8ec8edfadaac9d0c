//! What the doctor looks at and tries: the machine, a case to compare with itself, suites to measure again and again.

use crate::patterns::nearest;
use crate::{
    Filters, LabError, Laboratory, Plan, ProtocolOverrides, Suite, advise, advise_here, counters,
    estimated_over_counted, matches,
};
use pqlab_harness::environment::{Advice, Severity};
use pqlab_record::{Case, CounterChoice, Environment, NULL};
use serde_json::{Value, json};

/// The machine, and what of it disturbs measuring.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The machine, its system, this build and its libraries.
    pub environment: Environment,
    /// What disturbs, and what can be done about it.
    pub advice: Vec<Advice>,
    /// Estimated core cycles over those that are counted; `None` where none are.
    pub estimated_over_counted: Option<f64>,
}

impl Machine {
    /// The same for programs.
    pub fn to_json(&self) -> Value {
        let advice = self.advice.iter().map(|advice| {
            json!({"severity": severity_word(advice.severity), "subject": advice.subject, "finding": advice.finding,
                "remedy": advice.remedy})
        });
        json!({"environment": self.environment, "advice": advice.collect::<Vec<_>>(), "counters": counters(),
            "estimated_over_counted": self.estimated_over_counted})
    }
}

/// How bad it is, in a word.
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Ok => "ok",
        Severity::Note => "note",
        Severity::Warning => "warning",
    }
}

impl Laboratory {
    /// Looks at the machine.
    ///
    /// # Errors
    /// As [`environment`](Self::environment).
    pub fn machine(&self) -> Result<Machine, LabError> {
        let environment = self.environment(CounterChoice::Best)?;
        let mut advice = advise(&environment);
        advice.extend(advise_here());
        Ok(Machine { environment, advice, estimated_over_counted: estimated_over_counted() })
    }

    /// The case that is compared with itself: of a pattern, the first that matches.
    ///
    /// # Errors
    /// [`LabError::NothingSelected`] where none does.
    pub fn noise_case(&self, pattern: &str) -> Result<Case, LabError> {
        let cases = self.registry().cases(&Default::default());
        let wanted = |case: &&Case| case.provider != NULL && matches(pattern, &case.id());
        cases.iter().find(wanted).cloned().ok_or_else(|| {
            let ids: Vec<String> = cases.iter().map(Case::id).collect();
            let near = nearest(pattern, ids.iter().map(String::as_str));
            LabError::NothingSelected { with: Vec::new(), near }
        })
    }

    /// The plan that company and repetition are tried on: suites by their names, `standard` where none is named.
    ///
    /// # Errors
    /// As [`Suite::find`] and [`plan`](Self::plan).
    pub fn plan_of_suites(
        &self,
        names: &[String],
        filters: &Filters,
        overrides: &ProtocolOverrides,
        note: &mut dyn FnMut(&str),
    ) -> Result<Plan, LabError> {
        let standard = ["standard".to_owned()];
        let names = if names.is_empty() { &standard } else { names };
        let suites = names.iter().map(|name| Suite::find(name)).collect::<Result<Vec<_>, _>>()?;
        self.plan(&suites, filters, overrides, note)
    }
}
