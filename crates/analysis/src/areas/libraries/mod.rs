//! Which one library for a job: what the job takes with each library that can do all of it, and what beside speed decides.

mod findings;
pub(super) mod tables;

pub use crate::facts::{LibraryFacts, NOT_FOUND, Source, facts, facts_of};
pub use crate::job::{JobWeights, OPERATIONS, WrongWeights};

pub(crate) use findings::for_job;

use super::{kem, signature};
use crate::case::CaseAnalysis;
use crate::comparison::Standing;
use crate::estimates::scaled;
use crate::group::distinct;
use crate::job::OF_KEM;
use crate::run::RunAnalysis;
use pqlab_stats::Interval;

/// Areas of the operations of a KEM and of a signature scheme.
const AREAS: [&str; 2] = [kem::AREA, signature::AREA];

/// A KEM and a signature scheme with which a job is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The KEM.
    pub kem: &'static str,
    /// The signature scheme.
    pub signature: &'static str,
    /// Whether it is what a job wants today; the other stands beside it for comparison.
    pub post_quantum: bool,
}

/// With what jobs are done: only libraries with the same pairing are ranked.
pub const PAIRINGS: [Pairing; 2] = [
    Pairing { kem: "ML-KEM-768", signature: "ML-DSA-65", post_quantum: true },
    Pairing { kem: "X25519", signature: "Ed25519", post_quantum: false },
];

impl Pairing {
    /// The area and the algorithm of an operation.
    fn of(&self, operation: &str) -> (&'static str, &'static str) {
        let of_kem = OPERATIONS[..OF_KEM].contains(&operation);
        if of_kem { (AREAS[0], self.kem) } else { (AREAS[1], self.signature) }
    }

    /// What of it a job needs: `ML-KEM-768 with ML-DSA-65`, or one of the two.
    pub fn name(&self, weights: &JobWeights) -> String {
        let mut names: Vec<&str> = weights.parts().map(|(operation, _)| self.of(operation).1).collect();
        names.dedup();
        names.join(" with ")
    }
}

/// An operation of a job.
#[derive(Clone, Debug)]
pub struct Part<'r, 'a> {
    /// Its name.
    pub operation: &'static str,
    /// How often it is done.
    pub weight: u32,
    /// Its case.
    pub case: &'r CaseAnalysis<'a>,
    /// What it takes in ns as often as it is done.
    pub time: Interval,
}

/// What a job takes with a library.
#[derive(Clone, Debug)]
pub struct LibraryTotal<'r, 'a> {
    /// The library's code path.
    pub provider: &'a str,
    /// The operations.
    pub parts: Vec<Part<'r, 'a>>,
    /// All of them one after the other, in ns, with the interval of the whole.
    pub total: Interval,
    /// How it stands among those that may be recommended; `None` for what may not, and where it is alone.
    pub standing: Option<Standing>,
    /// Whether it may be recommended: its figures are its own, it does all that the standards demand, and it is not this
    /// project's own code.
    pub sound: bool,
}

impl<'r, 'a> LibraryTotal<'r, 'a> {
    /// Its cases, each as often as it is done.
    pub fn cases(&self) -> Vec<&'r CaseAnalysis<'a>> {
        repeated(&self.parts)
    }
}

/// What a job takes with each library that can do all of it by the same algorithms.
#[derive(Clone, Debug)]
pub struct JobTotals<'r, 'a> {
    /// The algorithms.
    pub pairing: Pairing,
    /// The libraries: those that may be recommended first, the fastest of them first.
    pub totals: Vec<LibraryTotal<'r, 'a>>,
    /// Libraries of which the run has some of the operations, but not all: each with what is missing.
    pub incomplete: Vec<(&'a str, Vec<&'static str>)>,
}

/// What a job takes, for each pairing of which a library can do all of it. Keys are prepared, messages the shortest that were
/// measured; each operation counts as often as the job does it.
pub fn job_totals<'r, 'a>(analysis: &'r RunAnalysis<'a>, weights: &JobWeights) -> Vec<JobTotals<'r, 'a>> {
    let all = PAIRINGS.into_iter().map(|pairing| of_pairing(analysis, pairing, weights));
    all.filter(|job| !job.totals.is_empty()).collect()
}

fn of_pairing<'r, 'a>(analysis: &'r RunAnalysis<'a>, pairing: Pairing, weights: &JobWeights) -> JobTotals<'r, 'a> {
    let (mut totals, mut incomplete) = (Vec::new(), Vec::new());
    for provider in providers(analysis) {
        let mut parts = Vec::new();
        let mut missing = Vec::new();
        for (operation, weight) in weights.parts() {
            match case_of(analysis, pairing, operation, provider) {
                Some((case, mean)) => {
                    parts.push(Part { operation, weight, case, time: scaled(&mean, f64::from(weight)) })
                }
                None => missing.push(operation),
            }
        }
        if parts.is_empty() {
            continue;
        }
        let total = if missing.is_empty() { analysis.total(&repeated(&parts)) } else { None };
        let Some(total) = total else {
            incomplete.push((provider, missing));
            continue;
        };
        let sound = parts.iter().all(|part| part.case.ranked());
        totals.push(LibraryTotal { provider, parts, total, standing: None, sound });
    }
    totals.sort_by(|one, other| {
        let figures = one.total.estimate.total_cmp(&other.total.estimate);
        other.sound.cmp(&one.sound).then(figures)
    });
    let sound = totals.iter().filter(|total| total.sound);
    let rivals: Vec<Vec<&CaseAnalysis<'a>>> = sound.map(LibraryTotal::cases).collect();
    for (total, standing) in totals.iter_mut().zip(analysis.ranking(&rivals).standings) {
        total.standing = standing;
    }
    JobTotals { pairing, totals, incomplete }
}

/// Code paths of which a library may be made: not those of several libraries, and not what does nothing.
fn providers<'a>(analysis: &RunAnalysis<'a>) -> Vec<&'a str> {
    let cases = AREAS.into_iter().flat_map(|area| analysis.area(area)).map(CaseAnalysis::case);
    let of_one = cases.filter(|case| !case.is_null() && !case.provider.contains('+'));
    distinct(of_one.map(|case| case.provider.as_str()))
}

/// The usual case of an operation with its mean in ns; `None` if there is none, or no figure of it.
fn case_of<'r, 'a>(
    analysis: &'r RunAnalysis<'a>,
    pairing: Pairing,
    operation: &str,
    provider: &str,
) -> Option<(&'r CaseAnalysis<'a>, Interval)> {
    let (area, algorithm) = pairing.of(operation);
    let of_algorithm =
        || analysis.cases().iter().filter(move |of| of.case().workload == area && of.case().algorithm == algorithm);
    let usual = || of_algorithm().filter(|of| of.usual());
    // Of one length for all libraries and operations.
    let shortest = usual().filter_map(|of| of.case().message_length()).min();
    let found = usual().find(|of| {
        let case = of.case();
        let of_length = case.message_length().is_none_or(|length| Some(length) == shortest);
        case.operation == operation && case.provider == provider && of_length
    })?;
    Some((found, found.estimates.as_ref()?.mean_ns))
}

fn repeated<'r, 'a>(parts: &[Part<'r, 'a>]) -> Vec<&'r CaseAnalysis<'a>> {
    parts.iter().flat_map(|part| std::iter::repeat_n(part.case, part.weight as usize)).collect()
}

#[cfg(test)]
mod tests;
