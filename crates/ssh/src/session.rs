//! Both sides of a session, over any stream.

use crate::driver::Driver;
use crate::{Client, Config, Connection, Error, Keys, Result, Server};
use russh::client::{AuthResult, Handle};
use russh::keys::ssh_key::public::KeyData;
use russh::keys::{HashAlg, PrivateKeyWithHashAlg, PublicKeyOrCertificate};
use russh::server::{Auth, ChannelOpenHandle, Msg, PublicKeyOffer, VerifiedPublicKey};
use russh::{Channel, ChannelId, ChannelMsg, MethodKind, MethodSet, Names, Preferred, cipher, client, kex, server};
use std::borrow::Cow;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncWrite};

/// Name of the user who logs in, unless [`Setup::with_user`] sets another one.
pub const USER: &str = "pqlab";
/// Name of the cipher that both sides offer.
pub const CIPHER: &str = "chacha20-poly1305@openssh.com";
/// Command that sends its input back.
const ECHO: &str = "cat";

/// Keys and settings that the connections of a client and a server share.
pub struct Setup {
    config: Config,
    user: String,
    keys: Arc<Keys>,
    client: Arc<client::Config>,
    server: Arc<server::Config>,
    /// Runtimes of the client and the server of connections in memory.
    pub(crate) drivers: [Arc<Driver>; 2],
}

impl Setup {
    /// Creates a setup.
    ///
    /// # Errors
    /// [`Error::Runtime`] if an asynchronous runtime cannot be created.
    pub fn new(config: Config, keys: Arc<Keys>) -> Result<Setup> {
        let client = client::Config { preferred: preferred(config), ..client::Config::default() };
        let server = server::Config {
            preferred: preferred(config),
            keys: vec![keys.host.clone()],
            methods: MethodSet::from(&[MethodKind::PublicKey][..]),
            inactivity_timeout: None,
            ..server::Config::default()
        };
        let drivers = [Arc::new(Driver::new()?), Arc::new(Driver::new()?)];
        let (client, server) = (Arc::new(client), Arc::new(server));
        Ok(Setup { config, user: USER.to_owned(), keys, client, server, drivers })
    }

    /// Sets the name of the user who logs in.
    pub fn with_user(self, user: impl Into<String>) -> Setup {
        Setup { user: user.into(), ..self }
    }

    /// Returns a new connection in memory.
    pub fn connection(&self) -> Connection {
        Connection::new(self)
    }

    /// Returns the client's side of a new connection, with a runtime of its own.
    ///
    /// # Errors
    /// [`Error::Runtime`] if the runtime cannot be created.
    pub fn client(&self) -> Result<Client> {
        Ok(Client::new(self, Arc::new(Driver::new()?)))
    }

    /// Returns the server's side of a new connection, with a runtime of its own.
    ///
    /// # Errors
    /// [`Error::Runtime`] if the runtime cannot be created.
    pub fn server(&self) -> Result<Server> {
        Ok(Server::new(self, Arc::new(Driver::new()?)))
    }

    /// Ends the tasks of dropped connections. Call this before the clock starts, because the next step of any connection
    /// would end them otherwise.
    pub fn settle(&self) {
        self.drivers.iter().for_each(|driver| driver.settle());
    }

    /// Connects to a server, and logs in with the user's key. Completes when the server has accepted the login. Needs a
    /// tokio runtime with a timer.
    pub fn connect<S>(&self, stream: S) -> impl Future<Output = Result<Session>> + Send + use<S>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let seen = Arc::<Mutex<Option<Names>>>::default();
        let handler = ClientHandler { host: self.keys.host.public_key().key_data().clone(), seen: Arc::clone(&seen) };
        let (config, expected, user) = (Arc::clone(&self.client), self.config, self.user.clone());
        let key = PrivateKeyWithHashAlg::new(Arc::clone(&self.keys.user), Some(HashAlg::Sha512));
        async move {
            let mut handle = client::connect_stream(config, stream, handler).await?;
            match handle.authenticate_publickey(user, key).await? {
                AuthResult::Success => Ok(Session { handle, config: expected, seen }),
                AuthResult::Failure { .. } => Err(Error::Wrong("the server rejected the user's key".into())),
            }
        }
    }

    /// Serves a client. Completes when the session ends. `logged_in` becomes true when the server has accepted the
    /// user's key. Needs a tokio runtime with a timer.
    pub fn serve<S>(&self, stream: S, logged_in: &Arc<AtomicBool>) -> impl Future<Output = Result<()>> + Send + use<S>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let user = self.keys.user.public_key().key_data().clone();
        let handler = ServerHandler { name: self.user.clone(), user, logged_in: Arc::clone(logged_in) };
        let config = Arc::clone(&self.server);
        async move { Ok(server::run_stream(config, stream, handler).await?.await?) }
    }
}

/// Returns the algorithms that both sides offer.
fn preferred(config: Config) -> Preferred {
    let kex = vec![
        config.key_exchange.method(),
        kex::EXTENSION_SUPPORT_AS_CLIENT,
        kex::EXTENSION_SUPPORT_AS_SERVER,
        kex::EXTENSION_OPENSSH_STRICT_KEX_AS_CLIENT,
        kex::EXTENSION_OPENSSH_STRICT_KEX_AS_SERVER,
    ];
    Preferred {
        kex: Cow::Owned(kex),
        key: Cow::Owned(vec![config.key_type.algorithm()]),
        cipher: Cow::Borrowed(&[cipher::CHACHA20_POLY1305]),
        ..Preferred::DEFAULT
    }
}

/// A client's session in which both sides are authenticated.
pub struct Session {
    handle: Handle<ClientHandler>,
    config: Config,
    seen: Arc<Mutex<Option<Names>>>,
}

impl Session {
    /// Checks that the key exchange, the type of the host key and the cipher are the requested ones. russh completes a
    /// login only after it has verified the host key's signature, and after the host key was found to be the expected
    /// one.
    ///
    /// # Errors
    /// [`Error::Wrong`] with the algorithms.
    pub fn check(&self) -> Result<()> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let names = seen.as_ref().ok_or_else(|| Error::Wrong("the key exchange did not finish".into()))?;
        let (method, cipher) = (names.kex.as_ref(), names.cipher.as_ref());
        let Config { key_exchange, key_type } = self.config;
        if method == key_exchange.name() && names.key == key_type.algorithm() && cipher == CIPHER {
            return Ok(());
        }
        let (expected, key) = (key_exchange.name(), key_type.algorithm());
        Err(Error::Wrong(format!(
            "negotiated {method}, {} and {cipher} instead of {expected}, {key} and {CIPHER}",
            names.key
        )))
    }

    /// Runs `cat` on the server with this input, and returns its output.
    ///
    /// # Errors
    /// Any error that ends the session.
    pub async fn echo(&self, input: Vec<u8>) -> Result<Vec<u8>> {
        let mut channel = self.handle.channel_open_session().await?;
        channel.exec(false, ECHO).await?;
        channel.data_bytes(input).await?;
        channel.eof().await?;
        let mut output = Vec::new();
        while let Some(message) = channel.wait().await {
            match message {
                ChannelMsg::Data { data } => output.extend_from_slice(&data),
                ChannelMsg::Close => break,
                _ => {}
            }
        }
        Ok(output)
    }
}

/// Client that trusts one host key.
struct ClientHandler {
    host: KeyData,
    /// Algorithms of the key exchange.
    seen: Arc<Mutex<Option<Names>>>,
}

impl client::Handler for ClientHandler {
    type Error = russh::Error;

    async fn check_server_key(&mut self, key: &PublicKeyOrCertificate) -> std::result::Result<bool, russh::Error> {
        Ok(matches!(key, PublicKeyOrCertificate::PublicKey { key, .. } if *key.key_data() == self.host))
    }

    async fn kex_done(
        &mut self,
        _secret: Option<&[u8]>,
        names: &Names,
        _session: &mut client::Session,
    ) -> std::result::Result<(), russh::Error> {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(names.clone());
        Ok(())
    }
}

/// Server that accepts one user's key, and runs `cat`.
struct ServerHandler {
    name: String,
    user: KeyData,
    /// Whether the server has accepted the user's key.
    logged_in: Arc<AtomicBool>,
}

impl ServerHandler {
    fn decide(&self, name: &str, key: &KeyData) -> Auth {
        if name == self.name && *key == self.user { Auth::Accept } else { Auth::reject() }
    }
}

impl server::Handler for ServerHandler {
    type Error = russh::Error;

    async fn auth_publickey_offered(
        &mut self,
        name: &str,
        offer: PublicKeyOffer<'_>,
    ) -> std::result::Result<Auth, russh::Error> {
        Ok(self.decide(name, offer.public_key.key_data()))
    }

    async fn auth_publickey(
        &mut self,
        name: &str,
        key: VerifiedPublicKey<'_>,
    ) -> std::result::Result<Auth, russh::Error> {
        Ok(self.decide(name, key.public_key.key_data()))
    }

    async fn auth_succeeded(&mut self, _session: &mut server::Session) -> std::result::Result<(), russh::Error> {
        self.logged_in.store(true, Ordering::Relaxed);
        Ok(())
    }

    async fn channel_open_session(
        &mut self,
        _channel: Channel<Msg>,
        reply: ChannelOpenHandle,
        _session: &mut server::Session,
    ) -> std::result::Result<(), russh::Error> {
        reply.accept().await;
        Ok(())
    }

    async fn exec_request(
        &mut self,
        channel: ChannelId,
        command: &[u8],
        session: &mut server::Session,
    ) -> std::result::Result<(), russh::Error> {
        if command == ECHO.as_bytes() { session.channel_success(channel) } else { session.channel_failure(channel) }
    }

    async fn data(
        &mut self,
        channel: ChannelId,
        data: &[u8],
        session: &mut server::Session,
    ) -> std::result::Result<(), russh::Error> {
        session.data(channel, data.to_vec())
    }

    async fn channel_eof(
        &mut self,
        channel: ChannelId,
        session: &mut server::Session,
    ) -> std::result::Result<(), russh::Error> {
        session.exit_status_request(channel, 0)?;
        session.eof(channel)?;
        session.close(channel)
    }
}
