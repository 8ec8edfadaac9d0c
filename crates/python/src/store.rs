//! Runs that are stored, and runs in files.

use crate::errors::{Answer, Failure, Kind, detached};
use crate::run::Measured;
use pqlab_lab::report::schema::Document;
use pqlab_lab::store::{Store, StoreError, default_path};
use pyo3::prelude::*;
use serde_json::json;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// The name of a database that is kept nowhere.
const MEMORY: &str = ":memory:";

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(database_path, module)?)?;
    module.add_function(wrap_pyfunction!(stored_runs, module)?)?;
    module.add_function(wrap_pyfunction!(stored_run, module)?)?;
    module.add_function(wrap_pyfunction!(import_run, module)?)?;
    module.add_function(wrap_pyfunction!(delete_run, module)?)?;
    module.add_function(wrap_pyfunction!(note_run, module)?)?;
    module.add_function(wrap_pyfunction!(name_run, module)?)?;
    module.add_function(wrap_pyfunction!(load, module)?)
}

fn path(database: Option<&str>) -> Result<PathBuf, StoreError> {
    database.map_or_else(default_path, |path| Ok(PathBuf::from(path)))
}

/// Opens a database, which comes into being if it is not there.
pub(crate) fn open(database: Option<&str>) -> Result<Store, StoreError> {
    if database == Some(MEMORY) { Store::in_memory() } else { Store::open(path(database)?) }
}

/// Opens a database for reading; it must be there.
pub(crate) fn open_read_only(database: Option<&str>) -> Result<Store, StoreError> {
    match Store::open_read_only(path(database)?) {
        // Brings it up to date, where it can be written.
        Err(StoreError::Older { path, .. }) => Store::open(path),
        opened => opened,
    }
}

/// Opens a database for changes; it must be there.
pub(crate) fn open_existing(database: Option<&str>) -> Result<Store, StoreError> {
    open_read_only(database).map(drop)?;
    open(database)
}

/// The file in which runs are kept, `PQLAB_DB` or the user's own where none is named.
#[pyfunction]
fn database_path(database: Option<&str>) -> Answer<String> {
    Ok(path(database)?.to_string_lossy().into_owned())
}

/// The stored runs, the newest first: a list of JSON.
#[pyfunction]
fn stored_runs(py: Python<'_>, database: &str) -> Answer<String> {
    detached(py, || Ok(json!(open_read_only(Some(database))?.runs()?).to_string()))
}

/// A stored run by its id, the beginning of it, a name, or `last`, `last~1`, ...
#[pyfunction]
fn stored_run(py: Python<'_>, database: &str, reference: &str) -> Answer<Measured> {
    detached(py, || {
        let store = open_read_only(Some(database))?;
        Ok(Measured::of(store.load_run(&store.resolve(reference)?)?))
    })
}

/// Stores a run that was measured elsewhere.
#[pyfunction]
fn import_run(py: Python<'_>, database: &str, run: &Measured) -> Answer<()> {
    detached(py, || {
        open(Some(database))?.import_run(run.run())?;
        Ok(())
    })
}

#[pyfunction]
fn delete_run(py: Python<'_>, database: &str, reference: &str) -> Answer<()> {
    change(py, database, reference, |store, run| store.delete_run(run))
}

#[pyfunction]
fn note_run(py: Python<'_>, database: &str, reference: &str, note: &str) -> Answer<()> {
    change(py, database, reference, |store, run| store.note_run(run, note))
}

/// Gives a run a name, which another one may have had before.
#[pyfunction]
fn name_run(py: Python<'_>, database: &str, reference: &str, name: &str) -> Answer<()> {
    change(py, database, reference, |store, run| store.save_baseline(name, run))
}

fn change(
    py: Python<'_>,
    database: &str,
    reference: &str,
    change: impl FnOnce(&mut Store, &str) -> Result<(), StoreError> + Send,
) -> Answer<()> {
    detached(py, || {
        let mut store = open_existing(Some(database))?;
        let run = store.resolve(reference)?;
        Ok(change(&mut store, &run)?)
    })
}

/// Reads a run from a file of JSON with samples.
#[pyfunction]
fn load(py: Python<'_>, file: PathBuf) -> Answer<Measured> {
    detached(py, || {
        let document: Document = document(&file)?;
        let run = document.into_run().map_err(|error| unreadable(&file, &error.to_string()))?;
        Ok(Measured::of(run))
    })
}

fn document(file: &Path) -> Answer<Document> {
    let opened = File::open(file).map_err(|error| unreadable(file, &error.to_string()))?;
    serde_json::from_reader(BufReader::new(opened)).map_err(|error| {
        unreadable(file, &format!("no run of pqlab: {error}")).advising("Run.save() writes such files")
    })
}

fn unreadable(file: &Path, reason: &str) -> Failure {
    Failure::new(Kind::Store, format!("{}: {reason}", file.display()))
}
