use crate::args::ExportArgs;
use crate::output::{self, BadInput};
use crate::{DONE, scenario};
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::analysis::tables::{Table, tables};
use pqlab_lab::report::{ExportOptions, exporter_with};
use pqlab_lab::suites_with_table;

pub(crate) fn run(arguments: &ExportArgs) -> anyhow::Result<u8> {
    let scenario = scenario::parse(&arguments.scenario)?;
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
    let analysis = RunAnalysis::new(&run).with_job(arguments.job.weights);
    if let Some(table) = &arguments.table {
        check_table(table, &tables(&analysis, &options.scenario))?;
    }
    match out {
        Some((path, destination)) => {
            output::print_notes(exporter.as_ref(), &analysis);
            output::write_file(path, &destination, |file| Ok(exporter.export(&analysis, file)?))?;
        }
        None => output::print_export(exporter.as_ref(), &analysis)?,
    }
    Ok(DONE)
}

/// Checks that the run has the requested table.
///
/// # Errors
/// [`BadInput`] if the run does not have the table. The message names the suites that measure the table's cases, and
/// lists the tables of the run.
fn check_table(wanted: &str, tables: &[Table]) -> Result<(), BadInput> {
    if tables.iter().any(|table| table.name == wanted) {
        return Ok(());
    }
    let remedy = match suites_with_table(wanted) {
        [] => String::new(),
        suites => format!("; measure it with `pqlab run {}`", suites.join("` or `pqlab run ")),
    };
    let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
    let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Err(BadInput(format!("the run has no table {wanted:?}{remedy}; tables of this run: {has}")))
}
