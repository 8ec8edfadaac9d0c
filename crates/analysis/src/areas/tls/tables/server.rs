//! What a server holds.

use super::{names, table};
use crate::areas::tls::servers;
use crate::estimates::scaled;
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

/// Numbers of cores of which the arithmetic is made.
const CORES: [u64; 3] = [4, 16, 64];

pub(super) fn server(analysis: &RunAnalysis<'_>) -> Table {
    let all = servers(analysis);
    let mut measured: Vec<u64> = all.iter().flat_map(|of| of.measured.iter().map(|(cores, _)| *cores)).collect();
    measured.push(1);
    measured.sort_unstable();
    measured.dedup();
    let mut made = table("tls-server", "TLS handshakes that a server holds in a second");
    for (place, &cores) in measured.iter().enumerate() {
        let heading = if cores == 1 { "a core (measured)".to_owned() } else { format!("{cores} cores (measured)") };
        made = made.figures(&format!("cores_{cores}"), &heading, "1/s", rank(place));
    }
    made = made.figures("efficiency", "efficiency", "%", 1);
    for (place, cores) in CORES.into_iter().enumerate() {
        let heading = format!("{cores} cores (arithmetic)");
        made = made.figures(&format!("arithmetic_{cores}"), &heading, "1/s", rank(place + 1));
    }
    made = made.figures("with_tcp", "a core with TCP", "1/s", 0);
    for of in &all {
        let rates = measured.iter().map(|&cores| if cores == 1 { of.per_second() } else { of.on(cores) });
        let efficiency = of.efficiency.map(|share| scaled(&share, 100.0));
        let cells = rates
            .map(|rate| Cell::of(rate.as_ref(), Cell::rate_within))
            .chain([Cell::of(efficiency, |share| Cell::share_within(&share))])
            .chain(CORES.map(|cores| Cell::of(of.by_arithmetic(cores), Cell::rate)))
            .chain([Cell::of(of.with_tcp, Cell::rate)]);
        made.row([&of.caveats], names(&of.configuration).into_iter().chain(cells));
    }
    made.note("efficiency: what each thread of the most that were measured did of what one does alone")
        .note("arithmetic: as many times what one core does as there are cores, which holds where they share neither caches nor clock; no machine quite reaches it")
        .note("without TCP: handshakes in memory alone; with TCP: by the CPU time of the server's thread over the loopback, the kernel's TCP in it and a request with its answer")
}

/// By which a column is left out where there is no room, of several alike: the last first; the first stays.
fn rank(place: usize) -> u8 {
    u8::try_from(place).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn what_was_measured_stands_beside_what_is_arithmetic() {
        let run = fixtures::tls_run();
        let table = server(&RunAnalysis::of(&run));
        let headings: Vec<&str> = table.columns[5..].iter().map(|column| column.heading.as_str()).collect();
        assert_eq!(
            headings,
            [
                "a core (measured)",
                "2 cores (measured)",
                "efficiency",
                "4 cores (arithmetic)",
                "16 cores (arithmetic)",
                "64 cores (arithmetic)",
                "a core with TCP",
            ]
        );
        let number = |place: usize| table.rows[0].cells[place].number.unwrap().estimate;
        assert_eq!(table.rows.len(), 1);
        assert_eq!([number(8), number(9), number(10)], [4.0, 16.0, 64.0].map(|cores| cores * number(5)));
        assert!((number(7) - 95.0).abs() < 0.5 && (number(11) - 8_000.0).abs() < 1e-6);
    }
}
