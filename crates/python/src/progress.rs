//! Who watches a run: an object of the package, and Ctrl-C.

use crate::errors::{Answer, Failure, Kind, fault};
use crate::run::Measured;
use pqlab_lab::Progress;
use pqlab_lab::record::{Case, Record, Run, RunHeader};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// How often Ctrl-C is looked for.
const TICK: Duration = Duration::from_millis(100);
/// Events that may wait for Python before the work does.
const WAITING: usize = 64;

/// Something to do with the object that watches.
type Telling = Box<dyn FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<()> + Send>;

/// Hands events on to the thread that was called.
pub(crate) struct Watch<'a> {
    /// `None` where nobody watches.
    said: Option<&'a SyncSender<Telling>>,
}

impl Watch<'_> {
    /// Does something with the object, an instance with the methods `begin`, `working`, `finished` and `note`.
    pub(crate) fn tell(&mut self, tell: impl FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<()> + Send + 'static) {
        if let Some(said) = self.said {
            // Whoever listens does so to the end of the work.
            said.send(Box::new(tell)).ok();
        }
    }

    /// So many things are to be done.
    pub(crate) fn start(&mut self, what: &str, count: usize) {
        let what = what.to_owned();
        self.tell(move |py, shown| shown.call_method1(py, "begin", (what, count)).map(drop));
    }

    /// One of them is in hand, and so many are done.
    pub(crate) fn at(&mut self, what: String, done: f64) {
        self.tell(move |py, shown| shown.call_method1(py, "working", (what, done)).map(drop));
    }
}

/// Works on a thread of its own. The calling one hands its events to the object and looks meanwhile whether the user wants it
/// stopped: the first exception, of the object or of the handler of a signal, sets the flag. To be called without the
/// interpreter's lock.
pub(crate) fn watched<T: Send>(
    shown: Option<Py<PyAny>>,
    work: impl FnOnce(&mut Watch<'_>, &AtomicBool) -> Answer<T> + Send,
) -> (Answer<T>, Option<PyErr>) {
    let stop = AtomicBool::new(false);
    let (sender, receiver) = sync_channel::<Telling>(WAITING);
    let heard = shown.is_some();
    thread::scope(|scope| {
        let stop = &stop;
        let working = scope.spawn(move || work(&mut Watch { said: heard.then_some(&sender) }, stop));
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

/// The same for work that leaves no run behind.
pub(crate) fn interruptible<T: Send>(
    shown: Option<Py<PyAny>>,
    work: impl FnOnce(&mut Watch<'_>, &AtomicBool) -> Answer<T> + Send,
) -> Answer<T> {
    match watched(shown, work) {
        (_, Some(raised)) => Err(interrupted(raised, None)),
        (outcome, None) => outcome,
    }
}

/// What was to be done whole and was stopped: the reason is known to whoever stopped it.
pub(crate) fn whole<T>(found: Option<T>) -> Answer<T> {
    found.ok_or_else(|| Failure::new(Kind::Internal, "stopped for no known reason"))
}

/// Looks at signals, then tells the object.
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

/// One bar over many runs.
pub(crate) struct ManyRuns<'w, 'a> {
    watch: &'w mut Watch<'a>,
    /// Cases of the runs before the one in hand.
    before: usize,
    /// Cases of the run in hand.
    current: usize,
    notes: BTreeSet<String>,
}

impl<'w, 'a> ManyRuns<'w, 'a> {
    /// For so many cases in all.
    pub(crate) fn of(watch: &'w mut Watch<'a>, total: usize) -> ManyRuns<'w, 'a> {
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

    /// Once is enough: every run would say the same.
    fn note(&mut self, text: &str) {
        if self.notes.insert(text.to_owned()) {
            self.watch.note(text);
        }
    }
}

/// Ctrl-C as an exception of pqlab, with what of a run was measured before; any other as it is.
pub(crate) fn interrupted(raised: PyErr, run: Option<Run>) -> Failure {
    Python::attach(|py| if raised.is_instance_of::<PyKeyboardInterrupt>(py) { stopped(py, run) } else { raised }).into()
}

fn stopped(py: Python<'_>, run: Option<Run>) -> PyErr {
    let (reason, remedy) = match &run {
        Some(run) if run.complete => (format!("stopped: run {} itself is complete", run.header.id), ""),
        Some(run) => (
            format!("stopped: run {} has {} of {} cases", run.header.id, run.records.len(), run.header.plan.len()),
            "pqlab.resume() continues it",
        ),
        None => ("stopped: nothing was stored".to_owned(), ""),
    };
    let made = || {
        let made = py.import("pqlab._errors")?.getattr("Interrupted")?.call1((reason, remedy))?;
        made.setattr("run", run.map(Measured::of))?;
        Ok(made)
    };
    made().map_or_else(|error| error, PyErr::from_value)
}
