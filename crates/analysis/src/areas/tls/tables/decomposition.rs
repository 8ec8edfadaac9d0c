//! Table of the times of a handshake's primitives, and of the rest.

use super::{names, table};
use crate::areas::tls::{SIGNED, decompositions};
use crate::number::{NONE, time};
use crate::run::RunAnalysis;
use crate::table::{Cell, NS_PER_US, Table};
use pqlab_record::Unit;
use pqlab_stats::Interval;

pub(super) fn decomposition(analysis: &RunAnalysis<'_>) -> Table {
    let mut rows = table("tls-decomposition", "TLS handshakes in memory: time in primitives, and the rest")
        .figures("handshake", "handshake", "µs", 0)
        .figures("exchange", "key exchange", "µs", 1)
        .figures("signing", "signing", "µs", 3)
        .figures("verification", "verification", "µs", 2)
        .figures("primitives", "primitives", "µs", 4)
        .figures("rest", "rest", "µs", 0)
        .figures("rest_pct", "share of the handshake", "%", 0);
    let found = decompositions(analysis);
    for parts in &found {
        let cells = [
            Cell::time(parts.handshake_ns.estimate),
            Cell::time(parts.exchange_ns),
            part(parts.signing_ns),
            part(parts.verification_ns),
            Cell::time(parts.primitives_ns.estimate),
            rest(&parts.rest_ns),
            Cell::share_within(&parts.rest_pct()),
        ];
        rows.row([&parts.caveats], names(&parts.configuration).into_iter().chain(cells));
    }
    let judged = match found.iter().filter(|parts| parts.unit == Unit::CoreCycles).count() {
        0 => "",
        some if some == found.len() => ", added up in core cycles and converted at the clock rate of the handshake",
        _ => ", added up in core cycles (if all cases have them) and converted at the clock rate of the handshake",
    };
    rows.note(format!(
        "times: means for both sides together{judged}; rest: certificates, keys, records and buffers (the handshake \
         minus its primitives)"
    ))
    .note("primitives: measured alone in the same run, with the provider that each side calls (rustls: aws-lc)")
    .note("the rest is a difference between two independent estimates, so its interval combines both uncertainties")
    .note(format!(
        "signatures: a side that authenticates signs {SIGNED} bytes once; the other side, which starts from encoded \
         keys, verifies that signature and all certificates except the root's"
    ))
}

/// Formats the time of a part, or a dash if a resumed handshake lacks the part.
fn part(ns: f64) -> Cell {
    if ns > 0.0 { Cell::time(ns) } else { Cell::number(NONE.to_owned(), 0.0) }
}

/// Formats a difference in ns, which may be negative: `50.0 µs ±2.10 µs`.
fn rest(ns: &Interval) -> Cell {
    let sign = if ns.estimate < 0.0 { "-" } else { "" };
    let half = (ns.high - ns.estimate).max(ns.estimate - ns.low);
    let text = format!("{sign}{} ±{}", time(ns.estimate.abs()), time(half));
    Cell::number(text.clone(), ns.estimate / NS_PER_US).within(text, ns, NS_PER_US)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_stats::IntervalMethod;

    #[test]
    fn parts_and_rest_make_up_the_handshake() {
        let run = fixtures::tls_run();
        let table = decomposition(&RunAnalysis::new(&run));
        assert_eq!(table.rows.len(), 3);
        for row in &table.rows {
            let number = |place: usize| row.cells[place].number.unwrap().estimate;
            let [handshake, exchange, signing, verification, primitives, rest] = [5, 6, 7, 8, 9, 10].map(number);
            assert!((exchange + signing + verification - primitives).abs() < 1e-9);
            assert!((primitives + rest - handshake).abs() < 1e-9);
            assert!((100.0 * rest / handshake - number(11)).abs() < 1e-9);
        }
        // A resumed handshake contains no signatures.
        assert_eq!((table.rows[2].cells[7].text.as_str(), table.rows[2].cells[8].text.as_str()), (NONE, NONE));
        assert!(table.notes[0].contains("at the clock rate of the handshake;"), "{}", table.notes[0]);
    }

    #[test]
    fn a_negative_rest_is_shown_with_its_sign() {
        let ns = Interval {
            estimate: -1_000.0,
            low: -3_000.0,
            high: 900.0,
            confidence: 0.95,
            method: IntervalMethod::CrossedT,
        };
        let cell = rest(&ns);
        assert_eq!(cell.text, "-1.00 µs ±2.00 µs");
        assert_eq!(cell.number.unwrap().interval, Some([-3.0, 0.9]));
    }
}
