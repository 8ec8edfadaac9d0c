//! Intervals for a case's medians and means, in time and in core cycles.

use super::CyclesEstimate;
use pqlab_record::{CyclesSource, Moment, RunSpreads, Samples, Statistic, Unit, Visits};
use pqlab_stats::{
    CONFIDENCE, Crossed, Description, Interval, IntervalMethod, RunSpread, Sorted, crossed_visits, mean, median,
};

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

/// Samples of each visit in one unit, and all other inputs to their intervals.
pub(super) struct Pooled<'v> {
    pub(super) visits: &'v [(Moment, Vec<f64>)],
    pub(super) runs: RunSpread,
    /// The counter's resolution per operation.
    pub(super) step: f64,
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
        interval.filter(|interval| interval.high.is_finite()).unwrap_or(by_step)
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
    let source = samples.cycles_source();
    let hz = median_of(samples.usable().map(|visit| visit.clock_hz))?;
    let step = match source {
        CyclesSource::Counter => 1.0 / samples.batch as f64,
        CyclesSource::Estimated => step_ns * hz / 1e9,
    };
    let pooled = Pooled { visits: &visits, runs: run_spread(spreads, Unit::CoreCycles), step };
    let all = Sorted::new(visits.iter().flat_map(|(_, values)| values.iter().copied()).collect())?;
    let mean = pooled.mean(&Description::of(&all.trim(trim_pct)));
    Some(CyclesEstimate { median: pooled.median()?, mean, statistic, source })
}

pub(super) fn median_of(values: impl Iterator<Item = f64>) -> Option<f64> {
    Sorted::new(values.collect()).map(|sorted| sorted.median())
}
