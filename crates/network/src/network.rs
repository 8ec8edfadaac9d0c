//! Emulated network: two ends and the link between them.

use crate::carrier::carry;
use crate::namespace::Namespace;
use crate::{CLIENT, Carried, Conditions, End, NetworkError, SERVER};
use std::fs::File;
use std::io::{self, Write};
use std::net::{SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::thread::{self, JoinHandle};

/// Two ends, and a thread that carries packets between them for the lifetime of this value.
pub struct Network {
    client: Namespace,
    server: Namespace,
    stop: File,
    carrier: Option<JoinHandle<io::Result<[Carried; 2]>>>,
}

impl Network {
    /// Creates both ends and starts to carry packets. The same seed loses the same packets in each direction. `now` is
    /// a monotonic clock in ns.
    ///
    /// # Errors
    /// [`NetworkError`], for example if the process lacks the privileges.
    pub fn start(conditions: &Conditions, seed: u64, now: fn() -> u64) -> Result<Network, NetworkError> {
        let (client, from_client) = Namespace::new(CLIENT, conditions.mtu)?;
        let (server, from_server) = Namespace::new(SERVER, conditions.mtu)?;
        let (ended, stop) = pipe()?;
        let (mut ends, conditions) = ([from_client, from_server], *conditions);
        let carrier = thread::Builder::new().name("link".into()).spawn(move || {
            wake_in_time();
            carry(&mut ends, &ended, &conditions, seed, now)
        })?;
        Ok(Network { client, server, stop, carrier: Some(carrier) })
    }

    fn end(&self, end: End) -> &Namespace {
        match end {
            End::Client => &self.client,
            End::Server => &self.server,
        }
    }

    /// Listens at the server's end, on any free port.
    ///
    /// # Errors
    /// Propagates I/O errors.
    pub fn listen(&self) -> io::Result<TcpListener> {
        self.server.within(|| TcpListener::bind((SERVER, 0)))
    }

    /// Connects from the client's end. Takes one round trip.
    ///
    /// # Errors
    /// Propagates I/O errors.
    pub fn connect(&self, to: SocketAddrV4) -> io::Result<TcpStream> {
        self.client.within(|| TcpStream::connect(to))
    }

    /// Opens a datagram socket at an end, on any free port.
    ///
    /// # Errors
    /// Propagates I/O errors.
    pub fn datagrams(&self, end: End) -> io::Result<UdpSocket> {
        let address = if end == End::Client { CLIENT } else { SERVER };
        self.end(end).within(|| UdpSocket::bind((address, 0)))
    }

    /// Runs a function on a thread at an end. Sockets that it opens stay there.
    ///
    /// # Errors
    /// Propagates errors from the function and the system.
    pub fn at<T: Send>(&self, end: End, act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        self.end(end).within(act)
    }

    /// Stops carrying packets, and returns the counts from the client and from the server.
    ///
    /// # Errors
    /// The error that stopped the carrier earlier, if any.
    pub fn close(mut self) -> io::Result<[Carried; 2]> {
        self.stop_carrying()
    }

    fn stop_carrying(&mut self) -> io::Result<[Carried; 2]> {
        let Some(carrier) = self.carrier.take() else { return Ok(Default::default()) };
        // If the thread has already ended, nobody reads this.
        let _ = self.stop.write_all(&[0]);
        carrier.join().unwrap_or_else(|_| Err(io::Error::other("the thread that carries packets panicked")))
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        let _ = self.stop_carrying();
    }
}

fn pipe() -> io::Result<(File, File)> {
    let (reader, writer) = io::pipe()?;
    Ok((File::from(OwnedFd::from(reader)), File::from(OwnedFd::from(writer))))
}

/// Sets the timer slack of this thread to 1 ns, down from 50 us by default.
fn wake_in_time() {
    // SAFETY: takes integers and affects only this thread.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong);
    }
}
