//! Trial for handshakes in memory and for the work of one side.

use super::fault;
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_ssh::{Connection, SEGMENT, Setup};
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
}

impl Part {
    pub(super) const ALL: [Part; 3] = [Part::Handshake, Part::Client, Part::Server];

    pub(super) fn name(self) -> &'static str {
        match self {
            Part::Handshake => "handshake",
            Part::Client => "client",
            Part::Server => "server",
        }
    }

    pub(super) fn named(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
    }

    /// Returns the ranges of steps to time, in a handshake of `steps` steps. The client performs the steps with even
    /// numbers, the server the others.
    fn ranges(self, steps: usize) -> Vec<Range<usize>> {
        let every_other = |first: usize| (first..steps).step_by(2).map(|step| step..step + 1).collect();
        match self {
            Part::Handshake => std::iter::once(0..steps).collect(),
            Part::Client => every_other(0),
            Part::Server => every_other(1),
        }
    }
}

/// Handshakes of one part.
///
/// The steps of one side alternate with the other side's steps, which are not timed. A timed call for one side therefore
/// performs each of its steps once, on as many connections: one connection has just begun, and another one is about to
/// finish. Before the next sample, the other side's steps advance each connection to the next stage.
pub(super) struct Handshakes {
    setup: Setup,
    part: Part,
    /// Number of steps of a complete handshake.
    steps: usize,
    /// Ranges of steps to time.
    ranges: Vec<Range<usize>>,
    /// Connections for each range.
    stages: Vec<Vec<Connection>>,
    /// Number of connections of each stage that were timed since the setup.
    timed: usize,
}

impl Handshakes {
    /// Counts the steps of a handshake and prepares to time a part of it.
    pub(super) fn new(setup: Setup, part: Part) -> Result<Handshakes, Fault> {
        let steps = handshake(&setup)?.flights().len();
        let ranges = part.ranges(steps);
        Ok(Handshakes { setup, part, steps, stages: ranges.iter().map(|_| Vec::new()).collect(), ranges, timed: 0 })
    }
}

/// Returns a connection with a complete handshake.
pub(super) fn handshake(setup: &Setup) -> Result<Connection, Fault> {
    let mut connection = setup.connection();
    while !connection.is_done() {
        connection.step().map_err(fault)?;
    }
    Ok(connection)
}

/// Records the bytes and packets of a complete handshake, given the number of bytes that each step has sent.
pub(super) fn note_flights(flights: &[usize], recorder: &mut Recorder) {
    for (side, first) in [("client", 0), ("server", 1)] {
        let sent = || flights.iter().skip(first).step_by(2);
        recorder.note(&format!("{side}_bytes"), sent().sum::<usize>() as f64);
        recorder.note(&format!("{side}_packets"), sent().map(|bytes| bytes.div_ceil(SEGMENT)).sum::<usize>() as f64);
    }
    // The client starts each round trip, and the last step of the handshake is the client's.
    recorder.note("round_trips", (flights.len() / 2) as f64);
}

/// Continues until `steps` steps are finished.
fn advance(connection: &mut Connection, steps: usize) -> Result<(), Fault> {
    while connection.flights().len() < steps {
        connection.step().map_err(fault)?;
    }
    Ok(())
}

impl Trial for Handshakes {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        // The connections of each stage become those of the next stage. Those of the last stage are complete, and those
        // that were not timed are not continued.
        let timed = std::mem::take(&mut self.timed);
        self.stages.iter_mut().for_each(|stage| stage.truncate(timed));
        self.stages.pop();
        self.stages.insert(0, Vec::new());
        for (stage, range) in self.stages.iter_mut().zip(&self.ranges) {
            stage.truncate(batch);
            while stage.len() < batch {
                stage.push(self.setup.connection());
            }
            stage.iter_mut().try_for_each(|connection| advance(connection, range.start))?;
        }
        self.setup.settle();
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for at in self.timed..self.timed + batch {
            for (stage, range) in self.stages.iter_mut().zip(&self.ranges) {
                advance(&mut stage[at], range.end)?;
            }
        }
        self.timed += batch;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if self.timed == 0 {
            return Err(Fault::WrongAnswer("no handshake was performed".into()));
        }
        for (stage, range) in self.stages.iter_mut().zip(&self.ranges) {
            for connection in &mut stage[..self.timed] {
                let finished = connection.flights().len();
                if finished != range.end {
                    let text = format!("the handshake finished {finished} steps instead of {}", range.end);
                    return Err(Fault::WrongAnswer(text));
                }
            }
        }
        let last = self.stages.last_mut().map_or(&mut [][..], |stage| &mut stage[..self.timed]);
        for connection in last {
            advance(connection, self.steps)?;
            connection.verify().map_err(fault)?;
        }
        Ok(())
    }

    fn note(&mut self, recorder: &mut Recorder) -> Result<(), Fault> {
        let connection = self.stages.first().and_then(|stage| stage.first());
        if let Some(connection) = connection.filter(|_| self.part == Part::Handshake) {
            note_flights(connection.flights(), recorder);
        }
        Ok(())
    }
}
