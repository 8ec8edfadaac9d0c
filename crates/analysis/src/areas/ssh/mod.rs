//! SSH handshakes in a run: their time on each side, what they send, and how long clients wait for a connection.

pub(super) mod findings;
pub(super) mod tables;

use crate::case::CaseAnalysis;
use crate::run::RunAnalysis;
use pqlab_record::Case;
use pqlab_stats::{Interval, Sorted, mean};

pub(super) const AREA: &str = "ssh";
/// Bytes of data in a segment at an MTU of 1,500: without the IPv4 header, the TCP header, and the TCP timestamps.
const SEGMENT: u64 = 1500 - 20 - 20 - 12;

/// Cases that measured handshakes with the same algorithms by the same implementation. A case is `None` if it was not
/// measured.
struct Handshake<'r, 'a> {
    /// Key exchange: `curve25519-sha256`.
    exchange: &'r str,
    /// Type of the server's and the user's keys: `Ed25519`.
    keys: &'r str,
    provider: &'r str,
    /// Case that runs both sides.
    whole: Option<&'r CaseAnalysis<'a>>,
    client: Option<&'r CaseAnalysis<'a>>,
    server: Option<&'r CaseAnalysis<'a>>,
}

/// What a handshake sends, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sent {
    client_bytes: u64,
    server_bytes: u64,
    /// Number of segments in both directions.
    packets: u64,
    /// Number of round trips until the client knows that the server has accepted its login.
    round_trips: u64,
}

impl Sent {
    fn bytes(self) -> u64 {
        self.client_bytes + self.server_bytes
    }
}

impl<'r, 'a> Handshake<'r, 'a> {
    /// Returns what whole handshakes sent, if they were measured.
    fn sent(&self) -> Option<Sent> {
        let whole = self.whole?;
        let most = |name: &str| whole.noted(name).into_iter().reduce(f64::max).map(|value| value as u64);
        Some(Sent {
            client_bytes: most("client_bytes")?,
            server_bytes: most("server_bytes")?,
            packets: most("client_packets")? + most("server_packets")?,
            round_trips: most("round_trips")?,
        })
    }

    /// Returns the handshakes per second that one server core can do. `None` if the server was not measured alone.
    fn server_per_second(&self) -> Option<Interval> {
        self.server?.estimates.as_ref()?.operations_per_second()
    }

    fn cases(&self) -> impl Iterator<Item = &'r CaseAnalysis<'a>> {
        [self.whole, self.client, self.server].into_iter().flatten()
    }
}

/// Returns the handshakes of a run, in the order of the plan. Leaves out handshakes without a figure.
fn handshakes<'r, 'a>(analysis: &'r RunAnalysis<'a>) -> Vec<Handshake<'r, 'a>> {
    let mut found: Vec<Handshake<'r, 'a>> = Vec::new();
    for analysed in analysis.area(AREA).filter(|case| case.case().computes() && case.estimates.is_some()) {
        let case = analysed.case();
        let Some(keys) = case.authentication() else { continue };
        let (exchange, provider) = (case.algorithm.as_str(), case.provider.as_str());
        let same = |one: &Handshake<'_, '_>| (one.exchange, one.keys, one.provider) == (exchange, keys, provider);
        let place = found.iter().position(same).unwrap_or_else(|| {
            found.push(Handshake { exchange, keys, provider, whole: None, client: None, server: None });
            found.len() - 1
        });
        match case.operation.as_str() {
            "handshake" => found[place].whole = Some(analysed),
            "client" => found[place].client = Some(analysed),
            "server" => found[place].server = Some(analysed),
            _ => {}
        }
    }
    found
}

/// Connections with the same algorithms over one link.
struct Connection<'r, 'a> {
    exchange: &'r str,
    keys: &'r str,
    provider: &'r str,
    /// Name and requested properties of the link, or `loopback`.
    over: String,
    case: &'r CaseAnalysis<'a>,
    /// Median time in ns, from the start of the TCP connection until the client knows that its login was accepted.
    complete: Interval,
}

impl Connection<'_, '_> {
    /// Returns the median of recorded values.
    fn median(&self, name: &str) -> Option<f64> {
        Some(Sorted::new(self.case.noted(name))?.median())
    }

    /// Returns the mean of recorded CPU times, because single ones are read from a coarse clock.
    fn mean(&self, name: &str) -> Option<f64> {
        mean(&self.case.noted(name))
    }

    /// Returns the time as a multiple of the link's measured round-trip time. `None` over loopback.
    fn round_trips(&self) -> Option<Interval> {
        let round_trip = self.median("link_round_trip_ns")?;
        Some(crate::estimates::scaled(&self.complete, 1.0 / round_trip))
    }
}

/// Returns the connections of a run, in the order of the plan. Leaves out connections without a figure.
fn connections<'r, 'a>(analysis: &'r RunAnalysis<'a>) -> Vec<Connection<'r, 'a>> {
    let one = |analysed: &'r CaseAnalysis<'a>| {
        let case = analysed.case();
        case.transport()?;
        Some(Connection {
            exchange: &case.algorithm,
            keys: case.authentication()?,
            provider: &case.provider,
            over: over(case),
            case: analysed,
            complete: analysed.median()?,
        })
    };
    analysis.area(AREA).filter_map(one).collect()
}

/// Names the link of a case: `mobile`, `link rtt=100ms loss=1%`, or `loopback`.
fn over(case: &Case) -> String {
    if !case.waits_for_network() {
        return "loopback".to_owned();
    }
    let asked = ["rtt", "rate", "loss", "mtu"].into_iter();
    let asked = asked.filter_map(|name| Some(format!(" {name}={}", case.word(name)?)));
    format!("{}{}", case.word("network").unwrap_or("link"), asked.collect::<String>())
}
