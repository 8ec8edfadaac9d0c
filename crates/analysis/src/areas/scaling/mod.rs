//! Gain from more threads, and cost of a queue of tasks. All figures compare cases of one run.
//!
//! - **Throughput** is the number of operations of all threads divided by the wall time of the sample. It is the
//!   reciprocal of the case's mean.
//! - **Speed-up** is the throughput divided by the throughput of one thread (a ratio of means). **Efficiency** is the
//!   speed-up divided by the number of threads. If there are fewer processors than threads, the case is oversubscribed,
//!   and the speed-up is divided by the number of processors.
//! - **Loss** is the difference in throughput between a load and the best load for the same operation (the peak), or
//!   the smallest load.
//! - **Intervals** are computed from times by [`ratio`](crate::comparison::ratio). The same processes visited both
//!   cases in the same rounds, moments apart. A disturbance of the whole machine affects both cases alike, and cancels
//!   out. If the run was interrupted and resumed between the two cases, the interval includes the spread between runs.

pub(super) mod findings;
pub(super) mod tables;

pub(crate) use findings::{USE_CASE, impossible, threads};

use crate::case::CaseAnalysis;
use crate::estimates::Estimates;
use crate::group::gathered;
use crate::run::RunAnalysis;
use pqlab_record::Parameter;
use pqlab_stats::{Description, Interval};

/// Figures for one operation on a number of threads.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalingFigures {
    /// The case's id.
    pub id: String,
    /// Algorithm and operation, with all parameters except the number of threads.
    pub name: String,
    /// The provider's id.
    pub provider: String,
    /// Number of threads that worked concurrently.
    pub threads: u64,
    /// Number of processors over which the threads were spread.
    pub cores: Option<u64>,
    /// Whether there were more threads than processors.
    pub oversubscribed: bool,
    /// Operations per second, over all threads.
    pub rate: Interval,
    /// Throughput relative to one thread; `None` if one thread was not measured.
    pub speed_up: Option<Interval>,
    /// Speed-up divided by the number of threads, or by the number of processors if there are fewer.
    pub efficiency: Option<Interval>,
}

/// Figures for a number of concurrent tasks in a thread pool.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadFigures {
    /// The case's id.
    pub id: String,
    /// Algorithm and operation, with all parameters except the numbers of tasks and workers.
    pub name: String,
    /// The provider's id.
    pub provider: String,
    /// Number of tasks submitted at the same time.
    pub tasks: u64,
    /// Number of threads in the pool.
    pub workers: u64,
    /// Number of processors over which the workers were spread.
    pub cores: Option<u64>,
    /// Whether there were more workers than processors.
    pub oversubscribed: bool,
    /// Mean wall time of a load in ms.
    pub wall_ms: f64,
    /// Tasks per second.
    pub rate: Interval,
    /// Median time in µs that a task waits for a worker. Each load has a median; this is the median over the loads.
    pub queueing_p50_us: Option<f64>,
    /// 95th percentile of the time in µs that a task waits for a worker: the median over the loads.
    pub queueing_p95_us: Option<f64>,
    /// 99th percentile of the time in µs that a task waits for a worker: the median over the loads.
    pub queueing_p99_us: Option<f64>,
    /// Longest time that any task waited in any load, in µs.
    pub queueing_max_us: Option<f64>,
    /// Percentage by which the throughput differs from that of the best load for the same operation and number of
    /// workers. Negative values are losses.
    pub against_peak_pct: Option<Interval>,
    /// Percentage by which the throughput differs from that of the smallest load for the same operation and number of
    /// workers. Negative values are losses.
    pub against_smallest_pct: Option<Interval>,
}

/// Returns figures for all cases that set a number of threads, grouped by operation, in the order of the plan.
pub fn scaling(analysis: &RunAnalysis<'_>) -> Vec<ScalingFigures> {
    let mut entries = Vec::new();
    for group in groups(analysis, &[Parameter::THREADS]) {
        let single = group.iter().find(|row| row.number(Parameter::THREADS) == 1);
        for row in &group {
            let threads = row.number(Parameter::THREADS);
            let cores = row.extra("cores", |values| values.median).map(|cores| cores as u64);
            let ideal = threads.min(cores.unwrap_or(threads)).max(1) as f64;
            let speed_up = single.and_then(|single| throughput_over(analysis, row, single));
            entries.push(ScalingFigures {
                id: row.case.case().id(),
                name: row.name.clone(),
                provider: row.case.case().provider.clone(),
                threads,
                cores,
                oversubscribed: cores.is_some_and(|cores| cores < threads),
                rate: row.throughput(),
                speed_up,
                efficiency: speed_up.map(|ratio| of_each_end(ratio, |value| value / ideal)),
            });
        }
    }
    entries
}

/// Returns figures for all cases that set a number of tasks, grouped by operation, in the order of the plan.
pub fn loads(analysis: &RunAnalysis<'_>) -> Vec<LoadFigures> {
    let mut entries = Vec::new();
    for group in groups(analysis, &[Parameter::TASKS, Parameter::WORKERS]) {
        for row in &group {
            let (tasks, workers) = (row.number(Parameter::TASKS), row.number(Parameter::WORKERS));
            let cores = row.extra("cores", |values| values.median).map(|cores| cores as u64);
            let same_pool = || group.iter().filter(|other| other.number(Parameter::WORKERS) == workers);
            let peak =
                same_pool().max_by(|one, other| one.throughput().estimate.total_cmp(&other.throughput().estimate));
            let smallest = same_pool().min_by_key(|other| other.number(Parameter::TASKS));
            let against = |other: Option<&Row<'_, '_>>| {
                let ratio = throughput_over(analysis, row, other?)?;
                Some(of_each_end(ratio, |value| 100.0 * (value - 1.0)))
            };
            let queueing = |name: &str| row.extra(name, |values| values.median).map(|ns| ns / 1e3);
            entries.push(LoadFigures {
                id: row.case.case().id(),
                name: row.name.clone(),
                provider: row.case.case().provider.clone(),
                tasks,
                workers,
                cores,
                oversubscribed: cores.is_some_and(|cores| cores < workers),
                wall_ms: row.estimates.mean_ns.estimate * tasks as f64 / 1e6,
                rate: row.throughput(),
                queueing_p50_us: queueing("queueing_p50_ns"),
                queueing_p95_us: queueing("queueing_p95_ns"),
                queueing_p99_us: queueing("queueing_p99_ns"),
                queueing_max_us: row.extra("queueing_max_ns", |values| values.max).map(|ns| ns / 1e3),
                against_peak_pct: against(peak),
                against_smallest_pct: against(smallest),
            });
        }
    }
    entries
}

/// Applies a function to the estimate and to both ends of an interval.
fn of_each_end(interval: Interval, value: impl Fn(f64) -> f64) -> Interval {
    Interval { estimate: value(interval.estimate), low: value(interval.low), high: value(interval.high), ..interval }
}

/// Returns the throughput of `row` relative to `base`, computed as a ratio of times; exactly 1 if both are the same
/// case.
fn throughput_over(analysis: &RunAnalysis<'_>, row: &Row<'_, '_>, base: &Row<'_, '_>) -> Option<Interval> {
    if std::ptr::eq(row.case, base.case) {
        return Some(of_each_end(row.throughput(), |_| 1.0));
    }
    analysis.throughput_ratio(base.case, row.case)
}

/// A case with estimates.
struct Row<'r, 'a> {
    name: String,
    case: &'r CaseAnalysis<'a>,
    estimates: &'r Estimates,
}

impl Row<'_, '_> {
    fn number(&self, name: &str) -> u64 {
        self.case.case().number(name).unwrap_or(0)
    }

    fn throughput(&self) -> Interval {
        let nothing = of_each_end(self.estimates.mean_ns, |_| 0.0);
        self.estimates.operations_per_second().unwrap_or(nothing)
    }

    fn extra(&self, name: &str, value: impl Fn(&Description) -> f64) -> Option<f64> {
        self.estimates.extra(name).map(value)
    }
}

/// Groups the cases that set all of `parameters`. The cases of a group differ only in these parameters. Groups are in
/// the order of the plan.
fn groups<'r, 'a>(analysis: &'r RunAnalysis<'a>, parameters: &[&str]) -> Vec<Vec<Row<'r, 'a>>> {
    let row = |case: &'r CaseAnalysis<'a>| {
        let all = parameters.iter().all(|name| case.case().number(name).is_some());
        let estimates = case.estimates.as_ref().filter(|_| all)?;
        let rest = case.case().clone().without(parameters);
        Some((rest.id(), Row { name: rest.name(), case, estimates }))
    };
    gathered(analysis.cases().iter().filter_map(row)).into_iter().map(|(_, rows)| rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_record::Run;

    fn close(left: f64, right: f64, tolerance: f64) {
        assert!((left - right).abs() <= tolerance, "{left} is not {right}");
    }

    fn entries(run: &Run) -> Vec<ScalingFigures> {
        scaling(&RunAnalysis::new(run))
    }

    #[test]
    fn speed_up_and_efficiency_are_relative_to_one_thread() {
        let entries = entries(&fixtures::scaling_run());
        assert_eq!(entries.iter().map(|entry| entry.threads).collect::<Vec<_>>(), [1, 2, 4, 2]);
        let (one, two, four, alone) = (&entries[0], &entries[1], &entries[2], &entries[3]);
        assert_eq!(one.name, "ML-DSA-65 verify");
        let itself = one.speed_up.unwrap();
        assert_eq!((itself.estimate, itself.low, itself.high), (1.0, 1.0, 1.0));
        close(two.speed_up.unwrap().estimate, 1.9, 0.01);
        close(two.efficiency.unwrap().estimate, 0.95, 0.005);
        close(two.rate.estimate / one.rate.estimate, 1.9, 0.01);
        let ratio = two.speed_up.unwrap();
        assert!(ratio.low < ratio.estimate && ratio.estimate < ratio.high);
        assert!(!two.oversubscribed && four.oversubscribed);
        // Efficiency is relative to the two processors, not to the four threads.
        close(four.efficiency.unwrap().estimate, 0.9, 0.005);
        assert_eq!((alone.speed_up, alone.efficiency), (None, None));
    }

    #[test]
    fn effects_on_the_whole_machine_cancel_out_of_a_ratio() {
        let mut run = fixtures::scaling_run();
        for record in &mut run.records[..2] {
            for visit in record.samples.visits.iter_mut().filter(|visit| visit.process > 3 || visit.round == 1) {
                visit.ticks.iter_mut().for_each(|ticks| *ticks *= 3);
            }
        }
        let ratio = entries(&run)[1].speed_up.unwrap();
        close(ratio.estimate, 1.9, 0.02);
        assert!(ratio.high - ratio.low < 0.05, "{ratio:?}");
    }

    #[test]
    fn cases_from_different_starts_are_unpaired() {
        let mut run = fixtures::scaling_run();
        run.records[1].samples.visits.iter_mut().for_each(|visit| visit.start = 1);
        let width = |run: &Run| {
            let ratio = entries(run)[1].speed_up.unwrap();
            ratio.high - ratio.low
        };
        // Without pairing, the interval includes the spread between runs, and common effects do not
        // cancel out.
        assert!(width(&run) > 2.0 * width(&fixtures::scaling_run()), "{}", width(&run));
    }

    #[test]
    fn losses_are_relative_to_the_peak_and_the_smallest_load() {
        let entries = loads(&RunAnalysis::new(&fixtures::scaling_run()));
        assert_eq!(entries.iter().map(|entry| entry.tasks).collect::<Vec<_>>(), [100, 500, 5000]);
        let peak: Vec<f64> = entries.iter().map(|entry| entry.against_peak_pct.unwrap().estimate).collect();
        close(peak[0], -10.0, 0.5);
        assert_eq!(peak[1], 0.0);
        close(peak[2], -5.0, 0.5);
        // The last load reaches 95% of the peak, the smallest load 90%.
        close(entries[2].against_smallest_pct.unwrap().estimate, 100.0 * (0.95 / 0.9 - 1.0), 0.5);
        close(entries[1].wall_ms, 500.0 * 0.045, 0.5);
        assert_eq!((entries[0].queueing_p50_us, entries[0].queueing_max_us), (Some(2.0), Some(9.0)));
        assert_eq!((entries[0].workers, entries[0].cores, entries[0].oversubscribed), (2, Some(2), false));
    }

    #[test]
    fn a_run_without_threads_has_no_scaling_or_loads() {
        let run = fixtures::run();
        assert!(entries(&run).is_empty() && loads(&RunAnalysis::new(&run)).is_empty());
    }
}
