//! Tables of SSH handshakes: their time on either side, what they send, and how long clients wait for a connection.

use super::{AREA, SEGMENT, Sent, connections, handshakes};
use crate::case::CaseAnalysis;
use crate::number::grouped;
use crate::run::RunAnalysis;
use crate::table::{Cell, NS_PER_US, Table};

/// Number of nanoseconds in a millisecond.
const NS_PER_MS: f64 = 1e3 * NS_PER_US;

pub(crate) fn tables(analysis: &RunAnalysis<'_>) -> Vec<Table> {
    vec![in_memory(analysis), over_tcp(analysis)]
}

fn in_memory(analysis: &RunAnalysis<'_>) -> Table {
    let title = "SSH handshakes in memory: computing time of both sides, and bytes sent";
    let mut rows = Table::new("ssh-handshakes", AREA, title)
        .names("key_exchange", "key exchange")
        .names("keys", "keys")
        .names("provider", "provider")
        .stacked(3)
        .figures("handshake", "handshake", "µs", 0)
        .figures("client", "client", "µs", 3)
        .figures("server", "server", "µs", 2)
        .figures("per_core", "per server core", "1/s", 4)
        .figures("client_bytes", "client sends", "B", 1)
        .figures("server_bytes", "server sends", "B", 1)
        .figures("packets", "packets", "", 6)
        .figures("round_trips", "round trips", "", 5);
    for one in handshakes(analysis) {
        let time = |case: Option<&CaseAnalysis<'_>>| {
            Cell::optional(case.and_then(CaseAnalysis::median), |ns| Cell::time_within(&ns))
        };
        let sent = one.sent();
        let count = |of: fn(&Sent) -> u64| Cell::optional(sent.as_ref().map(of), Cell::whole);
        let cells = [
            Cell::text(one.exchange),
            Cell::text(one.keys),
            Cell::text(one.provider),
            time(one.whole),
            time(one.client),
            time(one.server),
            Cell::optional(one.server_per_second(), |rate| Cell::rate_within(&rate)),
            count(|sent| sent.client_bytes),
            count(|sent| sent.server_bytes),
            count(|sent| sent.packets),
            count(|sent| sent.round_trips),
        ];
        rows.row(one.cases().map(|case| &case.caveats), cells);
    }
    rows.note("keys: type of the server's host key and of the user's key")
        .note("per server core: handshakes per second without a socket (the reciprocal of the server's mean time)")
        .note(format!(
            "sends: at most, until the client knows that its login was accepted; each side offers one algorithm of each \
             kind; packets: both directions, at {} bytes each (MTU 1,500)",
            grouped(SEGMENT)
        ))
        .note("round trips: after the TCP connection is open, without TCP's own")
}

fn over_tcp(analysis: &RunAnalysis<'_>) -> Table {
    let title = "SSH connections over TCP: time that a client waits until it is logged in";
    let mut rows = Table::new("ssh-connections", AREA, title)
        .names("over", "over")
        .names("key_exchange", "key exchange")
        .names("keys", "keys")
        .names("provider", "provider")
        .stacked(4)
        .figures("connect", "connect", "ms", 0)
        .figures("round_trips", "in round trips", "", 1)
        .figures("first_byte", "first byte", "ms", 2)
        .figures("link_round_trip", "link's round trip", "ms", 3)
        .figures("client_cpu", "client's CPU", "µs", 4)
        .figures("server_cpu", "server's CPU", "µs", 4);
    for one in connections(analysis) {
        let ms = |ns: f64| Cell::significant(ns / NS_PER_MS);
        let cells = [
            Cell::text(&one.over),
            Cell::text(one.exchange),
            Cell::text(one.keys),
            Cell::text(one.provider),
            Cell::time_within(&one.complete).scaled(1.0 / NS_PER_US),
            Cell::optional(one.round_trips(), |trips| Cell::factor_within(&trips)),
            Cell::optional(one.median("first_byte_ns"), ms),
            Cell::optional(one.median("link_round_trip_ns"), ms),
            Cell::optional(one.mean("client_cpu_ns"), Cell::time),
            Cell::optional(one.mean("server_cpu_ns"), Cell::time),
        ];
        rows.row([&one.case.caveats], cells);
    }
    rows.note("connect: from the first packet until the client knows that its login was accepted, with TCP's handshake")
        .note("first byte: until a byte that the client sends over a channel has come back; takes two more round trips")
        .note("link's round trip: of small packets before the connections; CPU: means, over loopback only")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn a_row_has_times_of_both_sides_and_what_they_send() {
        let run = fixtures::ssh_run();
        let table = tables(&RunAnalysis::new(&run)).remove(0);
        let text = |row: usize, column: &str| {
            let place = table.columns.iter().position(|other| other.name == column).unwrap();
            table.rows[row].cells[place].text.as_str()
        };
        assert_eq!(table.rows.len(), 3);
        assert!(text(0, "handshake").starts_with("800") && text(1, "server").starts_with("400"));
        assert_eq!((text(1, "client_bytes"), text(1, "server_bytes")), ("3,000", "2,296"));
        assert_eq!((text(1, "packets"), text(1, "round_trips")), ("12", "5"));
        let over = tables(&RunAnalysis::new(&run)).remove(1);
        let shown: Vec<&str> = over.rows[1].cells.iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!((shown[0], shown[6], shown[7]), ("link rtt=100ms", "803", "100"));
        assert!(over.rows[0].cells[5].is_empty() || over.rows[0].cells[5].text == "-", "no round trips over loopback");
        assert_eq!((text(2, "keys"), text(2, "client"), text(2, "packets")), ("RSA-3072", "-", "-"));
    }
}
