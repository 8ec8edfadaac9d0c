use crate::args::{DatabaseArgs, RunsArgs, RunsCommand};
use crate::output::{BadInput, Terminal};
use crate::{DONE, output};
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
    if arguments.json {
        output::json(&serde_json::to_string_pretty(&runs)?)?;
    } else if runs.is_empty() {
        output::talk("no runs yet: `pqlab run` makes one");
    } else {
        output::data(&runs_table(&runs, terminal.width, terminal.palette))?;
    }
    Ok(DONE)
}

/// All are looked up before the first is removed: `last` means what it meant when it was typed.
fn remove(references: &[String], force: bool, database: &DatabaseArgs) -> anyhow::Result<u8> {
    let mut store = database.open_existing()?;
    let ids = references.iter().map(|run| store.resolve(run)).collect::<Result<Vec<_>, _>>()?;
    let all = store.runs()?;
    let chosen: Vec<_> = all.iter().filter(|run| ids.contains(&run.id)).collect();
    if let Some(named) = chosen.iter().find(|run| !run.names.is_empty()).filter(|_| !force) {
        let (id, names) = (&named.id, named.names.join(", "));
        let message =
            format!("run {id} is kept under the name {names}: nothing was removed; --force removes it all the same");
        return Err(BadInput(message).into());
    }
    for run in chosen {
        store.delete_run(&run.id)?;
        output::talk(&format!("removed run {} ({}, {} cases)", run.id, run.suite, run.finished));
    }
    Ok(DONE)
}
