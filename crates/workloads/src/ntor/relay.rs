//! Relay that answers handshakes over TCP, and the client's side of the connection.
//!
//! Messages are framed as in Tor's CREATE2 and CREATED2 cells (tor-spec, section 5.1). A request is HTYPE || HLEN ||
//! HDATA, and an answer is HLEN || HDATA. HTYPE and HLEN are two-byte numbers, big-endian. HTYPE 2 is classical ntor.
//! The other types are in a range that Tor does not assign. Type 0xff00, without data, requests the relay's descriptor:
//! ID || onion key.
//!
//! This is a measuring instrument, not a Tor relay: it speaks no link protocol and keeps no circuits. It limits the
//! length of a message, the time that a client may take, and the number of clients. It disconnects a client that
//! exceeds a limit or sends an unknown request.

use super::{Handshake, handshakes};
use crate::pairs::Pair;
use pqlab_constructions::ntor::{HandshakeError, IDENTITY, Protocol, RelayDescriptor, Responder, Variant};
use pqlab_harness::{Fault, clock};
use pqlab_primitives::{Coins, Provider};
use socket2::SockRef;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// HTYPE of a request for the descriptor.
const DESCRIPTOR: u16 = 0xff00;
/// Maximum length of HDATA in bytes: the authenticated onionskin with ML-KEM-1024.
const LONGEST: usize = 1652;
/// Time limit for receiving a message after its first byte, in ns.
const MESSAGE_TIME: u64 = 5_000_000_000;
/// Maximum idle time of a connection.
const IDLE: Duration = Duration::from_secs(30);
/// Maximum number of concurrent clients. The relay disconnects further clients.
pub(super) const CLIENTS: usize = 256;

/// Description of frames and limits for developers of clients, as lines of text.
pub const FRAMES: &str = "\
A request is HTYPE (2 bytes) || HLEN (2 bytes) || HDATA (HLEN bytes) with big-endian numbers, as in Tor's CREATE2 cell.
The answer is HLEN || HDATA. A message must be complete within 5 s of its first byte. The relay closes the connection after
30 s of silence and after an unknown request. It serves up to 256 clients at a time.
";

/// Kind of request that a relay answers. Lengths are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Name of the handshake, or `descriptor` for a request for the relay's descriptor.
    pub name: String,
    /// HTYPE of the request.
    pub number: u16,
    /// Length of HDATA in the request.
    pub request: usize,
    /// Fields of HDATA in the request, such as `ID || onion key || X`.
    pub request_parts: &'static str,
    /// Length of HDATA in the answer.
    pub answer: usize,
    /// Fields of HDATA in the answer, such as `Y || AUTH`.
    pub answer_parts: &'static str,
    /// Total length of the keys that each side derives. 0 for a descriptor.
    pub keys: usize,
}

/// Returns the HTYPE of a handshake.
pub fn handshake_type(handshake: Handshake) -> u16 {
    let kem = match handshake.kem {
        Some("ML-KEM-768") => 2,
        Some("ML-KEM-1024") => 3,
        _ => 1,
    };
    match handshake.variant {
        Variant::V1 => 2,
        Variant::KemOnly => 0xff00 + kem,
        Variant::Authenticated => 0xff10 + kem,
    }
}

/// Reason why a relay cannot be created, or why it cannot answer a request.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// The socket failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The handshake failed.
    #[error(transparent)]
    Handshake(#[from] HandshakeError),
    /// The provider does not offer an algorithm that the handshakes need.
    #[error("{0}")]
    Provider(#[from] Fault),
}

/// Numbers of handshakes that a relay has answered, and of connections that it has rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Handshakes answered.
    pub handshakes: u64,
    /// Connections that the relay closed. Reasons are an invalid or slow request, too many clients, a thread that could
    /// not be started, or a panic in a library.
    pub refused: u64,
}

/// Relay with one identity and one onion key, which all handshakes use.
pub struct Relay {
    responders: Vec<(u16, Arc<Protocol>, Responder)>,
    descriptor: RelayDescriptor,
    clients: AtomicUsize,
    handshakes: AtomicU64,
    refused: AtomicU64,
    stopping: AtomicBool,
}

impl Relay {
    /// Creates a relay that answers every handshake that the providers support. `pair` names one provider (`aws-lc`) or
    /// two (`aws-lc+liboqs`).
    ///
    /// # Errors
    /// Fails if the providers support no handshake.
    pub fn new(providers: &[Arc<Provider>], pair: &str, identity: [u8; IDENTITY]) -> Result<Arc<Relay>, RelayError> {
        let (classical, post_quantum) = pair.split_once('+').unwrap_or((pair, pair));
        let pair = Pair { classical: classical.into(), post_quantum: post_quantum.into() };
        let mut protocols = Vec::new();
        for handshake in handshakes() {
            match handshake.protocol(providers, &pair, None) {
                Ok(protocol) => protocols.push((handshake_type(handshake), protocol)),
                Err(fault) if protocols.is_empty() => return Err(fault.into()),
                Err(_) => {}
            }
        }
        Relay::with_protocols(protocols, identity)
    }

    /// Creates a relay that answers these handshakes. `protocols` contains the HTYPE of each handshake.
    pub(super) fn with_protocols(
        protocols: Vec<(u16, Arc<Protocol>)>,
        identity: [u8; IDENTITY],
    ) -> Result<Arc<Relay>, RelayError> {
        let mut key = zeroize::Zeroizing::new([0; 32]);
        let mut descriptor = None;
        let mut responders = Vec::new();
        for (number, protocol) in protocols {
            let coins = if descriptor.is_some() { Coins::Exact(key.as_slice()) } else { Coins::Internal };
            let responder = Responder::new(Arc::clone(&protocol), identity, coins)?;
            if descriptor.is_none() {
                responder.encode_onion_key(&mut key)?;
                descriptor = Some(responder.descriptor());
            }
            responders.push((number, protocol, responder));
        }
        let descriptor = descriptor.ok_or_else(|| Fault::Unsupported("the libraries support no handshake".into()))?;
        Ok(Arc::new(Relay {
            responders,
            descriptor,
            clients: AtomicUsize::new(0),
            handshakes: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            stopping: AtomicBool::new(false),
        }))
    }

    /// Returns the relay's descriptor, which clients need.
    pub fn descriptor(&self) -> RelayDescriptor {
        self.descriptor
    }

    /// Returns every request that the relay answers.
    pub fn answers(&self) -> Vec<Answered> {
        let descriptor = Answered {
            name: "descriptor".into(),
            number: DESCRIPTOR,
            request: 0,
            request_parts: "nothing",
            answer: IDENTITY + 32,
            answer_parts: "ID || onion key",
            keys: 0,
        };
        let known = |(number, protocol, _): &(u16, Arc<Protocol>, Responder)| {
            let handshake = handshakes().into_iter().find(|handshake| handshake_type(*handshake) == *number)?;
            let (request_parts, answer_parts) = match handshake.variant {
                Variant::V1 => ("ID || onion key || X", "Y || AUTH"),
                Variant::KemOnly => ("EK || ID", "CT || AUTH"),
                Variant::Authenticated => ("ID || onion key || X || EK", "Y || CT || AUTH"),
            };
            Some(Answered {
                name: handshake.name(),
                number: *number,
                request: protocol.onionskin(),
                request_parts,
                answer: protocol.reply(),
                answer_parts,
                keys: protocol.keys(),
            })
        };
        [descriptor].into_iter().chain(self.responders.iter().filter_map(known)).collect()
    }

    /// Returns the counts so far.
    pub fn served(&self) -> Served {
        Served { handshakes: self.handshakes.load(Ordering::Acquire), refused: self.refused.load(Ordering::Relaxed) }
    }

    /// Accepts clients, each on its own thread, until [`stop`](Self::stop) is called.
    ///
    /// # Errors
    /// Errors from the listening socket, except those that are temporary or affect only one connection.
    pub fn serve(self: &Arc<Self>, listener: &TcpListener) -> io::Result<()> {
        while !self.stopping.load(Ordering::Acquire) {
            let stream = match listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if transient(&error) => {
                    // The process may be out of file descriptors. Wait for open connections to close.
                    thread::sleep(Duration::from_millis(10));
                    continue;
                }
                Err(error) => return Err(error),
            };
            let Some(place) = Place::taken(self) else {
                self.refused.fetch_add(1, Ordering::Relaxed);
                continue;
            };
            let relay = Arc::clone(self);
            // If the thread cannot be started, dropping the closure frees the place.
            let started = thread::Builder::new().name("client".into()).stack_size(512 << 10).spawn(move || {
                if relay.attend(stream, place).is_err() {
                    relay.refused.fetch_add(1, Ordering::Relaxed);
                }
            });
            if started.is_err() {
                self.refused.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Makes [`serve`](Self::serve) return. `address` is the address of the listening socket.
    pub fn stop(&self, address: SocketAddr) {
        self.stopping.store(true, Ordering::Release);
        // A connection wakes `serve`. If connecting fails, the socket is already closed.
        TcpStream::connect_timeout(&address, Duration::from_secs(1)).ok();
    }

    /// Answers a client's requests until the client disconnects. Returns an error if a request is invalid or late, or
    /// if the socket fails.
    fn attend(&self, stream: TcpStream, place: Place) -> Result<(), RelayError> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(Duration::from_nanos(MESSAGE_TIME)))?;
        let mut session = Session { stream, answer: [0; 2 + LONGEST] };
        // Free the place before the connection closes, so that a client can reconnect as soon as it sees the connection
        // close.
        let _place = place;
        let mut data = [0; LONGEST];
        while let Some((number, length)) = session.request(&mut data)? {
            self.answer(number, &data[..length], &mut session)?;
        }
        Ok(())
    }

    fn answer(&self, number: u16, data: &[u8], session: &mut Session) -> Result<(), RelayError> {
        if number == DESCRIPTOR && data.is_empty() {
            let body = &mut session.answer[2..2 + IDENTITY + 32];
            body[..IDENTITY].copy_from_slice(&self.descriptor.identity);
            body[IDENTITY..].copy_from_slice(&self.descriptor.onion_key);
            session.send(IDENTITY + 32)?;
            return Ok(());
        }
        let found = self.responders.iter().find(|(known, ..)| *known == number);
        let (_, protocol, responder) =
            found.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "unknown handshake type"))?;
        let mut keys = zeroize::Zeroizing::new([0; 80]);
        let reply = &mut session.answer[2..2 + protocol.reply()];
        responder.respond(data, Coins::Internal, reply, &mut keys[..protocol.keys()])?;
        // Count before sending, because the count must include every reply that a client has received.
        self.handshakes.fetch_add(1, Ordering::AcqRel);
        session.send(protocol.reply())?;
        Ok(())
    }
}

/// Slot for one of the concurrent clients. Dropping this value frees the slot, even if the client's thread panics. A
/// panic counts as a rejected connection.
struct Place(Arc<Relay>);

impl Place {
    /// Takes a slot. Returns `None` if no slot is free.
    fn taken(relay: &Arc<Relay>) -> Option<Place> {
        let before = relay.clients.fetch_add(1, Ordering::AcqRel);
        let place = Place(Arc::clone(relay));
        (before < CLIENTS).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.refused.fetch_add(1, Ordering::Relaxed);
        }
        self.0.clients.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Returns whether an error from `accept` is temporary or affects only one connection.
fn transient(error: &io::Error) -> bool {
    const TOO_MANY_FILES: [i32; 2] = [libc::EMFILE, libc::ENFILE];
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted)
        || error.raw_os_error().is_some_and(|code| TOO_MANY_FILES.contains(&code))
}

/// The relay's side of a connection.
struct Session {
    stream: TcpStream,
    /// HLEN || HDATA.
    answer: [u8; 2 + LONGEST],
}

impl Session {
    /// Reads the next request and returns its HTYPE and length. Returns `None` if the client has disconnected.
    fn request(&mut self, data: &mut [u8; LONGEST]) -> io::Result<Option<(u16, usize)>> {
        let mut header = [0; 4];
        self.stream.set_read_timeout(Some(IDLE))?;
        let first = match self.stream.read(&mut header) {
            Ok(0) => return Ok(None),
            Ok(count) => count,
            // Between two requests, a reset is a normal end of the connection.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(None),
            Err(error) => return Err(error),
        };
        let deadline = clock::monotonic_ns() + MESSAGE_TIME;
        self.read_by(deadline, &mut header[first..])?;
        let [t0, t1, l0, l1] = header;
        let length = usize::from(u16::from_be_bytes([l0, l1]));
        let data = data.get_mut(..length);
        let data = data.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the request is too long"))?;
        self.read_by(deadline, data)?;
        Ok(Some((u16::from_be_bytes([t0, t1]), length)))
    }

    /// Fills `buffer` by the deadline.
    fn read_by(&mut self, deadline: u64, buffer: &mut [u8]) -> io::Result<()> {
        read_by(&mut self.stream, deadline, buffer)
    }

    fn send(&mut self, length: usize) -> io::Result<()> {
        // `length` is at most `LONGEST`, which fits into two bytes.
        self.answer[..2].copy_from_slice(&(length as u16).to_be_bytes());
        self.stream.write_all(&self.answer[..2 + length])
    }
}

/// Fills `buffer`. Fails if the deadline passes first, even if bytes are still arriving.
fn read_by(stream: &mut TcpStream, deadline: u64, mut buffer: &mut [u8]) -> io::Result<()> {
    while !buffer.is_empty() {
        let left = deadline.saturating_sub(clock::monotonic_ns());
        if left == 0 {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(Duration::from_nanos(left)))?;
        match stream.read(buffer) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => buffer = &mut buffer[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The client's side of a connection to a relay.
pub struct Link {
    stream: TcpStream,
    request: Vec<u8>,
    /// Time limit for an answer. `None` for pqlab's own relay, because checking a limit would take time.
    limit: Option<Duration>,
}

impl Link {
    /// Connects to pqlab's own relay.
    ///
    /// # Errors
    /// Errors from the socket.
    pub fn connect(address: SocketAddr) -> io::Result<Link> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(IDLE))?;
        // Close with a reset. Otherwise, at thousands of connections per second, sockets in TIME_WAIT would use up all
        // ports.
        SockRef::from(&stream).set_linger(Some(Duration::ZERO))?;
        Ok(Link { stream, request: Vec::with_capacity(4 + LONGEST), limit: None })
    }

    /// Connects to any relay, with a time limit for connecting and for each answer.
    ///
    /// # Errors
    /// Errors from the socket.
    pub fn connect_within(address: SocketAddr, limit: Duration) -> io::Result<Link> {
        let stream = TcpStream::connect_timeout(&address, limit)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(limit))?;
        Ok(Link { stream, request: Vec::with_capacity(4 + LONGEST), limit: Some(limit) })
    }

    /// Requests the relay's descriptor.
    ///
    /// # Errors
    /// Errors from the socket.
    pub fn descriptor(&mut self) -> io::Result<RelayDescriptor> {
        let mut answer = [0; IDENTITY + 32];
        self.ask(DESCRIPTOR, &[], &mut answer)?;
        let mut descriptor = RelayDescriptor { identity: [0; IDENTITY], onion_key: [0; 32] };
        descriptor.identity.copy_from_slice(&answer[..IDENTITY]);
        descriptor.onion_key.copy_from_slice(&answer[IDENTITY..]);
        Ok(descriptor)
    }

    /// Sends an onionskin and receives the reply, which must have the length of `reply`.
    ///
    /// # Errors
    /// Errors from the socket, and an error if the reply has a different length.
    pub fn ask(&mut self, number: u16, onionskin: &[u8], reply: &mut [u8]) -> io::Result<()> {
        let length = u16::try_from(onionskin.len()).map_err(io::Error::other)?;
        self.request.clear();
        self.request.extend_from_slice(&number.to_be_bytes());
        self.request.extend_from_slice(&length.to_be_bytes());
        self.request.extend_from_slice(onionskin);
        self.stream.write_all(&self.request)?;
        let deadline = self.limit.map(|limit| clock::monotonic_ns().saturating_add(limit.as_nanos() as u64));
        let mut header = [0; 2];
        self.read(deadline, &mut header)?;
        if usize::from(u16::from_be_bytes(header)) != reply.len() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the relay's reply has an unexpected length"));
        }
        self.read(deadline, reply)
    }

    fn read(&mut self, deadline: Option<u64>, buffer: &mut [u8]) -> io::Result<()> {
        match deadline {
            Some(deadline) => read_by(&mut self.stream, deadline, buffer),
            None => self.stream.read_exact(buffer),
        }
    }

    /// Returns whether the relay has sent bytes after its answer.
    ///
    /// # Errors
    /// Errors from the socket.
    pub fn has_more(&mut self) -> io::Result<bool> {
        self.stream.set_nonblocking(true)?;
        let more = match self.stream.read(&mut [0]) {
            Ok(count) => count > 0,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => false,
            Err(error) => return Err(error),
        };
        self.stream.set_nonblocking(false)?;
        Ok(more)
    }
}
