//! Tests how well runs of the same plan agree. Computes the spread between the runs, and the percentage of intervals
//! that contain the mean result of the other runs.

use crate::{LabError, Laboratory, Plan, Progress, RunRequest};
use pqlab_analysis::RunAnalysis;
use pqlab_record::RunSpreads;
use pqlab_stats::{Interval, coefficient_of_variation_pct, mean, median};
use pqlab_store::Store;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Minimum number of runs for an agreement test.
pub const FEWEST_RUNS: u32 = 3;

/// Interval between checks for a stop request during a pause.
const PAUSE_STEP: Duration = Duration::from_millis(100);

/// Settings of an agreement test.
#[derive(Clone, Debug)]
pub struct BetweenRequest {
    /// Number of runs, at least [`FEWEST_RUNS`].
    pub runs: u32,
    /// Pause between two runs.
    pub pause: Duration,
    /// Seed for all runs. `None` gives every run a different random seed.
    pub seed: Option<u64>,
    /// Command line to store with the runs.
    pub command: String,
}

/// Result of an agreement test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Between {
    /// Number of runs.
    pub runs: u32,
    /// Pause between two runs, in seconds.
    pub pause_s: f64,
    /// Number of cases measured.
    pub cases: usize,
    /// Number of disturbed figures. Each case has one figure per run.
    pub contended: usize,
    /// Agreement of the times.
    pub time: Agreement,
    /// Agreement of the core cycles.
    pub cycles: Agreement,
    /// Agreement of the undisturbed figures. Leaves out cases with fewer than [`FEWEST_RUNS`] of them.
    pub undisturbed: Undisturbed,
    /// Spread between runs over all cases, as each run assumed it when it started. One entry per run.
    pub run_spreads: Vec<RunSpreads>,
    /// Agreement for each case, in the plan's order.
    pub by_case: Vec<CaseBetween>,
}

impl Between {
    /// Returns the result as JSON.
    pub fn to_json(&self) -> Value {
        let mut value = json!(self);
        for (name, agreement) in [("time", &self.time), ("cycles", &self.cycles)] {
            value[name]["coverage_pct"] = json!(agreement.coverage_pct());
        }
        for (name, agreement) in [("time", &self.undisturbed.time), ("cycles", &self.undisturbed.cycles)] {
            value["undisturbed"][name]["coverage_pct"] = json!(agreement.coverage_pct());
        }
        value
    }
}

/// Agreement of the undisturbed figures, over all cases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Undisturbed {
    /// Agreement of the times.
    pub time: Agreement,
    /// Agreement of the core cycles.
    pub cycles: Agreement,
}

/// Agreement of the runs on one case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseBetween {
    /// Id of the case.
    pub case: String,
    /// Agreement of the times.
    pub time: Agreement,
    /// Agreement of the core cycles.
    pub cycles: Agreement,
}

/// Coverage and width of the intervals, and the spread between runs, for one case or for all cases together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Agreement {
    /// Number of compared intervals: one per case and run.
    pub intervals: usize,
    /// Number of intervals that contain the mean of the other runs' medians.
    pub covering: usize,
    /// Median half-width of the intervals, in percent.
    pub half_width_pct: Option<f64>,
    /// Standard deviation of the runs' medians in percent; for several cases, the median of their standard deviations.
    pub spread_pct: Option<f64>,
}

impl Agreement {
    /// Returns the percentage of intervals that contain the mean of the other runs' medians; `None` without intervals.
    pub fn coverage_pct(&self) -> Option<f64> {
        (self.intervals > 0).then(|| 100.0 * self.covering as f64 / self.intervals as f64)
    }

    /// Computes the agreement of one case from its intervals, one per run. Returns the default if there are fewer than
    /// [`FEWEST_RUNS`] intervals.
    fn new(intervals: &[Interval]) -> Agreement {
        if intervals.len() < FEWEST_RUNS as usize {
            return Agreement::default();
        }
        let medians: Vec<f64> = intervals.iter().map(|interval| interval.estimate).collect();
        let covers = |(at, interval): &(usize, &Interval)| {
            let others = medians.iter().enumerate().filter(|(other, _)| other != at).map(|(_, median)| *median);
            let mean = mean(&others.collect::<Vec<_>>());
            mean.is_some_and(|mean| interval.low <= mean && mean <= interval.high)
        };
        let widths: Vec<f64> = intervals.iter().map(Interval::half_width_pct).collect();
        Agreement {
            intervals: intervals.len(),
            covering: intervals.iter().enumerate().filter(covers).count(),
            half_width_pct: median(&widths),
            spread_pct: coefficient_of_variation_pct(&medians),
        }
    }

    /// Combines the agreements of all cases. `widths` contains the half-widths of all their intervals, in percent.
    fn over(cases: &[Agreement], widths: &[f64]) -> Agreement {
        let spreads: Vec<f64> = cases.iter().filter_map(|case| case.spread_pct).collect();
        Agreement {
            intervals: cases.iter().map(|case| case.intervals).sum(),
            covering: cases.iter().map(|case| case.covering).sum(),
            half_width_pct: median(widths),
            spread_pct: median(&spreads),
        }
    }
}

/// Intervals of a case, one per run.
#[derive(Default)]
struct Printed {
    time: Vec<Interval>,
    cycles: Vec<Interval>,
}

/// Returns the agreement of the times over all cases, the agreement of the core cycles over all cases, and the
/// agreement of each case in the given order.
fn agree(cases: &[(String, Printed)]) -> (Agreement, Agreement, Vec<CaseBetween>) {
    let compare = |(id, printed): &(String, Printed)| CaseBetween {
        case: id.clone(),
        time: Agreement::new(&printed.time),
        cycles: Agreement::new(&printed.cycles),
    };
    let by_case: Vec<CaseBetween> = cases.iter().map(compare).collect();
    let over = |select: fn(&CaseBetween) -> Agreement, printed: fn(&Printed) -> &Vec<Interval>| {
        let each: Vec<Agreement> = by_case.iter().map(select).collect();
        let judged = cases.iter().zip(&each).filter(|(_, agreement)| agreement.intervals > 0);
        let widths = judged.flat_map(|((_, case), _)| printed(case)).map(Interval::half_width_pct);
        Agreement::over(&each, &widths.collect::<Vec<_>>())
    };
    let time = over(|case| case.time, |printed| &printed.time);
    let cycles = over(|case| case.cycles, |printed| &printed.cycles);
    (time, cycles, by_case)
}

impl Laboratory {
    /// Measures a plan several times, with pauses, and compares the intervals of each run with the results of the other
    /// runs. The runs share a temporary database, so that later runs estimate the spread between runs from earlier
    /// ones, as they do with the user's database. If `stop` is set, compares only complete runs. Returns `None` if
    /// fewer than [`FEWEST_RUNS`] runs are complete.
    ///
    /// # Errors
    /// [`LabError::Invalid`] for fewer than [`FEWEST_RUNS`] runs; [`LabError`] if runs cannot be measured.
    pub fn measure_between(
        &self,
        plan: &Plan,
        request: &BetweenRequest,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Option<Between>, LabError> {
        if request.runs < FEWEST_RUNS {
            let reason = format!("runs must be at least {FEWEST_RUNS}, not {}", request.runs);
            return Err(LabError::invalid("runs", reason));
        }
        let mut store = Store::in_memory()?;
        // The intervals of all figures, and those of the undisturbed ones.
        let [mut printed, mut quiet]: [BTreeMap<String, Printed>; 2] = Default::default();
        let (mut run_spreads, mut contended) = (Vec::new(), 0);
        for number in 0..request.runs {
            if number > 0 && !pause(request.pause, stop) {
                break;
            }
            let run_request = RunRequest { seed: request.seed, command: request.command.clone() };
            let ended = self.run(&mut store, plan.clone(), &run_request, progress, stop)?;
            if !ended.complete {
                break;
            }
            let run = store.load_run(&ended.run)?;
            for case in RunAnalysis::new(&run).cases().iter().filter(|case| !case.is_floor()) {
                let Some(estimates) = &case.estimates else { continue };
                contended += usize::from(estimates.contended);
                let id = case.case().id();
                for kind in [Some(&mut printed), (!estimates.contended).then_some(&mut quiet)].into_iter().flatten() {
                    let case = kind.entry(id.clone()).or_default();
                    case.time.push(estimates.headline_ns());
                    case.cycles.extend(estimates.cycles.map(|cycles| cycles.headline()));
                }
            }
            run_spreads.push(RunSpreads { cases: BTreeMap::new(), ..run.header.protocol.run_spreads });
        }
        let runs = run_spreads.len() as u32;
        if runs < FEWEST_RUNS {
            return Ok(None);
        }
        let in_order = plan.cases.iter().filter_map(|case| printed.remove_entry(&case.id()));
        let (time, cycles, by_case) = agree(&in_order.collect::<Vec<_>>());
        let (quiet_time, quiet_cycles, _) = agree(&quiet.into_iter().collect::<Vec<_>>());
        let undisturbed = Undisturbed { time: quiet_time, cycles: quiet_cycles };
        let pause_s = request.pause.as_secs_f64();
        let cases = by_case.len();
        Ok(Some(Between { runs, pause_s, cases, contended, time, cycles, undisturbed, run_spreads, by_case }))
    }
}

/// Waits for `length`, or until `stop` is set. Returns `false` if `stop` was set.
fn pause(length: Duration, stop: &AtomicBool) -> bool {
    let mut left = length;
    while !left.is_zero() && !stop.load(Ordering::Relaxed) {
        let step = left.min(PAUSE_STEP);
        std::thread::sleep(step);
        left -= step;
    }
    !stop.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_stats::{CONFIDENCE, IntervalMethod};

    fn interval(estimate: f64, half_pct: f64) -> Interval {
        let half = estimate * half_pct / 100.0;
        let (low, high) = (estimate - half, estimate + half);
        Interval { estimate, low, high, confidence: CONFIDENCE, method: IntervalMethod::CrossedT }
    }

    #[test]
    fn counts_intervals_that_cover_the_mean_of_the_other_runs() {
        // The other runs' means are 102, 101.5 and 100.5. The first interval ends at 102.5, the second at 101.4.
        let agreement = Agreement::new(&[interval(100.0, 2.5), interval(101.0, 0.4), interval(103.0, 1.0)]);
        assert_eq!((agreement.intervals, agreement.covering), (3, 1));
        assert_eq!(agreement.half_width_pct.map(|pct| (pct * 100.0).round()), Some(100.0));
        let all = Agreement::new(&[interval(100.0, 2.0), interval(101.0, 2.0), interval(102.0, 2.0)]);
        assert_eq!((all.covering, all.coverage_pct()), (3, Some(100.0)));
        assert!((all.spread_pct.unwrap() - 100.0 / 101.0).abs() < 1e-9, "{all:?}");
    }

    #[test]
    fn sums_up_cases_and_leaves_out_those_with_too_few_runs() {
        let near = || vec![interval(100.0, 2.0), interval(101.0, 2.0), interval(102.0, 2.0)];
        let far = vec![interval(100.0, 1.0), interval(200.0, 1.0), interval(300.0, 1.0)];
        let cases = vec![
            ("near".to_owned(), Printed { time: near(), cycles: near() }),
            ("far".to_owned(), Printed { time: far, cycles: Vec::new() }),
            ("few".to_owned(), Printed { time: near()[..2].to_vec(), cycles: Vec::new() }),
        ];
        let (time, cycles, by_case) = agree(&cases);
        // In the case "far", the median of the middle run equals the mean of the other runs.
        assert_eq!((time.intervals, time.covering, cycles.intervals, cycles.covering), (6, 4, 3, 3));
        assert_eq!((by_case[2].time, by_case[1].cycles), (Agreement::default(), Agreement::default()));
        assert_eq!(by_case[2].time.coverage_pct(), None);
        assert!((time.half_width_pct.unwrap() - 1.5).abs() < 0.01, "{time:?}");
    }

    #[test]
    fn a_pause_ends_when_stopped() {
        assert!(pause(Duration::from_millis(1), &AtomicBool::new(false)));
        assert!(!pause(Duration::from_secs(3600), &AtomicBool::new(true)));
    }
}
