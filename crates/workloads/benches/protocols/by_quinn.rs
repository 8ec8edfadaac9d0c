//! Bare loop over quinn-proto. Flights take half a round trip of simulated time.

use crate::by_rustls::configurations;
use crate::interleaved::Work;
use bytes::BytesMut;
use pqlab_tls::{Config, Credentials, SERVER_NAME};
use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::{ClientConfig, Connection, ConnectionHandle, DatagramEvent, Endpoint, EndpointConfig, ServerConfig};
use rustls::crypto::aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Simulated time that a datagram takes.
const ONE_WAY: Duration = Duration::from_millis(50);
/// Most flights of a handshake.
const MOST_FLIGHTS: usize = 20;

/// One side of a connection.
struct Side {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    peer: SocketAddr,
}

pub(crate) struct Bare {
    client: ClientConfig,
    server: Arc<ServerConfig>,
    endpoint: Arc<EndpointConfig>,
    epoch: Instant,
    ready: Vec<[Side; 2]>,
    performed: Vec<[Side; 2]>,
}

impl Bare {
    pub(crate) fn new(config: &Config, credentials: &Credentials) -> Bare {
        let (mut client, mut server) = configurations(config, credentials);
        client.alpn_protocols = vec![b"h3".to_vec()];
        server.alpn_protocols = vec![b"h3".to_vec()];
        let initial = TLS13_AES_128_GCM_SHA256.tls13().and_then(|suite| suite.quic_suite());
        let initial = initial.expect("AES-128-GCM must support QUIC");
        let client = QuicClientConfig::with_initial(Arc::new(client), initial).expect("the suite must be AES-128-GCM");
        let server = QuicServerConfig::with_initial(Arc::new(server), initial).expect("the suite must be AES-128-GCM");
        Bare {
            client: ClientConfig::new(Arc::new(client)),
            server: Arc::new(ServerConfig::with_crypto(Arc::new(server))),
            endpoint: Arc::new(EndpointConfig::default()),
            epoch: Instant::now(),
            ready: Vec::new(),
            performed: Vec::new(),
        }
    }

    fn side(&self, server: Option<&Arc<ServerConfig>>, peer: [u8; 4]) -> Side {
        let endpoint = Endpoint::new(Arc::clone(&self.endpoint), server.cloned(), false, None);
        Side { endpoint, connection: None, peer: (peer, 443).into() }
    }

    fn handshake(&self, pair: &mut [Side; 2]) {
        let [client, server] = pair;
        let mut now = self.epoch;
        let started = client.endpoint.connect(now, self.client.clone(), client.peer, SERVER_NAME);
        client.connection = Some(started.expect("cannot connect"));
        for _ in 0..MOST_FLIGHTS {
            pass(client, server, now);
            now += ONE_WAY;
            pass(server, client, now);
            now += ONE_WAY;
            if client.is_confirmed() {
                return;
            }
        }
        panic!("the handshake must end");
    }
}

impl Side {
    fn is_confirmed(&self) -> bool {
        self.connection.as_ref().is_some_and(|(_, connection)| connection.stats().frame_rx.handshake_done > 0)
    }

    fn receive(&mut self, now: Instant, datagram: BytesMut) {
        let mut buffer = Vec::new();
        match self.endpoint.handle(now, self.peer, None, None, datagram, &mut buffer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                self.connection.as_mut().expect("the connection must exist").1.handle_event(event);
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = self.endpoint.accept(incoming, now, &mut buffer, None);
                self.connection = Some(accepted.unwrap_or_else(|_| panic!("cannot accept")));
            }
            _ => {}
        }
    }
}

/// Sends everything that `from` has to send.
fn pass(from: &mut Side, to: &mut Side, now: Instant) {
    let (handle, connection) = from.connection.as_mut().expect("the connection must exist");
    if connection.poll_timeout().is_some_and(|time| time <= now) {
        connection.handle_timeout(now);
    }
    let mut buffer = Vec::new();
    loop {
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = from.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        buffer.clear();
        if connection.poll_transmit(now, 1, &mut buffer).is_none() {
            break;
        }
        to.receive(now + ONE_WAY, BytesMut::from(&buffer[..]));
    }
    while connection.poll().is_some() {}
}

impl Work for Bare {
    fn ready(&mut self, batch: usize) {
        assert!(self.performed.iter().all(|[client, _]| client.is_confirmed()), "every handshake must be confirmed");
        self.performed.clear();
        self.ready = (0..batch)
            .map(|_| [self.side(None, [192, 0, 2, 2]), self.side(Some(&self.server), [192, 0, 2, 1])])
            .collect();
    }

    fn run(&mut self, batch: usize) {
        for _ in 0..batch {
            let mut pair = self.ready.pop().expect("a pair must be ready");
            self.handshake(&mut pair);
            self.performed.push(pair);
        }
    }
}
