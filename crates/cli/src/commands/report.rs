use super::scenario;
use crate::args::ReportArgs;
use crate::output::{self, BadInput};
use crate::{DONE, output::talk};
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::report::bundle::bundle;
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
    let store = arguments.database.open_read_only()?;
    let ids: Vec<String> = if arguments.runs.is_empty() {
        let newest = store.resolve("last")?;
        let others = store.runs()?.into_iter().map(|run| run.id).filter(|id| *id != newest);
        others.take(HISTORY - 1).chain([newest.clone()]).collect()
    } else {
        arguments.runs.iter().map(|run| store.resolve(run)).collect::<Result<_, _>>()?
    };
    drop(store);
    let gathered = pqlab_lab::gather(|| arguments.database.open_read_only(), &ids)?;
    let files = bundle(&RunAnalysis::of(&gathered.run), &gathered.past, &scenario)?;
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
    talk(&format!("run {}{others}: {} files", gathered.run.header.id, files.len()));
    output::data(&arguments.out.join("index.html").display().to_string())?;
    Ok(DONE)
}
