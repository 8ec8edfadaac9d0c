//! Tables of QUIC handshakes: their time, datagrams and round trips, and the time to connect over simulated links.

use super::{AREA, Configuration, Exchange, connections as all_connections, handshakes as all_handshakes};
use crate::case::CaseAnalysis;
use crate::number::time;
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

/// Number of milliseconds in a microsecond.
const PER_US: f64 = 1e-3;

fn names(configuration: &Configuration<'_>) -> [Cell; 4] {
    let chain = configuration.intermediates.to_string();
    [configuration.exchange, configuration.authentication, &chain, configuration.provider].map(Cell::text)
}

pub(crate) fn handshakes(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("quic-handshakes", AREA, "QUIC handshakes: computing time, datagrams and round trips")
        .names("key_exchange", "key exchange")
        .names("auth", "authentication")
        .names("chain", "chain")
        .names("provider", "provider")
        .figures("handshake", "handshake", "µs", 0)
        .figures("client", "client", "µs", 4)
        .figures("server", "server", "µs", 3)
        .figures("client_hello", "ClientHello", "B", 6)
        .figures("client_flight", "its datagrams", "", 0)
        .figures("server_flight", "server's first flight", "", 2)
        .names("held_back", "held back")
        .figures("client_round_trips", "round trips", "", 0)
        .figures("server_round_trips", "server's round trips", "", 5)
        .figures("client_datagrams", "client's datagrams", "", 7)
        .figures("client_bytes", "client's bytes", "B", 8)
        .figures("server_datagrams", "server's datagrams", "", 1)
        .figures("server_bytes", "server's bytes", "B", 1)
        .stacked(3);
    for handshake in all_handshakes(analysis) {
        let time = |one: Option<&CaseAnalysis<'_>>| {
            Cell::optional(one.and_then(CaseAnalysis::median), |ns| Cell::time_within(&ns))
        };
        let exchange = handshake.exchange();
        let count = |of: fn(&Exchange) -> u64| Cell::optional(exchange.as_ref().map(of), Cell::whole);
        let round_trips = |of: fn(&Exchange) -> f64| {
            Cell::optional(exchange.as_ref().map(of), |trips| Cell::number(known_trips(trips), trips))
        };
        let held_back = exchange.as_ref().map_or("", |exchange| if exchange.is_limited { "yes" } else { "no" });
        let cells = [
            time(handshake.whole),
            time(handshake.client),
            time(handshake.server),
            count(|exchange| exchange.client_hello),
            count(|exchange| exchange.client_flight),
            count(|exchange| exchange.server_flight),
            Cell::text(held_back),
            round_trips(|exchange| exchange.client_round_trips),
            round_trips(|exchange| exchange.server_round_trips),
            count(|exchange| exchange.client[0]),
            count(|exchange| exchange.client[1]),
            count(|exchange| exchange.server[0]),
            count(|exchange| exchange.server[1]),
        ];
        let sides = [handshake.whole, handshake.client, handshake.server].into_iter().flatten();
        table.row(sides.map(|case| &case.caveats), names(&handshake.configuration).into_iter().chain(cells));
    }
    table
        .note("chain: number of certificates between the server's and the root")
        .note("handshake: until it is confirmed on both sides; client and server: timed step by step, as wall time")
        .note("its datagrams: datagrams of the client's first flight; server's first flight: datagrams of it")
        .note(
            "held back: whether the server interrupts its first flight, because it may send only three times the bytes \
             that it has received (RFC 9000, section 8.1)",
        )
        .note("round trips: until the client has completed the handshake, without losses")
        .note("datagrams and bytes: UDP payloads of at most 1,200 bytes, until the handshake is confirmed; the largest seen")
}

pub(crate) fn connections(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("quic-connections", AREA, "QUIC connections over simulated links: client waiting time")
        .names("link", "link")
        .names("key_exchange", "key exchange")
        .names("auth", "authentication")
        .names("chain", "chain")
        .names("provider", "provider")
        .figures("connections", "connections", "", 2)
        .figures("connected", "connected", "ms", 0)
        .figures("p95", "p95", "ms", 1)
        .figures("p99", "p99", "ms", 0)
        .figures("most", "max", "ms", 2)
        .stacked(4);
    for one in all_connections(analysis) {
        let cells = [
            Cell::whole(one.count() as u64),
            Cell::time_within(&one.connected).scaled(PER_US),
            milliseconds(one.quantile(0.95)),
            milliseconds(one.quantile(0.99)),
            milliseconds(Some(one.all.max())),
        ];
        let names = [Cell::text(&one.link)].into_iter().chain(names(&one.configuration));
        table.row([&one.of.caveats], names.chain(cells));
    }
    table
        .note("connected: median time until the client has completed the handshake; p95, p99, max: over all connections")
        .note("the link is simulated: its delays are computed, and the time that each side computes is measured and added")
        .note("loss: of datagrams in each direction; the first retransmission follows after about a second (RFC 9002)")
}

/// Formats a time in ns for a column in ms.
fn milliseconds(ns: Option<f64>) -> Cell {
    Cell::optional(ns, |ns| Cell::number(time(ns), ns / 1e6))
}

/// Formats a number of round trips: `1`, `1.5`, `2.04`.
pub(super) fn known_trips(trips: f64) -> String {
    let text = format!("{trips:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn text<'t>(table: &'t Table, row: usize, column: &str) -> &'t str {
        let place = table.columns.iter().position(|other| other.name == column).expect("unknown column");
        &table.rows[row].cells[place].text
    }

    #[test]
    fn a_row_has_the_time_of_each_side_and_the_datagrams() {
        let run = fixtures::quic_run();
        let table = handshakes(&RunAnalysis::new(&run));
        assert_eq!(table.rows.len(), 3);
        assert!(text(&table, 0, "handshake").starts_with("500"), "{}", text(&table, 0, "handshake"));
        assert!(text(&table, 0, "client").starts_with("300") && text(&table, 0, "server").starts_with("200"));
        assert_eq!((text(&table, 0, "client_flight"), text(&table, 0, "held_back")), ("1", "no"));
        assert_eq!((text(&table, 2, "client_flight"), text(&table, 2, "held_back")), ("2", "yes"));
        assert_eq!((text(&table, 2, "client_round_trips"), text(&table, 2, "server_round_trips")), ("2", "2.5"));
        assert_eq!(text(&table, 2, "client"), "-", "the fixture has no client's time for this handshake");
    }

    #[test]
    fn connections_are_grouped_by_link() {
        let run = fixtures::quic_run();
        let table = connections(&RunAnalysis::new(&run));
        let links: Vec<&str> = (0..table.rows.len()).map(|row| text(&table, row, "link")).collect();
        assert_eq!(links, ["rtt=20ms", "rtt=20ms", "rtt=20ms loss=1%", "rtt=20ms loss=1%"]);
        assert!(text(&table, 0, "connected").starts_with("20.5"), "{}", text(&table, 0, "connected"));
    }

    #[test]
    fn round_trips_have_no_superfluous_digits() {
        assert_eq!([1.0, 1.5, 2.041, 10.0].map(known_trips), ["1", "1.5", "2.04", "10"]);
    }
}
