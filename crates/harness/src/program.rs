//! The program that worker processes run, and how one is started: with a socket pair of its own, tied to this thread.

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

/// A program that serves as a worker: see [`inherited_stream`](crate::process::inherited_stream) and
/// [`greet`](crate::worker::greet).
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// Its arguments; the number of the worker's file descriptor is appended.
    pub arguments: Vec<OsString>,
    /// Variables of its environment, beside this process's own.
    pub variables: Vec<(OsString, OsString)>,
    /// The build of this process, which must be the worker's too.
    pub build: BuildId,
}

/// Why there is no worker process.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkerError {
    /// The program cannot be started.
    #[error("the worker program {} cannot be started: {reason}", path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The temporary file for a worker's output cannot be created.
    #[error("cannot create a temporary file in {} (set TMPDIR to a writable folder): {reason}", folder.display())]
    Temporary {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The program is of another build than this one: what it measures is not what this process would write down.
    #[error("the worker program {} is of another build: {difference}", path.display())]
    OtherBuild {
        /// The program.
        path: PathBuf,
        /// In what the builds differ.
        difference: String,
    },
    /// The process was started and does not begin its work.
    #[error("a worker does not begin: {0}")]
    Silent(String),
    /// The process refuses to begin.
    #[error("a worker cannot begin: {0}")]
    Refused(String),
    /// The process gives an answer that belongs to another request.
    #[error("a worker answers {request} with {answer}")]
    Answer {
        /// What was asked.
        request: &'static str,
        /// What was answered.
        answer: String,
    },
}

/// Creates an unnamed file in the temporary folder.
pub(crate) fn temporary_file() -> Result<File, WorkerError> {
    tempfile::tempfile()
        .map_err(|error| WorkerError::Temporary { folder: std::env::temp_dir(), reason: error.to_string() })
}

impl Program {
    /// A command that runs it, through the `wrapper` where one is given: a program and its arguments.
    pub(crate) fn command(&self, wrapper: &[OsString]) -> Command {
        let mut words = wrapper.iter().map(OsString::as_os_str).chain([self.path.as_os_str()]);
        let mut command = Command::new(words.next().unwrap_or(self.path.as_os_str()));
        command.args(words).args(&self.arguments).envs(self.variables.iter().cloned());
        command
    }

    /// Starts the command in a process group of its own, with the number of its end of a new socket pair as its last argument; the
    /// other end is returned. It ends with the calling thread.
    pub(crate) fn spawn(&self, mut command: Command) -> Result<(Child, UnixStream), WorkerError> {
        let mut start = || {
            let (ours, theirs) = UnixStream::pair()?;
            let descriptor = theirs.as_raw_fd();
            command.arg(descriptor.to_string());
            inherit(&mut command, descriptor);
            // A key that interrupts the coordinator must not end what a worker has in hand.
            command.process_group(0);
            Here::tie(&mut command);
            Ok((command.spawn()?, ours))
        };
        start().map_err(|error: io::Error| WorkerError::Start { path: self.path.clone(), reason: error.to_string() })
    }

    /// Exchanges builds with a worker that was just started; `build` is what of this one's is to be compared.
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

/// Why a worker was not greeted.
pub(crate) enum Unheard {
    /// Its stream broke.
    Lost(io::Error),
    /// It is not the right one.
    Worker(WorkerError),
}

/// How long a process that closed its stream may take to end, and one that was killed to be gone.
pub(crate) const GRACE: Duration = Duration::from_secs(5);
/// How often is looked whether it did.
const LOOK: Duration = Duration::from_millis(5);

/// How a process ended, if it does within [`GRACE`].
pub(crate) fn ended_within_grace(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let begun = clock::monotonic_ns();
    loop {
        match child.try_wait()? {
            None if u128::from(clock::monotonic_ns() - begun) < GRACE.as_nanos() => std::thread::sleep(LOOK),
            ended => return Ok(ended),
        }
    }
}

/// Kills a process that goes on, with what it started, and reaps it. One that not even that ends within the time hangs in the
/// kernel, and nobody can do more.
pub(crate) fn end_with_all_it_started(child: &mut Child) {
    if let Ok(None) = child.try_wait() {
        let group = nix::unistd::Pid::from_raw(child.id().cast_signed());
        nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL).ok();
        child.kill().ok();
        ended_within_grace(child).ok();
    }
}

/// Has the command inherit a descriptor that no other process started meanwhile does.
fn inherit(command: &mut Command, descriptor: RawFd) {
    use nix::fcntl::{FcntlArg, FdFlag, fcntl};
    let clear = move || {
        // SAFETY: the descriptor stays open in this process until the command was started.
        let borrowed = unsafe { std::os::fd::BorrowedFd::borrow_raw(descriptor) };
        fcntl(borrowed, FcntlArg::F_SETFD(FdFlag::empty())).map(drop).map_err(io::Error::from)
    };
    // SAFETY: between fork and exec it makes one system call, allocates nothing and takes no lock.
    unsafe { command.pre_exec(clear) };
}
