//! Cost of post-quantum key exchange and certificates in TLS: time, bytes and round trips.

use super::{AREA, Configuration, ConnectionFigures, HandshakeFigures, INITIAL_WINDOW, connections, handshakes};
use crate::case::CaseAnalysis;
use crate::group::gathered;
use crate::number::{grouped, known_factor, known_rate};
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case, time, times};

/// The key exchange of today, and the one that replaces it.
const EXCHANGES: [&str; 2] = ["X25519", "X25519MLKEM768"];
/// The same of certificates.
const SIGNATURES: [&str; 2] = ["ECDSA-P-256", "ML-DSA-65"];

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let handshakes = handshakes(analysis);
    let mut all: Vec<Statement> = [exchange(analysis, &handshakes), certificates(analysis, &handshakes)]
        .into_iter()
        .chain([server(analysis, &handshakes)])
        .flatten()
        .collect();
    let connections = connections(analysis);
    let over = gathered(connections.iter().map(|of| (of.over.as_str(), of)));
    all.extend(over.into_iter().filter_map(|(over, of)| connected(analysis, over, &of)));
    all.into_iter().map(Statement::first).collect()
}

/// Whether it is a full handshake with one certificate between the server's and the root.
fn is_plain(of: &Configuration, exchange: &str, signature: &str) -> bool {
    of.mode.is_none() && of.intermediates == 1 && of.exchange == exchange && of.authentication == signature
}

/// The handshake of the fastest implementation, and the one of the same implementation to compare it with.
fn pair<'h, 'r, 'a>(
    analysis: &RunAnalysis<'a>,
    all: &'h [HandshakeFigures<'r, 'a>],
    new: [&str; 2],
    old: [&str; 2],
) -> Option<(String, &'h HandshakeFigures<'r, 'a>, &'h HandshakeFigures<'r, 'a>)> {
    let counterpart = |of: &HandshakeFigures<'r, 'a>| {
        let same = |other: &&HandshakeFigures<'r, 'a>| other.configuration.provider == of.configuration.provider;
        all.iter().filter(same).find(|other| is_plain(&other.configuration, old[0], old[1]) && other.whole.is_some())
    };
    let new = all.iter().filter(|of| is_plain(&of.configuration, new[0], new[1]));
    let both: Vec<_> = new.filter_map(|of| Some((of.whole?, of, counterpart(of)?))).collect();
    let found = fastest_case(analysis, &both.iter().map(|(whole, ..)| *whole).collect::<Vec<_>>())?;
    let (_, of, other) = both.into_iter().find(|(whole, ..)| std::ptr::eq(*whole, found.best[0]))?;
    Some((found.by, of, other))
}

fn exchange<'a>(analysis: &RunAnalysis<'a>, all: &[HandshakeFigures<'_, 'a>]) -> Option<Statement> {
    let [old, new] = EXCHANGES;
    let (by, of, other) = pair(analysis, all, [new, SIGNATURES[0]], [old, SIGNATURES[0]])?;
    let (of_time, other_time) = (time(analysis, &[of.whole?])?, time(analysis, &[other.whole?])?);
    let ratio = times(analysis, &[other.whole?], &[of.whole?])?.inside();
    let mut text = format!("{of_time} with {new} by {by} against {other_time} with {old} ({ratio})");
    if let (Some(of), Some(other)) = (of.flights(), other.flights()) {
        let (of, other) = (grouped(of.client_hello), grouped(other.client_hello));
        text = format!("{text}; the ClientHello takes {of} B against {other} B");
    }
    Some(Statement::new(AREA, "TLS handshake", text))
}

fn certificates<'a>(analysis: &RunAnalysis<'a>, all: &[HandshakeFigures<'_, 'a>]) -> Option<Statement> {
    let [old, new] = SIGNATURES;
    let (by, of, other) = pair(analysis, all, [EXCHANGES[1], new], [EXCHANGES[1], old])?;
    let (of_time, other_time) = (time(analysis, &[of.whole?])?, time(analysis, &[other.whole?])?);
    let ratio = times(analysis, &[other.whole?], &[of.whole?])?.inside();
    let mut text = format!("{of_time} with {new} by {by} against {other_time} with {old} ({ratio})");
    if let Some(flights) = of.flights() {
        let (bytes, packets) = (grouped(flights.server_flight), flights.server_packets);
        let window = match flights.fits_the_initial_window() {
            true => format!("within the first window of {INITIAL_WINDOW}"),
            false => format!("beyond the first window of {INITIAL_WINDOW}: one more round trip"),
        };
        text = format!("{text}; the server sends {bytes} B in {packets} packets, {window}");
    }
    Some(Statement::new(AREA, "TLS certificates", text))
}

fn server<'a>(analysis: &RunAnalysis<'a>, all: &[HandshakeFigures<'_, 'a>]) -> Option<Statement> {
    let rate = |signature: &str| {
        let of = all.iter().filter(|of| is_plain(&of.configuration, EXCHANGES[1], signature));
        let of: Vec<_> = of.filter_map(|of| Some((of.server?, of))).collect();
        let found = fastest_case(analysis, &of.iter().map(|(server, _)| *server).collect::<Vec<_>>())?;
        let (_, of) = of.into_iter().find(|(server, _)| std::ptr::eq(*server, found.best[0]))?;
        let rate = known_rate(&of.server_per_second()?);
        Some(format!("{rate} with {signature} by {}", found.by))
    };
    let rates: Vec<String> = SIGNATURES.into_iter().filter_map(rate).collect();
    let about = format!("TLS server with {}, handshakes a second on one core", EXCHANGES[1]);
    (!rates.is_empty()).then(|| Statement::new(AREA, about, rates.join(", ")))
}

/// How long connections over one link take until the handshake is complete.
fn connected<'a>(analysis: &RunAnalysis<'a>, over: &str, all: &[&ConnectionFigures<'_, 'a>]) -> Option<Statement> {
    let fastest = |exchange: &str, signature: &str| {
        let of: Vec<_> = all.iter().filter(|of| is_plain(&of.configuration, exchange, signature)).collect();
        let found = fastest_case(analysis, &of.iter().map(|of| of.of).collect::<Vec<_>>())?;
        let of = of.into_iter().find(|of| std::ptr::eq(of.of, found.best[0]))?;
        let trips = of.round_trips().map(|trips| format!(" ({} the round trip)", known_factor(&trips)));
        let (time, by) = (time(analysis, &[of.of])?, found.by);
        Some((of.of, format!("{time}{} with {exchange} and {signature} by {by}", trips.unwrap_or_default())))
    };
    let asked = [(EXCHANGES[0], SIGNATURES[0]), (EXCHANGES[1], SIGNATURES[0]), (EXCHANGES[1], SIGNATURES[1])];
    let found: Vec<(&CaseAnalysis<'a>, String)> =
        asked.into_iter().filter_map(|(exchange, signature)| fastest(exchange, signature)).collect();
    let text = found.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then(|| Statement::new(AREA, format!("TLS connection over {over}"), text))
}
