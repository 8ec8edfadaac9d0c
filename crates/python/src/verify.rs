//! Verification of providers, and inspection of keys and signatures.

use crate::errors::{Answer, Failure, Kind, detached};
use crate::input::Whole;
use crate::progress::interruptible;
use crate::request::{self, Request};
use pqlab_lab::verification::{self, Answers, Vectors};
use pqlab_lab::{Found, InspectRequest, Progress, Verified, VerifyPart, VerifyRequest};
use pyo3::prelude::*;
use std::path::PathBuf;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(verify, module)?)?;
    module.add_function(wrap_pyfunction!(inspect, module)?)?;
    module.add_function(wrap_pyfunction!(inspect_files, module)?)
}

/// Checks providers against known answers, published vectors and each other.
///
/// Returns the output of `pqlab verify --format json`.
#[pyfunction]
fn verify(
    py: Python<'_>,
    request: &str,
    interoperability: bool,
    long: bool,
    accumulated: Option<Whole<u64>>,
    shown: Option<Py<PyAny>>,
) -> Answer<String> {
    detached(py, || {
        let asked: Request = request::read(request)?;
        let laboratory = asked.laboratory()?;
        let request = VerifyRequest {
            providers: asked.providers,
            algorithms: asked.algorithms,
            interoperability,
            answers: answers(long, accumulated)?,
            kept_in: verification::cache().map(|cache| cache.join("verify")),
        };
        let parts = laboratory.verify_parts(&request)?;
        let found = interruptible(shown, |watch, stop| {
            let mut found = Found::default();
            let mut done = 0.0;
            if request.answers != Answers::Short {
                let extent = laboratory.verify_extent(&parts, &request, stop)?;
                watch.note(&format!(
                    "accumulated vectors: {} more answers, which take about {:.0} s on this machine",
                    extent.answers, extent.seconds
                ));
            }
            watch.start("", parts.len());
            let mut take = |part: &VerifyPart, what: Verified| {
                match what {
                    Verified::Done => done += 1.0,
                    Verified::Answers(..) => {}
                    Verified::Line(line) => found.lines.push((part.clone(), line)),
                    Verified::EdgeCases(edge_cases) => found.edge_cases.push((part.clone(), edge_cases)),
                }
                watch.at(format!("{} {}", part.provider(), part.algorithm()), done);
                Ok::<(), Failure>(())
            };
            laboratory.verify(&parts, &request, &mut take, stop)?;
            Ok(found)
        })?;
        let (vectors, pairs, edge_cases) = found.in_order(&parts);
        let releases = verification::acvp_releases(&Vectors::here());
        verification::json(&vectors, &pairs, &edge_cases, &releases)
            .map_err(|error| Failure::new(Kind::Internal, error.to_string()))
    })
}

/// Selects the accumulated vectors to check.
fn answers(long: bool, accumulated: Option<Whole<u64>>) -> Answer<Answers> {
    match (accumulated, long) {
        (Some(_), true) => Err(Failure::argument("long", "pass either long or accumulated, not both")),
        (Some(Whole(number)), false) => {
            Answers::up_to(number).map_err(|error| Failure::argument("accumulated", format!("{number}: {error}")))
        }
        (None, true) => Ok(Answers::Long),
        (None, false) => Ok(Answers::Short),
    }
}

/// Inspects the keys and signatures or ciphertexts of an algorithm. Returns a JSON list with one entry per provider.
#[pyfunction]
fn inspect(py: Python<'_>, request: &str, algorithm: String, seed: u64) -> Answer<String> {
    detached(py, || {
        let asked: Request = request::read(request)?;
        let laboratory = asked.laboratory()?;
        let found = laboratory.inspect(&InspectRequest { algorithm, providers: asked.providers, seed })?;
        serde_json::to_string(&found).map_err(|error| Failure::new(Kind::Internal, error.to_string()))
    })
}

/// Inspects files with keys, certificates or tokens. Returns a JSON list with one entry per file.
#[pyfunction]
fn inspect_files(py: Python<'_>, request: &str, files: Vec<PathBuf>) -> Answer<String> {
    detached(py, || {
        let asked: Request = request::read(request)?;
        let found = asked.laboratory()?.inspect_files(&files, &asked.providers)?;
        serde_json::to_string(&found).map_err(|error| Failure::new(Kind::Internal, error.to_string()))
    })
}
