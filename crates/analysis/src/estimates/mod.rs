//! Rules for computing figures from samples. Every table and every file follows them.
//!
//! - **Samples.** Figures use the samples of undisturbed visits, or of all visits if the case is disturbed
//!   ([`Samples::usable`](pqlab_record::Samples::usable)). Disturbed samples of an otherwise undisturbed visit are
//!   excluded too. In `samples-csv`, the rows with `used` set are the remaining samples.
//! - **One operation.** A sample is the time of a batch. This time divided by the batch size is the time of one
//!   operation.
//! - **The median** is the median of all these samples, pooled over the processes ([definition
//!   7](pqlab_stats::Sorted::quantile)): `median_us` is the median of the `ns_per_operation` column, divided by 1,000.
//!   The protocol's trimming removes equally many samples from both tails, so it cannot move the median.
//! - **The mean** is the mean of the same samples after trimming.
//! - **Attempts.** Some operations repeat attempts until one succeeds. If the expected number of attempts is known, and
//!   the number in each sample can be read ([`pqlab_stats::Comb`]), the mean is taken at the expected number
//!   ([`AttemptsEstimate`]). Its interval is computed in the same way, from samples converted to that number.
//!   [`Estimates::mean_ns`] remains the mean of the samples.
//! - **The headline** is the statistic by which the case is compared and ranked ([`pqlab_record::Case::statistic`]):
//!   the median, or the mean if the operation retries at random, such as signing with ML-DSA.
//! - **Intervals** ([`pqlab_stats::crossed`]) are 95% intervals for the long-run median or mean on this machine and
//!   build. Their inputs are a two-way model (processes and rounds) of the visits' medians or means, the spread between
//!   runs stored with the run ([`pqlab_record::RunSpreads`]), and the counter's resolution. The median's interval is
//!   computed before trimming, the mean's after it. Each interval contains its estimate. The interval of a disturbed
//!   case also contains the figures of its undisturbed visits and of its disturbed ones.
//! - **Core cycles** come from a counter, or from the time of each sample and the core clock estimated during that
//!   sample. They are known only for operations that compute on a single thread ([`pqlab_record::Case::computes`]).
//! - **Precision** is judged in core cycles if they are known, because software does not control the core's clock.
//! - **Drift.** A case whose visits become slower or faster from round to round is [marked](Estimates::drift), because
//!   its median mixes different states.
//! - **Trimming** applies to all figures except the median: mean, deviation, extremes, quantiles.
//! - **Batches.** Percentiles and the coefficient of variation of batch means do not describe single operations. A
//!   batch of `b` operations hides the times of single operations, and the deviation of batch means is smaller by a
//!   factor of at least the square root of `b`. If the batch size is above 1, deviation, coefficient of variation,
//!   minimum, maximum, interquartile mean and all quantiles except the median are therefore omitted
//!   ([`Estimates::operations`]). The mean is the same for batches as for operations. The median is the median of batch
//!   means and is given together with the batch size.
//! - **Normality** is tested with Jarque and Bera's statistic and p-value, for the samples or for batch means. The test
//!   is omitted for trimmed samples, which lack their tails, and for fewer than 300 samples, because the p-value is
//!   only valid for many samples.
//! - **The rate** is the reciprocal of the mean, with the reciprocal interval.
//! - **Percentiles** are given if at least two samples lie beyond them.

mod attempts;
mod interval;
mod placement;

pub use attempts::{AttemptsEstimate, ReadComb, Unread};
pub use interval::{crossed_of, run_spread};
pub use placement::{Cause, OffsetEffect, PLACEMENT_SIGNIFICANCE, Placement, ProcessLevel, ProcessLevels};

use crate::group::gathered;
use crate::number::{known_count, known_time, percent};
pub(crate) use interval::summary_of;
use interval::{Disturbed, Pooled, cycles, median_of};
use pqlab_record::{
    ASSUMED, Case, CyclesSource, Metric, Moment, Protocol, ProtocolKind, Record, Residue, Samples, Statistic, Status,
    Unit, Visits, Worker,
};
use pqlab_stats::{
    Description, Drift, Interval, JarqueBera, Mode, Sorted, VarianceComponents, describe_samples, drift, jarque_bera,
    modes, variance_components,
};
use std::collections::{BTreeMap, BTreeSet};

/// Meaning of `±` after a figure.
pub const PLUS_MINUS: &str =
    "95% interval of the long-run figure on this machine and build, including the spread between runs";

/// Meaning of `≈` before cycles.
pub const ESTIMATED_CYCLES: &str =
    "core cycles estimated from the time and the core clock, measured before, during and after each visit";

/// Estimates from the samples of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimates {
    /// Kind of protocol under which the samples were taken.
    pub rules: ProtocolKind,
    /// Number of samples from which estimates are computed, before trimming.
    pub n: usize,
    /// Number of excluded samples: disturbed samples, and all samples of disturbed visits.
    pub left_out: usize,
    /// Number of processes that took the samples.
    pub processes: usize,
    /// Number of operations in a sample.
    pub batch: u64,
    /// Whether the case is disturbed. If so, no visit was excluded.
    pub contended: bool,
    /// Statistic by which the case is compared and ranked.
    pub statistic: Statistic,
    /// Median time of one operation in ns, with its 95% interval.
    pub median_ns: Interval,
    /// Mean time of one operation in ns, after trimming, with its 95% interval.
    pub mean_ns: Interval,
    /// Time at the expected number of attempts; `None` if the operation does not repeat attempts, or if the number of
    /// attempts cannot be read from single samples.
    pub attempts: Option<AttemptsEstimate>,
    /// Reason why the number of attempts cannot be read; `None` if it can, or if the operation does not repeat
    /// attempts.
    pub unread: Option<Unread>,
    /// Median time of each process in ns, in the order of the processes.
    pub process_medians_ns: Vec<(Worker, f64)>,
    /// Core cycles of one operation; `None` if they are unknown or the operation does not compute on a single thread.
    pub cycles: Option<CyclesEstimate>,
    /// Percentage of the measuring time during which another program used the core's other hardware thread.
    pub shared_pct: f64,
    /// Two groups of processes with clearly different medians, in ns; `None` if there is only one group.
    pub modes: Option<[Mode; 2]>,
    /// Smallest and largest median of a process, if the processes differ far more than the visits of one process.
    pub placement: Option<Placement>,
    /// Half-width, in percent, of the interval that determines precision. This is the interval of the core cycles or,
    /// if cycles are unknown, the interval of the time. The latter leaves out the variation of the clock between runs,
    /// because longer measurement cannot reduce that variation. However, the interval at the expected number of
    /// [`attempts`](Self::attempts) includes this variation.
    pub deciding_half_width_pct: f64,
    /// Assumed spread between runs in percent, in time and in core cycles; `None` if the spread was measured.
    pub assumed_spread_pct: Option<[f64; 2]>,
    /// Reasons for missing the target precision; empty if it was reached.
    pub imprecise: Vec<Imprecision>,
    /// Numbers of the logical processors that the visits used.
    pub processors: Vec<u32>,
    /// Processor state that the operation leaves behind in its thread; `None` if it could not be read.
    pub residues: Option<Vec<Residue>>,
    /// Time in ns of the operation's first call in a process, including the library's set-up: the median over
    /// processes.
    pub first_call_ns: Option<f64>,
    /// The samples after trimming, in ns per operation: single operations if `batch` is 1, otherwise batch means.
    pub samples_ns: Description,
    /// Test of normality; `None` if the samples were trimmed or are fewer than 300.
    pub normality: Option<JarqueBera>,
    /// Counter that was read.
    pub metric: Metric,
    /// Median number of ticks of one operation; `None` for the wall clock.
    pub ticks: Option<f64>,
    /// Trend of the times from round to round; `None` if there are too few visits for the test.
    pub drift: Option<Drift>,
    /// Spread of the visits' medians within processes and between them; `None` if the two cannot be separated.
    pub components: Option<VarianceComponents>,
    /// Median of the core clock rates that the visits estimated, in Hz.
    pub clock_hz: Option<f64>,
    /// Values that the workload recorded, by name.
    pub extra: Vec<(String, Description)>,
}

impl Estimates {
    /// Returns statistics of single operations in ns (deviation, coefficient of variation, extremes, quantiles), or
    /// `None` if a sample covers more than one operation.
    pub fn operations(&self) -> Option<&Description> {
        (self.batch == 1).then_some(&self.samples_ns)
    }

    /// Formats the headline figure: `10.4 µs`, `mean 88.8 µs`.
    pub fn time_text(&self) -> String {
        match self.statistic {
            Statistic::Median => known_time(&self.median_ns),
            Statistic::Mean => format!("mean {}", known_time(&self.time(Statistic::Mean))),
        }
    }

    /// Returns the spread of single operations in percent, with its name: the coefficient of variation (`CoV`), or the
    /// robust one (`rCoV`) if outliers dominate the CoV. Under the reference protocol, which trims samples, it is
    /// always the CoV.
    pub fn variation(&self) -> Option<(&'static str, f64)> {
        let operations = self.operations()?;
        let robust = operations.cov_without_outliers_pct().filter(|_| self.rules != ProtocolKind::Reference);
        let robust = robust.map(|robust| ("rCoV", robust));
        robust.or_else(|| Some(("CoV", operations.cov_pct?)))
    }

    /// Returns the time of one operation in ns by `statistic`, with its 95% interval. The mean is taken at the expected
    /// number of attempts if [`attempts`](Self::attempts) is known.
    pub fn time(&self, statistic: Statistic) -> Interval {
        match statistic {
            Statistic::Median => self.median_ns,
            Statistic::Mean => self.attempts.map_or(self.mean_ns, |attempts| attempts.ns),
        }
    }

    /// Returns the time of one operation in ns by the statistic that compares and ranks the case, with its 95%
    /// interval.
    pub fn headline_ns(&self) -> Interval {
        self.time(self.statistic)
    }

    /// Returns the operations per second if operations run one after the other, with a 95% interval: the reciprocal of
    /// the mean. The mean is taken at the expected number of attempts if [`attempts`](Self::attempts) is known. Returns
    /// `None` unless the interval of the mean is positive.
    pub fn operations_per_second(&self) -> Option<Interval> {
        rate_of(&self.time(Statistic::Mean))
    }

    /// Returns a quantile of single operations in ns. Returns `None` if [`operations`](Self::operations) is `None`, if
    /// fewer than two samples lie beyond the quantile, or if `order` is not 0.05, 0.25, 0.75, 0.95 or 0.99.
    pub fn percentile(&self, order: f64) -> Option<f64> {
        self.operations().and_then(|_| self.quantile(order))
    }

    /// Like [`percentile`](Self::percentile), but also for batch means.
    pub fn quantile(&self, order: f64) -> Option<f64> {
        let samples = &self.samples_ns;
        let beyond = order.min(1.0 - order) * samples.n as f64;
        let value = match order {
            0.05 => samples.p5,
            0.25 => samples.p25,
            0.75 => samples.p75,
            0.95 => samples.p95,
            0.99 => samples.p99,
            _ => return None,
        };
        (beyond >= SAMPLES_BEYOND).then_some(value)
    }

    /// Returns the median core cycles per byte of an operation that processes `bytes` bytes. Returns `None` if the
    /// cycles are unknown, or if `bytes` is `None` or 0.
    pub fn cycles_per_byte(&self, bytes: Option<u64>) -> Option<f64> {
        let bytes = bytes.filter(|bytes| *bytes > 0)?;
        Some(self.cycles.as_ref()?.median.estimate / bytes as f64)
    }

    /// Returns the bytes per second if operations run one after the other and each processes `bytes` bytes. Returns
    /// `None` if the rate of operations is unknown, or if `bytes` is `None` or 0.
    pub fn bytes_per_second(&self, bytes: Option<u64>) -> Option<Interval> {
        let bytes = bytes.filter(|bytes| *bytes > 0)?;
        Some(scaled(&self.operations_per_second()?, bytes as f64))
    }

    /// Returns the median counter ticks per byte of an operation that processes `bytes` bytes. Returns `None` for the
    /// wall clock, or if `bytes` is `None` or 0.
    pub fn ticks_per_byte(&self, bytes: Option<u64>) -> Option<f64> {
        let bytes = bytes.filter(|bytes| *bytes > 0)?;
        Some(self.ticks? / bytes as f64)
    }

    /// Returns whether the core cycles were estimated.
    pub fn cycles_are_estimated(&self) -> bool {
        self.cycles.is_some_and(|cycles| cycles.source == CyclesSource::Estimated)
    }

    /// Formats the core cycles of one operation with the half-width of their interval. The sign `≈` precedes estimated
    /// cycles. Returns `None` if the cycles are unknown.
    pub fn cycles_text(&self) -> Option<String> {
        let cycles = self.cycles?.headline();
        let text = known_count(&cycles);
        let sign = if self.cycles_are_estimated() && !text.starts_with('≈') { "≈" } else { "" };
        Some(format!("{sign}{text} ±{}", percent(cycles.half_width_pct())))
    }

    /// Returns the description of the values that the workload recorded under `name`, or `None` if it recorded none.
    pub fn extra(&self, name: &str) -> Option<&Description> {
        self.extra.iter().find(|(other, _)| other == name).map(|(_, values)| values)
    }

    /// Returns the half-width of the [headline's](Self::headline_ns) interval as a percentage of the headline.
    pub fn half_width_pct(&self) -> f64 {
        self.headline_ns().half_width_pct()
    }
}

/// Converts a time in ns to a rate per second with its interval. Returns `None` unless the time and the lower bound of
/// its interval are positive.
pub fn rate_of(time_ns: &Interval) -> Option<Interval> {
    let per_second = |ns: f64| 1e9 / ns;
    let Interval { estimate, low, high, .. } = *time_ns;
    (estimate > 0.0 && low > 0.0).then(|| Interval {
        estimate: per_second(estimate),
        low: per_second(high),
        high: per_second(low),
        ..*time_ns
    })
}

/// Multiplies an interval by `times`.
pub fn scaled(interval: &Interval, times: f64) -> Interval {
    Interval {
        estimate: interval.estimate * times,
        low: interval.low * times,
        high: interval.high * times,
        ..*interval
    }
}

/// Core cycles of one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CyclesEstimate {
    /// The median with its 95% interval.
    pub median: Interval,
    /// The mean after trimming, with its 95% interval.
    pub mean: Interval,
    /// The mean at the expected number of attempts, with its 95% interval; `None` if it is unknown.
    pub at_expected: Option<Interval>,
    /// Statistic by which the case is compared and ranked.
    pub statistic: Statistic,
    /// Whether the cycles were counted or estimated.
    pub source: CyclesSource,
}

impl CyclesEstimate {
    /// Returns the estimate by `statistic`. The mean is taken at the expected number of attempts if
    /// [`at_expected`](Self::at_expected) is known.
    pub fn by(&self, statistic: Statistic) -> Interval {
        match statistic {
            Statistic::Median => self.median,
            Statistic::Mean => self.at_expected.unwrap_or(self.mean),
        }
    }

    /// Returns the estimate by the statistic that compares and ranks the case.
    pub fn headline(&self) -> Interval {
        self.by(self.statistic)
    }

    /// Describes the source of the cycles.
    pub fn origin(&self) -> &'static str {
        match self.source {
            CyclesSource::Counter => "counted",
            CyclesSource::Estimated => "estimated from the time and the core clock",
        }
    }
}

/// Reason why a case missed the target precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imprecision {
    /// The case became slower or faster while it was measured.
    Drifting,
    /// The case's processes settled on two levels.
    TwoModes,
    /// The case's processes differ far more than the visits of one process.
    Placement,
    /// The case has few samples.
    FewSamples,
    /// Processes or rounds differ.
    Spread,
}

impl Imprecision {
    /// Returns the keyword used in files.
    pub fn words(self) -> &'static str {
        match self {
            Imprecision::Drifting => "drifting",
            Imprecision::TwoModes => "two modes",
            Imprecision::Placement => "placement",
            Imprecision::FewSamples => "few samples",
            Imprecision::Spread => "spread",
        }
    }
}

/// Number of samples that must lie beyond a percentile for it to be shown.
const SAMPLES_BEYOND: f64 = 2.0;

/// Number of samples below which a case is marked as having few samples.
const FEW_SAMPLES: usize = 100;

/// Computes estimates from the stored samples of a case. Returns `None` if the case failed or has no samples.
pub(crate) fn estimate(record: &Record, protocol: &Protocol) -> Option<Estimates> {
    #[cfg(test)]
    tests::MADE.set(tests::MADE.get() + 1);
    if record.status == Status::Failed {
        return None;
    }
    let samples = &record.samples;
    let visits = samples.values(Unit::Nanoseconds, Visits::Usable)?;
    let mut by_process: BTreeMap<Worker, Vec<f64>> = BTreeMap::new();
    for (moment, values) in &visits {
        by_process.entry(moment.worker).or_default().extend(values);
    }
    let (workers, groups): (Vec<Worker>, Vec<Vec<f64>>) = by_process.into_iter().unzip();
    let pooled = Sorted::new(groups.concat())?;
    let step_ns = samples.ns_per_tick.unwrap_or(1.0) / samples.batch as f64;
    let spreads = &protocol.run_spreads.of_case(&record.case.id());
    // The time on a link does not depend on the core's clock, so use the run spread of core cycles,
    // which excludes clock changes.
    let unit = if record.case.waits_for_network() { Unit::CoreCycles } else { Unit::Nanoseconds };
    let statistic = record.case.statistic();
    let samples_ns = Description::new(&pooled.trim(protocol.trim_pct));
    let disturbed = Disturbed::new(samples);
    let runs = run_spread(spreads, unit);
    let times = Pooled { visits: &visits, runs, step: step_ns, disturbed: disturbed.as_ref() };
    let (median_ns, mean_ns) = (times.median()?, times.mean(&samples_ns));
    let mut cycles =
        record.case.computes().then(|| cycles(samples, spreads, step_ns, protocol.trim_pct, statistic)).flatten();
    let (read, unread) = match ReadComb::read(samples, &record.case) {
        Some(Ok(read)) => (Some(read), None),
        Some(Err(reason)) => (None, Some(reason)),
        None => (None, None),
    };
    let attempts = read.and_then(|read| AttemptsEstimate::new(read, samples, &record.case, protocol, step_ns));
    if let Some(cycles) = &mut cycles {
        cycles.at_expected = attempts.and_then(|attempts| attempts.cycles);
    }
    let deciding = match (&cycles, attempts) {
        (Some(cycles), _) => cycles.headline(),
        (None, Some(attempts)) => attempts.ns,
        (None, None) => {
            let times = Pooled { runs: run_spread(spreads, Unit::CoreCycles), ..times };
            if statistic == Statistic::Mean { times.mean(&samples_ns) } else { times.median()? }
        }
    };
    let known_unit = if cycles.is_some() { Unit::CoreCycles } else { Unit::Nanoseconds };
    let rounds = by_round(&visits);
    let visit_medians: Vec<Vec<f64>> =
        rounds.iter().map(|visits| visits.iter().map(|(_, median)| *median).collect()).collect();
    let medians: Vec<f64> = groups.iter().filter_map(|group| pqlab_stats::median(group)).collect();
    let mut estimates = Estimates {
        rules: protocol.kind,
        n: pooled.as_slice().len(),
        left_out: samples.count() - pooled.as_slice().len(),
        processes: groups.len(),
        batch: samples.batch,
        contended: samples.contended(),
        statistic,
        median_ns,
        mean_ns,
        attempts,
        unread,
        modes: modes(&medians),
        placement: Placement::find(samples, known_unit, attempts.as_ref().map(|attempts| &attempts.read)),
        process_medians_ns: workers.into_iter().zip(medians).collect(),
        cycles,
        shared_pct: samples.shared_pct(),
        deciding_half_width_pct: deciding.half_width_pct(),
        assumed_spread_pct: (spreads.source == ASSUMED).then_some([spreads.time_pct, spreads.cycles_pct]),
        imprecise: Vec::new(),
        processors: processors(samples),
        residues: samples.residues(),
        first_call_ns: median_of(samples.first_calls_ns().into_iter()),
        samples_ns,
        normality: normality(pooled.as_slice(), protocol),
        metric: samples.metric,
        ticks: median_ticks(samples),
        drift: drift(&rounds),
        components: variance_components(&visit_medians),
        clock_hz: median_of(samples.usable().map(|visit| visit.clock_hz).filter(|hertz| *hertz > 0.0)),
        extra: extra(samples),
    };
    estimates.imprecise = imprecise(&estimates, protocol, &record.case);
    Some(estimates)
}

fn processors(samples: &Samples) -> Vec<u32> {
    let used: BTreeSet<u32> = samples.visits.iter().filter_map(|visit| visit.conditions.processor).collect();
    used.into_iter().collect()
}

/// Returns the reasons why the case missed the target precision. Empty if the user requested a fixed number of
/// iterations instead.
fn imprecise(estimates: &Estimates, protocol: &Protocol, case: &Case) -> Vec<Imprecision> {
    if !protocol.asks_for_precision(case) || estimates.deciding_half_width_pct <= protocol.precision_pct {
        return Vec::new();
    }
    let reasons = [
        (Imprecision::Drifting, estimates.drift.is_some_and(|drift| drift.drifting)),
        (Imprecision::TwoModes, estimates.modes.is_some()),
        (Imprecision::Placement, estimates.modes.is_none() && estimates.placement.is_some()),
        (Imprecision::FewSamples, estimates.n < FEW_SAMPLES),
    ];
    let mut found: Vec<Imprecision> =
        reasons.into_iter().filter(|(_, holds)| *holds).map(|(reason, _)| reason).collect();
    if found.is_empty() {
        found.push(Imprecision::Spread);
    }
    found
}

/// Minimum number of samples for a test of normality, because the p-value is valid only for many samples.
const FEWEST_FOR_NORMALITY: usize = 300;

fn normality(samples: &[f64], protocol: &Protocol) -> Option<JarqueBera> {
    (protocol.trim_pct == 0.0 && samples.len() >= FEWEST_FOR_NORMALITY).then(|| jarque_bera(samples)).flatten()
}

/// Returns the round and the median of each visit, grouped by process.
fn by_round(visits: &[(Moment, Vec<f64>)]) -> Vec<Vec<(u32, f64)>> {
    let mut processes: BTreeMap<Worker, Vec<(u32, f64)>> = BTreeMap::new();
    for (moment, values) in visits {
        if let Some(median) = pqlab_stats::median(values) {
            processes.entry(moment.worker).or_default().push((moment.round, median));
        }
    }
    processes.into_values().collect()
}

fn median_ticks(samples: &Samples) -> Option<f64> {
    if samples.metric == Metric::Wall {
        return None;
    }
    median_of(samples.usable().flat_map(|visit| samples.ticks_per_operation(visit)))
}

/// Returns whether the values that a workload recorded under `name` are byte counts.
pub(crate) fn is_length(name: &str) -> bool {
    name.ends_with("_bytes")
}

/// Describes the values that the workload recorded, in the order in which their names first appear. Byte counts come
/// first and are taken from all visits; other values are taken from usable visits.
fn extra(samples: &Samples) -> Vec<(String, Description)> {
    // Take byte counts from all visits, because disturbances do not change them.
    let lengths = samples.visits.iter().flat_map(|visit| &visit.extra).filter(|(name, _)| is_length(name));
    let others = samples.usable().flat_map(|visit| &visit.extra).filter(|(name, _)| !is_length(name));
    let pooled = gathered(lengths.chain(others).map(|(name, values)| (name.as_str(), values.as_slice())));
    let described = |(name, values): (&str, Vec<&[f64]>)| Some((name.to_owned(), describe_samples(&values.concat())?));
    pooled.into_iter().filter_map(described).collect()
}

#[cfg(test)]
pub(crate) mod tests;
