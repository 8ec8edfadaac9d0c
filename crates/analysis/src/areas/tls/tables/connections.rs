//! Table of the time that clients wait for a connection.

use super::{AREA, first_window, names};
use crate::areas::tls::{AskedLink, Flights, INITIAL_WINDOW, connections as all_of};
use crate::number::{significant, time};
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};
use pqlab_stats::Interval;

/// Number of milliseconds in a microsecond.
const PER_US: f64 = 1e-3;

pub(super) fn connections(analysis: &RunAnalysis<'_>) -> Table {
    let mut rows = Table::new("tls-connections", AREA, "TLS connections over TCP: client waiting time")
        .names("over", "over")
        .names("key_exchange", "key exchange")
        .names("auth", "authentication")
        .names("chain", "chain")
        .names("mode", "mode")
        .names("provider", "provider")
        .figures("connections", "connections", "", 8)
        .figures("complete", "complete", "ms", 0)
        .figures("round_trips", "in round trips", "", 0)
        .figures("p95", "p95", "ms", 3)
        .figures("p99", "p99", "ms", 1)
        .figures("most", "max", "ms", 2)
        .figures("first_byte", "first byte", "ms", 0)
        .figures("first_byte_p99", "first byte p99", "ms", 4)
        .figures("asked_round_trip", "requested round trip", "ms", 5)
        .figures("found_round_trip", "measured", "ms", 5)
        .figures("asked_rate", "requested rate", "Mbit/s", 6)
        .figures("found_rate", "measured", "Mbit/s", 6)
        .figures("loss", "requested loss", "%", 7)
        .figures("client_hello", "ClientHello", "B", 8)
        .figures("server_flight", "server's flight", "B", 1)
        .figures("packets", "packets", "", 1)
        .names("first_window", "first window")
        .figures("client_cpu", "client's CPU", "µs", 9)
        .figures("server_cpu", "server's CPU", "µs", 9)
        .stacked(5);
    for connection in all_of(analysis) {
        let [first_byte, first_byte_p99] = connection.first_byte();
        let requested = |property: fn(&AskedLink) -> Option<f64>| connection.asked.as_ref().and_then(property);
        let flights = connection.flights();
        let length = |of: fn(&Flights) -> u64| Cell::optional(flights.as_ref().map(of), Cell::whole);
        let cells = [
            Cell::whole(connection.count() as u64),
            Cell::time_within(&connection.complete).scaled(PER_US),
            Cell::optional(connection.round_trips(), |trips| round_trips(&trips)),
            milliseconds(connection.quantile(0.95)),
            milliseconds(connection.quantile(0.99)),
            milliseconds(Some(connection.most())),
            milliseconds(first_byte),
            milliseconds(first_byte_p99),
            milliseconds(requested(|link| link.round_trip_ms).map(|ms| 1e6 * ms)),
            milliseconds(connection.found_round_trip_ns()),
            megabits(requested(|link| link.rate_mbit)),
            megabits(connection.found_rate_mbit()),
            Cell::optional(requested(|link| Some(link.loss_pct)), |loss| Cell::number(format!("{loss}%"), loss)),
            length(|flights| flights.client_hello),
            length(|flights| flights.server_flight),
            length(|flights| flights.server_packets),
            first_window(flights.as_ref()),
            Cell::optional(connection.cpu_ns()[0], Cell::time),
            Cell::optional(connection.cpu_ns()[1], Cell::time),
        ];
        let names = [Cell::text(&connection.over)].into_iter().chain(names(&connection.configuration));
        rows.row([&connection.of.caveats], names.chain(cells));
    }
    rows.note("complete: median time from the start of the TCP connection until the client completes the handshake")
        .note("first byte: median time until the first byte of the answer to a request sent right after the handshake")
        .note("in round trips: the time to complete as a multiple of the requested round trip; p95, p99, max: over all connections")
        .note("measured: determined with datagrams over the same link; requested loss: applies to each direction")
        .note(format!(
            "first window: yes if the server's flight fits in {INITIAL_WINDOW} packets (RFC 6928); otherwise, the \
             handshake takes one more round trip"
        ))
        .note("CPU: mean time per connection, including time in the kernel")
}

/// Formats a time in ns for a column in ms.
fn milliseconds(ns: Option<f64>) -> Cell {
    Cell::optional(ns, |ns| Cell::number(time(ns), ns / 1e6))
}

fn megabits(rate: Option<f64>) -> Cell {
    Cell::optional(rate, |rate| Cell::number(format!("{} Mbit/s", significant(rate)), rate))
}

/// Formats a number of round trips: `2.05 ±0.01`.
fn round_trips(interval: &Interval) -> Cell {
    let half = (interval.high - interval.estimate).max(interval.estimate - interval.low);
    let text = format!("{:.2} ±{half:.2}", interval.estimate);
    Cell::number(text.clone(), interval.estimate).within(text, interval, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn a_row_has_requested_and_measured_properties_of_its_link() {
        let run = fixtures::tls_run();
        let table = connections(&RunAnalysis::new(&run));
        let text = |row: usize, column: &str| {
            let place = table.columns.iter().position(|other| other.name == column).unwrap();
            table.rows[row].cells[place].text.as_str()
        };
        assert_eq!(table.rows.len(), 3);
        assert_eq!((text(0, "over"), text(0, "round_trips"), text(0, "found_rate")), ("loopback", "-", "-"));
        assert_eq!((text(0, "client_cpu"), text(0, "server_cpu")), ("210 µs", "125 µs"));
        assert_eq!((text(1, "asked_round_trip"), text(1, "found_round_trip")), ("600 ms", "600 ms"));
        assert_eq!(
            (text(1, "asked_rate"), text(1, "found_rate"), text(1, "loss")),
            ("10.0 Mbit/s", "9.90 Mbit/s", "0.5%")
        );
        assert_eq!((text(1, "server_flight"), text(1, "packets"), text(1, "first_window")), ("1,450", "2", "yes"));
        assert_eq!(
            (text(2, "server_flight"), text(2, "first_window")),
            ("-", ""),
            "an older pqlab recorded no lengths"
        );
        assert_eq!((text(2, "over"), text(2, "asked_rate"), text(2, "loss")), ("link rtt=100ms loss=1%", "-", "1%"));
        assert!(text(2, "round_trips").starts_with("2.05 ±0.0"), "{}", text(2, "round_trips"));
        let complete = table.rows[2].cells[7].number.unwrap();
        assert!((complete.estimate - 205.0).abs() < 1.0 && table.columns[7].unit == "ms", "{complete:?}");
        let [low, high] = complete.interval.unwrap();
        assert!(low > 190.0 && high < 220.0);
    }
}
