//! Gate: compares a run with a baseline, decides which cases pass or fail, and measures undecided cases again.

use crate::{
    Filters, LabError, Laboratory, Plan, Progress, ProtocolOverrides, RunRequest, check_percentage, compare_analyses,
};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::comparison::{Comparison, Judged, MOST_RUNS, Outcome, Regression, regressions};
use pqlab_record::Run;
use pqlab_store::Store;
use serde_json::{Map, Value, json};
use std::sync::atomic::AtomicBool;

/// Maximum number of cases that the result line names. If there are more, the line gives only the number of the others.
const NAMED: usize = 5;

/// Settings of a gate.
#[derive(Clone, Debug)]
pub struct GateRequest {
    /// A case fails if it is slower by more than this percentage.
    pub slower_pct: f64,
    /// Unit in which cases are compared: time or core cycles.
    pub judged: Judged,
    /// Whether to accept a baseline from another machine.
    pub elsewhere: bool,
    /// Command line to store with the additional runs.
    pub command: String,
}

/// Progress of a gate.
#[derive(Debug)]
pub enum GateStep<'a> {
    /// The run was compared with its baseline. Contains the comparison, and a JSON document with the outcome of each
    /// case.
    Compared(&'a Comparison, Value),
    /// Ids of the cases that are about to be measured again.
    Again(&'a [String]),
    /// A case was measured again, in the run with this id.
    Case(&'a GatedCase, &'a str),
    /// The repeated cases were compared with the baseline. Contains the JSON document, with the ids of the cases that
    /// failed or are confirmed to be slower.
    Confirmed(Value),
}

/// Result of a gate: the outcomes of all cases.
#[derive(Clone, Debug)]
pub struct Gate {
    /// Cases, in the comparison's order.
    pub cases: Vec<GatedCase>,
    /// Names of the baseline's machine and of this machine, if these differ and [`GateRequest::elsewhere`] is not set.
    /// The result is then undecided, unless a case failed.
    pub machines: Option<[String; 2]>,
}

/// Result of one case in a gate.
#[derive(Clone, Debug)]
pub struct GatedCase {
    /// Id of the case.
    pub id: String,
    /// Outcome of each run that measured the case, oldest first.
    runs: Vec<Outcome>,
    /// Figures from the most recent run that measured the case.
    last: Regression,
}

impl GatedCase {
    /// Returns the final outcome; `None` if the case must be measured again.
    pub fn settled(&self) -> Option<Outcome> {
        if self.last.failed { Some(Outcome::Fail) } else { Outcome::settled(&self.runs) }
    }

    /// Returns a short description of the outcome so far, such as `slower, confirmed`.
    pub fn in_words(&self) -> &'static str {
        match (self.settled(), self.last.failed) {
            (Some(Outcome::Fail), true) => "failed",
            (Some(Outcome::Fail), false) => "slower, confirmed",
            (Some(Outcome::Pass), _) => "not slower",
            (Some(Outcome::Undecided), _) => "undecided",
            (None, _) => "undecided so far",
        }
    }

    fn outcome(&self) -> Outcome {
        self.settled().unwrap_or(Outcome::Undecided)
    }
}

impl Gate {
    /// Returns the worst outcome of any case. If the machines differ, the outcome is undecided unless a case failed.
    pub fn outcome(&self) -> Outcome {
        if self.machines.is_some() {
            let failed = self.cases.iter().any(|case| case.last.failed);
            return if failed { Outcome::Fail } else { Outcome::Undecided };
        }
        self.cases.iter().map(GatedCase::outcome).max().unwrap_or(Outcome::Pass)
    }

    /// Returns the result as JSON.
    pub fn to_json(&self) -> Value {
        let outcomes: Map<String, Value> =
            self.cases.iter().map(|case| (case.id.clone(), case.outcome().word().into())).collect();
        json!({"word": self.outcome().word(), "cases": outcomes, "different_machines": self.machines})
    }

    /// Returns a one-line summary: the outcome and the cases that decided it. `baseline` is the id of the baseline run.
    pub fn line(&self, baseline: &str, slower_pct: f64) -> String {
        let outcome = self.outcome();
        if let (Some([there, here]), Outcome::Undecided) = (&self.machines, outcome) {
            return format!(
                "{} run {baseline} was measured on another machine ({there}; this one is {here}), so the comparison \
                 does not show the effect of a change: measure the baseline here, or compare anyway with \
                 --elsewhere",
                outcome.word()
            );
        }
        let select = |failed: bool| {
            let concerned = |case: &&GatedCase| case.outcome() == outcome && case.last.failed == failed;
            self.cases.iter().filter(concerned).collect::<Vec<_>>()
        };
        let beyond = format!("slower than run {baseline} by more than {slower_pct}%");
        let what = match (outcome, select(false), select(true)) {
            (Outcome::Pass, passed, _) if passed.len() == 1 => format!("1 case, not {beyond}"),
            (Outcome::Pass, passed, _) => format!("{} cases, none {beyond}", passed.len()),
            (Outcome::Undecided, open, _) => {
                format!("{MOST_RUNS} runs could not decide whether these cases are {beyond}: {}", named(&open))
            }
            (Outcome::Fail, slower, failed) => {
                let parts = [(format!("{beyond} in two runs"), slower), ("failed".into(), failed)];
                let nonempty = parts.iter().filter(|(_, cases)| !cases.is_empty());
                nonempty.map(|(what, cases)| format!("{what}: {}", named(cases))).collect::<Vec<_>>().join("; ")
            }
        };
        format!("{} {what}", outcome.word())
    }
}

fn named(cases: &[&GatedCase]) -> String {
    let words = |case: &&GatedCase| match case.last.ends {
        Some([low, high]) => format!("{} ({low:.2} to {high:.2} times the baseline)", case.id),
        None => case.id.clone(),
    };
    let mut words: Vec<String> = cases.iter().take(NAMED).map(words).collect();
    if cases.len() > NAMED {
        words.push(format!("and {} more", cases.len() - NAMED));
    }
    words.join(", ")
}

impl Laboratory {
    /// Compares a finished run with its baseline; the tuple contains the baseline and the finished run. Then repeats
    /// every case that is not clearly within [`GateRequest::slower_pct`], in separate runs with fresh processes, until
    /// the case's outcome is final. A case that needs more than [`MOST_RUNS`] runs stays undecided. Returns `None` if
    /// `stop` is set in the meantime.
    ///
    /// # Errors
    /// [`LabError`] if comparing or measuring fails, and any error that `take` returns.
    pub fn check_against<E: From<LabError>>(
        &self,
        store: &mut Store,
        (baseline, first): (&Run, &Run),
        request: &GateRequest,
        progress: &mut dyn Progress,
        take: &mut dyn FnMut(GateStep<'_>) -> Result<(), E>,
        stop: &AtomicBool,
    ) -> Result<Option<Gate>, E> {
        check_percentage("fail-slower", request.slower_pct)?;
        let (baseline, first) = (&RunAnalysis::new(baseline), &RunAnalysis::new(first));
        let (comparison, found) = judged(store, baseline, first, request)?;
        let gated =
            |last: &Regression| GatedCase { id: last.case.clone(), runs: vec![last.outcome], last: last.clone() };
        let machines = comparison.machines.clone().filter(|_| !request.elsewhere);
        let mut gate = Gate { cases: found.iter().map(gated).collect(), machines };
        take(GateStep::Compared(&comparison, with_outcomes(&comparison, &found)))?;
        if gate.machines.is_some() {
            return Ok(Some(gate));
        }
        loop {
            let open: Vec<String> =
                gate.cases.iter().filter(|case| case.settled().is_none()).map(|case| case.id.clone()).collect();
            if open.is_empty() {
                return Ok(Some(gate));
            }
            take(GateStep::Again(&open))?;
            let filters = Filters { ids: open.clone(), ..Filters::default() };
            let plan = Plan::again(&first.run.header, &filters, &ProtocolOverrides::default())?;
            let run_request = RunRequest { seed: None, command: request.command.clone() };
            let again = self.run(store, plan, &run_request, progress, stop)?;
            if !again.complete {
                return Ok(None);
            }
            let run = store.load_run(&again.run).map_err(LabError::from)?;
            let (comparison, found) = judged(store, baseline, &RunAnalysis::new(&run), request)?;
            for case in gate.cases.iter_mut().filter(|case| open.contains(&case.id)) {
                let Some(last) = found.iter().find(|found| found.case == case.id) else {
                    let reason = format!("run {} was started to repeat this case, but has no result for it", again.run);
                    return Err(LabError::Case { case: case.id.clone(), reason }.into());
                };
                case.runs.push(last.outcome);
                case.last = last.clone();
                take(GateStep::Case(case, &again.run))?;
            }
            let confirmed = gate.cases.iter().filter(|case| case.settled() == Some(Outcome::Fail));
            let mut document = with_outcomes(&comparison, &found);
            document["confirmed"] = confirmed.map(|case| case.id.as_str()).collect();
            take(GateStep::Confirmed(document))?;
        }
    }
}

fn judged(
    store: &Store,
    baseline: &RunAnalysis<'_>,
    run: &RunAnalysis<'_>,
    request: &GateRequest,
) -> Result<(Comparison, Vec<Regression>), LabError> {
    let comparison = compare_analyses(store, baseline, run, None, request.judged)?;
    let found = regressions(&comparison, baseline.run, run.run, request.slower_pct);
    Ok((comparison, found))
}

/// Returns the comparison as JSON. Adds each case's outcome in this run, regardless of other runs.
fn with_outcomes(comparison: &Comparison, found: &[Regression]) -> Value {
    let mut document = comparison.to_json();
    for (case, found) in document["cases"].as_array_mut().into_iter().flatten().zip(found) {
        case["outcome"] = found.outcome.word().into();
        case["outcome_ci"] = json!(found.ends);
    }
    document
}
