use crate::args::RunsArgs;
use crate::output::Terminal;
use crate::{DONE, output};
use pqlab_lab::report::terminal as report;
use serde_json::json;

pub(crate) fn run(arguments: &RunsArgs, terminal: &Terminal) -> anyhow::Result<u8> {
    let runs =
        if arguments.database.path()?.exists() { arguments.database.open_read_only()?.runs()? } else { Vec::new() };
    if arguments.json {
        let rows: Vec<_> = runs
            .iter()
            .map(|run| {
                json!({
                    "id": run.id, "suite": run.suite, "command": run.command, "started_at": run.started_at,
                    "finished_at": run.finished_at, "complete": run.complete, "planned": run.planned,
                    "finished": run.finished, "failed": run.failed, "contended": run.contended, "host": run.host,
                })
            })
            .collect();
        output::json(&serde_json::to_string_pretty(&rows)?)?;
    } else if runs.is_empty() {
        output::talk("no runs yet: `pqlab run` makes one");
    } else {
        output::data(&report::runs_table(&rows(&runs), terminal.width, terminal.palette))?;
    }
    Ok(DONE)
}

pub(crate) fn rows(runs: &[pqlab_lab::store::RunSummary]) -> Vec<report::RunSummary> {
    runs.iter()
        .map(|run| report::RunSummary {
            id: run.id.clone(),
            suite: run.suite.clone(),
            started_at: run.started_at.clone(),
            done: run.finished as u64,
            total: run.planned as u64,
            failed: run.failed as u64,
            complete: run.complete,
            host: run.host.clone(),
        })
        .collect()
}
