//! Finds the figures in a run that correspond to published claims.

use crate::areas::hash::tables::cycles;
use crate::areas::hybrid::decompositions;
use crate::areas::ledger::transactions_verified;
use crate::areas::ntor::{HandshakeFigures, STEPS, handshakes};
use crate::areas::scaling::{LoadFigures, ScalingFigures, loads, scaling};
use crate::areas::signature::most_lengths;
use crate::areas::{hash, hybrid, ledger, ntor};
use crate::case::CaseAnalysis;
use crate::caveats::Caveats;
use crate::estimates::scaled;
use crate::kinds::one_kind;
use crate::rate::rate;
use crate::run::RunAnalysis;
use pqlab_record::{Case, Form, NULL, Parameter};
use pqlab_stats::{Interval, IntervalMethod};

/// A figure from a run that corresponds to a claim.
pub(super) struct Found {
    /// The value in the claim's unit, except that times are in ns.
    pub(super) value: Interval,
    /// Description of what was measured, usually the library.
    pub(super) of: String,
    pub(super) caveats: Caveats,
}

/// Name of the handshake that the pq-ntor report measures.
pub(super) const KEM_ONLY: &str = "kem-only-mlkem512";

impl Found {
    fn new(case: &CaseAnalysis<'_>, value: Interval) -> Found {
        Found { value, of: case.case().provider.clone(), caveats: case.caveats.clone() }
    }

    /// Like [`Found::new`], but the description also names the algorithm.
    fn by_algorithm(case: &CaseAnalysis<'_>, value: Interval) -> Found {
        Found { of: format!("{} by {}", case.case().algorithm, case.case().provider), ..Found::new(case, value) }
    }
}

/// Returns an interval of zero width around an exact number.
pub(super) fn point(value: f64) -> Interval {
    Interval { estimate: value, low: value, high: value, confidence: 1.0, method: IntervalMethod::CrossedT }
}

/// What a claim measures: area, algorithm and operation.
pub(super) type Job = (&'static str, &'static str, &'static str);

/// Returns the cases of a job that pass the filter `suits`, keeping only those with the shortest message.
fn cases<'r, 'a>(
    run: &'r RunAnalysis<'a>,
    (area, algorithm, operation): Job,
    suits: impl Fn(&CaseAnalysis<'a>) -> bool,
) -> Vec<&'r CaseAnalysis<'a>> {
    let of_job = |one: &&CaseAnalysis<'a>| {
        let case = one.case();
        case.algorithm == algorithm && case.operation == operation && one.median().is_some() && suits(one)
    };
    let all: Vec<&CaseAnalysis<'a>> = run.area(area).filter(of_job).collect();
    let shortest = all.iter().filter_map(|case| case.case().message_length()).min();
    all.into_iter().filter(|case| case.case().message_length() == shortest).collect()
}

/// Returns whether a case is [usual](CaseAnalysis::usual) except for its source of randomness. Claims about `cycle`
/// need this, because pqlab measures `cycle` only with caller-supplied seeds.
fn but_for_randomness(one: &CaseAnalysis<'_>) -> bool {
    let case = one.case();
    let plain = case.has_only(&[Parameter::LENGTH, Parameter::DETERMINISTIC, Parameter::COINS]);
    case.form != Some(Form::Encoded) && plain
}

/// Returns the usual case of the first library in `libraries` for which the run measured the job. If `libraries` is
/// empty, returns the usual case of the fastest library. Falls back to cases that are usual except for their
/// randomness.
fn one<'r, 'a>(run: &'r RunAnalysis<'a>, job: Job, libraries: &[&str]) -> Option<&'r CaseAnalysis<'a>> {
    let pick = |all: Vec<&'r CaseAnalysis<'a>>| {
        if libraries.is_empty() {
            return run.leading(&one_kind(all).cases).first().copied();
        }
        libraries.iter().find_map(|library| all.iter().copied().find(|case| case.case().provider == *library))
    };
    pick(cases(run, job, CaseAnalysis::usual)).or_else(|| pick(cases(run, job, but_for_randomness)))
}

pub(super) fn time(run: &RunAnalysis<'_>, job: Job, libraries: &[&str]) -> Option<Found> {
    let case = one(run, job, libraries)?;
    Some(Found::new(case, case.median()?))
}

/// Returns the operations per second for a job.
pub(super) fn per_second(run: &RunAnalysis<'_>, job: Job, libraries: &[&str]) -> Option<Found> {
    let case = one(run, job, libraries)?;
    Some(Found::new(case, rate(case, 1.0)?))
}

/// Returns the ratio of the first job's time to the second job's.
pub(super) fn over(run: &RunAnalysis<'_>, first: Job, second: Job, libraries: &[&str]) -> Option<Found> {
    let (first, second) = (one(run, first, libraries)?, one(run, second, libraries)?);
    let ratio = run.ratio(&[second], &[first])?.ratio?.ratio;
    Some(Found {
        value: ratio,
        of: format!("{}, {}", first.case().provider, second.case().provider),
        caveats: Caveats::merged([&first.caveats, &second.caveats]),
    })
}

/// Returns the ratio of the time of library `slow` to the time of library `fast` for the same job.
pub(super) fn between(run: &RunAnalysis<'_>, job: Job, slow: &str, fast: &str) -> Option<Found> {
    let (slow, fast) = (one(run, job, &[slow])?, one(run, job, &[fast])?);
    let value = run.ratio(&[fast], &[slow])?.ratio?.ratio;
    let of = format!("{}, {}", slow.case().provider, fast.case().provider);
    Some(Found { value, of, caveats: Caveats::merged([&slow.caveats, &fast.caveats]) })
}

/// Returns the time that the combiner takes in X25519+ML-KEM-768, the hybrid in the hybrid library document. Uses the
/// pair of libraries with the fastest complete hybrid.
pub(super) fn combiner(run: &RunAnalysis<'_>, operation: &str) -> Option<Found> {
    let is_documents = |case: &Case| case.algorithm == "X25519+ML-KEM-768" && case.operation == operation;
    let found = decompositions(run).into_iter().filter(|parts| is_documents(&parts.hybrid.case));
    let parts = found.min_by(|one, other| one.hybrid_ns.total_cmp(&other.hybrid_ns))?;
    Some(Found { value: parts.combiner_ns(), of: parts.hybrid.case.provider.clone(), caveats: parts.caveats })
}

/// Hybrid that the hybrid library document measures under load.
const LOADED: &str = "X25519+ML-KEM-768";

/// Returns the load test of [`LOADED`] with `tasks` concurrent tasks, and its case. If there are several, chooses the
/// one with the highest throughput.
fn loaded<'r, 'a>(run: &'r RunAnalysis<'a>, tasks: u64) -> Option<(LoadFigures, &'r CaseAnalysis<'a>)> {
    let entries = loads(run).into_iter().filter(|entry| entry.tasks == tasks);
    let with_case = entries.filter_map(|entry| {
        let case = run.area(hybrid::AREA).find(|case| case.case().id() == entry.id)?;
        (case.case().operation == "handshake-load" && case.case().algorithm == LOADED).then_some((entry, case))
    });
    with_case.max_by(|one, other| one.0.rate.estimate.total_cmp(&other.0.rate.estimate))
}

pub(super) fn load(run: &RunAnalysis<'_>, tasks: u64) -> Option<Found> {
    let (_, case) = loaded(run, tasks)?;
    Some(Found::by_algorithm(case, rate(case, 1.0)?))
}

/// Returns the difference in percent between the throughput with `tasks` concurrent tasks and the throughput of another
/// load. `against` selects the other load.
pub(super) fn loss(run: &RunAnalysis<'_>, tasks: u64, against: fn(&LoadFigures) -> Option<Interval>) -> Option<Found> {
    let (entry, case) = loaded(run, tasks)?;
    Some(Found::by_algorithm(case, against(&entry)?))
}

pub(super) fn variation(run: &RunAnalysis<'_>, job: Job) -> Option<Found> {
    let case = one(run, job, &[])?;
    Some(Found::new(case, point(case.estimates.as_ref()?.operations()?.cov_pct?)))
}

/// Returns the CoV, in percent, of the time to fingerprint a public key, for the fastest hybrid.
pub(super) fn fingerprint(run: &RunAnalysis<'_>) -> Option<Found> {
    let suits = |case: &&CaseAnalysis<'_>| case.case().operation == "fingerprint" && case.median().is_some();
    let all: Vec<&CaseAnalysis<'_>> = run.area(hybrid::AREA).filter(suits).collect();
    let case = run.leading(&all).first().copied()?;
    Some(Found::by_algorithm(case, point(case.estimates.as_ref()?.operations()?.cov_pct?)))
}

pub(super) fn lengths(
    run: &RunAnalysis<'_>,
    algorithm: &str,
    figure: fn(&pqlab_stats::Description) -> Option<f64>,
) -> Option<Found> {
    let (case, lengths) = most_lengths(run, algorithm)?;
    let found = Found::new(case, point(figure(lengths)?));
    let signatures = crate::number::grouped(lengths.n as u64);
    Some(Found { of: format!("{signatures} signatures by {}", case.case().provider), ..found })
}

/// Returns the scaling figures for the largest number of threads at which each thread had its own processor.
fn most_threads(run: &RunAnalysis<'_>, name: &str) -> Option<ScalingFigures> {
    let several =
        scaling(run).into_iter().filter(|entry| entry.name == name && entry.threads > 1 && !entry.oversubscribed);
    several.filter(|entry| entry.provider != NULL).max_by_key(|entry| entry.threads)
}

fn of_threads(
    run: &RunAnalysis<'_>,
    name: &str,
    figure: fn(&ScalingFigures) -> Option<(Interval, f64)>,
) -> Option<Found> {
    let entry = most_threads(run, name)?;
    let (ratio, scale) = figure(&entry)?;
    let case = run.cases().iter().find(|case| case.case().id() == entry.id)?;
    let value = scaled(&ratio, scale);
    Some(Found { of: format!("{} on {} cores", entry.provider, entry.threads), ..Found::new(case, value) })
}

pub(super) fn gain(run: &RunAnalysis<'_>, name: &str) -> Option<Found> {
    of_threads(run, name, |entry| Some((entry.speed_up?, 1.0)))
}

pub(super) fn efficiency(run: &RunAnalysis<'_>, name: &str) -> Option<Found> {
    of_threads(run, name, |entry| Some((entry.efficiency?, 100.0)))
}

/// Returns the case that verifies a block of 100 transactions signed with ML-DSA-65. If there are several, considers
/// only those most like the case in the ledger report (the lowest [rank](ledger::rank)) and returns the fastest.
pub(super) fn block<'r, 'a>(run: &'r RunAnalysis<'a>) -> Option<&'r CaseAnalysis<'a>> {
    let blocks = run.area(ledger::AREA).filter(|one| {
        let case = one.case();
        case.operation == "verify-block" && case.transactions() == Some(100) && case.algorithm.ends_with("ML-DSA-65")
    });
    let ranked: Vec<_> = blocks.filter_map(|case| Some((ledger::rank(case.case())?, case))).collect();
    let typical = ranked.iter().map(|(rank, _)| *rank).min()?;
    let same: Vec<&CaseAnalysis<'a>> =
        ranked.iter().filter(|(rank, _)| *rank == typical).map(|(_, case)| *case).collect();
    run.leading(&same).first().copied()
}

pub(super) fn transaction(case: &CaseAnalysis<'_>) -> Option<Found> {
    let (median, transactions) = (case.median()?, transactions_verified(case.case())? as f64);
    let each = |time: f64| time / transactions;
    let value = Interval { estimate: each(median.estimate), low: each(median.low), high: each(median.high), ..median };
    Some(Found::by_algorithm(case, value))
}

/// Returns the transactions verified per second in a block.
pub(super) fn transactions_per_second(case: &CaseAnalysis<'_>) -> Option<Found> {
    Some(Found::by_algorithm(case, rate(case, transactions_verified(case.case())? as f64)?))
}

/// Returns the time of a ledger operation on transactions in the format of the ledger report, or in pqlab's format if
/// the former was not measured.
pub(super) fn reference_ledger(run: &RunAnalysis<'_>, operation: &str) -> Option<Found> {
    ["TXv1-ML-DSA-65", "ML-DSA-65"].into_iter().find_map(|algorithm| {
        let suits = |one: &&CaseAnalysis<'_>| {
            let case = one.case();
            case.algorithm == algorithm && case.operation == operation && one.median().is_some()
        };
        let all: Vec<&CaseAnalysis<'_>> = run.area(ledger::AREA).filter(suits).collect();
        let case = run.leading(&all).first().copied()?;
        Some(Found::by_algorithm(case, case.median()?))
    })
}

/// Returns `figure` for a handshake, measured with its fastest pair of libraries.
pub(super) fn handshake_of(
    run: &RunAnalysis<'_>,
    algorithm: &str,
    figure: impl Fn(&HandshakeFigures<'_>) -> Option<Interval>,
) -> Option<Found> {
    let all = handshakes(run);
    let own = all.iter().filter(|of| of.algorithm == algorithm);
    let with_figure = own.filter_map(|of| Some((of, figure(of)?)));
    let time = |of: &HandshakeFigures<'_>| of.whole.as_ref().map_or(f64::INFINITY, |whole| whole.median.estimate);
    let (of, value) = with_figure.min_by(|one, other| time(one.0).total_cmp(&time(other.0)))?;
    let cases = run.area(ntor::AREA).filter(|case| {
        case.case().algorithm == of.algorithm
            && case.case().provider == of.provider
            && (STEPS.contains(&case.case().operation.as_str()) || case.case().operation == "handshake")
    });
    Some(Found { value, of: of.provider.clone(), caveats: Caveats::merged(cases.map(|case| &case.caveats)) })
}

pub(super) fn share_of_step(run: &RunAnalysis<'_>, step: usize) -> Option<Found> {
    handshake_of(run, KEM_ONLY, |of| of.shares[step])
}

pub(super) fn share_of_part(run: &RunAnalysis<'_>, part: &str) -> Option<Found> {
    handshake_of(run, KEM_ONLY, |of| of.parts.iter().find(|(name, _)| name == part).map(|(_, share)| *share))
}

/// Applies `figure` to two lengths in bytes: the total length of a handshake's messages, and the total for classical
/// ntor.
pub(super) fn bytes(run: &RunAnalysis<'_>, algorithm: &str, figure: fn(f64, f64) -> f64) -> Option<Found> {
    let all = handshakes(run);
    let classical = all.iter().find(|of| of.classical())?.bytes() as f64;
    let own = all.iter().find(|of| of.algorithm == algorithm)?;
    let value = point(figure(own.bytes() as f64, classical));
    Some(Found { value, of: "lengths".to_owned(), caveats: Caveats::default() })
}

fn digest<'r, 'a>(
    run: &'r RunAnalysis<'a>,
    algorithm: &str,
    provider: &str,
    length: u64,
) -> Option<&'r CaseAnalysis<'a>> {
    run.area(hash::AREA).find(|one| {
        let case = one.case();
        let same = case.algorithm == algorithm && case.operation == "digest" && case.message_length() == Some(length);
        same && case.provider == provider
            && case.output_length().unwrap_or(XOF_OUTPUT) == XOF_OUTPUT
            && one.median().is_some()
    })
}

/// Length in bytes of the XOF outputs that the claims about hash functions assume.
const XOF_OUTPUT: u64 = 32;

pub(super) fn digests(run: &RunAnalysis<'_>, slow: &str, fast: &str) -> Option<Found> {
    let digest_by = |provider| digest(run, "SHA3-256", provider, 16_384);
    let (slow, fast) = (digest_by(slow)?, digest_by(fast)?);
    let ratio = run.ratio(&[fast], &[slow])?.ratio?.ratio;
    Some(Found {
        value: ratio,
        of: format!("{}, {}", slow.case().provider, fast.case().provider),
        caveats: Caveats::merged([&slow.caveats, &fast.caveats]),
    })
}

pub(super) fn cycles_per_byte(run: &RunAnalysis<'_>, algorithm: &str, provider: &str, length: u64) -> Option<Found> {
    let case = digest(run, algorithm, provider, length)?;
    Some(Found::new(case, cycles(case)?.0))
}
