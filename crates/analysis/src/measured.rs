//! The figures of a case and its visits, in the form that comparisons need.

use crate::estimates::{Estimates, summary_of};
use crate::facts::is_own;
use pqlab_record::{CyclesSource, Moment, Record, RunHeader, Samples, Statistic, Unit, Visit, Visits};
use pqlab_stats::{Cell, Crossed, crossed, mean, median};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// A case with its figure in each unit.
#[derive(Clone, Debug)]
pub struct Measured<'a> {
    header: &'a RunHeader,
    pub(crate) record: &'a Record,
    /// Whether its figures include all visits because too few were undisturbed.
    pub(crate) contended: bool,
    /// The statistic that it is compared by, unless the other side requires another.
    statistic: Statistic,
    /// Figures by statistic, in ns and in core cycles, if they are known and above zero.
    headlines: [[Option<f64>; 2]; 2],
    /// The moments of the visits that count, if not all do.
    only: Option<BTreeSet<Moment>>,
    /// Value of each visit, by statistic, unit and choice of visits. Computed on first use and kept, because a case has
    /// many rivals.
    values: [OnceLock<Option<BTreeMap<Moment, f64>>>; 8],
}

/// The figure of a case without its samples, for comparisons with something that was measured apart: in another run or
/// another block.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The headline, in ns or core cycles.
    pub headline: f64,
    /// Step of the counter relative to the headline.
    pub(crate) resolution: f64,
    /// Model over its processes and rounds.
    pub(crate) crossed: Crossed,
}

/// Reason why a case is excluded from rankings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotRanked {
    /// The provider `null`, which does nothing through the same calls.
    Overhead,
    /// This project's own code, shown next to the libraries.
    OwnCode,
    /// A known defect of the library concerns the operation.
    KnownDefect,
    /// Too few visits were undisturbed, so disturbed ones count.
    Disturbed,
    /// It failed, or has no samples.
    NoFigure,
}

impl NotRanked {
    /// `not ranked: known defect`.
    pub fn sentence(self) -> String {
        format!("not ranked: {}", self.text())
    }

    /// The reason in a few words.
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

/// The statistic for comparing some sides, each a case or several done one after the other: the mean if a case requires
/// it, because a mean is only comparable with means, or if a side is a sum, because means add up and medians do not.
pub(crate) fn common_statistic(sides: &[&[&Measured<'_>]]) -> Statistic {
    let sums = sides.iter().any(|side| side.len() > 1);
    let cases = sides.iter().flat_map(|side| side.iter());
    if sums { Statistic::Mean } else { cases.map(|case| case.statistic).max().unwrap_or_default() }
}

impl<'a> Measured<'a> {
    /// Creates it from a case of a run and its estimates.
    pub(crate) fn of(header: &'a RunHeader, record: &'a Record, estimates: &Estimates) -> Measured<'a> {
        let positive = |value: f64| (value > 0.0).then_some(value);
        let headlines = [Statistic::Median, Statistic::Mean].map(|statistic| {
            let cycles = estimates.cycles.map(|cycles| cycles.by(statistic).estimate);
            [positive(estimates.time(statistic).estimate), cycles.and_then(positive)]
        });
        let Estimates { contended, statistic, .. } = *estimates;
        Measured { header, record, contended, statistic, headlines, only: None, values: Default::default() }
    }

    /// Restricts cases to the visits that all of them have in common, by means, however many more visits one of them
    /// has: their cost together is judged by the rounds that they share. Uses the visits that count, or all visits if
    /// those are too few. Empty if the same processes did not measure the cases in the same rounds.
    pub fn together_by_means(cases: &[&Measured<'a>]) -> Vec<Measured<'a>> {
        let [usable, all] = [Visits::Usable, Visits::All].map(|visits| shared_moments(cases, visits));
        let enough = usable.len() as f64 >= LEAST_COMMON * all.len() as f64;
        let (common, visits) = if enough { (usable, Visits::Usable) } else { (all, Visits::All) };
        if common.is_empty() {
            return Vec::new();
        }
        let by_means = |case: &&Measured<'a>| {
            let Measured { header, record, contended, .. } = **case;
            let (statistic, only) = (Statistic::Mean, Some(common.clone()));
            let (headlines, values) = (Default::default(), Default::default());
            let mut case = Measured { header, record, contended, statistic, headlines, only, values };
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

    /// The record.
    pub fn record(&self) -> &'a Record {
        self.record
    }

    /// Whether its figures include all visits because too few were undisturbed.
    pub fn contended(&self) -> bool {
        self.contended
    }

    /// Why it is excluded from rankings; `None` if it is ranked.
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

    /// Whether it is ranked.
    pub fn ranked(&self) -> bool {
        self.not_ranked().is_none()
    }

    /// The statistic that it is compared by, unless the other side requires another.
    pub fn statistic(&self) -> Statistic {
        self.statistic
    }

    /// Its figure in a unit by a statistic; `None` if it is unknown or zero.
    pub fn headline(&self, unit: Unit, statistic: Statistic) -> Option<f64> {
        self.headlines[statistic as usize][place(unit)]
    }

    /// Its figure in a unit by its own statistic, for comparisons with something that was measured apart.
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

    /// Step of the counter relative to the headline.
    pub(crate) fn resolution(&self, unit: Unit, statistic: Statistic) -> Option<f64> {
        Some(step(&self.record.samples, unit) / self.headline(unit, statistic)?)
    }

    /// Whether both are the same case of the same run.
    pub(crate) fn is(&self, other: &Measured<'_>) -> bool {
        std::ptr::eq(self.record, other.record)
    }

    /// Whether both are cases of one block of one run.
    pub(crate) fn shares_block(&self, other: &Measured<'_>) -> bool {
        self.header.id == other.header.id && self.record.case.block == other.record.case.block
    }

    /// Whether the same processes measured both in the same rounds: the run was not interrupted and resumed between
    /// them.
    pub(crate) fn beside(&self, other: &Measured<'_>) -> bool {
        self.shares_block(other) && self.record.samples.shares_start(&other.record.samples)
    }

    /// Value of each visit by its moment; `None` if the unit is unknown.
    pub(crate) fn values(&self, unit: Unit, statistic: Statistic, visits: Visits) -> Option<&BTreeMap<Moment, f64>> {
        let compute = || {
            let counts = |moment: &Moment| self.only.as_ref().is_none_or(|only| only.contains(moment));
            let all = self.record.samples.values(unit, visits)?.into_iter().filter(|(moment, _)| counts(moment));
            Some(all.filter_map(|(moment, values)| Some((moment, summary_of(statistic)(&values)?))).collect())
        };
        let at = 4 * statistic as usize + 2 * place(unit) + usize::from(visits == Visits::All);
        self.values[at].get_or_init(compute).as_ref()
    }

    fn moments(&self, visits: Visits) -> BTreeSet<Moment> {
        let measured = visits.of(&self.record.samples).filter(|visit| !visit.ticks.is_empty()).map(Visit::moment);
        measured.filter(|moment| self.only.as_ref().is_none_or(|only| only.contains(moment))).collect()
    }
}

/// The moments at which all of some cases were visited, with the choice of visits; `None` if they are less than
/// [`LEAST_COMMON`] of the visits of one of the cases.
pub(crate) fn common_moments(cases: &[&Measured<'_>], visits: Visits) -> Option<(BTreeSet<Moment>, Visits)> {
    let most = cases.iter().map(|case| case.moments(visits).len()).max()?;
    let common = shared_moments(cases, visits);
    let enough = common.len() as f64 >= LEAST_COMMON * most as f64 && !common.is_empty();
    enough.then_some((common, visits))
}

/// The moments at which all of some cases were visited.
fn shared_moments(cases: &[&Measured<'_>], visits: Visits) -> BTreeSet<Moment> {
    let all = cases.iter().map(|case| case.moments(visits));
    all.reduce(|one, two| one.intersection(&two).copied().collect()).unwrap_or_default()
}

/// Share of the visits of each case that must have counterparts in the others for the common rounds to represent them
/// all.
const LEAST_COMMON: f64 = 0.5;

const UNITS: [Unit; 2] = [Unit::Nanoseconds, Unit::CoreCycles];

fn place(unit: Unit) -> usize {
    usize::from(unit == Unit::CoreCycles)
}

/// Step of the counter in a unit, per operation.
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
