//! Whether answers are right, and what keys and signatures look like.

use crate::errors::{Answer, Failure, Kind, detached};
use crate::progress::{Watch, interrupted};
use crate::request::{self, Request};
use pqlab_lab::verification::{self, Answers};
use pqlab_lab::{Found, InspectRequest, Verified, VerifyPart, VerifyRequest};
use pyo3::prelude::*;
use std::sync::atomic::AtomicBool;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(verify, module)?)?;
    module.add_function(wrap_pyfunction!(inspect, module)?)
}

/// Puts providers to known answers, published vectors and each other: the document of `pqlab verify --format json`.
#[pyfunction]
fn verify(
    py: Python<'_>,
    request: &str,
    interoperability: bool,
    long: bool,
    shown: Option<Py<PyAny>>,
) -> Answer<String> {
    detached(py, || {
        let asked: Request = request::read(request)?;
        let laboratory = asked.laboratory()?;
        let request = VerifyRequest {
            providers: asked.providers,
            algorithms: asked.algorithms,
            interoperability,
            answers: if long { Answers::Long } else { Answers::Short },
            kept_in: verification::cache().map(|cache| cache.join("verify")),
        };
        let parts = laboratory.verify_parts(&request)?;
        let stop = AtomicBool::new(false);
        let mut watch = Watch::new(shown, &stop);
        let mut found = Found::default();
        let mut done = 0.0;
        watch.tell(|py, shown| shown.call_method1(py, "begin", ("", parts.len())).map(drop));
        let mut take = |part: &VerifyPart, what: Verified| {
            match what {
                Verified::Done => done += 1.0,
                Verified::Answers(..) => {}
                Verified::Line(line) => found.lines.push((part.clone(), line)),
                Verified::EdgeCases(edge_cases) => found.edge_cases.push((part.clone(), edge_cases)),
            }
            let name = || format!("{} {}", part.provider(), part.algorithm());
            watch.tell(|py, shown| shown.call_method1(py, "working", (name(), done)).map(drop));
            Ok::<(), Failure>(())
        };
        let whole = laboratory.verify(&parts, &request, &mut take, &stop);
        if let Some(raised) = watch.raised.take() {
            return Err(interrupted(raised, None));
        }
        whole?;
        let (vectors, pairs, edge_cases) = found.in_order(&parts);
        verification::json(&vectors, &pairs, &edge_cases)
            .map_err(|error| Failure::new(Kind::Internal, error.to_string()))
    })
}

/// Looks at the keys and signatures or ciphertexts of one algorithm: a list of JSON, one entry a provider.
#[pyfunction]
fn inspect(py: Python<'_>, request: &str, algorithm: String, seed: u64) -> Answer<String> {
    detached(py, || {
        let asked: Request = request::read(request)?;
        let laboratory = asked.laboratory()?;
        let found = laboratory.inspect(&InspectRequest { algorithm, providers: asked.providers, seed })?;
        serde_json::to_string(&found).map_err(|error| Failure::new(Kind::Internal, error.to_string()))
    })
}
