//! QUIC handshakes in a run: their time, datagrams and round trips, and the time to connect over simulated links.

pub(super) mod findings;
pub(super) mod tables;

use crate::case::CaseAnalysis;
use crate::run::RunAnalysis;
use pqlab_record::{Case, Parameter};
use pqlab_stats::{Interval, Sorted};

/// Name of the QUIC area.
pub const AREA: &str = "quic";
/// Number of connections that must lie beyond a percentile before it is shown.
const BEYOND: f64 = 2.0;

/// Configuration of a handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration<'r> {
    /// Key exchange: `X25519MLKEM768`.
    pub exchange: &'r str,
    /// Algorithm of the keys in the certificates: `ML-DSA-65`.
    pub authentication: &'r str,
    /// Number of intermediate certificates between the server's certificate and the root.
    pub intermediates: u64,
    /// Implementation of both sides.
    pub provider: &'r str,
}

impl<'r> Configuration<'r> {
    fn from_case(case: &'r Case) -> Option<Configuration<'r>> {
        Some(Configuration {
            exchange: &case.algorithm,
            authentication: case.authentication()?,
            intermediates: case.number(Parameter::INTERMEDIATES)?,
            provider: &case.provider,
        })
    }
}

/// Cases that measured handshakes of one configuration in memory. A case is `None` if it was not measured.
pub struct Handshake<'r, 'a> {
    /// Configuration of the handshake.
    pub configuration: Configuration<'r>,
    /// Case that runs both sides.
    pub whole: Option<&'r CaseAnalysis<'a>>,
    /// Case that takes the client's time.
    pub client: Option<&'r CaseAnalysis<'a>>,
    /// Case that takes the server's time.
    pub server: Option<&'r CaseAnalysis<'a>>,
}

/// Datagrams and round trips of a handshake without losses. Lengths are UDP payloads in bytes.
pub struct Exchange {
    /// Length of the ClientHello in bytes.
    pub client_hello: u64,
    /// Datagrams of the client's first flight.
    pub client_flight: u64,
    /// Datagrams of the server's first flight.
    pub server_flight: u64,
    /// Datagrams and bytes that the client sends in total.
    pub client: [u64; 2],
    /// Datagrams and bytes that the server sends in total.
    pub server: [u64; 2],
    /// Whether the server interrupts its first flight because of the amplification limit.
    pub is_limited: bool,
    /// Round trips until the client is connected.
    pub client_round_trips: f64,
    /// Round trips until the server is connected.
    pub server_round_trips: f64,
}

impl Exchange {
    /// Returns the largest values that a case recorded, if it runs whole handshakes. Disturbances do not change them.
    fn seen_in(case: &CaseAnalysis<'_>) -> Option<Exchange> {
        let extra = || case.record.samples.visits.iter().flat_map(|visit| &visit.extra);
        let values = |name: &str| {
            extra()
                .filter(|(known, _)| known == name)
                .flat_map(|(_, values)| values.iter().copied())
                .collect::<Vec<_>>()
        };
        let most = |name: &str| values(name).into_iter().reduce(f64::max);
        let count = |name: &str| most(name).map(|value| value as u64);
        Some(Exchange {
            client_hello: count("client_hello_bytes")?,
            client_flight: count("client_flight_datagrams")?,
            server_flight: count("server_flight_datagrams")?,
            client: [count("client_datagrams")?, count("client_bytes")?],
            server: [count("server_datagrams")?, count("server_bytes")?],
            is_limited: most("amplification_limited")? > 0.0,
            client_round_trips: most("client_round_trips")?,
            server_round_trips: most("server_round_trips")?,
        })
    }
}

impl<'r, 'a> Handshake<'r, 'a> {
    /// Returns the datagrams and round trips, if whole handshakes were measured.
    pub fn exchange(&self) -> Option<Exchange> {
        Exchange::seen_in(self.whole?)
    }
}

/// Connections of one configuration over one link.
struct Connections<'r, 'a> {
    configuration: Configuration<'r>,
    /// Properties of the link: `rtt=20ms loss=1%`.
    link: String,
    of: &'r CaseAnalysis<'a>,
    /// Median time in ns, with its interval, until the client is connected.
    connected: Interval,
    /// Sorted times in ns, one for each connection.
    all: Sorted,
}

impl<'r, 'a> Connections<'r, 'a> {
    fn from_case(of: &'r CaseAnalysis<'a>) -> Option<Connections<'r, 'a>> {
        let case = of.case();
        let words = ["network", "rtt", "rate", "loss", "mtu"].into_iter();
        let link: Vec<String> = words.filter_map(|name| Some(format!("{name}={}", case.word(name)?))).collect();
        // Leaving out visits could hide the tail.
        let samples = &of.record.samples;
        let all = samples.visits.iter().flat_map(|visit| samples.all_ns_per_operation(visit)).collect();
        Some(Connections {
            configuration: Configuration::from_case(case)?,
            link: link.join(" "),
            of,
            connected: of.median()?,
            all: Sorted::new(all)?,
        })
    }

    /// Returns the number of connections.
    fn count(&self) -> usize {
        self.all.as_slice().len()
    }

    /// Returns a quantile of the time until the client is connected in ns. Returns `None` if fewer than two connections
    /// lie beyond it.
    fn quantile(&self, order: f64) -> Option<f64> {
        let beyond = order.min(1.0 - order) * self.count() as f64;
        (beyond >= BEYOND).then(|| self.all.quantile(order))
    }
}

/// Returns the handshakes in memory, in the order of the plan.
pub fn handshakes<'r, 'a>(analysis: &'r RunAnalysis<'a>) -> Vec<Handshake<'r, 'a>> {
    let mut found: Vec<Handshake<'r, 'a>> = Vec::new();
    let in_memory = |case: &&CaseAnalysis<'_>| case.case().transport().is_none() && case.estimates.is_some();
    for case in analysis.area(AREA).filter(in_memory) {
        let Some(configuration) = Configuration::from_case(case.case()) else { continue };
        let place = found.iter().position(|known| known.configuration == configuration).unwrap_or_else(|| {
            found.push(Handshake { configuration, whole: None, client: None, server: None });
            found.len() - 1
        });
        match case.case().operation.as_str() {
            "handshake" => found[place].whole = Some(case),
            "client" => found[place].client = Some(case),
            "server" => found[place].server = Some(case),
            _ => {}
        }
    }
    found
}

/// Returns the connections over simulated links, grouped by link, in the order of the plan.
fn connections<'r, 'a>(analysis: &'r RunAnalysis<'a>) -> Vec<Connections<'r, 'a>> {
    let cases = analysis.area(AREA).filter(|case| case.case().transport().is_some());
    let mut found: Vec<Connections<'r, 'a>> = cases.filter_map(Connections::from_case).collect();
    let mut links: Vec<String> = Vec::new();
    for link in found.iter().map(|one| &one.link) {
        if !links.contains(link) {
            links.push(link.clone());
        }
    }
    found.sort_by_key(|one| links.iter().position(|link| *link == one.link));
    found
}
