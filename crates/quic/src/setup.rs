//! Configuration of a client and a server.

use pqlab_tls::{Config, Credentials, Error, Result, Resumption, rustls_client_config, rustls_server_config};
use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::{ClientConfig, Endpoint, EndpointConfig, ServerConfig};
use rustls::crypto::aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256;
use rustls::quic::Suite;
use std::sync::Arc;
use std::time::Instant;

/// Application protocol that both sides negotiate. QUIC requires one (RFC 9001, section 8.1).
const PROTOCOL: &[u8] = b"h3";

/// State that the connections of a client and a server share: keys, certificates, configuration.
pub struct Setup {
    config: Config,
    /// Certificates that the server sends in DER, its own first.
    chain: Vec<Vec<u8>>,
    /// Cipher suite of Initial packets (RFC 9001, section 5.2).
    initial: Suite,
    endpoint: Arc<EndpointConfig>,
    client: ClientConfig,
    server: Arc<ServerConfig>,
    epoch: Instant,
}

impl Setup {
    /// Prepares a client and a server. `epoch` is the start of the simulated time; any instant will do.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the configuration includes resumption, or if rustls does not support it. Propagates
    /// errors from rustls.
    pub fn new(config: &Config, credentials: &Credentials, epoch: Instant) -> Result<Setup> {
        if config.resumption != Resumption::None {
            return Err(Error::Unsupported("QUIC handshakes are measured without resumption"));
        }
        let initial = TLS13_AES_128_GCM_SHA256.tls13().and_then(|suite| suite.quic_suite());
        let initial = initial.ok_or(Error::Unsupported("rustls does not support AES-128-GCM in QUIC"))?;
        let mut client = rustls::ClientConfig::clone(&*rustls_client_config(config, credentials)?);
        client.alpn_protocols = vec![PROTOCOL.to_vec()];
        let mut server = rustls::ServerConfig::clone(&*rustls_server_config(config, credentials)?);
        server.alpn_protocols = vec![PROTOCOL.to_vec()];
        let client = QuicClientConfig::with_initial(Arc::new(client), initial).map_err(failed("QuicClientConfig"))?;
        let server = QuicServerConfig::with_initial(Arc::new(server), initial).map_err(failed("QuicServerConfig"))?;
        let chain = [&credentials.server.certificate].into_iter().chain(&credentials.intermediates);
        Ok(Setup {
            config: *config,
            chain: chain.cloned().collect(),
            initial,
            endpoint: Arc::new(EndpointConfig::default()),
            client: ClientConfig::new(Arc::new(client)),
            server: Arc::new(ServerConfig::with_crypto(Arc::new(server))),
            epoch,
        })
    }

    /// Returns the TLS configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the certificates that the server sends in DER, its own first.
    pub fn chain(&self) -> &[Vec<u8>] {
        &self.chain
    }

    /// Returns the cipher suite of Initial packets.
    pub fn initial(&self) -> Suite {
        self.initial
    }

    /// Returns the start of the simulated time.
    pub fn epoch(&self) -> Instant {
        self.epoch
    }

    /// Returns the configuration of a client's connections.
    pub fn client_config(&self) -> ClientConfig {
        self.client.clone()
    }

    /// Creates an endpoint for a client. `seed` determines its random choices, such as skipped packet numbers, but no
    /// key.
    pub fn client(&self, seed: u64) -> Endpoint {
        self.create(None, seed)
    }

    /// Creates an endpoint for a server. `seed` has the same effect as for a [client](Self::client).
    pub fn server(&self, seed: u64) -> Endpoint {
        self.create(Some(Arc::clone(&self.server)), seed)
    }

    fn create(&self, server: Option<Arc<ServerConfig>>, seed: u64) -> Endpoint {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_be_bytes());
        Endpoint::new(Arc::clone(&self.endpoint), server, false, Some(bytes))
    }
}

fn failed<E: std::fmt::Display>(call: &'static str) -> impl Fn(E) -> Error {
    move |error| Error::Library { call, detail: error.to_string() }
}
