//! A connection in memory.

use crate::driver::{Driver, Work};
use crate::session::{Session, Setup};
use crate::wire::Wire;
use crate::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Data that a check sends through the connection.
const DATA: &[u8] = b"x";

/// Both sides of a connection, with a handshake in progress.
///
/// The sides take turns, as over a network: in each [step](Self::step), one side processes everything that the other one
/// has sent, and sends its answer. The client performs the steps with even numbers, starting at 0.
pub struct Connection {
    drivers: Arc<[Driver; 2]>,
    client: Wire,
    server: Wire,
    connecting: Option<Work<Result<Session>>>,
    serving: Work<Result<()>>,
    session: Option<Session>,
    logged_in: Arc<AtomicBool>,
    /// Bytes that the next step receives.
    transit: Vec<u8>,
    spare: Vec<u8>,
    /// Number of bytes that each step of the handshake has sent.
    flights: Vec<usize>,
}

impl Connection {
    pub(crate) fn new(setup: &Setup) -> Connection {
        let (client, server, logged_in) = (Wire::default(), Wire::default(), Arc::<AtomicBool>::default());
        Connection {
            drivers: Arc::clone(&setup.drivers),
            connecting: Some(Box::pin(setup.connect(client.clone()))),
            serving: Box::pin(setup.serve(server.clone(), &logged_in)),
            client,
            server,
            session: None,
            logged_in,
            transit: Vec::new(),
            spare: Vec::new(),
            flights: Vec::new(),
        }
    }

    /// Performs the next step of the handshake.
    ///
    /// # Errors
    /// Any error that ends the connection, and [`Error::Wrong`] if the side neither finishes nor sends anything.
    pub fn step(&mut self) -> Result<()> {
        if self.flights.len().is_multiple_of(2) {
            let Some(work) = &mut self.connecting else {
                return Err(Error::Wrong("the handshake is already complete".into()));
            };
            let finished = turn(&self.drivers[0], &self.client, work, &mut self.transit, &mut self.spare);
            if let Some(session) = finished {
                (self.session, self.connecting) = (Some(session?), None);
            }
        } else {
            self.serve()?;
        }
        self.flights.push(self.transit.len());
        if self.transit.is_empty() && !self.is_done() {
            return Err(Error::Wrong(format!("step {} of the handshake sent nothing", self.flights.len() - 1)));
        }
        Ok(())
    }

    fn serve(&mut self) -> Result<()> {
        let work = &mut self.serving;
        match turn(&self.drivers[1], &self.server, work, &mut self.transit, &mut self.spare) {
            Some(ended) => Err(ended.err().unwrap_or_else(|| Error::Wrong("the server ended the session".into()))),
            None => Ok(()),
        }
    }

    /// Returns whether the client knows that the server has accepted its login.
    pub fn is_done(&self) -> bool {
        self.session.is_some()
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
        let session = self.session.take().ok_or_else(|| Error::Wrong("the handshake is not complete".into()))?;
        session.check()?;
        if !self.logged_in.load(Ordering::Relaxed) {
            return Err(Error::Wrong("the server did not accept the login".into()));
        }
        let mut work: Work<Result<Vec<u8>>> = Box::pin(async move { session.echo(DATA.to_vec()).await });
        loop {
            let finished = turn(&self.drivers[0], &self.client, &mut work, &mut self.transit, &mut self.spare);
            match finished.transpose()? {
                Some(output) if output == DATA => return Ok(()),
                Some(_) => return Err(Error::Wrong("the received data differs from the sent data".into())),
                None if self.transit.is_empty() => return Err(Error::Wrong("the channel returned no data".into())),
                None => self.serve()?,
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.client.close();
        self.server.close();
    }
}

/// Delivers `transit` to one side, runs it until it waits, and replaces `transit` with what it has sent. Returns the
/// output of `work` if it is finished.
fn turn<T>(
    driver: &Driver,
    wire: &Wire,
    work: &mut Work<T>,
    transit: &mut Vec<u8>,
    spare: &mut Vec<u8>,
) -> Option<T> {
    wire.deliver(transit);
    let output = driver.run(work);
    wire.take(spare);
    std::mem::swap(transit, spare);
    output
}
