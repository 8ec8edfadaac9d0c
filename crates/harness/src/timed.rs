//! Stream with one deadline for a whole message, even if the message arrives in pieces.

use crate::clock;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Maximum number of bytes per write. The kernel may restart the socket's timeout for each part of a large write, so
/// one large write could block for many times the timeout.
const PORTION: usize = 16 << 10;

/// Stream with a deadline on the clock [`clock::awake_ns`]. After the deadline, reads and writes that would have to
/// wait fail with `TimedOut`. Data that has already arrived can still be read.
pub(crate) struct Timed<'a> {
    stream: &'a UnixStream,
    until_ns: u64,
}

impl Timed<'_> {
    /// Sets the deadline to `limit` from now.
    pub(crate) fn new(stream: &UnixStream, limit: Duration) -> Timed<'_> {
        let limit_ns = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        Timed { stream, until_ns: clock::awake_ns().saturating_add(limit_ns) }
    }

    /// Waits until the stream can be read or written.
    fn wait(&self, events: PollFlags) -> io::Result<()> {
        loop {
            let left_ns = self.until_ns.saturating_sub(clock::awake_ns());
            let slice_ms = left_ns.min(clock::WAIT_SLICE_NS).div_ceil(1_000_000);
            let mut polled = [PollFd::new(self.stream.as_fd(), events)];
            match poll(&mut polled, PollTimeout::try_from(slice_ms).unwrap_or(PollTimeout::ZERO)) {
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

    #[test]
    fn a_message_in_time_passes() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        wire::send(&mut Timed::new(&ours, LIMIT), &Response::Begun).unwrap();
        let received = wire::receive::<Response>(&mut Timed::new(&theirs, Duration::MAX)).unwrap();
        assert!(matches!(received, Some(Response::Begun)));
    }
}
