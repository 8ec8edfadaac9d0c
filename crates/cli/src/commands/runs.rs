use crate::args::{DatabaseArgs, RunsArgs, RunsCommand};
use crate::output::Terminal;
use crate::{DONE, output};
use pqlab_lab::remove_runs;
use pqlab_lab::report::terminal::runs_table;

pub(crate) fn run(arguments: &RunsArgs, terminal: &Terminal) -> anyhow::Result<u8> {
    match &arguments.command {
        None => list(arguments, terminal),
        Some(RunsCommand::Rm { runs, force, database }) => remove(runs, *force, database),
        Some(RunsCommand::Note { run, text, database }) => {
            let mut store = database.open_existing()?;
            let run = store.resolve(run)?;
            store.note_run(&run, text)?;
            Ok(DONE)
        }
    }
}

fn list(arguments: &RunsArgs, terminal: &Terminal) -> anyhow::Result<u8> {
    let runs =
        if arguments.database.path()?.exists() { arguments.database.open_read_only()?.runs()? } else { Vec::new() };
    if arguments.output.is_json() {
        output::json(&serde_json::to_string_pretty(&runs)?)?;
    } else if runs.is_empty() {
        output::talk("no runs yet: start with `pqlab run`");
    } else {
        output::data(&runs_table(&runs, terminal.width, terminal.palette))?;
    }
    Ok(DONE)
}

fn remove(references: &[String], force: bool, database: &DatabaseArgs) -> anyhow::Result<u8> {
    let mut store = database.open_existing()?;
    for run in remove_runs(&mut store, references, force)? {
        output::talk(&format!("removed run {} (suite {}, finished cases: {})", run.id, run.suite, run.finished));
    }
    Ok(DONE)
}
