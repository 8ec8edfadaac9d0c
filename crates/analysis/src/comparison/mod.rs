//! How long one thing takes over how long another does, and what can be said of it: two runs, two cases, or sums of cases.
//! [`ratio`] is the one function that says so; comparisons of runs, rankings, findings, factors, speed-ups and what a hybrid
//! costs beyond its halves are all made of it.
//!
//! - **Unit.** Core cycles are judged where both sides have them ([`Judged`]), else the time: the core's clock is not what
//!   software decides. A comparison shows the ratio of the times beside the one of the cycles.
//! - **Statistic.** Medians are compared; means if one side's operation repeats by chance, such as signing with ML-DSA
//!   ([`pqlab_record::Case::repeats_by_chance`]), or is a sum of several.
//! - **Paired.** Cases of one block of one start of a run were measured by the same processes in the same rounds. The ratio's
//!   interval is the one over the ratios of their visits, by process and round; what tells runs apart cancels out. Where they
//!   have few rounds in common, or those say something else than the medians that stand beside the ratio, it is made over all
//!   rounds of each.
//! - **Apart.** Everything else was measured by other processes at another time. The interval is the one of the difference of
//!   both cases' means over processes and rounds, with the spread between runs added.
//! - **Verdicts.** Two runs are judged case by case, corrected for the number of cases ([`pqlab_stats::judge`]). Cases of one
//!   run are judged pair by pair, each by itself and by one [margin](ComparisonCriteria::within): so a pair gets the same word wherever it
//!   is shown and whatever stands beside it. To be called the [fastest](Standing::Fastest) a case must beat every rival, which
//!   needs no correction for their number (Berger, "Multiparameter Hypothesis Testing and Acceptance Sampling", Technometrics
//!   24 (1982)). Where a case was contended and its counterpart was measured apart, none is called faster or slower.

mod answer;
mod differences;
mod json;
mod measured;
mod ranking;
mod ratio;
mod regression;
mod stars;

pub use differences::{Difference, differences, differences_of_builds};
pub(crate) use measured::common_statistic;
pub use measured::{Figure, Measured, NotRanked};
pub(crate) use ranking::standings;
pub use ranking::{Ranking, Standing, ranking};
pub use ratio::{Compared, ratio, total};
pub(crate) use ratio::{ratio_apart, ratio_by, total_in};
pub use regression::{MOST_RUNS, Outcome, Regression, contention_factor, regressions};
pub use stars::pair_by_stars;

use crate::case::CaseAnalysis;
use crate::estimates::run_spread;
use crate::run::RunAnalysis;
use crate::series::SeriesComparison;
use pqlab_record::{Case, RunHeader, RunSpreads, Statistic, Unit};
use pqlab_stats::{DEFAULT_MARGIN_PCT, Judgement, Ratio, RunSpread, Verdict, judge};
use std::collections::BTreeMap;

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
pub struct ComparisonCriteria {
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

impl Default for ComparisonCriteria {
    /// What is assumed of a machine that was not measured.
    fn default() -> ComparisonCriteria {
        ComparisonCriteria {
            judged: Judged::Auto,
            margin_pct: DEFAULT_MARGIN_PCT,
            margin_source: "assumed: `pqlab doctor --aa` measures this machine's own".into(),
            runs_time: None,
            runs_cycles: None,
            runs_source: String::new(),
        }
    }
}

impl ComparisonCriteria {
    /// By what cases of one run are compared with each other, wherever that is shown: how far runs lie apart is stored with the
    /// run, and the margin is the one for any machine, since what whole runs differ by is no part of it.
    pub fn within(run: &RunHeader) -> ComparisonCriteria {
        let plain =
            ComparisonCriteria { margin_source: "for cases of one run".into(), ..ComparisonCriteria::default() };
        plain.between(&run.protocol.run_spreads, &run.protocol.run_spreads)
    }

    /// In another unit.
    pub fn judged_in(self, judged: Judged) -> ComparisonCriteria {
        ComparisonCriteria { judged, ..self }
    }

    /// With what is stored with two runs, the larger of the two, where it does not say itself how far runs lie apart.
    pub(crate) fn between(&self, first: &RunSpreads, second: &RunSpreads) -> ComparisonCriteria {
        let stored = |unit: Unit| {
            let [one, two] = [first, second].map(|spreads| (run_spread(spreads, unit), &spreads.source));
            if two.0.pct > one.0.pct { two } else { one }
        };
        let ((time, source), (cycles, _)) = (stored(Unit::Nanoseconds), stored(Unit::CoreCycles));
        let own = self.runs_time.is_some() || self.runs_cycles.is_some();
        ComparisonCriteria {
            runs_time: self.runs_time.or(Some(time)),
            runs_cycles: self.runs_cycles.or(Some(cycles)),
            runs_source: if own { &self.runs_source } else { source }.clone(),
            ..self.clone()
        }
    }

    /// With the larger spread between runs of two, in each unit.
    pub(crate) fn wider(self, other: ComparisonCriteria) -> ComparisonCriteria {
        let larger = |one: Option<RunSpread>, two: Option<RunSpread>| match (one, two) {
            (Some(one), Some(two)) if two.pct > one.pct => Some(two),
            (one, two) => one.or(two),
        };
        let (runs_time, runs_cycles) =
            (larger(self.runs_time, other.runs_time), larger(self.runs_cycles, other.runs_cycles));
        ComparisonCriteria { runs_time, runs_cycles, ..self }
    }

    /// How far whole runs lie apart in a unit; not at all where nothing is known.
    pub fn runs(&self, unit: Unit) -> RunSpread {
        let known = match unit {
            Unit::Nanoseconds => self.runs_time,
            Unit::CoreCycles => self.runs_cycles,
        };
        known.unwrap_or(RunSpread::NONE)
    }
}

/// Two cases, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedCase {
    /// Id of the first case.
    pub first: String,
    /// Id of the second case.
    pub second: String,
    /// The statistic that both are compared by.
    pub statistic: Statistic,
    /// Time of the first in ns.
    pub first_ns: Option<f64>,
    /// Time of the second in ns.
    pub second_ns: Option<f64>,
    /// Whether the same processes measured both in the same rounds.
    pub paired: bool,
    /// In which unit it was judged.
    pub unit: Unit,
    /// Core cycles of the first, if they are known.
    pub first_cycles: Option<f64>,
    /// Core cycles of the second, if they are known.
    pub second_cycles: Option<f64>,
    /// The second's figure over the first's, in the unit judged.
    pub ratio: Option<Ratio>,
    /// The second's time over the first's.
    pub time_ratio: Option<Ratio>,
    /// What the reference's statistics say of the samples, taken as independent; no verdict is made of it.
    pub means: Option<SeriesComparison>,
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
    pub criteria: ComparisonCriteria,
    /// Case by case, in the order of the first run.
    pub cases: Vec<ComparedCase>,
    /// Whether verdicts are corrected for the number of cases.
    pub corrected: bool,
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

/// Compares two runs case by case, without what the harness itself costs.
pub fn compare_runs(first: &RunAnalysis<'_>, second: &RunAnalysis<'_>, criteria: &ComparisonCriteria) -> Comparison {
    let (ours, theirs) = (by_id(first), by_id(second));
    let in_order = first.cases().iter().filter(|case| !case.is_floor());
    let pairs = in_order.filter_map(|case| Some((case, *theirs.get(&case.case().id())?)));
    let mut comparison = compared_pairs(first, second, &pairs.collect::<Vec<_>>(), criteria, true);
    comparison.only_first = only(&ours, &theirs);
    comparison.only_second = only(&theirs, &ours);
    comparison.other_encodings = other_encodings(first, second, &comparison);
    comparison
}

/// Cases by their ids.
type ById<'r, 'a> = BTreeMap<String, &'r CaseAnalysis<'a>>;

fn by_id<'r, 'a>(run: &'r RunAnalysis<'a>) -> ById<'r, 'a> {
    let cases = run.cases().iter().filter(|case| !case.is_floor());
    cases.map(|case| (case.case().id(), case)).collect()
}

/// The ids of those that the other run has not, sorted.
fn only(own: &ById<'_, '_>, other: &ById<'_, '_>) -> Vec<String> {
    own.keys().filter(|id| !other.contains_key(*id)).cloned().collect()
}

/// Of the cases that one run alone has, those that the other has with its private key in another encoding.
fn other_encodings(first: &RunAnalysis<'_>, second: &RunAnalysis<'_>, comparison: &Comparison) -> Vec<String> {
    let alone = |run: &RunAnalysis<'_>, ids: &[String]| -> Vec<Case> {
        let cases = run.cases().iter().map(CaseAnalysis::case);
        cases.filter(|case| ids.contains(&case.id())).cloned().collect()
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

/// Compares pairs of cases: the first of each from the first run, the second from the second. Where that is the same run each
/// pair is judged by itself.
pub fn compare(
    first: &RunAnalysis<'_>,
    second: &RunAnalysis<'_>,
    pairs: &[(&CaseAnalysis<'_>, &CaseAnalysis<'_>)],
    criteria: &ComparisonCriteria,
) -> Comparison {
    let corrected = first.run.header.id != second.run.header.id;
    compared_pairs(first, second, pairs, criteria, corrected)
}

fn compared_pairs(
    first: &RunAnalysis<'_>,
    second: &RunAnalysis<'_>,
    pairs: &[(&CaseAnalysis<'_>, &CaseAnalysis<'_>)],
    criteria: &ComparisonCriteria,
    corrected: bool,
) -> Comparison {
    let (first, second) = (&first.run.header, &second.run.header);
    let criteria = criteria.between(&first.protocol.run_spreads, &second.protocol.run_spreads);
    let mut cases: Vec<ComparedCase> = pairs.iter().map(|(one, two)| compared(one, two, &criteria)).collect();
    let ratios: Vec<Option<Ratio>> = cases.iter().map(|case| case.ratio.filter(|_| !case.unlike)).collect();
    let judgements = match corrected {
        true => judge(&ratios, criteria.margin_pct),
        false => ratios.iter().flat_map(|ratio| judge(&[*ratio], criteria.margin_pct)).collect(),
    };
    for (case, judgement) in cases.iter_mut().zip(judgements) {
        case.judgement = judgement;
        if case.doubtful && matches!(judgement.verdict, Verdict::Faster | Verdict::Slower) {
            case.judgement.verdict = Verdict::Inconclusive;
            case.notes.push(format!("else it would be called {}", judgement.verdict.name()));
        }
    }
    let (one, two) = (&first.environment, &second.environment);
    Comparison {
        first_run: first.id.clone(),
        second_run: second.id.clone(),
        machines: differences::machines_differ(one, two).then(|| [one, two].map(differences::machine)),
        differences: differences(first, second),
        criteria,
        cases,
        corrected,
        only_first: Vec::new(),
        only_second: Vec::new(),
        other_encodings: Vec::new(),
    }
}

fn compared(first: &CaseAnalysis<'_>, second: &CaseAnalysis<'_>, criteria: &ComparisonCriteria) -> ComparedCase {
    let sides = [first, second].map(|of| of.measured().into_iter().collect::<Vec<_>>());
    let statistic = common_statistic(&[&sides[0], &sides[1]]);
    let time = |of: &CaseAnalysis<'_>| Some(of.estimates.as_ref()?.time(statistic).estimate);
    let cycles = |of: &CaseAnalysis<'_>| Some(of.estimates.as_ref()?.cycles?.by(statistic).estimate);
    let mut case = ComparedCase {
        first: first.case().id(),
        second: second.case().id(),
        statistic,
        first_ns: time(first),
        second_ns: time(second),
        first_cycles: cycles(first),
        second_cycles: cycles(second),
        paired: false,
        unit: if criteria.judged == Judged::Cycles { Unit::CoreCycles } else { Unit::Nanoseconds },
        ratio: None,
        time_ratio: None,
        means: SeriesComparison::of_cases(first, second),
        judgement: Judgement { verdict: Verdict::Inconclusive, adjusted_p: None },
        doubtful: false,
        broken: first.record.error.is_none() && second.record.error.is_some(),
        unlike: !first.case().comparable(second.case()),
        notes: Vec::new(),
    };
    if case.unlike {
        let said = |of: &CaseAnalysis<'_>| Some(of.case().kind().to_string()).filter(|kind| !kind.is_empty());
        let [one, two] = [first, second].map(|of| said(of).unwrap_or_else(|| "the usual".into()));
        case.notes.push(format!("different kinds of work, no verdict: {one} against {two}"));
    }
    if let (Some(one), Some(two)) = (first.measured(), second.measured()) {
        let found = ratio(&[one], &[two], criteria);
        case.time_ratio = match found.unit {
            Unit::Nanoseconds => found.ratio,
            Unit::CoreCycles => ratio(&[one], &[two], &criteria.clone().judged_in(Judged::Time)).ratio,
        };
        (case.paired, case.unit, case.ratio) = (found.paired, found.unit, found.ratio);
        case.doubtful = found.doubtful;
        case.notes.extend(found.notes);
    }
    for (which, of) in [("first", first), ("second", second)] {
        match (&of.record.error, &of.estimates) {
            (Some(error), _) => case.notes.push(format!("the {which} failed: {error}")),
            (None, None) => case.notes.push(format!("the {which} has no samples")),
            (None, Some(estimates)) => {
                if estimates.contended {
                    case.notes.push(format!("the {which} was disturbed"));
                }
                if estimates.drift.is_some_and(|drift| drift.drifting) {
                    case.notes.push(format!("the {which} drifted while it was measured"));
                }
            }
        }
    }
    if statistic == Statistic::Mean {
        case.notes.push("compared by means: the operation repeats by chance".to_owned());
    }
    if let (Some(one), Some(two)) = (&first.estimates, &second.estimates)
        && one.batch != two.batch
    {
        case.notes.push(format!("batches of {} and of {} operations", one.batch, two.batch));
    }
    case
}

#[cfg(test)]
mod tests;
