//! Stream with one deadline for a whole message, even if the message arrives in pieces.

use crate::clock;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Maximum number of bytes per write. The kernel may restart the socket's timeout for each part of a large write, so
/// one large write could block for many times the timeout.
const PORTION: usize = 16 << 10;
/// Interval between checks of the stop flag, in ns.
const LOOK_NS: u64 = 50_000_000;

/// Stream with a deadline on the clock [`clock::awake_ns`]. After the deadline, reads and writes that would have to
/// wait fail with `TimedOut`. If a [stop flag](Self::until_stopped) is set, they fail with [`STOPPED`]. Data that has
/// already arrived can still be read.
pub(crate) struct Timed<'a> {
    stream: &'a UnixStream,
    until_ns: u64,
    stop: Option<&'a AtomicBool>,
}

/// Kind of the error after the stop flag was set. The socket itself never reports this error.
pub(crate) const STOPPED: io::ErrorKind = io::ErrorKind::ConnectionAborted;

impl<'a> Timed<'a> {
    /// Sets the deadline to `limit` from now.
    pub(crate) fn new(stream: &'a UnixStream, limit: Duration) -> Timed<'a> {
        let limit_ns = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        Timed { stream, until_ns: clock::awake_ns().saturating_add(limit_ns), stop: None }
    }

    /// Ends the wait as soon as `stop` is set.
    pub(crate) fn until_stopped(self, stop: &'a AtomicBool) -> Timed<'a> {
        Timed { stop: Some(stop), ..self }
    }

    /// Waits until the stream can be read or written.
    fn wait(&self, events: PollFlags) -> io::Result<()> {
        loop {
            let left_ns = self.until_ns.saturating_sub(clock::awake_ns());
            let longest_ns = if self.stop.is_some() { LOOK_NS } else { clock::WAIT_SLICE_NS };
            let slice_ms = left_ns.min(longest_ns).div_ceil(1_000_000);
            let mut polled = [PollFd::new(self.stream.as_fd(), events)];
            match poll(&mut polled, PollTimeout::try_from(slice_ms).unwrap_or(PollTimeout::ZERO)) {
                Ok(0) if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) => return Err(STOPPED.into()),
                Ok(0) if left_ns == 0 => return Err(io::ErrorKind::TimedOut.into()),
                Ok(0) | Err(Errno::EINTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.wait(PollFlags::POLLIN)?;
        self.stream.read(buffer)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(Duration::from_nanos(clock::WAIT_SLICE_NS)))?;
        loop {
            self.wait(PollFlags::POLLOUT)?;
            // The write may time out without writing anything. Wait again until the deadline.
            match self.stream.write(&bytes[..bytes.len().min(PORTION)]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{self, Response};
    use std::time::Instant;

    /// Pause between parts of a message. A single pause is much shorter than the limit, but the sum of all pauses in a
    /// message is much longer.
    const PAUSE: Duration = Duration::from_millis(20);
    const LIMIT: Duration = Duration::from_millis(300);

    fn timed_out(error: &io::Error) -> bool {
        matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
    }

    #[test]
    fn a_message_received_byte_by_byte_has_one_time_limit() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let dribbling = std::thread::spawn(move || {
            theirs.write_all(&1_000_000_u32.to_le_bytes()).unwrap();
            while theirs.write_all(&[0]).is_ok() {
                std::thread::sleep(PAUSE);
            }
        });
        let error = wire::receive::<Response>(&mut Timed::new(&ours, LIMIT)).unwrap_err();
        assert!(timed_out(&error), "{error}");
        drop(ours);
        dribbling.join().unwrap();
    }

    #[test]
    fn a_message_sent_to_a_slow_reader_has_one_time_limit() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let sipping = std::thread::spawn(move || {
            while matches!(theirs.read(&mut [0; 4096]), Ok(1..)) {
                std::thread::sleep(PAUSE);
            }
        });
        let long = Response::Fault { reason: "x".repeat(32 << 20) };
        let begun = Instant::now();
        let error = wire::send(&mut Timed::new(&ours, LIMIT), &long).unwrap_err();
        // Sending the whole message would take minutes, because the reader is slow.
        assert!(timed_out(&error), "{error}");
        assert!(begun.elapsed() >= LIMIT);
        drop(ours);
        sipping.join().unwrap();
    }

    /// Without the flag, the waits would never end.
    #[test]
    fn the_stop_flag_ends_the_wait() {
        let stop = AtomicBool::new(true);
        let (ours, theirs) = UnixStream::pair().unwrap();
        let waiting = || Timed::new(&ours, Duration::MAX).until_stopped(&stop);
        assert_eq!(wire::receive::<Response>(&mut waiting()).unwrap_err().kind(), STOPPED);
        let long = Response::Fault { reason: "x".repeat(32 << 20) };
        assert_eq!(wire::send(&mut waiting(), &long).unwrap_err().kind(), STOPPED);
        // A message that has arrived is still read.
        wire::send(&mut Timed::new(&theirs, Duration::MAX), &Response::Begun).unwrap();
        assert!(matches!(wire::receive(&mut waiting()).unwrap(), Some(Response::Begun)));
    }

    #[test]
    fn a_message_in_time_passes() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        wire::send(&mut Timed::new(&ours, LIMIT), &Response::Begun).unwrap();
        let received = wire::receive::<Response>(&mut Timed::new(&theirs, Duration::MAX)).unwrap();
        assert!(matches!(received, Some(Response::Begun)));
    }
}
