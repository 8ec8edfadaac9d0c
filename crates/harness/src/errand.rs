//! Runs a task in a separate process, because the task may crash, hang or change process-wide state. Each process runs
//! one task, called an errand, and sends its answers as strings. The process is a worker from the same build. It is
//! killed when the thread that started it ends.

use crate::clock;
use crate::ending::ending;
use crate::program::{Program, Unheard, WorkerError, end_with_all_it_started, ended_within_grace, temporary_file};
use crate::timed::Timed;
use crate::wire::{self, Task};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Interval between checks of the stop flag, in ms.
const LOOK_MS: u8 = 50;

/// Process that runs an errand. Dropping an `Errand` kills the process.
pub struct Errand {
    child: Child,
    stream: UnixStream,
    /// Unnamed file that captures standard output, which only libraries write to. `stderr` captures standard error, if
    /// requested.
    stdout: File,
    stderr: Option<File>,
}

/// Result of waiting for an errand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The errand sent a message.
    Said(String),
    /// The errand ended, possibly in the middle of a message.
    Ended,
    /// The caller set the stop flag.
    Stopped,
}

/// Exit status and output of an errand's process.
#[derive(Debug)]
pub struct ErrandEnd {
    /// Exit status.
    pub status: ExitStatus,
    /// Text written to standard output, which should be empty.
    pub stdout: String,
    /// Text written to standard error. Empty if it was not captured.
    pub stderr: String,
}

/// Settings for running an errand.
#[derive(Debug, Clone, Default)]
pub struct Manner {
    /// Wrapper program and its arguments, such as `valgrind`. Empty to run the worker directly.
    pub wrapper: Vec<OsString>,
    /// Whether to capture standard error. Otherwise the errand writes to this process's standard error.
    pub keep_stderr: bool,
}

impl Errand {
    /// Starts a process for `task`, a string that the worker program interprets. The process must come from the same
    /// build. Under a wrapper, the check excludes providers, because the wrapper may emulate a different processor.
    ///
    /// # Errors
    /// [`WorkerError`] if the process cannot be started, comes from a different build, or does not answer within
    /// `limit`.
    pub fn start(program: &Program, task: String, manner: &Manner, limit: Duration) -> Result<Errand, WorkerError> {
        let failed = |error: io::Error| WorkerError::Start { path: program.path.clone(), reason: error.to_string() };
        let stdout = temporary_file()?;
        let stderr = manner.keep_stderr.then(temporary_file).transpose()?;
        let mut command = program.command(&manner.wrapper);
        command.stdin(Stdio::null()).stdout(stdout.try_clone().map_err(failed)?);
        if let Some(stderr) = &stderr {
            command.stderr(stderr.try_clone().map_err(failed)?);
        }
        let (child, stream) = program.spawn(command)?;
        let mut errand = Errand { child, stream, stdout, stderr };
        let build = program.build.clone();
        let build = if manner.wrapper.is_empty() { build } else { build.without_providers() };
        match program.greet(Timed::new(&errand.stream, limit), build, Task::Errand(task)) {
            Ok(()) => Ok(errand),
            Err(Unheard::Worker(error)) => Err(error),
            Err(Unheard::Lost(error)) => Err(WorkerError::Silent(errand.silence(&error, limit))),
        }
    }

    /// Waits for the next message, without a time limit. Setting `stop` ends the wait.
    ///
    /// # Errors
    /// Errors from the system, and `InvalidData` if a message is malformed. The end of the process is not an error.
    pub fn next(&mut self, stop: &AtomicBool) -> io::Result<Next> {
        self.next_until(u64::MAX, stop).map(|next| next.unwrap_or(Next::Stopped))
    }

    /// Waits for the next message for at most `limit`. Returns `None` if no message arrives in this time.
    ///
    /// # Errors
    /// The same errors as [`next`](Self::next).
    pub fn next_within(&mut self, limit: Duration, stop: &AtomicBool) -> io::Result<Option<Next>> {
        let limit_ns = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        self.next_until(clock::awake_ns().saturating_add(limit_ns), stop)
    }

    fn next_until(&mut self, until_ns: u64, stop: &AtomicBool) -> io::Result<Option<Next>> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Ok(Some(Next::Stopped));
            }
            let late = clock::awake_ns() >= until_ns;
            let mut watched = [PollFd::new(self.stream.as_fd(), PollFlags::POLLIN)];
            match poll(&mut watched, PollTimeout::from(LOOK_MS)) {
                Ok(0) if late => return Ok(None),
                Ok(0) | Err(Errno::EINTR) => {}
                Ok(_) => break,
                Err(error) => return Err(error.into()),
            }
        }
        match wire::receive(&mut &self.stream) {
            Ok(Some(text)) => Ok(Some(Next::Said(text))),
            Ok(None) => Ok(Some(Next::Ended)),
            // A killed process may leave its last message incomplete.
            Err(error) if matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) => {
                Ok(Some(Next::Ended))
            }
            Err(error) => Err(error),
        }
    }

    /// Waits for the process to exit, and returns its exit status and output. Call this after the last message.
    ///
    /// # Errors
    /// System errors while waiting for the process or reading its output files.
    pub fn end(mut self) -> io::Result<ErrandEnd> {
        let status = self.child.wait()?;
        let stdout = written(&mut self.stdout)?;
        let stderr = self.stderr.as_mut().map_or_else(|| Ok(String::new()), written)?;
        Ok(ErrandEnd { status, stdout, stderr })
    }

    /// Explains why the process did not send a greeting.
    fn silence(&mut self, error: &io::Error, limit: Duration) -> String {
        if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) {
            return format!("no answer within {:.0} s", limit.as_secs_f64());
        }
        if error.kind() == io::ErrorKind::InvalidData {
            return format!("cannot read the worker's greeting: {error}");
        }
        match ended_within_grace(&mut self.child) {
            Ok(Some(status)) => format!("the process ended: {}", ending(status)),
            Ok(None) => "the process closed its connection".to_owned(),
            Err(lost) => format!("cannot wait for the process: {lost}"),
        }
    }
}

impl Drop for Errand {
    fn drop(&mut self) {
        end_with_all_it_started(&mut self.child);
    }
}

/// Returns everything written to a file.
fn written(file: &mut File) -> io::Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
