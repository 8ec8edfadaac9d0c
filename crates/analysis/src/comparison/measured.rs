//! A case as a comparison needs it: its figures, and what each of its visits found.

use crate::estimates::Estimates;
use crate::libraries::is_own;
use pqlab_record::{CyclesSource, Moment, Record, RunHeader, Samples, Unit, Visit, Visits};
use pqlab_stats::{Cell, Crossed, crossed, mean, median};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// What stands for the samples of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// Their median: what every headline is made of.
    Medians,
    /// Their mean: means of parts add up, medians do not.
    Means,
}

/// A case with its figure in each unit.
#[derive(Clone, Debug)]
pub struct Measured<'a> {
    header: &'a RunHeader,
    pub(super) record: &'a Record,
    /// Whether its figures count all visits because too few were left alone.
    pub(super) contended: bool,
    /// In ns and in core cycles, where these are known and above zero.
    headlines: [Option<f64>; 2],
    of: Of,
    /// Where other visits than those of these moments do not count.
    only: Option<BTreeSet<Moment>>,
    /// What stands for each visit, by unit and by which visits, made when it is first asked for: a case has many rivals.
    values: [OnceLock<Option<BTreeMap<Moment, f64>>>; 4],
}

/// The figure of a case that was measured apart from what it is compared with, without its samples: all that another run, or
/// another block, has to know of it.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The headline, in ns or core cycles.
    pub headline: f64,
    /// A step of the counter as a part of the headline.
    pub(super) resolution: f64,
    /// What its processes and rounds say.
    pub(super) crossed: Crossed,
}

impl<'a> Measured<'a> {
    /// A case of a run, with its estimates.
    pub(crate) fn of(header: &'a RunHeader, record: &'a Record, estimates: &Estimates) -> Measured<'a> {
        let positive = |value: f64| (value > 0.0).then_some(value);
        let cycles = estimates.cycles.map(|cycles| cycles.median.estimate);
        let headlines = [positive(estimates.median_ns.estimate), cycles.and_then(positive)];
        let (contended, values) = (estimates.contended, Default::default());
        Measured { header, record, contended, headlines, of: Of::Medians, only: None, values }
    }

    /// Cases by the means of the visits that all of them have in common, however many more one of them has: what they cost
    /// together is asked of the rounds that they share. Of these the visits that count, else, where that is too few, all.
    /// Empty where the same processes did not measure them in the same rounds.
    pub fn together_by_means(cases: &[&Measured<'a>]) -> Vec<Measured<'a>> {
        let [usable, all] = [Visits::Usable, Visits::All].map(|visits| shared_moments(cases, visits));
        let enough = usable.len() as f64 >= LEAST_COMMON * all.len() as f64;
        let (common, visits) = if enough { (usable, Visits::Usable) } else { (all, Visits::All) };
        if common.is_empty() {
            return Vec::new();
        }
        let by_means = |case: &&Measured<'a>| {
            let Measured { header, record, contended, .. } = **case;
            let (only, values) = (Some(common.clone()), Default::default());
            let mut case = Measured { header, record, contended, headlines: [None; 2], of: Of::Means, only, values };
            for (place, unit) in UNITS.into_iter().enumerate() {
                let known = unit == Unit::Nanoseconds || record.case.computes();
                let values = case.values(unit, visits).filter(|_| known);
                let values: Vec<f64> = values.map(|values| values.values().copied().collect()).unwrap_or_default();
                case.headlines[place] = mean(&values).filter(|mean| *mean > 0.0);
            }
            case
        };
        cases.iter().map(by_means).collect()
    }

    /// The record.
    pub fn record(&self) -> &'a Record {
        self.record
    }

    /// Whether its figures count all visits because too few were left alone.
    pub fn contended(&self) -> bool {
        self.contended
    }

    /// Whether it takes part in rankings: it is not the null provider, which does nothing through the same calls, its figures do
    /// not count all visits because it was contended, it is not known to do less than the standard demands, and it is not this
    /// project's own code, which stands beside the libraries.
    pub fn ranked(&self) -> bool {
        let case = &self.record.case;
        !self.contended && case.facts.defect.is_none() && case.library() != NULL && !is_own(&case.provider)
    }

    /// The median in a unit, or the mean of [what was made so](Self::together_by_means); `None` where it is not known, or zero.
    pub fn headline(&self, unit: Unit) -> Option<f64> {
        self.headlines[place(unit)]
    }

    /// Its figure in a unit, for comparisons with what was measured apart.
    pub fn figure(&self, unit: Unit) -> Option<Figure> {
        let headline = self.headline(unit)?;
        let cell = |(moment, value): (&Moment, &f64)| {
            let (process, round) = moment.numbers();
            Cell { process, round, value: value.ln() }
        };
        let crossed = crossed(&self.values(unit, Visits::Usable)?.iter().map(cell).collect::<Vec<_>>())?;
        Some(Figure { headline, resolution: self.resolution(unit)?, crossed })
    }

    /// A step of the counter as a part of the headline.
    pub(super) fn resolution(&self, unit: Unit) -> Option<f64> {
        Some(step(&self.record.samples, unit) / self.headline(unit)?)
    }

    /// Whether both are the same case of the same run.
    pub(super) fn is(&self, other: &Measured<'_>) -> bool {
        std::ptr::eq(self.record, other.record)
    }

    /// Whether they are cases of one run that were put into one block.
    pub(super) fn shares_block(&self, other: &Measured<'_>) -> bool {
        self.header.id == other.header.id && self.record.case.block == other.record.case.block
    }

    /// Whether the same processes measured them in the same rounds: the run was not stopped and gone on with between them.
    pub(super) fn beside(&self, other: &Measured<'_>) -> bool {
        self.shares_block(other) && self.record.samples.shares_start(&other.record.samples)
    }

    /// What stands for each visit, by its moment; `None` where the unit is not known.
    pub(super) fn values(&self, unit: Unit, visits: Visits) -> Option<&BTreeMap<Moment, f64>> {
        let made = || {
            let counts = |moment: &Moment| self.only.as_ref().is_none_or(|only| only.contains(moment));
            let of = |values: &[f64]| if self.of == Of::Means { mean(values) } else { median(values) };
            let all = self.record.samples.values(unit, visits)?.into_iter().filter(|(moment, _)| counts(moment));
            Some(all.filter_map(|(moment, values)| Some((moment, of(&values)?))).collect())
        };
        self.values[2 * place(unit) + usize::from(visits == Visits::All)].get_or_init(made).as_ref()
    }

    fn moments(&self, visits: Visits) -> BTreeSet<Moment> {
        let measured = visits.of(&self.record.samples).filter(|visit| !visit.ticks.is_empty()).map(Visit::moment);
        measured.filter(|moment| self.only.as_ref().is_none_or(|only| only.contains(moment))).collect()
    }
}

/// The moments at which all of some cases were visited, and which visits these are; `None` where for one of the cases they are
/// less than [`LEAST_COMMON`] of its visits.
pub(super) fn common_moments(cases: &[&Measured<'_>], visits: Visits) -> Option<(BTreeSet<Moment>, Visits)> {
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

/// The share of the visits of each of some cases that must have a counterpart in the others for the rounds in common to speak
/// for all.
const LEAST_COMMON: f64 = 0.5;

/// The provider that does nothing.
const NULL: &str = "null";

const UNITS: [Unit; 2] = [Unit::Nanoseconds, Unit::CoreCycles];

fn place(unit: Unit) -> usize {
    usize::from(unit == Unit::CoreCycles)
}

/// A step of the counter in a unit, as far as an operation is concerned.
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
