//! Connections over TCP. A connection is timed from before the first packet until the client has completed the
//! handshake. The time until the first byte of an answer is also recorded.
//!
//! Over loopback, connections follow one another. Client and server run on one processor, so that no processor has to
//! wake up. Over a link, connections overlap. The starts of connections are far enough apart that no connection waits
//! for the computation or transmission of another one.

use super::fault;
use super::network::Shared;
use super::over::conditions;
use super::trial::note_flights;
use crate::scaling::pin;
use pqlab_harness::clock::{monotonic_ns, thread_cpu_ns};
use pqlab_harness::{Demands, Fault, Recorder, Seed, Trial, affinity};
use pqlab_network::End;
use pqlab_record::Case;
use pqlab_tls::{ANSWER, Flights, REQUEST, Setup, handshake, stream};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

/// Time limit for each step, including retransmissions.
const PATIENCE: Duration = Duration::from_secs(60);
/// Number of connections per sample over loopback.
const LOOPBACK_WAVE: u64 = 4;
/// Number of connections per sample over a link. With this number, each of the default processes measures two rounds.
/// The confidence interval depends on the noise between rounds, which requires at least two rounds.
pub(super) const LINK_WAVE: u64 = 13;
/// Number of handshakes to try in memory. The time that they take determines the time between connections.
const TRIED: usize = 5;
/// Minimum time between the starts of connections over a link, as a multiple of the computing time of both sides.
const APART: u64 = 4;
/// Minimum time between the starts of connections over a link, as a multiple of the time for transmitting a
/// connection's bytes.
const APART_ON_LINE: f64 = 1.5;
/// Bytes of headers per segment (IPv4, and TCP with time stamps).
const HEADERS: f64 = 52.0;
/// Number of segments without data per connection.
const BARE_SEGMENTS: f64 = 8.0;

/// Times of a connection, in ns.
#[derive(Clone, Copy, Debug)]
struct Connected {
    /// Time until the client has completed the handshake.
    complete: u64,
    /// Time until the first byte of the answer.
    first_byte: u64,
    /// CPU time of the client's thread until its handshake is complete.
    client_cpu: u64,
}

/// Moments of a connection, which its protocol reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// This side has completed the handshake.
    Complete,
    /// The client has received the first byte of the answer to its request.
    FirstByte,
}

/// A protocol over TCP: a handshake, a request and its answer.
pub(crate) trait Protocol: Send + Sync {
    /// What a client needs before it connects.
    type Client;
    /// What a server needs before it accepts a connection.
    type Server;

    /// Prepares the next connections. Not timed.
    fn prime(&self, _connections: usize) -> Result<(), Fault> {
        Ok(())
    }

    /// Prepares a client. Not timed.
    fn new_client(&self) -> Result<Self::Client, Fault>;

    /// Prepares a server. Not timed.
    fn new_server(&self) -> Result<Self::Server, Fault>;

    /// Performs the client's side, checks it, and reports both moments.
    fn connect(
        &self,
        client: Self::Client,
        connection: &mut TcpStream,
        reached: &mut dyn FnMut(Moment),
    ) -> Result<(), Fault>;

    /// Performs the server's side, checks it, and reports when the handshake is complete.
    fn serve(
        &self,
        server: Self::Server,
        connection: &mut TcpStream,
        reached: &mut dyn FnMut(Moment),
    ) -> Result<(), Fault>;

    /// Records what a handshake sends.
    fn note(&self, recorder: &mut Recorder) -> Result<(), Fault>;

    /// Returns the computing time of both sides of a handshake in ns, and the number of bytes that it sends in the busier
    /// direction.
    fn load(&self) -> (u64, usize);
}

/// Trial that makes connections.
pub(crate) struct Connections<P> {
    protocol: P,
    /// The link. `None` over loopback.
    network: Option<Arc<Shared>>,
    /// Time between the starts of two connections, in ns.
    apart: u64,
    /// Processors on which the threads run, at least one.
    processors: Vec<u32>,
    connected: Vec<Connected>,
    /// CPU time of each server thread until its handshake is complete, in ns.
    server_cpu: Vec<u64>,
}

impl<P: Protocol> Connections<P> {
    pub(crate) fn new(protocol: P, case: &Case, seed: Seed) -> Result<Connections<P>, Fault> {
        let conditions = conditions(case).map_err(Fault::Unsupported)?;
        let network = conditions.as_ref().map(|conditions| Shared::share(conditions, seed)).transpose()?;
        let mut processors = affinity::granted();
        let first = seed.process as usize % processors.len().max(1);
        processors.rotate_left(first);
        let mut apart = 0;
        if let Some(conditions) = conditions {
            let (computing, bytes) = protocol.load();
            let on_line = conditions.rate.map_or(0.0, |rate| bytes_on_line(bytes) * 8e9 / rate as f64);
            apart = (APART * computing).max((APART_ON_LINE * on_line) as u64);
        } else {
            processors.truncate(1);
        }
        let (connected, server_cpu) = (Vec::new(), Vec::new());
        Ok(Connections { protocol, network, apart, processors, connected, server_cpu })
    }

    fn listen(&self) -> io::Result<TcpListener> {
        match &self.network {
            Some(shared) => shared.network.listen(),
            None => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)),
        }
    }

    /// Runs a function at the client's end of the link, or directly over loopback.
    fn at_client<T: Send>(&self, act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        match &self.network {
            Some(shared) => shared.network.at(End::Client, act),
            None => act(),
        }
    }

    /// Returns the number of consecutive connections per thread: all of them over loopback, one over a link.
    fn by_thread(&self, connections: usize) -> usize {
        if self.network.is_none() { connections } else { 1 }
    }

    /// Starts the servers, makes `connections` connections, and returns the clients' times and the servers' CPU times.
    fn wave(&self, connections: usize) -> Result<(Vec<Connected>, Vec<u64>), Fault> {
        let listener = self.listen().map_err(system)?;
        let to = listener.local_addr().map_err(system)?;
        let (each, reached) = (self.by_thread(connections), AtomicUsize::new(0));
        let threads = connections / each;
        thread::scope(|scope| {
            let listener = &listener;
            let serve = || (0..each).map(|_| self.serve(listener)).collect::<Result<Vec<u64>, Fault>>();
            let servers: Vec<_> = (0..threads).map(|_| scope.spawn(serve)).collect();
            let clients = self.at_client(|| Ok(self.clients(to, threads, each, &reached)));
            // Connect in place of clients that failed, because the servers wait for all
            // connections.
            let missing = connections - reached.load(Ordering::Relaxed).min(connections);
            self.at_client(|| {
                (0..missing).for_each(|_| drop(TcpStream::connect_timeout(&to, PATIENCE)));
                Ok(())
            })
            .map_err(system)?;
            let served = joined(servers);
            // Report the client's fault first, because the server's fault is only a consequence.
            let connected = clients.map_err(system)??;
            Ok((connected, served?))
        })
    }

    fn clients(
        &self,
        to: SocketAddr,
        threads: usize,
        each: usize,
        reached: &AtomicUsize,
    ) -> Result<Vec<Connected>, Fault> {
        let begun = monotonic_ns();
        let connect = |thread: usize| {
            let wait = begun + thread as u64 * self.apart;
            thread::sleep(Duration::from_nanos(wait.saturating_sub(monotonic_ns())));
            (0..each).map(|_| self.connect(to, reached)).collect::<Result<Vec<Connected>, Fault>>()
        };
        thread::scope(|scope| {
            let connect = &connect;
            joined((0..threads).map(|thread| scope.spawn(move || connect(thread))).collect())
        })
    }

    /// Runs the client's side of a connection.
    fn connect(&self, to: SocketAddr, reached: &AtomicUsize) -> Result<Connected, Fault> {
        let client = self.protocol.new_client()?;
        let cpu = thread_cpu_ns();
        let begun = monotonic_ns();
        let mut connection = TcpStream::connect_timeout(&to, PATIENCE).map_err(system)?;
        reached.fetch_add(1, Ordering::Relaxed);
        ready(&connection)?;
        let mut connected = Connected { complete: 0, first_byte: 0, client_cpu: 0 };
        self.protocol.connect(client, &mut connection, &mut |moment| match moment {
            Moment::Complete => {
                connected.complete = monotonic_ns() - begun;
                connected.client_cpu = thread_cpu_ns() - cpu;
            }
            Moment::FirstByte => connected.first_byte = monotonic_ns() - begun,
        })?;
        Ok(connected)
    }

    /// Serves the next connection. Returns the CPU time until the handshake is complete, in ns.
    fn serve(&self, listener: &TcpListener) -> Result<u64, Fault> {
        let server = self.protocol.new_server()?;
        let cpu = thread_cpu_ns();
        let (mut connection, _) = listener.accept().map_err(system)?;
        ready(&connection)?;
        let mut spent = 0;
        self.protocol.serve(server, &mut connection, &mut |_| spent = thread_cpu_ns() - cpu)?;
        Ok(spent)
    }
}

impl<P: Protocol> Trial for Connections<P> {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        (self.connected, self.server_cpu) = (Vec::new(), Vec::new());
        pin(&self.processors)?;
        self.protocol.prime(batch)
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        (self.connected, self.server_cpu) = self.wave(batch)?;
        Ok(())
    }

    /// Checks only that client and server made the same number of connections, because each side has already checked
    /// its half of each connection.
    fn verify(&mut self) -> Result<(), Fault> {
        match self.connected.len() {
            0 => Err(Fault::WrongAnswer("no connection was established".into())),
            connections if connections == self.server_cpu.len() => Ok(()),
            connections => {
                let served = self.server_cpu.len();
                let text = format!("connections made by the client: {connections}; accepted by the server: {served}");
                Err(Fault::WrongAnswer(text))
            }
        }
    }

    fn own_samples(&mut self) -> Vec<u64> {
        self.connected.iter().map(|connected| connected.complete).collect()
    }

    fn note(&mut self, recorder: &mut Recorder) -> Result<(), Fault> {
        for (connected, server_cpu) in self.connected.iter().zip(&self.server_cpu) {
            recorder.note("first_byte_ns", connected.first_byte as f64);
            // Over a link, threads mostly sleep, so CPU times would include wake-ups.
            if self.network.is_none() {
                recorder.note("client_cpu_ns", connected.client_cpu as f64);
                recorder.note("server_cpu_ns", *server_cpu as f64);
            }
        }
        if let Some(shared) = &self.network {
            shared.note(recorder);
        }
        self.protocol.note(recorder)
    }

    fn batch(&self) -> Option<u64> {
        Some(1)
    }

    fn demands(&self) -> Demands {
        let over_link = self.network.is_some();
        let wave = if over_link { LINK_WAVE } else { LOOPBACK_WAVE };
        Demands { several_threads: true, wave, counted: over_link, ..Demands::default() }
    }

    fn processors(&self) -> Vec<u32> {
        self.processors.clone()
    }
}

/// TLS over TCP.
pub(super) struct Tls {
    setup: Setup,
    /// Computing time of both sides of a handshake, in ns.
    computing: u64,
    /// Messages of a trial handshake in memory. The messages over TCP have the same lengths, except that ECDSA
    /// signatures vary by a few bytes.
    flights: Flights,
}

impl Tls {
    pub(super) fn new(setup: Setup) -> Result<Tls, Fault> {
        setup.prime(TRIED).map_err(fault)?;
        let (mut computing, mut flights) = (u64::MAX, Flights::default());
        for _ in 0..TRIED {
            flights.clear();
            let begun = monotonic_ns();
            let (mut client, mut server) = (setup.client().map_err(fault)?, setup.server().map_err(fault)?);
            handshake(client.as_mut(), server.as_mut(), &mut flights).map_err(fault)?;
            computing = computing.min(monotonic_ns() - begun);
        }
        Ok(Tls { setup, computing, flights })
    }
}

impl Protocol for Tls {
    type Client = ();
    type Server = ();

    fn prime(&self, connections: usize) -> Result<(), Fault> {
        self.setup.prime(connections).map_err(fault)
    }

    fn new_client(&self) -> Result<(), Fault> {
        Ok(())
    }

    fn new_server(&self) -> Result<(), Fault> {
        Ok(())
    }

    fn connect(&self, _: (), connection: &mut TcpStream, reached: &mut dyn FnMut(Moment)) -> Result<(), Fault> {
        let mut client = self.setup.client().map_err(fault)?;
        stream::complete(client.as_mut(), connection).map_err(fault)?;
        reached(Moment::Complete);
        stream::write(client.as_mut(), connection, REQUEST).map_err(fault)?;
        let mut answer = [0; ANSWER.len()];
        let length = stream::read(client.as_mut(), connection, &mut answer).map_err(fault)?;
        reached(Moment::FirstByte);
        check_received(&answer[..length], ANSWER)?;
        self.setup.verify_client(client.as_ref()).map_err(fault)
    }

    fn serve(&self, _: (), connection: &mut TcpStream, reached: &mut dyn FnMut(Moment)) -> Result<(), Fault> {
        let mut server = self.setup.server().map_err(fault)?;
        stream::complete(server.as_mut(), connection).map_err(fault)?;
        reached(Moment::Complete);
        let mut request = [0; REQUEST.len()];
        let length = stream::read(server.as_mut(), connection, &mut request).map_err(fault)?;
        check_received(&request[..length], REQUEST)?;
        stream::write(server.as_mut(), connection, ANSWER).map_err(fault)?;
        self.setup.verify_server(server.as_ref()).map_err(fault)
    }

    fn note(&self, recorder: &mut Recorder) -> Result<(), Fault> {
        note_flights(&self.flights, recorder)
    }

    fn load(&self) -> (u64, usize) {
        let there = self.flights.hello.len() + self.flights.finish.len();
        (self.computing, there.max(self.flights.answer.len()))
    }
}

/// Adds the headers to the number of bytes that a handshake sends in one direction.
fn bytes_on_line(bytes: usize) -> f64 {
    let bytes = bytes as f64;
    bytes + HEADERS * (BARE_SEGMENTS + bytes / pqlab_tls::SEGMENT as f64)
}

fn ready(connection: &TcpStream) -> Result<(), Fault> {
    connection.set_nodelay(true).map_err(system)?;
    connection.set_read_timeout(Some(PATIENCE)).map_err(system)?;
    connection.set_write_timeout(Some(PATIENCE)).map_err(system)
}

fn check_received(found: &[u8], expected: &[u8]) -> Result<(), Fault> {
    if found == expected {
        Ok(())
    } else {
        Err(Fault::WrongAnswer("the received data differs from the sent data".into()))
    }
}

/// Returns the results of all threads, or the first fault.
fn joined<T>(threads: Vec<ScopedJoinHandle<'_, Result<Vec<T>, Fault>>>) -> Result<Vec<T>, Fault> {
    let mut found = Vec::new();
    for thread in threads {
        found.extend(thread.join().unwrap_or_else(|_| Err(Fault::Library("a side of a connection panicked".into())))?);
    }
    Ok(found)
}

pub(super) fn system(error: impl std::fmt::Display) -> Fault {
    Fault::Library(format!("a TCP connection failed: {error}"))
}
