//! SSH over TCP.

use super::{fault, trial};
use crate::tls::connect::{Moment, Protocol};
use pqlab_harness::clock::monotonic_ns;
use pqlab_harness::{Fault, Recorder};
use pqlab_ssh::{Client, Endpoint, Error, Server, Setup, stream};
use std::net::TcpStream;

/// Number of handshakes to try in memory. The time that they take determines the time between connections.
const TRIED: usize = 5;

pub(super) struct Ssh {
    setup: Setup,
    /// Computing time of both sides of a handshake, in ns.
    computing: u64,
    /// Number of bytes that each step of a handshake in memory sends. Those over TCP are the same, except that ECDSA
    /// signatures vary by a few bytes.
    flights: Vec<usize>,
}

impl Ssh {
    pub(super) fn new(setup: Setup) -> Result<Ssh, Fault> {
        let (mut computing, mut flights) = (u64::MAX, Vec::new());
        for _ in 0..TRIED {
            let begun = monotonic_ns();
            flights = trial::handshake(&setup)?.flights().to_vec();
            computing = computing.min(monotonic_ns() - begun);
        }
        setup.settle();
        Ok(Ssh { setup, computing, flights })
    }
}

impl Protocol for Ssh {
    type Client = Client;
    type Server = Server;

    fn new_client(&self) -> Result<Client, Fault> {
        self.setup.client().map_err(fault)
    }

    fn new_server(&self) -> Result<Server, Fault> {
        self.setup.server().map_err(fault)
    }

    fn connect(
        &self,
        mut client: Client,
        connection: &mut TcpStream,
        reached: &mut dyn FnMut(Moment),
    ) -> Result<(), Fault> {
        stream::exchange(&mut client, connection, Client::is_done).map_err(fault)?;
        reached(Moment::Complete);
        client.start_echo().map_err(fault)?;
        stream::exchange(&mut client, connection, Client::has_echoed).map_err(fault)?;
        reached(Moment::FirstByte);
        Ok(())
    }

    fn serve(
        &self,
        mut server: Server,
        connection: &mut TcpStream,
        reached: &mut dyn FnMut(Moment),
    ) -> Result<(), Fault> {
        stream::exchange(&mut server, connection, Server::is_done).map_err(fault)?;
        reached(Moment::Complete);
        // The client closes the connection when it has received its data.
        match stream::exchange(&mut server, connection, |_| false) {
            Ok(()) | Err(Error::Stream(_)) => Ok(()),
            Err(error) => Err(fault(error)),
        }
    }

    fn note(&self, recorder: &mut Recorder) -> Result<(), Fault> {
        trial::note_flights(&self.flights, recorder);
        Ok(())
    }

    fn load(&self) -> (u64, usize) {
        let sent = |first: usize| self.flights.iter().skip(first).step_by(2).sum::<usize>();
        (self.computing, sent(0).max(sent(1)))
    }
}
