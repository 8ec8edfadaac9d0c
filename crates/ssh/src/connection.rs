//! A connection in memory.

use crate::endpoint::{Client, Endpoint, Server};
use crate::session::Setup;
use crate::{Error, Result};
use std::mem;
use std::sync::Arc;

/// Both sides of a connection, with a handshake in progress.
///
/// The sides take turns, as over a network: in each [step](Self::step), one side processes everything that the other one
/// has sent, and sends its answer. The client performs the steps with even numbers, starting at 0.
pub struct Connection {
    client: Client,
    server: Server,
    /// Bytes that the next step receives.
    transit: Vec<u8>,
    sent: Vec<u8>,
    /// Number of bytes that each step of the handshake has sent.
    flights: Vec<usize>,
}

impl Connection {
    pub(crate) fn new(setup: &Setup) -> Connection {
        let [client, server] = &setup.drivers;
        Connection {
            client: Client::new(setup, Arc::clone(client)),
            server: Server::new(setup, Arc::clone(server)),
            transit: Vec::new(),
            sent: Vec::new(),
            flights: Vec::new(),
        }
    }

    /// Performs the next step of the handshake.
    ///
    /// # Errors
    /// Any error that ends the connection. [`Error::Wrong`] if the handshake is already complete, or if the side neither
    /// completes it nor sends anything.
    pub fn step(&mut self) -> Result<()> {
        if self.is_done() {
            return Err(Error::Wrong("the handshake is already complete".into()));
        }
        match self.flights.len().is_multiple_of(2) {
            true => self.client.step(&self.transit, &mut self.sent)?,
            false => self.server.step(&self.transit, &mut self.sent)?,
        }
        mem::swap(&mut self.transit, &mut self.sent);
        self.flights.push(self.transit.len());
        if self.transit.is_empty() && !self.is_done() {
            return Err(Error::Wrong(format!("step {} of the handshake sent nothing", self.flights.len() - 1)));
        }
        Ok(())
    }

    /// Returns whether the client knows that the server has accepted its login.
    pub fn is_done(&self) -> bool {
        self.client.is_done()
    }

    /// Returns the number of bytes that each step so far has sent. The client's steps have even numbers.
    pub fn flights(&self) -> &[usize] {
        &self.flights
    }

    /// Checks that both sides are authenticated with the requested algorithms, and sends a byte to the server and back
    /// over a channel.
    ///
    /// # Errors
    /// [`Error::Wrong`] if a check fails, and any error that ends the connection.
    pub fn verify(&mut self) -> Result<()> {
        self.client.start_echo()?;
        if !self.server.is_done() {
            return Err(Error::Wrong("the server did not accept the login".into()));
        }
        loop {
            self.client.step(&self.transit, &mut self.sent)?;
            if self.client.has_echoed() {
                return Ok(());
            }
            if self.sent.is_empty() {
                return Err(Error::Wrong("the channel did not return the sent data".into()));
            }
            self.server.step(&self.sent, &mut self.transit)?;
        }
    }
}
