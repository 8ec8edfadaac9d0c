//! Workers behind a socket. The listening program is already running and forks a process for every connection. Timed
//! code can therefore run in a state of the program that a newly started program cannot reach.

use super::conversation::{Timed, Until};
use super::frame::{self, Message, ReadError};
use super::program::line;
use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::Path;

/// Verb of the first message, which the program sends without a request. It contains the id of the process that serves
/// the connection.
const PROCESS: &str = "process";
/// Verb of the last message, which says why the serving process ended unexpectedly.
const ENDED: &str = "ended";

/// A connection and the process that serves it. When the connection closes, the listening program ends this process.
pub(super) struct Peer {
    /// Second handle to the connection, for sending requests.
    pub(super) input: UnixStream,
    pub(super) output: UnixStream,
    pub(super) process: u32,
}

impl Peer {
    /// Returns whether the path is a socket.
    pub(super) fn listens(path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|about| about.file_type().is_socket())
    }

    /// Connects, and binds the process that serves the connection to this thread's processors.
    pub(super) fn connect(path: &Path, until: Until) -> io::Result<Peer> {
        let mut output = UnixStream::connect(path)?;
        output.set_nonblocking(true)?;
        let odd = || io::Error::other("the program's first message is not a process id");
        let message = match frame::receive(&mut Timed { stream: &mut output, until }) {
            Ok(message) => message.ok_or_else(odd)?,
            Err(ReadError::Io(error)) => return Err(error),
            Err(ReadError::Malformed(malformed)) => return Err(io::Error::other(malformed)),
        };
        let number = match &message.fields[..] {
            [field] if message.verb == PROCESS => frame::number(field),
            _ => None,
        };
        let process = number.and_then(|number| u32::try_from(number).ok()).filter(|&number| number > 0);
        let process = process.ok_or_else(odd)?;
        bind_like_this_thread(process)?;
        Ok(Peer { input: output.try_clone()?, output, process })
    }

    /// Returns `message`, or an error if it reports that the process ended.
    pub(super) fn not_its_last_words(message: Message) -> Result<Message, String> {
        if message.verb != ENDED {
            return Ok(message);
        }
        let reason = message.fields.first().and_then(|field| line(field)).unwrap_or_default();
        Err(format!("the program ended: {reason}"))
    }
}

/// Binds a process behind a socket to this thread's processors. Processes that pqlab starts inherit the binding.
#[cfg(target_os = "linux")]
fn bind_like_this_thread(process: u32) -> io::Result<()> {
    let process = libc::pid_t::try_from(process).map_err(io::Error::other)?;
    // SAFETY: `cpu_set_t` is a plain array of bits, so all zeros is a valid value.
    let mut allowed: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let size = size_of::<libc::cpu_set_t>();
    // SAFETY: both calls get the size of `allowed`, which outlives them.
    let done = unsafe {
        libc::sched_getaffinity(0, size, &raw mut allowed) == 0
            && libc::sched_setaffinity(process, size, &raw const allowed) == 0
    };
    if done { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(not(target_os = "linux"))]
fn bind_like_this_thread(_: u32) -> io::Result<()> {
    Ok(())
}
