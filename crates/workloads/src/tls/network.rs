//! Networks of this process, one for each kind of link, and what they are like in truth.

use pqlab_harness::clock::monotonic_ns;
use pqlab_harness::{Fault, Recorder, Seed};
use pqlab_network::{Conditions, Network, NetworkError};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// Datagrams by which a link's round trip is found.
const DATAGRAMS: usize = 10;
/// How long an answer is waited for beyond two round trips.
const PATIENCE: Duration = Duration::from_millis(500);

/// Networks that some trial of this process uses.
static NETWORKS: Mutex<Vec<(Conditions, Weak<Shared>)>> = Mutex::new(Vec::new());

/// A network that several trials use.
pub(super) struct Shared {
    pub(super) network: Network,
    /// Round trips of small datagrams in ns.
    round_trips: Vec<u64>,
    /// Rate of a burst of full packets, in Mbit/s.
    rate: Option<f64>,
}

impl Shared {
    /// The network of these conditions that this process has, or a new one.
    pub(super) fn of(conditions: &Conditions, seed: Seed) -> Result<Arc<Shared>, Fault> {
        let mut networks = NETWORKS.lock().unwrap_or_else(PoisonError::into_inner);
        networks.retain(|(_, network)| network.strong_count() > 0);
        let known = networks.iter().find(|(known, _)| known == conditions);
        if let Some(network) = known.and_then(|(_, network)| network.upgrade()) {
            return Ok(network);
        }
        let made = Arc::new(Shared::new(conditions, seed.run ^ u64::from(seed.process))?);
        networks.push((*conditions, Arc::downgrade(&made)));
        Ok(made)
    }

    fn new(conditions: &Conditions, seed: u64) -> Result<Shared, Fault> {
        let network = Network::start(conditions, seed, monotonic_ns).map_err(none)?;
        let patience = 2 * conditions.round_trip + PATIENCE;
        let failed = |error: std::io::Error| none(NetworkError::System(error));
        let round_trips = network.round_trips(DATAGRAMS, patience, monotonic_ns).map_err(failed)?;
        let rate = match conditions.rate {
            Some(_) => network.burst(conditions.mtu, patience, monotonic_ns).map_err(failed)?,
            None => None,
        };
        let rate = rate.filter(|(_, ns)| *ns > 0).map(|(bytes, ns)| bytes as f64 * 8e3 / ns as f64);
        Ok(Shared { network, round_trips, rate })
    }

    /// Notes what the link is like.
    pub(super) fn note(&self, recorder: &mut Recorder) {
        for &ns in &self.round_trips {
            recorder.note("link_round_trip_ns", ns as f64);
        }
        if let Some(rate) = self.rate {
            recorder.note("link_rate_mbit", rate);
        }
    }
}

/// Whether networks can be made here.
///
/// # Errors
/// Why not, in one line.
pub fn networks_are_available() -> Result<(), String> {
    let nothing = Conditions { round_trip: Duration::ZERO, rate: None, loss: 0.0, mtu: 1500 };
    Network::start(&nothing, 0, monotonic_ns).map(drop).map_err(|error| error.to_string())
}

fn none(error: NetworkError) -> Fault {
    Fault::Unsupported(error.to_string())
}
