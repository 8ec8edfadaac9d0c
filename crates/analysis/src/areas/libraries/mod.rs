//! Finds the best single library for a job. Computes the job's time with each library that supports all of its
//! operations, and lists facts other than speed.

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
use pqlab_record::Statistic;
use pqlab_stats::Interval;

/// Areas that measure KEM operations and signature operations.
const AREAS: [&str; 2] = [kem::AREA, signature::AREA];

/// A KEM and a signature scheme that together do a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The KEM.
    pub kem: &'static str,
    /// The signature scheme.
    pub signature: &'static str,
    /// Whether both algorithms are post-quantum. pqlab recommends only a post-quantum pairing and shows the classical
    /// one for comparison.
    pub post_quantum: bool,
}

/// Pairings for which pqlab computes jobs. Each pairing has a separate ranking.
pub const PAIRINGS: [Pairing; 2] = [
    Pairing { kem: "ML-KEM-768", signature: "ML-DSA-65", post_quantum: true },
    Pairing { kem: "X25519", signature: "Ed25519", post_quantum: false },
];

impl Pairing {
    /// Returns the area and the algorithm for an operation.
    fn algorithm_for(&self, operation: &str) -> (&'static str, &'static str) {
        let of_kem = OPERATIONS[..OF_KEM].contains(&operation);
        if of_kem { (AREAS[0], self.kem) } else { (AREAS[1], self.signature) }
    }

    /// Names the algorithms that a job needs: `ML-KEM-768 + ML-DSA-65`, or one of the two.
    pub fn name(&self, weights: &JobWeights) -> String {
        let mut names: Vec<&str> = weights.parts().map(|(operation, _)| self.algorithm_for(operation).1).collect();
        names.dedup();
        names.join(" + ")
    }
}

/// An operation of a job.
#[derive(Clone, Debug)]
pub struct Part<'r, 'a> {
    /// Name of the operation.
    pub operation: &'static str,
    /// Number of times that the job performs the operation.
    pub weight: u32,
    /// The case that measured the operation.
    pub case: &'r CaseAnalysis<'a>,
    /// Time of all repetitions in ns.
    pub time: Interval,
}

/// Time of a job with one library.
#[derive(Clone, Debug)]
pub struct LibraryTotal<'r, 'a> {
    /// Provider id of the library's code path, such as `libcrux:avx2`.
    pub provider: &'a str,
    /// The job's operations, each with its time.
    pub parts: Vec<Part<'r, 'a>>,
    /// Time of all operations one after the other, in ns, with an interval for the sum.
    pub total: Interval,
    /// Standing among the libraries that may be recommended. `None` if this library may not be recommended or has no
    /// rival.
    pub standing: Option<Standing>,
    /// Whether this library may be recommended: it was measured undisturbed, has no known defect, and is not pqlab's
    /// own code.
    pub sound: bool,
}

impl<'r, 'a> LibraryTotal<'r, 'a> {
    /// Returns the cases, each repeated as often as the job performs its operation.
    pub fn cases(&self) -> Vec<&'r CaseAnalysis<'a>> {
        repeated(&self.parts)
    }
}

/// Times of a job with every library that supports all of its operations, for one pairing of algorithms.
#[derive(Clone, Debug)]
pub struct JobTotals<'r, 'a> {
    /// The KEM and the signature scheme.
    pub pairing: Pairing,
    /// Libraries that may be recommended, fastest first; then the others, fastest first.
    pub totals: Vec<LibraryTotal<'r, 'a>>,
    /// Libraries for which the run lacks some of the operations, with the names of the missing operations.
    pub incomplete: Vec<(&'a str, Vec<&'static str>)>,
}

/// Computes the times of a job for each pairing that at least one library supports completely. Keys are prepared, and
/// messages have the shortest length that was measured. Each operation is counted as often as the job performs it.
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

/// Returns the ids of all providers that are a single library. Excludes pairs (`a+b`) and `null`.
fn providers<'a>(analysis: &RunAnalysis<'a>) -> Vec<&'a str> {
    let cases = AREAS.into_iter().flat_map(|area| analysis.area(area)).map(CaseAnalysis::case);
    let of_one = cases.filter(|case| !case.is_null() && !case.provider.contains('+'));
    distinct(of_one.map(|case| case.provider.as_str()))
}

/// Returns the [usual](CaseAnalysis::usual) case for an operation, with the shortest message that was measured, and its
/// mean in ns. Returns `None` if the run lacks this case, or if the case has no figure.
fn case_of<'r, 'a>(
    analysis: &'r RunAnalysis<'a>,
    pairing: Pairing,
    operation: &str,
    provider: &str,
) -> Option<(&'r CaseAnalysis<'a>, Interval)> {
    let (area, algorithm) = pairing.algorithm_for(operation);
    let of_algorithm =
        || analysis.cases().iter().filter(move |one| one.case().workload == area && one.case().algorithm == algorithm);
    let usual = || of_algorithm().filter(|one| one.usual());
    // Use the same message length for all libraries and operations.
    let shortest = usual().filter_map(|one| one.case().message_length()).min();
    let found = usual().find(|one| {
        let case = one.case();
        let of_length = case.message_length().is_none_or(|length| Some(length) == shortest);
        case.operation == operation && case.provider == provider && of_length
    })?;
    Some((found, found.estimates.as_ref()?.time(Statistic::Mean)))
}

fn repeated<'r, 'a>(parts: &[Part<'r, 'a>]) -> Vec<&'r CaseAnalysis<'a>> {
    parts.iter().flat_map(|part| std::iter::repeat_n(part.case, part.weight as usize)).collect()
}

#[cfg(test)]
mod tests;
