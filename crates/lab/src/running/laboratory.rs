//! Runs plans: captures the environment, starts workers, and passes records to the sink and events to the [`Progress`].

use super::processors::Place;
use super::program::{IN_WORKER, provider_builds, registry};
use crate::libraries::opened::{LIBRARIES, Loaded, NOT_OPENED};
use crate::verifying::defects;
use crate::{Collected, LabError, Plan, RecordSink, SinkError, WorkerProgram};
use pqlab_analysis::comparison::{Difference, differences};
use pqlab_harness::counter::Baseline;
use pqlab_harness::environment::Advice;
use pqlab_harness::layout::Layouts;
use pqlab_harness::process::{Limits, ProcessPool, Workers};
use pqlab_harness::schedule::{self, CounterFacts, LEAST_SAMPLES, Work};
use pqlab_harness::{
    BuildId, Event, Observer, ObserverError, Outcome, Program, affinity, check_core, clock, counter, environment,
};
use pqlab_primitives::Provider;
use pqlab_record::{
    Case, CounterChoice, Environment, Metric, Protocol, ProviderBuild, Record, Run, RunHeader, SecondChance, State,
};
use pqlab_store::Store;
use pqlab_verification::vectors_root;
use pqlab_workloads::{Registry, VECTORS};
use rand::RngExt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// Maximum relative difference between the TSC rate over a whole run and the calibrated rate. If the difference is
/// greater, a note warns the user.
const RATE_TOLERANCE: f64 = 1e-3;

/// Maximum length in characters of a value in the description of a change; longer values are cut off.
const LONGEST_VALUE: usize = 40;

/// Entry point for measurements with this build.
pub struct Laboratory {
    pub(crate) registry: Registry,
    /// Libraries and worker programs that the caller added. Only worker processes open them.
    pub(crate) libraries: Vec<Loaded>,
    /// Program for worker processes.
    workers: WorkerProgram,
    pub(crate) limits: Limits,
}

/// Settings of a run, in addition to its plan.
#[derive(Clone, Debug, Default)]
pub struct RunRequest {
    /// Seed for the order of the cases and for their inputs. `None` chooses a random seed.
    pub seed: Option<u64>,
    /// Origin of the request, such as a command line. It is stored with the run, and may be empty.
    pub command: String,
}

/// Observer of a run.
pub trait Progress {
    /// The run starts or is resumed. `remaining` is the number of cases left to measure.
    fn begin(&mut self, header: &RunHeader, remaining: usize);
    /// A case is being measured. `done` is the number of cases finished since the run was last started or resumed, plus
    /// the finished fractions of the current cases. It grows from 0 to the number that [`begin`](Self::begin) receives
    /// as `remaining`.
    fn working(&mut self, case: &Case, done: f64);
    /// A case is finished, and the sink has its record.
    fn finished(&mut self, header: &RunHeader, record: &Record);
    /// Receives a message for the user, such as a warning. The run continues.
    fn note(&mut self, text: &str);
}

/// Ignores all events.
impl Progress for () {
    fn begin(&mut self, _: &RunHeader, _: usize) {}
    fn working(&mut self, _: &Case, _: f64) {}
    fn finished(&mut self, _: &RunHeader, _: &Record) {}
    fn note(&mut self, _: &str) {}
}

/// Outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The run's id.
    pub run: String,
    /// Whether every case has a record.
    pub complete: bool,
    /// Number of cases that failed since the run was last started or resumed.
    pub failed: usize,
}

impl Laboratory {
    /// Creates a laboratory that runs `workers` as its worker processes. It starts them only when they are needed.
    pub fn new(workers: WorkerProgram) -> Laboratory {
        Laboratory { registry: registry(Vec::new()), libraries: Vec::new(), workers, limits: Limits::default() }
    }

    /// Adds providers to those in this build. The workers must have the same providers: see
    /// [`run_if_worker_with`](crate::run_if_worker_with) and [`serve_as_worker`](crate::serve_as_worker).
    pub fn with_providers(mut self, more: Vec<Provider>) -> Laboratory {
        self.registry = registry(more);
        self.libraries = Vec::new();
        self
    }

    /// Sets the time limit for a worker's answer to a request, in addition to the measuring time that the request
    /// allows. The default is 120 s.
    pub fn with_limits(mut self, request: std::time::Duration) -> Laboratory {
        self.limits.request = request;
        self
    }

    /// Returns the registry of cases, providers and workloads.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Captures the current environment. Choosing and calibrating the counter takes a few tenths of a second.
    ///
    /// # Errors
    /// [`LabError::Counter`] if the requested counter is not available.
    pub fn environment(&self, choice: CounterChoice) -> Result<Environment, LabError> {
        Ok(self.calibrated(choice, None)?.0)
    }

    /// Captures the environment of a run of `cases`. It lists only the loaded libraries that the cases use, so that adding
    /// or removing other libraries does not change it.
    fn calibrated(
        &self,
        choice: CounterChoice,
        cases: Option<&[Case]>,
    ) -> Result<(Environment, CounterFacts), LabError> {
        let selected = counter::open(choice)?;
        let metric = selected.counter.metric();
        let facts = CounterFacts { metric, ns_per_tick: selected.ns_per_tick, grain_ns: selected.grain_ns() };
        let counters = selected.describe();
        let is_used = |id: &str| match cases {
            Some(cases) => cases.iter().any(|case| case.provider.split('+').any(|half| half == id)),
            None => true,
        };
        let mut builds = self.provider_builds();
        builds.retain(|build| build.library.is_none() || is_used(&build.id));
        Ok((environment::capture(builds, counters), facts))
    }

    /// Measures a plan and returns the run without storing it. [`results`](crate::results) computes the figures. If
    /// `stop` is set during the run, the returned run is incomplete.
    ///
    /// # Errors
    /// Same as [`run`](Self::run). After an error, the records are lost.
    pub fn measure(
        &self,
        plan: Plan,
        request: &RunRequest,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Run, LabError> {
        let mut collected = Collected::default();
        self.run(&mut collected, plan, request, progress, stop)?;
        collected.into_run().ok_or(LabError::NoRuns)
    }

    /// Measures a plan. The sink receives each record when its case is finished. Only worker processes call libraries;
    /// the calling thread waits, and keeps its affinity. Setting `stop` ends the run after the current visit.
    ///
    /// # Errors
    /// [`LabError::Counter`] if the plan's counter is not available, [`LabError::Worker`] if no worker can be started,
    /// [`LabError::Store`] or [`LabError::Sink`] if the sink fails. The sink keeps earlier records.
    pub fn run(
        &self,
        sink: &mut dyn RecordSink,
        plan: Plan,
        request: &RunRequest,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Ended, LabError> {
        self.run_with_layouts(sink, plan, request, Layouts::default(), progress, stop)
    }

    /// Like [`run`](Self::run), but chooses the memory layouts and the inputs of the worker processes.
    pub(crate) fn run_with_layouts(
        &self,
        sink: &mut dyn RecordSink,
        mut plan: Plan,
        request: &RunRequest,
        layouts: Layouts,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Ended, LabError> {
        let (mut environment, counter) = self.calibrated(plan.protocol.counter, Some(&plan.cases))?;
        let place = Place::new(&plan.protocol);
        environment.os.unpinned = place.unpinned.clone();
        environment.os.crowded = place.crowded.clone();
        environment.core = check_core(place.cpus.first().copied());
        // Look up the defects of the libraries measured now, because a plan from another run may list other defects.
        for case in &mut plan.cases {
            case.facts.defect = defects::known(case, self.registry.providers());
        }
        let started_at = clock::utc_now();
        let mut spreads = sink.spreads(&environment, &started_at)?;
        let planned: BTreeSet<String> = plan.cases.iter().map(|case| case.id()).collect();
        spreads.cases.retain(|id, _| planned.contains(id));
        plan.protocol.run_spreads = spreads;
        let mut random = rand::rng();
        let header = RunHeader {
            id: run_id(&started_at, random.random()),
            suite: plan.suite,
            command: request.command.clone(),
            // Use 53 bits, so that the seed survives JSON readers that store numbers as doubles.
            seed: request.seed.unwrap_or_else(|| random.random::<u64>() >> 11),
            started_at,
            environment,
            protocol: plan.protocol,
            plan: plan.cases,
        };
        sink.begin(&header)?;
        let work = Work { positions: (0..header.plan.len()).collect(), ..Work::default() };
        let start = Start { work, counter, place, layouts };
        self.carry_out(sink, &header, start, progress, stop)
    }

    /// Resumes an interrupted run: measures the unfinished cases of its plan under the same rules. `elsewhere` permits
    /// resuming even if the machine or the build has changed.
    ///
    /// # Errors
    /// - [`LabError::OtherCounter`] if the run's counter is not available.
    /// - [`LabError::Changed`] if the machine or the build has changed and `elsewhere` is not set.
    /// - [`LabError::Foreign`] if the run uses libraries that the caller has not added.
    /// - [`LabError::Store`] if the run is unknown or complete.
    /// - Errors from [`run`](Self::run). Earlier records remain stored.
    pub fn resume(
        &self,
        store: &mut Store,
        run: &str,
        elsewhere: bool,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Ended, LabError> {
        store.check_resumable(run)?;
        let header = store.load_header(run)?;
        self.check_libraries_of(&header)?;
        let (now, counter) = self.calibrated(header.protocol.counter, Some(&header.plan))?;
        let then = &header.environment;
        if now.counters.primary != then.counters.primary {
            return Err(LabError::OtherCounter {
                run: run.to_owned(),
                began: then.counters.primary.clone(),
                now: now.counters.primary,
            });
        }
        let changes = changes(&header, now);
        if !changes.is_empty() && !elsewhere {
            return Err(LabError::Changed { run: run.to_owned(), changes });
        }
        for change in changes {
            progress.note(&format!("changed since run {run} started: {change}"));
        }
        let start = store.begin_start(run)?;
        let finished = store.finished_positions(run)?;
        let positions = (0..header.plan.len()).filter(|position| !finished.contains(position)).collect();
        let is_waiting = |record: &Record| record.samples.contended() && record.second_chance.is_none();
        let disturbed = match header.protocol.patience_s {
            Some(0.0) => BTreeMap::new(),
            _ => finished.into_iter().zip(store.load_run(run)?.records).filter(|(_, one)| is_waiting(one)).collect(),
        };
        let (place, layouts) = (Place::new(&header.protocol), Layouts::default());
        let start = Start { work: Work { start, positions, disturbed }, counter, place, layouts };
        self.carry_out(store, &header, start, progress, stop)
    }

    fn carry_out(
        &self,
        sink: &mut dyn RecordSink,
        header: &RunHeader,
        start: Start,
        progress: &mut dyn Progress,
        stop: &AtomicBool,
    ) -> Result<Ended, LabError> {
        let Start { work, counter, place, layouts } = start;
        progress.begin(header, work.positions.len());
        let quota = environment::quota_here().map(|advice| limited(&advice));
        let busy = environment::busy_here(&header.environment.cpu).map(|advice| occupied(&advice));
        hidden(header)
            .into_iter()
            .chain(forbidden(header))
            .chain(place.notes())
            .chain(quota)
            .chain(busy)
            .for_each(|words| progress.note(&words));
        let rate = counter.ns_per_tick.map(|ns| 1e9 / ns);
        let baseline = if counter.metric == Metric::Tsc { Baseline::take() } else { None };
        let workers = self.workers(header.seed, &header.protocol, &header.plan, &place, rate);
        let mut pool = ProcessPool::new(Workers { layouts, ..workers }, stop);
        let tally = Tally { disturbed: work.disturbed.keys().copied().collect(), ..Tally::default() };
        let mut watcher = Watcher { sink: &mut *sink, header, progress, stop, tally };
        let outcome =
            schedule::run(&header.plan, work, &header.protocol, header.seed, counter, &mut pool, &mut watcher);
        let Tally { failed, timed_out, scanty, tried_again, undisturbed, .. } = watcher.tally;
        let complete = outcome? == Outcome::Complete;
        if let (Some(baseline), Some(rate)) = (baseline, rate) {
            let deviation = baseline.deviation(rate);
            if deviation.abs() > RATE_TOLERANCE {
                progress.note(&format!(
                    "the TSC rate changed by {:+.3}% since the start of the run, so times in ns are off by that much",
                    deviation * 100.0
                ));
            }
        }
        if tried_again > 0 {
            progress.note(&second_chances(tried_again, undisturbed));
        }
        if timed_out > 0 {
            let cases = if timed_out == 1 { "1 case" } else { &format!("{timed_out} cases") };
            progress.note(&format!("{cases} timed out; resume run {} to try again", header.id));
        }
        if scanty > 0 {
            progress
                .note(&format!("cases with few samples: {scanty} (fewer than {LEAST_SAMPLES} in at least one visit)"));
        }
        if complete {
            sink.complete(header, &clock::utc_now())?;
        }
        Ok(Ended { run: header.id.clone(), complete, failed })
    }

    /// Returns the program for worker processes. Each process either measures cases or carries out a single task.
    pub(crate) fn program(&self) -> Program {
        self.program_with(&self.libraries, &provider_builds(&self.registry))
    }

    /// Returns the program for a process that opens no library when it starts.
    pub(crate) fn program_without_libraries(&self) -> Program {
        let mut linked = provider_builds(&self.registry);
        linked.retain(|build| self.libraries().all(|library| library.label != build.id));
        self.program_with(&[], &linked)
    }

    fn program_with(&self, libraries: &[Loaded], builds: &[ProviderBuild]) -> Program {
        // Locate the vectors here, so that all workers use the same folder.
        let vectors = vectors_root().map(|root| (VECTORS.into(), root.into()));
        // Set `LIBRARIES` even if the list is empty, so that workers never inherit the variable.
        let list = serde_json::to_string(libraries).unwrap_or_default();
        let fixed = [(IN_WORKER.into(), "1".into()), (LIBRARIES.into(), list.into())];
        Program {
            path: self.workers.path.clone(),
            arguments: self.workers.arguments.clone(),
            variables: vectors.into_iter().chain(fixed).collect(),
            build: BuildId::compute(builds),
        }
    }

    /// Describes how to start the worker processes for these cases.
    pub(crate) fn workers(
        &self,
        seed: u64,
        protocol: &Protocol,
        plan: &[Case],
        place: &Place,
        ticks_per_second: Option<f64>,
    ) -> Workers {
        Workers {
            program: self.program(),
            seed,
            processes: protocol.processes,
            layouts: Layouts::default(),
            counter: protocol.counter,
            ticks_per_second,
            cpus: place.cpus.clone(),
            granted: protocol.affinity.clone().unwrap_or_else(affinity::allowed),
            limits: self.limits.with_threads(most_threads(plan)),
            without_loading: (!self.libraries.is_empty()).then(|| NOT_OPENED.into()),
        }
    }
}

/// One start of a run: the first start, or a resumption.
struct Start {
    work: Work,
    counter: CounterFacts,
    place: Place,
    layouts: Layouts,
}

struct Watcher<'a> {
    sink: &'a mut dyn RecordSink,
    header: &'a RunHeader,
    progress: &'a mut dyn Progress,
    stop: &'a AtomicBool,
    tally: Tally,
}

/// Counts of the cases that have finished since the run was last started or resumed.
#[derive(Default)]
struct Tally {
    failed: usize,
    timed_out: usize,
    /// Number of warm cases with a visit that took fewer than [`LEAST_SAMPLES`] samples.
    scanty: usize,
    /// Number of disturbed cases that were measured again at the end of the run.
    tried_again: usize,
    /// Number of disturbed cases that were undisturbed when they were measured again.
    undisturbed: usize,
    /// Plan positions of disturbed cases that are not finished yet. The sink already has their first records.
    disturbed: BTreeSet<usize>,
}

fn refused(error: SinkError) -> ObserverError {
    ObserverError(Box::new(error))
}

impl Observer for Watcher<'_> {
    fn event(&mut self, event: Event<'_>) -> Result<(), ObserverError> {
        match event {
            Event::Working { case, done } => self.progress.working(case, done),
            Event::Disturbed { position, record } => {
                self.sink.record(self.header, position, record).map_err(refused)?;
                self.tally.disturbed.insert(position);
            }
            Event::SecondChance { cases, limit } => self.progress.note(&format!(
                "{}: measuring {} again while the machine is quiet, for at most {:.0} s (--patience)",
                if cases == 1 { "1 disturbed case".to_owned() } else { format!("{cases} disturbed cases") },
                if cases == 1 { "it" } else { "them" },
                limit.as_secs_f64().ceil()
            )),
            Event::Finished { position, record } => {
                let stored = self.tally.disturbed.remove(&position);
                let again = record.second_chance.is_some() || record.error.is_some();
                match (stored, again) {
                    (false, _) => self.sink.record(self.header, position, &record).map_err(refused)?,
                    (true, true) => self.sink.replace(self.header, position, &record).map_err(refused)?,
                    (true, false) => {}
                }
                let tally = &mut self.tally;
                tally.failed += usize::from(record.error.is_some());
                tally.timed_out += usize::from(record.timed_out());
                let scanty = record.case.state() == State::Warm
                    && record.samples.scanty_visits(usize::try_from(LEAST_SAMPLES).unwrap_or(usize::MAX)) > 0;
                tally.scanty += usize::from(scanty);
                if !record.case.is_null() {
                    tally.tried_again += usize::from(record.second_chance.is_some());
                    tally.undisturbed += usize::from(record.second_chance == Some(SecondChance::Undisturbed));
                }
                self.progress.finished(self.header, &record);
            }
        }
        Ok(())
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Returns short descriptions of all changes to the machine, its operating system and the build since the run began.
fn changes(began: &RunHeader, now: Environment) -> Vec<String> {
    let now = RunHeader { environment: now, ..began.clone() };
    let words = |Difference { what, first, second }: Difference| {
        let [first, second] = [first, second].map(|value| match value.char_indices().nth(LONGEST_VALUE) {
            Some((end, _)) => format!("{}...", &value[..end]),
            None => value,
        });
        if first == second { format!("{what} changed") } else { format!("{what} was {first} and is now {second}") }
    };
    differences(began, &now).into_iter().map(words).collect()
}

/// Returns the maximum number of threads that any case in the plan uses.
fn most_threads(plan: &[Case]) -> u64 {
    let threads = plan.iter().flat_map(|case| ["threads", "workers"].map(|name| case.number(name)));
    threads.flatten().max().unwrap_or(0)
}

/// Returns the note for a container whose CPU limit interrupts measurements.
fn limited(advice: &Advice) -> String {
    let remedy = advice.remedy.as_ref().map_or_else(String::new, |remedy| format!("; {remedy}"));
    format!("CPU time is limited to {}{remedy}", advice.finding)
}

/// Returns the note for a machine that other programs keep busy.
fn occupied(advice: &Advice) -> String {
    let remedy = advice.remedy.as_ref().map_or_else(String::new, |remedy| format!("; {remedy}"));
    format!("the machine is busy: load {}{remedy}", advice.finding)
}

/// Returns the note about the disturbed cases that were measured again. `undisturbed` of the `tried` cases are no
/// longer disturbed.
fn second_chances(tried: usize, undisturbed: usize) -> String {
    let cases = if tried == 1 { "disturbed case" } else { "disturbed cases" };
    let outcome = match tried - undisturbed {
        0 => "no longer disturbed".to_owned(),
        _ if undisturbed == 0 => "still disturbed".to_owned(),
        left => format!("{undisturbed} no longer disturbed, {left} still disturbed"),
    };
    format!("{tried} {cases} measured again: {outcome}")
}

/// Returns a note if the user has hidden CPU features.
fn hidden(header: &RunHeader) -> Option<String> {
    let hidden = &header.environment.cpu.hidden_features;
    (!hidden.is_empty()).then(|| format!("CPU features hidden by {}: {}", pqlab_cpu::VARIABLE, hidden.join(", ")))
}

/// Returns a note if the kernel forbids counting core cycles.
fn forbidden(header: &RunHeader) -> Option<String> {
    let counters = &header.environment.counters;
    let (_, reason) = counters.unavailable.iter().find(|(counter, _)| counter == Metric::Cycles.name())?;
    let fixable = header.protocol.counter == CounterChoice::Best && reason.contains("perf_event_paranoid");
    fixable.then(|| format!("counting {} instead of core cycles: {reason}", counters.primary))
}

/// Returns a run id such as `20261121T190000Z-3f9a1c`. Ids sort by start time. The random suffix distinguishes runs
/// that start in the same second.
fn run_id(started_at: &str, random: u32) -> String {
    let stamp: String = started_at.chars().filter(|character| !matches!(character, '-' | ':')).collect();
    format!("{stamp}-{:06x}", random & 0xff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_record::{Facts, Parameter};

    #[test]
    fn workers_have_room_for_the_threads_of_the_plan() {
        let case = |parameters: &[(&str, u64)]| Case {
            workload: "scaling".into(),
            algorithm: "ML-DSA-65".into(),
            operation: "verify".into(),
            provider: "null".into(),
            form: None,
            parameters: parameters.iter().map(|(name, value)| Parameter::Number((*name).into(), *value)).collect(),
            block: String::new(),
            facts: Facts::default(),
        };
        assert_eq!(most_threads(&[case(&[("len", 512)])]), 0);
        let plan = [case(&[("threads", 16)]), case(&[("tasks", 5000), ("workers", 64)]), case(&[("len", 512)])];
        assert_eq!(most_threads(&plan), 64);
        let room = Limits::default().with_threads(64).address_space - Limits::default().address_space;
        // Each thread needs an 8 MiB stack and a 64 MiB arena. The allocator reserves twice the
        // arena's size.
        assert!(room >= 64 * ((8 + 128) << 20), "{room}");
    }

    #[test]
    fn reports_the_outcome_of_second_chances() {
        let words = [(1, 1), (16, 16), (16, 15), (3, 0)].map(|(tried, undisturbed)| second_chances(tried, undisturbed));
        assert_eq!(
            words,
            [
                "1 disturbed case measured again: no longer disturbed",
                "16 disturbed cases measured again: no longer disturbed",
                "16 disturbed cases measured again: 15 no longer disturbed, 1 still disturbed",
                "3 disturbed cases measured again: still disturbed",
            ]
        );
    }

    #[test]
    fn reports_cpu_limits_with_their_remedy() {
        let severity = pqlab_harness::environment::Severity::Warning;
        let (finding, remedy) = ("1.50 processors: slow".to_owned(), Some("lift it".to_owned()));
        let words = limited(&Advice { severity, subject: "CPU limit", finding, remedy });
        assert_eq!(words, "CPU time is limited to 1.50 processors: slow; lift it");
    }
}
