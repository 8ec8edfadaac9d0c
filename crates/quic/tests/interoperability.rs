//! Connects quinn-proto to aioquic, an implementation in Python, over UDP on the loopback interface. aioquic has no
//! post-quantum algorithms, so these handshakes use X25519 and ECDSA.

#![allow(clippy::unwrap_used)]

use bytes::BytesMut;
use pqlab_quic::Setup;
use pqlab_testing::{Need, python_with, require};
use pqlab_tls::{ANSWER, Authentication, Config, Credentials, Group, REQUEST, SERVER_NAME};
use quinn_proto::{Connection, ConnectionError, ConnectionHandle, DatagramEvent, Dir, Endpoint, Event, StreamId};
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SCRIPT: &str = "tests/peer.py";
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest wait for a datagram.
const WAIT: Duration = Duration::from_millis(5);

fn setup() -> (Setup, Credentials) {
    let config = Config { intermediates: 1, ..Config::new(Group::X25519, Authentication::EcdsaP256) };
    let providers = pqlab_providers::providers();
    let provider = providers.iter().find(|provider| provider.library == "aws-lc").unwrap();
    let credentials = Credentials::make(&config, provider.signature("ECDSA-P-256").unwrap().as_ref()).unwrap();
    (Setup::new(&config, &credentials, Instant::now()).unwrap(), credentials)
}

/// One side of a connection over a socket.
struct Peer {
    socket: UdpSocket,
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    connected: bool,
}

impl Peer {
    fn new(endpoint: Endpoint) -> Peer {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_read_timeout(Some(WAIT)).unwrap();
        Peer { socket, endpoint, connection: None, connected: false }
    }

    fn connection(&mut self) -> &mut Connection {
        &mut self.connection.as_mut().unwrap().1
    }

    /// Sends what is due, and waits for a datagram for a short time.
    fn step(&mut self) {
        let mut buffer = Vec::new();
        if let Some((handle, connection)) = &mut self.connection {
            let now = Instant::now();
            if connection.poll_timeout().is_some_and(|time| time <= now) {
                connection.handle_timeout(now);
            }
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = self.endpoint.handle_event(*handle, event) {
                    connection.handle_event(event);
                }
            }
            while let Some(transmit) = connection.poll_transmit(now, 1, &mut buffer) {
                self.socket.send_to(&buffer, transmit.destination).unwrap();
                buffer.clear();
            }
            while let Some(event) = connection.poll() {
                match event {
                    Event::Connected => self.connected = true,
                    // aioquic closes the connection when it has the answer.
                    Event::ConnectionLost { reason: ConnectionError::ApplicationClosed(_) } => {}
                    Event::ConnectionLost { reason } => panic!("connection lost: {reason}"),
                    _ => {}
                }
            }
        }
        let mut datagram = [0; 2048];
        let Ok((length, from)) = self.socket.recv_from(&mut datagram) else { return };
        let (now, datagram) = (Instant::now(), BytesMut::from(&datagram[..length]));
        match self.endpoint.handle(now, from, None, None, datagram, &mut buffer) {
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = self.endpoint.accept(incoming, now, &mut buffer, None);
                self.connection = Some(accepted.map_err(|error| error.cause).unwrap());
            }
            Some(DatagramEvent::ConnectionEvent(_, event)) => self.connection().handle_event(event),
            _ => {}
        }
    }

    fn step_until(&mut self, mut is_done: impl FnMut(&mut Peer) -> bool) {
        let begun = Instant::now();
        while !is_done(self) {
            assert!(begun.elapsed() < PATIENCE, "the connection does not progress");
            self.step();
        }
    }

    fn receive(&mut self, stream: StreamId, length: usize) -> Vec<u8> {
        let mut received = Vec::new();
        self.step_until(|peer| {
            let mut stream = peer.connection().recv_stream(stream);
            let mut chunks = stream.read(true).unwrap();
            while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                received.extend_from_slice(&chunk.bytes);
            }
            let _ = chunks.finalize();
            received.len() >= length
        });
        received
    }
}

/// Child process that ends with the test.
struct Python(Child);

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run(python: &Path, arguments: &[&str]) -> Python {
    let mut command = Command::new(python);
    command.arg(SCRIPT).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    Python(command.spawn().unwrap())
}

#[test]
fn connects_to_a_server_of_another_implementation() {
    let python = require!(python_with("aioquic"), Need::Installed("aioquic"));
    let (setup, credentials) = setup();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let mut arguments = vec!["server".to_owned(), write("key", credentials.server.key())];
    arguments.extend(setup.chain().iter().enumerate().map(|(at, der)| write(&format!("{at}.der"), der)));
    let mut server = run(&python, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let mut port = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut port).unwrap();
    let to = SocketAddr::from((Ipv4Addr::LOCALHOST, port.trim().parse().unwrap()));

    let mut client = Peer::new(setup.client(1));
    let started = client.endpoint.connect(Instant::now(), setup.client_config(), to, SERVER_NAME);
    client.connection = Some(started.unwrap());
    client.step_until(|client| client.connected);
    let stream = client.connection().streams().open(Dir::Bi).unwrap();
    assert_eq!(client.connection().send_stream(stream).write(REQUEST).unwrap(), REQUEST.len());
    assert_eq!(client.receive(stream, ANSWER.len()), ANSWER);
}

#[test]
fn accepts_a_client_of_another_implementation() {
    let python = require!(python_with("aioquic"), Need::Installed("aioquic"));
    let (setup, _) = setup();
    let mut server = Peer::new(setup.server(1));
    let port = server.socket.local_addr().unwrap().port().to_string();
    let mut client = run(&python, &["client", &port, SERVER_NAME]);
    let mut stream = None;
    server.step_until(|server| {
        if let Some((_, connection)) = &mut server.connection {
            stream = connection.streams().accept(Dir::Bi);
        }
        stream.is_some()
    });
    let stream = stream.unwrap();
    assert_eq!(server.receive(stream, REQUEST.len()), REQUEST);
    assert_eq!(server.connection().send_stream(stream).write(ANSWER).unwrap(), ANSWER.len());
    let mut status = None;
    let begun = Instant::now();
    while status.is_none() {
        assert!(begun.elapsed() < PATIENCE, "the client does not end");
        server.step();
        status = client.0.try_wait().unwrap();
    }
    assert!(status.unwrap().success());
}
