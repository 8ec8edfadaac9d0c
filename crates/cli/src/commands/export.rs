use super::scenario;
use crate::DONE;
use crate::args::ExportArgs;
use crate::output::{self, BadInput};
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::analysis::tables::{Table, tables};
use pqlab_lab::report::{ExportOptions, Exporter, exporter_with};
use pqlab_lab::suites_with_table;
use std::io::{self, Write};

pub(crate) fn run(arguments: &ExportArgs) -> anyhow::Result<u8> {
    let scenario = scenario::of(&arguments.scenario)?;
    let options = ExportOptions {
        digits: arguments.digits,
        provider: arguments.provider.clone(),
        names: arguments.names.into(),
        scenario,
        table: arguments.table.clone(),
    };
    let exporter = exporter_with(&arguments.format, &options)?;
    let out = arguments.out.as_deref().map(|path| output::destination(path).map(|out| (path, out))).transpose()?;
    let store = arguments.database.open_read_only()?;
    let run = store.load_run(&store.resolve(&arguments.run)?)?;
    let analysis = RunAnalysis::of(&run).with_job(arguments.job.weights);
    if let Some(table) = &arguments.table {
        check_table(table, &tables(&analysis, &options.scenario))?;
    }
    match out {
        Some((path, destination)) => {
            say(exporter.as_ref(), &analysis);
            output::write_file(path, &destination, |file| Ok(exporter.export(&analysis, file)?))?;
        }
        None => print(exporter.as_ref(), &analysis)?,
    }
    Ok(DONE)
}

/// Whether a run has a table; the error names the suites that make it, and what the run has.
fn check_table(wanted: &str, there: &[Table]) -> Result<(), BadInput> {
    if there.iter().any(|table| table.name == wanted) {
        return Ok(());
    }
    let made = match suites_with_table(wanted) {
        [] => String::new(),
        suites => format!("; `pqlab run {}` makes it", suites.join("` or `pqlab run ")),
    };
    let names: Vec<&str> = there.iter().map(|table| table.name).collect();
    let has = if names.is_empty() { "no table".to_owned() } else { names.join(", ") };
    Err(BadInput(format!("the run has no table {wanted:?}{made}; this run has {has}")))
}

/// Prints a run: what is said beside it to standard error, the rest to standard output.
pub(crate) fn print(exporter: &dyn Exporter, analysis: &RunAnalysis<'_>) -> anyhow::Result<()> {
    say(exporter, analysis);
    let mut out = io::BufWriter::new(io::stdout().lock());
    exporter.export(analysis, &mut out)?;
    out.flush()?;
    Ok(())
}

fn say(exporter: &dyn Exporter, analysis: &RunAnalysis<'_>) {
    exporter.notes(analysis).iter().for_each(|note| output::talk(note));
}
