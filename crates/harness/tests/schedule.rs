//! Tests the scheduler on a scripted machine, without reading a clock or calling a library.

#![allow(clippy::unwrap_used)]

use pqlab_harness::gate::{self, AdditionsPerCycle, Observation, Thresholds};
use pqlab_harness::schedule::{self, CounterFacts, Failure, REPEATS, Work};
use pqlab_harness::wire::{Prepared, VisitRequest, Visited};
use pqlab_harness::{Demands, Event, MeasuringError, Observer, ObserverError, Outcome, WorkerPool};
use pqlab_record::{Case, Disturbance, Facts, Metric, Protocol, ProtocolKind, Record, SecondChance, State, Status};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::time::Duration;

const COUNTER: CounterFacts = CounterFacts { metric: Metric::Wall, ns_per_tick: Some(1.0), grain_ns: 20.0 };
/// Time slice of a busy machine's scheduler, in ns.
const TIME_SLICE_NS: f64 = 4e6;

fn case(algorithm: &str, block: &str) -> Case {
    Case {
        workload: "kem".into(),
        algorithm: algorithm.into(),
        operation: "decapsulate".into(),
        provider: "scripted".into(),
        form: None,
        parameters: vec![],
        block: block.into(),
        facts: Facts::default(),
    }
}

/// Load that competes for the core.
#[derive(Clone, Copy, PartialEq)]
enum Load {
    /// An occasional kernel thread: one visit in fifty loses 50 µs.
    Quiet,
    /// A busy loop on the core: every other time slice is lost.
    Busy,
    /// A permanent load on the core's other hardware thread.
    Neighbour,
}

/// Simulated machine. Its operations take scripted times, and its gates see the scripted load.
struct ScriptedMachine {
    load: Load,
    random: ChaCha8Rng,
    /// Returns the time per operation in ns for an algorithm.
    cost: fn(&str) -> f64,
    /// Relative spread between operations, then between processes.
    spread: (f64, f64),
    failing: Option<&'static str>,
    demands: Demands,
    log: Vec<(u32, String)>,
    asked: Vec<VisitRequest>,
    prepared: Vec<String>,
    only_batch: Option<u64>,
    /// Time per operation that the preparation reports, in ns, if it differs from `cost`.
    estimated: Option<f64>,
    dismissed: usize,
    waited: usize,
    /// Time in ns to prepare a case in a process.
    preparing_ns: u64,
    /// Simulated time in ns.
    now_ns: u64,
    /// Time at which the load ends, in ns.
    leaves_ns: u64,
    /// Length in ns of the bursts, and of the pauses between them, in which the load returns after `leaves_ns`.
    returns_ns: Option<u64>,
    /// Factor by which [`Load::Neighbour`] lengthens operations.
    slowdown: f64,
    /// Whether visits can be postponed.
    postpones: bool,
}

impl ScriptedMachine {
    fn new(load: Load) -> ScriptedMachine {
        ScriptedMachine {
            load,
            random: ChaCha8Rng::seed_from_u64(7),
            cost: |_| 20_000.0,
            spread: (0.02, 0.002),
            failing: None,
            demands: Demands::default(),
            log: Vec::new(),
            asked: Vec::new(),
            prepared: Vec::new(),
            only_batch: None,
            estimated: None,
            dismissed: 0,
            waited: 0,
            preparing_ns: 0,
            now_ns: 0,
            leaves_ns: u64::MAX,
            returns_ns: None,
            slowdown: 1.0,
            postpones: false,
        }
    }

    /// Returns a machine on which [`Load::Neighbour`] lengthens operations by half, until `leaves_ns`.
    fn with_neighbour_until(leaves_ns: u64) -> ScriptedMachine {
        ScriptedMachine { leaves_ns, slowdown: 1.5, postpones: true, ..ScriptedMachine::new(Load::Neighbour) }
    }

    fn unit(&mut self) -> f64 {
        self.random.random::<f64>() - 0.5
    }
}

impl WorkerPool for ScriptedMachine {
    fn prepare(&mut self, _process: u32, case: &Case) -> Result<Prepared, Failure> {
        if self.failing == Some("stop in prepare") {
            return Err(Failure::Stopped);
        }
        if self.failing == Some("prepare") {
            return Err(Failure::Case("wrong answer: known answer".into()));
        }
        self.prepared.push(case.id());
        self.now_ns += self.preparing_ns;
        let ns_per_operation = self.estimated.unwrap_or_else(|| (self.cost)(&case.algorithm));
        Ok(Prepared {
            ns_per_operation,
            first_call_ns: Some(ns_per_operation),
            batch: self.only_batch,
            demands: self.demands,
        })
    }

    fn visit(&mut self, process: u32, case: &Case, visit: &VisitRequest) -> Result<Visited, Failure> {
        self.log.push((process, case.algorithm.clone()));
        self.asked.push(visit.clone());
        if self.failing == Some(case.algorithm.as_str()) && self.log.len() > 20 {
            return Err(Failure::Case("the worker was killed by SIGSEGV".into()));
        }
        if self.failing == Some("stop in visit") && self.log.len() > 20 {
            return Err(Failure::Stopped);
        }
        if self.failing == Some("A later") && case.algorithm == "A" && self.now_ns >= self.leaves_ns {
            return Err(Failure::Case("wrong answer".into()));
        }
        let since_ns = self.now_ns.saturating_sub(self.leaves_ns);
        let returned = self.returns_ns.is_some_and(|burst_ns| (since_ns / burst_ns).is_multiple_of(2));
        let load = if self.now_ns < self.leaves_ns || returned { self.load } else { Load::Quiet };
        let neighbour = load == Load::Neighbour;
        if visit.may_put_off && self.postpones && neighbour {
            self.now_ns += 30_000;
            return Ok(put_off());
        }
        let slowdown = if neighbour { self.slowdown } else { 1.0 };
        let layout = 1.0 + self.spread.1 * f64::from(process % 3);
        let (mut wall, mut cpu, mut lost) = (0.0, 0.0, 0u64);
        let mut until_switch = self.random.random::<f64>() * TIME_SLICE_NS;
        let mut ticks = Vec::new();
        let hiccup = self.random.random::<f64>() < 0.02;
        for index in 0..visit.samples {
            let spread = self.spread.0 * self.unit();
            let own = (self.cost)(&case.algorithm) * visit.batch as f64 * layout * slowdown * (1.0 + spread);
            let mut taken = 0.0;
            until_switch -= own;
            if load == Load::Busy && until_switch <= 0.0 {
                taken = TIME_SLICE_NS;
                until_switch += TIME_SLICE_NS;
                lost += 1;
            }
            if load == Load::Quiet && hiccup && index == 0 {
                taken = 50_000.0;
                lost += 1;
            }
            ticks.push((own + taken) as u64);
            cpu += own;
            wall += own + taken;
            if wall >= visit.budget_ns as f64 {
                break;
            }
        }
        let observation = Observation {
            wall_ns: wall as u64,
            cpu_ns: cpu as u64,
            steal_ns: Some(0),
            involuntary_switches: lost,
            pressure_ns: Some((wall - cpu) as u64),
            clock_before_hz: 3e9,
            clock_after_hz: 3e9,
            waited_ns: Some((wall - cpu) as u64),
            narrowed_pct: Some(if neighbour { 34.0 } else { 0.0 }),
            narrowed_after_pct: None,
            runnable_tasks: None,
        };
        self.now_ns += wall as u64;
        Ok(Visited {
            ticks,
            wall_ns: vec![],
            visit_ns: wall as u64,
            disturbances: gate::judge(&observation, &Thresholds::default()),
            clock_hz: 3e9,
            chunks: vec![],
            processor: None,
            growth: 0,
            extra: vec![],
            cpu_time: None,
            additions_per_cycle: AdditionsPerCycle::new(),
            residues: None,
            offsets: None,
        })
    }

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn wait(&mut self, time: Duration) {
        self.waited += 1;
        self.now_ns += time.as_nanos() as u64;
    }

    fn release(&mut self, _case: &Case) {}

    fn shut_down(&mut self) {
        self.dismissed += 1;
    }
}

/// Returns the answer of a worker that postpones a visit.
fn put_off() -> Visited {
    Visited {
        ticks: vec![],
        wall_ns: vec![],
        visit_ns: 30_000,
        disturbances: vec![Disturbance::SharedCore { pct: 34.0, kept: false }],
        clock_hz: 0.0,
        chunks: vec![],
        processor: None,
        growth: 0,
        extra: vec![],
        cpu_time: None,
        additions_per_cycle: AdditionsPerCycle::new(),
        residues: None,
        offsets: None,
    }
}

#[derive(Default)]
struct Collector {
    records: Vec<(usize, Record)>,
    /// Positions of disturbed cases, in the order in which they were announced.
    disturbed: Vec<usize>,
    /// Number of cases and time limit of the second chance.
    second_chance: Option<(usize, Duration)>,
    stop_after: Option<usize>,
    refuse: bool,
}

impl Observer for Collector {
    fn event(&mut self, event: Event<'_>) -> Result<(), ObserverError> {
        match event {
            Event::Working { .. } => {}
            Event::Disturbed { position, record } => {
                assert!(record.samples.contended() && self.second_chance.is_none());
                self.disturbed.push(position);
            }
            Event::SecondChance { cases, limit } => assert_eq!(self.second_chance.replace((cases, limit)), None),
            Event::Finished { .. } if self.refuse => return Err(ObserverError("the disk is full".into())),
            Event::Finished { position, record } => self.records.push((position, *record)),
        }
        Ok(())
    }

    fn stopped(&self) -> bool {
        self.stop_after.is_some_and(|count| self.records.len() >= count)
    }
}

fn work(positions: &[usize]) -> Work {
    Work { positions: positions.to_vec(), ..Work::default() }
}

fn measure(machine: &mut ScriptedMachine, plan: &[Case], protocol: &Protocol) -> Collector {
    let mut collector = Collector::default();
    let positions: Vec<usize> = (0..plan.len()).collect();
    let outcome = schedule::run(plan, work(&positions), protocol, 1, COUNTER, machine, &mut collector).unwrap();
    assert_eq!(outcome, Outcome::Complete);
    assert_eq!(collector.records.len(), plan.len());
    collector
}

fn twenty_cases() -> Vec<Case> {
    (0..20).map(|index| case(&format!("A{index}"), "one")).collect()
}

#[test]
fn a_quiet_machine_marks_at_most_one_case_in_ten() {
    let collector = measure(&mut ScriptedMachine::new(Load::Quiet), &twenty_cases(), &Protocol::default());
    let marked = collector.records.iter().filter(|(_, record)| record.samples.contended()).count();
    assert!(marked <= 2, "{marked} of 20 cases are marked");
}

#[test]
fn marks_every_case_while_a_busy_loop_runs() {
    let collector = measure(&mut ScriptedMachine::new(Load::Busy), &twenty_cases(), &Protocol::default());
    let marked = collector.records.iter().filter(|(_, record)| record.samples.contended()).count();
    assert_eq!(marked, 20);
    let repeats = collector.records.iter().flat_map(|(_, record)| &record.samples.visits).map(|visit| visit.repeats);
    assert_eq!(repeats.max(), Some(REPEATS), "a disturbed visit must be repeated before it is kept");
}

#[test]
fn the_adaptive_rules_stop_when_the_interval_is_narrow_or_the_time_is_spent() {
    let protocol = Protocol { precision_pct: 2.0, max_time_s: 10.0, ..Protocol::default() };
    let narrow = measure(&mut ScriptedMachine::new(Load::Quiet), &[case("A", "one")], &protocol);
    assert!(narrow.records[0].1.precision_reached);
    let spent: u64 = narrow.records[0].1.samples.visits.iter().flat_map(|visit| &visit.ticks).sum();
    assert!(spent < 2_000_000_000, "the case took {spent} ns, although it is precise immediately");

    let mut noisy = ScriptedMachine::new(Load::Quiet);
    noisy.spread = (0.02, 0.5);
    let protocol = Protocol { precision_pct: 0.1, max_time_s: 0.5, ..Protocol::default() };
    let wide = measure(&mut noisy, &[case("A", "one")], &protocol);
    assert!(!wide.records[0].1.precision_reached, "processes that differ by half must not give a narrow interval");
}

#[test]
fn interleaves_compared_cases() {
    let mut machine = ScriptedMachine::new(Load::Quiet);
    let plan = [case("A", "one"), case("B", "one"), case("C", "two")];
    let collector = measure(&mut machine, &plan, &Protocol::default());
    assert_eq!(machine.dismissed, 2, "each block must have its own processes");
    let first_c = machine.log.iter().position(|(_, algorithm)| algorithm == "C").unwrap();
    assert!(machine.log[first_c..].iter().all(|(_, algorithm)| algorithm == "C"));
    let rounds = |position: usize| {
        let record = &collector.records.iter().find(|(at, _)| *at == position).unwrap().1;
        record.samples.visits.iter().map(|visit| (visit.process, visit.round)).collect::<Vec<_>>()
    };
    let (a, b) = (rounds(0), rounds(1));
    let common = a.iter().filter(|visit| b.contains(visit)).count();
    assert!(common >= a.len().min(b.len()) * 9 / 10, "the same rounds must visit both cases");
    let order: Vec<&str> = machine.log[..first_c].iter().map(|(_, algorithm)| algorithm.as_str()).collect();
    assert!(order.windows(2).any(|pair| pair == ["A", "B"]) && order.windows(2).any(|pair| pair == ["B", "A"]));
}

/// The collector itself never stops.
#[test]
fn a_stop_during_a_request_interrupts_the_run() {
    let plan = twenty_cases();
    let positions: Vec<usize> = (0..plan.len()).collect();
    for place in ["stop in prepare", "stop in visit"] {
        let mut machine = ScriptedMachine { failing: Some(place), ..ScriptedMachine::new(Load::Quiet) };
        let mut collector = Collector::default();
        let outcome =
            schedule::run(&plan, work(&positions), &Protocol::default(), 1, COUNTER, &mut machine, &mut collector)
                .unwrap();
        assert_eq!(outcome, Outcome::Interrupted, "{place}");
        assert!(collector.records.is_empty() && machine.log.len() <= 21, "{place}");
    }
}

#[test]
fn the_expected_time_of_a_visit_follows_from_its_samples() {
    let protocol = Protocol { iterations: Some(1000), visit_s: 0.01, ..Protocol::default() };
    let protocol = Protocol { kind: ProtocolKind::Fixed, ..protocol };
    let mut machine = ScriptedMachine::new(Load::Quiet);
    measure(&mut machine, &[case("A", "one")], &protocol);
    // A visit has no time budget, but takes few samples.
    assert!(machine.asked.iter().all(|visit| visit.budget_ns == u64::MAX / 2));
    // The time per operation is an estimate.
    let nominal = |visit: &VisitRequest| 20_000 * (visit.batch * visit.samples + visit.warmup);
    let is_near = |visit: &VisitRequest| (nominal(visit) / 2..nominal(visit) * 2).contains(&visit.expected_ns);
    assert!(machine.asked.iter().all(is_near));
    assert!(machine.asked.iter().all(|visit| visit.expected_ns < 1_000_000_000));
}

#[test]
fn the_order_follows_from_the_seed() {
    let plan = twenty_cases();
    let log = |seed| {
        let mut machine = ScriptedMachine::new(Load::Quiet);
        let positions: Vec<usize> = (0..plan.len()).collect();
        schedule::run(
            &plan,
            work(&positions),
            &Protocol::default(),
            seed,
            COUNTER,
            &mut machine,
            &mut Collector::default(),
        )
        .unwrap();
        machine.log
    };
    assert_eq!(log(1), log(1));
    assert_ne!(log(1), log(2));
}

#[test]
fn a_fixed_protocol_takes_exactly_the_requested_samples() {
    let protocol = Protocol { kind: ProtocolKind::Fixed, iterations: Some(1000), ..Protocol::default() };
    let collector = measure(&mut ScriptedMachine::new(Load::Quiet), &[case("A", "one")], &protocol);
    let samples = &collector.records[0].1.samples;
    assert_eq!((samples.count(), samples.batch), (1000, 1));
    for process in 0..8 {
        let own = samples.visits.iter().filter(|visit| visit.process == process);
        assert_eq!(own.map(|visit| visit.ticks.len()).sum::<usize>(), 125);
    }
    let three = Protocol { kind: ProtocolKind::Fixed, iterations: Some(3), ..Protocol::default() };
    let collector = measure(&mut ScriptedMachine::new(Load::Quiet), &[case("A", "one")], &three);
    assert_eq!(collector.records[0].1.samples.count(), 3);
}

#[test]
fn with_a_fixed_number_of_samples_disturbed_visits_are_marked_but_kept() {
    let (kind, patience_s) = (ProtocolKind::Fixed, Some(0.0));
    let protocol = Protocol { kind, iterations: Some(1000), patience_s, ..Protocol::default() };
    let mut machine = ScriptedMachine::new(Load::Neighbour);
    let collector = measure(&mut machine, &[case("A", "one")], &protocol);
    let samples = &collector.records[0].1.samples;
    assert!(samples.contended());
    assert_eq!((samples.count(), samples.usable().count()), (1000, samples.visits.len()));
    assert_eq!(machine.log.len(), samples.visits.len(), "no visit may be repeated");
    for visit in &samples.visits {
        assert_eq!(visit.disturbances, [Disturbance::SharedCore { pct: 34.0, kept: true }]);
    }
    let mut machine = ScriptedMachine::new(Load::Neighbour);
    let collector = measure(&mut machine, &[case("A", "one")], &Protocol::default());
    let samples = &collector.records[0].1.samples;
    assert!(machine.log.len() > samples.visits.len(), "the adaptive rules must repeat disturbed visits");
    assert!(samples.visits.iter().all(|visit| !visit.counts()));
}

#[test]
fn short_operations_are_batched_and_long_ones_are_not() {
    let mut machine = ScriptedMachine::new(Load::Quiet);
    machine.cost = |algorithm| if algorithm == "short" { 3.0 } else { 2_000.0 };
    let collector = measure(&mut machine, &[case("short", "one"), case("long", "one")], &Protocol::default());
    let batch = |algorithm: &str| {
        collector.records.iter().find(|(_, record)| record.case.algorithm == algorithm).unwrap().1.samples.batch
    };
    assert_eq!(batch("long"), 1, "2 µs is a hundred times the resolution of 20 ns");
    assert_eq!(batch("short"), 2667, "8 µs is four hundred times the resolution");
}

#[test]
fn a_trial_gets_the_samples_it_requires() {
    let batch = |demands: Demands, protocol: &Protocol| {
        let mut machine = ScriptedMachine::new(Load::Quiet);
        machine.demands = demands;
        measure(&mut machine, &[case("A", "one")], protocol).records[0].1.samples.batch
    };
    let adaptive = Protocol::default();
    let long = Demands { several_threads: true, shortest_sample_ns: 1_000_000, multiple_of: 4, ..Demands::default() };
    assert_eq!(batch(long, &adaptive), 52, "50 operations of 20 µs take a millisecond; 52 is a multiple of 4");
    let fixed_batch = Protocol { batch: Some(7), ..Protocol::default() };
    assert_eq!(batch(long, &fixed_batch), 7);
}

#[test]
fn operations_that_wait_take_the_protocols_number_of_samples() {
    let mut machine = ScriptedMachine::new(Load::Quiet);
    machine.cost = |_| 3e8;
    machine.only_batch = Some(1);
    machine.demands = Demands { several_threads: true, wave: 25, counted: true, ..Demands::default() };
    let protocol = Protocol { handshakes: 203, processes: 4, ..Protocol::default() };
    let found = measure(&mut machine, &[case("one", "b")], &protocol);
    assert_eq!(found.records[0].1.samples.count(), 203);
    let most = machine.asked.iter().map(|visit| visit.samples).max();
    // Of the 203 samples, three processes take 51 each and the fourth takes 50, in waves of 25.
    assert_eq!((most, machine.asked.len(), machine.asked[0].warmup), (Some(25), 11, 0));
}

#[test]
fn uses_the_wall_clock_for_multithreaded_trials_if_cycles_are_counted() {
    let cycles = CounterFacts { metric: Metric::Cycles, ns_per_tick: None, grain_ns: 20.0 };
    for (several_threads, metric) in [(false, Metric::Cycles), (true, Metric::Wall)] {
        let mut machine = ScriptedMachine::new(Load::Quiet);
        machine.demands.several_threads = several_threads;
        let mut collector = Collector::default();
        let plan = [case("A", "one")];
        let protocol = Protocol { kind: ProtocolKind::Fixed, iterations: Some(8), ..Protocol::default() };
        schedule::run(&plan, work(&[0]), &protocol, 1, cycles, &mut machine, &mut collector).unwrap();
        let samples = &collector.records[0].1.samples;
        assert_eq!((samples.metric, samples.ns_per_tick), (metric, several_threads.then_some(1.0)));
    }
}

#[test]
fn a_failed_case_has_a_record_and_the_rest_is_measured() {
    let mut machine = ScriptedMachine::new(Load::Quiet);
    machine.failing = Some("B");
    let plan = [case("A", "one"), case("B", "one"), case("C", "one")];
    let collector = measure(&mut machine, &plan, &Protocol::default());
    let failed: Vec<&Record> =
        collector.records.iter().map(|(_, record)| record).filter(|record| record.status == Status::Failed).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].case.algorithm, "B");
    assert_eq!(failed[0].error.as_deref(), Some("the worker was killed by SIGSEGV"));
    assert_eq!(failed[0].samples.count(), 0, "a failed case must keep no samples");

    let mut machine = ScriptedMachine::new(Load::Quiet);
    machine.failing = Some("prepare");
    let collector = measure(&mut machine, &[case("A", "one")], &Protocol::default());
    assert_eq!(collector.records[0].1.status, Status::Failed);
}

#[test]
fn stopping_keeps_what_is_finished_and_a_full_disk_ends_the_run() {
    let plan: Vec<Case> = (0..4).map(|index| case("A", &index.to_string())).collect();
    let mut collector = Collector { stop_after: Some(2), ..Collector::default() };
    let mut machine = ScriptedMachine::new(Load::Quiet);
    let outcome =
        schedule::run(&plan, work(&[0, 1, 2, 3]), &Protocol::default(), 1, COUNTER, &mut machine, &mut collector)
            .unwrap();
    assert_eq!(outcome, Outcome::Interrupted);
    assert_eq!(collector.records.iter().map(|(position, _)| *position).collect::<Vec<_>>(), [0, 1]);

    let mut refusing = Collector { refuse: true, ..Collector::default() };
    let error = schedule::run(&plan, work(&[0, 1]), &Protocol::default(), 1, COUNTER, &mut machine, &mut refusing);
    assert!(matches!(error, Err(MeasuringError::Observer(error)) if error.to_string() == "the disk is full"));
}

#[test]
fn first_calls_are_single_samples_of_new_processes_and_evicted_cases_have_no_second_warm_up() {
    let plan = [State::Warm, State::Evicted, State::FirstCall].map(|state| case("A", "one").in_state(state));
    let mut machine = ScriptedMachine::new(Load::Quiet);
    let collector = measure(&mut machine, &plan, &Protocol { max_time_s: 0.002, ..Protocol::default() });
    let record = |state| &collector.records.iter().find(|(_, record)| record.case.state() == state).unwrap().1;
    let first = &record(State::FirstCall).samples;
    assert!(first.visits.iter().all(|visit| visit.ticks.len() == 1));
    let mut processes: Vec<u32> = first.visits.iter().map(|visit| visit.process).collect();
    let count = processes.len();
    processes.sort_unstable();
    processes.dedup();
    assert_eq!((processes.len(), first.batch), (count, 1), "no two samples may share a process");
    assert!(count > 8);
    assert!(record(State::Evicted).samples.visits.iter().all(|visit| visit.process < 8));
    let warmups = |state| {
        let name = plan.iter().find(|case| case.state() == state).unwrap().id();
        machine.asked.iter().filter(|visit| visit.case == name).map(|visit| visit.warmup).collect::<Vec<_>>()
    };
    assert!(warmups(State::FirstCall).iter().all(|&warmup| warmup == 0));
    assert_eq!(warmups(State::Evicted).iter().sum::<u64>(), 8, "each process must make one warm-up call");
    assert!(warmups(State::Warm).iter().all(|&warmup| warmup > 1));
    let prepared = |state: State| {
        let name = plan.iter().find(|case| case.state() == state).unwrap().id();
        machine.prepared.iter().filter(|id| **id == name).count()
    };
    assert_eq!((prepared(State::Warm), prepared(State::FirstCall)), (8, 1));
}

#[test]
fn a_visit_corrects_what_the_preparation_estimated() {
    let mut machine = ScriptedMachine::new(Load::Quiet);
    // Simulate an estimate that includes the seeding of a generator in the first call.
    machine.estimated = Some(30e6);
    let collector = measure(&mut machine, &[case("A", "one")], &Protocol::default());
    let samples = &collector.records[0].1.samples;
    assert!(
        samples.visits.iter().all(|visit| visit.ticks.len() >= 10),
        "a visit to an operation of 20 µs must take many samples"
    );
    assert_eq!(samples.scanty_visits(10), 0);
    let warmups: Vec<u64> = machine.asked.iter().map(|visit| visit.warmup).collect();
    assert!(warmups[1..].iter().all(|&warmup| warmup >= 10), "{warmups:?}");
    assert!(machine.asked.iter().all(|visit| visit.least == 10));
}

#[test]
fn adds_processes_only_if_they_differ() {
    let members = |spread: (f64, f64)| {
        let mut machine = ScriptedMachine::new(Load::Quiet);
        machine.spread = spread;
        let protocol = Protocol { max_time_s: 20.0, ..Protocol::default() };
        let collector = measure(&mut machine, &[case("A", "one")], &protocol);
        let visits = &collector.records[0].1.samples.visits;
        let mut processes: Vec<u32> = visits.iter().map(|visit| visit.process).collect();
        processes.sort_unstable();
        processes.dedup();
        (processes.len(), visits.iter().filter(|visit| visit.process >= 8).count())
    };
    assert_eq!(members((0.02, 0.0)), (8, 0));
    // Each process has one of three memory layouts, 2% apart, so eight processes do not reach ±1%.
    let (processes, visits) = members((0.02, 0.02));
    assert!(processes > 8 && processes <= 24, "{processes}");
    assert_eq!(visits, 3 * (processes - 8), "each joining process must run three rounds");
}

#[test]
fn repeats_disturbed_visits_after_all_others() {
    let mut machine = ScriptedMachine::new(Load::Neighbour);
    let plan = [case("A", "one"), case("B", "one")];
    measure(&mut machine, &plan, &Protocol { processes: 3, ..Protocol::default() });
    let first_turns: Vec<&(u32, String)> = machine.log.iter().take(6).collect();
    let mut distinct = first_turns.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), 6, "the first six visits must all be different: {first_turns:?}");
    assert!(machine.waited > 0, "the scheduler must wait if every visit was postponed");
}

#[test]
fn uses_the_only_batch_that_a_case_allows() {
    let mut machine = ScriptedMachine::new(Load::Quiet);
    machine.only_batch = Some(59);
    let protocol = Protocol { batch: Some(100), ..Protocol::default() };
    assert_eq!(measure(&mut machine, &[case("A", "one")], &protocol).records[0].1.samples.batch, 59);
    machine.only_batch = None;
    assert_eq!(measure(&mut machine, &[case("A", "one")], &protocol).records[0].1.samples.batch, 100);
}

/// Returns the simulated time at which the plan ends if [`Load::Neighbour`] slows down every visit.
fn end_of_plan_ns(plan: &[Case], protocol: &Protocol) -> u64 {
    let mut machine = ScriptedMachine::with_neighbour_until(u64::MAX);
    let collector = measure(&mut machine, plan, &Protocol { patience_s: Some(0.0), ..protocol.clone() });
    assert!(collector.disturbed.is_empty() && collector.second_chance.is_none());
    assert!(collector.records.iter().all(|(_, record)| record.second_chance.is_none() && record.samples.contended()));
    machine.now_ns
}

fn median_ns(record: &Record) -> f64 {
    let samples = &record.samples;
    let all: Vec<f64> = samples.usable().flat_map(|visit| samples.ns_per_operation(visit)).collect();
    pqlab_stats::median(&all).unwrap()
}

#[test]
fn a_neighbour_that_leaves_after_the_plan_leaves_no_disturbed_case() {
    let plan = [case("A", "one"), case("B", "one"), case("C", "two")];
    let protocol = Protocol::default();
    let end_ns = end_of_plan_ns(&plan, &protocol);
    let mut machine = ScriptedMachine::with_neighbour_until(end_ns + 1_000_000_000);
    let collector = measure(&mut machine, &plan, &protocol);
    assert_eq!(collector.disturbed, [0, 1, 2]);
    // This short run takes less than 30 s.
    assert_eq!(collector.second_chance, Some((3, Duration::from_secs(30))));
    assert!(machine.now_ns < end_ns + 6_000_000_000);
    for (_, record) in &collector.records {
        let samples = &record.samples;
        assert_eq!(record.second_chance, Some(SecondChance::Undisturbed));
        assert!(!samples.contended() && record.precision_reached);
        let error = median_ns(record) / 20_000.0 - 1.0;
        assert!(error.abs() < 0.01, "off by {:+.1}%", 100.0 * error);
        assert!(samples.usable().all(|visit| visit.process >= 8), "fresh processes must get new numbers");
        assert!(samples.usable().count() < samples.visits.len(), "the record must keep the disturbed visits");
    }
    let moments = |position: usize| {
        let record = &collector.records.iter().find(|(at, _)| *at == position).unwrap().1;
        record.samples.usable().map(|visit| visit.moment()).collect::<Vec<_>>()
    };
    assert_eq!(moments(0), moments(1), "cases of one block must share the rounds of their second chance");
}

#[test]
fn a_neighbour_that_comes_and_goes_leaves_no_disturbed_case() {
    // No interval reaches this precision, so every case uses up its time limit.
    let plan: Vec<Case> = (0..24).map(|index| case(&format!("A{index}"), &format!("block {index}"))).collect();
    let protocol = Protocol { precision_pct: 1e-6, ..Protocol::default() };
    let end_ns = end_of_plan_ns(&plan, &protocol);
    let mut machine = ScriptedMachine::with_neighbour_until(end_ns);
    machine.returns_ns = Some(5_000_000_000);
    let collector = measure(&mut machine, &plan, &protocol);
    assert_eq!(collector.disturbed.len(), plan.len());
    for (_, record) in &collector.records {
        assert_eq!(record.second_chance, Some(SecondChance::Undisturbed), "{}", record.case.id());
    }
}

#[test]
fn a_neighbour_that_stays_uses_up_the_patience() {
    let plan = [case("A", "one"), case("B", "two")];
    for patience_s in [None, Some(0.5), Some(20.0)] {
        let protocol = Protocol { patience_s, ..Protocol::default() };
        let end_ns = end_of_plan_ns(&plan, &protocol);
        let mut machine = ScriptedMachine::with_neighbour_until(u64::MAX);
        let collector = measure(&mut machine, &plan, &protocol);
        let spent_s = (machine.now_ns - end_ns) as f64 / 1e9;
        // The default limit is 30 s, which is the minimum for short runs.
        let limit_s = patience_s.unwrap_or(30.0);
        assert!((limit_s..limit_s + 0.1).contains(&spent_s), "{spent_s} s of {limit_s} s");
        for (_, record) in &collector.records {
            assert_eq!(record.second_chance, Some(SecondChance::Disturbed));
            assert!(record.samples.contended() && !record.samples.visits.is_empty());
        }
    }
}

#[test]
fn cases_that_no_process_visits_again_have_no_second_chance() {
    let plan = [case("A", "one"), case("B", "two")];
    let protocol = Protocol { patience_s: Some(0.5), ..Protocol::default() };
    let mut machine = ScriptedMachine { preparing_ns: 200_000_000, ..ScriptedMachine::with_neighbour_until(u64::MAX) };
    let collector = measure(&mut machine, &plan, &protocol);
    assert_eq!(collector.second_chance, Some((2, Duration::from_millis(500))));
    assert!(collector.records.iter().all(|(_, record)| record.second_chance.is_none() && record.samples.contended()));
}

#[test]
fn a_disturbed_null_case_alone_gets_no_second_chance() {
    let null = Case { provider: "null".into(), ..case("null", "one") };
    let plan = [null];
    let end_ns = end_of_plan_ns(&plan, &Protocol::default());
    let mut machine = ScriptedMachine::with_neighbour_until(u64::MAX);
    let collector = measure(&mut machine, &plan, &Protocol::default());
    assert_eq!((collector.disturbed.as_slice(), collector.second_chance), (&[0][..], None));
    assert_eq!(machine.now_ns, end_ns);
}

#[test]
fn the_default_patience_is_the_time_of_the_run_within_ten_times_the_time_limits() {
    let limit = |cases: usize, max_time_s: f64| {
        let plan: Vec<Case> = (0..cases).map(|index| case(&format!("A{index}"), "one")).collect();
        let protocol = Protocol { max_time_s, ..Protocol::default() };
        let spent_s = end_of_plan_ns(&plan, &protocol) as f64 / 1e9;
        let mut machine = ScriptedMachine::with_neighbour_until(u64::MAX);
        (measure(&mut machine, &plan, &protocol).second_chance.unwrap().1.as_secs_f64(), spent_s)
    };
    let (short, _) = limit(1, 0.05);
    assert!((short - 0.5).abs() < 1e-9, "{short}");
    let (long, spent_s) = limit(160, 1.5);
    assert!(spent_s > 120.0 && (long / spent_s - 1.0).abs() < 1e-6, "{long} s after {spent_s} s");
}

#[test]
fn a_second_chance_takes_a_fixed_number_of_samples_anew() {
    let plan = [case("A", "one")];
    let protocol = Protocol { kind: ProtocolKind::Fixed, iterations: Some(1000), ..Protocol::default() };
    let end_ns = end_of_plan_ns(&plan, &protocol);
    for (leaves_ns, outcome) in [(end_ns, SecondChance::Undisturbed), (u64::MAX, SecondChance::Disturbed)] {
        let mut machine = ScriptedMachine::with_neighbour_until(leaves_ns);
        let collector = measure(&mut machine, &plan, &protocol);
        let record = &collector.records[0].1;
        assert_eq!((record.second_chance, record.samples.count()), (Some(outcome), 1000));
    }
}

#[test]
fn stopping_a_second_chance_finishes_every_case() {
    let plan = [case("A", "one"), case("B", "two"), case("C", "three")];
    let end_ns = end_of_plan_ns(&plan, &Protocol::default());
    let mut machine = ScriptedMachine::with_neighbour_until(end_ns);
    let mut collector = Collector { stop_after: Some(1), ..Collector::default() };
    let outcome =
        schedule::run(&plan, work(&[0, 1, 2]), &Protocol::default(), 1, COUNTER, &mut machine, &mut collector).unwrap();
    assert_eq!(outcome, Outcome::Complete);
    let outcomes: Vec<_> =
        collector.records.iter().map(|(position, record)| (*position, record.second_chance)).collect();
    assert_eq!(outcomes, [(0, Some(SecondChance::Undisturbed)), (1, None), (2, None)]);
}

#[test]
fn a_resumed_run_gives_disturbed_cases_of_the_first_start_a_second_chance() {
    let plan = [case("A", "one"), case("B", "two")];
    let mut machine = ScriptedMachine::with_neighbour_until(u64::MAX);
    let first = measure(&mut machine, &plan[..1], &Protocol { patience_s: Some(0.0), ..Protocol::default() });
    let disturbed = first.records.into_iter().collect();
    let resumed = Work { start: 1, positions: vec![1], disturbed };
    let mut collector = Collector::default();
    let mut quiet = ScriptedMachine::new(Load::Quiet);
    schedule::run(&plan, resumed, &Protocol::default(), 1, COUNTER, &mut quiet, &mut collector).unwrap();
    let of = |position: usize| &collector.records.iter().find(|(at, _)| *at == position).unwrap().1;
    assert_eq!((of(0).second_chance, of(1).second_chance), (Some(SecondChance::Undisturbed), None));
    let starts = |record: &Record| record.samples.usable().map(|visit| visit.start).collect::<Vec<_>>();
    assert!(starts(of(0)).iter().chain(&starts(of(1))).all(|start| *start == 1));
    assert!(of(0).samples.visits.iter().any(|visit| visit.start == 0), "the record must keep the disturbed visits");
}

#[test]
fn a_failure_in_a_second_chance_voids_the_case() {
    let plan = [case("A", "one"), case("B", "one")];
    let end_ns = end_of_plan_ns(&plan, &Protocol::default());
    let mut machine = ScriptedMachine::with_neighbour_until(end_ns);
    machine.failing = Some("A later");
    let collector = measure(&mut machine, &plan, &Protocol::default());
    let outcome = |position: usize| {
        let record = &collector.records.iter().find(|(at, _)| *at == position).unwrap().1;
        (record.status, record.second_chance)
    };
    assert_eq!(outcome(0), (Status::Failed, None));
    assert_eq!(outcome(1), (Status::Ok, Some(SecondChance::Undisturbed)));
}
