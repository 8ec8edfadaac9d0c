//! Comparison of two libraries in one run, and comparison of a new run with a stored baseline.

use crate::errors::{Answer, Failure, detached};
use crate::laboratory::measured;
use crate::request::{self, Request};
use crate::run::{Measured, judged, margin};
use crate::store::{open, open_read_only};
use pqlab_lab::analysis::comparison::Comparison;
use pqlab_lab::report::exporters::compared_libraries;
use pqlab_lab::store::Store;
use pqlab_lab::{GateRequest, GateStep, Plan, Progress, RunRequest, compare_sides};
use pyo3::prelude::*;
use serde_json::{Value, json};

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(compare_libraries, module)?)?;
    module.add_function(wrap_pyfunction!(check_run, module)?)
}

/// Measures the cases that both libraries support, in the same rounds.
///
/// Returns the run, the output of `pqlab compare-libraries --json`, and a Markdown table for a pull request.
#[pyfunction]
#[pyo3(signature = (request, sides, margin_pct, metric, database, shown))]
fn compare_libraries(
    py: Python<'_>,
    request: &str,
    sides: (String, String),
    margin_pct: Option<f64>,
    metric: &str,
    database: Option<&str>,
    shown: Option<Py<PyAny>>,
) -> Answer<(Measured, String, String)> {
    detached(py, || {
        let request: Request = request::read(request)?;
        let (margin, judged) = (margin(margin_pct)?, judged(metric)?);
        let (laboratory, sides) =
            request.linked().of_two([&sides.0, &sides.1], request.given()?, request.named_by_suites()?)?;
        let mut compared: Option<(Comparison, String)> = None;
        let run = measured(shown, |watch, stop| {
            let mut note = |text: &str| watch.note(text);
            let plan = laboratory.plan_of_words(
                &request.what,
                request.filters()?,
                &request.overrides()?,
                &sides,
                &mut note,
            )?;
            let mut store = open(database)?;
            let run_request = RunRequest { seed: request.seed, command: request.command.clone() };
            let ended = laboratory.run(&mut store, plan, &run_request, watch, stop)?;
            if ended.complete {
                let comparison = compare_sides(&store, &ended.run, &sides, margin.as_ref(), judged)?;
                let environment = store.load_header(&ended.run)?.environment;
                let table = compared_libraries(&comparison, &environment, [sides[0].id(), sides[1].id()]);
                compared = Some((comparison, table));
            }
            Ok((store, ended))
        })?;
        let (comparison, table) = crate::progress::whole(compared)?;
        Ok((run, comparison.to_json().to_string(), table))
    })
}

/// Measures the cases of a stored run again and reports whether any case got slower.
///
/// Returns the new run and a JSON object with the fields `word`, `cases`, `line`, `comparison` and `confirmations`.
#[pyfunction]
#[pyo3(signature = (request, baseline, slower_pct, elsewhere, metric, database, shown))]
#[expect(clippy::too_many_arguments, reason = "they mirror the arguments of the Python function")]
fn check_run(
    py: Python<'_>,
    request: &str,
    baseline: &str,
    slower_pct: f64,
    elsewhere: bool,
    metric: &str,
    database: Option<&str>,
    shown: Option<Py<PyAny>>,
) -> Answer<(Measured, String)> {
    detached(py, || {
        let request: Request = request::read(request)?;
        let command = request.command.clone();
        let gate_request = GateRequest { slower_pct, judged: judged(metric)?, elsewhere, command };
        pqlab_lab::check_percentage("fail_slower", slower_pct)?;
        let mut document = Value::Null;
        let run = measured(shown, |watch, stop| {
            let mut store: Store = open_read_only(database).and_then(|_| open(database))?;
            let baseline = store.load_run(&store.resolve(baseline)?)?;
            let laboratory = request.laboratory_of(&baseline.header)?;
            laboratory.check_libraries_of(&baseline.header)?;
            let plan = Plan::again(&baseline.header, &request.filters()?, &request.overrides()?)?;
            let run = RunRequest { seed: request.seed, command: request.command.clone() };
            let ended = laboratory.run(&mut store, plan, &run, watch, stop)?;
            if !ended.complete {
                return Ok((store, ended));
            }
            let first = store.load_run(&ended.run)?;
            let (mut comparison, mut confirmations, mut notes) = (Value::Null, Vec::new(), Vec::new());
            let mut take = |step: GateStep<'_>| {
                match step {
                    GateStep::Compared(_, found) => comparison = found,
                    GateStep::Confirmed(found) => confirmations.push(found),
                    GateStep::Again(open) => {
                        notes.push(format!("measured again in fresh processes: {}", open.join(", ")));
                    }
                    GateStep::Case(..) => {}
                }
                Ok::<(), Failure>(())
            };
            let both = (&baseline, &first);
            let gate = laboratory.check_against(&mut store, both, &gate_request, watch, &mut take, stop)?;
            notes.iter().for_each(|note| watch.note(note));
            if let Some(gate) = gate {
                document = gate.to_json();
                document["line"] = json!(gate.line(&baseline.header.id, slower_pct));
                document["comparison"] = comparison;
                document["confirmations"] = json!(confirmations);
            }
            Ok((store, ended))
        })?;
        Ok((run, document.to_string()))
    })
}
