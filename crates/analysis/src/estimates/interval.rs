//! The intervals of a case's medians, in time and in core cycles.

use super::CyclesEstimate;
use pqlab_record::{CyclesSource, Moment, RunSpreads, Samples, Unit, Visits};
use pqlab_stats::{CONFIDENCE, Crossed, Interval, IntervalMethod, RunSpread, Sorted, crossed_medians};

/// How far whole runs of the same thing lie apart in a unit, as it was stored with a run.
pub fn run_spread(spreads: &RunSpreads, unit: Unit) -> RunSpread {
    let pct = match unit {
        Unit::Nanoseconds => spreads.time_pct,
        Unit::CoreCycles => spreads.cycles_pct,
    };
    RunSpread { pct, degrees_of_freedom: usize::try_from(spreads.degrees_of_freedom).unwrap_or(usize::MAX) }
}

/// The two-way model over the medians of visits; `None` where one is not positive.
pub fn crossed_of(visits: &[(Moment, Vec<f64>)]) -> Option<Crossed> {
    crossed_medians(visits.iter().map(|(moment, values)| (moment.numbers(), values.as_slice())))
}

/// The median of all samples with the interval that processes, rounds and runs give it. `None` without samples.
pub(super) fn headline(visits: &[(Moment, Vec<f64>)], runs: RunSpread, step: f64) -> Option<Interval> {
    let median = median_of(visits.iter().flat_map(|(_, values)| values.iter().copied()))?;
    let crossed = crossed_of(visits);
    let interval = crossed.map(|crossed| crossed.interval(median, runs, step, CONFIDENCE));
    // Where a reading is zero there are no logarithms: all that is known is the counter's step.
    let by_step = Interval {
        estimate: median,
        low: (median - step).max(0.0),
        high: median + step,
        confidence: CONFIDENCE,
        method: IntervalMethod::CrossedT,
    };
    Some(interval.filter(|interval| interval.high.is_finite()).unwrap_or(by_step))
}

/// Core cycles of one operation; `step_ns` is the counter's step as far as an operation is concerned. `None` where they are
/// not known.
pub(super) fn cycles(samples: &Samples, spreads: &RunSpreads, step_ns: f64) -> Option<CyclesEstimate> {
    let visits = samples.values(Unit::CoreCycles, Visits::Usable)?;
    let source = samples.cycles_source();
    let hz = median_of(samples.usable().map(|visit| visit.clock_hz))?;
    let step = match source {
        CyclesSource::Counter => 1.0 / samples.batch as f64,
        CyclesSource::Estimated => step_ns * hz / 1e9,
    };
    let median = headline(&visits, run_spread(spreads, Unit::CoreCycles), step)?;
    let all: Vec<f64> = visits.into_iter().flat_map(|(_, values)| values).collect();
    Some(CyclesEstimate { median, mean: pqlab_stats::mean(&all)?, source })
}

pub(super) fn median_of(values: impl Iterator<Item = f64>) -> Option<f64> {
    Sorted::new(values.collect()).map(|sorted| sorted.median())
}
