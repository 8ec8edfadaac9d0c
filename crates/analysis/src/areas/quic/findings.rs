//! Findings about QUIC: the cost of a post-quantum key exchange and of post-quantum certificates in time, datagrams and
//! round trips.

use super::tables::known_trips;
use super::{AREA, Connections, Exchange, Handshake, connections, handshakes};
use crate::case::CaseAnalysis;
use crate::comparison::NotRanked;
use crate::group::gathered;
use crate::run::RunAnalysis;
use crate::statement::{Statement, time, times};

/// The classical key exchange, and its post-quantum replacement.
const EXCHANGES: [&str; 2] = ["X25519", "X25519MLKEM768"];
/// The classical signature algorithm for certificates, and its post-quantum replacement.
const SIGNATURES: [&str; 2] = ["ECDSA-P-256", "ML-DSA-65"];
/// Number of intermediate certificates in the handshakes that are compared.
const INTERMEDIATES: u64 = 1;

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let all = handshakes(analysis);
    let find = |exchange: &str, signature: &str| {
        let is_same = |one: &&Handshake<'_, '_>| {
            let configuration = &one.configuration;
            (configuration.exchange, configuration.authentication, configuration.intermediates)
                == (exchange, signature, INTERMEDIATES)
        };
        all.iter().find(is_same)
    };
    let [old, new] = EXCHANGES;
    let pairs = [
        ("QUIC", find(new, SIGNATURES[0]), old, find(old, SIGNATURES[0])),
        ("QUIC certificates", find(new, SIGNATURES[1]), SIGNATURES[0], find(new, SIGNATURES[0])),
    ];
    let mut found: Vec<Statement> = pairs
        .into_iter()
        .filter_map(|(about, after, old, before)| {
            Some(Statement::new(AREA, about, compared(analysis, after?, (old, before?))?))
        })
        .collect();
    let connections = connections(analysis);
    let over = gathered(connections.iter().map(|one| (one.link.as_str(), one)));
    found.extend(over.into_iter().filter_map(|(link, all)| connected(analysis, link, &all)));
    found.into_iter().map(Statement::first).collect()
}

/// Compares two handshakes: `612 µs for a handshake with X25519MLKEM768 and ECDSA-P-256, vs 480 µs with X25519 (1.28× in
/// core cycles, 1.27× to 1.29×); the ClientHello takes 2 datagrams, vs 1; 1 round trip, vs 1`. `old` is the algorithm in
/// which `before` differs.
fn compared<'a>(
    analysis: &RunAnalysis<'a>,
    after: &Handshake<'_, 'a>,
    (old, before): (&str, &Handshake<'_, 'a>),
) -> Option<String> {
    let (after_case, before_case) = (after.whole?, before.whole?);
    let (new_time, old_time) = (time(analysis, &[after_case])?, time(analysis, &[before_case])?);
    let is_disturbed = |one: &CaseAnalysis<'_>| one.not_ranked() == Some(NotRanked::Disturbed);
    let ratio = match is_disturbed(before_case) || is_disturbed(after_case) {
        true => "no ratio, because another program disturbed a case".to_owned(),
        false => times(analysis, &[before_case], &[after_case])?.inside(),
    };
    let new = format!("{} and {}", after.configuration.exchange, after.configuration.authentication);
    let mut text = format!("{new_time} for a handshake with {new}, vs {old_time} with {old} ({ratio})");
    if let (Some(after), Some(before)) = (after.exchange(), before.exchange()) {
        let (hello, trips) = (datagrams(after.client_flight), round_trips(&after));
        text = format!(
            "{text}; the ClientHello takes {hello}, vs {}; {trips}, vs {}",
            before.client_flight,
            known_trips(before.client_round_trips),
        );
        if after.is_limited {
            text = format!("{text}, because the server may send only three times what it received");
        }
    }
    Some(text)
}

fn datagrams(count: u64) -> String {
    format!("{count} {}", if count == 1 { "datagram" } else { "datagrams" })
}

fn round_trips(exchange: &Exchange) -> String {
    let trips = known_trips(exchange.client_round_trips);
    format!("{trips} {}", if trips == "1" { "round trip" } else { "round trips" })
}

/// Describes the time until the client is connected over one link.
fn connected<'a>(analysis: &RunAnalysis<'a>, link: &str, all: &[&Connections<'_, 'a>]) -> Option<Statement> {
    let one = |exchange: &str, signature: &str| {
        let is_same = |one: &&&Connections<'_, 'a>| {
            let configuration = &one.configuration;
            (configuration.exchange, configuration.authentication, configuration.intermediates)
                == (exchange, signature, INTERMEDIATES)
        };
        let found = all.iter().find(is_same)?;
        let p99 = found.quantile(0.99).map(|ns| format!(" (p99 {})", crate::number::time(ns))).unwrap_or_default();
        Some(format!("{}{p99} with {exchange} and {signature}", time(analysis, &[found.of])?))
    };
    let pairs = [(EXCHANGES[0], SIGNATURES[0]), (EXCHANGES[1], SIGNATURES[0]), (EXCHANGES[1], SIGNATURES[1])];
    let found: Vec<String> = pairs.into_iter().filter_map(|(exchange, signature)| one(exchange, signature)).collect();
    let about = format!("QUIC connection over a simulated link with {link}");
    (!found.is_empty()).then(|| Statement::new(AREA, about, found.join(", ")))
}
