use crate::args::RunsArgs;
use crate::output::Terminal;
use crate::{DONE, output};
use pqlab_lab::report::terminal::runs_table;

pub(crate) fn run(arguments: &RunsArgs, terminal: &Terminal) -> anyhow::Result<u8> {
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
