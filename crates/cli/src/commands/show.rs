use super::scenario;
use crate::args::ShowArgs;
use crate::output::Terminal;
use crate::{DONE, output};
use pqlab_lab::LabError;
use pqlab_lab::analysis::tables::tables;
use pqlab_lab::analysis::{CaseAnalysis, RunAnalysis};
use pqlab_lab::report::terminal;

pub(crate) fn run(arguments: &ShowArgs, screen: &Terminal) -> anyhow::Result<u8> {
    let store = arguments.database.open_read_only()?;
    let run = store.load_run(&store.resolve(&arguments.run)?)?;
    let Some(pattern) = &arguments.case else {
        let analysis = RunAnalysis::of(&run).with_job(arguments.job.weights);
        let made = tables(&analysis, &scenario::of(&arguments.scenario)?);
        output::data(&terminal::run_table(&analysis, &made, screen.width, screen.palette))?;
        return Ok(DONE);
    };
    let analysis = RunAnalysis::of(&run);
    let cases: Vec<&CaseAnalysis<'_>> =
        analysis.cases().iter().filter(|of| pqlab_lab::matches(pattern, &of.case().id())).collect();
    if cases.is_empty() {
        let ids: Vec<String> = analysis.cases().iter().map(|of| of.case().id()).collect();
        return Err(LabError::no_case_of_run(&run.header.id, pattern, &ids).into());
    }
    for of in cases {
        let same = |other: &&CaseAnalysis<'_>| {
            let (one, two) = (of.case(), other.case());
            one.workload == two.workload && of.job() == other.job() && one.provider != two.provider
        };
        let others: Vec<&CaseAnalysis<'_>> = analysis.cases().iter().filter(same).collect();
        output::data(&terminal::show_case(of, &others, screen.width, screen.palette))?;
    }
    Ok(DONE)
}
