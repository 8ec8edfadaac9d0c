use crate::args::ShowArgs;
use crate::output::Terminal;
use crate::{DONE, output, scenario};
use pqlab_lab::LabError;
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::report::terminal::{Detail, chosen_cases, whole_run};

pub(crate) fn run(arguments: &ShowArgs, screen: &Terminal) -> anyhow::Result<u8> {
    let store = arguments.database.open_read_only()?;
    let run = store.load_run(&store.resolve(&arguments.run)?)?;
    let Some(pattern) = &arguments.case else {
        let analysis = RunAnalysis::of(&run).with_job(arguments.job.weights);
        let detail = if arguments.wide { Detail::Wide } else { Detail::Short };
        let scenario = scenario::parse(&arguments.scenario)?;
        output::data(&whole_run(&analysis, &scenario, detail, screen.width, screen.palette))?;
        return Ok(DONE);
    };
    let analysis = RunAnalysis::of(&run);
    let shown = chosen_cases(&analysis, &|id| pqlab_lab::matches(pattern, id), screen.width, screen.palette);
    if shown.is_empty() {
        let ids: Vec<String> = analysis.cases().iter().map(|case| case.case().id()).collect();
        return Err(LabError::no_case_of_run(&run.header.id, pattern, &ids).into());
    }
    for case in shown {
        output::data(&case)?;
    }
    Ok(DONE)
}
