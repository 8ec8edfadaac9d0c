//! Tasks that run in a separate process, so that a crash ends only the task. This module starts such processes and
//! carries messages; each subject declares its own tasks, and [`worker`](super::worker) lists them.

use crate::{LabError, Laboratory};
use pqlab_harness::errand::{Errand, Manner};
use pqlab_harness::{Program, wire};
use pqlab_workloads::Registry;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Task for a separate process.
pub(crate) trait Task: Serialize + DeserializeOwned {
    /// Name of the task on the wire.
    const NAME: &'static str;
    /// A message from the process, which may send any number of them.
    type Answer: Serialize + DeserializeOwned;

    /// Carries out the task in this process.
    ///
    /// # Errors
    /// If the task names something that this build does not have.
    fn carry_out(self, registry: &Registry, say: &(dyn Fn(Self::Answer) + Sync)) -> io::Result<()>;
}

/// Carries out a task in this process and sends its answers.
///
/// # Errors
/// The errors of [`Task::carry_out`], `InvalidData` if this build does not understand the task, and errors of the
/// stream.
pub(super) fn serve<T: Task>(task: Value, registry: &Registry, stream: impl Write + Send) -> io::Result<()> {
    let task: T = serde_json::from_value(task).map_err(unknown)?;
    // After the first error nobody listens any more.
    let outgoing = Mutex::new((stream, Ok(())));
    let say = |answer: T::Answer| {
        let mut outgoing = outgoing.lock().unwrap_or_else(PoisonError::into_inner);
        let (stream, outcome) = &mut *outgoing;
        if outcome.is_ok() {
            let text = serde_json::to_string(&answer).map_err(io::Error::other);
            *outcome = text.and_then(|text| wire::send(stream, &text));
        }
    };
    task.carry_out(registry, &say)?;
    outgoing.into_inner().unwrap_or_else(PoisonError::into_inner).1
}

/// Returns the error for a task that this build does not understand.
pub(super) fn unknown(reason: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("unknown task: {reason}"))
}

/// Returns the text with which a worker is started for a task.
pub(crate) fn text_of<T: Task>(task: &T) -> serde_json::Result<String> {
    serde_json::to_string(&(T::NAME, task))
}

/// Reads a message of a task's process; `None` if it is something else, such as output of a library.
pub(crate) fn read_answer<T: Task>(message: &str) -> Option<T::Answer> {
    serde_json::from_str(message).ok()
}

/// Returns the error for a process whose stream or exit status cannot be read.
pub(crate) fn lost(error: io::Error) -> LabError {
    LabError::system("lost a worker process")(error)
}

impl Laboratory {
    /// Starts a process for a task.
    pub(crate) fn start<T: Task>(&self, task: &T, manner: &Manner) -> Result<Errand, LabError> {
        self.start_program(&self.program(), task, manner)
    }

    /// Starts a process for a task, without opening any library at its start.
    pub(crate) fn start_without_libraries<T: Task>(&self, task: &T, manner: &Manner) -> Result<Errand, LabError> {
        self.start_program(&self.program_without_libraries(), task, manner)
    }

    fn start_program<T: Task>(&self, program: &Program, task: &T, manner: &Manner) -> Result<Errand, LabError> {
        let text = text_of(task).map_err(|error| lost(io::Error::other(error)))?;
        Ok(Errand::start(program, text, manner, self.limits.request)?)
    }
}
