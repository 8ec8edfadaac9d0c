//! Conversion of Rust errors into the exceptions of `pqlab._errors`.

use pqlab_lab::report::ExportError;
use pqlab_lab::store::StoreError;
use pqlab_lab::{LabError, primitives};
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Exception class of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A bug in pqlab.
    Internal,
    InvalidArgument,
    UnknownName,
    VerificationFailed,
    Library,
    Store,
}

impl Kind {
    fn class(self) -> &'static str {
        match self {
            Kind::Internal => "Error",
            Kind::InvalidArgument => "InvalidArgument",
            Kind::UnknownName => "UnknownName",
            Kind::VerificationFailed => "VerificationFailed",
            Kind::Library => "LibraryError",
            Kind::Store => "StoreError",
        }
    }
}

/// Error from a call.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Reason for the failure, and a remedy. The remedy may be empty.
    Said { kind: Kind, reason: String, remedy: String },
    /// A Python exception, passed on unchanged.
    Raised(PyErr),
}

/// Result of a call.
pub(crate) type Answer<T> = Result<T, Failure>;

impl Failure {
    /// Returns a failure without a remedy.
    pub(crate) fn new(kind: Kind, reason: impl Into<String>) -> Failure {
        Failure::Said { kind, reason: reason.into(), remedy: String::new() }
    }

    /// Returns the failure for an invalid argument. The reason should state the value and the allowed values.
    pub(crate) fn argument(name: &str, reason: impl std::fmt::Display) -> Failure {
        Failure::new(Kind::InvalidArgument, format!("{name}: {reason}"))
    }

    /// Sets the remedy of a failure. Does not change Python exceptions.
    pub(crate) fn advising(self, advice: impl Into<String>) -> Failure {
        match self {
            Failure::Said { kind, reason, .. } => Failure::Said { kind, reason, remedy: advice.into() },
            raised => raised,
        }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure::Raised(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        let (kind, reason, remedy) = match failure {
            Failure::Said { kind, reason, remedy } => (kind, reason, remedy),
            Failure::Raised(error) => return error,
        };
        Python::attach(|py| {
            let build = || py.import("pqlab._errors")?.getattr(kind.class())?.call1((reason, remedy));
            build().map_or_else(|error| error, PyErr::from_value)
        })
    }
}

/// Runs `work` without the interpreter lock. Converts a panic into an exception.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> Answer<T> + Send) -> Answer<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(fault(panic.as_ref()))))
}

/// Converts a panic into a failure.
pub(crate) fn fault(panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Failure::new(Kind::Internal, format!("internal error in pqlab: {text}"))
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Failure {
        let kind = match &error {
            LabError::Store(error) => {
                return Failure::new(of_store(error), error.to_string()).advising(store_advice(error));
            }
            LabError::Unknown { .. }
            | LabError::NoCaseOfRun { .. }
            | LabError::Unoffered { .. }
            | LabError::NoRuns
            | LabError::NothingSelected { .. }
            | LabError::NoneThatOld { .. }
            | LabError::NoEarlierRun { .. } => Kind::UnknownName,
            LabError::Sink(_) | LabError::File { .. } | LabError::System { .. } => Kind::Store,
            LabError::Libraries { .. } | LabError::Worker(_) | LabError::Case { .. } | LabError::Library { .. } => {
                Kind::Library
            }
            _ => Kind::InvalidArgument,
        };
        let remedy = advice(&error);
        Failure::new(kind, error.to_string()).advising(remedy)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        LabError::from(error).into()
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Failure {
        let kind = match error {
            ExportError::Io(_) => Kind::Store,
            ExportError::Format(_) | ExportError::Choice(_) => Kind::InvalidArgument,
        };
        let message = match &error {
            ExportError::Io(reason) => format!("{error}: {reason}"),
            _ => error.to_string(),
        };
        Failure::new(kind, message)
    }
}

impl From<primitives::Error> for Failure {
    fn from(error: primitives::Error) -> Failure {
        use primitives::Error;
        let kind = match error {
            Error::Unsupported(_) => Kind::UnknownName,
            Error::Length { .. } | Error::Malformed(_) => Kind::InvalidArgument,
            Error::VerificationFailed => Kind::VerificationFailed,
            Error::Library { .. } => Kind::Library,
        };
        Failure::new(kind, error.to_string())
    }
}

fn of_store(error: &StoreError) -> Kind {
    match error {
        StoreError::UnknownRun { .. } | StoreError::TooFewRuns { .. } => Kind::UnknownName,
        StoreError::BadName { .. } => Kind::InvalidArgument,
        _ => Kind::Store,
    }
}

/// Returns the remedy for a Python caller, or an empty string.
fn advice(error: &LabError) -> &'static str {
    use pqlab_lab::Thing;
    match error {
        LabError::Unknown { what: Thing::Algorithm, .. } => "pqlab.algorithms() lists all algorithms",
        LabError::Unknown { what: Thing::Provider | Thing::Library | Thing::LedgerProvider, .. } => {
            "pqlab.providers() lists all providers"
        }
        LabError::Unknown { what: Thing::Suite, .. } => "see pqlab.suites(), or name a .toml file",
        LabError::Unknown { what: Thing::Selection, .. } => {
            "see pqlab.suites(), pqlab.algorithms() and pqlab.providers(), or name a .toml file"
        }
        LabError::NothingSelected { .. } => "pqlab.cases() lists the ids that filters can match",
        LabError::NoCaseOfRun { .. } | LabError::NothingInCommon { .. } => "Run.cases lists the cases of a run",
        LabError::OtherCounter { .. } => "start a new run",
        LabError::Changed { .. } => "start a new run, or pass elsewhere=True",
        LabError::Foreign { .. } => "pass libraries=[...] or allow_foreign=True",
        LabError::Invalid { field: "name", .. } => "choose another name, or pass force=True to move the name",
        LabError::Invalid { field: "force", .. } => "pass force=True to delete the run anyway",
        LabError::Unknown { what: Thing::LeakCase, .. } => "pqlab.leak_tests() lists all leak tests",
        LabError::NothingShared { .. } => "pqlab.algorithms(libraries=[...]) lists what each library offers",
        LabError::Missing { .. } => "install the program, or leave out taint=True",
        LabError::OtherForm { .. } => "pass the form of the block with form=",
        _ => "",
    }
}

fn store_advice(error: &StoreError) -> &'static str {
    match error {
        StoreError::NoHome => "set HOME, or pass database=",
        StoreError::Missing { .. } => "create the database with pqlab.run(), or name another file",
        StoreError::NotAFile { .. }
        | StoreError::NotADatabase { .. }
        | StoreError::Foreign { .. }
        | StoreError::Altered { .. } => "name another file",
        StoreError::Future { .. } => {
            "correct started_at in the file, or the clock of the machine that measured the run"
        }
        StoreError::Older { .. } => "open the file with the version of pqlab that wrote it, or name another file",
        StoreError::Newer { .. } => "update pqlab, or name another file",
        StoreError::Denied { .. } => "check the permissions of the file and its folder, or name another file",
        StoreError::Full { .. } => "free some space, then continue with pqlab.resume()",
        StoreError::Locked { .. } => "wait until the other process finishes, or name another file",
        StoreError::Damaged { .. } | StoreError::DamagedSamples { .. } => "restore the file from a backup",
        StoreError::UnknownRun { .. } | StoreError::TooFewRuns { .. } => "pqlab.open().runs() lists all runs",
        StoreError::NotResumable { .. } => "pqlab.run() starts a new run",
        _ => "",
    }
}
