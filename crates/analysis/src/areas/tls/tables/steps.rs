//! The four steps of a handshake.

use super::{names, table};
use crate::areas::tls::{STEPS, handshakes};
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

/// Who takes a step: the client and the server in turn.
const SIDES: [&str; 2] = ["client", "server"];

pub(super) fn steps(analysis: &RunAnalysis<'_>) -> Table {
    let mut made = table("tls-steps", "TLS handshakes in memory: steps")
        .names("step", "step")
        .names("side", "by")
        .figures("median", "median", "µs", 0)
        .figures("mean", "mean", "µs", 2)
        .figures("p99", "p99", "µs", 3)
        .figures("share", "share", "%", 0);
    for of in handshakes(analysis) {
        let shares = of.shares(analysis);
        for (place, step) in of.steps.iter().enumerate() {
            let Some((step, estimates)) = step.and_then(|step| Some((step, step.estimates.as_ref()?))) else {
                continue;
            };
            let cells = [
                Cell::text(STEPS[place]),
                Cell::text(SIDES[place % 2]),
                Cell::time_within(&estimates.median_ns),
                Cell::time(estimates.samples_ns.mean),
                Cell::of(estimates.percentile(0.99), Cell::time),
                Cell::of(shares.map(|shares| shares[place]), |share| Cell::share_within(&share)),
            ];
            made.row([&step.caveats], names(&of.configuration).into_iter().chain(cells));
        }
    }
    made.note("client-hello: to the ClientHello; server-flight: what the server makes of it, to its Finished; client-finish: what the client makes of that, to its Finished; server-finish: to the end")
        .note("share: of the means of all four, which were measured in the same rounds")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn each_step_has_its_share() {
        let run = fixtures::tls_run();
        let table = steps(&RunAnalysis::of(&run));
        let of =
            |row: usize| (table.rows[row].cells[5].text.as_str(), table.rows[row].cells[10].number.unwrap().estimate);
        assert_eq!(table.rows.len(), 4);
        assert_eq!((of(1).0, of(3).0), ("server-flight", "server-finish"));
        assert!((of(1).1 - 30.0).abs() < 0.1 && (of(3).1 - 10.0 / 3.0).abs() < 0.1, "{:?}", of(1));
    }
}
