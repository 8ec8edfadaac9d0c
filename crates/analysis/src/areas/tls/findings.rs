//! Findings about post-quantum key exchange and certificates in TLS: time, bytes and round trips.

use super::{AREA, Configuration, ConnectionFigures, HandshakeFigures, connections, handshakes};
use crate::case::CaseAnalysis;
use crate::comparison::NotRanked;
use crate::group::gathered;
use crate::number::{grouped, known_factor, known_rate};
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case, time, times};

/// The classical key exchange, and its post-quantum replacement.
const EXCHANGES: [&str; 2] = ["X25519", "X25519MLKEM768"];
/// The classical signature algorithm for certificates, and its post-quantum replacement.
const SIGNATURES: [&str; 2] = ["ECDSA-P-256", "ML-DSA-65"];

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let handshakes = handshakes(analysis);
    let mut all: Vec<Statement> = [exchange(analysis, &handshakes), certificates(analysis, &handshakes)]
        .into_iter()
        .chain([server(analysis, &handshakes)])
        .flatten()
        .collect();
    let connections = connections(analysis);
    let over = gathered(connections.iter().map(|one| (one.over.as_str(), one)));
    all.extend(over.into_iter().filter_map(|(over, all)| connected(analysis, over, &all)));
    all.into_iter().map(Statement::first).collect()
}

/// Returns whether the configuration is a full handshake with one intermediate certificate.
fn is_plain(configuration: &Configuration, exchange: &str, signature: &str) -> bool {
    let is_full = configuration.mode.is_none() && configuration.intermediates == 1;
    is_full && configuration.exchange == exchange && configuration.authentication == signature
}

/// Returns the fastest implementation, its handshake with the `new` algorithms, and its handshake with the `old` ones.
fn pair<'h, 'r, 'a>(
    analysis: &RunAnalysis<'a>,
    all: &'h [HandshakeFigures<'r, 'a>],
    new: [&str; 2],
    old: [&str; 2],
) -> Option<(String, &'h HandshakeFigures<'r, 'a>, &'h HandshakeFigures<'r, 'a>)> {
    let counterpart = |new: &HandshakeFigures<'r, 'a>| {
        let same = |other: &&HandshakeFigures<'r, 'a>| other.configuration.provider == new.configuration.provider;
        all.iter().filter(same).find(|other| is_plain(&other.configuration, old[0], old[1]) && other.whole.is_some())
    };
    let new = all.iter().filter(|one| is_plain(&one.configuration, new[0], new[1]));
    let both: Vec<_> = new.filter_map(|one| Some((one.whole?, one, counterpart(one)?))).collect();
    let found = fastest_case(analysis, &both.iter().map(|(whole, ..)| *whole).collect::<Vec<_>>())?;
    let (_, best, other) = both.into_iter().find(|(whole, ..)| std::ptr::eq(*whole, found.best[0]))?;
    Some((found.by, best, other))
}

/// Returns the ratio of two times in words. If another program disturbed a case, the two times may differ for that
/// reason alone.
fn ratio_words<'a>(analysis: &RunAnalysis<'a>, before: &CaseAnalysis<'a>, after: &CaseAnalysis<'a>) -> Option<String> {
    let is_disturbed = |one: &CaseAnalysis<'_>| one.not_ranked() == Some(NotRanked::Disturbed);
    if is_disturbed(before) || is_disturbed(after) {
        return Some("no ratio, because another program disturbed a case".to_owned());
    }
    Some(times(analysis, &[before], &[after])?.inside())
}

fn exchange<'a>(analysis: &RunAnalysis<'a>, all: &[HandshakeFigures<'_, 'a>]) -> Option<Statement> {
    let [old, new] = EXCHANGES;
    let (by, after, before) = pair(analysis, all, [new, SIGNATURES[0]], [old, SIGNATURES[0]])?;
    let (new_time, old_time) = (time(analysis, &[after.whole?])?, time(analysis, &[before.whole?])?);
    let ratio = ratio_words(analysis, before.whole?, after.whole?)?;
    let mut text = format!("{new_time} with {new} by {by}, vs {old_time} with {old} ({ratio})");
    if let (Some(after), Some(before)) = (after.flights(), before.flights()) {
        let (after, before) = (grouped(after.client_hello), grouped(before.client_hello));
        text = format!("{text}; the ClientHello has {after} B, vs {before} B");
    }
    Some(Statement::new(AREA, "TLS handshake", text))
}

fn certificates<'a>(analysis: &RunAnalysis<'a>, all: &[HandshakeFigures<'_, 'a>]) -> Option<Statement> {
    let [old, new] = SIGNATURES;
    let (by, after, before) = pair(analysis, all, [EXCHANGES[1], new], [EXCHANGES[1], old])?;
    let (new_time, old_time) = (time(analysis, &[after.whole?])?, time(analysis, &[before.whole?])?);
    let ratio = ratio_words(analysis, before.whole?, after.whole?)?;
    let mut text = format!("{new_time} with {new} by {by}, vs {old_time} with {old} ({ratio})");
    if let Some(flights) = after.flights() {
        text = format!("{text}; {}", flights.describe());
    }
    Some(Statement::new(AREA, "TLS certificates", text))
}

fn server<'a>(analysis: &RunAnalysis<'a>, all: &[HandshakeFigures<'_, 'a>]) -> Option<Statement> {
    let rate = |signature: &str| {
        let plain = all.iter().filter(|one| is_plain(&one.configuration, EXCHANGES[1], signature));
        let plain: Vec<_> = plain.filter_map(|one| Some((one.server?, one))).collect();
        let found = fastest_case(analysis, &plain.iter().map(|(server, _)| *server).collect::<Vec<_>>())?;
        let (_, best) = plain.into_iter().find(|(server, _)| std::ptr::eq(*server, found.best[0]))?;
        let rate = known_rate(&best.server_per_second()?);
        Some(format!("{rate} with {signature} by {}", found.by))
    };
    let rates: Vec<String> = SIGNATURES.into_iter().filter_map(rate).collect();
    let about = format!("TLS server with {}, handshakes per second on one core", EXCHANGES[1]);
    (!rates.is_empty()).then(|| Statement::new(AREA, about, rates.join(", ")))
}

/// Describes the time until the handshake is complete, for connections over one link.
fn connected<'a>(analysis: &RunAnalysis<'a>, over: &str, all: &[&ConnectionFigures<'_, 'a>]) -> Option<Statement> {
    let fastest = |exchange: &str, signature: &str| {
        let plain: Vec<_> = all.iter().filter(|one| is_plain(&one.configuration, exchange, signature)).collect();
        let found = fastest_case(analysis, &plain.iter().map(|one| one.of).collect::<Vec<_>>())?;
        let best = plain.into_iter().find(|one| std::ptr::eq(one.of, found.best[0]))?;
        let trips = best.round_trips().map(|trips| format!(" ({} the round trip)", known_factor(&trips)));
        let (time, by) = (time(analysis, &[best.of])?, found.by);
        let bytes = best.flights().map(|flights| {
            format!(" ({} B from the server in {})", grouped(flights.server_flight), flights.packets_text())
        });
        let [trips, bytes] = [trips, bytes].map(Option::unwrap_or_default);
        Some(format!("{time}{trips} with {exchange} and {signature} by {by}{bytes}"))
    };
    let pairs = [(EXCHANGES[0], SIGNATURES[0]), (EXCHANGES[1], SIGNATURES[0]), (EXCHANGES[1], SIGNATURES[1])];
    let found: Vec<String> =
        pairs.into_iter().filter_map(|(exchange, signature)| fastest(exchange, signature)).collect();
    let text = found.join(", ");
    (!text.is_empty()).then(|| Statement::new(AREA, format!("TLS connection over {over}"), text))
}
