//! Measures the emulated link with datagrams.

use crate::{End, Network};
use std::io::{self, ErrorKind};
use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Length in bytes of the IPv4 and UDP headers.
const HEADERS: usize = 28;
/// Interval between datagrams.
const APART: Duration = Duration::from_millis(2);
/// Datagrams per burst. A burst fits in the queue, which holds at least 64 packets.
const BURST: usize = 60;

impl Network {
    /// Sends `count` small datagrams from client to server, 2 ms apart. Returns the round-trip time, in ns, of each
    /// datagram that was answered. Stops when no reply has arrived for `patience`.
    ///
    /// # Errors
    /// Propagates I/O errors.
    pub fn round_trips(&self, count: usize, patience: Duration, now: fn() -> u64) -> io::Result<Vec<u64>> {
        let (near, far) = (self.datagrams(End::Client)?, self.datagrams(End::Server)?);
        near.connect(far.local_addr()?)?;
        far.connect(near.local_addr()?)?;
        near.set_read_timeout(Some(patience))?;
        far.set_read_timeout(Some(Duration::from_millis(20)))?;
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut stamp = [0; 8];
                while !done.load(Ordering::Relaxed) {
                    if received(&far, &mut stamp).is_ok_and(|length| length.is_some()) {
                        // A reply that cannot be sent is treated as lost.
                        let _ = far.send(&stamp);
                    }
                }
            });
            scope.spawn(|| {
                for _ in 0..count {
                    // The datagram contains its sending time.
                    let _ = near.send(&now().to_be_bytes());
                    thread::sleep(APART);
                }
            });
            let (mut found, mut stamp) = (Vec::new(), [0; 8]);
            let outcome = loop {
                match received(&near, &mut stamp) {
                    Ok(Some(_)) => found.push(now().saturating_sub(u64::from_be_bytes(stamp))),
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error),
                }
                if found.len() == count {
                    break Ok(());
                }
            };
            done.store(true, Ordering::Relaxed);
            outcome.map(|()| found)
        })
    }

    /// Sends a burst of packets of `mtu` bytes to the server's end, and waits at most `patience` for each. Returns the
    /// number of bytes that arrived after the first packet, and the time in ns from the first packet to the last. If
    /// the rate is limited, the bytes divided by the time give the link's rate. Returns `None` if at most half of the
    /// packets arrived.
    ///
    /// # Errors
    /// Propagates I/O errors.
    pub fn burst(&self, mtu: u16, patience: Duration, now: fn() -> u64) -> io::Result<Option<(u64, u64)>> {
        let (near, far) = (self.datagrams(End::Client)?, self.datagrams(End::Server)?);
        near.connect(far.local_addr()?)?;
        far.set_read_timeout(Some(patience))?;
        let data = vec![0; usize::from(mtu) - HEADERS];
        let (mut buffer, mut moments) = (vec![0; usize::from(mtu)], Vec::new());
        thread::scope(|scope| {
            // A packet that cannot be sent is treated as lost.
            scope.spawn(|| (0..BURST).for_each(|_| drop(near.send(&data))));
            while moments.len() < BURST && received(&far, &mut buffer)?.is_some() {
                moments.push(now());
            }
            io::Result::Ok(())
        })?;
        let Some((first, last)) = moments.first().zip(moments.last()).filter(|_| moments.len() > BURST / 2) else {
            return Ok(None);
        };
        Ok(Some(((moments.len() as u64 - 1) * u64::from(mtu), last - first)))
    }
}

/// Receives a datagram. Returns `None` on timeout.
fn received(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    match socket.recv(buffer) {
        Ok(length) => Ok(Some(length)),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
