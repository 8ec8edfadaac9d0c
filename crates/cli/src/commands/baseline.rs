//! A run against a baseline: alarms, and their confirmation.

use super::compare;
use super::run::command_line;
use crate::args::RunArgs;
use crate::output::{self, Terminal};
use crate::progress::{Screen, Stream};
use crate::{DONE, FAILED, INTERRUPTED};
use pqlab_lab::record::Run;
use pqlab_lab::store::Store;
use pqlab_lab::{Ended, Filters, Laboratory, Plan, ProtocolOverrides, RunRequest, alarms, compare_stored};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// Compares a finished run with its baseline. What is slower by more than `--fail-slower` is measured once more, in a run of
/// its own with fresh processes, and only what is slower there too raises the alarm.
pub(crate) fn check(
    arguments: &RunArgs,
    screen: &Terminal,
    laboratory: &Laboratory,
    store: &mut Store,
    baseline: &Run,
    ended: &Ended,
    stop: &AtomicBool,
) -> anyhow::Result<u8> {
    let id = &baseline.header.id;
    let comparison = compare_stored(store, None, id, &ended.run, None)?;
    if arguments.json {
        event("comparison", comparison.to_json())?;
    } else if !arguments.quiet {
        compare::show(&comparison, false, screen)?;
    }
    let suspects: Vec<String> =
        alarms(&comparison, arguments.fail_slower).iter().map(|case| case.second.clone()).collect();
    if suspects.is_empty() {
        return Ok(DONE);
    }
    if !arguments.quiet {
        output::talk(&format!("measuring again with fresh processes, to confirm: {}", suspects.join(", ")));
    }
    let run = store.load_run(&ended.run)?;
    let plan = Plan::again(
        &run.header,
        &Filters { ids: suspects.clone(), ..Filters::default() },
        &ProtocolOverrides::default(),
    )?;
    let request = RunRequest { seed: None, command: command_line() };
    let mut shown = Screen::new(Stream::Nothing, false, true, false, screen.palette);
    let again = laboratory.run(store, plan, &request, &mut shown, stop)?;
    if !again.complete {
        return Ok(INTERRUPTED);
    }
    let second = compare_stored(store, None, id, &again.run, None)?;
    let confirmed: BTreeSet<&str> =
        alarms(&second, arguments.fail_slower).iter().map(|case| case.second.as_str()).collect();
    if arguments.json {
        let mut body = second.to_json();
        body["confirmed"] = confirmed.iter().copied().collect();
        event("confirmation", body)?;
    }
    for suspect in suspects.iter().filter(|suspect| !arguments.quiet || confirmed.contains(suspect.as_str())) {
        let word = if confirmed.contains(suspect.as_str()) { "slower, confirmed" } else { "not confirmed" };
        output::talk(&format!("{suspect}: {word} (run {})", again.run));
    }
    Ok(if confirmed.is_empty() { DONE } else { FAILED })
}

/// One line, like the events of the run itself.
fn event(name: &str, mut body: Value) -> anyhow::Result<()> {
    body["event"] = name.into();
    output::json(&body.to_string())?;
    Ok(())
}
