//! Emulated network: two ends and the link between them.

use crate::carrier::carry;
use crate::namespace::Namespace;
use crate::{CLIENT, Carried, Conditions, End, NetworkError, SERVER};
use std::fs::File;
use std::io::{self, Write};
use std::net::{SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::thread::{self, JoinHandle};

/// Emulated network. A thread carries packets between the two ends until this value is dropped.
pub struct Network {
    client: Namespace,
    server: Namespace,
    stop: File,
    carrier: Option<JoinHandle<io::Result<[Carried; 2]>>>,
}

impl Network {
    /// Creates both ends and starts to carry packets. `seed` determines which packets are lost in each direction. `now`
    /// is a monotonic clock in ns.
    ///
    /// # Errors
    /// [`NetworkError`], for example if the process lacks the required privileges.
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

    /// Listens at the server's end, on a free port.
    ///
    /// # Errors
    /// Propagates I/O errors.
    pub fn listen(&self) -> io::Result<TcpListener> {
        self.server.within(|| TcpListener::bind((SERVER, 0)))
    }

    /// Connects from the client's end, which takes one round trip.
    ///
    /// # Errors
    /// Propagates I/O errors.
    pub fn connect(&self, to: SocketAddrV4) -> io::Result<TcpStream> {
        self.client.within(|| TcpStream::connect(to))
    }

    /// Opens a UDP socket at `end`, on a free port.
    ///
    /// # Errors
    /// Propagates I/O errors.
    pub fn datagrams(&self, end: End) -> io::Result<UdpSocket> {
        let address = if end == End::Client { CLIENT } else { SERVER };
        self.end(end).within(|| UdpSocket::bind((address, 0)))
    }

    /// Runs `act` on a thread in the network namespace of `end`. Sockets that `act` opens stay in that namespace.
    ///
    /// # Errors
    /// Propagates errors from `act` and the system.
    pub fn at<T: Send>(&self, end: End, act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        self.end(end).within(act)
    }

    /// Stops carrying packets. Returns the packet counts of each direction, client to server first.
    ///
    /// # Errors
    /// Returns the error if the thread that carries packets failed earlier.
    pub fn close(mut self) -> io::Result<[Carried; 2]> {
        self.stop_carrying()
    }

    fn stop_carrying(&mut self) -> io::Result<[Carried; 2]> {
        let Some(carrier) = self.carrier.take() else { return Ok(Default::default()) };
        // The write fails only if the thread has already ended, so ignore the error.
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

/// Reduces the timer slack of this thread from the default of 50 us to 1 ns, so that packets arrive on time.
fn wake_in_time() {
    // SAFETY: this `prctl` takes integers and affects only this thread.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong);
    }
}
