use crate::DONE;
use crate::args::ImportArgs;
use crate::output::{BadInput, talk};
use pqlab_lab::record::document::read_run;
use pqlab_lab::store::Import;

pub(crate) fn run(arguments: &ImportArgs) -> anyhow::Result<u8> {
    // Read all files before storing the first run, so that nothing is imported if a file is bad.
    let mut runs = Vec::new();
    for path in &arguments.files {
        let run = read_run(path).map_err(|error| BadInput(format!("cannot import {}: {error}", path.display())))?;
        runs.push((path, run));
    }
    let mut store = arguments.database.open()?;
    for (path, run) in runs {
        let id = &run.header.id;
        match store.import_run(&run)? {
            Import::Stored => talk(&format!("{}: stored run {id} (cases: {})", path.display(), run.records.len())),
            Import::AlreadyThere => talk(&format!("{}: run {id} was already stored", path.display())),
        }
    }
    Ok(DONE)
}
