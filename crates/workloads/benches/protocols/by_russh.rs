//! Bare loop over russh: both sides in one runtime, over tokio's stream in memory.

use crate::interleaved::Work;
use pqlab_ssh::{Config, KeyExchange, KeyType, Keys};
use russh::client::{self, AuthResult, Handle};
use russh::keys::{Algorithm, EcdsaCurve, HashAlg, PrivateKeyWithHashAlg, PublicKeyOrCertificate};
use russh::server::{self, Auth, RunningSession, VerifiedPublicKey};
use russh::{MethodKind, MethodSet, Preferred, cipher, kex};
use std::borrow::Cow;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// Capacity of the stream in bytes, more than a handshake sends.
const CAPACITY: usize = 1 << 16;
/// Number of times that the tasks of finished connections may run. Each needs a few.
const TURNS: usize = 64;

struct Client;

impl client::Handler for Client {
    type Error = russh::Error;

    async fn check_server_key(&mut self, _key: &PublicKeyOrCertificate) -> Result<bool, russh::Error> {
        Ok(true)
    }
}

struct Server;

impl server::Handler for Server {
    type Error = russh::Error;

    async fn auth_publickey(&mut self, _user: &str, _key: VerifiedPublicKey<'_>) -> Result<Auth, russh::Error> {
        Ok(Auth::Accept)
    }
}

pub(crate) struct Bare {
    runtime: Runtime,
    client: Arc<client::Config>,
    server: Arc<server::Config>,
    key: PrivateKeyWithHashAlg,
    performed: Vec<(Handle<Client>, RunningSession<Server>)>,
}

fn preferred(config: Config) -> Preferred {
    let method = match config.key_exchange {
        KeyExchange::Curve25519 => kex::CURVE25519,
        KeyExchange::MlKem768X25519 => kex::MLKEM768X25519_SHA256,
    };
    let algorithm = match config.key_type {
        KeyType::Ed25519 => Algorithm::Ed25519,
        KeyType::EcdsaP256 => Algorithm::Ecdsa { curve: EcdsaCurve::NistP256 },
        KeyType::Rsa3072 => Algorithm::Rsa { hash: Some(HashAlg::Sha512) },
    };
    let extensions = [
        kex::EXTENSION_SUPPORT_AS_CLIENT,
        kex::EXTENSION_SUPPORT_AS_SERVER,
        kex::EXTENSION_OPENSSH_STRICT_KEX_AS_CLIENT,
        kex::EXTENSION_OPENSSH_STRICT_KEX_AS_SERVER,
    ];
    Preferred {
        kex: Cow::Owned([&[method][..], &extensions].concat()),
        key: Cow::Owned(vec![algorithm]),
        cipher: Cow::Borrowed(&[cipher::CHACHA20_POLY1305]),
        ..Preferred::DEFAULT
    }
}

impl Bare {
    pub(crate) fn new(config: Config, keys: &Keys) -> Bare {
        let client = client::Config { preferred: preferred(config), ..client::Config::default() };
        let server = server::Config {
            preferred: preferred(config),
            keys: vec![keys.host.clone()],
            methods: MethodSet::from(&[MethodKind::PublicKey][..]),
            inactivity_timeout: None,
            ..server::Config::default()
        };
        let runtime = Builder::new_current_thread().enable_time().build().expect("cannot create the runtime");
        let key = PrivateKeyWithHashAlg::new(Arc::clone(&keys.user), Some(HashAlg::Sha512));
        Bare { runtime, client: Arc::new(client), server: Arc::new(server), key, performed: Vec::new() }
    }
}

impl Work for Bare {
    fn ready(&mut self, _batch: usize) {
        self.performed.clear();
        self.runtime.block_on(async {
            for _ in 0..TURNS {
                tokio::task::yield_now().await;
            }
        });
    }

    // A handle is also a future, which ends with the connection.
    #[allow(clippy::async_yields_async)]
    fn run(&mut self, batch: usize) {
        for _ in 0..batch {
            let (here, there) = tokio::io::duplex(CAPACITY);
            let client = async {
                let connected = client::connect_stream(Arc::clone(&self.client), here, Client).await;
                let mut handle = connected.expect("the client must connect");
                let answer = handle.authenticate_publickey(pqlab_ssh::USER, self.key.clone()).await;
                assert!(matches!(answer, Ok(AuthResult::Success)), "the server must accept the key");
                handle
            };
            let server = server::run_stream(Arc::clone(&self.server), there, Server);
            let (handle, session) = self.runtime.block_on(async { tokio::join!(client, server) });
            self.performed.push((handle, session.expect("the server must accept the connection")));
        }
    }
}
