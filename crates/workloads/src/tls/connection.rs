//! A connection on its way from nothing to a complete handshake, in four steps.

use super::fault;
use pqlab_harness::Fault;
use pqlab_tls::{Endpoint, Error, Flights, Result, Setup};

/// The steps of a handshake.
pub(super) const STEPS: usize = 4;

/// Both sides of a connection, as far as they have come.
#[derive(Default)]
pub(super) struct Connection {
    client: Option<Box<dyn Endpoint>>,
    server: Option<Box<dyn Endpoint>>,
    /// What was sent.
    pub(super) flights: Flights,
    /// Steps that were taken.
    pub(super) steps: usize,
}

impl Connection {
    /// One at its beginning, with the memory of an earlier one's flights.
    pub(super) fn again(earlier: Connection) -> Connection {
        let mut flights = earlier.flights;
        flights.clear();
        Connection { flights, ..Connection::default() }
    }

    /// Goes on until so many steps were taken.
    pub(super) fn advance(&mut self, setup: &Setup, steps: usize) -> std::result::Result<(), Fault> {
        while self.steps < steps {
            self.step(setup).map_err(fault)?;
            self.steps += 1;
        }
        Ok(())
    }

    fn step(&mut self, setup: &Setup) -> Result<()> {
        let flights = &mut self.flights;
        match (self.steps, &mut self.client, &mut self.server) {
            (0, client, _) => client.insert(setup.client()?).send(&mut flights.hello),
            (1, _, server) => {
                let server = server.insert(setup.server()?);
                server.receive(&flights.hello)?;
                server.send(&mut flights.answer)
            }
            (2, Some(client), _) => {
                client.receive(&flights.answer)?;
                client.send(&mut flights.finish)
            }
            (3, _, Some(server)) => server.receive(&flights.finish),
            _ => Err(Error::Wrong("there is no such step".into())),
        }
    }

    /// Whether the handshake is the one that was asked for; sends data both ways.
    pub(super) fn verify(&mut self, setup: &Setup) -> std::result::Result<(), Fault> {
        let (Some(client), Some(server)) = (&mut self.client, &mut self.server) else {
            return Err(Fault::WrongAnswer("a side of the handshake is missing".into()));
        };
        setup.verify(client.as_mut(), server.as_mut(), &self.flights.answer).map_err(fault)
    }
}
