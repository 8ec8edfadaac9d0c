//! Output of runs that are compared with a baseline.

use crate::args::RunArgs;
use crate::output::{self, Terminal};
use crate::progress::{Screen, Stream};
use crate::{DONE, FAILED, INCONCLUSIVE, comparison};
use pqlab_lab::analysis::comparison::Outcome;
use pqlab_lab::record::Run;
use pqlab_lab::store::Store;
use pqlab_lab::{Gate, GateRequest, GateStep, Laboratory};
use serde_json::Value;
use std::sync::atomic::AtomicBool;

/// Returns the exit code of a gate.
pub(crate) fn exit_code(gate: &Gate) -> u8 {
    match gate.outcome() {
        Outcome::Pass => DONE,
        Outcome::Undecided => INCONCLUSIVE,
        Outcome::Fail => FAILED,
    }
}

/// Compares a finished run with its baseline, measures uncertain cases again, and reports both. Returns `None` if the
/// user interrupts the check.
pub(crate) fn check(
    arguments: &RunArgs,
    screen: &Terminal,
    laboratory: &Laboratory,
    store: &mut Store,
    (baseline, run): (&Run, &Run),
    stop: &AtomicBool,
) -> anyhow::Result<Option<Gate>> {
    let request = GateRequest {
        slower_pct: arguments.fail_slower,
        judged: arguments.metric.into(),
        elsewhere: arguments.baseline_elsewhere,
        command: output::command_line(),
    };
    let mut take = |step: GateStep<'_>| {
        match step {
            GateStep::Compared(_, document) if arguments.json => event("comparison", document)?,
            GateStep::Compared(compared, _) if !arguments.quiet => comparison::print(compared, false, screen)?,
            GateStep::Again(open) if !arguments.quiet => {
                output::talk(&format!("measuring again with fresh processes: {}", open.join(", ")));
            }
            GateStep::Case(case, run) if !arguments.quiet || case.settled() == Some(Outcome::Fail) => {
                output::talk(&format!("{}: {} (run {run})", case.id, case.in_words()));
            }
            GateStep::Confirmed(document) if arguments.json => event("confirmation", document)?,
            _ => {}
        }
        Ok::<(), anyhow::Error>(())
    };
    let mut shown = Screen::new(Stream::Nothing, false, true, false, screen.palette);
    let gate = laboratory.check_against(store, (baseline, run), &request, &mut shown, &mut take, stop)?;
    let Some(gate) = gate else { return Ok(None) };
    let line = gate.line(&baseline.header.id, arguments.fail_slower);
    match (arguments.json || arguments.quiet, gate.outcome()) {
        (false, _) => output::data(&line)?,
        (true, Outcome::Pass) if arguments.quiet => {}
        (true, _) => output::talk(&line),
    }
    Ok(Some(gate))
}

/// Prints an event on one line, in the same form as the events of a run.
fn event(name: &str, mut body: Value) -> anyhow::Result<()> {
    body["event"] = name.into();
    output::json(&body.to_string())?;
    Ok(())
}
