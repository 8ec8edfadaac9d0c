//! Carries packets between two TUN devices, with the delay and losses of the emulated link.

use crate::{Carried, Conditions, Link};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsRawFd;

/// Maximum length in bytes of an IP packet.
const LONGEST: usize = 65_535;

/// One direction of the link, with the packets in flight. The packets are ordered by arrival time in ns, earliest
/// first.
struct Direction {
    link: Link,
    under_way: VecDeque<(u64, Vec<u8>)>,
}

impl Direction {
    fn new(conditions: &Conditions, seed: u64) -> Direction {
        Direction { link: Link::new(conditions, seed), under_way: VecDeque::new() }
    }

    /// Reads all available packets and computes when each one arrives. Discards the packets that the link drops.
    fn take(&mut self, from: &mut File, now: fn() -> u64, buffer: &mut [u8]) -> io::Result<()> {
        loop {
            match from.read(buffer) {
                Ok(length) => {
                    if let Some(at) = self.link.arrival(now(), length) {
                        self.under_way.push_back((at, buffer[..length].to_vec()));
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Writes all packets with an arrival time up to `now()` to the device `to`.
    fn hand_over(&mut self, to: &mut File, now: fn() -> u64) -> io::Result<()> {
        while self.next().is_some_and(|at| at <= now()) {
            let Some((_, packet)) = self.under_way.pop_front() else { break };
            match to.write(&packet) {
                Ok(_) => {}
                // If the device is full or the kernel is out of memory, the packet is lost, as on any link.
                Err(error) if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::ENOBUFS | libc::ENOMEM)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn next(&self) -> Option<u64> {
        self.under_way.front().map(|(at, _)| *at)
    }
}

/// Carries packets between the devices of the client and the server (`ends`), until `stop` becomes readable. Returns
/// the packet counts of each direction, client to server first. `now` is a monotonic clock in ns.
///
/// # Errors
/// Propagates errors from reading, writing and waiting.
pub(crate) fn carry(
    ends: &mut [File; 2],
    stop: &File,
    conditions: &Conditions,
    seed: u64,
    now: fn() -> u64,
) -> io::Result<[Carried; 2]> {
    let mut there = Direction::new(conditions, seed);
    let mut back = Direction::new(conditions, seed ^ u64::MAX);
    let mut buffer = vec![0; LONGEST];
    let event = |file: &File| libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    loop {
        let [client, server] = &mut *ends;
        there.hand_over(server, now)?;
        back.hand_over(client, now)?;
        let mut events = [event(&*client), event(&*server), event(stop)];
        let next = [there.next(), back.next()].into_iter().flatten().min();
        wait(&mut events, next.map(|at| at.saturating_sub(now())))?;
        if events[2].revents != 0 {
            return Ok([there.link.carried(), back.link.carried()]);
        }
        if events[0].revents != 0 {
            there.take(client, now, &mut buffer)?;
        }
        if events[1].revents != 0 {
            back.take(server, now, &mut buffer)?;
        }
    }
}

/// Waits for an event for at most `ns` nanoseconds, or indefinitely if `ns` is `None`.
fn wait(events: &mut [libc::pollfd], ns: Option<u64>) -> io::Result<()> {
    let time = ns.map(|ns| libc::timespec {
        tv_sec: (ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    });
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: `events` and `time` outlive the call, and the signal mask is null.
    let found = unsafe { libc::ppoll(events.as_mut_ptr(), events.len() as libc::nfds_t, time, std::ptr::null()) };
    match found {
        -1 if io::Error::last_os_error().kind() != ErrorKind::Interrupted => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
