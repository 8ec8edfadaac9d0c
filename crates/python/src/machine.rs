//! Tests of the harness, which show how reliable measurements on this machine are.

use crate::errors::{Answer, Failure, detached};
use crate::input::Whole;
use crate::progress::{ManyRuns, interruptible, whole};
use crate::request::{self, Request};
use crate::store::open;
use pqlab_lab::record::Protocol;
use pqlab_lab::{BetweenRequest, FEWEST_RUNS, IndependenceRequest, Progress};
use pyo3::prelude::*;
use serde_json::json;
use std::time::Duration;

/// Maximum number of repetitions in `measure_independence`, then maximum number of runs in `measure_between`.
const MOST: [u32; 2] = [100, 1000];

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(measure_noise, module)?)?;
    module.add_function(wrap_pyfunction!(measure_placement, module)?)?;
    module.add_function(wrap_pyfunction!(measure_independence, module)?)?;
    module.add_function(wrap_pyfunction!(measure_between, module)?)
}

/// Compares a case with itself and stores the machine's noise. Returns the output of `pqlab calibrate --json`.
#[pyfunction]
fn measure_noise(
    py: Python<'_>,
    request: &str,
    case: &str,
    comparisons: Whole<u32>,
    database: Option<&str>,
    shown: Option<Py<PyAny>>,
) -> Answer<String> {
    detached(py, || {
        let request: Request = request::read(request)?;
        let laboratory = request.laboratory()?;
        let case = laboratory.noise_case(case)?;
        let mut protocol = Protocol::default();
        request.overrides()?.apply(&mut protocol);
        let mut store = open(database)?;
        interruptible(shown, |watch, stop| {
            let comparisons = comparisons.0 as usize;
            let mut runs = ManyRuns::new(watch, 2 * comparisons);
            let found = laboratory.measure_noise(&case, &protocol, comparisons, &mut runs, stop)?;
            let noise = whole(found)?;
            store.save_noise(&noise)?;
            Ok(json!(noise).to_string())
        })
    })
}

/// Measures why the processes of a case differ. Returns the output of `pqlab doctor --placement CASE --json`.
#[pyfunction]
fn measure_placement(py: Python<'_>, request: &str, case: &str, shown: Option<Py<PyAny>>) -> Answer<String> {
    detached(py, || {
        let request: Request = request::read(request)?;
        let laboratory = request.laboratory()?;
        let case = laboratory.noise_case(case)?;
        interruptible(shown, |watch, stop| {
            let mut runs = ManyRuns::new(watch, 1);
            Ok(whole(laboratory.placement(&case, &mut runs, stop)?)?.to_json().to_string())
        })
    })
}

/// Measures the suites as a whole, and each case alone. Returns the output of `pqlab calibrate --independence --json`.
#[pyfunction]
fn measure_independence(
    py: Python<'_>,
    request: &str,
    repetitions: Whole<u32>,
    shown: Option<Py<PyAny>>,
) -> Answer<String> {
    detached(py, || {
        let request: Request = request::read(request)?;
        let repetitions = within("repetitions", repetitions.0, 1, MOST[0])?;
        let laboratory = request.laboratory()?;
        interruptible(shown, |watch, stop| {
            let mut note = |text: &str| watch.note(text);
            let (filters, overrides) = (request.filters()?, request.overrides()?);
            let plan = laboratory.plan_of_suites(&request.what, &filters, &overrides, &mut note)?;
            let judged = plan.cases.iter().filter(|case| !case.is_overhead()).count();
            let options = IndependenceRequest { repetitions, seed: request.seed, command: request.command.clone() };
            let mut runs = ManyRuns::new(watch, (plan.cases.len() + judged) * repetitions as usize);
            let found = laboratory.measure_independence(&plan, &options, &mut runs, stop)?;
            Ok(whole(found)?.to_json().to_string())
        })
    })
}

/// Measures suites repeatedly. Returns the output of `pqlab calibrate --between --json`.
#[pyfunction]
fn measure_between(
    py: Python<'_>,
    request: &str,
    runs: Whole<u32>,
    pause_s: f64,
    shown: Option<Py<PyAny>>,
) -> Answer<String> {
    detached(py, || {
        let request: Request = request::read(request)?;
        let runs = within("runs", runs.0, FEWEST_RUNS, MOST[1])?;
        let pause = Duration::try_from_secs_f64(pause_s).map_err(|error| Failure::argument("pause", error))?;
        let laboratory = request.laboratory()?;
        interruptible(shown, |watch, stop| {
            let mut note = |text: &str| watch.note(text);
            let (filters, overrides) = (request.filters()?, request.overrides()?);
            let plan = laboratory.plan_of_suites(&request.what, &filters, &overrides, &mut note)?;
            let options = BetweenRequest { runs, pause, seed: request.seed, command: request.command.clone() };
            let mut progress = ManyRuns::new(watch, plan.cases.len() * runs as usize);
            let found = laboratory.measure_between(&plan, &options, &mut progress, stop)?;
            Ok(whole(found)?.to_json().to_string())
        })
    })
}

fn within(name: &str, number: u32, least: u32, most: u32) -> Answer<u32> {
    if (least..=most).contains(&number) {
        return Ok(number);
    }
    Err(Failure::argument(name, format!("must be from {least} to {most}, not {number}")))
}
