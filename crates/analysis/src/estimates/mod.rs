//! How figures come from samples. This is the one place that says so; every table and every file follows it.
//!
//! - **Which samples.** Those of undisturbed visits; of all visits where the case is contended
//!   ([`Samples::usable`](pqlab_record::Samples::usable)). In `samples-csv` they are the rows with `used` set.
//! - **One operation.** A sample is the time of a batch; divided by the batch it is the time of one operation.
//! - **The median** is the median of all these samples pooled over the processes
//!   ([definition 7](pqlab_stats::Sorted::quantile)): `median_us` is the median of the column `ns_per_operation`, over
//!   1,000. The protocol's trimming takes as many samples at one tail as at the other and cannot move it.
//! - **Its interval** ([`pqlab_stats::crossed`]) is the one of the median that the case has in the long run on this machine and
//!   build, with 95% confidence: a two-way model of processes and rounds over the visits' medians, with the spread between
//!   runs that was stored with the run ([`pqlab_record::RunSpreads`]) and the counter's step. It is made before trimming, and
//!   contains its headline.
//! - **Core cycles** are those of a counter, or the time of each sample by the core's clock as it was estimated while the sample
//!   was taken; for the computing of one thread alone ([`pqlab_record::Case::computes`]).
//! - **Precision** is that of the cycles where there are some: the core's clock is not what software decides.
//! - **Drift.** A case whose visits become slower or faster from round to round is [marked](Estimates::drift): its median is
//!   one of moments that differ.
//! - **Trimming** applies to everything else: mean, deviation, extremes, quantiles.
//! - **Batches.** A percentile or a coefficient of variation of batch means is not one of operations: a batch of `b`
//!   hides what single operations do, and its deviation is smaller by the root of `b` and more. So above a batch of 1 the
//!   deviation, the coefficient of variation, minimum, maximum, the quantiles other than the median and the interquartile
//!   mean are not given ([`Estimates::operations`]). The mean is the same for batches as for operations; the median is
//!   the one of batch means, and with the batch beside it is given as such.
//! - **Normality**: Jarque and Bera's statistic and p-value are those of the samples, of batch means where a sample is a
//!   batch. They are not given for trimmed data, whose tails were cut off, nor for fewer than 300 samples, for which the
//!   distribution of the statistic is not yet the one that the p-value is made from.
//! - **The rate** is the reciprocal of the mean: so many operations one after the other take a second.
//! - **Percentiles** are given where at least two samples lie beyond them.

use pqlab_record::{
    CyclesSource, Disturbance, Metric, Moment, Protocol, Record, Residue, Run, Samples, Status, Unit, Visit, Visits,
    Worker,
};
use pqlab_stats::{
    CONFIDENCE, Cell, Crossed, Description, Drift, Interval, IntervalMethod, JarqueBera, Mode, RunSpread, Sorted,
    VarianceComponents, crossed, describe_samples, drift, jarque_bera, modes, variance_components,
};
use std::collections::{BTreeMap, BTreeSet};

/// What the samples of a case say.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimates {
    /// Samples that estimates are made from, before trimming.
    pub n: usize,
    /// Samples of disturbed visits that were left out.
    pub left_out: usize,
    /// Processes that took the samples.
    pub processes: usize,
    /// Operations in a sample.
    pub batch: u64,
    /// Whether the case is contended; then nothing was left out.
    pub contended: bool,
    /// Median of the time of one operation in ns, with its 95% interval.
    pub median_ns: Interval,
    /// The median of each process in ns, by the process's number.
    pub process_medians_ns: Vec<(Worker, f64)>,
    /// Core cycles of one operation; `None` where they are not known, and for what is not the computing of one thread.
    pub cycles: Option<CyclesEstimate>,
    /// How much of the measuring time somebody used the core's other hardware thread, in percent.
    pub shared_pct: f64,
    /// The two levels on which processes settled, in ns, where they did.
    pub modes: Option<[Mode; 2]>,
    /// Half-width in percent of the interval that decides on precision: that of the cycles; where there are none, that of the
    /// time without what the core's clock does between runs, which no measuring mends.
    pub deciding_half_width_pct: f64,
    /// Why the wanted precision was not reached; empty where it was.
    pub imprecise: Vec<Imprecision>,
    /// The processors that were used.
    pub processors: Vec<u32>,
    /// What the operation leaves behind in its thread; `None` where there was no reading it.
    pub residues: Option<Vec<Residue>>,
    /// Time of the operation's first call in a process in ns, the median over processes: with what the library sets up in it.
    pub first_call_ns: Option<f64>,
    /// The samples after trimming, in ns per operation: of single operations where `batch` is 1, else of batch means.
    pub samples_ns: Description,
    /// Whether the samples are normal; `None` where they were trimmed, or are fewer than 300.
    pub normality: Option<JarqueBera>,
    /// What was counted.
    pub metric: Metric,
    /// Median of the count of one operation; `None` for the wall clock.
    pub ticks: Option<f64>,
    /// Whether the visits become slower or faster; `None` where too few were made to say.
    pub drift: Option<Drift>,
    /// Spread of the visits' medians within processes and between them; `None` where it cannot be told apart.
    pub components: Option<VarianceComponents>,
    /// Median of the core clock that the visits estimated, in Hz.
    pub clock_hz: Option<f64>,
    /// What the workload measured itself, by name.
    pub extra: Vec<(String, Description)>,
}

impl Estimates {
    /// What speaks of single operations in ns: deviation, coefficient of variation, extremes, quantiles. `None` where a
    /// sample is more than one operation.
    pub fn operations(&self) -> Option<&Description> {
        (self.batch == 1).then_some(&self.samples_ns)
    }

    /// Operations a second, one after the other: the reciprocal of the mean.
    pub fn operations_per_second(&self) -> Option<f64> {
        (self.samples_ns.mean > 0.0).then(|| 1e9 / self.samples_ns.mean)
    }

    /// A quantile of single operations in ns, of those that [`operations`](Self::operations) has, where at least two samples
    /// lie beyond it: `order` is 0.05, 0.25, 0.75, 0.95 or 0.99.
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

    /// Core cycles for each of the `bytes` that one operation works through.
    pub fn cycles_per_byte(&self, bytes: Option<u64>) -> Option<f64> {
        let bytes = bytes.filter(|bytes| *bytes > 0)?;
        Some(self.cycles.as_ref()?.median.estimate / bytes as f64)
    }

    /// Bytes a second, one operation after the other, where one operation works through so many `bytes`.
    pub fn bytes_per_second(&self, bytes: Option<u64>) -> Option<f64> {
        let bytes = bytes.filter(|bytes| *bytes > 0)?;
        Some(self.operations_per_second()? * bytes as f64)
    }

    /// Ticks for each of the `bytes` that one operation works through.
    pub fn ticks_per_byte(&self, bytes: Option<u64>) -> Option<f64> {
        let bytes = bytes.filter(|bytes| *bytes > 0)?;
        Some(self.ticks? / bytes as f64)
    }

    /// Half-width of the median's interval in percent of the median.
    pub fn half_width_pct(&self) -> f64 {
        self.median_ns.half_width_pct()
    }
}

/// Core cycles of one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CyclesEstimate {
    /// The median with its 95% interval.
    pub median: Interval,
    /// The arithmetic mean.
    pub mean: f64,
    /// Counted, or estimated.
    pub source: CyclesSource,
}

/// Why a case is less precise than was wanted.
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
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Imprecision::Drifting => "drifting",
            Imprecision::TwoModes => "two modes",
            Imprecision::FewSamples => "few samples",
            Imprecision::Spread => "spread",
        }
    }
}

/// So many samples must lie beyond a percentile for it to be given.
const SAMPLES_BEYOND: f64 = 2.0;

/// Fewer samples than this are few.
const FEW_SAMPLES: usize = 100;

/// Makes estimates from the stored samples of a case. `None` for a failed case, and for one without samples.
pub fn estimate(record: &Record, protocol: &Protocol) -> Option<Estimates> {
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
    let median_ns = headline(&visits, spread(spreads.time_pct, protocol), step_ns)?;
    let cycles = record.case.computes().then(|| cycles(samples, protocol, step_ns)).flatten();
    let deciding = match &cycles {
        Some(cycles) => cycles.median,
        None => headline(&visits, spread(spreads.cycles_pct, protocol), step_ns)?,
    };
    let rounds = by_round(&visits);
    let visit_medians: Vec<Vec<f64>> =
        rounds.iter().map(|visits| visits.iter().map(|(_, median)| *median).collect()).collect();
    let medians: Vec<f64> = groups.iter().filter_map(|group| pqlab_stats::median(group)).collect();
    let mut estimates = Estimates {
        n: pooled.as_slice().len(),
        left_out: samples.count() - pooled.as_slice().len(),
        processes: groups.len(),
        batch: samples.batch,
        contended: samples.contended(),
        median_ns,
        modes: modes(&medians),
        process_medians_ns: workers.into_iter().zip(medians).collect(),
        cycles,
        shared_pct: samples.shared_pct(),
        deciding_half_width_pct: deciding.half_width_pct(),
        imprecise: Vec::new(),
        processors: processors(samples),
        residues: samples.residues(),
        first_call_ns: median_of(samples.first_calls_ns().into_iter()),
        samples_ns: Description::of(&pooled.trim(protocol.trim_pct)),
        normality: normality(pooled.as_slice(), protocol),
        metric: samples.metric,
        ticks: median_ticks(samples),
        drift: drift(&rounds),
        components: variance_components(&visit_medians),
        clock_hz: median_of(samples.usable().map(|visit| visit.clock_hz).filter(|hertz| *hertz > 0.0)),
        extra: extra(samples),
    };
    estimates.imprecise = imprecise(&estimates, protocol);
    Some(estimates)
}

fn spread(pct: f64, protocol: &Protocol) -> RunSpread {
    let known = usize::try_from(protocol.run_spreads.degrees_of_freedom).unwrap_or(usize::MAX);
    RunSpread { pct, degrees_of_freedom: known }
}

/// The median of all samples with the interval that processes, rounds and runs give it. `None` without samples.
fn headline(visits: &[(Moment, Vec<f64>)], runs: RunSpread, step: f64) -> Option<Interval> {
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

/// The two-way model over the medians of visits; `None` where one is not positive.
pub fn crossed_of(visits: &[(Moment, Vec<f64>)]) -> Option<Crossed> {
    let cell = |(moment, values): &(Moment, Vec<f64>)| {
        let value = pqlab_stats::median(values)?.ln();
        let (process, round) = moment.numbers();
        Some(Cell { process, round, value })
    };
    crossed(&visits.iter().filter_map(cell).collect::<Vec<_>>())
}

fn cycles(samples: &Samples, protocol: &Protocol, step_ns: f64) -> Option<CyclesEstimate> {
    let visits = samples.values(Unit::CoreCycles, Visits::Usable)?;
    let source = samples.cycles_source();
    let hz = median_of(samples.usable().map(|visit| visit.clock_hz))?;
    let step = match source {
        CyclesSource::Counter => 1.0 / samples.batch as f64,
        CyclesSource::Estimated => step_ns * hz / 1e9,
    };
    let median = headline(&visits, spread(protocol.run_spreads.cycles_pct, protocol), step)?;
    let all: Vec<f64> = visits.into_iter().flat_map(|(_, values)| values).collect();
    Some(CyclesEstimate { median, mean: pqlab_stats::mean(&all)?, source })
}

fn processors(samples: &Samples) -> Vec<u32> {
    let used: BTreeSet<u32> = samples.visits.iter().filter_map(|visit| visit.conditions.processor).collect();
    used.into_iter().collect()
}

/// Why the case is less precise than the rules want it; nothing where a number of iterations was asked for and no precision.
fn imprecise(estimates: &Estimates, protocol: &Protocol) -> Vec<Imprecision> {
    if protocol.iterations.is_some() || estimates.deciding_half_width_pct <= protocol.precision_pct {
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

/// Fewest samples of which normality is judged: the p-value is the one of many.
const FEWEST_FOR_NORMALITY: usize = 300;

fn normality(samples: &[f64], protocol: &Protocol) -> Option<JarqueBera> {
    (protocol.trim_pct == 0.0 && samples.len() >= FEWEST_FOR_NORMALITY).then(|| jarque_bera(samples)).flatten()
}

/// Median in ns of what does nothing through the same calls: the case of workload `floor`.
pub fn harness_floor_ns(run: &Run) -> Option<f64> {
    run.area("floor").find_map(|record| estimate(record, &run.header.protocol)).map(|floor| floor.median_ns.estimate)
}

/// The round and the median of each visit, process by process.
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

fn median_of(values: impl Iterator<Item = f64>) -> Option<f64> {
    Sorted::new(values.collect()).map(|sorted| sorted.median())
}

/// The workload's own figures over all usable visits, in the order in which they first appear.
fn extra(samples: &Samples) -> Vec<(String, Description)> {
    let mut pooled: Vec<(&str, Vec<f64>)> = Vec::new();
    for (name, values) in samples.usable().flat_map(|visit| &visit.extra) {
        match pooled.iter_mut().find(|(known, _)| known == name) {
            Some((_, all)) => all.extend(values),
            None => pooled.push((name, values.clone())),
        }
    }
    pooled.into_iter().filter_map(|(name, values)| Some((name.to_owned(), describe_samples(&values)?))).collect()
}

/// What disturbed the visits of a case, in sum.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disturbances {
    /// Visits.
    pub visits: usize,
    /// Visits that stayed disturbed.
    pub disturbed: usize,
    /// How often visits were measured again.
    pub repeats: u64,
    /// By kind: the number of visits that it disturbed, and the worst of it.
    pub kinds: Vec<(&'static str, usize, Disturbance)>,
}

impl Disturbances {
    /// Sums up the visits of a case.
    pub fn of(samples: &Samples) -> Disturbances {
        let mut kinds: Vec<(&'static str, usize, Disturbance)> = Vec::new();
        for disturbance in samples.visits.iter().flat_map(|visit| &visit.disturbances) {
            let name = kind(disturbance);
            match kinds.iter_mut().find(|(known, ..)| *known == name) {
                None => kinds.push((name, 1, disturbance.clone())),
                Some((_, visits, worst)) => {
                    *visits += 1;
                    if severity(disturbance) > severity(worst) {
                        *worst = disturbance.clone();
                    }
                }
            }
        }
        let disturbed = |visit: &&Visit| !visit.disturbances.is_empty();
        Disturbances {
            visits: samples.visits.len(),
            disturbed: samples.visits.iter().filter(disturbed).count(),
            repeats: samples.visits.iter().map(|visit| u64::from(visit.repeats)).sum(),
            kinds,
        }
    }
}

/// The word that files carry for a kind of disturbance.
fn kind(disturbance: &Disturbance) -> &'static str {
    match disturbance {
        Disturbance::Steal { .. } => "steal",
        Disturbance::InvoluntarySwitches { .. } => "involuntary-switches",
        Disturbance::CpuShare { .. } => "cpu-share",
        Disturbance::Pressure { .. } => "pressure",
        Disturbance::ClockDrift { .. } => "clock-drift",
        Disturbance::SharedCore { .. } => "shared-core",
        Disturbance::OtherTasks { .. } => "other-tasks",
    }
}

/// Orders disturbances of one kind: the larger, the worse.
fn severity(disturbance: &Disturbance) -> f64 {
    match disturbance {
        Disturbance::Steal { pct } | Disturbance::Pressure { pct } | Disturbance::SharedCore { pct, .. } => *pct,
        Disturbance::InvoluntarySwitches { count } | Disturbance::OtherTasks { count } => *count as f64,
        Disturbance::CpuShare { pct } => -pct,
        Disturbance::ClockDrift { pct } => pct.abs(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_stats::IntervalMethod;

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() <= 1e-9 * right.abs().max(1.0), "{left} is not {right}");
    }

    #[test]
    fn the_median_is_the_one_of_the_pooled_samples() {
        let record = fixtures::record("liboqs", 10.4);
        let estimates = estimate(&record, &Protocol::default()).unwrap();
        let all: Vec<f64> =
            record.samples.visits.iter().flat_map(|visit| record.samples.ns_per_operation(visit)).collect();
        let interval = estimates.median_ns;
        close(interval.estimate, pqlab_stats::median(&all).unwrap());
        assert!(interval.low < interval.estimate && interval.estimate < interval.high);
        assert_eq!(interval.method, IntervalMethod::CrossedT);
        assert_eq!((estimates.n, estimates.left_out, estimates.processes), (all.len(), 0, 8));
        close(estimates.ticks.unwrap() * record.samples.ns_per_tick.unwrap(), interval.estimate);
        close(estimates.operations_per_second().unwrap(), 1e9 / estimates.samples_ns.mean);
        assert_eq!(estimates.clock_hz, Some(2.7e9));
    }

    #[test]
    fn a_batch_keeps_mean_and_median_only() {
        let mut record = fixtures::record("liboqs", 10.4);
        record.samples.batch = 10;
        let estimates = estimate(&record, &Protocol::default()).unwrap();
        assert_eq!(estimates.operations(), None);
        let single = estimate(&fixtures::record("liboqs", 10.4), &Protocol::default()).unwrap();
        close(estimates.median_ns.estimate * 10.0, single.median_ns.estimate);
        close(estimates.samples_ns.mean * 10.0, single.operations().unwrap().mean);
    }

    #[test]
    fn trimming_leaves_the_median_and_its_interval() {
        let record = fixtures::record("liboqs", 10.4);
        let whole = estimate(&record, &Protocol::default()).unwrap();
        let trimmed = estimate(&record, &Protocol { trim_pct: 5.0, ..Protocol::default() }).unwrap();
        assert_eq!((trimmed.median_ns, trimmed.n), (whole.median_ns, whole.n));
        assert!(trimmed.samples_ns.max < whole.samples_ns.max);
        assert_eq!(trimmed.samples_ns.median, whole.samples_ns.median);
    }

    #[test]
    fn normality_is_judged_of_many_samples_that_were_not_trimmed() {
        let mut record = fixtures::record("liboqs", 10.4);
        let test = estimate(&record, &Protocol::default()).unwrap().normality.unwrap();
        assert!(test.statistic > 10.0 && test.p_value < 0.01, "a tail of slow samples is not normal: {test:?}");
        let trimmed = estimate(&record, &Protocol { trim_pct: 1.0, ..Protocol::default() }).unwrap();
        assert_eq!(trimmed.normality, None);
        record.samples.visits.truncate(7);
        assert_eq!(estimate(&record, &Protocol::default()).unwrap().normality, None, "280 samples are too few");
    }

    #[test]
    fn disturbed_visits_are_left_out_unless_they_are_many() {
        let mut record = fixtures::record("liboqs", 10.4);
        let per_visit = record.samples.visits[0].ticks.len();
        record.samples.visits[3].disturbances = vec![Disturbance::Steal { pct: 7.0 }];
        let estimates = estimate(&record, &Protocol::default()).unwrap();
        assert_eq!((estimates.left_out, estimates.contended), (per_visit, false));
        for visit in &mut record.samples.visits[..8] {
            visit.repeats = 3;
            visit.disturbances = vec![Disturbance::Steal { pct: 2.0 }, Disturbance::CpuShare { pct: 80.0 }];
        }
        record.samples.visits[1].disturbances = vec![Disturbance::CpuShare { pct: 40.0 }];
        let estimates = estimate(&record, &Protocol::default()).unwrap();
        assert_eq!((estimates.left_out, estimates.contended), (0, true));
        let sum = Disturbances::of(&record.samples);
        assert_eq!((sum.visits, sum.disturbed, sum.repeats), (16, 8, 24));
        let worst = Disturbance::CpuShare { pct: 40.0 };
        assert_eq!(sum.kinds, [("steal", 7, Disturbance::Steal { pct: 2.0 }), ("cpu-share", 8, worst)]);
    }

    #[test]
    fn half_of_the_visits_may_be_left_out_for_a_neighbour() {
        let mut record = fixtures::record("liboqs", 10.4);
        let slow = |visit: &mut Visit| {
            visit.disturbances = vec![Disturbance::SharedCore { pct: 40.0, kept: false }];
            visit.ticks.iter_mut().for_each(|ticks| *ticks *= 2);
        };
        let alone = estimate(&record, &Protocol::default()).unwrap();
        record.samples.visits.iter_mut().step_by(2).for_each(slow);
        let left = estimate(&record, &Protocol::default()).unwrap();
        assert!(!left.contended && left.left_out == alone.n / 2 && left.processes == 4, "{left:?}");
        assert!((left.median_ns.estimate / alone.median_ns.estimate - 1.0).abs() < 0.01, "{left:?}");
        // Of the four processes that were left alone two are not.
        record.samples.visits.iter_mut().filter(|visit| [1, 3].contains(&visit.process)).for_each(slow);
        let shared = estimate(&record, &Protocol::default()).unwrap();
        assert!(shared.contended && shared.left_out == 0, "{shared:?}");
    }

    #[test]
    fn three_processes_stay_whatever_a_neighbour_does() {
        let mut record = fixtures::record("liboqs", 10.4);
        record.samples.visits.truncate(3);
        assert_eq!(estimate(&record, &Protocol::default()).unwrap().processes, 3);
        record.samples.visits[1].disturbances = vec![Disturbance::SharedCore { pct: 40.0, kept: false }];
        let marked = estimate(&record, &Protocol::default()).unwrap();
        assert_eq!((marked.processes, marked.left_out, marked.contended), (3, 0, true));
    }

    #[test]
    fn of_a_fixed_number_of_samples_none_is_left_out_for_a_neighbour() {
        let mut record = fixtures::record("liboqs", 10.4);
        let neighbour =
            |visit: &mut Visit| visit.disturbances = vec![Disturbance::SharedCore { pct: 40.0, kept: true }];
        record.samples.visits.iter_mut().step_by(2).for_each(neighbour);
        let half = estimate(&record, &Protocol::default()).unwrap();
        assert!(!half.contended && half.left_out == 0, "{half:?}");
        assert!(half.shared_pct > 45.0 && half.shared_pct < 55.0, "{half:?}");
        record.samples.visits[3].disturbances.push(Disturbance::Steal { pct: 7.0 });
        let stolen = estimate(&record, &Protocol::default()).unwrap();
        assert_eq!(stolen.left_out, record.samples.visits[3].ticks.len(), "{stolen:?}");
    }

    #[test]
    fn a_case_that_slows_down_is_marked() {
        let mut record = fixtures::record("liboqs", 10.4);
        assert_eq!(estimate(&record, &Protocol::default()).unwrap().drift, None, "two rounds tell nothing");
        let visits = record.samples.visits.clone();
        for round in 2..6_u32 {
            record.samples.visits.extend(visits[..8].iter().map(|visit| Visit { round, ..visit.clone() }));
        }
        let steady = estimate(&record, &Protocol::default()).unwrap();
        assert!(!steady.drift.unwrap().drifting);
        let components = steady.components.unwrap();
        assert!(components.between_pct > components.within_pct, "{components:?}");
        for visit in &mut record.samples.visits {
            let factor = 1.0 + 0.01 * f64::from(visit.round);
            visit.ticks.iter_mut().for_each(|ticks| *ticks = (*ticks as f64 * factor) as u64);
        }
        let drift = estimate(&record, &Protocol::default()).unwrap().drift.unwrap();
        assert!(drift.drifting && (drift.change_pct - 5.0).abs() < 0.5, "{drift:?}");
        let imprecise = estimate(&record, &Protocol::default()).unwrap().imprecise;
        assert_eq!(imprecise, [Imprecision::Drifting]);
        let asked = Protocol { iterations: Some(1000), ..Protocol::default() };
        assert_eq!(estimate(&record, &asked).unwrap().imprecise, [], "no precision was asked for");
    }

    #[test]
    fn a_process_of_another_start_is_another_process() {
        let mut record = fixtures::record("liboqs", 10.4);
        assert_eq!(estimate(&record, &Protocol::default()).unwrap().processes, 8);
        record.samples.visits[8..].iter_mut().for_each(|visit| visit.start = 1);
        let estimates = estimate(&record, &Protocol::default()).unwrap();
        assert_eq!(estimates.processes, 16);
        let names: Vec<String> = estimates.process_medians_ns.iter().map(|(worker, _)| worker.to_string()).collect();
        assert_eq!((names[0].as_str(), names[15].as_str()), ("0", "7 of start 2"));
    }

    #[test]
    fn no_samples_give_no_estimate() {
        assert_eq!(estimate(&fixtures::failed("wrong shared secret"), &Protocol::default()), None);
        let mut record = fixtures::record("liboqs", 10.4);
        record.samples.visits.clear();
        assert_eq!(estimate(&record, &Protocol::default()), None);
    }

    #[test]
    fn the_wall_clock_counts_no_ticks_and_equal_readings_are_no_certainty() {
        let mut record = fixtures::record("liboqs", 10.4);
        record.samples.metric = Metric::Wall;
        record.samples.ns_per_tick = Some(1.0);
        for visit in &mut record.samples.visits {
            visit.ticks.fill(100);
        }
        let estimates = estimate(&record, &Protocol::default()).unwrap();
        assert_eq!(estimates.ticks, None);
        assert!(estimates.median_ns.low < 99.5 && estimates.median_ns.high > 100.5, "{:?}", estimates.median_ns);
    }

    #[test]
    fn cycles_come_with_the_wall_time_beside_them() {
        let mut record = fixtures::record("liboqs", 10.4);
        record.samples.metric = Metric::Cycles;
        record.samples.ns_per_tick = None;
        for visit in &mut record.samples.visits {
            visit.wall_ns = visit.ticks.iter().map(|ticks| ticks / 2).collect();
        }
        let estimates = estimate(&record, &Protocol::default()).unwrap();
        assert!((estimates.ticks.unwrap() / estimates.median_ns.estimate - 2.0).abs() < 1e-3);
        close(estimates.ticks_per_byte(Some(64)).unwrap(), estimates.ticks.unwrap() / 64.0);
        assert_eq!((estimates.ticks_per_byte(None), estimates.ticks_per_byte(Some(0))), (None, None));
        close(estimates.bytes_per_second(Some(64)).unwrap(), 64e9 / estimates.samples_ns.mean);
        assert_eq!((estimates.bytes_per_second(None), estimates.bytes_per_second(Some(0))), (None, None));
    }

    #[test]
    fn the_workloads_own_figures_are_described_by_name() {
        let mut record = fixtures::record("liboqs", 10.4);
        record.samples.visits[0].extra = vec![("signature_bytes".into(), vec![650.0, 660.0])];
        record.samples.visits[1].extra = vec![("signature_bytes".into(), vec![655.0]), ("delay_ns".into(), vec![])];
        let estimates = estimate(&record, &Protocol::default()).unwrap();
        assert_eq!(estimates.extra.len(), 1);
        let (name, sizes) = &estimates.extra[0];
        assert_eq!((name.as_str(), sizes.n, sizes.median), ("signature_bytes", 3, 655.0));
    }
}
