//! A run against a baseline: what passes, what fails, and what is measured again to find out.

use super::compare;
use super::run::command_line;
use crate::args::RunArgs;
use crate::output::{self, Terminal};
use crate::progress::{Screen, Stream};
use crate::{DONE, FAILED, INCONCLUSIVE};
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::analysis::comparison::{Comparison, MOST_RUNS, Outcome, Regression, regressions};
use pqlab_lab::record::Run;
use pqlab_lab::store::Store;
use pqlab_lab::{Filters, Laboratory, Plan, ProtocolOverrides, RunRequest, compare_analyses};
use serde_json::{Value, json};
use std::sync::atomic::AtomicBool;

/// Cases that the last line names; the others are counted.
const NAMED: usize = 5;

/// What the run came to, case by case.
pub(crate) struct Gate {
    cases: Vec<Gated>,
}

struct Gated {
    id: String,
    /// What each of its runs said.
    runs: Vec<Outcome>,
    /// What the last of them said, with figures.
    last: Regression,
}

impl Gated {
    fn settled(&self) -> Option<Outcome> {
        if self.last.failed { Some(Outcome::Fail) } else { Outcome::settled(&self.runs) }
    }

    fn outcome(&self) -> Outcome {
        self.settled().unwrap_or(Outcome::Undecided)
    }
}

impl Gate {
    fn outcome(&self) -> Outcome {
        self.cases.iter().map(Gated::outcome).max().unwrap_or(Outcome::Pass)
    }

    /// The exit code that goes with the word.
    pub(crate) fn code(&self) -> u8 {
        match self.outcome() {
            Outcome::Pass => DONE,
            Outcome::Undecided => INCONCLUSIVE,
            Outcome::Fail => FAILED,
        }
    }

    /// What the last event says of it.
    pub(crate) fn to_json(&self) -> Value {
        let outcomes: serde_json::Map<String, Value> =
            self.cases.iter().map(|case| (case.id.clone(), case.outcome().word().into())).collect();
        json!({"word": self.outcome().word(), "cases": outcomes})
    }

    /// The last line.
    fn line(&self, baseline: &str, slower_pct: f64) -> String {
        let outcome = self.outcome();
        let of = |failed: bool| {
            let concerned = |case: &&Gated| case.outcome() == outcome && case.last.failed == failed;
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

fn named(cases: &[&Gated]) -> String {
    let words = |case: &&Gated| match case.last.ends {
        Some([low, high]) => format!("{} ({low:.2} to {high:.2} times)", case.id),
        None => case.id.clone(),
    };
    let mut words: Vec<String> = cases.iter().take(NAMED).map(words).collect();
    if cases.len() > NAMED {
        words.push(format!("and {} more", cases.len() - NAMED));
    }
    words.join(", ")
}

/// Compares a finished run with its baseline. What is not surely within `--fail-slower` is measured again, in runs of its own
/// with fresh processes, until it is settled or was measured [`MOST_RUNS`] times. `None` where the user stopped that.
pub(crate) fn check(
    arguments: &RunArgs,
    screen: &Terminal,
    laboratory: &Laboratory,
    store: &mut Store,
    baseline: &Run,
    first: &RunAnalysis<'_>,
    stop: &AtomicBool,
) -> anyhow::Result<Option<Gate>> {
    let id = &baseline.header.id;
    let baseline = &RunAnalysis::of(baseline);
    let (comparison, found) = judged(store, baseline, first, arguments)?;
    if !arguments.json && !arguments.quiet {
        compare::show(&comparison, false, screen)?;
    }
    let gated = |last: &Regression| Gated { id: last.case.clone(), runs: vec![last.outcome], last: last.clone() };
    let mut gate = Gate { cases: found.iter().map(gated).collect() };
    if arguments.json {
        event("comparison", with_outcomes(&comparison, &found))?;
    }
    loop {
        let open: Vec<String> =
            gate.cases.iter().filter(|case| case.settled().is_none()).map(|case| case.id.clone()).collect();
        if open.is_empty() {
            break;
        }
        if !arguments.quiet {
            output::talk(&format!("measuring again with fresh processes: {}", open.join(", ")));
        }
        let filters = Filters { ids: open.clone(), ..Filters::default() };
        let plan = Plan::again(&first.run.header, &filters, &ProtocolOverrides::default())?;
        let request = RunRequest { seed: None, command: command_line() };
        let mut shown = Screen::new(Stream::Nothing, false, true, false, screen.palette);
        let again = laboratory.run(store, plan, &request, &mut shown, stop)?;
        if !again.complete {
            return Ok(None);
        }
        let run = store.load_run(&again.run)?;
        let (comparison, found) = judged(store, baseline, &RunAnalysis::of(&run), arguments)?;
        for case in gate.cases.iter_mut().filter(|case| open.contains(&case.id)) {
            let Some(last) = found.iter().find(|found| found.case == case.id) else {
                anyhow::bail!("run {} has no {}, which it was to measure again", again.run, case.id);
            };
            case.runs.push(last.outcome);
            case.last = last.clone();
            if !arguments.quiet || case.settled() == Some(Outcome::Fail) {
                output::talk(&format!("{}: {} (run {})", case.id, in_words(case), again.run));
            }
        }
        if arguments.json {
            let confirmed = gate.cases.iter().filter(|case| case.settled() == Some(Outcome::Fail));
            let mut body = with_outcomes(&comparison, &found);
            body["confirmed"] = confirmed.map(|case| case.id.as_str()).collect();
            event("confirmation", body)?;
        }
    }
    let line = gate.line(id, arguments.fail_slower);
    match (arguments.json || arguments.quiet, gate.outcome()) {
        (false, _) => output::data(&line)?,
        (true, Outcome::Pass) if arguments.quiet => {}
        (true, _) => output::talk(&line),
    }
    Ok(Some(gate))
}

/// What the runs of a case say so far.
fn in_words(case: &Gated) -> &'static str {
    match (case.settled(), case.last.failed) {
        (Some(Outcome::Fail), true) => "failed",
        (Some(Outcome::Fail), false) => "slower, confirmed",
        (Some(Outcome::Pass), _) => "not slower",
        (Some(Outcome::Undecided), _) => "undecided",
        (None, _) => "not certain yet",
    }
}

fn judged(
    store: &Store,
    baseline: &RunAnalysis<'_>,
    run: &RunAnalysis<'_>,
    arguments: &RunArgs,
) -> anyhow::Result<(Comparison, Vec<Regression>)> {
    let comparison = compare_analyses(store, baseline, run, None, arguments.metric.into())?;
    let found = regressions(&comparison, baseline.run, run.run, arguments.fail_slower);
    Ok((comparison, found))
}

/// The comparison with what this run alone says of each case.
fn with_outcomes(comparison: &Comparison, found: &[Regression]) -> Value {
    let mut body = comparison.to_json();
    for (case, found) in body["cases"].as_array_mut().into_iter().flatten().zip(found) {
        case["outcome"] = found.outcome.word().into();
        case["outcome_ci"] = json!(found.ends);
    }
    body
}

/// One line, like the events of the run itself.
fn event(name: &str, mut body: Value) -> anyhow::Result<()> {
    body["event"] = name.into();
    output::json(&body.to_string())?;
    Ok(())
}
