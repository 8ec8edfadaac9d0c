//! What the link is like in truth, by datagrams over it.

use crate::{End, Network};
use std::io::{self, ErrorKind};
use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Bytes before the data of a datagram: IPv4's header and UDP's.
const HEADERS: usize = 28;
/// Time between two datagrams.
const APART: Duration = Duration::from_millis(2);
/// Datagrams of a burst: fewer than any queue holds.
const BURST: usize = 60;

impl Network {
    /// How long each of some small datagrams takes there and another one back, in ns; those of which one was lost are left out. They
    /// are sent 2 ms apart, and all are waited for as long as `patience`.
    ///
    /// # Errors
    /// What the system reports.
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
                        // One that is not sent is lost.
                        let _ = far.send(&stamp);
                    }
                }
            });
            scope.spawn(|| {
                for _ in 0..count {
                    // It carries the moment at which it is sent.
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

    /// How many bytes of IP packets arrived at the server's end in how many ns, after the first of a burst of packets of full length:
    /// the rate of the link, where it has one. `None` where too few arrived.
    ///
    /// # Errors
    /// What the system reports.
    pub fn burst(&self, mtu: u16, patience: Duration, now: fn() -> u64) -> io::Result<Option<(u64, u64)>> {
        let (near, far) = (self.datagrams(End::Client)?, self.datagrams(End::Server)?);
        near.connect(far.local_addr()?)?;
        far.set_read_timeout(Some(patience))?;
        let data = vec![0; usize::from(mtu) - HEADERS];
        let (mut buffer, mut moments) = (vec![0; usize::from(mtu)], Vec::new());
        thread::scope(|scope| {
            // One that is not sent is lost.
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

/// A datagram; `None` where none comes in time.
fn received(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    match socket.recv(buffer) {
        Ok(length) => Ok(Some(length)),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
