//! Emulated networks of this process, one for each set of link conditions, and their measured properties.

use pqlab_harness::clock::monotonic_ns;
use pqlab_harness::{Fault, Recorder, Seed};
use pqlab_network::{Conditions, Network, NetworkError};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// Number of datagrams that measure a link's round-trip time.
const DATAGRAMS: usize = 10;
/// Time to wait for an answer, in addition to two round-trip times.
const PATIENCE: Duration = Duration::from_millis(500);

/// Networks in use by this process's trials.
static NETWORKS: Mutex<Vec<(Conditions, Weak<Shared>)>> = Mutex::new(Vec::new());

/// Emulated network that several trials share, with its measured properties.
pub(super) struct Shared {
    pub(super) network: Network,
    /// Round-trip times of small datagrams, in ns.
    round_trips: Vec<u64>,
    /// Rate of a burst of full packets, in Mbit/s.
    rate: Option<f64>,
}

impl Shared {
    /// Returns this process's network with these conditions. Creates the network if necessary.
    pub(super) fn share(conditions: &Conditions, seed: Seed) -> Result<Arc<Shared>, Fault> {
        let mut networks = NETWORKS.lock().unwrap_or_else(PoisonError::into_inner);
        networks.retain(|(_, network)| network.strong_count() > 0);
        let known = networks.iter().find(|(known, _)| known == conditions);
        if let Some(network) = known.and_then(|(_, network)| network.upgrade()) {
            return Ok(network);
        }
        let network = Arc::new(Shared::new(conditions, seed.run ^ u64::from(seed.process))?);
        networks.push((*conditions, Arc::downgrade(&network)));
        Ok(network)
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

    /// Records the measured properties of the link.
    pub(super) fn note(&self, recorder: &mut Recorder) {
        for &ns in &self.round_trips {
            recorder.note("link_round_trip_ns", ns as f64);
        }
        if let Some(rate) = self.rate {
            recorder.note("link_rate_mbit", rate);
        }
    }
}

/// Checks that emulated networks can be created on this machine.
///
/// # Errors
/// The reason why emulated networks cannot be created, as one line of text.
pub fn networks_are_available() -> Result<(), String> {
    let nothing = Conditions { round_trip: Duration::ZERO, rate: None, loss: 0.0, mtu: 1500 };
    Network::start(&nothing, 0, monotonic_ns).map(drop).map_err(|error| error.to_string())
}

fn none(error: NetworkError) -> Fault {
    Fault::Unsupported(error.to_string())
}
