//! Describes the machine for `pqlab doctor`, and chooses cases and suites for its tests.

use crate::patterns::nearest;
use crate::{
    Filters, LabError, Laboratory, Plan, ProtocolOverrides, Suite, advise, advise_here, counters,
    estimated_over_counted, matches,
};
use pqlab_harness::environment::{Advice, Severity};
use pqlab_harness::{affinity, check_core};
use pqlab_record::{Case, CounterChoice, Environment, NULL};
use serde_json::{Value, json};

/// Description of the machine, including factors that disturb measurements.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The hardware, the operating system, this build and its libraries.
    pub environment: Environment,
    /// Findings about the machine, each with a severity. Findings that disturb measurements have a remedy.
    pub advice: Vec<Advice>,
    /// Estimated core cycles divided by counted core cycles; `None` if cycles cannot be counted.
    pub estimated_over_counted: Option<f64>,
}

impl Machine {
    /// Returns the description as JSON.
    pub fn to_json(&self) -> Value {
        let advice = self.advice.iter().map(|advice| {
            json!({"severity": severity_word(advice.severity), "subject": advice.subject, "finding": advice.finding,
                "remedy": advice.remedy})
        });
        json!({"environment": self.environment, "advice": advice.collect::<Vec<_>>(), "counters": counters(),
            "estimated_over_counted": self.estimated_over_counted})
    }
}

/// Returns the name that JSON documents use for a severity.
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Ok => "ok",
        Severity::Note => "note",
        Severity::Warning => "warning",
    }
}

impl Laboratory {
    /// Describes this machine.
    ///
    /// # Errors
    /// Errors from [`environment`](Self::environment).
    pub fn machine(&self) -> Result<Machine, LabError> {
        let mut environment = self.environment(CounterChoice::Best)?;
        environment.core = check_core(affinity::allowed().last().copied());
        let mut advice = advise(&environment);
        advice.extend(advise_here());
        Ok(Machine { environment, advice, estimated_over_counted: estimated_over_counted() })
    }

    /// Returns the first case that matches the pattern, for [`measure_noise`](Self::measure_noise).
    ///
    /// # Errors
    /// [`LabError::NothingSelected`] if no case matches.
    pub fn noise_case(&self, pattern: &str) -> Result<Case, LabError> {
        let cases = self.registry().cases(&Default::default());
        let wanted = |case: &&Case| case.provider != NULL && matches(pattern, &case.id());
        cases.iter().find(wanted).cloned().ok_or_else(|| {
            let ids: Vec<String> = cases.iter().map(Case::id).collect();
            let near = nearest(pattern, ids.iter().map(String::as_str));
            LabError::NothingSelected { with: Vec::new(), near }
        })
    }

    /// Plans the suites called `names`, for the independence and agreement tests. If `names` is empty, plans the
    /// `standard` suite.
    ///
    /// # Errors
    /// Errors from [`Suite::find`] and [`plan`](Self::plan).
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
