//! A run against a baseline: what passes, what fails, and what is measured again to find out.

use crate::{
    Filters, LabError, Laboratory, Plan, Progress, ProtocolOverrides, RunRequest, check_percentage, compare_analyses,
};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::comparison::{Comparison, Judged, MOST_RUNS, Outcome, Regression, regressions};
use pqlab_record::Run;
use pqlab_store::Store;
use serde_json::{Map, Value, json};
use std::sync::atomic::AtomicBool;

/// Cases that the last line names; the others are counted.
const NAMED: usize = 5;

/// How a run is held against its baseline.
#[derive(Clone, Debug)]
pub struct GateRequest {
    /// A case fails that is slower by more than this percentage.
    pub slower_pct: f64,
    /// In which unit cases are judged.
    pub judged: Judged,
    /// Whether to judge a baseline of another machine.
    pub elsewhere: bool,
    /// The command line, to be kept with the runs that confirm.
    pub command: String,
}

/// How far a check is.
#[derive(Debug)]
pub enum GateStep<'a> {
    /// The run was compared with its baseline; the document has what it says of each case.
    Compared(&'a Comparison, Value),
    /// These are measured again.
    Again(&'a [String]),
    /// A case was measured again, in this run.
    Case(&'a GatedCase, &'a str),
    /// The comparison of those that were measured again, with the cases that are confirmed to fail.
    Confirmed(Value),
}

/// What the run came to, case by case.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The cases, in the order of the comparison.
    pub cases: Vec<GatedCase>,
    /// The baseline's machine and this one, if they differ and [`GateRequest::elsewhere`] is not set. The result is undecided then.
    pub machines: Option<[String; 2]>,
}

/// What a case came to.
#[derive(Clone, Debug)]
pub struct GatedCase {
    /// Its id.
    pub id: String,
    /// What each of its runs said.
    runs: Vec<Outcome>,
    /// What the last of them said, with figures.
    last: Regression,
}

impl GatedCase {
    /// What it comes to; `None` where it is to be measured once more.
    pub fn settled(&self) -> Option<Outcome> {
        if self.last.failed { Some(Outcome::Fail) } else { Outcome::settled(&self.runs) }
    }

    /// What its runs say so far.
    pub fn in_words(&self) -> &'static str {
        match (self.settled(), self.last.failed) {
            (Some(Outcome::Fail), true) => "failed",
            (Some(Outcome::Fail), false) => "slower, confirmed",
            (Some(Outcome::Pass), _) => "not slower",
            (Some(Outcome::Undecided), _) => "undecided",
            (None, _) => "not certain yet",
        }
    }

    fn outcome(&self) -> Outcome {
        self.settled().unwrap_or(Outcome::Undecided)
    }
}

impl Gate {
    /// The worst of all cases.
    pub fn outcome(&self) -> Outcome {
        if self.machines.is_some() {
            let failed = self.cases.iter().any(|case| case.last.failed);
            return if failed { Outcome::Fail } else { Outcome::Undecided };
        }
        self.cases.iter().map(GatedCase::outcome).max().unwrap_or(Outcome::Pass)
    }

    /// The same for programs.
    pub fn to_json(&self) -> Value {
        let outcomes: Map<String, Value> =
            self.cases.iter().map(|case| (case.id.clone(), case.outcome().word().into())).collect();
        json!({"word": self.outcome().word(), "cases": outcomes, "different_machines": self.machines})
    }

    /// One line: the word, and the cases that make it.
    pub fn line(&self, baseline: &str, slower_pct: f64) -> String {
        let outcome = self.outcome();
        if let (Some([there, here]), Outcome::Undecided) = (&self.machines, outcome) {
            return format!(
                "{} run {baseline} was measured on another machine ({there}; this is {here}), so a comparison does not show the effect of a change: measure \
                 the baseline here, or compare all the same with --baseline-elsewhere",
                outcome.word()
            );
        }
        let of = |failed: bool| {
            let concerned = |case: &&GatedCase| case.outcome() == outcome && case.last.failed == failed;
            self.cases.iter().filter(concerned).collect::<Vec<_>>()
        };
        let beyond = format!("slower than run {baseline} by more than {slower_pct}%");
        let what = match (outcome, of(false), of(true)) {
            (Outcome::Pass, passed, _) => format!("{} cases, none {beyond}", passed.len()),
            (Outcome::Undecided, open, _) => {
                format!("{MOST_RUNS} runs do not tell whether these are {beyond}: {}", named(&open))
            }
            (Outcome::Fail, slower, failed) => {
                let parts = [(format!("{beyond}, twice"), slower), ("failed".into(), failed)];
                let said = parts.iter().filter(|(_, cases)| !cases.is_empty());
                said.map(|(what, cases)| format!("{what}: {}", named(cases))).collect::<Vec<_>>().join("; ")
            }
        };
        format!("{} {what}", outcome.word())
    }
}

fn named(cases: &[&GatedCase]) -> String {
    let words = |case: &&GatedCase| match case.last.ends {
        Some([low, high]) => format!("{} ({low:.2} to {high:.2} times)", case.id),
        None => case.id.clone(),
    };
    let mut words: Vec<String> = cases.iter().take(NAMED).map(words).collect();
    if cases.len() > NAMED {
        words.push(format!("and {} more", cases.len() - NAMED));
    }
    words.join(", ")
}

impl Laboratory {
    /// Compares a finished run with its baseline. What is not surely within the percentage is measured again, in runs of its own
    /// with fresh processes, until it is settled or was measured [`MOST_RUNS`] times. `None` where `stop` was set meanwhile.
    ///
    /// # Errors
    /// What cannot be compared or measured; and what `take` reports.
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
        let (baseline, first) = (&RunAnalysis::of(baseline), &RunAnalysis::of(first));
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
            let asked = RunRequest { seed: None, command: request.command.clone() };
            let again = self.run(store, plan, &asked, progress, stop)?;
            if !again.complete {
                return Ok(None);
            }
            let run = store.load_run(&again.run).map_err(LabError::from)?;
            let (comparison, found) = judged(store, baseline, &RunAnalysis::of(&run), request)?;
            for case in gate.cases.iter_mut().filter(|case| open.contains(&case.id)) {
                let Some(last) = found.iter().find(|found| found.case == case.id) else {
                    let reason = format!("run {}, which was to measure it again, has no figure of it", again.run);
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

/// The comparison with what this run alone says of each case.
fn with_outcomes(comparison: &Comparison, found: &[Regression]) -> Value {
    let mut document = comparison.to_json();
    for (case, found) in document["cases"].as_array_mut().into_iter().flatten().zip(found) {
        case["outcome"] = found.outcome.word().into();
        case["outcome_ci"] = json!(found.ends);
    }
    document
}
