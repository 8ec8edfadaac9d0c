//! A client and a server that fit together, and the three flights between them.

use crate::{Config, Context, Credentials, Endpoint, Error, Implementation, Result, Resumption, ServerHello};

/// Tickets that a server gives out in a connection that is made for them.
const TICKETS: usize = 8;
/// What a client asks for when the handshake is complete.
pub const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: server.example\r\n\r\n";
/// What a server answers.
pub const ANSWER: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";

/// What goes over the wire in a handshake, as it is sent.
#[derive(Clone, Debug, Default)]
pub struct Flights {
    /// ClientHello.
    pub hello: Vec<u8>,
    /// ServerHello to the server's Finished.
    pub answer: Vec<u8>,
    /// The client's Finished, after its certificate where it has one.
    pub finish: Vec<u8>,
}

impl Flights {
    /// Empties them and keeps their memory.
    pub fn clear(&mut self) {
        for flight in [&mut self.hello, &mut self.answer, &mut self.finish] {
            flight.clear();
        }
    }
}

/// Performs a handshake, step by step, and appends what is sent to `flights`.
///
/// # Errors
/// What a side says; whether both are done in the end [`Setup::verify`] tells.
pub fn handshake(client: &mut dyn Endpoint, server: &mut dyn Endpoint, flights: &mut Flights) -> Result<()> {
    client.send(&mut flights.hello)?;
    server.receive(&flights.hello)?;
    server.send(&mut flights.answer)?;
    client.receive(&flights.answer)?;
    client.send(&mut flights.finish)?;
    server.receive(&flights.finish)
}

/// A client's and a server's context for one configuration.
pub struct Setup {
    config: Config,
    client: Box<dyn Context>,
    server: Box<dyn Context>,
}

impl Setup {
    /// Prepares both sides.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the reason where one side lacks what is asked for; what a library says.
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

    /// What was asked for.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// A client's side of a new connection.
    ///
    /// # Errors
    /// What the library says.
    pub fn client(&self) -> Result<Box<dyn Endpoint>> {
        self.client.connection()
    }

    /// A server's side of a new connection.
    ///
    /// # Errors
    /// What the library says.
    pub fn server(&self) -> Result<Box<dyn Endpoint>> {
        self.server.connection()
    }

    /// Sees to it that the client has tickets for so many connections, where they are resumed.
    ///
    /// # Errors
    /// What a side says; [`Error::Wrong`] where there come no tickets.
    pub fn prime(&self, connections: usize) -> Result<()> {
        if self.config.resumption == Resumption::None {
            return Ok(());
        }
        while self.client.resumptions() < connections {
            let before = self.client.resumptions();
            let (mut client, mut server) = (self.client.priming(TICKETS)?, self.server.priming(TICKETS)?);
            handshake(client.as_mut(), server.as_mut(), &mut Flights::default())?;
            if !client.is_done() || !server.is_done() {
                return Err(Error::Wrong("the connection that is to be resumed does not come about".into()));
            }
            let mut tickets = Vec::new();
            server.send(&mut tickets)?;
            client.receive(&tickets)?;
            // OpenSSL looks at them when it looks for data.
            exchange_data(client.as_mut(), server.as_mut())?;
            self.client.keep(client.as_ref())?;
            if self.client.resumptions() <= before {
                return Err(Error::Wrong("the server gives out no tickets".into()));
            }
        }
        Ok(())
    }

    /// Whether the handshake that both sides have performed is the one that was asked for; sends data both ways.
    ///
    /// # Errors
    /// [`Error::Wrong`] that says what is not so; what a side says of the data.
    pub fn verify(&self, client: &mut dyn Endpoint, server: &mut dyn Endpoint, answer: &[u8]) -> Result<()> {
        let hello = ServerHello::of(answer).ok_or_else(|| Error::Wrong("the server sends no ServerHello".into()))?;
        if hello.retry {
            return Err(Error::Wrong("the server asks for another ClientHello".into()));
        }
        let group = self.is_exchanged().then_some(self.config.group.code());
        expect("the group of the ServerHello", hello.group, group)?;
        expect("whether the ServerHello takes a pre-shared key", hello.resumed, self.is_resumed())?;
        self.verify_client(client)?;
        self.verify_server(server)?;
        exchange_data(client, server)
    }

    /// Whether the handshake that a client has performed is the one that was asked for, as far as that side knows.
    ///
    /// # Errors
    /// [`Error::Wrong`] that says what is not so.
    pub fn verify_client(&self, client: &dyn Endpoint) -> Result<()> {
        self.verify_side("client", client, true)
    }

    /// Likewise of a server.
    ///
    /// # Errors
    /// As [`verify_client`](Self::verify_client).
    pub fn verify_server(&self, server: &dyn Endpoint) -> Result<()> {
        self.verify_side("server", server, self.config.client_authentication)
    }

    fn verify_side(&self, side: &str, endpoint: &dyn Endpoint, other_is_known: bool) -> Result<()> {
        let resumed = self.is_resumed();
        let signature = (other_is_known && !resumed).then_some(self.config.authentication);
        expect(&format!("whether the {side} is done"), endpoint.is_done(), true)?;
        expect(&format!("whether the {side} has resumed"), endpoint.is_resumed(), resumed)?;
        expect(&format!("the signature that the {side} has verified"), endpoint.peer_signature(), signature)?;
        match self.is_exchanged() {
            true => expect(&format!("the group of the {side}"), endpoint.group(), Some(self.config.group)),
            false => Ok(()),
        }
    }

    fn is_resumed(&self) -> bool {
        self.config.resumption != Resumption::None
    }

    /// Whether there is a key exchange.
    fn is_exchanged(&self) -> bool {
        self.config.resumption != Resumption::Alone
    }
}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Wrong(format!("{what}: {found:?} in place of {expected:?}"))) }
}

/// A request and its answer.
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
    if right { Ok(()) } else { Err(Error::Wrong("the data of one side do not reach the other encrypted".into())) }
}
