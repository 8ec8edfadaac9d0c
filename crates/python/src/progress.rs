//! Reports progress to a Python object, and handles Ctrl-C.

use crate::errors::{Answer, Failure, Kind, fault};
use crate::run::Measured;
use pqlab_lab::Progress;
use pqlab_lab::analysis::environment::core_notes;
use pqlab_lab::record::{Case, Record, Run, RunHeader};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Interval between checks for Ctrl-C.
const TICK: Duration = Duration::from_millis(100);
/// Maximum number of queued events. If the queue is full, the working thread waits.
const WAITING: usize = 64;

/// A method call on the Python object that receives progress.
type Telling = Box<dyn FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<()> + Send>;

/// Sends progress events to the thread that called from Python.
pub(crate) struct Watch<'a> {
    /// `None` if no Python object receives progress.
    events: Option<&'a SyncSender<Telling>>,
}

impl Watch<'_> {
    /// Queues a call on the Python object, which has the methods `begin`, `working`, `finished` and `note`.
    pub(crate) fn tell(&mut self, tell: impl FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<()> + Send + 'static) {
        if let Some(events) = self.events {
            // Sending cannot fail, because the receiver lives until the work ends.
            events.send(Box::new(tell)).ok();
        }
    }

    /// Reports the start of the work and the number of parts.
    pub(crate) fn start(&mut self, what: &str, count: usize) {
        let what = what.to_owned();
        self.tell(move |py, shown| shown.call_method1(py, "begin", (what, count)).map(drop));
    }

    /// Reports the current part and the number of parts done.
    pub(crate) fn at(&mut self, what: String, done: f64) {
        self.tell(move |py, shown| shown.call_method1(py, "working", (what, done)).map(drop));
    }
}

/// Runs `work` on a new thread, while the calling thread passes events to the Python object and checks for signals.
///
/// The first exception from the Python object or a signal handler sets the stop flag. Returns the result of `work`, and
/// this exception if there was one. The caller must not hold the interpreter lock.
pub(crate) fn watched<T: Send>(
    shown: Option<Py<PyAny>>,
    work: impl FnOnce(&mut Watch<'_>, &AtomicBool) -> Answer<T> + Send,
) -> (Answer<T>, Option<PyErr>) {
    let stop = AtomicBool::new(false);
    let (sender, receiver) = sync_channel::<Telling>(WAITING);
    let heard = shown.is_some();
    thread::scope(|scope| {
        let stop = &stop;
        let working = scope.spawn(move || work(&mut Watch { events: heard.then_some(&sender) }, stop));
        let mut raised: Option<PyErr> = None;
        loop {
            let telling = match receiver.recv_timeout(TICK) {
                Ok(telling) => Some(telling),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if raised.is_none() {
                raised = look(shown.as_ref(), telling).err();
                stop.fetch_or(raised.is_some(), Ordering::Relaxed);
            }
        }
        (working.join().unwrap_or_else(|panic| Err(fault(panic.as_ref()))), raised)
    })
}

/// Like [`watched`], for work that does not store a run. If an exception stopped the work, returns only the exception.
pub(crate) fn interruptible<T: Send>(
    shown: Option<Py<PyAny>>,
    work: impl FnOnce(&mut Watch<'_>, &AtomicBool) -> Answer<T> + Send,
) -> Answer<T> {
    match watched(shown, work) {
        (_, Some(raised)) => Err(interrupted(raised, None)),
        (outcome, None) => outcome,
    }
}

/// Unwraps a result. The result is `None` only if an exception stopped the work. Callers then discard the error that
/// this function returns, and raise the exception.
pub(crate) fn whole<T>(found: Option<T>) -> Answer<T> {
    found.ok_or_else(|| Failure::new(Kind::Internal, "stopped for no known reason"))
}

/// Checks for signals, then makes the queued call.
fn look(shown: Option<&Py<PyAny>>, telling: Option<Telling>) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        match (shown, telling) {
            (Some(shown), Some(telling)) => telling(py, shown),
            _ => Ok(()),
        }
    })
}

impl Progress for Watch<'_> {
    fn begin(&mut self, header: &RunHeader, remaining: usize) {
        Watch::start(self, &header.id, remaining);
        header.environment.core.iter().flat_map(core_notes).for_each(|note| self.note(&note));
    }

    fn working(&mut self, case: &Case, done: f64) {
        self.at(case.id(), done);
    }

    fn finished(&mut self, _: &RunHeader, record: &Record) {
        let (case, error) = (record.case.id(), record.error.clone());
        self.tell(move |py, shown| shown.call_method1(py, "finished", (case, error)).map(drop));
    }

    fn note(&mut self, text: &str) {
        let text = text.to_owned();
        self.tell(move |py, shown| shown.call_method1(py, "note", (text,)).map(drop));
    }
}

/// Shows the progress of several runs in one bar.
pub(crate) struct ManyRuns<'w, 'a> {
    watch: &'w mut Watch<'a>,
    /// Number of cases in the runs before the current one.
    before: usize,
    /// Number of cases in the current run.
    current: usize,
    notes: BTreeSet<String>,
}

impl<'w, 'a> ManyRuns<'w, 'a> {
    /// Starts a bar for `total` cases.
    pub(crate) fn new(watch: &'w mut Watch<'a>, total: usize) -> ManyRuns<'w, 'a> {
        watch.start("", total);
        ManyRuns { watch, before: 0, current: 0, notes: BTreeSet::new() }
    }
}

impl Progress for ManyRuns<'_, '_> {
    fn begin(&mut self, _: &RunHeader, remaining: usize) {
        self.before += std::mem::replace(&mut self.current, remaining);
    }

    fn working(&mut self, case: &Case, done: f64) {
        self.watch.at(case.id(), self.before as f64 + done);
    }

    fn finished(&mut self, header: &RunHeader, record: &Record) {
        self.watch.finished(header, record);
    }

    /// Forwards a note unless it was already forwarded, because every run repeats the same notes.
    fn note(&mut self, text: &str) {
        if self.notes.insert(text.to_owned()) {
            self.watch.note(text);
        }
    }
}

/// Converts Ctrl-C into `Interrupted`, with the partial run. Returns any other exception unchanged.
pub(crate) fn interrupted(raised: PyErr, run: Option<Run>) -> Failure {
    Python::attach(|py| if raised.is_instance_of::<PyKeyboardInterrupt>(py) { stopped(py, run) } else { raised }).into()
}

fn stopped(py: Python<'_>, run: Option<Run>) -> PyErr {
    let (reason, remedy) = match &run {
        Some(run) if run.complete => (format!("stopped: run {} is already complete", run.header.id), ""),
        Some(run) => (
            format!("stopped: run {} contains {} of {} cases", run.header.id, run.records.len(), run.header.plan.len()),
            "pqlab.resume() continues the run",
        ),
        None => ("stopped: nothing was stored".to_owned(), ""),
    };
    let build = || {
        let exception = py.import("pqlab._errors")?.getattr("Interrupted")?.call1((reason, remedy))?;
        exception.setattr("run", run.map(Measured::new))?;
        Ok(exception)
    };
    build().map_or_else(|error| error, PyErr::from_value)
}
