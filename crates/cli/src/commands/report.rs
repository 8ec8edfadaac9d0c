use crate::args::ReportArgs;
use crate::output::{self, BadInput, talk};
use crate::{DONE, scenario};
use pqlab_lab::analysis::ntor::RelayScenario;
use pqlab_lab::report::bundle::bundle;
use pqlab_lab::report::site::INDEX;
use pqlab_lab::{Reported, gather_report};
use pqlab_server::site::{self, SiteRequest};
use std::fs;
use std::path::Path;

pub(crate) fn run(arguments: &ReportArgs) -> anyhow::Result<u8> {
    if arguments.out == Path::new("-") {
        return Err(BadInput(
            "cannot write a report to --out -, because a report is a folder; name a folder, or print a table with `pqlab export`".into(),
        )
        .into());
    }
    let scenario = scenario::parse(&arguments.scenario)?;
    if arguments.out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html")) {
        let out = arguments.out.display();
        return Err(BadInput(format!(
            "cannot write a report to --out {out}, because a report is a folder; name a folder, in which index.html is \
             the page"
        ))
        .into());
    }
    if let Some(folder) = &arguments.site {
        return site(arguments, folder, scenario);
    }
    let Reported { gathered, suites } =
        gather_report(|| arguments.database.open_read_only(), &arguments.runs, arguments.merge)?;
    let analysis = gathered.analysis().with_job(arguments.job.weights);
    let files = bundle(&analysis, &gathered.past, &scenario)?;
    for (name, content) in &files {
        put(&arguments.out, name, content)?;
    }
    let others = match gathered.past.len() {
        0 => String::new(),
        1 => ", with 1 other run as history".to_owned(),
        number => format!(", with {number} other runs as history"),
    };
    let shown: Vec<&str> = analysis.parts.iter().map(|part| part.id.as_str()).collect();
    let runs = if shown.len() == 1 { "run" } else { "runs" };
    talk(&format!("wrote {} files: {runs} {}{others}", files.len(), shown.join(" and ")));
    if let Some(suites) = suites {
        talk(&format!(
            "this build has measured {suites} suites on this machine; \
             `pqlab report --merge` combines their newest runs in one report"
        ));
    }
    output::data(&arguments.out.join("index.html").display().to_string())?;
    Ok(DONE)
}

/// Writes all stored runs as a static site.
fn site(arguments: &ReportArgs, folder: &Path, scenario: RelayScenario) -> anyhow::Result<u8> {
    if folder == Path::new("-") {
        return Err(
            BadInput("cannot write a site to --site -, because a site is a folder; name a folder".into()).into()
        );
    }
    let request = SiteRequest { base: arguments.base_url.clone(), job: arguments.job.weights, scenario };
    let store = arguments.database.open_read_only()?;
    let written = site::write(&store, &request, |name, content| put(folder, name, content))?;
    let counted = |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    talk(&format!(
        "wrote {} files: {} of {}, {}",
        written.files,
        counted(written.runs, "run", "runs"),
        counted(written.machines, "machine", "machines"),
        counted(written.regressions, "regression", "regressions")
    ));
    output::data(&folder.join(INDEX).display().to_string())?;
    Ok(DONE)
}

/// Writes a file below a folder, and creates missing folders.
fn put(folder: &Path, name: &str, content: &[u8]) -> anyhow::Result<()> {
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)
            .map_err(|error| BadInput(format!("cannot create folder {}: {error}", parent.display())))?;
    }
    output::write_file(&path, &output::destination(&path)?, |file| Ok(file.write_all(content)?))
}
