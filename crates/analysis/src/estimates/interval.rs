//! Intervals for a case's medians and means, in time and in core cycles.
//!
//! The model of processes, rounds and runs does not account for a load that disturbed most visits. The interval of a
//! disturbed case is therefore [widened](Disturbed) to contain the figures of its disturbed and of its undisturbed
//! visits.

use super::CyclesEstimate;
use pqlab_record::{CyclesSource, Disturbance, Moment, RunSpreads, Samples, Statistic, Unit, Visit, Visits};
use pqlab_stats::{
    CONFIDENCE, Crossed, Description, Interval, IntervalMethod, RunSpread, Sorted, crossed_visits, mean, median,
};
use std::collections::BTreeSet;

/// Returns the spread between repeated runs in a unit, as stored with a run.
pub fn run_spread(spreads: &RunSpreads, unit: Unit) -> RunSpread {
    let pct = match unit {
        Unit::Nanoseconds => spreads.time_pct,
        Unit::CoreCycles => spreads.cycles_pct,
    };
    RunSpread { pct, degrees_of_freedom: usize::try_from(spreads.degrees_of_freedom).unwrap_or(usize::MAX) }
}

/// Returns the function that computes a visit's figure from its samples.
pub(crate) fn summary_of(statistic: Statistic) -> fn(&[f64]) -> Option<f64> {
    match statistic {
        Statistic::Median => median,
        Statistic::Mean => mean,
    }
}

/// Fits the two-way model to the medians or means of visits. Returns `None` if a median or mean is not positive.
pub fn crossed_of(visits: &[(Moment, Vec<f64>)], statistic: Statistic) -> Option<Crossed> {
    let cells = visits.iter().map(|(moment, values)| (moment.numbers(), values.as_slice()));
    crossed_visits(cells, summary_of(statistic))
}

/// Undisturbed visits of a disturbed case, and the effect of the disturbance on its other visits.
pub(super) struct Disturbed {
    /// Moments of the undisturbed visits.
    clean: BTreeSet<Moment>,
    /// Largest [estimated factor](Disturbance::slowdown) by which a disturbance slowed down a visit.
    slowdown: f64,
}

/// Minimum number of undisturbed visits for a reliable undisturbed figure. With fewer, the interval also extends down
/// to the disturbed figure divided by the slowdown.
const ENOUGH_CLEAN: usize = 3;

impl Disturbed {
    /// Finds the undisturbed visits and the slowdown. Returns `None` if the case is not disturbed.
    pub(super) fn new(samples: &Samples) -> Option<Disturbed> {
        let clean = samples.visits.iter().filter(|visit| visit.is_clean()).map(Visit::moment).collect();
        let disturbances = samples.visits.iter().flat_map(|visit| &visit.disturbances);
        let slowdown = disturbances.map(Disturbance::slowdown).fold(1.0, f64::max);
        samples.contended().then_some(Disturbed { clean, slowdown })
    }

    /// Widens the interval so that it contains the figures of the undisturbed and of the disturbed visits. With
    /// [few](ENOUGH_CLEAN) undisturbed visits, it also contains the disturbed figure divided by the slowdown.
    fn widen(&self, interval: Interval, visits: &[(Moment, Vec<f64>)], statistic: Statistic) -> Interval {
        let figure = |clean: bool| {
            let chosen = visits.iter().filter(|(moment, _)| self.clean.contains(moment) == clean);
            summary_of(statistic)(&chosen.flat_map(|(_, values)| values.iter().copied()).collect::<Vec<f64>>())
        };
        let (clean, disturbed) = (figure(true), figure(false));
        let explained = disturbed.filter(|_| self.clean.len() < ENOUGH_CLEAN).map(|figure| figure / self.slowdown);
        let seen = || [clean, disturbed, explained].into_iter().flatten();
        Interval { low: seen().fold(interval.low, f64::min), high: seen().fold(interval.high, f64::max), ..interval }
    }
}

/// Samples of each visit in one unit, with all other inputs for the intervals.
pub(super) struct Pooled<'v> {
    pub(super) visits: &'v [(Moment, Vec<f64>)],
    pub(super) runs: RunSpread,
    /// The counter's resolution per operation, in the unit of the samples.
    pub(super) step: f64,
    /// Undisturbed visits and slowdown of a disturbed case; `None` if the case is not disturbed.
    pub(super) disturbed: Option<&'v Disturbed>,
}

impl Pooled<'_> {
    /// Returns the median of all samples, with an interval over processes, rounds and runs, or `None` without samples.
    pub(super) fn median(&self) -> Option<Interval> {
        let median = median_of(self.visits.iter().flat_map(|(_, values)| values.iter().copied()))?;
        Some(self.interval(self.visits, Statistic::Median, median))
    }

    /// Returns the mean from `described`, the description of the trimmed samples, with an interval over processes,
    /// rounds and runs.
    pub(super) fn mean(&self, described: &Description) -> Interval {
        let left = described.min..=described.max;
        let trimmed: Vec<(Moment, Vec<f64>)> = self
            .visits
            .iter()
            .map(|(moment, values)| (*moment, values.iter().copied().filter(|value| left.contains(value)).collect()))
            .collect();
        self.interval(&trimmed, Statistic::Mean, described.mean)
    }

    fn interval(&self, visits: &[(Moment, Vec<f64>)], statistic: Statistic, estimate: f64) -> Interval {
        let crossed = crossed_of(visits, statistic);
        let interval = crossed.map(|crossed| crossed.interval(estimate, self.runs, self.step, CONFIDENCE));
        // A reading of zero has no logarithm, so base the interval on the counter's resolution alone.
        let by_step = Interval {
            estimate,
            low: (estimate - self.step).max(0.0),
            high: estimate + self.step,
            confidence: CONFIDENCE,
            method: IntervalMethod::CrossedT,
        };
        let interval = interval.filter(|interval| interval.high.is_finite()).unwrap_or(by_step);
        self.disturbed.map_or(interval, |disturbed| disturbed.widen(interval, visits, statistic))
    }
}

/// Returns the core cycles of one operation, or `None` if unknown. `step_ns` is the counter's resolution per operation
/// in ns.
pub(super) fn cycles(
    samples: &Samples,
    spreads: &RunSpreads,
    step_ns: f64,
    trim_pct: f64,
    statistic: Statistic,
) -> Option<CyclesEstimate> {
    let visits = samples.values(Unit::CoreCycles, Visits::Usable)?;
    let (source, step) = (samples.cycles_source(), cycles_step(samples, step_ns)?);
    let disturbed = Disturbed::new(samples);
    let runs = run_spread(spreads, Unit::CoreCycles);
    let pooled = Pooled { visits: &visits, runs, step, disturbed: disturbed.as_ref() };
    let all = Sorted::new(visits.iter().flat_map(|(_, values)| values.iter().copied()).collect())?;
    let mean = pooled.mean(&Description::new(&all.trim(trim_pct)));
    Some(CyclesEstimate { median: pooled.median()?, mean, at_expected: None, statistic, source })
}

/// Returns the counter's resolution per operation in core cycles. `step_ns` is the same resolution in ns. Returns
/// `None` if it cannot be converted, because no visit is usable.
pub(super) fn cycles_step(samples: &Samples, step_ns: f64) -> Option<f64> {
    Some(match samples.cycles_source() {
        CyclesSource::Counter => 1.0 / samples.batch as f64,
        CyclesSource::Estimated => step_ns * median_of(samples.usable().map(|visit| visit.clock_hz))? / 1e9,
    })
}

pub(super) fn median_of(values: impl Iterator<Item = f64>) -> Option<f64> {
    Sorted::new(values.collect()).map(|sorted| sorted.median())
}
