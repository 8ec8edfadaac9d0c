//! TLS with rustls, which uses AWS-LC for cryptography.

use crate::credentials::NOW;
use crate::{
    Authentication, Config, Context, Credentials, Endpoint, Error, Group, Implementation, Leaf, Result, Resumption,
    SERVER_NAME,
};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{
    ClientSessionStore, Tls12ClientSessionValue, Tls12Resumption, Tls13ClientSessionValue, WebPkiServerVerifier,
};
use rustls::crypto::aws_lc_rs::{self, Ticketer, cipher_suite, kx_group};
use rustls::crypto::{CryptoProvider, SupportedKxGroup};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::time_provider::TimeProvider;
use rustls::version::TLS13;
use rustls::{
    ClientConfig, ClientConnection, Connection, DigitallySignedStruct, DistinguishedName, HandshakeKind, NamedGroup,
    RootCertStore, ServerConfig, ServerConnection, SignatureScheme,
};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

fn failed(call: &'static str) -> impl Fn(rustls::Error) -> Error {
    move |error| Error::Library { call, detail: error.to_string() }
}

fn provider(config: &Config) -> Result<Arc<CryptoProvider>> {
    let group: &'static dyn SupportedKxGroup = match config.group {
        Group::X25519 => kx_group::X25519,
        Group::X25519MlKem768 => kx_group::X25519MLKEM768,
        Group::SecP256r1MlKem768 => kx_group::SECP256R1MLKEM768,
        Group::MlKem768 => kx_group::MLKEM768,
        Group::SecP384r1MlKem1024 => return Err(Error::Unsupported("rustls does not support SecP384r1MLKEM1024")),
    };
    Ok(Arc::new(CryptoProvider {
        cipher_suites: vec![cipher_suite::TLS13_AES_256_GCM_SHA384],
        kx_groups: vec![group],
        ..aws_lc_rs::default_provider()
    }))
}

/// Returns the allowed signature schemes. Only the first may sign the handshake; all may sign certificates.
fn schemes(authentication: Authentication) -> &'static [SignatureScheme] {
    match authentication {
        Authentication::Ed25519 => &[SignatureScheme::ED25519],
        Authentication::EcdsaP256 => &[SignatureScheme::ECDSA_NISTP256_SHA256],
        Authentication::Rsa2048 => &[SignatureScheme::RSA_PSS_SHA256, SignatureScheme::RSA_PKCS1_SHA256],
        Authentication::MlDsa44 => &[SignatureScheme::ML_DSA_44],
        Authentication::MlDsa65 => &[SignatureScheme::ML_DSA_65],
        Authentication::MlDsa87 => &[SignatureScheme::ML_DSA_87],
        Authentication::SlhDsaSha2128s => &[],
    }
}

/// Clock that returns a fixed time for all certificate checks.
#[derive(Debug)]
struct Fixed;

impl TimeProvider for Fixed {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(NOW))
    }
}

fn roots(credentials: &Credentials) -> Result<Arc<RootCertStore>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(credentials.root.clone())).map_err(failed("RootCertStore::add"))?;
    Ok(Arc::new(roots))
}

fn chain(credentials: &Credentials, leaf: &Leaf) -> Vec<CertificateDer<'static>> {
    credentials.chain(leaf).map(|certificate| CertificateDer::from(certificate.to_vec())).collect()
}

/// Certificate verifier that accepts handshake signatures only in the first of `schemes`.
#[derive(Debug)]
struct Strict<V: ?Sized> {
    verifier: Arc<V>,
    schemes: &'static [SignatureScheme],
}

impl<V: ?Sized> Strict<V> {
    fn check(&self, signature: &DigitallySignedStruct) -> std::result::Result<(), rustls::Error> {
        match self.schemes.first() == Some(&signature.scheme) {
            true => Ok(()),
            false => {
                let what = format!("the peer signed with {:?} instead of the configured scheme", signature.scheme);
                Err(rustls::Error::General(what))
            }
        }
    }
}

type Verified = std::result::Result<HandshakeSignatureValid, rustls::Error>;

/// Defines the signature methods, which `ServerCertVerifier` and `ClientCertVerifier` both require.
macro_rules! signatures {
    () => {
        fn verify_tls12_signature(&self, _: &[u8], _: &CertificateDer<'_>, _: &DigitallySignedStruct) -> Verified {
            Err(rustls::Error::General("TLS 1.2 is not enabled".into()))
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signature: &DigitallySignedStruct,
        ) -> Verified {
            self.check(signature)?;
            self.verifier.verify_tls13_signature(message, certificate, signature)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            self.schemes.to_vec()
        }
    };
}

impl ServerCertVerifier for Strict<WebPkiServerVerifier> {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        self.verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    signatures!();
}

impl ClientCertVerifier for Strict<dyn ClientCertVerifier> {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.verifier.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> std::result::Result<ClientCertVerified, rustls::Error> {
        self.verifier.verify_client_cert(end_entity, intermediates, now)
    }

    signatures!();
}

/// TLS 1.3 tickets from all connections of a client. A client uses each ticket once, and does not use tickets on
/// priming connections.
#[derive(Debug, Default)]
struct Tickets {
    all: Mutex<VecDeque<Tls13ClientSessionValue>>,
    priming: AtomicBool,
}

impl Tickets {
    fn all(&self) -> std::sync::MutexGuard<'_, VecDeque<Tls13ClientSessionValue>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientSessionStore for Tickets {
    fn set_kx_hint(&self, _: ServerName<'static>, _: NamedGroup) {}

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        None
    }

    fn set_tls12_session(&self, _: ServerName<'static>, _: Tls12ClientSessionValue) {}

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        None
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {}

    fn insert_tls13_ticket(&self, _: ServerName<'static>, ticket: Tls13ClientSessionValue) {
        self.all().push_back(ticket);
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        if self.priming.load(Ordering::Relaxed) { None } else { self.all().pop_front() }
    }
}

/// Returns the configuration that rustls uses for a client, for protocols that carry the handshake in their own packets.
///
/// # Errors
/// [`Error::Unsupported`] if rustls does not support the configuration. Propagates errors from rustls.
pub fn rustls_client_config(config: &Config, credentials: &Credentials) -> Result<Arc<ClientConfig>> {
    Implementation::Rustls.check(config)?;
    Ok(Client::new(config, credentials)?.config)
}

/// Returns the configuration that rustls uses for a server, for protocols that carry the handshake in their own packets.
///
/// # Errors
/// Same as [`rustls_client_config`].
pub fn rustls_server_config(config: &Config, credentials: &Credentials) -> Result<Arc<ServerConfig>> {
    Implementation::Rustls.check(config)?;
    Ok(Server::new(config, credentials)?.config)
}

/// State shared by the connections of a client.
pub(crate) struct Client {
    config: Arc<ClientConfig>,
    server_name: ServerName<'static>,
    tickets: Arc<Tickets>,
    authentication: Authentication,
}

impl Client {
    pub(crate) fn new(config: &Config, credentials: &Credentials) -> Result<Client> {
        let provider = provider(config)?;
        let verifier = WebPkiServerVerifier::builder_with_provider(roots(credentials)?, Arc::clone(&provider)).build();
        let verifier = verifier
            .map_err(|error| Error::Library { call: "WebPkiServerVerifier::builder", detail: error.to_string() })?;
        let builder = ClientConfig::builder_with_details(provider, Arc::new(Fixed))
            .with_protocol_versions(&[&TLS13])
            .map_err(failed("ClientConfig::builder"))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Strict { verifier, schemes: schemes(config.authentication) }));
        let mut client_config = match &credentials.client {
            Some(leaf) => {
                let key = PrivatePkcs8KeyDer::from(leaf.key().to_vec()).into();
                builder.with_client_auth_cert(chain(credentials, leaf), key).map_err(failed("with_client_auth_cert"))?
            }
            None => builder.with_no_client_auth(),
        };
        let tickets = Arc::new(Tickets::default());
        client_config.resumption = match config.resumption {
            Resumption::None => rustls::client::Resumption::disabled(),
            _ => rustls::client::Resumption::store(Arc::clone(&tickets) as Arc<dyn ClientSessionStore>)
                .tls12_resumption(Tls12Resumption::Disabled),
        };
        let server_name = ServerName::try_from(SERVER_NAME)
            .map_err(|error| Error::Library { call: "ServerName", detail: error.to_string() })?;
        Ok(Client { config: Arc::new(client_config), server_name, tickets, authentication: config.authentication })
    }
}

impl Context for Client {
    fn connection(&self) -> Result<Box<dyn Endpoint>> {
        let connection = ClientConnection::new(Arc::clone(&self.config), self.server_name.clone())
            .map_err(failed("ClientConnection::new"))?;
        Ok(Box::new(Side { connection: connection.into(), peer: Some(self.authentication) }))
    }

    fn priming(&self, _tickets: usize) -> Result<Box<dyn Endpoint>> {
        self.tickets.priming.store(true, Ordering::Relaxed);
        let connection = self.connection();
        self.tickets.priming.store(false, Ordering::Relaxed);
        connection
    }

    fn keep(&self, _primed: &dyn Endpoint) -> Result<()> {
        // Nothing to do: the client stored the tickets when it received them.
        Ok(())
    }

    fn resumptions(&self) -> usize {
        self.tickets.all().len()
    }
}

/// State shared by the connections of a server.
pub(crate) struct Server {
    config: Arc<ServerConfig>,
    peer: Option<Authentication>,
}

impl Server {
    pub(crate) fn new(config: &Config, credentials: &Credentials) -> Result<Server> {
        let provider = provider(config)?;
        let builder = ServerConfig::builder_with_details(Arc::clone(&provider), Arc::new(Fixed))
            .with_protocol_versions(&[&TLS13])
            .map_err(failed("ServerConfig::builder"))?;
        let builder = if config.client_authentication {
            let verifier = WebPkiClientVerifier::builder_with_provider(roots(credentials)?, provider).build();
            let verifier = verifier
                .map_err(|error| Error::Library { call: "WebPkiClientVerifier::builder", detail: error.to_string() })?;
            builder.with_client_cert_verifier(Arc::new(Strict { verifier, schemes: schemes(config.authentication) }))
        } else {
            builder.with_no_client_auth()
        };
        let key = PrivatePkcs8KeyDer::from(credentials.server.key().to_vec()).into();
        let mut server_config = builder
            .with_single_cert(chain(credentials, &credentials.server), key)
            .map_err(failed("with_single_cert"))?;
        server_config.send_tls13_tickets = 0;
        if config.resumption != Resumption::None {
            server_config.ticketer = Ticketer::new().map_err(failed("Ticketer::new"))?;
        }
        let peer = config.client_authentication.then_some(config.authentication);
        Ok(Server { config: Arc::new(server_config), peer })
    }

    fn accept(&self, config: Arc<ServerConfig>) -> Result<Box<dyn Endpoint>> {
        let connection = ServerConnection::new(config).map_err(failed("ServerConnection::new"))?;
        Ok(Box::new(Side { connection: connection.into(), peer: self.peer }))
    }
}

impl Context for Server {
    fn connection(&self) -> Result<Box<dyn Endpoint>> {
        self.accept(Arc::clone(&self.config))
    }

    fn priming(&self, tickets: usize) -> Result<Box<dyn Endpoint>> {
        let mut config = ServerConfig::clone(&self.config);
        config.send_tls13_tickets = tickets;
        self.accept(Arc::new(config))
    }

    fn keep(&self, _primed: &dyn Endpoint) -> Result<()> {
        Ok(())
    }

    fn resumptions(&self) -> usize {
        0
    }
}

/// One side of a connection.
struct Side {
    connection: Connection,
    /// Algorithm that the peer must use to authenticate in a full handshake. `None` if the peer does not authenticate.
    peer: Option<Authentication>,
}

impl Endpoint for Side {
    fn receive(&mut self, records: &[u8]) -> Result<()> {
        let mut rest = records;
        while !rest.is_empty() {
            let read = self.connection.read_tls(&mut rest);
            read.map_err(|error| Error::Library { call: "read_tls", detail: error.to_string() })?;
            self.connection.process_new_packets().map_err(failed("process_new_packets"))?;
        }
        Ok(())
    }

    fn send(&mut self, out: &mut Vec<u8>) -> Result<()> {
        while self.connection.wants_write() {
            let written = self.connection.write_tls(out);
            written.map_err(|error| Error::Library { call: "write_tls", detail: error.to_string() })?;
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        !self.connection.is_handshaking()
    }

    fn group(&self) -> Option<Group> {
        let code = u16::from(self.connection.negotiated_key_exchange_group()?.name());
        Group::ALL.into_iter().find(|group| group.code() == code)
    }

    fn peer_signature(&self) -> Option<Authentication> {
        self.peer.filter(|_| self.connection.handshake_kind() == Some(HandshakeKind::Full) && self.is_done())
    }

    fn is_resumed(&self) -> bool {
        self.connection.handshake_kind() == Some(HandshakeKind::Resumed)
    }

    fn write(&mut self, data: &[u8]) -> Result<()> {
        let written = self.connection.writer().write_all(data);
        written.map_err(|error| Error::Library { call: "writer", detail: error.to_string() })
    }

    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        match self.connection.reader().read(out) {
            Ok(length) => Ok(length),
            // No data is available yet.
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(0),
            Err(error) => Err(Error::Library { call: "reader", detail: error.to_string() }),
        }
    }
}
