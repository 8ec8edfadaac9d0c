//! Functions that measure cases, and functions that list cases, algorithms and providers.

use crate::errors::{Answer, Failure, Kind, detached};
use crate::progress::{Watch, interrupted, watched};
use crate::request::{self, Request};
use crate::run::Measured;
use crate::store::{open, open_existing, open_read_only};
use pqlab_lab::record::Case;
use pqlab_lab::report::exporters;
use pqlab_lab::store::Store;
use pqlab_lab::{Ended, Progress, RunRequest, algorithms, counters, library_entry, provider_entries, suite_entries};
use pyo3::prelude::*;
use serde_json::json;
use std::sync::atomic::AtomicBool;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(measure, module)?)?;
    module.add_function(wrap_pyfunction!(resume, module)?)?;
    module.add_function(wrap_pyfunction!(cases, module)?)?;
    module.add_function(wrap_pyfunction!(outline, module)?)?;
    module.add_function(wrap_pyfunction!(doctor, module)?)?;
    module.add_function(wrap_pyfunction!(library, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue, module)?)
}

/// Measures the cases that a request selects and returns the run.
///
/// `database` is a file name or `:memory:`. `None` selects the user's default database.
#[pyfunction]
fn measure(py: Python<'_>, request: &str, database: Option<&str>, shown: Option<Py<PyAny>>) -> Answer<Measured> {
    detached(py, || {
        let request: Request = request::read(request)?;
        let laboratory = request.laboratory()?;
        measured(shown, |watch, stop| {
            let (named, filters) = request.selected(&laboratory)?;
            named.notes.iter().for_each(|note| watch.note(note));
            let plan = laboratory.plan(&named.suites, &filters, &request.overrides()?, &mut |text| watch.note(text))?;
            let mut store = open(database)?;
            let run_request = RunRequest { seed: request.seed, command: request.command.clone() };
            let ended = laboratory.run(&mut store, plan, &run_request, watch, stop)?;
            Ok((store, ended))
        })
    })
}

/// Resumes the interrupted run `run`, or the latest interrupted run if `run` is `None`.
#[pyfunction]
fn resume(
    py: Python<'_>,
    request: &str,
    database: Option<&str>,
    run: Option<&str>,
    elsewhere: bool,
    shown: Option<Py<PyAny>>,
) -> Answer<Measured> {
    detached(py, || {
        let request: Request = request::read(request)?;
        measured(shown, |watch, stop| {
            let mut store = open_existing(database)?;
            let found = match run {
                Some(reference) => Some(store.resolve(reference)?),
                None => store.last_incomplete()?,
            };
            let none = || Failure::new(Kind::UnknownName, "no interrupted run to resume");
            let found = found.ok_or_else(none)?;
            let laboratory = request.laboratory_of(&store.load_header(&found)?)?;
            let ended = laboratory.resume(&mut store, &found, elsewhere, watch, stop)?;
            Ok((store, ended))
        })
    })
}

/// Runs `work` and returns the stored run. If Ctrl-C interrupts the work, the exception carries the partial run.
pub(crate) fn measured(
    shown: Option<Py<PyAny>>,
    work: impl FnOnce(&mut Watch<'_>, &AtomicBool) -> Answer<(Store, Ended)> + Send,
) -> Answer<Measured> {
    let (outcome, raised) = watched(shown, work);
    if let Some(raised) = raised {
        let run = outcome.ok().and_then(|(store, ended)| store.load_run(&ended.run).ok());
        return Err(interrupted(raised, run));
    }
    let (store, ended) = outcome?;
    Ok(Measured::new(store.load_run(&ended.run)?))
}

/// Returns the ids of the selected cases as a JSON list.
#[pyfunction]
fn cases(py: Python<'_>, request: &str) -> Answer<String> {
    detached(py, || {
        let request: Request = request::read(request)?;
        let (cases, _) = request.laboratory()?.select_cases(&request.what, request.filters()?)?;
        Ok(json!(cases.iter().map(Case::id).collect::<Vec<_>>()).to_string())
    })
}

/// Returns the cases that a request selects, their estimated duration, and notes. Except for the notes, this is the
/// output of `pqlab run --dry-run --json`.
#[pyfunction]
fn outline(py: Python<'_>, request: &str, database: Option<&str>) -> Answer<String> {
    detached(py, || {
        let request: Request = request::read(request)?;
        let store = open_read_only(database).or_else(|_| Store::in_memory())?;
        let (laboratory, stop) = (request.laboratory()?, AtomicBool::new(false));
        let outline = laboratory.outline(&request.what, request.filters()?, &request.overrides()?, &store, &stop)?;
        let mut document = outline.to_json();
        document["notes"] = json!(outline.notes);
        Ok(document.to_string())
    })
}

/// Describes this machine and any problems that disturb measurements. Returns the output of `pqlab doctor --json`.
#[pyfunction]
fn doctor(py: Python<'_>, request: &str) -> Answer<String> {
    detached(py, || Ok(request::read::<Request>(request)?.laboratory()?.machine()?.to_json().to_string()))
}

/// Lists `algorithms`, `providers`, `suites`, `exporters` or `counters` as JSON.
#[pyfunction]
fn catalogue(py: Python<'_>, request: &str, what: &str) -> Answer<String> {
    detached(py, || {
        let laboratory = || request::read::<Request>(request)?.laboratory();
        Ok(match what {
            "algorithms" => json!(algorithms(&laboratory()?)),
            "providers" => json!(provider_entries(&laboratory()?)),
            "counters" => json!(counters()),
            "suites" => json!(suite_entries()?),
            "exporters" => json!(exporters().iter().map(|exporter| exporter.format()).collect::<Vec<_>>()),
            _ => return Err(Failure::argument("what", format!("unknown list {what:?}"))),
        }
        .to_string())
    })
}

/// Describes the library or worker that a request names. Returns the output of `pqlab list library=... --json`.
#[pyfunction]
fn library(py: Python<'_>, request: &str) -> Answer<String> {
    detached(py, || {
        let laboratory = request::read::<Request>(request)?.laboratory()?;
        let label = laboratory.libraries().next().map(|library| library.label.clone()).unwrap_or_default();
        Ok(library_entry(&laboratory, &label)?.to_string())
    })
}
