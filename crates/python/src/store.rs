//! Stored runs, in databases and in files.

use crate::errors::{Answer, Failure, Kind, detached};
use crate::run::{Measured, assumed, judged, margin, put_file, put_report};
use pqlab_lab::record::document::{FileError, read_run};
use pqlab_lab::report::bundle::bundle;
use pqlab_lab::report::site::INDEX;
use pqlab_lab::store::{Import, Store, StoreError, default_path};
use pqlab_lab::{Compared, check_name, compare_named, gather_report, remove_runs};
use pqlab_server::site::{self, SiteRequest};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use serde_json::json;
use std::ffi::CString;
use std::path::{Path, PathBuf};

/// Database name that selects a database in memory.
const MEMORY: &str = ":memory:";

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(database_path, module)?)?;
    module.add_function(wrap_pyfunction!(stored_runs, module)?)?;
    module.add_function(wrap_pyfunction!(stored_run, module)?)?;
    module.add_function(wrap_pyfunction!(import_run, module)?)?;
    module.add_function(wrap_pyfunction!(delete_runs, module)?)?;
    module.add_function(wrap_pyfunction!(note_run, module)?)?;
    module.add_function(wrap_pyfunction!(name_run, module)?)?;
    module.add_function(wrap_pyfunction!(compare_stored, module)?)?;
    module.add_function(wrap_pyfunction!(report_stored, module)?)?;
    module.add_function(wrap_pyfunction!(site_stored, module)?)?;
    module.add_function(wrap_pyfunction!(load, module)?)
}

pub(crate) fn path(database: Option<&str>) -> Result<PathBuf, StoreError> {
    database.map_or_else(default_path, |path| Ok(PathBuf::from(path)))
}

/// Opens a database and creates it if it is missing.
pub(crate) fn open(database: Option<&str>) -> Result<Store, StoreError> {
    if database == Some(MEMORY) {
        return Store::in_memory();
    }
    let store = Store::open(path(database)?)?;
    if let Some(copy) = store.kept_copy() {
        let (path, copy) = (store.path().display(), copy.display());
        warn(&format!("{path}: migrated to the current format; older versions of pqlab can open the copy {copy}"));
    }
    Ok(store)
}

/// Issues a `UserWarning`. If the user has turned warnings into errors, drops the resulting exception.
fn warn(text: &str) {
    let Ok(text) = CString::new(text) else { return };
    Python::attach(|py| PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1).ok());
}

/// Opens an existing database for reading.
pub(crate) fn open_read_only(database: Option<&str>) -> Result<Store, StoreError> {
    Store::open_read_only(path(database)?)
}

/// Opens an existing database for reading and writing.
pub(crate) fn open_existing(database: Option<&str>) -> Result<Store, StoreError> {
    open_read_only(database).map(drop)?;
    open(database)
}

/// Returns the path of the database: the argument, else `PQLAB_DB`, else the user's default database.
#[pyfunction]
fn database_path(database: Option<&str>) -> Answer<String> {
    Ok(path(database)?.to_string_lossy().into_owned())
}

/// Lists the stored runs as JSON, newest first.
#[pyfunction]
fn stored_runs(py: Python<'_>, database: &str) -> Answer<String> {
    detached(py, || Ok(json!(open_read_only(Some(database))?.runs()?).to_string()))
}

/// Loads a stored run by its id, a unique prefix of the id, a name, or `last`, `last~1`, ...
#[pyfunction]
fn stored_run(py: Python<'_>, database: &str, reference: &str) -> Answer<Measured> {
    detached(py, || {
        let store = open_read_only(Some(database))?;
        Ok(Measured::new(store.load_run(&store.resolve(reference)?)?))
    })
}

/// Stores a run that was measured elsewhere. Returns false if the run was stored before.
#[pyfunction]
fn import_run(py: Python<'_>, database: &str, run: &Measured) -> Answer<bool> {
    detached(py, || Ok(open(Some(database))?.import_run(run.run())? == Import::Stored))
}

/// Deletes all of the runs, or none if one cannot be deleted, and returns their ids. Deleting a run with a name
/// requires `force`.
#[pyfunction]
fn delete_runs(py: Python<'_>, database: &str, references: Vec<String>, force: bool) -> Answer<Vec<String>> {
    detached(py, || {
        let mut store = open_existing(Some(database))?;
        Ok(remove_runs(&mut store, &references, force)?.into_iter().map(|run| run.id).collect())
    })
}

#[pyfunction]
fn note_run(py: Python<'_>, database: &str, reference: &str, note: &str) -> Answer<()> {
    change(py, database, reference, |store, run| Ok(store.note_run(run, note)?))
}

/// Gives a run a name. Taking the name from another run requires `force`.
#[pyfunction]
fn name_run(py: Python<'_>, database: &str, reference: &str, name: &str, force: bool) -> Answer<()> {
    change(py, database, reference, |store, run| {
        check_name(store, name, force)?;
        Ok(store.save_baseline(name, run)?)
    })
}

/// Compares stored runs or cases. Returns the output of `pqlab compare --json`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they mirror the options of the command line")]
fn compare_stored(
    py: Python<'_>,
    database: &str,
    first: Option<&str>,
    second: Option<&str>,
    run: Option<&str>,
    since_s: Option<f64>,
    margin_pct: Option<f64>,
    metric: &str,
) -> Answer<String> {
    detached(py, || {
        let (margin, judged) = (margin(margin_pct)?, judged(metric)?);
        if since_s.is_some_and(|seconds| !(seconds.is_finite() && seconds > 0.0)) {
            return Err(Failure::argument("since", "must be above zero"));
        }
        let store = open_read_only(Some(database))?;
        let compared = Compared { first, second, run, since_s };
        Ok(compare_named(&store, &compared, margin.as_ref(), judged)?.to_json().to_string())
    })
}

/// Writes the report on stored runs into a folder and returns the path of `index.html`.
#[pyfunction]
fn report_stored(
    py: Python<'_>,
    database: &str,
    folder: PathBuf,
    references: Vec<String>,
    merge: bool,
    job: Option<&str>,
    scenario: Option<(f64, Vec<String>, f64)>,
) -> Answer<PathBuf> {
    detached(py, || {
        let (job, scenario) = assumed(job, scenario)?;
        let gathered = gather_report(|| open_read_only(Some(database)), &references, merge)?.gathered;
        let files = bundle(&gathered.analysis().with_job(job), &gathered.past, &scenario)
            .map_err(|error| Failure::new(Kind::Internal, error.to_string()))?;
        put_report(&folder, &files)
    })
}

/// Writes all stored runs as a static site into a folder and returns the path of the start page.
#[pyfunction]
fn site_stored(
    py: Python<'_>,
    database: &str,
    folder: PathBuf,
    base_url: Option<&str>,
    job: Option<&str>,
    scenario: Option<(f64, Vec<String>, f64)>,
) -> Answer<PathBuf> {
    detached(py, || {
        let base = base_url.map(str::parse).transpose();
        let base = base.map_err(|error: String| Failure::argument("base_url", error))?;
        let (job, scenario) = assumed(job, scenario)?;
        let store = open_read_only(Some(database))?;
        site::write(&store, &SiteRequest { base, job, scenario }, |name, content| put_file(&folder, name, content))?;
        Ok(folder.join(INDEX))
    })
}

fn change(
    py: Python<'_>,
    database: &str,
    reference: &str,
    change: impl FnOnce(&mut Store, &str) -> Answer<()> + Send,
) -> Answer<()> {
    detached(py, || {
        let mut store = open_existing(Some(database))?;
        let run = store.resolve(reference)?;
        change(&mut store, &run)
    })
}

/// Reads a run from a JSON file with samples.
#[pyfunction]
fn load(py: Python<'_>, file: PathBuf) -> Answer<Measured> {
    detached(py, || {
        let wrong = |error: FileError| {
            let advice = if matches!(error, FileError::Json(_)) { "Run.save() writes such files" } else { "" };
            unreadable(&file, &error.to_string()).advising(advice)
        };
        Ok(Measured::new(read_run(&file).map_err(wrong)?))
    })
}

fn unreadable(file: &Path, reason: &str) -> Failure {
    Failure::new(Kind::Store, format!("{}: {reason}", file.display()))
}
