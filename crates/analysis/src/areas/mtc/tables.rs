//! Tables of Merkle Tree Certificates: verifying them, compared with chains of X.509 certificates, and issuing them.

use super::{AREA, CLASSICAL, Certificates, Kind, certificates, chain};
use crate::estimates::scaled;
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

pub(crate) fn verifying(analysis: &RunAnalysis<'_>) -> Table {
    let title = "Certificates of a server: bytes sent, and time to verify, compared with X.509 chains";
    let mut table = Table::new("mtc-certificates", AREA, title)
        .names("form", "form")
        .names("algorithm", "algorithm")
        .names("log", "log")
        .names("provider", "provider")
        .figures("certificates", "certificates", "B", 0)
        .figures("flight", "server's flight", "B", 0)
        .figures("packets", "packets", "", 4)
        .figures("verify", "verify", "µs", 0)
        .figures("bytes_vs_same", "bytes vs same", "", 2)
        .figures("time_vs_same", "time vs same", "", 1)
        .figures("bytes_vs_classical", "bytes vs classical", "", 3)
        .figures("time_vs_classical", "time vs classical", "", 3)
        .stacked(4);
    let all = certificates(analysis, "verify");
    let classical = chain(&all, CLASSICAL);
    for one in &all {
        let same = chain(&all, one.algorithm);
        let log = one.log.map(crate::number::grouped).unwrap_or_default();
        let bytes = |base: Option<&Certificates<'_, '_>>| {
            let ratio = base
                .filter(|base| !is_same(base, one))
                .and_then(|base| Some(one.flight()? as f64 / base.flight().filter(|bytes| *bytes > 0)? as f64));
            Cell::optional(ratio, Cell::factor)
        };
        let cells = [
            Cell::text(one.kind.text()),
            Cell::text(one.algorithm),
            Cell::text(log),
            Cell::text(&one.case.case().provider),
            Cell::optional(one.bytes(), Cell::whole),
            Cell::optional(one.flight(), Cell::whole),
            Cell::optional(one.noted("flight_packets"), Cell::whole),
            Cell::optional(one.case.median(), |ns| Cell::time_within(&ns)),
            bytes(same),
            time(analysis, same, one),
            bytes(classical),
            time(analysis, classical, one),
        ];
        table.row([&one.case.caveats], cells);
    }
    table
        .note("log: number of certificates in the log; the inclusion proof has a hash for each doubling")
        .note("certificates: all that the server sends; a chain has a leaf and one intermediate, and no SCTs")
        .note(
            "server's flight: computed for a TLS 1.3 handshake with X25519MLKEM768; a landmark-relative certificate \
             works only if the client already has the hash of the subtree",
        )
        .note("vs same: the flight and the time, divided by those of the chain with the same algorithm")
        .note(format!("vs classical: divided by those of the chain with {CLASSICAL}"))
        .note("verify: from the received bytes; chains include the check of the server's name")
}

/// Returns the ratio of the times to verify, if the two are different certificates.
fn time<'a>(analysis: &RunAnalysis<'a>, base: Option<&Certificates<'_, 'a>>, one: &Certificates<'_, 'a>) -> Cell {
    let ratio = base.filter(|base| !is_same(base, one)).and_then(|base| {
        let ratio = analysis.ratio(&[base.case], &[one.case])?;
        Some(ratio.ratio?.ratio)
    });
    Cell::optional(ratio, |ratio| Cell::factor_within(&ratio))
}

fn is_same(one: &Certificates<'_, '_>, other: &Certificates<'_, '_>) -> bool {
    one.case.case().id() == other.case.case().id()
}

pub(crate) fn issuing(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("mtc-issuing", AREA, "Issuing certificates, with the primitives of one library")
        .names("form", "form")
        .names("algorithm", "algorithm")
        .names("batch", "batch")
        .names("provider", "provider")
        .figures("certificate", "time per certificate", "µs", 0)
        .figures("per_second", "per second", "1/s", 1)
        .stacked(3);
    for one in certificates(analysis, "issue") {
        let batch = one.log.unwrap_or(1).max(1);
        // A batch always has the same certificates, but its time varies with the retries of ML-DSA.
        let each = one.case.time().map(|ns| scaled(&ns, 1.0 / batch as f64));
        let rate = one.case.estimates.as_ref().and_then(|estimates| estimates.operations_per_second());
        let cells = [
            Cell::text(one.kind.text()),
            Cell::text(one.algorithm),
            Cell::text(if one.kind == Kind::X509 { String::new() } else { crate::number::grouped(batch) }),
            Cell::text(&one.case.case().provider),
            Cell::optional(each, |ns| Cell::time_within(&ns)),
            Cell::optional(rate, |rate| Cell::rate_within(&scaled(&rate, batch as f64))),
        ];
        table.row([&one.case.caveats], cells);
    }
    table
        .note("batch: certificates that are issued together, in a new log; a CA signs two subtrees for each batch")
        .note("an X.509 certificate needs a signature of its own")
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
    fn a_row_compares_with_the_chains() {
        let run = fixtures::mtc_run();
        let table = verifying(&RunAnalysis::new(&run));
        assert_eq!(table.rows.len(), 4);
        assert_eq!((text(&table, 0, "form"), text(&table, 0, "log")), ("landmark-relative", "1,000"));
        assert_eq!((text(&table, 1, "form"), text(&table, 1, "certificates")), ("standalone, 2 cosigners", "6,000"));
        assert!(text(&table, 0, "verify").starts_with("5.0"), "{}", text(&table, 0, "verify"));
        assert_eq!((text(&table, 0, "bytes_vs_same"), text(&table, 0, "bytes_vs_classical")), ("0.500×", "2.50×"));
        assert!(text(&table, 0, "time_vs_same").starts_with("0.0250"), "{}", text(&table, 0, "time_vs_same"));
        // A chain is not compared with itself.
        assert_eq!((text(&table, 2, "form"), text(&table, 2, "bytes_vs_same")), ("X.509", "-"));
        assert_eq!((text(&table, 3, "algorithm"), text(&table, 3, "time_vs_classical")), (CLASSICAL, "-"));
    }

    #[test]
    fn issuing_divides_a_batch_by_its_certificates() {
        let run = fixtures::mtc_run();
        let table = issuing(&RunAnalysis::new(&run));
        assert_eq!(table.rows.len(), 2);
        assert!(text(&table, 0, "certificate").starts_with("6.0"), "{}", text(&table, 0, "certificate"));
        assert_eq!((text(&table, 0, "batch"), text(&table, 1, "batch")), ("1,000", ""));
        assert!(text(&table, 1, "certificate").starts_with("300"), "{}", text(&table, 1, "certificate"));
    }
}
