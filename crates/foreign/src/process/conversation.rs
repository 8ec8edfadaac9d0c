//! Conversation with one running program over pipes or a socket, with a time limit for each answer.

use super::frame::{self, Message, ReadError};
use super::socket::Peer;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time limits for a program's answers. pqlab stops a program that exceeds a limit.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Limit for the answer to the greeting (`hello`), and for the first message of a program behind a socket.
    pub hello: Duration,
    /// Limit for any other answer.
    pub answer: Duration,
    /// Monotonic clock in ns, read at least once a second during a wait. The clock may exclude time in which this
    /// process was paused.
    pub now: fn() -> u64,
}

impl Limits {
    /// Returns the default limits: 10 s for the greeting and 60 s for any other answer. Both are shorter than the
    /// default time limit for an answer from a worker process (120 s).
    pub fn by(now: fn() -> u64) -> Limits {
        Limits { hello: Duration::from_secs(10), answer: Duration::from_secs(60), now }
    }
}

/// Maximum time between two readings of the clock during a wait, in ms.
const WAIT_SLICE_MS: u128 = 1000;
/// Maximum number of characters to keep from the last line of standard error.
const LAST_LINE: usize = 400;
/// Time limit for the exit of a program that closed its output. pqlab waits so that it can read the last line of the
/// program's standard error.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Conversation with a running program.
pub(super) struct Conversation {
    other: Other,
    now: fn() -> u64,
}

enum Other {
    Started(Started),
    Peer(Peer),
}

impl Conversation {
    /// Starts the program, or connects to it if the path is a socket.
    pub(super) fn start(program: &Path, arguments: &[String], limits: Limits) -> io::Result<Conversation> {
        let now = limits.now;
        let other = if Peer::listens(program) {
            Other::Peer(Peer::connect(program, Until::in_time(now, limits.hello))?)
        } else {
            Other::Started(Started::start(program, arguments)?)
        };
        Ok(Conversation { other, now })
    }

    /// Returns the program's process id.
    pub(super) fn process(&self) -> u32 {
        match &self.other {
            Other::Started(started) => started.child.id(),
            Other::Peer(peer) => peer.process,
        }
    }

    /// Sends a request and waits for the answer. The error says what went wrong. After an error, the conversation is
    /// unusable.
    pub(super) fn ask(&mut self, verb: &str, fields: &[&[u8]], limit: Duration) -> Result<Message, String> {
        let until = Until::in_time(self.now, limit);
        let reply = match &mut self.other {
            Other::Started(Started { input, output, .. }) => exchange(input, output, until, verb, fields),
            Other::Peer(Peer { input, output, .. }) => exchange(input, output, until, verb, fields),
        };
        let broken = io::Error::from(io::ErrorKind::BrokenPipe);
        match reply {
            Ok(Some(message)) => match &self.other {
                Other::Peer(_) => Peer::not_its_last_words(message),
                Other::Started(_) => Ok(message),
            },
            Ok(None) => Err(self.ended(&broken, limit)),
            Err(ReadError::Io(error)) => Err(self.ended(&error, limit)),
            Err(ReadError::Malformed(malformed)) => Err(format!("malformed answer: {malformed}")),
        }
    }

    /// Describes how the conversation ended, with the last line of the program's standard error if there is one.
    fn ended(&mut self, error: &io::Error, limit: Duration) -> String {
        match (error.kind(), &mut self.other) {
            (io::ErrorKind::TimedOut, _) => {
                format!("no answer within {} s, so pqlab stopped the program", limit.as_secs_f64())
            }
            (io::ErrorKind::InvalidInput, _) => error.to_string(),
            (_, Other::Peer(_)) => format!("the program closed the connection ({error})"),
            (_, Other::Started(started)) => started.ended(error, self.now),
        }
    }
}

/// Sends a request and receives the answer. Returns `None` if the program closed its output without answering.
fn exchange<I: Write + AsRawFd, O: Read + AsRawFd>(
    input: &mut I,
    output: &mut O,
    until: Until,
    verb: &str,
    fields: &[&[u8]],
) -> Result<Option<Message>, ReadError> {
    frame::send(&mut Timed { stream: input, until }, verb, fields)?;
    frame::receive(&mut Timed { stream: output, until })
}

/// A process that pqlab started, with pipes to its standard input, output and error.
struct Started {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    last_line: Arc<Mutex<String>>,
    listener: Option<JoinHandle<()>>,
}

impl Started {
    fn start(program: &Path, arguments: &[String]) -> io::Result<Started> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // SAFETY: `set_free` makes only system calls that are allowed between fork and exec.
        unsafe { command.pre_exec(set_free) };
        let mut child = command.spawn()?;
        let missing = || io::Error::other("no pipe");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let errors = child.stderr.take().ok_or_else(missing)?;
        let last_line = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&last_line);
        let listener = std::thread::spawn(move || keep_last_line(errors, &kept));
        let started = Started { child, input, output, last_line, listener: Some(listener) };
        never_block(started.input.as_raw_fd())?;
        never_block(started.output.as_raw_fd())?;
        Ok(started)
    }

    /// Describes how the process ended, with the last line of its standard error if there is one.
    fn ended(&mut self, error: &io::Error, now: fn() -> u64) -> String {
        let last = Until::in_time(now, LAST_WORDS);
        let ending = loop {
            match self.child.try_wait() {
                Ok(None) if !last.left().is_zero() => std::thread::sleep(Duration::from_millis(2)),
                Ok(Some(status)) => break format!("the program ended: {status}"),
                _ => break format!("the program closed its input or output ({error})"),
            }
        };
        // Limit the wait, because a child of the program may keep the pipe of standard error open.
        while !last.left().is_zero() && self.listener.as_ref().is_some_and(|listener| !listener.is_finished()) {
            std::thread::sleep(Duration::from_millis(2));
        }
        let line = self.last_line.lock().unwrap_or_else(PoisonError::into_inner);
        if line.is_empty() { ending } else { format!("{ending}: {line}") }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // If the process has already ended, `kill` does nothing and `wait` reaps it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A deadline, with the clock that measures it.
#[derive(Clone, Copy)]
pub(super) struct Until {
    now: fn() -> u64,
    deadline_ns: u64,
}

impl Until {
    /// Returns the deadline that is `limit` from now.
    fn in_time(now: fn() -> u64, limit: Duration) -> Until {
        Until { now, deadline_ns: now().saturating_add(nanoseconds(limit)) }
    }

    fn left(self) -> Duration {
        Duration::from_nanos(self.deadline_ns.saturating_sub((self.now)()))
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A non-blocking pipe or socket whose reads and writes fail after a deadline.
pub(super) struct Timed<'a, S> {
    pub(super) stream: &'a mut S,
    pub(super) until: Until,
}

impl<S: AsRawFd> Timed<'_, S> {
    fn until_ready<T>(&mut self, events: libc::c_short, mut act: impl FnMut(&mut S) -> io::Result<T>) -> io::Result<T> {
        loop {
            match act(self.stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.wait(events)?,
                other => return other,
            }
        }
    }

    fn wait(&self, events: libc::c_short) -> io::Result<()> {
        let left = self.until.left();
        let mut poll = libc::pollfd { fd: self.stream.as_raw_fd(), events, revents: 0 };
        let milliseconds = left.as_millis().min(WAIT_SLICE_MS) as libc::c_int + libc::c_int::from(!left.is_zero());
        // SAFETY: the call gets one structure, which outlives it.
        match unsafe { libc::poll(&raw mut poll, 1, milliseconds) } {
            0 if left.is_zero() => Err(io::ErrorKind::TimedOut.into()),
            -1 if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }
}

impl<S: Read + AsRawFd> Read for Timed<'_, S> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.until_ready(libc::POLLIN, |stream| stream.read(into))
    }
}

impl<S: Write + AsRawFd> Write for Timed<'_, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.until_ready(libc::POLLOUT, |stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn never_block(descriptor: RawFd) -> io::Result<()> {
    // SAFETY: the descriptor is open, and `fcntl` takes and returns only numbers here.
    let done = unsafe {
        let flags = libc::fcntl(descriptor, libc::F_GETFL);
        flags >= 0 && libc::fcntl(descriptor, libc::F_SETFL, flags | libc::O_NONBLOCK) >= 0
    };
    if done { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Raises the soft limit on address space to the hard limit, because language runtimes reserve more address space than
/// they use. On Linux, also asks the kernel to kill the program when pqlab's process ends, because a program that hangs
/// does not notice the end of its standard input.
fn set_free() -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls get one structure, which outlives them. Both are allowed between fork and
    // exec.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_AS, &raw const limit);
        }
    }
    #[cfg(target_os = "linux")]
    // SAFETY: `prctl` takes only numbers here and is allowed between fork and exec.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
    Ok(())
}

fn keep_last_line(errors: impl Read, kept: &Mutex<String>) {
    let mut errors = BufReader::new(errors);
    let mut line = Vec::new();
    loop {
        line.clear();
        // Read very long lines in parts, to limit memory.
        match errors.by_ref().take(1 << 16).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text: String = String::from_utf8_lossy(&line).trim().chars().take(LAST_LINE).collect();
        if !text.is_empty() {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = text;
        }
    }
}
