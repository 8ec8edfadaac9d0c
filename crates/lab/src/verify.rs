//! Known answers, published vectors and every library against every other: each provider in a process of its own, so that one
//! that crashes is a failed line and the rest goes on.

use crate::errand::{self, Answer};
use crate::{LabError, Laboratory, Thing, matches};
use pqlab_harness::errand::{Errand, ErrandEnd, Manner, Next};
use pqlab_verification::{self as verification, Line, Vectors, vectors_root};
use pqlab_workloads::{NULL, Registry};
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;

/// What is to be verified.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyRequest {
    /// Patterns of providers, with or without their backend; empty for all.
    pub providers: Vec<String>,
    /// Patterns of algorithms; empty for all.
    pub algorithms: Vec<String>,
    /// Whether every provider is put to the test against every other, too.
    pub interoperability: bool,
}

/// Of what a line is the outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VerifyPart {
    /// Known answers and published vectors, put to the provider of this id.
    Provider(String),
    /// Every provider against every other.
    Interoperability,
}

impl VerifyPart {
    fn name(&self) -> &str {
        match self {
            VerifyPart::Provider(id) => id,
            VerifyPart::Interoperability => "interoperability",
        }
    }
}

impl VerifyRequest {
    fn asks_for(&self, provider: &str, algorithm: &str) -> bool {
        selected(&self.providers, provider) && selected(&self.algorithms, algorithm)
    }
}

impl Laboratory {
    /// Verifies part by part, and hands over each line as it comes, with the part that it belongs to. Whether it came to its
    /// end: not where `stop` was set.
    ///
    /// # Errors
    /// [`LabError::Unknown`] for a pattern that matches nothing, [`LabError::Worker`] where no process can be started; and what
    /// `take` reports, after which nothing more is verified.
    pub fn verify<E: From<LabError>>(
        &self,
        request: &VerifyRequest,
        take: &mut dyn FnMut(&VerifyPart, Line) -> Result<(), E>,
        stop: &AtomicBool,
    ) -> Result<bool, E> {
        check_names(self.registry(), request)?;
        for part in parts(self.registry(), request) {
            if !self.verify_part(&part, request, take, stop)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Starts the process of a part and takes its lines. If it dies, that is a failed line.
    fn verify_part<E: From<LabError>>(
        &self,
        part: &VerifyPart,
        request: &VerifyRequest,
        take: &mut dyn FnMut(&VerifyPart, Line) -> Result<(), E>,
        stop: &AtomicBool,
    ) -> Result<bool, E> {
        let task = errand::Task::Verify { part: part.clone(), request: request.clone() };
        let mut errand: Errand = self.start(&task, &Manner::default())?;
        let mut last = "before its first line".to_owned();
        loop {
            match errand.next(stop).map_err(errand::lost)? {
                Next::Said(said) => {
                    let Some(Answer::Line(line)) = errand::understood(&said) else { continue };
                    last = format!("after {} {}", line.algorithm, line.suite);
                    take(part, line)?;
                }
                Next::Ended => break,
                Next::Stopped => return Ok(false),
            }
        }
        let ErrandEnd { status, stdout, .. } = errand.end().map_err(errand::lost)?;
        let failed = |what: String| Line {
            provider: part.name().to_owned(),
            algorithm: "all".into(),
            suite: "the process itself".into(),
            attempted: 1,
            failures: vec![what],
            ..Line::default()
        };
        if !stdout.is_empty() {
            take(part, failed(format!("a library wrote {} lines to standard output", stdout.lines().count())))?;
        }
        if !status.success() {
            take(part, failed(format!("it ended {last}: {status}")))?;
        }
        Ok(true)
    }
}

/// One process for each provider, and one for the matrix.
fn parts(registry: &Registry, request: &VerifyRequest) -> Vec<VerifyPart> {
    let providers = registry.providers().iter().map(|provider| provider.id());
    let asked_for = providers.filter(|id| id != NULL && selected(&request.providers, id));
    let matrix = request.interoperability.then_some(VerifyPart::Interoperability);
    asked_for.map(VerifyPart::Provider).chain(matrix).collect()
}

fn selected(patterns: &[String], name: &str) -> bool {
    let library = name.split(':').next().unwrap_or(name);
    patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, name) || matches(pattern, library))
}

fn check_names(registry: &Registry, request: &VerifyRequest) -> Result<(), LabError> {
    let check = |what, patterns: &[String], known: &[String]| {
        let unknown = |pattern: &&String| !known.iter().any(|name| selected(std::slice::from_ref(*pattern), name));
        match patterns.iter().find(unknown) {
            Some(pattern) => Err(LabError::unknown(what, pattern, known.iter().map(String::as_str))),
            None => Ok(()),
        }
    };
    let providers = registry.providers();
    check(Thing::Provider, &request.providers, &providers.iter().map(|provider| provider.id()).collect::<Vec<_>>())?;
    let algorithms: Vec<String> = providers.iter().flat_map(|provider| provider.algorithms()).collect();
    check(Thing::Algorithm, &request.algorithms, &algorithms)
}

/// What a process of its own does: one part, line by line.
pub(crate) fn verify_here(
    registry: &Registry,
    part: &VerifyPart,
    request: &VerifyRequest,
    report: &mut dyn FnMut(Line),
) {
    let providers = registry.providers();
    match part {
        VerifyPart::Interoperability => {
            let select = |provider: &str, algorithm: &str, _: &str| request.asks_for(provider, algorithm);
            verification::interop(providers, &select, report);
        }
        VerifyPart::Provider(id) => {
            let select =
                |provider: &str, algorithm: &str, _: &str| provider == id && selected(&request.algorithms, algorithm);
            verification::verify_known_answers(providers, &select, report);
            verification::verify(providers, &Vectors::new(vectors_root()), &select, report);
        }
    }
}
