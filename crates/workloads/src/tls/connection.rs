//! A connection in memory, which performs a handshake in four steps.

use super::fault;
use pqlab_harness::Fault;
use pqlab_tls::{Endpoint, Error, Flights, Result, Setup};

/// Number of steps in a handshake.
pub(super) const STEPS: usize = 4;

/// Both sides of a connection, with a handshake in progress.
#[derive(Default)]
pub(super) struct Connection {
    client: Option<Box<dyn Endpoint>>,
    server: Option<Box<dyn Endpoint>>,
    /// Messages sent so far.
    pub(super) flights: Flights,
    /// Number of finished steps.
    pub(super) steps: usize,
}

impl Connection {
    /// Starts a new connection, reusing the memory of an earlier connection's flights.
    pub(super) fn again(earlier: Connection) -> Connection {
        let mut flights = earlier.flights;
        flights.clear();
        Connection { flights, ..Connection::default() }
    }

    /// Continues until `steps` steps are finished.
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
            _ => Err(Error::Wrong("unknown step of the handshake".into())),
        }
    }

    /// Checks that the handshake is of the requested kind, and sends data in both directions.
    pub(super) fn verify(&mut self, setup: &Setup) -> std::result::Result<(), Fault> {
        let (Some(client), Some(server)) = (&mut self.client, &mut self.server) else {
            return Err(Fault::WrongAnswer("a side of the handshake is missing".into()));
        };
        setup.verify(client.as_mut(), server.as_mut(), &self.flights.answer).map_err(fault)
    }
}
