//! Table of handshake times on either side, and of the bytes on the wire.

use super::{first_window, names, table};
use crate::areas::tls::{Flights, INITIAL_WINDOW, SEGMENT, handshakes as all_of};
use crate::case::CaseAnalysis;
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

pub(super) fn handshakes(analysis: &RunAnalysis<'_>) -> Table {
    let mut rows = table("tls-handshakes", "TLS handshakes in memory: computing time of both sides, and bytes sent")
        .figures("handshake", "handshake", "µs", 0)
        .figures("client", "client", "µs", 5)
        .figures("server", "server", "µs", 3)
        .figures("per_core", "per server core", "1/s", 0)
        .figures("client_hello", "ClientHello", "B", 6)
        .figures("server_flight", "server's flight", "B", 1)
        .figures("client_finish", "client's finish", "B", 7)
        .figures("packets", "packets", "", 4)
        .names("first_window", "first window");
    for figures in all_of(analysis).iter().filter(|one| one.whole.or(one.client).or(one.server).is_some()) {
        let time = |one: Option<&CaseAnalysis<'_>>| {
            Cell::optional(one.and_then(CaseAnalysis::median), |ns| Cell::time_within(&ns))
        };
        let flights = figures.flights();
        let length = |of: fn(&Flights) -> u64| Cell::optional(flights.as_ref().map(of), Cell::whole);
        let cells = [
            time(figures.whole),
            time(figures.client),
            time(figures.server),
            Cell::optional(figures.server_per_second(), |rate| Cell::rate_within(&rate)),
            length(|flights| flights.client_hello),
            length(|flights| flights.server_flight),
            length(|flights| flights.client_finish),
            length(|flights| flights.server_packets),
            first_window(flights.as_ref()),
        ];
        let sides = [figures.whole, figures.client, figures.server].into_iter().flatten();
        rows.row(sides.map(|case| &case.caveats), names(&figures.configuration).into_iter().chain(cells));
    }
    rows.note("chain: number of certificates between the server's and the root")
        .note("no mode: a full handshake in which only the server authenticates")
        .note("per server core: handshakes per second without a socket (the reciprocal of the server's mean time)")
        .note(format!(
            "lengths: the longest seen, with record headers; packets: needed for the server's flight, at {} bytes \
             each (MTU 1,500)",
            crate::number::grouped(SEGMENT)
        ))
        .note(format!(
            "first window: yes if the server's flight fits in {INITIAL_WINDOW} packets (RFC 6928); otherwise, the \
             flight takes one more round trip"
        ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn a_row_has_times_of_both_sides_and_whether_the_flight_fits() {
        let run = fixtures::tls_run();
        let table = handshakes(&RunAnalysis::new(&run));
        let text = |row: usize, column: &str| {
            let place = table.columns.iter().position(|other| other.name == column).unwrap();
            table.rows[row].cells[place].text.as_str()
        };
        assert_eq!(table.rows.len(), 4);
        assert!(text(0, "handshake").starts_with("300") && text(0, "server").starts_with("100"));
        assert_eq!((text(0, "server_flight"), text(0, "packets"), text(0, "first_window")), ("1,450", "2", "yes"));
        assert_eq!((text(1, "server_flight"), text(1, "packets"), text(1, "first_window")), ("17,900", "13", "no"));
        assert_eq!((text(2, "mode"), text(2, "server_flight"), text(2, "first_window")), ("client-auth", "-", ""));
        let per_core = |row: usize| table.rows[row].cells[8].number.unwrap();
        assert!((per_core(1).estimate / (1e6 / 300.0) - 1.0).abs() < 0.005, "{:?}", per_core(1));
        let [low, high] = per_core(1).interval.unwrap();
        assert!(low < per_core(1).estimate && per_core(1).estimate < high);
    }
}
