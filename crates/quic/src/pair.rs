//! A client and a server with a simulated link between them.

use crate::initial::{Initials, is_initial};
use crate::{AMPLIFICATION, HEADERS, Setup};
use bytes::BytesMut;
use pqlab_network::{Conditions, Link};
use pqlab_tls::{ANSWER, Error, REQUEST, Result, SERVER_NAME};
use quinn_proto::{Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, Event, ReadError, StreamId};
use rustls::pki_types::CertificateDer;
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::time::{Duration, Instant};

/// Maximum number of steps of a handshake or of an exchange of data.
const MOST_STEPS: usize = 1000;
const CLIENT: usize = 0;
const SERVER: usize = 1;
/// Addresses of client and server. RFC 5737 reserves this network for documentation.
const ADDRESSES: [SocketAddr; 2] = [address(1), address(2)];

const fn address(host: u8) -> SocketAddr {
    SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::new(192, 0, 2, host), 443))
}

/// One value for the client, and one for the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides<T> {
    /// The client's value.
    pub client: T,
    /// The server's value.
    pub server: T,
}

/// Datagrams that one side sends together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flight {
    /// Whether the client sends the flight.
    pub from_client: bool,
    /// Time of sending in ns since the client started.
    pub sent_ns: u64,
    /// Number of datagrams.
    pub datagrams: usize,
    /// Total length of the UDP payloads in bytes.
    pub bytes: usize,
}

/// One side of a connection.
struct End {
    endpoint: Endpoint,
    /// Connection. `None` on a server that has received no datagram.
    connection: Option<(ConnectionHandle, Connection)>,
    /// Address of the other side.
    peer: SocketAddr,
    /// Link to the other side.
    link: Link,
    /// Datagrams on their way to this side, with their times of arrival.
    incoming: VecDeque<(u64, BytesMut)>,
    /// Time of the connection's next timer.
    timer: Option<u64>,
    /// Time until which this side computes.
    busy_until: u64,
    /// Total time that this side has computed.
    computed: u64,
    /// Time at which the handshake was complete.
    connected: Option<u64>,
    /// Sent datagrams that start with an Initial packet.
    initials: Vec<Vec<u8>>,
    /// Buffer for one datagram.
    buffer: Vec<u8>,
}

/// A client and a server with a simulated link between them. All times are in ns since the start of the simulation.
pub struct Pair {
    ends: [End; 2],
    epoch: Instant,
    now: u64,
    /// Flights of the handshake.
    flights: Vec<Flight>,
    is_confirmed: bool,
}

impl End {
    fn new(endpoint: Endpoint, peer: SocketAddr, link: Link) -> End {
        End {
            endpoint,
            connection: None,
            peer,
            link,
            incoming: VecDeque::new(),
            timer: None,
            busy_until: 0,
            computed: 0,
            connected: None,
            initials: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Returns the time at which this side continues to work, if it waits for a datagram or a timer.
    fn next(&self) -> Option<u64> {
        let arrival = self.incoming.front().map(|(arrival, _)| *arrival);
        arrival.into_iter().chain(self.timer).min().map(|time| time.max(self.busy_until))
    }

    fn connection(&mut self) -> Result<&mut Connection> {
        self.connection.as_mut().map(|(_, connection)| connection).ok_or_else(|| wrong("a side has no connection"))
    }

    fn receive(&mut self, now: Instant, datagram: BytesMut) -> Result<()> {
        self.buffer.clear();
        match self.endpoint.handle(now, self.peer, None, None, datagram, &mut self.buffer) {
            None => {}
            Some(DatagramEvent::ConnectionEvent(_, event)) => self.connection()?.handle_event(event),
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = self.endpoint.accept(incoming, now, &mut self.buffer, None);
                self.connection = Some(accepted.map_err(|error| failed("Endpoint::accept", error.cause))?);
            }
            Some(DatagramEvent::Response(_)) => return Err(wrong("an endpoint rejected a datagram")),
        }
        Ok(())
    }

    /// Handles an expired timer, then appends datagrams to `out` until the connection has nothing to send.
    fn send(&mut self, now: Instant, out: &mut Vec<BytesMut>) -> Result<()> {
        let Some((handle, connection)) = &mut self.connection else { return Ok(()) };
        if connection.poll_timeout().is_some_and(|time| time <= now) {
            connection.handle_timeout(now);
        }
        loop {
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = self.endpoint.handle_event(*handle, event) {
                    connection.handle_event(event);
                }
            }
            self.buffer.clear();
            if connection.poll_transmit(now, 1, &mut self.buffer).is_none() {
                break;
            }
            if is_initial(&self.buffer) {
                self.initials.push(self.buffer.clone());
            }
            out.push(BytesMut::from(&self.buffer[..]));
        }
        Ok(())
    }
}

impl Pair {
    /// Creates a client and a server. The `link` has the same conditions in both directions. `seed` determines which
    /// datagrams are lost, and the random choices of the endpoints other than keys.
    pub fn new(setup: &Setup, link: &Conditions, seed: u64) -> Pair {
        let [client, server] = ADDRESSES;
        Pair {
            ends: [
                End::new(setup.client(seed), server, Link::new(link, seed)),
                End::new(setup.server(!seed), client, Link::new(link, !seed)),
            ],
            epoch: setup.epoch(),
            now: 0,
            flights: Vec::new(),
            is_confirmed: false,
        }
    }

    /// Performs a handshake until it is confirmed on both sides (RFC 9001, section 4.1.2): the server has received the
    /// client's Finished message, and the client has received HANDSHAKE_DONE.
    ///
    /// `clock` is a clock in ns. The time that a side computes on this clock delays its datagrams. With a constant clock,
    /// computations take no simulated time. A side sends the datagrams of a flight when it has computed all of them.
    ///
    /// # Errors
    /// [`Error::Library`] if a side gives up. [`Error::Wrong`] if the handshake does not end.
    pub fn connect(&mut self, setup: &Setup, clock: impl Fn() -> u64) -> Result<()> {
        let begun = clock();
        let [client, _] = &mut self.ends;
        let started = client.endpoint.connect(self.epoch, setup.client_config(), client.peer, SERVER_NAME);
        client.connection = Some(started.map_err(|error| failed("Endpoint::connect", error))?);
        self.work(CLIENT, begun, &clock)?;
        let is_confirmed = |pair: &mut Pair| {
            let [client, server] = &mut pair.ends;
            Ok(client.connected.is_some()
                && server.connected.is_some()
                && client.connection()?.stats().frame_rx.handshake_done > 0)
        };
        self.advance(clock, is_confirmed)?;
        self.is_confirmed = true;
        Ok(())
    }

    /// Jumps from event to event until `is_done` returns true.
    fn advance(&mut self, clock: impl Fn() -> u64, mut is_done: impl FnMut(&mut Pair) -> Result<bool>) -> Result<()> {
        for _ in 0..MOST_STEPS {
            if is_done(self)? {
                return Ok(());
            }
            let events = self.ends.iter().enumerate().filter_map(|(side, end)| Some((end.next()?, side)));
            let Some((time, side)) = events.min() else {
                return Err(wrong("both sides wait, but no datagram or timer is due"));
            };
            self.now = self.now.max(time);
            self.work(side, clock(), &clock)?;
        }
        Err(Error::Wrong(format!("the connection does not progress after {MOST_STEPS} steps")))
    }

    /// Lets a side process everything that is due, and puts its datagrams on the link. `begun` is the time on `clock` at
    /// which the side started to compute.
    fn work(&mut self, side: usize, begun: u64, clock: impl Fn() -> u64) -> Result<()> {
        let (now, at) = (self.now, self.epoch + Duration::from_nanos(self.now));
        let end = &mut self.ends[side];
        while end.incoming.front().is_some_and(|(arrival, _)| *arrival <= now) {
            let Some((_, datagram)) = end.incoming.pop_front() else { break };
            end.receive(at, datagram)?;
        }
        let mut sent = Vec::new();
        end.send(at, &mut sent)?;
        let spent = clock() - begun;
        end.computed += spent;
        end.busy_until = now + spent;
        let busy_until = end.busy_until;
        if let Some((_, connection)) = &mut end.connection {
            while let Some(event) = connection.poll() {
                match event {
                    Event::Connected => end.connected = Some(busy_until),
                    Event::ConnectionLost { reason } => return Err(failed("Connection::poll", reason)),
                    _ => {}
                }
            }
            let timer = connection.poll_timeout().map(|time| time.saturating_duration_since(self.epoch));
            end.timer = timer.map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        }
        if !sent.is_empty() && !self.is_confirmed {
            let bytes = sent.iter().map(BytesMut::len).sum();
            let (from_client, sent_ns) = (side == CLIENT, busy_until);
            self.flights.push(Flight { from_client, sent_ns, datagrams: sent.len(), bytes });
        }
        for datagram in sent {
            if let Some(arrival) = self.ends[side].link.arrival(busy_until, datagram.len() + HEADERS) {
                self.ends[1 - side].incoming.push_back((arrival, datagram));
            }
        }
        Ok(())
    }

    /// Returns the flights of the handshake in the order of sending. Without losses and a rate limit, the first two are
    /// the client's and the server's first flights.
    pub fn flights(&self) -> &[Flight] {
        &self.flights
    }

    /// Returns whether the server had to interrupt its first flight because it may not send more than [`AMPLIFICATION`]
    /// times the bytes that it has received. Applies to links without losses and a rate limit.
    pub fn is_amplification_limited(&self) -> bool {
        let [hello, answer, later @ ..] = &self.flights[..] else { return false };
        let connected = self.ends[CLIENT].connected.unwrap_or(u64::MAX);
        let continues = later.iter().any(|flight| !flight.from_client && flight.sent_ns < connected);
        continues && answer.bytes >= AMPLIFICATION * hello.bytes
    }

    /// Returns the time until the handshake is complete on each side, in ns since the client started. `None` before the
    /// handshake.
    pub fn connected_ns(&self) -> Option<Sides<u64>> {
        let [client, server] = &self.ends;
        Some(Sides { client: client.connected?, server: server.connected? })
    }

    /// Returns the time that each side has computed, in ns on the clock that [`connect`](Self::connect) used.
    pub fn computed_ns(&self) -> Sides<u64> {
        let [client, server] = &self.ends;
        Sides { client: client.computed, server: server.computed }
    }

    /// Decrypts and reads the Initial packets of the handshake.
    ///
    /// # Errors
    /// Same as [`Initials::read`].
    pub fn initials(&self, setup: &Setup) -> Result<Initials> {
        Initials::read(setup.initial(), &[self.ends[CLIENT].initials.clone(), self.ends[SERVER].initials.clone()])
    }

    /// Checks that both sides completed the configured handshake, then exchanges data in both directions. Checks the
    /// group in the ServerHello on the wire, and the certificates that the client received. The TLS configuration of the
    /// client accepts only handshake signatures of the configured algorithm.
    ///
    /// # Errors
    /// [`Error::Wrong`] with a description of the mismatch. Propagates errors from the data exchange.
    pub fn verify(&mut self, setup: &Setup) -> Result<()> {
        if self.connected_ns().is_none() {
            return Err(wrong("the handshake is not complete on both sides"));
        }
        let hello = self.initials(setup)?.server_hello;
        let group = setup.config().group;
        if hello.retry || hello.resumed || hello.group != Some(group.code()) {
            return Err(Error::Wrong(format!("the ServerHello is {hello:?}, expected group {}", group.name())));
        }
        let identity = self.ends[CLIENT].connection()?.crypto_session().peer_identity();
        let chain = identity.and_then(|identity| identity.downcast::<Vec<CertificateDer<'static>>>().ok());
        let is_chain =
            chain.is_some_and(|chain| chain.iter().map(AsRef::as_ref).eq(setup.chain().iter().map(Vec::as_slice)));
        if !is_chain {
            return Err(wrong("the client received different certificates"));
        }
        let stream = self.ends[CLIENT].connection()?.streams().open(Dir::Bi);
        let stream = stream.ok_or_else(|| wrong("the server allows no streams"))?;
        self.pass(CLIENT, stream, REQUEST)?;
        self.pass(SERVER, stream, ANSWER)
    }

    /// Sends data on a stream, and checks that the other side receives it.
    fn pass(&mut self, from: usize, stream: StreamId, data: &[u8]) -> Result<()> {
        let still = || 0;
        let written = self.ends[from].connection()?.send_stream(stream).write(data);
        if written.map_err(|error| failed("SendStream::write", error))? != data.len() {
            return Err(wrong("a stream does not accept all data"));
        }
        self.now = self.now.max(self.ends[from].busy_until);
        self.work(from, 0, still)?;
        let (to, mut received) = (1 - from, Vec::new());
        // The server knows the stream when the first data arrives.
        let mut is_open = from == SERVER;
        self.advance(still, |pair| {
            let connection = pair.ends[to].connection()?;
            is_open = is_open || connection.streams().accept(Dir::Bi) == Some(stream);
            if is_open {
                read(connection, stream, &mut received)?;
            }
            Ok(received.len() >= data.len())
        })?;
        if received == data { Ok(()) } else { Err(wrong("data after the handshake was changed")) }
    }
}

/// Appends the data that is available on a stream to `out`.
fn read(connection: &mut Connection, stream: StreamId, out: &mut Vec<u8>) -> Result<()> {
    let mut stream = connection.recv_stream(stream);
    let mut chunks = stream.read(true).map_err(|error| failed("RecvStream::read", error))?;
    let result = loop {
        match chunks.next(usize::MAX) {
            Ok(Some(chunk)) => out.extend_from_slice(&chunk.bytes),
            Ok(None) | Err(ReadError::Blocked) => break Ok(()),
            Err(error) => break Err(failed("Chunks::next", error)),
        }
    };
    // The receiver grants more credit in the next call of `work`.
    let _ = chunks.finalize();
    result
}

fn failed(call: &'static str, error: impl std::fmt::Display) -> Error {
    Error::Library { call, detail: error.to_string() }
}

fn wrong(what: &str) -> Error {
    Error::Wrong(what.to_owned())
}
