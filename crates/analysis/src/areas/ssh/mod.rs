//! SSH handshakes in a run: their time on each side, and what they send.

pub(super) mod findings;
pub(super) mod tables;

use crate::case::CaseAnalysis;
use crate::run::RunAnalysis;
use pqlab_stats::Interval;

const AREA: &str = "ssh";
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
