//! Starts worker processes. Each worker has its own socket pair, and is killed when the thread that started it ends.

use crate::build_id::BuildId;
use crate::clock;
use crate::system::{Here, System};
use crate::wire::{self, Greeting, Hello, Task};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// Program to run as a worker: see [`inherited_stream`](crate::process::inherited_stream) and
/// [`greet`](crate::worker::greet).
#[derive(Clone, Debug)]
pub struct Program {
    /// Path of the executable.
    pub path: PathBuf,
    /// Arguments. The number of the worker's socket descriptor is appended to them.
    pub arguments: Vec<OsString>,
    /// Environment variables to set in addition to those of this process.
    pub variables: Vec<(OsString, OsString)>,
    /// Build of this process. The worker must come from the same build.
    pub build: BuildId,
}

/// Reason why a worker process is missing or unusable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkerError {
    /// The program could not be started.
    #[error("cannot start the worker program {}: {reason}", path.display())]
    Start {
        /// Path of the program.
        path: PathBuf,
        /// Error from the system.
        reason: String,
    },
    /// The temporary file for a worker's output could not be created.
    #[error("cannot create a temporary file in {} (set TMPDIR to a writable folder): {reason}", folder.display())]
    Temporary {
        /// Folder for temporary files.
        folder: PathBuf,
        /// Error from the system.
        reason: String,
    },
    /// The program is from a different build, so the record would name the wrong build.
    #[error("the worker program {} is from a different build: {difference}", path.display())]
    OtherBuild {
        /// Path of the program.
        path: PathBuf,
        /// Difference between the builds.
        difference: String,
    },
    /// The process started but did not begin its work.
    #[error("a worker did not start: {0}")]
    Silent(String),
    /// The process reported an error instead of beginning its work.
    #[error("a worker could not start: {0}")]
    Refused(String),
    /// The process sent an answer that does not match the request.
    #[error("a worker gave an unexpected answer to {request}: {answer}")]
    Answer {
        /// Name of the request.
        request: &'static str,
        /// The answer, in debug format.
        answer: String,
    },
}

/// Creates an unnamed file in the temporary folder.
pub(crate) fn temporary_file() -> Result<File, WorkerError> {
    tempfile::tempfile()
        .map_err(|error| WorkerError::Temporary { folder: std::env::temp_dir(), reason: error.to_string() })
}

impl Program {
    /// Returns a command that runs the program. If `wrapper` (a program and its arguments) is not empty, the command
    /// runs the program under the wrapper.
    pub(crate) fn command(&self, wrapper: &[OsString]) -> Command {
        let mut words = wrapper.iter().map(OsString::as_os_str).chain([self.path.as_os_str()]);
        let mut command = Command::new(words.next().unwrap_or(self.path.as_os_str()));
        command.args(words).args(&self.arguments).envs(self.variables.iter().cloned());
        command
    }

    /// Starts the command in a new process group and returns one end of a new socket pair. The descriptor of the other
    /// end is appended to the command's arguments. The process is killed when the calling thread ends.
    pub(crate) fn spawn(&self, mut command: Command) -> Result<(Child, UnixStream), WorkerError> {
        let mut start = || {
            let (ours, theirs) = UnixStream::pair()?;
            let descriptor = theirs.as_raw_fd();
            command.arg(descriptor.to_string());
            inherit(&mut command, descriptor);
            // Ctrl-C in the coordinator's terminal must not end a worker in the middle of a case.
            command.process_group(0);
            Here::tie(&mut command);
            Ok((command.spawn()?, ours))
        };
        start().map_err(|error: io::Error| WorkerError::Start { path: self.path.clone(), reason: error.to_string() })
    }

    /// Exchanges builds with a newly started worker, and checks that they are equal. `build` is the part of this
    /// process's build to compare.
    pub(crate) fn greet(&self, mut stream: impl Read + Write, build: BuildId, task: Task) -> Result<(), Unheard> {
        let hello = Hello { build, task };
        wire::send(&mut stream, &hello).map_err(Unheard::Lost)?;
        let Some(Greeting { build }) = wire::receive(&mut stream).map_err(Unheard::Lost)? else {
            return Err(Unheard::Lost(io::ErrorKind::UnexpectedEof.into()));
        };
        match hello.build.difference(&build) {
            None => Ok(()),
            Some(difference) => Err(Unheard::Worker(WorkerError::OtherBuild { path: self.path.clone(), difference })),
        }
    }
}

/// Reason why greeting a worker failed.
pub(crate) enum Unheard {
    /// The connection failed.
    Lost(io::Error),
    /// The worker cannot be used.
    Worker(WorkerError),
}

/// Time limit for the exit of a process that closed its connection or was killed.
pub(crate) const GRACE: Duration = Duration::from_secs(5);
/// Interval between checks for the end of a process.
const LOOK: Duration = Duration::from_millis(5);

/// Waits for a process to exit, and ends the child processes that it leaves behind. `None` if it is still running after
/// [`GRACE`].
pub(crate) fn ended_within_grace(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let begun = clock::monotonic_ns();
    loop {
        // Until the process is reaped, its number denotes its group, so no other group can be meant.
        if has_exited(child) {
            end_group(child);
        }
        match child.try_wait()? {
            None if u128::from(clock::monotonic_ns() - begun) < GRACE.as_nanos() => std::thread::sleep(LOOK),
            ended => return Ok(ended),
        }
    }
}

/// Kills a running process with all its child processes, and reaps it. If a process survives, it is stuck in the
/// kernel, and pqlab cannot end it.
pub(crate) fn end_with_all_it_started(child: &mut Child) {
    if has_exited(child) {
        end_group(child);
    }
    if let Ok(None) = child.try_wait() {
        end_group(child);
        child.kill().ok();
        ended_within_grace(child).ok();
    }
}

/// Kills all processes in the group of a process that is not reaped yet.
fn end_group(child: &Child) {
    nix::sys::signal::killpg(number(child), nix::sys::signal::Signal::SIGKILL).ok();
}

fn number(child: &Child) -> nix::unistd::Pid {
    nix::unistd::Pid::from_raw(child.id().cast_signed())
}

/// Returns whether a process has exited but is not reaped yet. Always `false` if the system cannot tell.
#[cfg(any(target_os = "linux", target_os = "freebsd"))]
fn has_exited(child: &Child) -> bool {
    use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
    let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    matches!(waitid(Id::Pid(number(child)), look), Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(..)))
}

/// Returns whether a process has exited but is not reaped yet. Always `false` if the system cannot tell.
#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
fn has_exited(_child: &Child) -> bool {
    false
}

/// Lets the command inherit a descriptor that no other process inherits.
fn inherit(command: &mut Command, descriptor: RawFd) {
    use nix::fcntl::{FcntlArg, FdFlag, fcntl};
    let clear = move || {
        // SAFETY: the descriptor stays open in this process until the command has started.
        let borrowed = unsafe { std::os::fd::BorrowedFd::borrow_raw(descriptor) };
        fcntl(borrowed, FcntlArg::F_SETFD(FdFlag::empty())).map(drop).map_err(io::Error::from)
    };
    // SAFETY: between fork and exec, the closure makes one system call, does not allocate and takes no lock.
    unsafe { command.pre_exec(clear) };
}
