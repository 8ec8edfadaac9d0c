//! What a run has of what is claimed.

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

/// What a run has.
pub(super) struct Found {
    /// In the unit of the claim, times in ns.
    pub(super) value: Interval,
    /// Of which library, or of what.
    pub(super) of: String,
    pub(super) caveats: Caveats,
}

/// The handshake that the report measured.
pub(super) const KEM_ONLY: &str = "kem-only-mlkem512";

impl Found {
    fn of(case: &CaseAnalysis<'_>, value: Interval) -> Found {
        Found { value, of: case.case().provider.clone(), caveats: case.caveats.clone() }
    }

    /// Names the algorithm too.
    fn by_algorithm(case: &CaseAnalysis<'_>, value: Interval) -> Found {
        Found { of: format!("{} by {}", case.case().algorithm, case.case().provider), ..Found::of(case, value) }
    }
}

/// What is counted and not estimated.
pub(super) fn point(value: f64) -> Interval {
    Interval { estimate: value, low: value, high: value, confidence: 1.0, method: IntervalMethod::CrossedT }
}

/// An area, an algorithm and an operation.
pub(super) type Job = (&'static str, &'static str, &'static str);

/// The cases of a job that a filter lets through.
fn cases<'r, 'a>(
    run: &'r RunAnalysis<'a>,
    (area, algorithm, operation): Job,
    suits: impl Fn(&CaseAnalysis<'a>) -> bool,
) -> Vec<&'r CaseAnalysis<'a>> {
    let of_job = |of: &&CaseAnalysis<'a>| {
        let case = of.case();
        case.algorithm == algorithm && case.operation == operation && of.median().is_some() && suits(of)
    };
    let all: Vec<&CaseAnalysis<'a>> = run.area(area).filter(of_job).collect();
    // Messages of one length: the shortest.
    let shortest = all.iter().filter_map(|of| of.case().message_length()).min();
    all.into_iter().filter(|of| of.case().message_length() == shortest).collect()
}

/// Whether it differs from the usual case in where its randomness comes from alone: a cycle is measured in no other way.
fn but_for_randomness(of: &CaseAnalysis<'_>) -> bool {
    let case = of.case();
    let plain = case.has_only(&[Parameter::LENGTH, Parameter::DETERMINISTIC, Parameter::COINS]);
    case.form != Some(Form::Encoded) && plain
}

/// The usual case by the first of these libraries that has one; by the fastest if none is named.
fn one<'r, 'a>(run: &'r RunAnalysis<'a>, job: Job, libraries: &[&str]) -> Option<&'r CaseAnalysis<'a>> {
    let of = |all: Vec<&'r CaseAnalysis<'a>>| {
        if libraries.is_empty() {
            return run.leading(&one_kind(all).cases).first().copied();
        }
        libraries.iter().find_map(|library| all.iter().copied().find(|of| of.case().provider == *library))
    };
    of(cases(run, job, CaseAnalysis::usual)).or_else(|| of(cases(run, job, but_for_randomness)))
}

pub(super) fn time(run: &RunAnalysis<'_>, job: Job, libraries: &[&str]) -> Option<Found> {
    let of = one(run, job, libraries)?;
    Some(Found::of(of, of.median()?))
}

/// Operations a second.
pub(super) fn per_second(run: &RunAnalysis<'_>, job: Job, libraries: &[&str]) -> Option<Found> {
    let of = one(run, job, libraries)?;
    Some(Found::of(of, rate(of, 1.0)?))
}

/// How many times as long the first takes as the second.
pub(super) fn over(run: &RunAnalysis<'_>, first: Job, second: Job, libraries: &[&str]) -> Option<Found> {
    let (first, second) = (one(run, first, libraries)?, one(run, second, libraries)?);
    let ratio = run.ratio(&[second], &[first])?.ratio?.ratio;
    Some(Found {
        value: ratio,
        of: format!("{}, {}", first.case().provider, second.case().provider),
        caveats: Caveats::merged([&first.caveats, &second.caveats]),
    })
}

/// How many times as long one library takes as another for the same job.
pub(super) fn between(run: &RunAnalysis<'_>, job: Job, slow: &str, fast: &str) -> Option<Found> {
    let (slow, fast) = (one(run, job, &[slow])?, one(run, job, &[fast])?);
    let value = run.ratio(&[fast], &[slow])?.ratio?.ratio;
    let of = format!("{}, {}", slow.case().provider, fast.case().provider);
    Some(Found { value, of, caveats: Caveats::merged([&slow.caveats, &fast.caveats]) })
}

/// The combiner of the document's own hybrid, by the pair whose whole is the fastest.
pub(super) fn combiner(run: &RunAnalysis<'_>, operation: &str) -> Option<Found> {
    let own = |case: &Case| case.algorithm == "X25519+ML-KEM-768" && case.operation == operation;
    let found = decompositions(run).into_iter().filter(|of| own(&of.hybrid.case));
    let of = found.min_by(|one, other| one.hybrid_ns.total_cmp(&other.hybrid_ns))?;
    Some(Found { value: of.combiner_ns(), of: of.hybrid.case.provider.clone(), caveats: of.caveats })
}

/// The hybrid that the document loads.
const LOADED: &str = "X25519+ML-KEM-768";

/// Its load of most throughput, with its case.
fn loaded<'r, 'a>(run: &'r RunAnalysis<'a>, tasks: u64) -> Option<(LoadFigures, &'r CaseAnalysis<'a>)> {
    let entries = loads(run).into_iter().filter(|entry| entry.tasks == tasks);
    let with_case = entries.filter_map(|entry| {
        let of = run.area(hybrid::AREA).find(|of| of.case().id() == entry.id)?;
        (of.case().operation == "handshake-load" && of.case().algorithm == LOADED).then_some((entry, of))
    });
    with_case.max_by(|one, other| one.0.rate.estimate.total_cmp(&other.0.rate.estimate))
}

pub(super) fn load(run: &RunAnalysis<'_>, tasks: u64) -> Option<Found> {
    let (_, of) = loaded(run, tasks)?;
    Some(Found::by_algorithm(of, rate(of, 1.0)?))
}

/// Throughput against that of another load, in percent.
pub(super) fn loss(run: &RunAnalysis<'_>, tasks: u64, against: fn(&LoadFigures) -> Option<Interval>) -> Option<Found> {
    let (entry, of) = loaded(run, tasks)?;
    Some(Found::by_algorithm(of, against(&entry)?))
}

pub(super) fn variation(run: &RunAnalysis<'_>, job: Job) -> Option<Found> {
    let of = one(run, job, &[])?;
    Some(Found::of(of, point(of.estimates.as_ref()?.operations()?.cov_pct?)))
}

/// CoV of the fingerprint of a hybrid's public key, of whichever hybrid is the fastest.
pub(super) fn fingerprint(run: &RunAnalysis<'_>) -> Option<Found> {
    let all: Vec<&CaseAnalysis<'_>> =
        run.area(hybrid::AREA).filter(|of| of.case().operation == "fingerprint" && of.median().is_some()).collect();
    let of = run.leading(&all).first().copied()?;
    Some(Found::by_algorithm(of, point(of.estimates.as_ref()?.operations()?.cov_pct?)))
}

pub(super) fn lengths(
    run: &RunAnalysis<'_>,
    algorithm: &str,
    figure: fn(&pqlab_stats::Description) -> Option<f64>,
) -> Option<Found> {
    let (of, lengths) = most_lengths(run, algorithm)?;
    let found = Found::of(of, point(figure(lengths)?));
    let signatures = crate::number::grouped(lengths.n as u64);
    Some(Found { of: format!("{signatures} by {}", of.case().provider), ..found })
}

/// What the most threads with a processor each gain over one.
fn most_threads(run: &RunAnalysis<'_>, name: &str) -> Option<ScalingFigures> {
    let several = scaling(run).into_iter().filter(|of| of.name == name && of.threads > 1 && !of.oversubscribed);
    several.filter(|of| of.provider != NULL).max_by_key(|of| of.threads)
}

fn of_threads(
    run: &RunAnalysis<'_>,
    name: &str,
    figure: fn(&ScalingFigures) -> Option<(Interval, f64)>,
) -> Option<Found> {
    let entry = most_threads(run, name)?;
    let (ratio, scale) = figure(&entry)?;
    let case = run.cases().iter().find(|of| of.case().id() == entry.id)?;
    let value = scaled(&ratio, scale);
    Some(Found { of: format!("{} on {} cores", entry.provider, entry.threads), ..Found::of(case, value) })
}

pub(super) fn gain(run: &RunAnalysis<'_>, name: &str) -> Option<Found> {
    of_threads(run, name, |entry| Some((entry.speed_up?, 1.0)))
}

pub(super) fn efficiency(run: &RunAnalysis<'_>, name: &str) -> Option<Found> {
    of_threads(run, name, |entry| Some((entry.efficiency?, 100.0)))
}

/// The block of 100 of ML-DSA-65 that is the most like the document's.
pub(super) fn block<'r, 'a>(run: &'r RunAnalysis<'a>) -> Option<&'r CaseAnalysis<'a>> {
    let blocks = run.area(ledger::AREA).filter(|of| {
        let case = of.case();
        case.operation == "verify-block" && case.transactions() == Some(100) && case.algorithm.ends_with("ML-DSA-65")
    });
    let ranked: Vec<_> = blocks.filter_map(|of| Some((ledger::rank(of.case())?, of))).collect();
    let typical = ranked.iter().map(|(rank, _)| *rank).min()?;
    let same: Vec<&CaseAnalysis<'a>> = ranked.iter().filter(|(rank, _)| *rank == typical).map(|(_, of)| *of).collect();
    run.leading(&same).first().copied()
}

pub(super) fn transaction(of: &CaseAnalysis<'_>) -> Option<Found> {
    let (median, transactions) = (of.median()?, transactions_verified(of.case())? as f64);
    let each = |time: f64| time / transactions;
    let value = Interval { estimate: each(median.estimate), low: each(median.low), high: each(median.high), ..median };
    Some(Found::by_algorithm(of, value))
}

/// Transactions a second of a block.
pub(super) fn transactions_per_second(of: &CaseAnalysis<'_>) -> Option<Found> {
    Some(Found::by_algorithm(of, rate(of, transactions_verified(of.case())? as f64)?))
}

/// An operation of the document's own form of a transaction, else of ours.
pub(super) fn reference_ledger(run: &RunAnalysis<'_>, operation: &str) -> Option<Found> {
    ["TXv1-ML-DSA-65", "ML-DSA-65"].into_iter().find_map(|algorithm| {
        let suits = |of: &&CaseAnalysis<'_>| {
            let case = of.case();
            case.algorithm == algorithm && case.operation == operation && of.median().is_some()
        };
        let all: Vec<&CaseAnalysis<'_>> = run.area(ledger::AREA).filter(suits).collect();
        let of = run.leading(&all).first().copied()?;
        Some(Found::by_algorithm(of, of.median()?))
    })
}

/// The fastest of a handshake's pairs of libraries, and a figure of it.
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

/// A figure of the lengths of a handshake's two messages and of those of classical ntor.
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
    run.area(hash::AREA).find(|of| {
        let case = of.case();
        let same = case.algorithm == algorithm && case.operation == "digest" && case.message_length() == Some(length);
        same && case.provider == provider
            && case.output_length().unwrap_or(XOF_OUTPUT) == XOF_OUTPUT
            && of.median().is_some()
    })
}

/// Bytes that the document squeezes out of an XOF.
const XOF_OUTPUT: u64 = 32;

pub(super) fn digests(run: &RunAnalysis<'_>, slow: &str, fast: &str) -> Option<Found> {
    let of = |provider| digest(run, "SHA3-256", provider, 16_384);
    let (slow, fast) = (of(slow)?, of(fast)?);
    let ratio = run.ratio(&[fast], &[slow])?.ratio?.ratio;
    Some(Found {
        value: ratio,
        of: format!("{}, {}", slow.case().provider, fast.case().provider),
        caveats: Caveats::merged([&slow.caveats, &fast.caveats]),
    })
}

pub(super) fn cycles_per_byte(run: &RunAnalysis<'_>, algorithm: &str, provider: &str, length: u64) -> Option<Found> {
    let of = digest(run, algorithm, provider, length)?;
    Some(Found::of(of, cycles(of)?.0))
}
