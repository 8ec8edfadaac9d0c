//! Trials for handshakes in memory and their parts.

use super::connection::{Connection, STEPS};
use super::fault;
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_tls::{Flight, Flights, Setup};
use std::ops::Range;

/// Timed part of a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The complete handshake, on both sides.
    Handshake,
    /// The client's computation.
    Client,
    /// The server's computation.
    Server,
    /// A single step.
    Step(usize),
}

/// Names of the steps. The client sends its ClientHello. The server sends its flight, from ServerHello to Finished. The
/// client processes this flight and sends its own Finished. The server processes the client's Finished.
const NAMES: [&str; STEPS] = ["client-hello", "server-flight", "client-finish", "server-finish"];

impl Part {
    pub(super) const ALL: [Part; 3 + STEPS] =
        [Part::Handshake, Part::Client, Part::Server, Part::Step(0), Part::Step(1), Part::Step(2), Part::Step(3)];

    pub(super) fn name(self) -> &'static str {
        match self {
            Part::Handshake => "handshake",
            Part::Client => "client",
            Part::Server => "server",
            Part::Step(step) => NAMES[step],
        }
    }

    pub(super) fn named(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
    }

    /// Returns the name of the part's block. Comparable parts share a block.
    pub(super) fn block(self) -> &'static str {
        if matches!(self, Part::Step(_)) { "steps" } else { "handshake" }
    }

    /// Returns one or two ranges of steps to time. Between the two steps of `Client` or `Server`, the other side
    /// performs a step. The timed call therefore performs the later step of one connection (the first range), then the
    /// earlier step of the next connection (the second range).
    fn steps(self) -> (Range<usize>, Option<Range<usize>>) {
        match self {
            Part::Handshake => (0..STEPS, None),
            Part::Client => (2..3, Some(0..1)),
            Part::Server => (3..4, Some(1..2)),
            Part::Step(step) => (step..step + 1, None),
        }
    }
}

pub(super) struct Handshakes {
    setup: Setup,
    part: Part,
    /// Connections that have completed the earlier of the two timed steps. The next sample times the later step.
    first: Vec<Connection>,
    /// Connections for which the next sample times the earlier step. In the sample after that, they become `first`.
    second: Vec<Connection>,
    /// Finished connections, kept to reuse their memory.
    spare: Vec<Connection>,
    /// Number of connections timed since the setup.
    timed: usize,
}

impl Handshakes {
    pub(super) fn new(setup: Setup, part: Part) -> Handshakes {
        Handshakes { setup, part, first: Vec::new(), second: Vec::new(), spare: Vec::new(), timed: 0 }
    }

    /// Returns `count` connections that have finished `steps` steps. Continues the connections in `there` first, and
    /// starts new connections if there are too few.
    fn ready(&mut self, mut there: Vec<Connection>, count: usize, steps: usize) -> Result<Vec<Connection>, Fault> {
        self.spare.extend(there.drain(count.min(there.len())..));
        while there.len() < count {
            there.push(Connection::again(self.spare.pop().unwrap_or_default()));
        }
        there.iter_mut().try_for_each(|connection| connection.advance(&self.setup, steps))?;
        Ok(there)
    }
}

impl Trial for Handshakes {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        let (first, second) = self.part.steps();
        self.spare.append(&mut self.first);
        let mut waiting = std::mem::take(&mut self.second);
        // Continue only connections whose earlier step was timed.
        let continued = waiting.len().min(self.timed);
        self.spare.extend(waiting.drain(continued..));
        self.timed = 0;
        self.setup.prime(2 * batch).map_err(fault)?;
        self.first = self.ready(waiting, batch, first.start)?;
        if let Some(second) = second {
            self.second = self.ready(Vec::new(), batch, second.start)?;
        }
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        let (first, second) = self.part.steps();
        for at in self.timed..self.timed + batch {
            self.first[at].advance(&self.setup, first.end)?;
            if let Some(second) = &second {
                self.second[at].advance(&self.setup, second.end)?;
            }
        }
        self.timed += batch;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let (first, second) = self.part.steps();
        if self.timed == 0 {
            return Err(Fault::WrongAnswer("no handshake was performed".into()));
        }
        for connection in &mut self.first[..self.timed] {
            reached(connection, first.end)?;
            connection.advance(&self.setup, STEPS)?;
            connection.verify(&self.setup)?;
        }
        match second {
            Some(second) => self.second[..self.timed].iter().try_for_each(|connection| reached(connection, second.end)),
            None => Ok(()),
        }
    }

    fn note(&mut self, recorder: &mut Recorder) -> Result<(), Fault> {
        let connection =
            self.first.first().filter(|connection| self.part == Part::Handshake && connection.steps == STEPS);
        let Some(connection) = connection else { return Ok(()) };
        note_flights(&connection.flights, recorder)
    }
}

/// Records the numbers of bytes, records and packets in the three flights of a complete handshake.
pub(super) fn note_flights(flights: &Flights, recorder: &mut Recorder) -> Result<(), Fault> {
    for (name, bytes) in
        [("client_hello", &flights.hello), ("server_flight", &flights.answer), ("client_finish", &flights.finish)]
    {
        let flight = Flight::parse(bytes);
        let flight = flight.ok_or_else(|| Fault::WrongAnswer(format!("{name} does not consist of whole records")))?;
        recorder.note(&format!("{name}_bytes"), flight.bytes as f64);
        recorder.note(&format!("{name}_records"), flight.records as f64);
        recorder.note(&format!("{name}_packets"), flight.packets() as f64);
        if name == "server_flight" {
            let fits = flight.fits_the_initial_window();
            recorder.note("server_flight_fits_window", if fits { 1.0 } else { 0.0 });
        }
    }
    Ok(())
}

fn reached(connection: &Connection, steps: usize) -> Result<(), Fault> {
    if connection.steps == steps {
        Ok(())
    } else {
        Err(Fault::WrongAnswer(format!("the handshake finished {} steps instead of {steps}", connection.steps)))
    }
}
