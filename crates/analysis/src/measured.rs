//! The figures of a case and of its visits, in the form that comparisons need.

use crate::estimates::{Estimates, ReadComb, summary_of};
use crate::facts::is_own;
use pqlab_record::{CyclesSource, Moment, Record, RunHeader, Samples, SecondChance, Statistic, Unit, Visit, Visits};
use pqlab_stats::{Cell, Crossed, crossed, mean, median};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// A case with its figure in each unit.
#[derive(Clone, Debug)]
pub struct Measured<'a> {
    header: &'a RunHeader,
    pub(crate) record: &'a Record,
    /// Whether the figures include all visits, because too few were undisturbed.
    pub(crate) contended: bool,
    /// Statistic by which the case is compared, unless the other side requires another one.
    statistic: Statistic,
    /// Figures, indexed by statistic and then by unit (ns, core cycles); `None` if unknown or zero.
    headlines: [[Option<f64>; 2]; 2],
    /// Comb for reading the number of attempts of each sample. Means at the expected number of attempts need it.
    comb: Option<ReadComb>,
    /// Moments of the visits in use; `None` if all visits are used.
    only: Option<BTreeSet<Moment>>,
    /// Value of each visit, for each combination of statistic, unit and choice of visits. Computed on first use and
    /// kept, because a case is compared with many rivals.
    values: [OnceLock<Option<BTreeMap<Moment, f64>>>; 8],
}

/// Figure of a case without its samples, for comparisons with a case that was measured separately: in another run or
/// another block.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Headline figure, in ns or core cycles.
    pub headline: f64,
    /// Step of the counter, relative to the headline.
    pub(crate) resolution: f64,
    /// Random-effects model of the visits' figures, by process and round.
    pub(crate) crossed: Crossed,
}

/// Reason why a case is excluded from rankings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotRanked {
    /// The case measures the `null` provider, which accepts the same calls but does nothing.
    Overhead,
    /// The case measures this project's own code, which is shown for comparison.
    OwnCode,
    /// A known defect of the library affects the operation.
    KnownDefect,
    /// The figure includes disturbed visits, because too few were undisturbed.
    Disturbed,
    /// The case failed or has no samples.
    NoFigure,
}

impl NotRanked {
    /// Formats the reason as a phrase: `not ranked: known defect`.
    pub fn sentence(self) -> String {
        format!("not ranked: {}", self.text())
    }

    /// Returns the reason as a short phrase.
    pub fn text(self) -> &'static str {
        match self {
            NotRanked::Overhead => "measurement overhead",
            NotRanked::OwnCode => "pqlab's own code",
            NotRanked::KnownDefect => "known defect",
            NotRanked::Disturbed => "disturbed",
            NotRanked::NoFigure => "failed",
        }
    }
}

/// Returns the statistic for comparing sides. A side is one case, or several cases in sequence. The statistic is the
/// mean if a case requires the mean (means can only be compared with means) or if a side is a sum (means add up,
/// medians do not). Otherwise it is the median.
pub(crate) fn common_statistic(sides: &[&[&Measured<'_>]]) -> Statistic {
    let sums = sides.iter().any(|side| side.len() > 1);
    let cases = sides.iter().flat_map(|side| side.iter());
    if sums { Statistic::Mean } else { cases.map(|case| case.statistic).max().unwrap_or_default() }
}

impl<'a> Measured<'a> {
    /// Collects the figures of a case and its visits.
    pub(crate) fn new(header: &'a RunHeader, record: &'a Record, estimates: &Estimates) -> Measured<'a> {
        let positive = |value: f64| (value > 0.0).then_some(value);
        let headlines = [Statistic::Median, Statistic::Mean].map(|statistic| {
            let cycles = estimates.cycles.map(|cycles| cycles.by(statistic).estimate);
            [positive(estimates.time(statistic).estimate), cycles.and_then(positive)]
        });
        let Estimates { contended, statistic, .. } = *estimates;
        let (comb, values) = (estimates.attempts.map(|attempts| attempts.read), Default::default());
        Measured { header, record, contended, statistic, headlines, comb, only: None, values }
    }

    /// Restricts cases to the visits that all of them share, and computes their means from these visits only. Uses the
    /// usable visits, or all visits if the cases share too few usable ones. Returns an empty list if the same processes
    /// did not measure the cases in the same rounds.
    pub fn together_by_means(cases: &[&Measured<'a>]) -> Vec<Measured<'a>> {
        let [usable, all] = [Visits::Usable, Visits::All].map(|visits| shared_moments(cases, visits));
        let enough = usable.len() as f64 >= LEAST_COMMON * all.len() as f64;
        let (common, visits) = if enough { (usable, Visits::Usable) } else { (all, Visits::All) };
        if common.is_empty() {
            return Vec::new();
        }
        let by_means = |case: &&Measured<'a>| {
            let Measured { header, record, contended, comb, .. } = **case;
            let (statistic, only) = (Statistic::Mean, Some(common.clone()));
            let (headlines, values) = (Default::default(), Default::default());
            let mut case = Measured { header, record, contended, statistic, headlines, comb, only, values };
            for unit in UNITS {
                let has_unit = unit == Unit::Nanoseconds || record.case.computes();
                let values = case.values(unit, statistic, visits).filter(|_| has_unit);
                let values: Vec<f64> = values.map(|values| values.values().copied().collect()).unwrap_or_default();
                case.headlines[statistic as usize][place(unit)] = mean(&values).filter(|mean| *mean > 0.0);
            }
            case
        };
        cases.iter().map(by_means).collect()
    }

    /// Returns the record of the case.
    pub fn record(&self) -> &'a Record {
        self.record
    }

    /// Returns whether the figures include all visits, because too few were undisturbed.
    pub fn contended(&self) -> bool {
        self.contended
    }

    /// Returns the reason for excluding the case from rankings, or `None` if it is ranked.
    pub fn not_ranked(&self) -> Option<NotRanked> {
        let case = &self.record.case;
        let reasons = [
            (NotRanked::Overhead, case.is_null()),
            (NotRanked::OwnCode, is_own(&case.provider)),
            (NotRanked::KnownDefect, case.facts.defect.is_some()),
            (NotRanked::Disturbed, self.contended),
        ];
        reasons.into_iter().find(|(_, holds)| *holds).map(|(reason, _)| reason)
    }

    /// Returns whether the case is ranked.
    pub fn ranked(&self) -> bool {
        self.not_ranked().is_none()
    }

    /// Returns the statistic by which the case is compared, unless the other side requires another one.
    pub fn statistic(&self) -> Statistic {
        self.statistic
    }

    /// Returns the figure in `unit`, computed by `statistic`, or `None` if it is unknown or zero.
    pub fn headline(&self, unit: Unit, statistic: Statistic) -> Option<f64> {
        self.headlines[statistic as usize][place(unit)]
    }

    /// Returns the figure in a unit by the case's own statistic, for comparisons with a case that was measured
    /// separately. Returns `None` if the figure is unknown or zero.
    pub fn figure(&self, unit: Unit) -> Option<Figure> {
        self.figure_by(unit, self.statistic)
    }

    pub(crate) fn figure_by(&self, unit: Unit, statistic: Statistic) -> Option<Figure> {
        let headline = self.headline(unit, statistic)?;
        let cell = |(moment, value): (&Moment, &f64)| {
            let (process, round) = moment.numbers();
            Cell { process, round, value: value.ln() }
        };
        let values = self.values(unit, statistic, Visits::Usable)?;
        let crossed = crossed(&values.iter().map(cell).collect::<Vec<_>>())?;
        Some(Figure { headline, resolution: self.resolution(unit, statistic)?, crossed })
    }

    /// Returns the step of the counter, relative to the headline, or `None` if the headline is unknown or zero.
    pub(crate) fn resolution(&self, unit: Unit, statistic: Statistic) -> Option<f64> {
        Some(step(&self.record.samples, unit) / self.headline(unit, statistic)?)
    }

    /// Returns whether `other` is the same case of the same run.
    pub(crate) fn is(&self, other: &Measured<'_>) -> bool {
        std::ptr::eq(self.record, other.record)
    }

    /// Returns whether both cases belong to the same block of the same run.
    pub(crate) fn shares_block(&self, other: &Measured<'_>) -> bool {
        self.header.id == other.header.id && self.record.case.block == other.record.case.block
    }

    /// Returns whether the same processes measured both cases in the same rounds. This requires three conditions: the
    /// cases belong to the same block, the run was not interrupted and resumed between them, and a repetition at the
    /// end of the run supplies both figures or neither.
    pub(crate) fn is_interleaved_with(&self, other: &Measured<'_>) -> bool {
        let again = |case: &Measured<'_>| case.record.second_chance == Some(SecondChance::Undisturbed);
        self.shares_block(other)
            && self.record.samples.shares_start(&other.record.samples)
            && again(self) == again(other)
    }

    /// Returns the value of each visit by its moment, or `None` if the unit is unknown.
    pub(crate) fn values(&self, unit: Unit, statistic: Statistic, visits: Visits) -> Option<&BTreeMap<Moment, f64>> {
        let compute = || {
            let counts = |moment: &Moment| self.only.as_ref().is_none_or(|only| only.contains(moment));
            let samples = &self.record.samples;
            let all = match self.comb.filter(|_| statistic == Statistic::Mean) {
                Some(comb) => comb.values(samples, unit, visits)?,
                None => samples.values(unit, visits)?,
            };
            let all = all.into_iter().filter(|(moment, _)| counts(moment));
            Some(all.filter_map(|(moment, values)| Some((moment, summary_of(statistic)(&values)?))).collect())
        };
        let at = 4 * statistic as usize + 2 * place(unit) + usize::from(visits == Visits::All);
        self.values[at].get_or_init(compute).as_ref()
    }

    fn moments(&self, visits: Visits) -> BTreeSet<Moment> {
        let measured = visits.select(&self.record.samples).filter(|visit| !visit.ticks.is_empty()).map(Visit::moment);
        measured.filter(|moment| self.only.as_ref().is_none_or(|only| only.contains(moment))).collect()
    }
}

/// Returns the moments (process and round) at which all of `cases` were visited, and `visits` itself. Returns `None` if
/// these moments cover less than the fraction [`LEAST_COMMON`] of any case's visits.
pub(crate) fn common_moments(cases: &[&Measured<'_>], visits: Visits) -> Option<(BTreeSet<Moment>, Visits)> {
    let most = cases.iter().map(|case| case.moments(visits).len()).max()?;
    let common = shared_moments(cases, visits);
    let enough = common.len() as f64 >= LEAST_COMMON * most as f64 && !common.is_empty();
    enough.then_some((common, visits))
}

/// Returns the moments (process and round) at which all of `cases` were visited.
fn shared_moments(cases: &[&Measured<'_>], visits: Visits) -> BTreeSet<Moment> {
    let all = cases.iter().map(|case| case.moments(visits));
    all.reduce(|one, two| one.intersection(&two).copied().collect()).unwrap_or_default()
}

/// Minimum fraction of each case's visits that must have counterparts in all other cases. The shared rounds then
/// represent every case.
const LEAST_COMMON: f64 = 0.5;

const UNITS: [Unit; 2] = [Unit::Nanoseconds, Unit::CoreCycles];

fn place(unit: Unit) -> usize {
    usize::from(unit == Unit::CoreCycles)
}

/// Returns the step of the counter per operation, in `unit`.
fn step(samples: &Samples, unit: Unit) -> f64 {
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
