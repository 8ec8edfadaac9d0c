//! Findings about post-quantum key exchange in SSH: time, bytes and round trips.

use super::{AREA, Connection, Handshake, connections, handshakes};
use crate::case::CaseAnalysis;
use crate::comparison::NotRanked;
use crate::group::gathered;
use crate::number::{difference, grouped, known_factor, known_time};
use crate::run::RunAnalysis;
use crate::statement::{Statement, time, unit_words};
use pqlab_stats::{Interval, Verdict};

/// The classical key exchange, and its post-quantum replacement.
const EXCHANGES: [&str; 2] = ["curve25519-sha256", "mlkem768x25519-sha256"];
/// Types of keys. The findings about key exchange use the first type that the run measured.
const KEYS: [&str; 3] = ["Ed25519", "ECDSA-P-256", "RSA-3072"];

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let all = handshakes(analysis);
    let find = |exchange: &str, keys: &str| {
        all.iter().find(|one| one.exchange == exchange && one.keys == keys && one.whole.is_some())
    };
    let [old, new] = EXCHANGES;
    let cost = KEYS.into_iter().find_map(|keys| cost(analysis, find(old, keys)?, find(new, keys)?));
    let whole = KEYS.into_iter().find_map(|keys| whole(analysis, find(new, keys)?));
    let keys = keys(analysis, &KEYS.map(|keys| find(new, keys)));
    let connections = connections(analysis);
    let links = gathered(connections.iter().map(|one| (one.over.as_str(), one)));
    let connected = links.into_iter().filter_map(|(over, all)| connected(analysis, over, &all));
    [cost, whole, keys].into_iter().flatten().chain(connected).map(Statement::first).collect()
}

/// States what the post-quantum key exchange adds to a handshake with the same keys.
fn cost<'a>(analysis: &RunAnalysis<'a>, old: &Handshake<'_, 'a>, new: &Handshake<'_, 'a>) -> Option<Statement> {
    let mut added = vec![added_time(analysis, old.whole?, new.whole?)?];
    if let (Some(old), Some(new)) = (old.sent(), new.sent()) {
        added.push(format!("{} B", grouped(new.bytes().saturating_sub(old.bytes()))));
    }
    let text = format!("{} costs {} more than {}", new.exchange, added.join(" and "), old.exchange);
    Some(Statement::new(AREA, "SSH", format!("{text}, with {} keys", new.keys)))
}

/// Describes the added time: `85.2 µs (+11.3% ±0.4 in core cycles)`.
fn added_time<'a>(analysis: &RunAnalysis<'a>, old: &CaseAnalysis<'a>, new: &CaseAnalysis<'a>) -> Option<String> {
    let is_disturbed = |one: &CaseAnalysis<'_>| one.not_ranked() == Some(NotRanked::Disturbed);
    if is_disturbed(old) || is_disturbed(new) {
        return Some("an unknown time (another program disturbed a case)".to_owned());
    }
    let compared = analysis.ratio(&[old], &[new])?;
    if compared.verdict() != Verdict::Slower {
        return Some("no measurable time".to_owned());
    }
    let (ratio, base) = (compared.ratio.as_ref()?.ratio, old.time()?.estimate);
    let added = |unit: f64| Interval {
        estimate: unit * (ratio.estimate - 1.0),
        low: unit * (ratio.low - 1.0),
        high: unit * (ratio.high - 1.0),
        ..ratio
    };
    let pct = format!("{} in {}", difference(&added(100.0)), unit_words(compared.unit));
    Some(format!("{} ({pct})", known_time(&added(base))))
}

/// States the time of a handshake, and what it sends.
fn whole<'a>(analysis: &RunAnalysis<'a>, one: &Handshake<'_, 'a>) -> Option<Statement> {
    let part = |name: &str, case: Option<&CaseAnalysis<'a>>| Some(format!("{name} {}", time(analysis, &[case?])?));
    let parts: Vec<String> = [part("client", one.client), part("server", one.server)].into_iter().flatten().collect();
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    let (time, provider) = (time(analysis, &[one.whole?])?, one.provider);
    let mut text = format!("{time}{parts} with {} and {} keys by {provider}", one.exchange, one.keys);
    if let Some(sent) = one.sent() {
        let (client, server, trips) = (grouped(sent.client_bytes), grouped(sent.server_bytes), sent.round_trips);
        text = format!("{text}; {client} B from the client and {server} B from the server in {trips} round trips");
    }
    Some(Statement::new(AREA, "SSH handshake", text))
}

/// Compares the types of keys, if the run measured several.
fn keys<'a>(analysis: &RunAnalysis<'a>, all: &[Option<&Handshake<'_, 'a>>]) -> Option<Statement> {
    let one = |one: &&Handshake<'_, 'a>| Some(format!("{} with {}", time(analysis, &[one.whole?])?, one.keys));
    let times: Vec<String> = all.iter().flatten().filter_map(one).collect();
    let exchange = all.iter().flatten().next()?.exchange;
    let about = format!("SSH handshake with {exchange}, by type of the keys");
    (times.len() > 1).then(|| Statement::new(AREA, about, times.join(", ")))
}

/// States the time until the client is logged in, for connections over one link.
fn connected<'a>(analysis: &RunAnalysis<'a>, over: &str, all: &[&Connection<'_, 'a>]) -> Option<Statement> {
    let keys = KEYS.into_iter().find(|keys| all.iter().any(|one| one.keys == *keys))?;
    let one = |one: &&Connection<'_, 'a>| {
        let trips = one.round_trips().map(|trips| format!(" ({} the round trip)", known_factor(&trips)));
        Some(format!("{}{} with {}", time(analysis, &[one.case])?, trips.unwrap_or_default(), one.exchange))
    };
    let times: Vec<String> = all.iter().filter(|one| one.keys == keys).filter_map(one).collect();
    let about = format!("SSH connection over {over}, with {keys} keys");
    (!times.is_empty()).then(|| Statement::new(AREA, about, times.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn the_answer_states_added_time_and_bytes() {
        let run = fixtures::ssh_run();
        let found = statements(&RunAnalysis::new(&run));
        let texts: Vec<String> = found.iter().map(|one| format!("{}: {}", one.about, one.text)).collect();
        let start = "SSH: mlkem768x25519-sha256 costs 100 µs (+12.5% ";
        let end = " in core cycles) and 2,296 B more than curve25519-sha256, with Ed25519 keys";
        assert!(texts[0].starts_with(start) && texts[0].ends_with(end), "{texts:?}");
        assert!(texts[1].contains("(client 500 µs, server 400 µs)"), "{texts:?}");
        assert!(
            texts[1].ends_with("3,000 B from the client and 2,296 B from the server in 5 round trips"),
            "{texts:?}"
        );
        assert!(texts[2].contains("900 µs with Ed25519, 4.00 ms with RSA-3072"), "{texts:?}");
        assert_eq!(texts[3], "SSH connection over loopback, with Ed25519 keys: 1.20 ms with mlkem768x25519-sha256");
        let link = "SSH connection over link rtt=100ms, with Ed25519 keys: 602 ms (6.01× the round trip) with ";
        assert_eq!(texts[4], format!("{link}mlkem768x25519-sha256"));
    }
}
