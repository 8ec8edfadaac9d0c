use super::scenario;
use crate::args::ShowArgs;
use crate::output::{BadInput, Terminal};
use crate::{DONE, output};
use pqlab_lab::analysis::tables::tables;
use pqlab_lab::analysis::{CaseAnalysis, RunAnalysis};
use pqlab_lab::report::terminal;

pub(crate) fn run(arguments: &ShowArgs, screen: &Terminal) -> anyhow::Result<u8> {
    let store = arguments.database.open_read_only()?;
    let run = store.load_run(&store.resolve(&arguments.run)?)?;
    let Some(pattern) = &arguments.case else {
        let analysis = RunAnalysis::of(&run);
        let made = tables(&analysis, &scenario::of(&arguments.scenario)?);
        output::data(&terminal::run_table(&analysis, &made, screen.width, screen.palette))?;
        return Ok(DONE);
    };
    let records: Vec<_> = run.records.iter().filter(|record| pqlab_lab::matches(pattern, &record.case.id())).collect();
    if records.is_empty() {
        let message = format!("no case of run {} matches {pattern:?}: `pqlab show {0}` lists them", run.header.id);
        return Err(BadInput(message).into());
    }
    for record in records {
        output::data(&terminal::show_case(&CaseAnalysis::of(&run.header, record), screen.width, screen.palette))?;
    }
    Ok(DONE)
}
