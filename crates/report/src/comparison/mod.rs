//! Two runs, or two cases of one run, side by side: how long the one takes over how long the other does, and what can be
//! said of it.
//!
//! - **Unit.** Core cycles are judged where both cases have them ([`Judged`]), else the time: the core's clock is not what
//!   software decides. The ratio of the times stands beside the one of the cycles.
//! - **Paired.** Cases of one block of one start of a run were measured by the same processes in the same rounds. The ratio's
//!   interval is the one over the ratios of their visits, by process and round ([`ratio_crossed`]); what tells runs apart
//!   cancels out. Where they have few rounds in common, or those say something else than the medians that stand beside the
//!   ratio, it is made over all rounds of each.
//! - **Apart.** Everything else was measured by other processes at another time. The interval is the one of the difference of
//!   both cases' means over processes and rounds, with the spread between runs added ([`ratio_between`]).
//! - **Verdicts** are made of all ratios at once, corrected for their number ([`pqlab_stats::judge`]). Where a case was
//!   contended and its counterpart was measured apart, none is called faster or slower.

mod differences;
mod json;
mod regression;
mod stars;

pub use differences::{Difference, differences, machines_differ};
pub use regression::{MOST_RUNS, Outcome, Regression, contention_factor, regressions};
pub use stars::pair_by_stars;

use crate::estimates::{Estimates, crossed_of, estimate};
use pqlab_record::{Case, CyclesSource, Moment, Record, Run, RunSpreads, Unit, Visit, Visits};
use pqlab_stats::{
    CONFIDENCE, DEFAULT_MARGIN_PCT, Judgement, PairedCell, Ratio, RunSpread, Verdict, judge, median, ratio_between,
    ratio_crossed,
};
use std::collections::{BTreeMap, BTreeSet};

/// The share of the visits of each of two cases that must have a counterpart in the other for the rounds in common to speak
/// for both.
const LEAST_COMMON: f64 = 0.5;

/// Paired rounds and medians over all rounds may differ by as much, as a part of the ratio, where the interval is narrower.
const TOLERANCE: f64 = 0.01;

/// Cases of one run have its circumstances in common.
const SAME_RUN: RunSpread = RunSpread { pct: 0.0, degrees_of_freedom: 1_000_000 };

/// In which unit cases are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judged {
    /// In core cycles where both cases have them, else in time.
    #[default]
    Auto,
    /// In time.
    Time,
    /// In core cycles; cases without them are inconclusive.
    Cycles,
}

impl Judged {
    /// The word that command lines carry.
    pub fn name(self) -> &'static str {
        match self {
            Judged::Auto => "auto",
            Judged::Time => "time",
            Judged::Cycles => "cycles",
        }
    }
}

/// The word for a unit that files carry.
fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Nanoseconds => "time",
        Unit::CoreCycles => "cycles",
    }
}

/// By what comparisons are judged, and where that comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Yardstick {
    /// In which unit.
    pub judged: Judged,
    /// Within this, in percent, two cases are equivalent.
    pub margin_pct: f64,
    /// Where the margin comes from, in words.
    pub margin_source: String,
    /// How far times of whole runs of the same thing lie apart; `None` for what was stored with the runs.
    pub runs_time: Option<RunSpread>,
    /// How far their core cycles do; likewise.
    pub runs_cycles: Option<RunSpread>,
    /// Where these come from, in words.
    pub runs_source: String,
}

impl Default for Yardstick {
    /// What is assumed of a machine that was not measured.
    fn default() -> Yardstick {
        Yardstick {
            judged: Judged::Auto,
            margin_pct: DEFAULT_MARGIN_PCT,
            margin_source: "assumed: `pqlab doctor --aa` measures this machine's own".into(),
            runs_time: None,
            runs_cycles: None,
            runs_source: String::new(),
        }
    }
}

impl Yardstick {
    /// With what is stored with two runs, the larger of the two, where it does not say itself how far runs lie apart.
    fn of(&self, first: &Run, second: &Run) -> Yardstick {
        let stored = |pct: fn(&RunSpreads) -> f64| {
            let [one, two] = [first, second].map(|run| &run.header.protocol.run_spreads);
            let larger = if pct(two) > pct(one) { two } else { one };
            let known = usize::try_from(larger.degrees_of_freedom).unwrap_or(usize::MAX);
            (RunSpread { pct: pct(larger), degrees_of_freedom: known }, larger.source.clone())
        };
        let (time, source) = stored(|spreads| spreads.time_pct);
        let (cycles, _) = stored(|spreads| spreads.cycles_pct);
        let own = self.runs_time.is_some() || self.runs_cycles.is_some();
        Yardstick {
            runs_time: self.runs_time.or(Some(time)),
            runs_cycles: self.runs_cycles.or(Some(cycles)),
            runs_source: if own { self.runs_source.clone() } else { source },
            ..self.clone()
        }
    }

    /// How far whole runs lie apart in a unit; not at all where nothing is known.
    pub fn runs(&self, unit: Unit) -> RunSpread {
        let known = match unit {
            Unit::Nanoseconds => self.runs_time,
            Unit::CoreCycles => self.runs_cycles,
        };
        known.unwrap_or(SAME_RUN)
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
    /// In which unit it was judged.
    pub unit: Unit,
    /// Median core cycles of the first, where they are known.
    pub first_cycles: Option<f64>,
    /// Median core cycles of the second, likewise.
    pub second_cycles: Option<f64>,
    /// The second's figure over the first's, in the unit judged.
    pub ratio: Option<Ratio>,
    /// The second's time over the first's.
    pub time_ratio: Option<Ratio>,
    /// The verdict.
    pub judgement: Judgement,
    /// Whether either side was contended and both were measured apart: then a difference may be the contention's, and the
    /// verdict is `equivalent` or `inconclusive`.
    pub doubtful: bool,
    /// Whether the second case failed where the first did not.
    pub broken: bool,
    /// Whether the two do different kinds of work, of which no verdict is given.
    pub unlike: bool,
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
    /// Cases that go by one name without the encoding of the private key and were not compared, because the runs loaded or wrote
    /// it in different ones.
    pub other_encodings: Vec<String>,
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

/// Compares two runs case by case. A case of before is paired with the one of today that does the same work.
pub fn compare_runs(first: &Run, second: &Run, yardstick: &Yardstick) -> Comparison {
    let by_id = |run: &'_ Run| -> BTreeMap<String, usize> {
        run.records.iter().enumerate().map(|(index, record)| (record.case.lasting_id(), index)).collect()
    };
    let (ids_first, ids_second) = (by_id(first), by_id(second));
    let pair = |record: &Record| ids_second.get(&record.case.lasting_id()).copied();
    let pairs: Vec<(&Record, &Record)> =
        first.records.iter().filter_map(|record| Some((record, &second.records[pair(record)?]))).collect();
    let mut comparison = compare(first, second, &pairs, yardstick);
    let only = |run: &Run, own: &BTreeMap<String, usize>, other: &BTreeMap<String, usize>| -> BTreeSet<String> {
        let missing = own.iter().filter(|(id, _)| !other.contains_key(*id));
        missing.map(|(_, &index)| run.records[index].case.id()).collect()
    };
    comparison.only_first = only(first, &ids_first, &ids_second).into_iter().collect();
    comparison.only_second = only(second, &ids_second, &ids_first).into_iter().collect();
    comparison.other_encodings = other_encodings(first, second, &comparison);
    comparison
}

/// Of the cases that one run alone has, those that the other has with its private key in another encoding.
fn other_encodings(first: &Run, second: &Run, comparison: &Comparison) -> Vec<String> {
    let alone = |run: &Run, ids: &[String]| -> Vec<Case> {
        let cases = run.records.iter().map(|record| &record.case);
        cases.filter(|case| ids.contains(&case.id())).map(Case::today).collect()
    };
    let others = alone(second, &comparison.only_second);
    let keys = |case: &Case| case.key().map(|key| format!("key={key}"));
    let said = alone(first, &comparison.only_first).into_iter().filter_map(|case| {
        let same = others.iter().filter(|other| other.id_without_key() == case.id_without_key());
        let there: Vec<String> = same.filter_map(keys).collect();
        let here = keys(&case).filter(|_| !there.is_empty())?;
        Some(format!("{}: {here} in the first run, {} in the second", case.id_without_key(), there.join(" and ")))
    });
    said.collect()
}

/// Compares pairs of cases: the first of each from the first run, the second from the second, which may be the same one.
pub fn compare(first: &Run, second: &Run, pairs: &[(&Record, &Record)], yardstick: &Yardstick) -> Comparison {
    let same_run = first.header.id == second.header.id;
    let yardstick = yardstick.of(first, second);
    let mut cases: Vec<ComparedCase> =
        pairs.iter().map(|(one, two)| compared((first, one), (second, two), same_run, &yardstick)).collect();
    let ratios: Vec<Option<Ratio>> = cases.iter().map(|case| case.ratio.filter(|_| !case.unlike)).collect();
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
        yardstick,
        cases,
        only_first: Vec::new(),
        only_second: Vec::new(),
        other_encodings: Vec::new(),
    }
}

fn compared(first: (&Run, &Record), second: (&Run, &Record), same_run: bool, yardstick: &Yardstick) -> ComparedCase {
    let estimates = [first, second].map(|(run, record)| estimate(record, &run.header.protocol));
    let [one, two] = [first.1, second.1];
    let one_block = same_run && one.case.block == two.case.block;
    let same_block = one_block && one.samples.shares_start(&two.samples);
    let mut notes = Vec::new();
    if one_block && !same_block && estimates.iter().all(Option::is_some) {
        notes.push("measured apart: the run was stopped and gone on with between them".into());
    }
    let [now_one, now_two] = [one, two].map(|record| record.case.today());
    for (which, record, now) in [("first", one, &now_one), ("second", two, &now_two)] {
        if let Some(key) = now.key().filter(|_| record.case.key().is_none()) {
            notes.push(format!("the {which} is of before, when ids did not say the key's encoding: it was key={key}"));
        }
    }
    let unlike = !now_one.comparable(&now_two);
    if unlike {
        let said = |case: &Case| Some(case.kind().to_string()).filter(|kind| !kind.is_empty());
        let [first, second] = [&now_one, &now_two].map(|case| said(case).unwrap_or_else(|| "the usual".into()));
        notes.push(format!("different kinds of work, no verdict: {first} against {second}"));
    }
    let cycles = estimates.each_ref().map(|of| of.as_ref().and_then(|of| of.cycles));
    let both_cycles = cycles.iter().all(Option::is_some);
    let unit = match yardstick.judged {
        Judged::Auto if both_cycles => Unit::CoreCycles,
        Judged::Cycles => Unit::CoreCycles,
        Judged::Auto | Judged::Time => Unit::Nanoseconds,
    };
    let (mut judged, mut time) = (Found::default(), Found::default());
    if let [Some(a), Some(b)] = &estimates {
        let found = |unit| found((one, a), (two, b), same_block, unit, yardstick.runs(unit));
        time = found(Unit::Nanoseconds);
        judged = if unit == Unit::Nanoseconds { time.clone() } else { found(unit) };
        notes.append(&mut judged.notes);
        if unit == Unit::CoreCycles && !both_cycles {
            notes.push("core cycles of both are not known".into());
        } else if judged.ratio.is_none() {
            notes.push("a figure is zero: no interval".into());
        }
    }
    let sources = cycles.map(|of| of.map(|of| of.source));
    if unit == Unit::CoreCycles && both_cycles && sources[0] != sources[1] {
        let said = |source| if source == Some(CyclesSource::Counter) { "counted" } else { "estimated" };
        notes.push(format!("core cycles {} of the first, {} of the second", said(sources[0]), said(sources[1])));
    }
    for (which, record, estimates) in [("first", one, &estimates[0]), ("second", two, &estimates[1])] {
        match (&record.error, estimates) {
            (Some(error), _) => notes.push(format!("the {which} failed: {error}")),
            (None, None) => notes.push(format!("the {which} has no samples")),
            (None, Some(estimates)) => {
                if estimates.contended {
                    notes.push(format!("the {which} was shared"));
                }
                if estimates.drift.is_some_and(|drift| drift.drifting) {
                    notes.push(format!("the {which} drifted while it was measured"));
                }
            }
        }
    }
    if let [Some(a), Some(b)] = &estimates
        && a.batch != b.batch
    {
        notes.push(format!("batches of {} and of {} operations", a.batch, b.batch));
    }
    let contended = estimates.iter().flatten().any(|estimates| estimates.contended);
    let [first_ns, second_ns] = estimates.map(|estimates| estimates.map(|estimates| estimates.median_ns.estimate));
    let [first_cycles, second_cycles] = cycles.map(|of| of.map(|of| of.median.estimate));
    ComparedCase {
        first: one.case.id(),
        second: two.case.id(),
        first_ns,
        second_ns,
        first_cycles,
        second_cycles,
        paired: judged.paired,
        unit,
        ratio: judged.ratio,
        time_ratio: time.ratio,
        judgement: Judgement { verdict: Verdict::Inconclusive, adjusted_p: None },
        doubtful: contended && !same_block,
        broken: one.error.is_none() && two.error.is_some(),
        unlike,
        notes,
    }
}

/// A ratio in one unit, how it was found, and what must be known of it.
#[derive(Clone, Debug, Default)]
struct Found {
    ratio: Option<Ratio>,
    paired: bool,
    notes: Vec<String>,
}

fn found(
    (one, a): (&Record, &Estimates),
    (two, b): (&Record, &Estimates),
    same_block: bool,
    unit: Unit,
    runs: RunSpread,
) -> Found {
    let mut found = Found::default();
    let (Some(first), Some(second)) = (headline(a, unit), headline(b, unit)) else { return found };
    let resolution = (step(one, unit) / first).max(step(two, unit) / second);
    let apart = |runs| {
        let crossed = |record: &Record| crossed_of(&record.samples.values(unit, Visits::Usable)?);
        ratio_between(&crossed(one)?, &crossed(two)?, runs, resolution, CONFIDENCE)
    };
    let beside = second / first;
    let ratio = if same_block {
        let common = |visits| {
            let enough = common_share(one, two, visits) >= LEAST_COMMON;
            enough.then(|| ratio_crossed(&common_cells(one, two, unit, visits), resolution, CONFIDENCE)).flatten()
        };
        // What is left out of each must leave rounds of both.
        let pairs = common(Visits::Usable).or_else(|| {
            let all = common(Visits::All)?;
            found.notes.push("disturbed visits count: too few rounds left both alone".into());
            Some(all)
        });
        let pairs = pairs.filter(|pairs| !pairs.contradicts(beside, TOLERANCE));
        found.paired = pairs.is_some();
        pairs.or_else(|| {
            found.notes = vec!["mostly measured in rounds of their own: compared over all rounds".into()];
            apart(SAME_RUN)
        })
    } else {
        apart(runs)
    };
    found.ratio = ratio.and_then(|ratio| ratio.around(beside));
    found
}

/// The median in a unit; `None` where it is not known, or zero.
fn headline(estimates: &Estimates, unit: Unit) -> Option<f64> {
    let median = match unit {
        Unit::Nanoseconds => estimates.median_ns.estimate,
        Unit::CoreCycles => estimates.cycles?.median.estimate,
    };
    (median > 0.0).then_some(median)
}

/// A step of the counter in a unit, as far as an operation is concerned.
fn step(record: &Record, unit: Unit) -> f64 {
    let samples = &record.samples;
    let step_ns = samples.ns_per_tick.unwrap_or(1.0) / samples.batch as f64;
    match (unit, samples.cycles_source()) {
        (Unit::Nanoseconds, _) => step_ns,
        (Unit::CoreCycles, CyclesSource::Counter) => 1.0 / samples.batch as f64,
        (Unit::CoreCycles, CyclesSource::Estimated) => {
            let clocks: Vec<f64> = samples.usable().map(|visit| visit.clock_hz).collect();
            step_ns * median(&clocks).unwrap_or(0.0) / 1e9
        }
    }
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

/// The medians of both cases in each round in which a process measured both.
fn common_cells(first: &Record, second: &Record, unit: Unit, visits: Visits) -> Vec<PairedCell> {
    let by_moment = |record: &Record| {
        let visits = record.samples.values(unit, visits).unwrap_or_default();
        visits.into_iter().filter_map(|(moment, values)| Some((moment, median(&values)?))).collect::<Vec<_>>()
    };
    let seconds: BTreeMap<Moment, f64> = by_moment(second).into_iter().collect();
    let pair = |(moment, first): (Moment, f64)| {
        let (process, round) = moment.numbers();
        Some(PairedCell { process, round, first, second: *seconds.get(&moment)? })
    };
    by_moment(first).into_iter().filter_map(pair).collect()
}

#[cfg(test)]
mod tests;
