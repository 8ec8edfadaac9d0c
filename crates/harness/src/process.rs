//! Coordinator's side of the protocol: starts worker processes, each with its own socket pair, and limits the time for
//! each request.
//!
//! If a worker dies, hangs or writes to standard output, the current case fails. The next request replaces a worker
//! that died or hung. Time limits apply to each request with its answer, and to the exit of a process. A worker never
//! outlives this process, however this process ends: see `System::tie`.

use crate::clock;
use crate::ending::cause;
use crate::gate::{self, AdditionsPerCycle};
use crate::layout::{Layout, Layouts};
use crate::program::{
    GRACE, Program, Unheard, WorkerError, end_with_all_it_started, ended_within_grace, temporary_file,
};
use crate::schedule::{Failure, WorkerPool};
use crate::system::{Here, System};
use crate::timed::{STOPPED, Timed};
use crate::wire::{self, Begin, Prepared, Request, Response, Task, VisitRequest, Visited};
use pqlab_record::{Case, CounterChoice, NO_ANSWER, State};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Number of bytes kept from the end of a worker's standard error, to explain why the worker ended.
const STDERR_TAIL: u64 = 4096;

/// Configuration of the worker processes.
#[derive(Clone, Debug)]
pub struct Workers {
    /// Program to run: this binary, or another binary from the same build.
    pub program: Program,
    /// Seed of the run.
    pub seed: u64,
    /// Number of processes.
    pub processes: u32,
    /// Memory layouts and inputs of the processes.
    pub layouts: Layouts,
    /// Counter that the workers use.
    pub counter: CounterChoice,
    /// Counter rate measured by the coordinator, in ticks per second, if the rate is constant.
    pub ticks_per_second: Option<f64>,
    /// Processors to pin workers to, assigned round-robin. Empty to leave the workers unpinned.
    pub cpus: Vec<u32>,
    /// Processors that multi-threaded trials may use. If empty, a trial uses the processors of its worker.
    pub granted: Vec<u32>,
    /// Limits on time and memory.
    pub limits: Limits,
    /// Name of an environment variable that tells a worker not to load libraries at start. Its value is the reason. If
    /// a worker dies or hangs while it starts, the pool sets the variable, restarts that worker, and keeps the variable
    /// for all later workers.
    pub without_loading: Option<OsString>,
}

/// Limits on a worker.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time allowed for one request, in addition to the measuring time that it requests.
    pub request: Duration,
    /// Maximum address space, in bytes.
    pub address_space: u64,
    /// Maximum growth of resident memory during the visits to one case, except the first visit, in bytes.
    pub growth: u64,
}

/// Address space per thread of a trial, in bytes: the stack, and an arena for the C library's allocator. An arena takes
/// 64 MiB, and the allocator reserves twice as much to align it.
const THREAD_SPACE: u64 = 144 << 20;

impl Limits {
    /// Adds address space for `threads` threads of a trial.
    pub fn with_threads(self, threads: u64) -> Limits {
        Limits { address_space: self.address_space.saturating_add(threads.saturating_mul(THREAD_SPACE)), ..self }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { request: Duration::from_secs(120), address_space: 4 << 30, growth: 16 << 20 }
    }
}

/// Pool of worker processes, which are started on demand. A worker is killed when the thread that started it ends, so a
/// pool cannot move to another thread:
///
/// ```compile_fail
/// fn needs_send<T: Send>() {}
/// needs_send::<pqlab_harness::process::ProcessPool>();
/// ```
pub struct ProcessPool<'a> {
    workers: Workers,
    /// Ends every wait for a worker.
    stop: &'a AtomicBool,
    running: HashMap<u32, Worker>,
    /// Throughput baselines that workers have found. If another program uses a worker's core from the start, the worker
    /// cannot find a correct baseline itself and needs the baselines of other workers.
    additions_per_cycle: AdditionsPerCycle,
    /// Makes the pool neither `Send` nor `Sync`.
    thread: PhantomData<*const ()>,
}

/// Stop flag for pools that are never stopped.
pub static NEVER: AtomicBool = AtomicBool::new(false);

impl<'a> ProcessPool<'a> {
    /// Creates a pool without processes. As soon as `stop` is set, requests fail with [`Failure::Stopped`] instead of
    /// waiting for a worker.
    pub fn new(workers: Workers, stop: &'a AtomicBool) -> ProcessPool<'a> {
        ProcessPool {
            workers,
            stop,
            running: HashMap::new(),
            additions_per_cycle: AdditionsPerCycle::new(),
            thread: PhantomData,
        }
    }

    fn worker(&mut self, process: u32) -> Result<&mut Worker, Failure> {
        if !self.running.contains_key(&process) {
            let worker = self.start(process)?;
            self.running.insert(process, worker);
        }
        let gone = || Failure::Fatal(WorkerError::Silent("the process ended right after it started".into()));
        self.running.get_mut(&process).ok_or_else(gone)
    }

    fn start(&mut self, process: u32) -> Result<Worker, Failure> {
        match Worker::start(&self.workers, process, self.stop) {
            Err(Failure::Fatal(WorkerError::Silent(reason))) => match self.workers.without_loading.take() {
                Some(variable) => {
                    let reason = format!("a worker that loads the library did not start: {reason}");
                    self.workers.program.variables.push((variable, reason.into()));
                    Worker::start(&self.workers, process, self.stop)
                }
                None => Err(Failure::Fatal(WorkerError::Silent(reason))),
            },
            started => started,
        }
    }

    /// Measures a first call in a fresh process, which then ends.
    fn first_call(&mut self, process: u32, case: &Case, visit: &VisitRequest) -> Result<Visited, Failure> {
        let started = clock::monotonic_ns();
        let mut fresh = self.start(process)?;
        let visit = VisitRequest { additions_per_cycle: self.additions_per_cycle.clone(), ..visit.clone() };
        let request = Request::FirstCall { case: case.clone(), visit };
        let answer = fresh.ask(&request, self.workers.limits.request, self.stop)?;
        match answer {
            Response::Visited(visited) if fresh.printed() == 0 => {
                // The time of the visit includes starting the process.
                Ok(Visited { visit_ns: clock::monotonic_ns() - started, ..visited })
            }
            Response::Visited(_) => Err(Failure::Case("the library wrote to standard output".into())),
            Response::Fault { reason } => Err(Failure::Case(reason)),
            other => Err(unrequested("a first-call request", &other)),
        }
    }

    /// Sends a request and returns the answer. If no answer arrives, ends the worker and returns the reason.
    fn ask(&mut self, process: u32, request: &Request, limit: Duration) -> Result<Response, Failure> {
        let stop = self.stop;
        let worker = self.worker(process)?;
        match worker.ask(request, limit, stop) {
            Ok(Response::Fault { reason }) => Err(Failure::Case(reason)),
            Ok(response) => match worker.printed() {
                0 => Ok(response),
                count => Err(Failure::Case(format!("the library wrote {count} bytes to standard output"))),
            },
            Err(failure) => {
                self.running.remove(&process);
                Err(failure)
            }
        }
    }
}

/// Factor from a visit's expected time to the longest time allowed. Checks may take as long as the timed work, and the
/// expected time is a rough estimate.
const ALLOWANCE: u32 = 3;

/// Returns the time limit for a visit. A worker that hangs is killed after the limit for a request, plus [`ALLOWANCE`]
/// times the expected time of the visit.
fn visit_limit(request: Duration, visit: &VisitRequest) -> Duration {
    request.saturating_add(Duration::from_nanos(visit.expected_ns).saturating_mul(ALLOWANCE))
}

impl WorkerPool for ProcessPool<'_> {
    fn prepare(&mut self, process: u32, case: &Case) -> Result<Prepared, Failure> {
        match self.ask(process, &Request::Prepare(case.clone()), self.workers.limits.request)? {
            Response::Prepared(prepared) => {
                if let Some(worker) = self.running.get_mut(&process) {
                    worker.prepared.insert(case.id());
                }
                Ok(prepared)
            }
            other => Err(unrequested("a prepare request", &other)),
        }
    }

    fn visit(&mut self, process: u32, case: &Case, visit: &VisitRequest) -> Result<Visited, Failure> {
        if case.state() == State::FirstCall {
            return self.first_call(process, case, visit);
        }
        let known = self.running.get(&process).is_some_and(|worker| worker.prepared.contains(&visit.case));
        if !known {
            self.prepare(process, case)?;
        }
        let limit = visit_limit(self.workers.limits.request, visit);
        let request = VisitRequest { additions_per_cycle: self.additions_per_cycle.clone(), ..visit.clone() };
        let visited = match self.ask(process, &Request::Visit(request), limit)? {
            Response::Visited(visited) => visited,
            other => return Err(unrequested("a visit request", &other)),
        };
        gate::merge(&mut self.additions_per_cycle, &visited.additions_per_cycle);
        let growth = self.workers.limits.growth;
        if let Some(worker) = self.running.get_mut(&process) {
            // The first visit may allocate memory that later visits reuse. Any later growth is reported as a leak in
            // the case.
            let grown = match worker.growth.entry(visit.case.clone()) {
                Entry::Vacant(first) => *first.insert(0),
                Entry::Occupied(mut sum) => {
                    *sum.get_mut() += visited.growth;
                    *sum.get()
                }
            };
            if grown > growth as i64 {
                let grown = grown >> 20;
                let reason = format!("memory leak: the worker's memory grew by {grown} MiB during visits to this case");
                self.running.remove(&process);
                return Err(Failure::Case(reason));
            }
        }
        Ok(visited)
    }

    fn release(&mut self, case: &Case) {
        let id = case.id();
        let processes: Vec<u32> = self.running.keys().copied().collect();
        for process in processes {
            if self.running.get(&process).is_some_and(|worker| worker.prepared.contains(&id)) {
                // Ignore errors, because the next request restarts a worker that dies here.
                self.ask(process, &Request::Release { case: id.clone() }, self.workers.limits.request).ok();
            }
        }
    }

    fn shut_down(&mut self) {
        self.running.clear();
    }
}

/// Returns the error for an answer of the wrong kind.
fn unrequested(request: &'static str, answer: &Response) -> Failure {
    Failure::Fatal(WorkerError::Answer { request, answer: format!("{answer:?}") })
}

impl Failure {
    /// Converts the failure of a request that belongs to no case.
    fn at_start(self) -> Failure {
        match self {
            Failure::Case(reason) => Failure::Fatal(WorkerError::Silent(reason)),
            other => other,
        }
    }
}

struct Worker {
    child: Child,
    stream: UnixStream,
    prepared: HashSet<String>,
    /// Growth of resident memory in bytes, by case id. A case's first visit does not count.
    growth: HashMap<String, i64>,
    /// Standard output (`stdout`) and standard error (`stderr`) of the worker. Both are unnamed files, so the worker
    /// never waits for a reader. As soon as an answer arrives, everything that the worker wrote before the answer can
    /// be read.
    stdout: File,
    stderr: File,
    /// Number of bytes of standard output that [`printed`](Self::printed) has already counted.
    seen: u64,
}

impl Worker {
    fn start(workers: &Workers, process: u32, stop: &AtomicBool) -> Result<Worker, Failure> {
        let mut worker = Worker::launch(workers).map_err(Failure::Fatal)?;
        let (program, limit) = (&workers.program, workers.limits.request);
        let stream = Timed::new(&worker.stream, limit).until_stopped(stop);
        match program.greet(stream, program.build.clone(), Task::Measure) {
            Ok(()) => {}
            Err(Unheard::Worker(error)) => return Err(Failure::Fatal(error)),
            Err(Unheard::Lost(error)) => return Err(worker.silence(&error, limit).at_start()),
        }
        let cpus = match workers.cpus.len() {
            0 => Vec::new(),
            count => vec![workers.cpus[process as usize % count]],
        };
        let Layout { offsets, inputs } = workers.layouts.of(workers.seed, process);
        let begin = Begin {
            seed: workers.seed,
            inputs,
            offsets,
            counter: workers.counter,
            ticks_per_second: workers.ticks_per_second,
            cpus,
            granted: workers.granted.clone(),
            memory_limit: workers.limits.address_space,
        };
        let error = match worker.ask(&Request::Begin(begin), limit, stop).map_err(Failure::at_start)? {
            Response::Begun => {
                // Discard what libraries printed while loading, because it is not part of any case.
                worker.printed();
                return Ok(worker);
            }
            Response::Fault { reason } => WorkerError::Refused(reason),
            other => WorkerError::Answer { request: "the begin request", answer: format!("{other:?}") },
        };
        Err(Failure::Fatal(error))
    }

    /// Starts the process.
    fn launch(workers: &Workers) -> Result<Worker, WorkerError> {
        let program = &workers.program;
        let failed = |error: io::Error| WorkerError::Start { path: program.path.clone(), reason: error.to_string() };
        let (stdout, stderr) = (temporary_file()?, temporary_file()?);
        let mut command = program.command(&[]);
        command
            .stdin(Stdio::null())
            .stdout(stdout.try_clone().map_err(failed)?)
            .stderr(stderr.try_clone().map_err(failed)?)
            // Turn off backtraces, because the last line of standard error must explain why the worker ended.
            .env("RUST_BACKTRACE", "0");
        let (child, stream) = program.spawn(command)?;
        Ok(Worker { child, stream, prepared: HashSet::new(), growth: HashMap::new(), stdout, stderr, seen: 0 })
    }

    fn ask(&mut self, request: &Request, limit: Duration, stop: &AtomicBool) -> Result<Response, Failure> {
        let mut stream = Timed::new(&self.stream, limit).until_stopped(stop);
        let received = wire::send(&mut stream, request).and_then(|()| wire::receive::<Response>(&mut stream));
        match received {
            Ok(Some(response)) => Ok(response),
            Ok(None) => Err(Failure::Case(self.exit_reason())),
            Err(error) => Err(self.silence(&error, limit)),
        }
    }

    /// Explains why a request received no answer.
    fn silence(&mut self, error: &io::Error, limit: Duration) -> Failure {
        Failure::Case(match error.kind() {
            STOPPED => return Failure::Stopped,
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                format!("{NO_ANSWER} {:.0} s; the worker was killed", limit.as_secs_f64())
            }
            io::ErrorKind::InvalidData => format!("cannot read the worker's answer: {error}"),
            _ => self.exit_reason(),
        })
    }

    /// Returns the number of bytes written to standard output since the last call.
    fn printed(&mut self) -> u64 {
        let length = self.stdout.metadata().map_or(0, |metadata| metadata.len());
        length - std::mem::replace(&mut self.seen, length).min(length)
    }

    fn stderr_tail(&self) -> io::Result<String> {
        let length = self.stderr.metadata()?.len();
        let start = length.saturating_sub(STDERR_TAIL);
        let mut tail = vec![0; (length - start) as usize];
        // Read at an explicit position. The worker shares the file's offset, so moving the offset would make the worker
        // overwrite its own output.
        self.stderr.read_exact_at(&mut tail, start)?;
        Ok(String::from_utf8_lossy(&tail).into_owned())
    }

    /// Describes how the process ended, and quotes the last line of its standard error.
    fn exit_reason(&mut self) -> String {
        let ending = match ended_within_grace(&mut self.child) {
            Ok(Some(status)) => describe(status),
            Ok(None) => {
                format!("the worker closed its connection but did not exit within {} s; it was killed", GRACE.as_secs())
            }
            Err(error) => format!("cannot wait for the worker: {error}"),
        };
        let tail = self.stderr_tail().unwrap_or_default();
        // Skip the `note:` line that Rust prints after a panic message.
        let tells = |line: &&str| !line.trim().is_empty() && !line.starts_with("note: ");
        match tail.lines().rev().find(tells) {
            Some(line) => format!("{ending}; its last output: {}", line.trim()),
            None => ending,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Ending the process group also ends the worker's child processes.
        end_with_all_it_started(&mut self.child);
    }
}

/// Takes ownership of the worker's end of the socket pair. The coordinator passes the file descriptor of this end on
/// the command line. Also ties this process to its parent.
///
/// # Errors
/// Fails if the descriptor is not open, or if the process cannot be tied to its parent.
pub fn inherited_stream(descriptor: RawFd) -> io::Result<UnixStream> {
    if nix::fcntl::fcntl(borrowed(descriptor), nix::fcntl::FcntlArg::F_GETFD).is_err() {
        return Err(io::Error::other(format!(
            "descriptor {descriptor} is not open: only a coordinator can start a worker"
        )));
    }
    // SAFETY: the descriptor is open, and nothing else in this process owns it, because only the command line names it.
    let owned = unsafe { OwnedFd::from_raw_fd(descriptor) };
    let stream = UnixStream::from(owned);
    set_close_on_exec(&stream)?;
    Here::tie_to_parent()?;
    Ok(stream)
}

fn borrowed(descriptor: RawFd) -> std::os::fd::BorrowedFd<'static> {
    // SAFETY: the result is used for one fcntl call, which returns EBADF for a descriptor that is not open.
    unsafe { std::os::fd::BorrowedFd::borrow_raw(descriptor) }
}

fn set_close_on_exec(stream: &UnixStream) -> io::Result<()> {
    use nix::fcntl::{FcntlArg, FdFlag, fcntl};
    fcntl(stream, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).map(drop).map_err(io::Error::from)
}

fn describe(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => match nix::sys::signal::Signal::try_from(signal) {
            Ok(name) => {
                let cause = cause(signal).map_or_else(String::new, |cause| format!(" ({cause})"));
                format!("the worker was killed by {name}{cause}")
            }
            Err(_) => format!("the worker was killed by signal {signal}"),
        },
        (None, Some(code)) => format!("the worker exited with code {code}"),
        (None, None) => format!("the worker ended: {status}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_with_a_fixed_number_of_samples_has_the_usual_time_limit() {
        let mut visit = VisitRequest {
            case: String::new(),
            batch: 1,
            warmup: 0,
            samples: 1000,
            least: 0,
            // No budget, as with a fixed number of samples.
            budget_ns: u64::MAX / 2,
            expected_ns: 20_000_000,
            may_put_off: false,
            patient: false,
            additions_per_cycle: AdditionsPerCycle::new(),
        };
        let request = Duration::from_secs(120);
        assert_eq!(visit_limit(request, &visit), Duration::from_millis(120_060));
        visit.expected_ns = 400_000_000_000;
        assert_eq!(visit_limit(request, &visit), Duration::from_secs(1320));
    }
}
