//! A client and a server with matching configurations, and the three flights between them.

use crate::{Config, Context, Credentials, Endpoint, Error, Implementation, Result, Resumption, ServerHello};

/// Number of tickets that a server sends on a priming connection.
const TICKETS: usize = 8;
/// Request that a client sends after the handshake.
pub const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: server.example\r\n\r\n";
/// Response to [`REQUEST`].
pub const ANSWER: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";

/// Bytes of the three flights of a handshake, as sent.
#[derive(Clone, Debug, Default)]
pub struct Flights {
    /// ClientHello.
    pub hello: Vec<u8>,
    /// Server's flight, from ServerHello to Finished.
    pub answer: Vec<u8>,
    /// Client's Finished, preceded by the client's certificate if the client authenticates.
    pub finish: Vec<u8>,
}

impl Flights {
    /// Clears the flights but keeps the allocated memory.
    pub fn clear(&mut self) {
        for flight in [&mut self.hello, &mut self.answer, &mut self.finish] {
            flight.clear();
        }
    }
}

/// Performs a handshake and appends the bytes of each flight to `flights`.
///
/// # Errors
/// Propagates errors from either side. Use [`Setup::verify`] to check that both sides completed the handshake.
pub fn handshake(client: &mut dyn Endpoint, server: &mut dyn Endpoint, flights: &mut Flights) -> Result<()> {
    client.send(&mut flights.hello)?;
    server.receive(&flights.hello)?;
    server.send(&mut flights.answer)?;
    client.receive(&flights.answer)?;
    client.send(&mut flights.finish)?;
    server.receive(&flights.finish)
}

/// Contexts of a client and a server with the same configuration.
pub struct Setup {
    config: Config,
    client: Box<dyn Context>,
    server: Box<dyn Context>,
}

impl Setup {
    /// Prepares a client and a server.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the reason if one side does not support the configuration. Propagates errors from
    /// the libraries.
    pub fn new(
        config: &Config,
        client: Implementation,
        server: Implementation,
        credentials: &Credentials,
    ) -> Result<Setup> {
        client.check(config)?;
        server.check(config)?;
        Ok(Setup {
            config: *config,
            client: client.client(config, credentials)?,
            server: server.server(config, credentials)?,
        })
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Creates the client's side of a connection.
    ///
    /// # Errors
    /// Propagates errors from the library.
    pub fn client(&self) -> Result<Box<dyn Endpoint>> {
        self.client.connection()
    }

    /// Creates the server's side of a connection.
    ///
    /// # Errors
    /// Propagates errors from the library.
    pub fn server(&self) -> Result<Box<dyn Endpoint>> {
        self.server.connection()
    }

    /// Performs handshakes until the client has tickets for `connections` connections. Does nothing if the
    /// configuration does not include resumption.
    ///
    /// # Errors
    /// [`Error::Wrong`] if a handshake does not complete or the server sends no tickets. Propagates errors from either
    /// side.
    pub fn prime(&self, connections: usize) -> Result<()> {
        if self.config.resumption == Resumption::None {
            return Ok(());
        }
        while self.client.resumptions() < connections {
            let before = self.client.resumptions();
            let (mut client, mut server) = (self.client.priming(TICKETS)?, self.server.priming(TICKETS)?);
            handshake(client.as_mut(), server.as_mut(), &mut Flights::default())?;
            if !client.is_done() || !server.is_done() {
                return Err(Error::Wrong(
                    "the initial handshake did not complete, so there is nothing to resume".into(),
                ));
            }
            let mut tickets = Vec::new();
            server.send(&mut tickets)?;
            client.receive(&tickets)?;
            // OpenSSL processes tickets only when it reads data.
            exchange_data(client.as_mut(), server.as_mut())?;
            self.client.keep(client.as_ref())?;
            if self.client.resumptions() <= before {
                return Err(Error::Wrong("the server sent no tickets".into()));
            }
        }
        Ok(())
    }

    /// Checks that both sides completed the configured handshake, then exchanges data in both directions. `answer` is
    /// the server's flight.
    ///
    /// # Errors
    /// [`Error::Wrong`] with a description of the mismatch. Propagates errors from the data exchange.
    pub fn verify(&self, client: &mut dyn Endpoint, server: &mut dyn Endpoint, answer: &[u8]) -> Result<()> {
        let hello = ServerHello::parse(answer).ok_or_else(|| Error::Wrong("the server sent no ServerHello".into()))?;
        if hello.retry {
            return Err(Error::Wrong("the server requested a second ClientHello".into()));
        }
        let group = self.is_exchanged().then_some(self.config.group.code());
        expect("group in the ServerHello", hello.group, group)?;
        expect("pre-shared key in the ServerHello", hello.resumed, self.is_resumed())?;
        self.verify_client(client)?;
        self.verify_server(server)?;
        exchange_data(client, server)
    }

    /// Checks the client's view of the handshake: completion, resumption, the server's signature algorithm, and the
    /// group.
    ///
    /// # Errors
    /// [`Error::Wrong`] with a description of the mismatch.
    pub fn verify_client(&self, client: &dyn Endpoint) -> Result<()> {
        self.verify_side("client", client, true)
    }

    /// Checks the server's view of the handshake: completion, resumption, the client's signature algorithm, and the
    /// group.
    ///
    /// # Errors
    /// Same as [`verify_client`](Self::verify_client).
    pub fn verify_server(&self, server: &dyn Endpoint) -> Result<()> {
        self.verify_side("server", server, self.config.client_authentication)
    }

    fn verify_side(&self, side: &str, endpoint: &dyn Endpoint, other_is_known: bool) -> Result<()> {
        let resumed = self.is_resumed();
        let signature = (other_is_known && !resumed).then_some(self.config.authentication);
        expect(&format!("{side} completed the handshake"), endpoint.is_done(), true)?;
        expect(&format!("{side} resumed a connection"), endpoint.is_resumed(), resumed)?;
        expect(&format!("signature verified by the {side}"), endpoint.peer_signature(), signature)?;
        match self.is_exchanged() {
            true => expect(&format!("group negotiated by the {side}"), endpoint.group(), Some(self.config.group)),
            false => Ok(()),
        }
    }

    fn is_resumed(&self) -> bool {
        self.config.resumption != Resumption::None
    }

    /// Returns whether the handshake includes a key exchange.
    fn is_exchanged(&self) -> bool {
        self.config.resumption != Resumption::Alone
    }
}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<()> {
    if found == expected {
        Ok(())
    } else {
        Err(Error::Wrong(format!("check of \"{what}\" gave {found:?}, expected {expected:?}")))
    }
}

/// Exchanges a request and a response.
fn exchange_data(client: &mut dyn Endpoint, server: &mut dyn Endpoint) -> Result<()> {
    pass(client, server, REQUEST)?;
    pass(server, client, ANSWER)
}

fn pass(from: &mut dyn Endpoint, to: &mut dyn Endpoint, data: &[u8]) -> Result<()> {
    let (mut wire, mut read) = (Vec::new(), [0; 64]);
    from.write(data)?;
    from.send(&mut wire)?;
    to.receive(&wire)?;
    let length = to.read(&mut read)?;
    let right = read.get(..length) == Some(data) && !wire.windows(data.len()).any(|part| part == data);
    if right { Ok(()) } else { Err(Error::Wrong("data after the handshake was lost or sent unencrypted".into())) }
}
