//! Tests whether timing depends on secrets.

use crate::errors::{Answer, Failure, detached};
use crate::progress::{interruptible, whole};
use crate::request::{self, Request};
use pqlab_lab::{LeakRequest, LeakStep, Tainted, leak_cases, leak_document, leak_listing, taint_document};
use pyo3::prelude::*;
use serde::Deserialize;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(leak, module)?)?;
    module.add_function(wrap_pyfunction!(leak_tests, module)?)
}

/// Parameters of the leak tests.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    samples: u64,
    effect_ns: f64,
    control_delay_ns: f64,
    max_time_s: f64,
    seed: u64,
    repeat: u32,
    taint: bool,
}

/// Runs the requested leak tests. Returns the output of `pqlab leak --json`, or of `pqlab leak --taint --json` if
/// `taint` is set.
#[pyfunction]
fn leak(py: Python<'_>, request: &str, asked: &str, shown: Option<Py<PyAny>>) -> Answer<String> {
    detached(py, || {
        let request: Request = request::read(request)?;
        let asked: Asked = request::read(asked)?;
        if asked.repeat == 0 {
            return Err(Failure::argument("repeat", "must be at least 1"));
        }
        let laboratory = request.laboratory()?;
        let cases = leak_cases(&laboratory, &request.what)?;
        interruptible(shown, |watch, stop| {
            let mut done = 0;
            if asked.taint {
                watch.start("", cases.len());
                let mut take = |tainted: &Tainted| {
                    done += 1;
                    watch.at(tainted.case.clone(), f64::from(done));
                    Ok::<(), Failure>(())
                };
                let found = whole(laboratory.taint_all(&cases, asked.seed, &mut take, stop)?)?;
                return Ok(taint_document(&found).to_string());
            }
            let request = LeakRequest {
                samples: asked.samples,
                effect_ns: asked.effect_ns,
                control_delay_ns: asked.control_delay_ns,
                max_time_s: asked.max_time_s,
                seed: asked.seed,
                cases: cases.len(),
            };
            watch.start("", cases.len() * asked.repeat as usize);
            let mut name = String::new();
            let mut take = |step: LeakStep<'_>| {
                match step {
                    LeakStep::Begins(case) => name = case.to_string(),
                    LeakStep::Done(tests) => watch.at(name.clone(), tests),
                    LeakStep::Found(_) => {}
                }
                Ok::<(), Failure>(())
            };
            let found = laboratory.measure_leaks(&cases, &request, asked.repeat, &mut take, stop)?;
            Ok(leak_document(&whole(found)?).to_string())
        })
    })
}

/// Lists the available leak tests. Returns the output of `pqlab leak --list --json`.
#[pyfunction]
fn leak_tests(py: Python<'_>, request: &str) -> Answer<String> {
    detached(py, || {
        let request: Request = request::read(request)?;
        Ok(leak_listing(&leak_cases(&request.laboratory()?, &request.what)?).to_string())
    })
}
