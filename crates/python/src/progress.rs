//! Who watches a run: an object of the package, and Ctrl-C.

use crate::errors::Failure;
use crate::run::Measured;
use pqlab_lab::Progress;
use pqlab_lab::record::{Case, Record, Run, RunHeader};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Hands events on, and looks at each of them whether the user wants it stopped.
pub(crate) struct Watch<'a> {
    /// An object with the methods `begin`, `working`, `finished` and `note`.
    shown: Option<Py<PyAny>>,
    stop: &'a AtomicBool,
    /// The first exception: of the object, or of the handler of a signal.
    pub(crate) raised: Option<PyErr>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(shown: Option<Py<PyAny>>, stop: &'a AtomicBool) -> Watch<'a> {
        Watch { shown, stop, raised: None }
    }

    /// Looks at signals, then does something with the object.
    pub(crate) fn tell(&mut self, tell: impl FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<()>) {
        if self.raised.is_some() {
            return;
        }
        let shown = self.shown.as_ref();
        let told = Python::attach(|py| {
            py.check_signals()?;
            shown.map_or(Ok(()), |shown| tell(py, shown))
        });
        if let Err(error) = told {
            self.stop.store(true, Ordering::Relaxed);
            self.raised = Some(error);
        }
    }
}

impl Progress for Watch<'_> {
    fn begin(&mut self, header: &RunHeader, remaining: usize) {
        self.tell(|py, shown| shown.call_method1(py, "begin", (&header.id, remaining)).map(drop));
    }

    fn working(&mut self, case: &Case, done: f64) {
        self.tell(|py, shown| shown.call_method1(py, "working", (case.id(), done)).map(drop));
    }

    fn finished(&mut self, _: &RunHeader, record: &Record) {
        self.tell(|py, shown| shown.call_method1(py, "finished", (record.case.id(), &record.error)).map(drop));
    }

    fn note(&mut self, text: &str) {
        self.tell(|py, shown| shown.call_method1(py, "note", (text,)).map(drop));
    }
}

/// Ctrl-C as an exception of pqlab, with what of a run was measured before; any other as it is.
pub(crate) fn interrupted(raised: PyErr, run: Option<Run>) -> Failure {
    Python::attach(|py| if raised.is_instance_of::<PyKeyboardInterrupt>(py) { stopped(py, run) } else { raised }).into()
}

fn stopped(py: Python<'_>, run: Option<Run>) -> PyErr {
    let (reason, remedy) = match &run {
        Some(run) => (
            format!("stopped: run {} has {} of {} cases", run.header.id, run.records.len(), run.header.plan.len()),
            "pqlab.resume() goes on with it",
        ),
        None => ("stopped: nothing is kept".to_owned(), ""),
    };
    let made = || {
        let made = py.import("pqlab._errors")?.getattr("Interrupted")?.call1((reason, remedy))?;
        made.setattr("run", run.map(Measured::of))?;
        Ok(made)
    };
    made().map_or_else(|error| error, PyErr::from_value)
}
