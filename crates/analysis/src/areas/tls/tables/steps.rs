//! Table of the four steps of a handshake.

use super::{names, table};
use crate::areas::tls::{STEPS, handshakes};
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

/// Side that performs a step. Client and server alternate.
const SIDES: [&str; 2] = ["client", "server"];

pub(super) fn steps(analysis: &RunAnalysis<'_>) -> Table {
    let mut rows = table("tls-steps", "TLS handshakes in memory: steps")
        .names("step", "step")
        .names("side", "by")
        .figures("median", "median", "µs", 0)
        .figures("mean", "mean", "µs", 2)
        .figures("p99", "p99", "µs", 3)
        .figures("share", "share", "%", 0);
    for figures in handshakes(analysis) {
        let shares = figures.shares(analysis);
        for (place, step) in figures.steps.iter().enumerate() {
            let Some((step, estimates)) = step.and_then(|step| Some((step, step.estimates.as_ref()?))) else {
                continue;
            };
            let cells = [
                Cell::text(STEPS[place]),
                Cell::text(SIDES[place % 2]),
                Cell::time_within(&estimates.median_ns),
                Cell::time(estimates.samples_ns.mean),
                Cell::optional(estimates.percentile(0.99), Cell::time),
                Cell::optional(shares.map(|shares| shares[place]), |share| Cell::share_within(&share)),
            ];
            rows.row([&step.caveats], names(&figures.configuration).into_iter().chain(cells));
        }
    }
    rows.note("client-hello: up to the ClientHello; server-flight: the server's answer, up to its Finished")
        .note("client-finish: the client's answer, up to its Finished; server-finish: up to the end")
        .note("share: percentage of the sum of the four means, measured in the same rounds")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn each_step_shows_its_percentage() {
        let run = fixtures::tls_run();
        let table = steps(&RunAnalysis::new(&run));
        let step =
            |row: usize| (table.rows[row].cells[5].text.as_str(), table.rows[row].cells[10].number.unwrap().estimate);
        assert_eq!(table.rows.len(), 4);
        assert_eq!((step(1).0, step(3).0), ("server-flight", "server-finish"));
        assert!((step(1).1 - 30.0).abs() < 0.1 && (step(3).1 - 10.0 / 3.0).abs() < 0.1, "{:?}", step(1));
    }
}
