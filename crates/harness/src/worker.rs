//! Worker's side of the protocol: prepares cases, runs visits and answers requests, on one thread. The worker catches a
//! library's errors and panics. The coordinator handles crashes and hangs.

use crate::build_id::BuildId;
use crate::cold::Evicted;
use crate::counter::{self, Selected};
use crate::gate::{self, Gate, InterferenceMonitor, Thresholds};
use crate::heap::Gaps;
use crate::own_time::OwnTime;
use crate::probes::{self, MOST_NARROWED_PCT, Probes};
use crate::residue::Tally;
use crate::stopwatch::{CounterAlone, CounterAndWall, ProcessClock, Readings, Stopwatch, WallAlone, WaveTimes};
use crate::system::{Here, System};
use crate::trial::{Demands, Fault, Recorder, Seed, Trial, TrialSource};
use crate::wire::{self, Begin, Greeting, Hello, Prepared, Request, Response, Task, VisitRequest, Visited};
use crate::{affinity, clock, layout, residue};
use pqlab_record::{Case, CpuTime, Metric, Offsets, State};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Minimum amount of timed work for an estimate of an operation's time, in ns.
const ESTIMATE_NS: u64 = 2_000_000;
/// Maximum wall time for an estimate, including untimed work, in ns.
const LONGEST_ESTIMATE_NS: u64 = 50_000_000;
/// Maximum number of operations per timed call in an estimate, because each operation may need its own memory.
const ESTIMATE_BATCH: usize = 512;
/// Maximum number of operations per timed call in an estimate, for trials with a minimum sample length. Such trials
/// need no memory per operation.
const LONG_ESTIMATE_BATCH: usize = 1 << 24;
/// Minimum duration, in ns, of a first call that serves as the estimate. In such a long call, one-time setup is only a
/// small part, and the first visit corrects the estimate. A shorter call may be mostly setup, such as seeding a
/// generator, which takes tens of milliseconds. After a shorter call, the worker therefore times more calls.
const LONG_FIRST_CALL_NS: u64 = 200_000_000;
/// Assumed time, in ns, of an operation that waits for a network, until the first sample of the case.
const COUNTED_NS: f64 = 1e8;
/// Mean time per sample, in ns, below which samples count as short. If samples are short, a visit takes at least the
/// requested minimum number of samples, with a total time of at least [`LEAST_WORK_NS`].
const SHORT_SAMPLE_NS: f64 = 1e6;
/// Minimum total time of the samples in a visit, in ns, if they are short and the request sets a minimum number.
const LEAST_WORK_NS: u64 = 1_000_000;

/// Answers the coordinator's first message. Returns the task of this process, or `None` if the coordinator closed the
/// connection. `build` is the build of this process.
///
/// # Errors
/// Errors from the stream, and `InvalidData` if the coordinator is from a different build. In that case, the
/// coordinator has been informed, and the worker can exit.
pub fn greet(mut stream: impl Read + Write, build: BuildId) -> io::Result<Option<Task>> {
    let Some(Hello { build: theirs, task }) = wire::receive(&mut stream)? else { return Ok(None) };
    let build = build.as_requested_by(&theirs);
    let difference = build.difference(&theirs);
    wire::send(&mut stream, &Greeting { build })?;
    match difference {
        None => Ok(Some(task)),
        Some(difference) => {
            let text = format!("the coordinator is from a different build: {difference}");
            Err(io::Error::new(io::ErrorKind::InvalidData, text))
        }
    }
}

/// Stream of requests and responses.
pub trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

/// Serves requests until the stream ends. The coordinator must have been [greeted](greet).
///
/// This function is not generic, so it is compiled with this crate's flags, not with those of a crate that calls it.
///
/// # Errors
/// Errors from the stream, which mean that the coordinator is gone.
pub fn serve(mut stream: &mut dyn Stream, source: &dyn TrialSource) -> io::Result<()> {
    let begin = match wire::receive(&mut stream)? {
        Some(Request::Begin(begin)) => begin,
        Some(_) => return Err(io::Error::new(io::ErrorKind::InvalidData, "the first message is not a begin request")),
        None => return Ok(()),
    };
    let offsets = begin.offsets;
    layout::move_heap(offsets);
    let mut outcome = Ok(());
    let placed = layout::with_stack_at(offsets.stack, &mut || {
        outcome = answer_requests(stream, begin.clone(), source, Some(offsets));
    });
    if placed { outcome } else { answer_requests(stream, begin, source, None) }
}

/// Serves requests after [`Request::Begin`]. `offsets` is the memory layout of this process, if it follows the plan.
fn answer_requests(
    mut stream: &mut dyn Stream,
    begin: Begin,
    source: &dyn TrialSource,
    offsets: Option<Offsets>,
) -> io::Result<()> {
    let mut worker = match Worker::begin(begin, source, offsets) {
        Ok(worker) => worker,
        Err(reason) => return wire::send(&mut stream, &Response::Fault { reason }),
    };
    wire::send(&mut stream, &Response::Begun)?;
    while let Some(request) = wire::receive(&mut stream)? {
        wire::send(&mut stream, &worker.answer(request))?;
    }
    Ok(())
}

struct Worker<'a> {
    source: &'a dyn TrialSource,
    seed: Seed,
    counter: Selected,
    cpus: Vec<u32>,
    gate: Gate,
    /// Gate for multi-threaded trials, which watches all processors.
    wide_gate: Gate,
    /// Probes the cores of multi-threaded trials.
    monitor: InterferenceMonitor,
    trials: HashMap<String, Box<dyn Trial>>,
    /// Checks of the times that other processes report, by case id.
    own_times: HashMap<String, OwnTime>,
    /// Whether leftover register state can be read on this processor.
    residues_readable: bool,
    /// Memory layout of this process; `None` if it does not follow the plan.
    offsets: Option<Offsets>,
}

impl<'a> Worker<'a> {
    fn begin(begin: Begin, source: &'a dyn TrialSource, offsets: Option<Offsets>) -> Result<Worker<'a>, String> {
        residue::remember();
        Here::limit_memory(begin.memory_limit);
        if !begin.cpus.is_empty() {
            affinity::pin(&begin.cpus).map_err(|error| error.to_string())?;
        }
        affinity::grant(begin.granted);
        let pinned = match begin.cpus[..] {
            [cpu] => Some(cpu),
            _ => None,
        };
        // Use the coordinator's rate, so that all workers convert ticks with the same number.
        let counter =
            counter::open_at_rate(begin.counter, begin.ticks_per_second).map_err(|error| error.to_string())?;
        Ok(Worker {
            source,
            seed: Seed { run: begin.seed, process: begin.inputs },
            counter,
            cpus: begin.cpus,
            gate: Gate::new(pinned),
            wide_gate: Gate::new(None),
            monitor: InterferenceMonitor::new(),
            trials: HashMap::new(),
            own_times: HashMap::new(),
            residues_readable: residue::controls_hold(),
            offsets,
        })
    }

    fn answer(&mut self, request: Request) -> Response {
        let outcome = catch_unwind(AssertUnwindSafe(|| match request {
            Request::Begin(_) => Err(Fault::Library("received a second begin request".into())),
            Request::Prepare(case) => self.prepare(case).map(Response::Prepared),
            Request::Visit(visit) => self.visit(&visit).map(Response::Visited),
            Request::FirstCall { case, visit } => self.first_call(&case, &visit).map(Response::Visited),
            Request::Release { case } => {
                self.trials.remove(&case);
                self.own_times.remove(&case);
                Ok(Response::Released)
            }
        }));
        match outcome {
            Ok(Ok(response)) => response,
            Ok(Err(fault)) => Response::Fault { reason: fault.to_string() },
            Err(panic) => Response::Fault { reason: format!("panicked: {}", panic_text(panic.as_ref())) },
        }
    }

    /// Pins the thread to the worker's processors again, because a trial may have pinned it elsewhere.
    fn return_home(&self) -> Result<(), Fault> {
        if self.cpus.is_empty() {
            return Ok(());
        }
        affinity::pin(&self.cpus).map_err(|error| Fault::Library(error.to_string()))
    }

    /// Prepares the case and times a growing number of operations for a first estimate. These operations also warm up
    /// the case.
    fn prepare(&mut self, case: Case) -> Result<Prepared, Fault> {
        let mut trial = in_state(self.source.prepare(&case, self.seed)?, &case);
        let fixed = trial.batch();
        let demands = trial.demands();
        if demands.counted {
            // Skip the estimate, because the number of samples is fixed and a sample may take seconds.
            self.trials.insert(case.id(), trial);
            return Ok(Prepared { ns_per_operation: COUNTED_NS, first_call_ns: None, batch: fixed, demands });
        }
        // A trial with a fixed batch cannot lengthen its samples, so no minimum applies.
        let shortest_ns = if fixed.is_some() { 0 } else { demands.shortest_sample_ns };
        let (most, longest_ns) = match shortest_ns {
            0 => (ESTIMATE_BATCH, LONGEST_ESTIMATE_NS),
            _ => (LONG_ESTIMATE_BATCH, u64::MAX),
        };
        let mut recorder = Recorder::default();
        let fixed_batch = fixed.and_then(|batch| usize::try_from(batch).ok());
        let (mut batch, mut spent) = (fixed_batch.unwrap_or(demands.multiple_of.max(1) as usize), 0);
        let first_batch = batch;
        let first_call = timed_once(trial.as_mut(), batch, &mut recorder)?;
        let begun = clock::monotonic_ns();
        let ns_per_operation = loop {
            if first_call > LONG_FIRST_CALL_NS {
                break first_call as f64 / batch as f64;
            }
            let elapsed = timed_once(trial.as_mut(), batch, &mut recorder)?;
            spent += elapsed;
            // In a short sample, fixed costs are a large part of the time, and the estimate would
            // be too high.
            let long_enough = elapsed >= shortest_ns / 2 || batch >= LONG_ESTIMATE_BATCH;
            // `longest_ns` also limits untimed work. Evicting caches, for example, may take a
            // thousand times as long as the operations.
            if (spent >= ESTIMATE_NS && long_enough) || clock::monotonic_ns() - begun >= longest_ns {
                break elapsed as f64 / batch as f64;
            }
            batch = match fixed_batch {
                Some(batch) => batch,
                None if shortest_ns > 0 => (batch * 4).min(most),
                None => (batch * 2).min(most),
            };
        };
        if demands.several_threads {
            self.return_home()?;
        }
        self.trials.insert(case.id(), trial);
        let first_call_ns = first_call as f64 / first_batch as f64;
        Ok(Prepared { ns_per_operation, first_call_ns: Some(first_call_ns), batch: fixed, demands })
    }

    /// Times the operation's first call in this process, which was started for this purpose.
    fn first_call(&mut self, case: &Case, request: &VisitRequest) -> Result<Visited, Fault> {
        let trial = in_state(self.source.prepare_first_call(case, self.seed)?, case);
        self.trials.insert(request.case.clone(), trial);
        self.visit(request)
    }

    fn visit(&mut self, request: &VisitRequest) -> Result<Visited, Fault> {
        let trial = self
            .trials
            .get_mut(&request.case)
            .ok_or_else(|| Fault::Library(format!("{} was not prepared in this worker", request.case)))?
            .as_mut();
        let batch =
            usize::try_from(request.batch.max(1)).map_err(|_| Fault::Library("the batch is too large".into()))?;
        let mut recorder = Recorder::default();
        let started = clock::monotonic_ns();
        let gaps = Gaps::fill();
        let resident_before = Here::resident_bytes();
        residue::put_back();
        let Demands { several_threads, own_time, wave, counted, .. } = trial.demands();
        if request.may_put_off && !several_threads {
            self.gate.expect(&request.additions_per_cycle);
            let look = self.gate.glance();
            if let Some(pct) = look.narrowed_pct.filter(|pct| *pct > MOST_NARROWED_PCT) {
                return Ok(Visited::put_off(pct, clock::monotonic_ns() - started, self.gate.additions_per_cycle()));
            }
        }
        warm_up(trial, if wave == 0 { batch } else { wave as usize }, request.warmup, &mut recorder)?;

        let metric = self.counter.counter.metric();
        if own_time && metric == Metric::Instructions {
            let text = "instructions in another process cannot be counted; choose another counter with `--counter`";
            return Err(Fault::Unsupported(text.into()));
        }
        let one_thread_only = matches!(metric, Metric::Cycles | Metric::Instructions);
        let (keeps_wall, only_wall) = (one_thread_only && !several_threads, one_thread_only && several_threads);
        let ns_per_tick = self.counter.ns_per_tick.unwrap_or(0.0);
        // This process cannot count another process's cycles. Estimate them from the reported time
        // and the core's clock rate.
        let own_ns_per_tick =
            if own_time && metric == Metric::Cycles { 1e9 / clock::core_clock_hz() } else { ns_per_tick };
        let (gate, thresholds) = match several_threads {
            true => (&mut self.wide_gate, Thresholds::for_several_threads()),
            false => (&mut self.gate, Thresholds::default()),
        };
        let mut cpus = trial.processors();
        cpus.sort_unstable();
        let mut monitor = (!cpus.is_empty()).then_some(&mut self.monitor);
        let mut sampling = Sampling::new(request, batch, wave, keeps_wall);
        gate.expect(&request.additions_per_cycle);
        let probed_before = monitor.as_mut().map(|monitor| {
            monitor.expect(&request.additions_per_cycle);
            monitor.probe(&cpus)
        });
        let other = if own_time { trial.process() } else { None };
        let before = gate.open();
        let others_before = other.and_then(clock::process_cpu_ns);
        let mut probes = Probes::begin(gate.first_probe(&before));
        let between_samples = || {
            if !several_threads {
                probes.sample(gate);
            }
            probes.spent_ns(request.patient && !several_threads)
        };
        let counter = self.counter.counter.as_mut();
        if wave > 0 {
            let stopwatch = WaveTimes { ns_per_tick: if only_wall { 1.0 } else { ns_per_tick } };
            sampling.take(trial, stopwatch, &mut recorder, between_samples)?;
        } else if own_time {
            let own_time = self.own_times.entry(request.case.clone()).or_default();
            let stopwatch = ProcessClock { own_time, ns_per_tick: own_ns_per_tick, keeps_wall };
            sampling.take(trial, stopwatch, &mut recorder, between_samples)?;
        } else if keeps_wall {
            sampling.take(trial, CounterAndWall { counter }, &mut recorder, between_samples)?;
        } else if only_wall {
            sampling.take(trial, WallAlone, &mut recorder, between_samples)?;
        } else {
            sampling.take(trial, CounterAlone { counter, ns_per_tick }, &mut recorder, between_samples)?;
        }
        let others_cpu = others_before.zip(other.and_then(clock::process_cpu_ns));
        let mut observation = gate.close(before);
        if let Some((begun, ended)) = others_cpu {
            observation.cpu_ns = (observation.cpu_ns + ended.saturating_sub(begun)).min(observation.wall_ns);
        }
        let mut additions_per_cycle = gate.additions_per_cycle();
        let chunks = if several_threads { Vec::new() } else { probes.end(gate.last_probe(&observation)) };
        if let Some(pct) = probes::narrowed_pct(&chunks) {
            observation.narrowed_pct = Some(pct);
        }
        if let (Some(monitor), Some(before)) = (monitor, probed_before) {
            let after = monitor.probe(&cpus);
            observation.narrowed_pct = monitor.narrowed_pct(&cpus, before, after);
            observation.runnable_tasks = gate::runnable_tasks(affinity::online(), cpus.len(), before, after);
            additions_per_cycle.extend(monitor.additions_per_cycle());
        }
        trial.verify()?;
        let thresholds = match (own_time, counted) {
            (true, _) => Thresholds::for_another_process(others_cpu.is_some()),
            (false, true) => Thresholds::for_threads_that_wait(),
            (false, false) => thresholds,
        };
        recorder.disturbed(gate::judge(&observation, &thresholds));
        if several_threads {
            self.return_home()?;
        }
        let Sampling { readings: Readings { ticks, wall_ns }, tally, .. } = sampling;
        let growth = resident_before.zip(Here::resident_bytes()).map_or(0, |(before, after)| after - before);
        drop(gaps);
        Ok(Visited {
            ticks,
            wall_ns,
            visit_ns: clock::monotonic_ns() - started,
            disturbances: recorder.take_disturbances(),
            clock_hz: probes::clock_hz(&chunks).unwrap_or_else(|| observation.clock_hz()),
            chunks: chunks.into_iter().map(|chunk| chunk.chunk).collect(),
            cpu_time: (!several_threads)
                .then_some(CpuTime { cpu_ns: observation.cpu_ns, wall_ns: observation.wall_ns }),
            processor: affinity::current_cpu(),
            growth,
            extra: recorder.take(),
            additions_per_cycle,
            residues: tally.outcome().filter(|_| self.residues_readable),
            offsets: self.offsets.filter(|_| !several_threads && !own_time),
        })
    }
}

/// Takes the samples of a visit.
struct Sampling<'a> {
    request: &'a VisitRequest,
    /// Operations per sample.
    batch: usize,
    /// Maximum number of operations in a [wave](Demands::wave); 0 if samples are timed one by one.
    wave: u64,
    readings: Readings,
    tally: Tally,
}

impl<'a> Sampling<'a> {
    fn new(request: &'a VisitRequest, batch: usize, wave: u64, keeps_wall: bool) -> Sampling<'a> {
        let capacity = request.samples.min(4096) as usize;
        let wall_ns = Vec::with_capacity(if keeps_wall { capacity } else { 0 });
        let readings = Readings { ticks: Vec::with_capacity(capacity), wall_ns };
        Sampling { request, batch, wave, readings, tally: Tally::default() }
    }

    /// Takes samples until there are enough or the time is up. `between_samples` returns the time in ns that counts
    /// towards the budget.
    fn take(
        &mut self,
        trial: &mut dyn Trial,
        mut stopwatch: impl Stopwatch,
        recorder: &mut Recorder,
        mut between_samples: impl FnMut() -> u64,
    ) -> Result<(), Fault> {
        let Sampling { request, batch, wave, readings, tally } = self;
        let (mut worked_ns, mut taken): (u64, u64) = (0, 0);
        while taken < request.samples {
            let operations = if *wave == 0 { *batch } else { (request.samples - taken).min(*wave) as usize };
            trial.setup(operations)?;
            // The setup and the probes may leave register state behind that slows the operations.
            residue::put_back_registers();
            worked_ns += stopwatch.time(trial, operations, recorder, readings)?;
            tally.add(residue::read());
            taken = readings.ticks.len() as u64;
            trial.note(recorder)?;
            let spent_ns = between_samples();
            let short = (worked_ns as f64) < SHORT_SAMPLE_NS * taken as f64;
            let too_few = short && (taken < request.least || (request.least > 0 && worked_ns < LEAST_WORK_NS));
            if !too_few && spent_ns >= request.budget_ns {
                break;
            }
        }
        Ok(())
    }
}

/// Performs `operations` operations that are neither timed nor counted, in batches of at most `most`.
fn warm_up(trial: &mut dyn Trial, most: usize, operations: u64, recorder: &mut Recorder) -> Result<(), Fault> {
    let mut done = 0;
    while done < operations {
        let count = most.min((operations - done) as usize);
        trial.setup(count)?;
        residue::put_back_registers();
        trial.routine(count, recorder)?;
        done += count as u64;
    }
    recorder.take();
    recorder.take_disturbances();
    Ok(())
}

/// Sets up and performs `batch` operations, checks their answers, and returns the time of the operations in ns.
fn timed_once(trial: &mut dyn Trial, batch: usize, recorder: &mut Recorder) -> Result<u64, Fault> {
    trial.setup(batch)?;
    residue::put_back();
    let started = clock::monotonic_ns();
    trial.routine(batch, recorder)?;
    let elapsed = clock::monotonic_ns() - started;
    trial.note(recorder)?;
    trial.verify()?;
    Ok(elapsed)
}

/// Wraps the trial to produce the cache state that the case requires.
fn in_state(trial: Box<dyn Trial>, case: &Case) -> Box<dyn Trial> {
    match case.state() {
        State::Warm => trial,
        State::Evicted | State::FirstCall => Box::new(Evicted::new(trial)),
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
