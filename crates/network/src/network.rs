//! Two ends and what is between them.

use crate::carrier::carry;
use crate::namespace::Namespace;
use crate::{CLIENT, Carried, Conditions, End, NetworkError, SERVER};
use std::fs::File;
use std::io::{self, Write};
use std::net::{SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::thread::{self, JoinHandle};

/// Two ends, and a thread that carries packets between them as long as this lives.
pub struct Network {
    client: Namespace,
    server: Namespace,
    stop: File,
    carrier: Option<JoinHandle<io::Result<[Carried; 2]>>>,
}

impl Network {
    /// Makes both ends, and begins to carry packets. The same seed loses the same packets of each direction; `now` is a monotonic
    /// clock in ns.
    ///
    /// # Errors
    /// [`NetworkError`], among them that this process may not do so.
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

    /// Listens at the server's end, at any free port.
    ///
    /// # Errors
    /// What the system reports.
    pub fn listen(&self) -> io::Result<TcpListener> {
        self.server.within(|| TcpListener::bind((SERVER, 0)))
    }

    /// Connects from the client's end; a round trip passes meanwhile.
    ///
    /// # Errors
    /// What the system reports.
    pub fn connect(&self, to: SocketAddrV4) -> io::Result<TcpStream> {
        self.client.within(|| TcpStream::connect(to))
    }

    /// A datagram socket at an end, at any free port.
    ///
    /// # Errors
    /// What the system reports.
    pub fn datagrams(&self, end: End) -> io::Result<UdpSocket> {
        let address = if end == End::Client { CLIENT } else { SERVER };
        self.end(end).within(|| UdpSocket::bind((address, 0)))
    }

    /// Does something on a thread at an end: sockets that it opens stay there.
    ///
    /// # Errors
    /// What it reports, and what the system does.
    pub fn at<T: Send>(&self, end: End, act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        self.end(end).within(act)
    }

    /// Carries nothing more, and says what became of packets from the client and from the server.
    ///
    /// # Errors
    /// What ended the carrying before, if something did.
    pub fn close(mut self) -> io::Result<[Carried; 2]> {
        self.stop_carrying()
    }

    fn stop_carrying(&mut self) -> io::Result<[Carried; 2]> {
        let Some(carrier) = self.carrier.take() else { return Ok(Default::default()) };
        // Where the thread has ended by itself nobody reads this.
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

/// Timers of this thread are not put off to save energy: by default up to 50 us.
fn wake_in_time() {
    // SAFETY: takes numbers, and concerns this thread alone.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong);
    }
}
