use super::interference::Probe;
use super::*;

const VISIT_NS: u64 = 10_000_000;

fn quiet() -> Observation {
    Observation {
        wall_ns: VISIT_NS,
        cpu_ns: VISIT_NS,
        waited_ns: Some(0),
        steal_ns: Some(0),
        involuntary_switches: 0,
        pressure_ns: Some(0),
        clock_before_hz: 3e9,
        clock_after_hz: 3e9,
        narrowed_pct: Some(0.0),
        narrowed_after_pct: Some(0.0),
        runnable_tasks: Some(0),
    }
}

fn judged(seen: Observation) -> Vec<Disturbance> {
    judge(&seen, &Thresholds::default())
}

#[test]
fn a_quiet_visit_is_clean() {
    assert_eq!(judged(quiet()), []);
    // A value that an old kernel or another system cannot report is not a disturbance.
    assert_eq!(judged(Observation { waited_ns: None, steal_ns: None, pressure_ns: None, ..quiet() }), []);
}

#[test]
fn detects_a_lost_share_of_the_processor() {
    assert_eq!(judged(Observation { cpu_ns: VISIT_NS * 99 / 100, ..quiet() }), []);
    let shared = Observation { cpu_ns: VISIT_NS / 2, ..quiet() };
    assert_eq!(judged(shared), [Disturbance::CpuShare { pct: 50.0 }]);
    assert_eq!(judge(&shared, &Thresholds { min_cpu_share_pct: None, ..Thresholds::default() }), []);
}

#[test]
fn sleep_is_not_lost_time_for_workloads_that_wait() {
    let asleep = Observation { cpu_ns: VISIT_NS / 10, ..quiet() };
    assert_eq!(judge(&asleep, &Thresholds::for_waiting_workload()), []);
    assert_eq!(judge(&Observation { cpu_ns: 0, ..asleep }, &Thresholds::for_waiting_workload()), []);
    // The thread ran for as long as it waited to run.
    let kept_waiting = Observation { waited_ns: Some(VISIT_NS / 10), ..asleep };
    assert_eq!(judge(&kept_waiting, &Thresholds::for_waiting_workload()), [Disturbance::CpuShare { pct: 50.0 }]);
}

#[test]
fn a_stolen_tick_disturbs_short_visits_only() {
    let tick = 10_000_000;
    assert_eq!(judged(Observation { steal_ns: Some(tick), ..quiet() }), [Disturbance::Steal { pct: 100.0 }]);
    let long = Observation { wall_ns: 2_000_000_000, cpu_ns: 2_000_000_000, ..quiet() };
    assert_eq!(judged(Observation { steal_ns: Some(tick), ..long }), []);
    assert_eq!(judged(Observation { steal_ns: Some(4 * tick), ..long }), [Disturbance::Steal { pct: 2.0 }]);
}

#[test]
fn switches_count_by_the_length_of_the_visit_and_by_their_cost() {
    let switched = |count, lost_ns| Observation { involuntary_switches: count, cpu_ns: VISIT_NS - lost_ns, ..quiet() };
    assert_eq!(judged(switched(1, 20_000)), []);
    assert_eq!(judged(switched(2, 20_000)), [Disturbance::InvoluntarySwitches { count: 2 }]);
    assert_eq!(judged(switched(1, 150_000)), [Disturbance::InvoluntarySwitches { count: 1 }]);
    let second = Observation { wall_ns: 1_000_000_000, cpu_ns: 1_000_000_000, involuntary_switches: 21, ..quiet() };
    assert_eq!(judged(second), []);
    let more = Observation { involuntary_switches: 22, ..second };
    assert_eq!(judged(more), [Disturbance::InvoluntarySwitches { count: 22 }]);
}

#[test]
fn ignores_pressure_on_other_processors() {
    let elsewhere = Observation { pressure_ns: Some(VISIT_NS / 2), ..quiet() };
    assert_eq!(judged(elsewhere), []);
    let here = Observation { involuntary_switches: 1, ..elsewhere };
    assert_eq!(judged(here), [Disturbance::Pressure { pct: 50.0 }]);
}

#[test]
fn detects_a_clock_that_speeds_up_or_slows_down() {
    assert_eq!(judged(Observation { clock_after_hz: 3.2e9, ..quiet() }), []);
    for after in [2.4e9, 3.6e9] {
        let found = judged(Observation { clock_after_hz: after, ..quiet() });
        assert!(matches!(found[..], [Disturbance::ClockDrift { pct }] if (pct.abs() - 20.0).abs() < 1e-9), "{found:?}");
    }
}

#[test]
fn detects_a_shared_core_unless_the_trial_itself_shares_it() {
    assert_eq!(judged(Observation { narrowed_pct: Some(4.0), ..quiet() }), []);
    assert_eq!(judged(Observation { narrowed_pct: None, ..quiet() }), []);
    let shared = Observation { narrowed_pct: Some(30.0), ..quiet() };
    assert_eq!(judged(shared), [Disturbance::SharedCore { pct: 30.0, kept: false }]);
    assert_eq!(
        judge(&shared, &Thresholds::for_several_threads()),
        [Disturbance::SharedCore { pct: 30.0, kept: false }]
    );
    // For these threads, the harness probes all cores together.
    assert_eq!(judge(&shared, &Thresholds::for_one_of_several_threads()), []);
    assert_eq!(judge(&shared, &Thresholds::for_threads_that_wait()), []);
}

#[test]
fn other_tasks_disturb_several_threads_unless_processors_are_free() {
    let crowded = Observation { runnable_tasks: Some(2), ..quiet() };
    assert_eq!(judge(&crowded, &Thresholds::for_several_threads()), [Disturbance::OtherTasks { count: 2 }]);
    assert_eq!(judge(&quiet(), &Thresholds::for_several_threads()), []);
    assert_eq!(judge(&crowded, &Thresholds::for_threads_that_wait()), [Disturbance::OtherTasks { count: 2 }]);
    // A single thread is judged only by its own processor.
    assert_eq!(judged(crowded), []);

    let seen = |others| Probe { additions: None, others };
    assert_eq!(runnable_tasks(8, 8, seen(Some(0)), seen(Some(3))), Some(3));
    assert_eq!(runnable_tasks(8, 6, seen(Some(3)), seen(Some(0))), Some(1));
    assert_eq!(runnable_tasks(8, 4, seen(Some(3)), seen(Some(4))), Some(0));
    // With more threads than processors, no processor is free.
    assert_eq!(runnable_tasks(2, 4, seen(Some(1)), seen(Some(0))), Some(1));
    assert_eq!(runnable_tasks(8, 8, seen(None), seen(Some(4))), None);
    assert_eq!(interference::runnable("0.47 1.39 1.43 2/123 8899\n"), Some(2));
    assert_eq!(interference::runnable("0.47 1.39 1.43"), None);
}

#[test]
fn the_baseline_is_the_third_highest_throughput() {
    let mut width = KnownAdditions::default();
    assert!(width.is_unseen() && width.known().is_none() && width.narrowed_pct(3.0).is_none());
    [3.0, 4.0, 2.0, 3.9, 90.0, 1.0].into_iter().for_each(|seen| width.see(seen));
    // Two readings that are too high, from wrong clock estimates, must not make every later visit
    // look disturbed.
    assert_eq!((width.most, width.known()), ([90.0, 4.0, 3.9], Some(3.9)));
    assert_eq!(width.narrowed_pct(3.9), Some(0.0));
    // A higher baseline from another process replaces this process's own.
    width.expect(7.8);
    width.expect(5.0);
    assert_eq!((width.known(), width.narrowed_pct(3.9)), (Some(7.8), Some(50.0)));
}

#[test]
fn merges_the_baselines_of_workers() {
    let (own, two, one) = (Cores::Own(vec![]), Cores::Together(vec![0, 1]), Cores::Together(vec![2]));
    let mut known = AdditionsPerCycle::from([(own.clone(), 4.0), (two.clone(), 3.0)]);
    merge(&mut known, &AdditionsPerCycle::from([(own.clone(), 3.5), (two.clone(), 3.5), (one.clone(), 1.0)]));
    assert_eq!(known, AdditionsPerCycle::from([(own.clone(), 4.0), (two.clone(), 3.5), (one.clone(), 1.0)]));
    // The monitor adopts only the baselines for sets of processors, not the one for a worker's own core.
    let mut monitor = InterferenceMonitor::new();
    monitor.expect(&known);
    assert_eq!(monitor.additions_per_cycle(), AdditionsPerCycle::from([(two, 3.5), (one, 1.0)]));
    let wide = |width| Probe { additions: Some(width), others: None };
    assert_eq!(monitor.narrowed_pct(&[0, 1], wide(3.5), wide(2.8)).map(f64::round), Some(20.0));
    assert_eq!(monitor.narrowed_pct(&[0, 1], wide(1.75), wide(3.5)).map(f64::round), Some(50.0));
    assert_eq!(monitor.narrowed_pct(&[0, 1], Probe::default(), wide(3.5)), None);
    assert_eq!(monitor.narrowed_pct(&[0], wide(3.5), wide(3.5)), None);
    // If no file distinguishes core types, one baseline applies to all cores.
    let mut gate = Gate::at(tempfile::tempdir().unwrap().path(), None);
    gate.expect(&known);
    assert_eq!(gate.additions_per_cycle(), AdditionsPerCycle::from([(own, 4.0)]));
}

#[test]
fn baselines_apply_to_one_core_type_only() {
    let folder = tempfile::tempdir().unwrap();
    for (kind, cpus) in [("cpu_core", "0-3\n"), ("cpu_atom", "4-7\n")] {
        std::fs::create_dir_all(folder.path().join("sys/devices").join(kind)).unwrap();
        std::fs::write(folder.path().join("sys/devices").join(kind).join("cpus"), cpus).unwrap();
    }
    let (wide, narrow) = (Cores::Own(vec![0, 1, 2, 3]), Cores::Own(vec![4, 5, 6, 7]));
    let known =
        AdditionsPerCycle::from([(wide.clone(), 6.0), (narrow.clone(), 3.0), (Cores::Together(vec![0, 1, 2, 3]), 5.0)]);
    for (cpu, cores, width) in [(1, wide, 6.0), (5, narrow, 3.0), (9, Cores::Own(vec![9]), f64::NAN)] {
        let mut gate = Gate::at(folder.path(), Some(cpu));
        gate.expect(&known);
        let expected =
            if width.is_nan() { AdditionsPerCycle::new() } else { AdditionsPerCycle::from([(cores, width)]) };
        assert_eq!(gate.additions_per_cycle(), expected, "processor {cpu}");
    }
    // A thread that may run on cores of either type has no baseline.
    let mut gate = Gate::at(folder.path(), None);
    gate.expect(&known);
    assert_eq!(gate.glance().narrowed_pct, None);
    let before = gate.open();
    assert_eq!((gate.close(before).narrowed_pct, gate.additions_per_cycle()), (None, AdditionsPerCycle::new()));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_gate_and_a_monitor_measure_throughput() {
    let mut gate = Gate::at(tempfile::tempdir().unwrap().path(), None);
    let before = gate.open();
    assert!(gate.width.most.is_sorted_by(|a, b| a >= b) && gate.width.most[2] > 0.0);
    gate.expect(&AdditionsPerCycle::from([(gate.cores.clone().unwrap(), 1e3)]));
    assert!(gate.close(before).narrowed_pct.unwrap() > 50.0);

    let cpus = crate::affinity::allowed();
    let mut monitor = InterferenceMonitor::new();
    let seen = monitor.probe(&cpus).additions.unwrap();
    let [most, .., known] = monitor.sets[&cpus].most;
    assert!(seen > 0.0 && most >= known && known > 0.0, "{seen} of {most}, {known}");
    assert!(monitor.probe(&cpus).additions.is_some());
    // The monitor reports no throughput if it cannot pin a thread.
    assert_eq!(monitor.probe(&[u32::MAX >> 1]).additions, None);
}

#[cfg(target_os = "linux")]
#[test]
fn the_monitor_counts_runnable_tasks() {
    let (over, begun) = (std::sync::atomic::AtomicBool::new(false), std::sync::Barrier::new(4));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                begun.wait();
                while !over.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        begun.wait();
        let others = InterferenceMonitor::new().probe(&crate::affinity::allowed()).others;
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(others.is_some_and(|others| others >= 3), "{others:?}");
    });
}

#[test]
fn reads_the_kernels_files() {
    let stat = "cpu  1 2 3 4 5 6 7 80 0 0\ncpu0 1 2 3 4 5 6 7 30 0 0\ncpu1 1 2 3 4 5 6 7 50 0 0\nintr 9";
    assert_eq!(steal_ticks(stat, "cpu "), Some(80));
    assert_eq!(steal_ticks(stat, "cpu1 "), Some(50));
    assert_eq!(steal_ticks(stat, "cpu2 "), None);
    assert_eq!(steal_ticks("cpu0 1 2 3 4 5 6 7 8", "cpu0 "), None, "a truncated line must be ignored");
    let psi = "some avg10=9.28 avg60=3.73 avg300=1.79 total=18240343\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
    assert_eq!(pressure_us(psi), Some(18_240_343));
    assert_eq!(pressure_us("full total=7\n"), None);
    assert_eq!(waited_ns("123 456 7\n"), Some(456));
    assert_eq!(waited_ns(""), None);
}

#[test]
fn a_gate_rereads_its_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("proc/pressure")).unwrap();
    let write = |steal: u64, total: u64| {
        let stat =
            format!("cpu  0 0 0 0 0 0 0 {steal} 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 {steal} 0 0\n");
        std::fs::write(folder.path().join("proc/stat"), stat).unwrap();
        std::fs::write(folder.path().join("proc/pressure/cpu"), format!("some avg10=0.00 total={total}\n")).unwrap();
    };
    write(9, 1_000);
    let mut gate = Gate::at(folder.path(), Some(1));
    let before = gate.open();
    write(12, 1_500);
    let seen = gate.close(before);
    assert_eq!(seen.steal_ns, Some(3 * tick_ns()));
    assert_eq!((seen.pressure_ns, seen.waited_ns), (Some(500_000), None));
    assert!(seen.wall_ns > 0 && seen.cpu_ns <= seen.wall_ns && seen.clock_hz() > 0.0);
}

#[test]
fn a_gate_without_files_still_observes_the_thread() {
    let folder = tempfile::tempdir().unwrap();
    let mut gate = Gate::at(folder.path(), None);
    let before = gate.open();
    std::thread::sleep(std::time::Duration::from_millis(20));
    let seen = gate.close(before);
    assert_eq!((seen.steal_ns, seen.pressure_ns, seen.waited_ns), (None, None, None));
    assert!(seen.wall_ns >= 20_000_000);
    assert!(judge(&seen, &Thresholds::default()).iter().any(|found| matches!(found, Disturbance::CpuShare { .. })));
}

#[cfg(target_os = "linux")]
#[test]
fn this_machine_answers() {
    let mut gate = Gate::new(Some(0));
    let before = gate.open();
    let seen = gate.close(before);
    assert!(seen.steal_ns.is_some());
}
