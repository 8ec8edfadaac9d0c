//! Trial for QUIC handshakes.

use super::{OVER, TLS};
use crate::scaling::pin;
use crate::tls::over::conditions;
use crate::tls::{AUTH, CHAIN, CONNECT, INTERMEDIATES, TlsMode, config, credentials, fault};
use crate::{find, missing};
use pqlab_harness::clock::{instant, monotonic_ns};
use pqlab_harness::{Demands, Fault, Recorder, Seed, Trial, affinity};
use pqlab_network::Conditions;
use pqlab_primitives::Provider;
use pqlab_quic::{Flight, HEADERS, Pair, Setup};
use pqlab_record::Case;
use pqlab_tls::{Authentication, Group};
use std::sync::Arc;
use std::time::Duration;

/// Link of handshakes in memory. Only the number of round trips depends on it, because the link takes no real time.
const MEMORY: Conditions = Conditions { round_trip: Duration::from_millis(100), rate: None, loss: 0.0, mtu: 1500 };
/// Length of a full datagram in bytes, including headers.
const FULL: usize = 1200 + HEADERS;
/// Number of handshakes per sample if the trial takes the time of each.
const WAVE: u64 = 16;

/// Timed part of a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The computation of both sides.
    Handshake,
    /// The client's computation.
    Client,
    /// The server's computation.
    Server,
    /// The time until the client is connected over a simulated link.
    Connect,
}

impl Part {
    fn named(name: &str) -> Option<Part> {
        match name {
            "handshake" => Some(Part::Handshake),
            "client" => Some(Part::Client),
            "server" => Some(Part::Server),
            CONNECT => Some(Part::Connect),
            _ => None,
        }
    }
}

/// Trial that performs handshakes.
pub(super) struct Handshakes {
    setup: Setup,
    part: Part,
    link: Conditions,
    /// Seed of the next handshake.
    seed: u64,
    /// Handshakes of this sample. The first [`performed`](Self::performed) are complete.
    pairs: Vec<Pair>,
    performed: usize,
    /// Processor on which this thread runs, if the trial takes the time itself.
    processors: Vec<u32>,
}

/// Prepares a case.
///
/// # Errors
/// [`Fault::Unsupported`] if the case or the link is not supported, and errors from the library.
pub(super) fn prepare(case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Handshakes, Fault> {
    let group = Group::named(&case.algorithm).ok_or_else(|| missing(case))?;
    let signature = case.word(AUTH).and_then(Authentication::named).ok_or_else(|| missing(case))?;
    let part = Part::named(&case.operation).ok_or_else(|| missing(case))?;
    if (part == Part::Connect) != (case.transport() == Some(OVER.1)) {
        return Err(missing(case));
    }
    let link = conditions(case).map_err(Fault::Unsupported)?.unwrap_or(MEMORY);
    if usize::from(link.mtu) < FULL {
        return Err(Fault::Unsupported(format!(
            "QUIC needs packets of {FULL} bytes; the link has an MTU of {}",
            link.mtu
        )));
    }
    let config = config(group, signature, case.number(INTERMEDIATES).unwrap_or(CHAIN), TlsMode::Full);
    let maker = find(providers, TLS.primitives())?;
    let scheme = maker.signature(signature.name()).ok_or_else(|| missing(case))?;
    let credentials = credentials(&config, maker.library.as_str(), scheme.as_ref())?;
    let setup = Setup::new(&config, &credentials, instant()).map_err(fault)?;
    let mut processors = Vec::new();
    if part != Part::Handshake {
        processors = affinity::granted();
        let first = seed.process as usize % processors.len().max(1);
        processors.rotate_left(first);
        processors.truncate(1);
    }
    // Each process gets its own range of seeds.
    let seed = seed.run ^ (u64::from(seed.process) << 32);
    Ok(Handshakes { setup, part, link, seed, pairs: Vec::new(), performed: 0, processors })
}

impl Trial for Handshakes {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        if !self.processors.is_empty() {
            pin(&self.processors)?;
        }
        self.pairs.clear();
        self.performed = 0;
        for _ in 0..batch {
            self.pairs.push(Pair::new(&self.setup, &self.link, self.seed));
            self.seed = self.seed.wrapping_add(1);
        }
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for pair in &mut self.pairs[self.performed..self.performed + batch] {
            match self.part {
                // Two readings of the clock per step would be timed.
                Part::Handshake => pair.connect(&self.setup, || 0).map_err(fault)?,
                Part::Client | Part::Server | Part::Connect => {
                    pair.connect(&self.setup, monotonic_ns).map_err(fault)?;
                }
            }
        }
        self.performed += batch;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if self.performed == 0 {
            return Err(Fault::WrongAnswer("no handshake was performed".into()));
        }
        self.pairs[..self.performed].iter_mut().try_for_each(|pair| pair.verify(&self.setup).map_err(fault))
    }

    fn own_samples(&mut self) -> Vec<u64> {
        let time = |pair: &Pair| match self.part {
            Part::Handshake => None,
            Part::Client => Some(pair.computed_ns().client),
            Part::Server => Some(pair.computed_ns().server),
            Part::Connect => pair.connected_ns().map(|connected| connected.client),
        };
        self.pairs[..self.performed].iter().filter_map(time).collect()
    }

    fn note(&mut self, recorder: &mut Recorder) -> Result<(), Fault> {
        for pair in &self.pairs[..self.performed] {
            note_datagrams(pair, recorder);
            let connected = pair.connected_ns().filter(|_| self.part == Part::Connect);
            if let Some(connected) = connected {
                recorder.note("server_connected_ns", connected.server as f64);
            }
        }
        match self.pairs.first().filter(|_| self.part == Part::Handshake && self.performed > 0) {
            Some(pair) => note_flights(&self.setup, pair, recorder),
            None => Ok(()),
        }
    }

    fn batch(&self) -> Option<u64> {
        (self.part != Part::Handshake).then_some(1)
    }

    fn demands(&self) -> Demands {
        match self.part {
            Part::Handshake => Demands::default(),
            // The trial takes wall times of parts of the routine.
            _ => {
                let counted = self.part == Part::Connect;
                Demands { several_threads: true, wave: WAVE, counted, ..Demands::default() }
            }
        }
    }

    fn processors(&self) -> Vec<u32> {
        self.processors.clone()
    }
}

/// Records the total numbers of datagrams and bytes that each side sent in a handshake.
fn note_datagrams(pair: &Pair, recorder: &mut Recorder) {
    for (side, from_client) in [("client", true), ("server", false)] {
        let sent = || pair.flights().iter().filter(|flight| flight.from_client == from_client);
        recorder.note(&format!("{side}_datagrams"), sent().map(|flight| flight.datagrams).sum::<usize>() as f64);
        recorder.note(&format!("{side}_bytes"), sent().map(|flight| flight.bytes).sum::<usize>() as f64);
    }
}

/// Records facts about a handshake without losses: the length of the ClientHello, the size of the first flight of each
/// side, whether the server waits because of the amplification limit, and the round trips until each side is connected.
fn note_flights(setup: &Setup, pair: &Pair, recorder: &mut Recorder) -> Result<(), Fault> {
    let initials = pair.initials(setup).map_err(fault)?;
    recorder.note("client_hello_bytes", initials.client_hello.len() as f64);
    for (side, from_client) in [("client", true), ("server", false)] {
        let first = pair.flights().iter().find(|flight| flight.from_client == from_client);
        let Flight { datagrams, bytes, .. } =
            first.ok_or_else(|| Fault::WrongAnswer(format!("the {side} sent nothing")))?;
        recorder.note(&format!("{side}_flight_datagrams"), *datagrams as f64);
        recorder.note(&format!("{side}_flight_bytes"), *bytes as f64);
    }
    recorder.note("amplification_limited", if pair.is_amplification_limited() { 1.0 } else { 0.0 });
    if let Some(connected) = pair.connected_ns() {
        let round_trips = |ns: u64| ns as f64 / MEMORY.round_trip.as_nanos() as f64;
        recorder.note("client_round_trips", round_trips(connected.client));
        recorder.note("server_round_trips", round_trips(connected.server));
    }
    Ok(())
}
