//! Comparison of runs with a baseline, and its output.

use crate::args::{GateRules, RunArgs};
use crate::output::{self, Terminal};
use crate::progress::{Screen, Stream};
use crate::{DONE, FAILED, INCONCLUSIVE, comparison};
use pqlab_lab::analysis::comparison::Outcome;
use pqlab_lab::record::Run;
use pqlab_lab::store::Store;
use pqlab_lab::{Gate, GateRequest, GateStep, Laboratory};
use serde_json::Value;
use std::sync::atomic::AtomicBool;

/// Returns the exit code for the outcome of a gate.
pub(crate) fn exit_code(gate: &Gate) -> u8 {
    match gate.outcome() {
        Outcome::Pass => DONE,
        Outcome::Undecided => INCONCLUSIVE,
        Outcome::Fail => FAILED,
    }
}

/// Compares a finished run with its baseline, and prints the results. Measures cases again if their result is unclear.
/// Returns `None` if the user interrupts the check.
pub(crate) fn check(
    arguments: &RunArgs,
    rules: &GateRules,
    screen: &Terminal,
    laboratory: &Laboratory,
    store: &mut Store,
    (baseline, run): (&Run, &Run),
    stop: &AtomicBool,
) -> anyhow::Result<Option<Gate>> {
    let request = GateRequest {
        slower_pct: rules.fail_slower,
        judged: rules.metric.into(),
        elsewhere: rules.elsewhere,
        command: output::command_line(),
    };
    let (events, quiet) = (arguments.prints_events(), arguments.measuring.stored.quiet);
    let mut take = |step: GateStep<'_>| {
        match step {
            GateStep::Compared(_, document) if events => event("comparison", document)?,
            GateStep::Compared(compared, _) if !quiet => comparison::print_short(compared, false, screen)?,
            GateStep::Again(open) if !quiet => {
                output::talk(&format!("measuring again in fresh processes: {}", open.join(", ")));
            }
            GateStep::Case(case, run) if !quiet || case.settled() == Some(Outcome::Fail) => {
                output::talk(&format!("{}: {} (run {run})", case.id, case.in_words()));
            }
            GateStep::Confirmed(document) if events => event("confirmation", document)?,
            _ => {}
        }
        Ok::<(), anyhow::Error>(())
    };
    let mut shown = Screen::new(Stream::Nothing, false, true, false, screen.palette);
    let gate = laboratory.check_against(store, (baseline, run), &request, &mut shown, &mut take, stop)?;
    let Some(gate) = gate else { return Ok(None) };
    let line = gate.line(&baseline.header.id, rules.fail_slower);
    match (events || quiet, gate.outcome()) {
        (false, _) => output::data(&line)?,
        (true, Outcome::Pass) if quiet => {}
        (true, _) => output::talk(&line),
    }
    Ok(Some(gate))
}

/// Prints an event as one line of JSON, in the same form as the events of a run.
pub(crate) fn event(name: &str, mut body: Value) -> anyhow::Result<()> {
    body["event"] = name.into();
    output::json(&body.to_string())?;
    Ok(())
}
