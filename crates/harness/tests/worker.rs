//! Tests a worker that runs on a thread of this process, using scripted trials.

#![allow(clippy::unwrap_used)]

use pqlab_harness::wire::{self, Begin, Greeting, Hello, Prepared, Request, Response, Task, VisitRequest, Visited};
use pqlab_harness::{BuildId, Demands, Fault, Recorder, Seed, Trial, TrialSource, residue, worker};
use pqlab_record::{Case, CounterChoice, Facts, Offsets, ProviderBuild};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

/// Trial that leaves the upper halves of vector registers in use and the rounding mode changed. Fails if it finds
/// leftover state of this kind.
struct Dirty;

/// Trial that leaves the same state as [`Dirty`], but in the untimed setup.
struct DirtySetup;

fn dirty() {
    #[cfg(target_arch = "x86_64")]
    {
        let (ones, mxcsr) = ([u8::MAX; 32], 0x7f80_u32);
        if std::is_x86_feature_detected!("avx") {
            // SAFETY: the processor supports AVX, and the instruction reads only the 32 bytes of `ones`.
            unsafe { std::arch::asm!("vmovups ymm15, [{}]", in(reg) &raw const ones, out("xmm15") _) }
        }
        // SAFETY: the value selects rounding towards zero, and nothing here depends on the rounding mode.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr) }
    }
}

fn find_nothing() -> Result<(), Fault> {
    match residue::read() {
        Some(left) if !left.is_empty() => Err(Fault::WrongAnswer(format!("found {left:?}"))),
        _ => Ok(()),
    }
}

impl Trial for Dirty {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }
    fn routine(&mut self, _batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        find_nothing()?;
        thread::sleep(Duration::from_micros(20));
        dirty();
        Ok(())
    }
    fn verify(&mut self) -> Result<(), Fault> {
        dirty();
        Ok(())
    }
}

impl Trial for DirtySetup {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        dirty();
        Ok(())
    }
    fn routine(&mut self, _batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        find_nothing()?;
        thread::sleep(Duration::from_micros(20));
        Ok(())
    }
    fn verify(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

/// Trial whose first call takes 50 ms.
struct SlowStart {
    calls: usize,
}

impl Trial for SlowStart {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }
    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.calls += 1;
            thread::sleep(if self.calls == 1 { Duration::from_millis(50) } else { Duration::from_micros(5) });
        }
        Ok(())
    }
    fn verify(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

/// Trial whose operation takes 100 µs, but whose setup takes 4 ms.
struct SlowSetup;

impl Trial for SlowSetup {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        thread::sleep(Duration::from_millis(4));
        Ok(())
    }
    fn routine(&mut self, _batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        thread::sleep(Duration::from_micros(100));
        Ok(())
    }
    fn verify(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

/// Trial that takes 2 ms, and reports the given time in ns as if another process had measured it. `None` reports no
/// time.
struct ToldTime(Option<u64>);

impl Trial for ToldTime {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }
    fn routine(&mut self, _batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        thread::sleep(Duration::from_millis(2));
        Ok(())
    }
    fn verify(&mut self) -> Result<(), Fault> {
        Ok(())
    }
    fn batch(&self) -> Option<u64> {
        Some(1)
    }
    fn own_ns(&mut self) -> Option<u64> {
        self.0
    }
    fn demands(&self) -> Demands {
        Demands { own_time: true, ..Demands::default() }
    }
}

/// Trial that runs waves of up to four operations. Unless it is `honest`, reports a single time per wave.
struct Waves {
    honest: bool,
    counted: bool,
    last: usize,
    calls: Arc<AtomicUsize>,
}

impl Trial for Waves {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        assert!(batch <= 4);
        Ok(())
    }
    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.last = batch;
        Ok(())
    }
    fn verify(&mut self) -> Result<(), Fault> {
        Ok(())
    }
    fn own_samples(&mut self) -> Vec<u64> {
        vec![1_000_000; if self.honest { self.last } else { 1 }]
    }
    fn batch(&self) -> Option<u64> {
        Some(1)
    }
    fn demands(&self) -> Demands {
        Demands { wave: 4, counted: self.counted, several_threads: true, ..Demands::default() }
    }
}

static COUNTED_CALLS: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

struct Source;

impl TrialSource for Source {
    fn prepare(&self, case: &Case, _seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        Ok(match case.algorithm.as_str() {
            "dirty" => Box::new(Dirty),
            "dirty-setup" => Box::new(DirtySetup),
            "told-right" => Box::new(ToldTime(Some(1_999_999))),
            "told-less" => Box::new(ToldTime(Some(1_000_000))),
            "told-more" => Box::new(ToldTime(Some(60_000_000_000))),
            "told-nothing" => Box::new(ToldTime(None)),
            "waves" => Box::new(Waves { honest: true, counted: false, last: 0, calls: Arc::default() }),
            "counted" => Box::new(Waves { honest: true, counted: true, last: 0, calls: Arc::clone(&COUNTED_CALLS) }),
            "too-few" => Box::new(Waves { honest: false, counted: true, last: 0, calls: Arc::default() }),
            "slow-start" => Box::new(SlowStart { calls: 0 }),
            _ => Box::new(SlowSetup),
        })
    }
}

fn case(algorithm: &str) -> Case {
    Case {
        workload: "kem".into(),
        algorithm: algorithm.into(),
        operation: "decapsulate".into(),
        provider: "scripted".into(),
        form: None,
        parameters: vec![],
        block: "one".into(),
        facts: Facts::default(),
    }
}

/// Memory layout of every worker.
const OFFSETS: Offsets = Offsets { stack: 1232, heap: 48, keys: 4080 };

/// Connection to a worker on another thread. The worker ends when the connection closes.
struct Served(UnixStream);

impl Served {
    fn begin() -> Served {
        static PROCESSES: AtomicUsize = AtomicUsize::new(0);
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        thread::spawn(move || worker::serve(&mut theirs, &Source));
        let mut served = Served(ours);
        let begin = Begin {
            seed: 1,
            inputs: PROCESSES.fetch_add(1, Ordering::Relaxed) as u32,
            offsets: OFFSETS,
            counter: CounterChoice::Wall,
            ticks_per_second: None,
            cpus: vec![],
            granted: vec![],
            // No limit, because the worker is a thread of the test process.
            memory_limit: u64::MAX,
        };
        assert!(matches!(served.ask(Request::Begin(begin)), Response::Begun));
        served
    }

    fn ask(&mut self, request: Request) -> Response {
        wire::send(&mut self.0, &request).unwrap();
        wire::receive(&mut self.0).unwrap().unwrap()
    }

    fn prepare(&mut self, algorithm: &str) -> Prepared {
        match self.ask(Request::Prepare(case(algorithm))) {
            Response::Prepared(prepared) => prepared,
            other => panic!("{algorithm}: {other:?}"),
        }
    }

    fn visit(&mut self, algorithm: &str, least: u64) -> Visited {
        match self.try_visit(algorithm, least) {
            Response::Visited(visited) => visited,
            other => panic!("{algorithm}: {other:?}"),
        }
    }

    fn try_visit(&mut self, algorithm: &str, least: u64) -> Response {
        let visit = VisitRequest {
            case: case(algorithm).id(),
            batch: 1,
            warmup: 3,
            samples: 50,
            least,
            budget_ns: 2_000_000,
            expected_ns: 0,
            may_put_off: false,
            patient: false,
            additions_per_cycle: Default::default(),
        };
        self.ask(Request::Visit(visit))
    }
}

#[test]
fn each_operation_of_a_wave_is_a_sample() {
    let mut served = Served::begin();
    assert!(served.prepare("waves").first_call_ns.is_some());
    // The visit runs as many waves of four as its time allows. If it reaches its 50 samples, the
    // last wave has only two.
    let ticks = served.visit("waves", 0).ticks;
    assert!(ticks.iter().all(|ticks| *ticks == 1_000_000), "{ticks:?}");
    assert!(ticks.len() == 50 || (!ticks.is_empty() && ticks.len().is_multiple_of(4)), "{}", ticks.len());
    // A trial with a fixed number of samples is not called before its first visit. Ten samples take
    // three waves: 4 + 4 + 2.
    assert_eq!(served.prepare("counted").first_call_ns, None);
    assert_eq!(COUNTED_CALLS.load(Ordering::Relaxed), 0);
    let visit = VisitRequest {
        case: case("counted").id(),
        batch: 1,
        warmup: 0,
        samples: 10,
        least: 0,
        budget_ns: u64::MAX / 2,
        expected_ns: 0,
        may_put_off: false,
        patient: false,
        additions_per_cycle: Default::default(),
    };
    let Response::Visited(visited) = served.ask(Request::Visit(visit)) else { panic!("the visit failed") };
    assert_eq!((visited.ticks.len(), COUNTED_CALLS.load(Ordering::Relaxed)), (10, 3));
    served.prepare("too-few");
    assert!(
        matches!(served.try_visit("too-few", 0), Response::Fault { reason } if reason.contains("1 durations for 4"))
    );
}

#[test]
fn uses_the_time_reported_by_another_process_if_the_clock_agrees() {
    let mut served = Served::begin();
    for algorithm in ["told-right", "told-less", "told-more", "told-nothing"] {
        assert!(served.prepare(algorithm).demands.own_time);
    }
    // A sleep may take longer than requested. The worker then records the measured time instead of
    // the reported one.
    let visited = served.visit("told-right", 10);
    assert!(visited.ticks.iter().all(|ticks| *ticks >= 1_999_999), "{visited:?}");
    for (algorithm, words) in [
        ("told-less", "wrong answer: the worker reported 1000000 ns for"),
        ("told-more", "wrong answer: the worker reported 60000000000 ns for"),
        ("told-nothing", "the worker did not report its own time"),
    ] {
        let visits = (0..30).map(|_| served.try_visit(algorithm, 10)).collect::<Vec<_>>();
        let faults =
            visits.iter().filter(|visit| matches!(visit, Response::Fault { reason } if reason.contains(words)));
        assert!(faults.count() > 0, "{algorithm}: {visits:?}");
    }
}

#[test]
fn restores_the_initial_state_before_each_sample() {
    let mut served = Served::begin();
    for algorithm in ["dirty", "dirty-setup"] {
        served.prepare(algorithm);
    }
    for _ in 0..3 {
        // If the worker did not restore the state, each trial would find what the other left
        // behind.
        let (dirty, setup) = (served.visit("dirty", 10), served.visit("dirty-setup", 10));
        if let (Some(of_dirty), Some(of_setup)) = (dirty.residues, setup.residues) {
            let words: Vec<&str> = of_dirty.iter().map(|residue| residue.name()).collect();
            assert_eq!(words, ["vector-upper", "float-control"]);
            assert!(of_setup.is_empty(), "state from the setup must not be reported: {of_setup:?}");
        }
    }
}

#[test]
fn excludes_one_time_setup_from_the_estimate() {
    let prepared = Served::begin().prepare("slow-start");
    assert!(prepared.ns_per_operation < 25e6, "{prepared:?}");
}

#[test]
fn slow_inputs_do_not_reduce_the_samples_of_a_short_operation() {
    let mut served = Served::begin();
    served.prepare("slow-setup");
    let visited = served.visit("slow-setup", 10);
    assert!(visited.ticks.len() >= 10 && visited.ticks.iter().sum::<u64>() >= 1_000_000, "{visited:?}");
    assert!(served.visit("slow-setup", 0).ticks.len() < 10, "without a minimum, the budget of 2 ms must end the visit");
}

#[test]
fn visits_state_the_memory_layout_if_the_process_itself_did_the_work() {
    let mut served = Served::begin();
    for algorithm in ["slow-setup", "waves", "told-right"] {
        served.prepare(algorithm);
    }
    assert_eq!(served.visit("slow-setup", 0).offsets, Some(OFFSETS));
    assert_eq!(served.visit("waves", 0).offsets, None);
    assert_eq!(served.visit("told-right", 0).offsets, None);
}

#[test]
fn keeps_a_visits_cpu_time_with_its_wall_time() {
    let mut served = Served::begin();
    served.prepare("slow-setup");
    let visited = served.visit("slow-setup", 10);
    let time = visited.cpu_time.unwrap();
    assert!(0 < time.cpu_ns && time.cpu_ns <= time.wall_ns && time.wall_ns <= visited.visit_ns, "{time:?}");
    assert!(time.wall_ns >= visited.ticks.iter().sum(), "{time:?}");
}

#[test]
fn refuses_a_coordinator_of_another_build_with_the_reason() {
    let build = |version: &str| {
        BuildId::compute(&[ProviderBuild {
            id: "scripted".into(),
            version: version.into(),
            ..ProviderBuild::default()
        }])
    };
    let greeted = |hello: Hello, ours: BuildId| {
        let (mut coordinator, worker) = UnixStream::pair().unwrap();
        let served = thread::spawn(move || worker::greet(&worker, ours));
        wire::send(&mut coordinator, &hello).unwrap();
        let answer: Greeting = wire::receive(&mut coordinator).unwrap().unwrap();
        (answer.build, served.join().unwrap())
    };
    let errand = || Task::Errand("anything".into());
    let (answer, task) = greeted(Hello { build: build("1"), task: errand() }, build("1"));
    assert_eq!((answer, task.unwrap()), (build("1"), Some(errand())));
    let (answer, refusal) = greeted(Hello { build: build("1"), task: Task::Measure }, build("2"));
    assert_eq!(answer, build("2"), "the coordinator must learn the worker's build");
    let refusal = refusal.unwrap_err().to_string();
    let expected =
        r#"the coordinator is from a different build: provider scripted is "1" there, but "2" in this program"#;
    assert_eq!(refusal, expected);
    // If one build lists no providers, the comparison ignores providers.
    let without = build("1").without_providers();
    let (answer, task) = greeted(Hello { build: without.clone(), task: errand() }, build("2"));
    assert_eq!((answer, task.unwrap()), (without, Some(errand())));
}
