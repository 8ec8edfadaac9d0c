//! What there is to measure, and measuring it.

use crate::errors::{Answer, Failure, Kind, detached};
use crate::progress::{Watch, interrupted};
use crate::request::{self, Request};
use crate::run::Measured;
use crate::store::{open, open_existing};
use pqlab_lab::record::{Case, CounterChoice};
use pqlab_lab::store::Store;
use pqlab_lab::{
    Ended, Progress, RunRequest, Severity, advise, advise_here, algorithms, builtin_suites, counters,
    estimated_over_counted, provider_entries,
};
use pyo3::prelude::*;
use serde_json::json;
use std::sync::atomic::AtomicBool;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(measure, module)?)?;
    module.add_function(wrap_pyfunction!(resume, module)?)?;
    module.add_function(wrap_pyfunction!(cases, module)?)?;
    module.add_function(wrap_pyfunction!(doctor, module)?)?;
    module.add_function(wrap_pyfunction!(catalogue, module)?)
}

/// Measures what a request selects, and gives the run. The database is a file, `:memory:`, or none for the user's own.
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
            let asked = RunRequest { seed: request.seed, command: request.command.clone() };
            let ended = laboratory.run(&mut store, plan, &asked, watch, stop)?;
            Ok((store, ended))
        })
    })
}

/// Goes on with a run that was stopped: by its reference, or the latest.
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
        let laboratory = request.laboratory()?;
        measured(shown, |watch, stop| {
            let mut store = open_existing(database)?;
            let found = match run {
                Some(reference) => Some(store.resolve(reference)?),
                None => store.last_incomplete()?,
            };
            let none = || Failure::new(Kind::UnknownName, "there is no stopped run to go on with");
            let ended = laboratory.resume(&mut store, &found.ok_or_else(none)?, elsewhere, watch, stop)?;
            Ok((store, ended))
        })
    })
}

/// What was measured. An interruption names the run.
fn measured(
    shown: Option<Py<PyAny>>,
    work: impl FnOnce(&mut Watch<'_>, &AtomicBool) -> Answer<(Store, Ended)>,
) -> Answer<Measured> {
    let stop = AtomicBool::new(false);
    let mut watch = Watch::new(shown, &stop);
    let outcome = work(&mut watch, &stop);
    if let Some(raised) = watch.raised.take() {
        let run = outcome.ok().and_then(|(store, ended)| store.load_run(&ended.run).ok());
        return Err(interrupted(raised, run));
    }
    let (store, ended) = outcome?;
    Ok(Measured::of(store.load_run(&ended.run)?))
}

/// The ids of the cases that a request selects, as a list of JSON.
#[pyfunction]
fn cases(py: Python<'_>, request: &str) -> Answer<String> {
    detached(py, || {
        let request: Request = request::read(request)?;
        let (cases, _) = request.laboratory()?.select_cases(&request.what, request.filters()?)?;
        Ok(json!(cases.iter().map(Case::id).collect::<Vec<_>>()).to_string())
    })
}

/// The machine, and what of it disturbs measuring: the document of `pqlab doctor --json`.
#[pyfunction]
fn doctor(py: Python<'_>, request: &str) -> Answer<String> {
    detached(py, || {
        let environment = request::read::<Request>(request)?.laboratory()?.environment(CounterChoice::Best)?;
        let mut found = advise(&environment);
        found.extend(advise_here());
        let advice = found.iter().map(|advice| {
            let severity = match advice.severity {
                Severity::Ok => "ok",
                Severity::Note => "note",
                Severity::Warning => "warning",
            };
            let (subject, finding, remedy) = (advice.subject, &advice.finding, &advice.remedy);
            json!({"severity": severity, "subject": subject, "finding": finding, "remedy": remedy})
        });
        let advice: Vec<_> = advice.collect();
        Ok(json!({"environment": environment, "advice": advice, "counters": counters(),
            "estimated_over_counted": estimated_over_counted()})
        .to_string())
    })
}

/// Lists `algorithms`, `providers`, `suites` or `counters`: a list of JSON.
#[pyfunction]
fn catalogue(py: Python<'_>, request: &str, what: &str) -> Answer<String> {
    detached(py, || {
        let laboratory = || request::read::<Request>(request)?.laboratory();
        Ok(match what {
            "algorithms" => json!(algorithms(&laboratory()?)),
            "providers" => json!(provider_entries(&laboratory()?)),
            "counters" => json!(counters()),
            "suites" => {
                let about = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                let suites = builtin_suites()?;
                json!(suites.iter().map(|of| json!({"name": of.name, "about": about(&of.about)})).collect::<Vec<_>>())
            }
            _ => return Err(Failure::argument("what", format!("nothing is listed as {what:?}"))),
        }
        .to_string())
    })
}
