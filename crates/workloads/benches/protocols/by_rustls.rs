//! Bare loop over rustls, written as the documentation of rustls recommends.

use crate::NOW;
use crate::interleaved::Work;
use pqlab_tls::{Config, Credentials, Group, SERVER_NAME};
use rustls::crypto::aws_lc_rs::{self, cipher_suite, kx_group};
use rustls::crypto::{CryptoProvider, SupportedKxGroup};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::version::TLS13;
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection};
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug)]
struct Fixed;

impl TimeProvider for Fixed {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(Duration::from_secs(NOW)))
    }
}

pub(crate) struct Bare {
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
    name: ServerName<'static>,
    performed: Vec<(ClientConnection, ServerConnection)>,
    wire: Vec<u8>,
}

/// Creates the configurations of a client and a server.
pub(crate) fn configurations(config: &Config, credentials: &Credentials) -> (ClientConfig, ServerConfig) {
    let group: &'static dyn SupportedKxGroup = match config.group {
        Group::X25519 => kx_group::X25519,
        _ => kx_group::X25519MLKEM768,
    };
    let provider = Arc::new(CryptoProvider {
        cipher_suites: vec![cipher_suite::TLS13_AES_256_GCM_SHA384],
        kx_groups: vec![group],
        ..aws_lc_rs::default_provider()
    });
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(credentials.root.clone())).expect("the root certificate must be valid");
    let mut client = ClientConfig::builder_with_details(Arc::clone(&provider), Arc::new(Fixed))
        .with_protocol_versions(&[&TLS13])
        .expect("the provider must support TLS 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.resumption = rustls::client::Resumption::disabled();
    let chain = [&credentials.server.certificate].into_iter().chain(&credentials.intermediates);
    let chain = chain.map(|der| CertificateDer::from(der.clone())).collect();
    let key = PrivatePkcs8KeyDer::from(credentials.server.key().to_vec()).into();
    let mut server = ServerConfig::builder_with_details(provider, Arc::new(Fixed))
        .with_protocol_versions(&[&TLS13])
        .expect("the provider must support TLS 1.3")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("the key must belong to the certificate");
    server.send_tls13_tickets = 0;
    (client, server)
}

impl Bare {
    pub(crate) fn new(config: &Config, credentials: &Credentials) -> Bare {
        let (client, server) = configurations(config, credentials);
        let name = ServerName::try_from(SERVER_NAME).expect("the server name must be valid");
        Bare { client: Arc::new(client), server: Arc::new(server), name, performed: Vec::new(), wire: Vec::new() }
    }

    fn handshake(&mut self) -> (ClientConnection, ServerConnection) {
        let mut client =
            ClientConnection::new(Arc::clone(&self.client), self.name.clone()).expect("cannot create the client");
        let mut server = ServerConnection::new(Arc::clone(&self.server)).expect("cannot create the server");
        // The three calls pass, in order: the ClientHello; the messages from ServerHello to
        // Finished; the client's Finished.
        pass(&mut client, &mut server, &mut self.wire);
        pass(&mut server, &mut client, &mut self.wire);
        pass(&mut client, &mut server, &mut self.wire);
        (client, server)
    }
}

fn pass<F, T>(from: &mut rustls::ConnectionCommon<F>, to: &mut rustls::ConnectionCommon<T>, wire: &mut Vec<u8>) {
    wire.clear();
    while from.wants_write() {
        from.write_tls(wire).expect("cannot write records");
    }
    let mut rest = wire.as_slice();
    while !rest.is_empty() {
        to.read_tls(&mut rest).expect("cannot read records");
        to.process_new_packets().expect("records must be valid");
    }
}

impl Work for Bare {
    fn ready(&mut self, _batch: usize) {
        let is_done = |(client, server): &(ClientConnection, ServerConnection)| {
            !client.is_handshaking() && !server.is_handshaking()
        };
        assert!(self.performed.iter().all(is_done), "every handshake must be complete");
        self.performed.clear();
    }

    fn run(&mut self, batch: usize) {
        for _ in 0..batch {
            let performed = self.handshake();
            self.performed.push(performed);
        }
    }
}
