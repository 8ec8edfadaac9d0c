//! Table of the handshake rates of servers.

use super::{names, table};
use crate::areas::tls::servers;
use crate::estimates::scaled;
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

/// Numbers of cores for which the table calculates the rate from one core.
const CORES: [u64; 3] = [4, 16, 64];

pub(super) fn server(analysis: &RunAnalysis<'_>) -> Table {
    let all = servers(analysis);
    let measured = all.iter().flat_map(|figures| figures.measured.iter().map(|(cores, _)| *cores));
    let mut measured: Vec<u64> = measured.collect();
    measured.push(1);
    measured.sort_unstable();
    measured.dedup();
    let mut table_of_servers = table("tls-server", "TLS server: handshakes per second");
    for (place, &cores) in measured.iter().enumerate() {
        let heading = if cores == 1 { "1 core (measured)".to_owned() } else { format!("{cores} cores (measured)") };
        table_of_servers = table_of_servers.figures(&format!("cores_{cores}"), &heading, "1/s", rank(place));
    }
    table_of_servers = table_of_servers.figures("efficiency", "efficiency", "%", 1);
    for (place, cores) in CORES.into_iter().enumerate() {
        let heading = format!("{cores} cores (calculated)");
        table_of_servers = table_of_servers.figures(&format!("arithmetic_{cores}"), &heading, "1/s", rank(place + 1));
    }
    table_of_servers = table_of_servers.figures("with_tcp", "1 core with TCP", "1/s", 0);
    for figures in &all {
        let rates = measured.iter().map(|&cores| if cores == 1 { figures.per_second() } else { figures.on(cores) });
        let efficiency = figures.efficiency.map(|share| scaled(&share, 100.0));
        let cells = rates
            .map(|rate| Cell::optional(rate.as_ref(), Cell::rate_within))
            .chain([Cell::optional(efficiency, |share| Cell::share_within(&share))])
            .chain(CORES.map(|cores| Cell::optional(figures.by_arithmetic(cores), Cell::rate)))
            .chain([Cell::optional(figures.with_tcp, Cell::rate)]);
        table_of_servers.row([&figures.caveats], names(&figures.configuration).into_iter().chain(cells));
    }
    table_of_servers
        .note("efficiency: throughput per thread at the largest number of threads measured, relative to one thread")
        .note("calculated: one core's rate times the number of cores; an upper bound, because busy cores share caches and run at a lower clock")
        .note("other columns: handshakes in memory, without sockets")
        .note(
            "with TCP: calculated from the server thread's CPU time over the loopback, which includes the kernel's TCP \
             and one request",
        )
}

/// Returns the [rank for omission](crate::table::Column::spare) of the column at `place` among similar columns. If
/// space is short, the last of these columns is omitted first, and the first column is never omitted.
fn rank(place: usize) -> u8 {
    u8::try_from(place).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn measured_and_calculated_rates_are_separate_columns() {
        let run = fixtures::tls_run();
        let table = server(&RunAnalysis::new(&run));
        let headings: Vec<&str> = table.columns[5..].iter().map(|column| column.heading.as_str()).collect();
        assert_eq!(
            headings,
            [
                "1 core (measured)",
                "2 cores (measured)",
                "efficiency",
                "4 cores (calculated)",
                "16 cores (calculated)",
                "64 cores (calculated)",
                "1 core with TCP",
            ]
        );
        let number = |place: usize| table.rows[0].cells[place].number.unwrap().estimate;
        assert_eq!(table.rows.len(), 1);
        assert_eq!([number(8), number(9), number(10)], [4.0, 16.0, 64.0].map(|cores| cores * number(5)));
        assert!((number(7) - 95.0).abs() < 0.5 && (number(11) - 8_000.0).abs() < 1e-6);
    }
}
