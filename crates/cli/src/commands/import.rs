use crate::DONE;
use crate::args::ImportArgs;
use crate::output::{BadInput, talk};
use pqlab_lab::report::schema::Document;
use pqlab_lab::store::Import;
use std::fs::File;
use std::io::BufReader;

pub(crate) fn run(arguments: &ImportArgs) -> anyhow::Result<u8> {
    // All files are read before the first run is stored: one that is wrong leaves no half of the work behind.
    let mut runs = Vec::new();
    for path in &arguments.files {
        let wrong = |error: String| BadInput(format!("cannot import {}: {error}", path.display()));
        let file = File::open(path).map_err(|error| wrong(error.to_string()))?;
        let document: Document = serde_json::from_reader(BufReader::new(file))
            .map_err(|error| wrong(format!("no run of pqlab: {error}")))?;
        runs.push((path, document.into_run().map_err(|error| wrong(error.to_string()))?));
    }
    let mut store = arguments.database.open()?;
    for (path, run) in runs {
        let id = &run.header.id;
        match store.import_run(&run)? {
            Import::Stored => talk(&format!("{}: run {id} with {} cases", path.display(), run.records.len())),
            Import::AlreadyThere => talk(&format!("{}: run {id} was there already", path.display())),
        }
    }
    Ok(DONE)
}
