use crate::args::ExportArgs;
use crate::output::{self, BadInput};
use crate::{DONE, scenario};
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::analysis::tables::{Table, tables};
use pqlab_lab::report::document::describe_run;
use pqlab_lab::report::{ExportOptions, exporter_with, for_record};
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
    if arguments.for_record && exporter.name() != "json" {
        return Err(BadInput(format!("--for-record needs --format json, not {}", exporter.name())).into());
    }
    let out = arguments.out.as_deref().map(|path| output::destination(path).map(|out| (path, out))).transpose()?;
    let store = arguments.database.open_read_only()?;
    let run = store.load_run(&store.resolve(&arguments.run)?)?;
    exporter.check(&run.header.plan)?;
    let analysis = RunAnalysis::new(&run).with_job(arguments.job.weights);
    if let Some(table) = &arguments.table {
        check_table(table, &tables(&analysis, &options.scenario))?;
    }
    let for_record = arguments.for_record.then(|| json_for_record(&analysis)).transpose()?;
    match (out, for_record) {
        (Some((path, destination)), Some(json)) => {
            output::write_file(path, &destination, |file| Ok(file.write_all(json.as_bytes())?))?;
        }
        (None, Some(json)) => output::raw(&json)?,
        (Some((path, destination)), None) => {
            output::print_notes(exporter.as_ref(), &analysis);
            output::write_file(path, &destination, |file| Ok(exporter.export(&analysis, file)?))?;
        }
        (None, None) => output::print_export(exporter.as_ref(), &analysis)?,
    }
    Ok(DONE)
}

/// Returns a run in JSON for the published record, and prints what was removed from it.
///
/// # Errors
/// [`BadInput`] with all reasons if the run does not qualify for the record.
fn json_for_record(analysis: &RunAnalysis<'_>) -> Result<String, BadInput> {
    let record = for_record(describe_run(analysis, false, &[])).map_err(|reasons| {
        let id = &analysis.run.header.id;
        BadInput(format!("run {id} does not qualify for the record: {}", reasons.join("; ")))
    })?;
    record.removed.iter().for_each(|name| output::talk(&format!("removed: {name}")));
    Ok(record.json)
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
