//! How long a client waits for a connection.

use super::{AREA, names};
use crate::areas::tls::{AskedLink, connections as all_of};
use crate::number::{significant, time};
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};
use pqlab_stats::Interval;

/// Of which one is a ms.
const PER_US: f64 = 1e-3;

pub(super) fn connections(analysis: &RunAnalysis<'_>) -> Table {
    let mut made = Table::new("tls-connections", AREA, "TLS connections over TCP: how long a client waits")
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
        .figures("most", "most", "ms", 2)
        .figures("first_byte", "first byte", "ms", 0)
        .figures("first_byte_p99", "p99 of it", "ms", 4)
        .figures("asked_round_trip", "round trip asked", "ms", 5)
        .figures("found_round_trip", "found", "ms", 5)
        .figures("asked_rate", "rate asked", "Mbit/s", 6)
        .figures("found_rate", "found", "Mbit/s", 6)
        .figures("loss", "loss asked", "%", 7)
        .figures("client_cpu", "client's CPU", "µs", 9)
        .figures("server_cpu", "server's CPU", "µs", 9)
        .stacked(5);
    for of in all_of(analysis) {
        let [first_byte, first_byte_p99] = of.first_byte();
        let asked = |of_link: fn(&AskedLink) -> Option<f64>| of.asked.as_ref().and_then(of_link);
        let cells = [
            Cell::whole(of.count() as u64),
            Cell::time_within(&of.complete).scaled(PER_US),
            Cell::of(of.round_trips(), |trips| round_trips(&trips)),
            milliseconds(of.quantile(0.95)),
            milliseconds(of.quantile(0.99)),
            milliseconds(Some(of.most())),
            milliseconds(first_byte),
            milliseconds(first_byte_p99),
            milliseconds(asked(|link| link.round_trip_ms).map(|ms| 1e6 * ms)),
            milliseconds(of.found_round_trip_ns()),
            megabits(asked(|link| link.rate_mbit)),
            megabits(of.found_rate_mbit()),
            Cell::of(asked(|link| Some(link.loss_pct)), |loss| Cell::number(format!("{loss}%"), loss)),
            Cell::of(of.cpu_ns()[0], Cell::time),
            Cell::of(of.cpu_ns()[1], Cell::time),
        ];
        let names = [Cell::text(&of.over)].into_iter().chain(names(&of.configuration));
        made.row([&of.of.caveats], names.chain(cells));
    }
    made.note("complete: from before the TCP connection until the handshake is complete at the client, the median; first byte: until the first byte of the server's answer to a request that follows at once, the median")
        .note("in round trips: of those asked of the link, TCP's own among them; p95, p99, most: of every connection, none left out")
        .note("found: by datagrams over the same link; loss: asked in each direction; CPU: the mean of a connection, the kernel's share among it")
}

/// A time in ns, for a column in ms.
fn milliseconds(ns: Option<f64>) -> Cell {
    Cell::of(ns, |ns| Cell::number(time(ns), ns / 1e6))
}

fn megabits(rate: Option<f64>) -> Cell {
    Cell::of(rate, |rate| Cell::number(format!("{} Mbit/s", significant(rate)), rate))
}

/// `2.05 ±0.01`.
fn round_trips(of: &Interval) -> Cell {
    let half = (of.high - of.estimate).max(of.estimate - of.low);
    let text = format!("{:.2} ±{half:.2}", of.estimate);
    Cell::number(text.clone(), of.estimate).within(text, of, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn a_row_has_what_was_asked_of_its_link_beside_what_was_found() {
        let run = fixtures::tls_run();
        let table = connections(&RunAnalysis::of(&run));
        let text = |row: usize, column: &str| {
            let place = table.columns.iter().position(|known| known.name == column).unwrap();
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
        assert_eq!((text(2, "over"), text(2, "asked_rate"), text(2, "loss")), ("link rtt=100ms loss=1%", "-", "1%"));
        assert!(text(2, "round_trips").starts_with("2.05 ±0.0"), "{}", text(2, "round_trips"));
        let complete = table.rows[2].cells[7].number.unwrap();
        assert!((complete.estimate - 205.0).abs() < 1.0 && table.columns[7].unit == "ms", "{complete:?}");
        let [low, high] = complete.interval.unwrap();
        assert!(low > 190.0 && high < 220.0);
    }
}
