use super::scenario;
use crate::args::ReportArgs;
use crate::output::{self, BadInput};
use crate::{DONE, output::talk};
use pqlab_lab::report::bundle::bundle;
use pqlab_lab::{Reported, gather_report};
use std::fs;
use std::path::Path;

pub(crate) fn run(arguments: &ReportArgs) -> anyhow::Result<u8> {
    if arguments.out == Path::new("-") {
        return Err(BadInput(
            "--out - cannot be: a report is a folder of files; name it, or print one table with `pqlab export`".into(),
        )
        .into());
    }
    let scenario = scenario::of(&arguments.scenario)?;
    let Reported { gathered, suites } =
        gather_report(|| arguments.database.open_read_only(), &arguments.runs, arguments.merge)?;
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
    if let Some(suites) = suites {
        talk(&format!(
            "{suites} suites were measured on this machine with this build: `pqlab report --merge` puts the newest run of each \
             into one report"
        ));
    }
    output::data(&arguments.out.join("index.html").display().to_string())?;
    Ok(DONE)
}
