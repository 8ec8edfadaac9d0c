use super::scenario;
use crate::args::ReportArgs;
use crate::output::{self, BadInput};
use crate::{DONE, output::talk};
use pqlab_lab::report::bundle::bundle;
use pqlab_lab::{Gathered, gather, gather_merged, newest_of_each_suite};
use std::fs;
use std::path::Path;

/// Runs that make the history where none are named.
const HISTORY: usize = 20;

pub(crate) fn run(arguments: &ReportArgs) -> anyhow::Result<u8> {
    if arguments.out == Path::new("-") {
        return Err(BadInput(
            "--out - cannot be: a report is a folder of files; name it, or print one table with `pqlab export`".into(),
        )
        .into());
    }
    let scenario = scenario::of(&arguments.scenario)?;
    let Reported { gathered, hint } = gathered(arguments)?;
    let analysis = gathered.analysis().with_job(arguments.job.weights);
    let files = bundle(&analysis, &gathered.past, &scenario)?;
    for (name, content) in &files {
        let path = arguments.out.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| BadInput(format!("cannot make the folder {}: {error}", folder.display())))?;
        }
        output::write_file(&path, &output::destination(&path)?, |file| Ok(file.write_all(content)?))?;
    }
    let others = match gathered.past.len() {
        0 => String::new(),
        1 => ", with 1 other run beside it".to_owned(),
        number => format!(", with {number} other runs beside it"),
    };
    let shown: Vec<&str> = analysis.parts.iter().map(|part| part.id.as_str()).collect();
    let runs = if shown.len() == 1 { "run" } else { "runs" };
    talk(&format!("{runs} {}{others}: {} files", shown.join(" and "), files.len()));
    hint.iter().for_each(|hint| talk(hint));
    output::data(&arguments.out.join("index.html").display().to_string())?;
    Ok(DONE)
}

/// What a report is made of, and what else could be done.
struct Reported {
    gathered: Gathered,
    hint: Option<String>,
}

fn gathered(arguments: &ReportArgs) -> anyhow::Result<Reported> {
    let store = arguments.database.open_read_only()?;
    let named = arguments.runs.iter().map(|run| store.resolve(run)).collect::<Result<Vec<String>, _>>()?;
    let open = || arguments.database.open_read_only();
    let others = |shown: &[String]| -> anyhow::Result<Vec<String>> {
        let runs = store.runs()?.into_iter().map(|run| run.id).filter(|id| !shown.contains(id));
        Ok(runs.take(HISTORY.saturating_sub(shown.len())).collect())
    };
    if arguments.merge {
        let (shown, mut past) = match named.is_empty() {
            true => {
                let shown = newest_of_each_suite(&store)?;
                let past = others(&shown)?;
                (shown, past)
            }
            false => (named, Vec::new()),
        };
        past.reverse();
        return Ok(Reported { gathered: gather_merged(open, &shown, &past)?, hint: None });
    }
    if !named.is_empty() {
        return Ok(Reported { gathered: gather(open, &named)?, hint: None });
    }
    let newest = vec![store.resolve("last")?];
    let hint = match newest_of_each_suite(&store) {
        Ok(suites) if suites.len() > 1 && suites.contains(&newest[0]) => Some(format!(
            "{} suites were measured on this machine with this build: `pqlab report --merge` puts the newest run of each into one \
             report",
            suites.len()
        )),
        _ => None,
    };
    let ids = [others(&newest)?, newest].concat();
    Ok(Reported { gathered: gather(open, &ids)?, hint })
}
