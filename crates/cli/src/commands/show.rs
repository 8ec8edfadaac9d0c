use crate::args::ShowArgs;
use crate::output::{BadInput, Terminal};
use crate::{DONE, output, scenario};
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::record::Run;
use pqlab_lab::report::terminal::{Detail, chosen_cases, run_summary, run_table, show_run};
use pqlab_lab::store::{Store, StoreError};
use pqlab_lab::{LabError, is_pattern};

/// Maximum number of matching cases that pqlab shows in full by default.
const FEW: usize = 4;

pub(crate) fn run(arguments: &ShowArgs, screen: &Terminal) -> anyhow::Result<u8> {
    let (reference, pattern) = match &arguments.case {
        None if is_pattern(&arguments.run) => ("last", Some(&arguments.run)),
        case => (arguments.run.as_str(), case.as_ref()),
    };
    let store = arguments.database.open_read_only()?;
    let (id, pattern) = match store.resolve(reference) {
        // The text may name an algorithm or a library instead of a run, as in `pqlab run`.
        Err(StoreError::UnknownRun { .. }) if pattern.is_none() && !arguments.run.is_empty() => {
            (of_last_run(&store, &arguments.run)?, Some(format!("*{}*", arguments.run)))
        }
        found => (found?, pattern.cloned()),
    };
    let run = store.load_run(&id)?;
    let detail = if arguments.wide { Detail::Wide } else { Detail::Short };
    match pattern {
        Some(pattern) => show_cases(arguments, screen, run, &pattern, detail)?,
        None => {
            let analysis = RunAnalysis::new(&run).with_job(arguments.job.weights);
            let scenario = scenario::parse(&arguments.scenario)?;
            output::data(&show_run(&analysis, &scenario, detail, screen.width, screen.palette))?;
        }
    }
    Ok(DONE)
}

/// Returns the id of the last run, if the ids of some of its cases contain a text.
///
/// # Errors
/// [`BadInput`] if no case contains the text; [`StoreError::UnknownRun`] if the store has no run.
fn of_last_run(store: &Store, text: &str) -> anyhow::Result<String> {
    let Ok(last) = store.resolve("last") else { return Ok(store.resolve(text)?) };
    if store.load_run(&last)?.header.plan.iter().any(|case| case.id().contains(text)) {
        return Ok(last);
    }
    Err(BadInput(format!(
        "no run is named {text:?}, and no case of the last run, {last}, contains it: `pqlab runs` lists all runs, \
         `pqlab show --wide` all cases"
    ))
    .into())
}

/// Shows the cases that match a pattern: in full if there are few, otherwise in a table.
fn show_cases(
    arguments: &ShowArgs,
    screen: &Terminal,
    mut run: Run,
    pattern: &str,
    detail: Detail,
) -> anyhow::Result<()> {
    let ids: Vec<String> = run.records.iter().map(|record| record.case.id()).collect();
    let matching = ids.iter().filter(|id| pqlab_lab::matches(pattern, id)).count();
    if matching == 0 {
        return Err(LabError::no_case_of_run(&run.header.id, pattern, &ids).into());
    }
    if arguments.full || (matching <= FEW && !arguments.wide) {
        let analysis = RunAnalysis::new(&run);
        for case in chosen_cases(&analysis, &|id| pqlab_lab::matches(pattern, id), screen.width, screen.palette) {
            output::data(&case)?;
        }
        return Ok(());
    }
    run.records.retain(|record| pqlab_lab::matches(pattern, &record.case.id()));
    run.header.plan.retain(|case| pqlab_lab::matches(pattern, &case.id()));
    let analysis = RunAnalysis::new(&run);
    output::data(&match detail {
        Detail::Short => run_summary(&analysis, &[], screen.width, screen.palette),
        Detail::Wide => run_table(&analysis, &[], screen.width, screen.palette),
    })?;
    Ok(())
}
