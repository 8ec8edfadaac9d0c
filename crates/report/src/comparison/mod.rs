//! Two runs, or two cases of one run, side by side: how long the one takes over how long the other does, and what can be
//! said of it.
//!
//! - **Paired.** Cases of one block of one start of a run were measured by the same processes in the same rounds. For each process
//!   the medians over the rounds that both have are taken, and the ratio's interval is the one over the processes
//!   ([`ratio_of_pairs`]).
//!   Where they have few rounds in common, or those say something else than the medians that stand beside the ratio, it is
//!   made over all rounds of each.
//! - **Apart.** Everything else was measured by other processes at another time. The interval is Welch's over the processes'
//!   medians, with the spread between runs of this machine added ([`ratio_of_runs`]).
//! - **Verdicts** are made of all ratios at once, corrected for their number ([`pqlab_stats::judge`]). Where a case was
//!   contended and its counterpart was measured apart, none is called faster or slower.

mod differences;
mod json;
mod regression;
mod stars;

pub use differences::{Difference, differences, machines_differ};
pub use regression::{MOST_RUNS, Outcome, Regression, contention_factor, regressions};
pub use stars::pair_by_stars;

use crate::estimates::{Estimates, estimate};
use pqlab_record::{Record, Run, Visit, Visits, Worker};
use pqlab_stats::{
    CONFIDENCE, DEFAULT_MARGIN_PCT, DEFAULT_RUN_SPREAD, Judgement, Ratio, RunSpread, Verdict, judge, median,
    ratio_of_pairs, ratio_of_runs,
};
use std::collections::{BTreeMap, BTreeSet};

/// The share of the visits of each of two cases that must have a counterpart in the other for the rounds in common to speak
/// for both.
const LEAST_COMMON: f64 = 0.5;

/// Paired rounds and medians over all rounds may differ by as much, as a part of the ratio, where the interval is narrower.
const TOLERANCE: f64 = 0.01;

/// Cases of one run have its circumstances in common.
const SAME_RUN: RunSpread = RunSpread { pct: 0.0, degrees_of_freedom: 1_000_000 };

/// By what comparisons are judged, and where that comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Yardstick {
    /// Within this, in percent, two cases are equivalent.
    pub margin_pct: f64,
    /// Where the margin comes from, in words.
    pub margin_source: String,
    /// How far whole runs of the same thing lie apart.
    pub runs: RunSpread,
    /// Where that comes from, in words.
    pub runs_source: String,
}

impl Default for Yardstick {
    /// What is assumed of a machine that was not measured.
    fn default() -> Yardstick {
        Yardstick {
            margin_pct: DEFAULT_MARGIN_PCT,
            margin_source: "assumed: `pqlab doctor --aa` measures this machine's own".into(),
            runs: DEFAULT_RUN_SPREAD,
            runs_source: "assumed: `pqlab doctor --aa` measures this machine's own".into(),
        }
    }
}

/// Two cases, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedCase {
    /// Id of the first case.
    pub first: String,
    /// Id of the second case.
    pub second: String,
    /// Median of the first in ns.
    pub first_ns: Option<f64>,
    /// Median of the second in ns.
    pub second_ns: Option<f64>,
    /// Whether the same processes measured both in the same rounds.
    pub paired: bool,
    /// The second's time over the first's.
    pub ratio: Option<Ratio>,
    /// The verdict.
    pub judgement: Judgement,
    /// Whether either side was contended and both were measured apart: then a difference may be the contention's, and the
    /// verdict is `equivalent` or `inconclusive`.
    pub doubtful: bool,
    /// Whether the second case failed where the first did not.
    pub broken: bool,
    /// What must be known when this is read.
    pub notes: Vec<String>,
}

/// Everything that a comparison says.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Id of the first run.
    pub first_run: String,
    /// Id of the second run; the first again where cases of one run are compared.
    pub second_run: String,
    /// Host and processor of both, where the machines differ.
    pub machines: Option<[String; 2]>,
    /// Everything else in which the environments differ.
    pub differences: Vec<Difference>,
    /// By what it was judged.
    pub yardstick: Yardstick,
    /// Case by case, in the order of the first run.
    pub cases: Vec<ComparedCase>,
    /// Cases that only the first run has.
    pub only_first: Vec<String>,
    /// Cases that only the second run has.
    pub only_second: Vec<String>,
}

impl Comparison {
    /// How many cases have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cases.iter().filter(|case| case.judgement.verdict == verdict).count()
    }

    /// Whether a comparison does not tell.
    pub fn inconclusive(&self) -> bool {
        self.count(Verdict::Inconclusive) > 0
    }

    /// Whether something is slower, or failed where it did not fail before.
    pub fn worse(&self) -> bool {
        self.count(Verdict::Slower) > 0 || self.cases.iter().any(|case| case.broken)
    }
}

/// Compares two runs case by case.
pub fn compare_runs(first: &Run, second: &Run, yardstick: &Yardstick) -> Comparison {
    let ids = |run: &Run| run.records.iter().map(|record| record.case.id()).collect::<BTreeSet<_>>();
    let (ids_first, ids_second) = (ids(first), ids(second));
    let by_id: BTreeMap<String, &Record> = second.records.iter().map(|record| (record.case.id(), record)).collect();
    let pairs: Vec<(&Record, &Record)> =
        first.records.iter().filter_map(|record| Some((record, *by_id.get(&record.case.id())?))).collect();
    let mut comparison = compare(first, second, &pairs, yardstick);
    comparison.only_first = ids_first.difference(&ids_second).cloned().collect();
    comparison.only_second = ids_second.difference(&ids_first).cloned().collect();
    comparison
}

/// Compares pairs of cases: the first of each from the first run, the second from the second, which may be the same one.
pub fn compare(first: &Run, second: &Run, pairs: &[(&Record, &Record)], yardstick: &Yardstick) -> Comparison {
    let same_run = first.header.id == second.header.id;
    let mut cases: Vec<ComparedCase> =
        pairs.iter().map(|(one, two)| compared((first, one), (second, two), same_run, yardstick.runs)).collect();
    let ratios: Vec<Option<Ratio>> = cases.iter().map(|case| case.ratio).collect();
    for (case, judgement) in cases.iter_mut().zip(judge(&ratios, yardstick.margin_pct)) {
        case.judgement = judgement;
        if case.doubtful && matches!(judgement.verdict, Verdict::Faster | Verdict::Slower) {
            case.judgement.verdict = Verdict::Inconclusive;
            case.notes.push(format!("else it would be called {}", judgement.verdict.name()));
        }
    }
    let (one, two) = (&first.header.environment, &second.header.environment);
    Comparison {
        first_run: first.header.id.clone(),
        second_run: second.header.id.clone(),
        machines: machines_differ(one, two).then(|| [one, two].map(differences::machine)),
        differences: differences(&first.header, &second.header),
        yardstick: yardstick.clone(),
        cases,
        only_first: Vec::new(),
        only_second: Vec::new(),
    }
}

fn compared(first: (&Run, &Record), second: (&Run, &Record), same_run: bool, runs: RunSpread) -> ComparedCase {
    let estimates = [first, second].map(|(run, record)| estimate(record, &run.header.protocol));
    let [one, two] = [first.1, second.1];
    let one_block = same_run && one.case.block == two.case.block;
    let same_block = one_block && one.samples.shares_start(&two.samples);
    let mut paired = false;
    let mut notes = Vec::new();
    if one_block && !same_block && estimates.iter().all(Option::is_some) {
        notes.push("measured apart: the run was stopped and gone on with between them".into());
    }
    let ratio = match &estimates {
        [Some(a), Some(b)] => {
            let resolution = step(one, a).max(step(two, b));
            let medians = |of: &Estimates| of.process_medians_ns.iter().map(|(_, median)| *median).collect::<Vec<_>>();
            let apart = |runs| ratio_of_runs(&medians(a), &medians(b), runs, resolution, CONFIDENCE);
            let beside = b.median_ns.estimate / a.median_ns.estimate;
            let ratio = if same_block {
                let ratio = |visits| ratio_of_pairs(&common_medians(one, two, visits), resolution, CONFIDENCE);
                let common = |visits| common_share(one, two, visits) >= LEAST_COMMON;
                // What is left out of each must leave rounds of both.
                let pairs = ratio(Visits::Usable).filter(|_| common(Visits::Usable)).or_else(|| {
                    let all = ratio(Visits::All).filter(|_| common(Visits::All))?;
                    notes.push("disturbed visits count: too few rounds left both alone".into());
                    Some(all)
                });
                let pairs = pairs.filter(|pairs| !pairs.contradicts(beside, TOLERANCE));
                paired = pairs.is_some();
                pairs.or_else(|| {
                    notes.clear();
                    notes.push("mostly measured in rounds of their own: compared over all rounds".into());
                    apart(SAME_RUN)
                })
            } else {
                apart(runs)
            };
            ratio.and_then(|ratio| ratio.around(beside))
        }
        _ => None,
    };
    for (which, record, estimates) in [("first", one, &estimates[0]), ("second", two, &estimates[1])] {
        match (&record.error, estimates) {
            (Some(error), _) => notes.push(format!("the {which} failed: {error}")),
            (None, None) => notes.push(format!("the {which} has no samples")),
            (None, Some(estimates)) => {
                if estimates.contended {
                    notes.push(format!("the {which} was contended"));
                }
                if estimates.drift.is_some_and(|drift| drift.drifting) {
                    notes.push(format!("the {which} drifted while it was measured"));
                }
            }
        }
    }
    if let [Some(a), Some(b)] = &estimates {
        if a.batch != b.batch {
            notes.push(format!("batches of {} and of {} operations", a.batch, b.batch));
        }
        if ratio.is_none() {
            notes.push("fewer than three processes measured both: no interval".into());
        }
    }
    let contended = estimates.iter().flatten().any(|estimates| estimates.contended);
    let [first_ns, second_ns] = estimates.map(|estimates| estimates.map(|estimates| estimates.median_ns.estimate));
    ComparedCase {
        first: one.case.id(),
        second: two.case.id(),
        first_ns,
        second_ns,
        paired,
        ratio,
        judgement: Judgement { verdict: Verdict::Inconclusive, adjusted_p: None },
        doubtful: contended && !same_block,
        broken: one.error.is_none() && two.error.is_some(),
        notes,
    }
}

/// A step of the counter as a part of the median.
fn step(record: &Record, estimates: &Estimates) -> f64 {
    let step_ns = record.samples.ns_per_tick.unwrap_or(1.0) / record.samples.batch as f64;
    if estimates.median_ns.estimate > 0.0 { step_ns / estimates.median_ns.estimate } else { 0.0 }
}

/// The share of the visits of either case, whichever is less, of which the other has one of the same process and round.
fn common_share(first: &Record, second: &Record, visits: Visits) -> f64 {
    let moments = |record: &Record| {
        let visits = visits.of(&record.samples).filter(|visit| !visit.ticks.is_empty());
        visits.map(Visit::moment).collect::<BTreeSet<_>>()
    };
    let (first, second) = (moments(first), moments(second));
    first.intersection(&second).count() as f64 / first.len().max(second.len()).max(1) as f64
}

/// For each process the medians of both cases over the rounds in which it measured both.
fn common_medians(first: &Record, second: &Record, visits: Visits) -> Vec<(f64, f64)> {
    let by_visit = |record: &Record| {
        let visits = visits.of(&record.samples).filter(|visit| !visit.ticks.is_empty());
        let keyed = visits.map(|visit| (visit.moment(), record.samples.ns_per_operation(visit)));
        keyed.collect::<BTreeMap<_, _>>()
    };
    let (first, second) = (by_visit(first), by_visit(second));
    let mut processes: BTreeMap<Worker, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for (moment, samples) in &first {
        if let Some(others) = second.get(moment) {
            let both = processes.entry(moment.worker).or_default();
            both.0.extend(samples);
            both.1.extend(others);
        }
    }
    processes.values().filter_map(|(one, two)| Some((median(one)?, median(two)?))).collect()
}

#[cfg(test)]
mod tests;
