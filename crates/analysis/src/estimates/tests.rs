use super::*;
use crate::disturbances::Disturbances;
use crate::fixtures;
use pqlab_record::{Disturbance, Visit};
use pqlab_stats::IntervalMethod;

thread_local! {
    /// Number of times that this thread computed estimates.
    pub(crate) static MADE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn close(left: f64, right: f64) {
    assert!((left - right).abs() <= 1e-9 * right.abs().max(1.0), "{left} is not {right}");
}

#[test]
fn the_median_is_that_of_the_pooled_samples() {
    let record = fixtures::record("liboqs", 10.4);
    let estimates = estimate(&record, &Protocol::default()).unwrap();
    let all: Vec<f64> = record.samples.visits.iter().flat_map(|visit| record.samples.ns_per_operation(visit)).collect();
    let interval = estimates.median_ns;
    close(interval.estimate, pqlab_stats::median(&all).unwrap());
    assert!(interval.low < interval.estimate && interval.estimate < interval.high);
    assert_eq!(interval.method, IntervalMethod::CrossedT);
    assert_eq!((estimates.n, estimates.left_out, estimates.processes), (all.len(), 0, 8));
    close(estimates.ticks.unwrap() * record.samples.ns_per_tick.unwrap(), interval.estimate);
    close(estimates.operations_per_second().unwrap().estimate, 1e9 / estimates.samples_ns.mean);
    assert_eq!(estimates.clock_hz, Some(2.7e9));
}

/// Returns a record with a load on the other hardware thread during all visits of the processes numbered `first` and
/// above. The load lengthens these visits by half and takes `pct` percent of the throughput of the core.
fn slowed(first: u32, pct: f64) -> Record {
    let mut record = fixtures::record("liboqs", 10.0);
    for visit in record.samples.visits.iter_mut().filter(|visit| visit.process >= first) {
        visit.ticks.iter_mut().for_each(|ticks| *ticks += *ticks / 2);
        visit.disturbances = vec![Disturbance::SharedCore { pct, kept: false }];
    }
    record
}

#[test]
fn the_interval_of_a_disturbed_case_spans_undisturbed_and_disturbed_visits() {
    let truth = estimate(&fixtures::record("liboqs", 10.0), &Protocol::default()).unwrap();
    for (first, pct) in [(2, 20.0), (1, 34.0), (0, 34.0)] {
        let estimates = estimate(&slowed(first, pct), &Protocol::default()).unwrap();
        assert!(estimates.contended);
        let cycles = |of: &Estimates| of.cycles.unwrap();
        let pairs = [
            (estimates.median_ns, truth.median_ns),
            (estimates.mean_ns, truth.mean_ns),
            (cycles(&estimates).median, cycles(&truth).median),
            (cycles(&estimates).mean, cycles(&truth).mean),
        ];
        for (interval, truth) in pairs {
            assert!(interval.low <= truth.estimate, "from process {first}: {interval:?} misses {truth:?}");
            assert!(interval.high >= 1.45 * truth.estimate, "from process {first}: {interval:?} misses slow visits");
        }
        assert!(!estimates.imprecise.is_empty());
    }
    // With half of the core, an operation takes at most twice as long, so the lower end stays above half of the truth.
    let low = estimate(&slowed(0, 80.0), &Protocol::default()).unwrap().median_ns.low;
    assert!(low > 0.7 * truth.median_ns.estimate, "{low}");
}

#[test]
fn disturbed_visits_that_are_excluded_do_not_widen_the_interval() {
    let estimates = estimate(&slowed(4, 34.0), &Protocol::default()).unwrap();
    assert!(!estimates.contended && estimates.half_width_pct() < 5.0, "{estimates:?}");
}

#[test]
fn a_batch_keeps_only_mean_and_median() {
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
fn normality_is_tested_only_on_many_untrimmed_samples() {
    let mut record = fixtures::record("liboqs", 10.4);
    let test = estimate(&record, &Protocol::default()).unwrap().normality.unwrap();
    assert!(test.statistic > 10.0 && test.p_value < 0.01, "a tail of slow samples must not count as normal: {test:?}");
    let trimmed = estimate(&record, &Protocol { trim_pct: 1.0, ..Protocol::default() }).unwrap();
    assert_eq!(trimmed.normality, None);
    record.samples.visits.truncate(7);
    assert_eq!(estimate(&record, &Protocol::default()).unwrap().normality, None, "280 samples are too few");
}

#[test]
fn excludes_disturbed_visits_unless_there_are_many() {
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
    let sum = Disturbances::count(&record.samples);
    assert_eq!((sum.visits, sum.disturbed, sum.repeats), (16, 8, 24));
    let worst = Disturbance::CpuShare { pct: 40.0 };
    assert_eq!(sum.kinds, [("steal", 7, Disturbance::Steal { pct: 2.0 }), ("cpu-share", 8, worst)]);
}

#[test]
fn excludes_up_to_half_of_the_visits_for_another_load() {
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
    // Disturb two of the four undisturbed processes as well.
    record.samples.visits.iter_mut().filter(|visit| [1, 3].contains(&visit.process)).for_each(slow);
    let shared = estimate(&record, &Protocol::default()).unwrap();
    assert!(shared.contended && shared.left_out == 0, "{shared:?}");
}

#[test]
fn keeps_three_processes_even_if_another_load_disturbs_one() {
    let mut record = fixtures::record("liboqs", 10.4);
    record.samples.visits.truncate(3);
    assert_eq!(estimate(&record, &Protocol::default()).unwrap().processes, 3);
    record.samples.visits[1].disturbances = vec![Disturbance::SharedCore { pct: 40.0, kept: false }];
    let marked = estimate(&record, &Protocol::default()).unwrap();
    assert_eq!((marked.processes, marked.left_out, marked.contended), (3, 0, true));
}

#[test]
fn a_fixed_number_of_samples_keeps_visits_under_another_load() {
    let mut record = fixtures::record("liboqs", 10.4);
    let neighbour = |visit: &mut Visit| visit.disturbances = vec![Disturbance::SharedCore { pct: 40.0, kept: true }];
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
    assert_eq!(estimate(&record, &Protocol::default()).unwrap().drift, None, "two rounds must be too few for drift");
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
    let requested = Protocol { iterations: Some(1000), ..Protocol::default() };
    assert_eq!(estimate(&record, &requested).unwrap().imprecise, [], "without a target, no case may be imprecise");
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
fn the_wall_clock_has_no_ticks_and_equal_readings_keep_an_interval() {
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
fn cycles_come_with_wall_times() {
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
    close(estimates.bytes_per_second(Some(64)).unwrap().estimate, 64e9 / estimates.samples_ns.mean);
    assert_eq!((estimates.bytes_per_second(None), estimates.bytes_per_second(Some(0))), (None, None));
}

#[test]
fn values_from_the_workload_are_described_by_name() {
    let mut record = fixtures::record("liboqs", 10.4);
    record.samples.visits[0].extra = vec![("signature_bytes".into(), vec![650.0, 660.0])];
    record.samples.visits[1].extra = vec![("signature_bytes".into(), vec![655.0]), ("delay_ns".into(), vec![])];
    let estimates = estimate(&record, &Protocol::default()).unwrap();
    assert_eq!(estimates.extra.len(), 1);
    let (name, sizes) = &estimates.extra[0];
    assert_eq!((name.as_str(), sizes.n, sizes.median), ("signature_bytes", 3, 655.0));
}

/// An imported run can contain any number of arbitrary names.
#[test]
fn a_hundred_thousand_names_keep_their_order() {
    let mut record = fixtures::record("liboqs", 10.4);
    record.samples.visits.truncate(2);
    for visit in &mut record.samples.visits {
        visit.extra = (0..100_000).map(|number| (format!("name {number}"), vec![f64::from(number)])).collect();
    }
    let found = extra(&record.samples);
    assert_eq!(found.len(), 100_000);
    for (number, (name, values)) in (0..).zip(&found) {
        assert!(*name == format!("name {number}") && values.n == 2 && values.mean == f64::from(number));
    }
}
