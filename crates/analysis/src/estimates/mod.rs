//! Defines how figures come from samples. Every table and every file follows these rules.
//!
//! - **Which samples.** Those of undisturbed visits, or of all visits if the case is disturbed
//!   ([`Samples::usable`](pqlab_record::Samples::usable)). In `samples-csv` they are the rows with `used` set.
//! - **One operation.** A sample is the time of a batch. Divided by the batch it is the time of one operation.
//! - **The median** is the median of all these samples, pooled over the processes ([definition
//!   7](pqlab_stats::Sorted::quantile)): `median_us` is the median of the column `ns_per_operation`, divided by 1,000.
//!   The protocol's trimming removes equally many samples from both tails, so it cannot move the median.
//! - **The mean** is the mean of the same samples after trimming.
//! - **The headline** is the statistic that compares and ranks the case ([`pqlab_record::Case::statistic`]): the
//!   median, or the mean of an operation that retries at random, such as signing with ML-DSA.
//! - **Intervals** ([`pqlab_stats::crossed`]) are 95% intervals of the long-run median or mean on this machine and
//!   build. They come from a two-way model of processes and rounds over the visits' medians or means, with the spread
//!   between runs that was stored with the run ([`pqlab_record::RunSpreads`]) and the counter's step. The median's
//!   interval is computed before trimming, the mean's after it. Each contains its estimate.
//! - **Core cycles** come from a counter, or from the time of each sample and the core clock estimated during that
//!   sample. They exist only for the computing of a single thread ([`pqlab_record::Case::computes`]).
//! - **Precision** is judged in cycles if they are known, because software does not control the core's clock.
//! - **Drift.** A case whose visits become slower or faster from round to round is [marked](Estimates::drift): its
//!   median mixes moments that differ.
//! - **Trimming** applies to everything else: mean, deviation, extremes, quantiles.
//! - **Batches.** Percentiles and the coefficient of variation of batch means do not describe single operations: a
//!   batch of `b` hides what single operations do, and its deviation is smaller by a factor of at least the square root
//!   of `b`. So if the batch is above 1, deviation, coefficient of variation, minimum, maximum, interquartile mean and
//!   all quantiles except the median are omitted ([`Estimates::operations`]). The mean is the same for batches as for
//!   operations. The median is that of batch means and is given together with the batch.
//! - **Normality**: Jarque and Bera's statistic and p-value of the samples, or of batch means if a sample is a batch.
//!   They are omitted for trimmed data, because its tails were cut off, and for fewer than 300 samples, because the
//!   p-value assumes many.
//! - **The rate** is the reciprocal of the mean, with the reciprocal interval.
//! - **Percentiles** are given if at least two samples lie beyond them.

mod interval;

pub use interval::{crossed_of, run_spread};

use crate::group::gathered;
use crate::number::{known_count, known_time, percent};
pub(crate) use interval::summary_of;
use interval::{Pooled, cycles, median_of};
use pqlab_record::{
    ASSUMED, Case, CyclesSource, Metric, Moment, Protocol, ProtocolKind, Record, Residue, Samples, Statistic, Status,
    Unit, Visits, Worker,
};
use pqlab_stats::{
    Description, Drift, Interval, JarqueBera, Mode, Sorted, VarianceComponents, describe_samples, drift, jarque_bera,
    modes, variance_components,
};
use std::collections::{BTreeMap, BTreeSet};

/// Meaning of `±`.
pub const PLUS_MINUS: &str =
    "95% interval of the long-run figure on this machine and build, including the spread between runs";

/// Meaning of `≈` before cycles.
pub const ESTIMATED_CYCLES: &str =
    "core cycles estimated from the time and the core clock, which was probed around and within each visit";

/// Estimates from the samples of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimates {
    /// Rules by which the samples were taken.
    pub rules: ProtocolKind,
    /// Samples that estimates are computed from, before trimming.
    pub n: usize,
    /// Samples of disturbed visits that were excluded.
    pub left_out: usize,
    /// Processes that took the samples.
    pub processes: usize,
    /// Operations in a sample.
    pub batch: u64,
    /// Whether the case is disturbed; then nothing was excluded.
    pub contended: bool,
    /// The statistic that compares and ranks the case.
    pub statistic: Statistic,
    /// Median of the time of one operation in ns, with its 95% interval.
    pub median_ns: Interval,
    /// Mean of the time of one operation in ns, after trimming, with its 95% interval.
    pub mean_ns: Interval,
    /// The median of each process in ns, by the process's number.
    pub process_medians_ns: Vec<(Worker, f64)>,
    /// Core cycles of one operation; `None` if they are unknown or the case is not the computing of one thread.
    pub cycles: Option<CyclesEstimate>,
    /// Share of the measuring time in which another program used the core's other hardware thread, in percent.
    pub shared_pct: f64,
    /// The two levels on which processes settled, in ns, if they did.
    pub modes: Option<[Mode; 2]>,
    /// Half-width in percent of the interval that decides on precision. It is the interval of the cycles, or without
    /// cycles that of the time without the clock's variation between runs, which no measuring can reduce.
    pub deciding_half_width_pct: f64,
    /// The spread between runs in percent, in time and in core cycles, if it was assumed; `None` if it was measured.
    pub assumed_spread_pct: Option<[f64; 2]>,
    /// Why the target precision was missed; empty if it was reached.
    pub imprecise: Vec<Imprecision>,
    /// The processors that were used.
    pub processors: Vec<u32>,
    /// State that the operation leaves in its thread; `None` if it could not be read.
    pub residues: Option<Vec<Residue>>,
    /// Time of the operation's first call in a process, in ns, including the library's set-up; the median over
    /// processes.
    pub first_call_ns: Option<f64>,
    /// The samples after trimming, in ns per operation: single operations if `batch` is 1, else batch means.
    pub samples_ns: Description,
    /// Whether the samples are normal; `None` if they were trimmed or are fewer than 300.
    pub normality: Option<JarqueBera>,
    /// The counter that was read.
    pub metric: Metric,
    /// Median of the count of one operation; `None` for the wall clock.
    pub ticks: Option<f64>,
    /// Whether the visits become slower or faster; `None` if there are too few to tell.
    pub drift: Option<Drift>,
    /// Spread of the visits' medians within processes and between them; `None` if the two cannot be separated.
    pub components: Option<VarianceComponents>,
    /// Median of the core clock that the visits estimated, in Hz.
    pub clock_hz: Option<f64>,
    /// Values that the workload measured itself, by name.
    pub extra: Vec<(String, Description)>,
}

impl Estimates {
    /// Figures of single operations in ns: deviation, coefficient of variation, extremes, quantiles. `None` if a sample
    /// is more than one operation.
    pub fn operations(&self) -> Option<&Description> {
        (self.batch == 1).then_some(&self.samples_ns)
    }

    /// The headline in words: `10.4 µs`, `mean 88.8 µs`.
    pub fn time_text(&self) -> String {
        match self.statistic {
            Statistic::Median => known_time(&self.median_ns),
            Statistic::Mean => format!("mean {}", known_time(&self.mean_ns)),
        }
    }

    /// Spread of single operations in percent, with its name: the coefficient of variation (`CoV`), or the robust one
    /// (`rCoV`) if outliers dominate it. Always the CoV under the rules of the reference, which trim.
    pub fn variation(&self) -> Option<(&'static str, f64)> {
        let operations = self.operations()?;
        let robust = operations.cov_without_outliers_pct().filter(|_| self.rules != ProtocolKind::Reference);
        let robust = robust.map(|robust| ("rCoV", robust));
        robust.or_else(|| Some(("CoV", operations.cov_pct?)))
    }

    /// Time of one operation in ns by a statistic, with its 95% interval.
    pub fn time(&self, statistic: Statistic) -> Interval {
        match statistic {
            Statistic::Median => self.median_ns,
            Statistic::Mean => self.mean_ns,
        }
    }

    /// Time of one operation in ns by the statistic that compares and ranks the case, with its 95% interval.
    pub fn headline_ns(&self) -> Interval {
        self.time(self.statistic)
    }

    /// Operations per second, one after the other, with the 95% interval: the reciprocal of the mean. `None` if the
    /// mean is zero.
    pub fn operations_per_second(&self) -> Option<Interval> {
        rate_of(&self.mean_ns)
    }

    /// Quantile of single operations in ns; `None` if [`operations`](Self::operations) is `None` or fewer than two
    /// samples lie beyond it. `order` is 0.05, 0.25, 0.75, 0.95 or 0.99.
    pub fn percentile(&self, order: f64) -> Option<f64> {
        self.operations().and_then(|_| self.quantile(order))
    }

    /// Like [`percentile`](Self::percentile), also of batch means.
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

    /// Core cycles per byte, if one operation processes this number of `bytes`.
    pub fn cycles_per_byte(&self, bytes: Option<u64>) -> Option<f64> {
        let bytes = bytes.filter(|bytes| *bytes > 0)?;
        Some(self.cycles.as_ref()?.median.estimate / bytes as f64)
    }

    /// Bytes per second, one operation after the other, if one operation processes this number of `bytes`.
    pub fn bytes_per_second(&self, bytes: Option<u64>) -> Option<Interval> {
        let bytes = bytes.filter(|bytes| *bytes > 0)?;
        Some(scaled(&self.operations_per_second()?, bytes as f64))
    }

    /// Ticks per byte, if one operation processes this number of `bytes`.
    pub fn ticks_per_byte(&self, bytes: Option<u64>) -> Option<f64> {
        let bytes = bytes.filter(|bytes| *bytes > 0)?;
        Some(self.ticks? / bytes as f64)
    }

    /// Whether its core cycles were estimated.
    pub fn cycles_are_estimated(&self) -> bool {
        self.cycles.is_some_and(|cycles| cycles.source == CyclesSource::Estimated)
    }

    /// Core cycles of one operation with the half-width of their interval, `≈` before them if they were estimated.
    pub fn cycles_text(&self) -> Option<String> {
        let cycles = self.cycles?.headline();
        let text = known_count(&cycles);
        let sign = if self.cycles_are_estimated() && !text.starts_with('≈') { "≈" } else { "" };
        Some(format!("{sign}{text} ±{}", percent(cycles.half_width_pct())))
    }

    /// Values that the workload measured itself under a name.
    pub fn extra(&self, name: &str) -> Option<&Description> {
        self.extra.iter().find(|(other, _)| other == name).map(|(_, values)| values)
    }

    /// Half-width of the [headline's](Self::headline_ns) interval in percent of the headline.
    pub fn half_width_pct(&self) -> f64 {
        self.headline_ns().half_width_pct()
    }
}

/// Rate per second of something that takes this time in ns: the reciprocal, with its interval. `None` for no time.
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
    /// The statistic that compares and ranks the case.
    pub statistic: Statistic,
    /// Whether they were counted or estimated.
    pub source: CyclesSource,
}

impl CyclesEstimate {
    /// The estimate by a statistic.
    pub fn by(&self, statistic: Statistic) -> Interval {
        match statistic {
            Statistic::Median => self.median,
            Statistic::Mean => self.mean,
        }
    }

    /// The estimate by the statistic that compares and ranks the case.
    pub fn headline(&self) -> Interval {
        self.by(self.statistic)
    }

    /// How they were obtained, in words.
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
    /// It became slower or faster while it was measured.
    Drifting,
    /// Its processes settled on two levels.
    TwoModes,
    /// It has few samples.
    FewSamples,
    /// Processes or rounds differ.
    Spread,
}

impl Imprecision {
    /// The word that files carry.
    pub fn words(self) -> &'static str {
        match self {
            Imprecision::Drifting => "drifting",
            Imprecision::TwoModes => "two modes",
            Imprecision::FewSamples => "few samples",
            Imprecision::Spread => "spread",
        }
    }
}

/// Number of samples that must lie beyond a percentile for it to be given.
const SAMPLES_BEYOND: f64 = 2.0;

/// Number of samples below which a case has few.
const FEW_SAMPLES: usize = 100;

/// Computes estimates from the stored samples of a case. `None` for a failed case and for one without samples.
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
    let spreads = &protocol.run_spreads;
    // A link takes the same time whatever the core's clock does.
    let unit = if record.case.waits_for_network() { Unit::CoreCycles } else { Unit::Nanoseconds };
    let statistic = record.case.statistic();
    let samples_ns = Description::of(&pooled.trim(protocol.trim_pct));
    let times = Pooled { visits: &visits, runs: run_spread(spreads, unit), step: step_ns };
    let (median_ns, mean_ns) = (times.median()?, times.mean(&samples_ns));
    let cycles =
        record.case.computes().then(|| cycles(samples, spreads, step_ns, protocol.trim_pct, statistic)).flatten();
    let deciding = match &cycles {
        Some(cycles) => cycles.headline(),
        None => {
            let times = Pooled { runs: run_spread(spreads, Unit::CoreCycles), ..times };
            if statistic == Statistic::Mean { times.mean(&samples_ns) } else { times.median()? }
        }
    };
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
        modes: modes(&medians),
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

/// Why the case missed the target precision; empty if a number of iterations was requested instead.
fn imprecise(estimates: &Estimates, protocol: &Protocol, case: &Case) -> Vec<Imprecision> {
    if !protocol.asks_for_precision(case) || estimates.deciding_half_width_pct <= protocol.precision_pct {
        return Vec::new();
    }
    let reasons = [
        (Imprecision::Drifting, estimates.drift.is_some_and(|drift| drift.drifting)),
        (Imprecision::TwoModes, estimates.modes.is_some()),
        (Imprecision::FewSamples, estimates.n < FEW_SAMPLES),
    ];
    let mut found: Vec<Imprecision> =
        reasons.into_iter().filter(|(_, holds)| *holds).map(|(reason, _)| reason).collect();
    if found.is_empty() {
        found.push(Imprecision::Spread);
    }
    found
}

/// Fewest samples for a test of normality: the p-value holds for many samples.
const FEWEST_FOR_NORMALITY: usize = 300;

fn normality(samples: &[f64], protocol: &Protocol) -> Option<JarqueBera> {
    (protocol.trim_pct == 0.0 && samples.len() >= FEWEST_FOR_NORMALITY).then(|| jarque_bera(samples)).flatten()
}

/// Round and median of each visit, by process.
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

/// Whether a workload's value of this name is a number of bytes.
pub(crate) fn is_length(name: &str) -> bool {
    name.ends_with("_bytes")
}

/// The workload's own values, in the order of first appearance: lengths first, over all visits, then others over usable
/// visits.
fn extra(samples: &Samples) -> Vec<(String, Description)> {
    // Disturbances change how long things take, not how many bytes they have.
    let lengths = samples.visits.iter().flat_map(|visit| &visit.extra).filter(|(name, _)| is_length(name));
    let others = samples.usable().flat_map(|visit| &visit.extra).filter(|(name, _)| !is_length(name));
    let pooled = gathered(lengths.chain(others).map(|(name, values)| (name.as_str(), values.as_slice())));
    let described = |(name, values): (&str, Vec<&[f64]>)| Some((name.to_owned(), describe_samples(&values.concat())?));
    pooled.into_iter().filter_map(described).collect()
}

#[cfg(test)]
pub(crate) mod tests;
