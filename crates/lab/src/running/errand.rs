//! Tasks that run in a separate process, so that a crash ends only the task. This module starts the processes and
//! transfers messages. Other modules declare the tasks; [`worker`](super::worker) lists all of them.

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
    /// Name that identifies the task in messages.
    const NAME: &'static str;
    /// Type of the answers. The process can send any number of answers.
    type Answer: Serialize + DeserializeOwned;

    /// Carries out the task in this process. `say` sends an answer.
    ///
    /// # Errors
    /// Fails if this build cannot carry out the task, for example because it lacks the requested case.
    fn carry_out(self, registry: &Registry, say: &(dyn Fn(Self::Answer) + Sync)) -> io::Result<()>;
}

/// Carries out a task in this process and sends its answers.
///
/// # Errors
/// Errors from [`Task::carry_out`], `InvalidData` if this build does not understand the task, and errors from the
/// stream.
pub(super) fn serve<T: Task>(task: Value, registry: &Registry, stream: impl Write + Send) -> io::Result<()> {
    let task: T = serde_json::from_value(task).map_err(unknown)?;
    // After the first error, send no more answers, because nobody would receive them.
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

/// Returns the message that tells a worker to carry out a task.
pub(crate) fn text_of<T: Task>(task: &T) -> serde_json::Result<String> {
    serde_json::to_string(&(T::NAME, task))
}

/// Parses a message from a task's process. Returns `None` if the message is not an answer, for example because a
/// library printed it.
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

    /// Starts a process for a task. The process opens no library when it starts.
    pub(crate) fn start_without_libraries<T: Task>(&self, task: &T, manner: &Manner) -> Result<Errand, LabError> {
        self.start_program(&self.program_without_libraries(), task, manner)
    }

    fn start_program<T: Task>(&self, program: &Program, task: &T, manner: &Manner) -> Result<Errand, LabError> {
        let text = text_of(task).map_err(|error| lost(io::Error::other(error)))?;
        Ok(Errand::start(program, text, manner, self.limits.request)?)
    }
}
