//! Compares claims from published documents with figures from a run. Claimed figures are quoted; figures in the column
//! `found` were measured in the run.

mod figures;
mod list;

use self::figures::{Found, Job};
use crate::number::{digits, percent, significant};
use crate::run::RunAnalysis;
use crate::table::{Cell, Holds, Table};
use pqlab_stats::Interval;

/// A claim from a document.
struct Claim {
    document: Document,
    /// Quantity that the claim is about.
    what: String,
    /// The claimed figure, or the lower end of a range.
    claimed: f64,
    /// Upper end of the claimed range; `None` if the claim is a single figure.
    to: Option<f64>,
    unit: Unit,
    find: Find,
    /// Reason why the measured figure may differ, apart from the document's [conditions](Document::conditions). Empty
    /// if there is no further reason.
    why: &'static str,
}

/// Source of the measured figure. A list of libraries is in order of preference, and the first library that the run
/// measured supplies the figure. If the list is empty, the fastest library supplies it.
#[derive(Clone, Copy)]
enum Find {
    /// Median time of a job.
    Time(Job, &'static [&'static str]),
    /// Operations per second.
    Rate(Job, &'static [&'static str]),
    /// Coefficient of variation (CoV) of single operations.
    Variation(Job),
    /// Ratio of the first job's time to the second job's.
    Ratio(Job, Job, &'static [&'static str]),
    /// Ratio of the first library's time for the job to the second library's.
    Between(Job, &'static str, &'static str),
    /// Core cycles per byte of a digest.
    CyclesPerByte { algorithm: &'static str, provider: &'static str, length: u64 },
    /// Computed by a function.
    By(fn(&RunAnalysis<'_>) -> Option<Found>),
}

impl Find {
    fn find(self, run: &RunAnalysis<'_>) -> Option<Found> {
        match self {
            Find::Time(job, libraries) => figures::time(run, job, libraries),
            Find::Rate(job, libraries) => figures::per_second(run, job, libraries),
            Find::Variation(job) => figures::variation(run, job),
            Find::Ratio(first, second, libraries) => figures::over(run, first, second, libraries),
            Find::Between(job, slow, fast) => figures::between(run, job, slow, fast),
            Find::CyclesPerByte { algorithm, provider, length } => {
                figures::cycles_per_byte(run, algorithm, provider, length)
            }
            Find::By(find) => find(run),
        }
    }
}

/// A published document.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Document {
    Hybrids,
    Signatures,
    Transactions,
    Circuits,
    Hashes,
}

/// Unit of a figure. Claimed times are in µs. Measured times are in ns and shown in µs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    Factor,
    Time,
    Rate,
    Percent,
    Bytes,
    CyclesPerByte,
    Seconds,
    Gigabytes,
    Megabits,
}

impl Document {
    fn name(self) -> &'static str {
        match self {
            Document::Hybrids => "hybrid library, 2026-03",
            Document::Signatures => "signature suite, 2026-02",
            Document::Transactions => "ledger report, 2025-12",
            Document::Circuits => "pq-ntor report, 2025-10",
            Document::Hashes => "sha3 bench",
        }
    }

    fn conditions(self) -> &'static str {
        match self {
            Document::Hybrids => {
                "measured in Python on liboqs 0.15, with keys encoded to PEM and CBOR in each operation; this run uses \
                 no interpreter"
            }
            Document::Signatures => {
                "measured with liboqs 0.15 and OpenSSL 3.6 on an Apple M2 Pro, one loop after another"
            }
            Document::Transactions => "measured with liboqs on 44 cores under Windows, in 3 repetitions of 10 blocks",
            Document::Circuits => "measured with Kyber512 from liboqs 0.11, in one loop of 1,000 iterations",
            Document::Hashes => "measured on an i7-1185G7",
        }
    }
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Unit::Factor => "times",
            Unit::Time => "µs",
            Unit::Rate => "1/s",
            Unit::Percent => "%",
            Unit::Bytes => "B",
            Unit::CyclesPerByte => "cycles/B",
            Unit::Seconds => "s",
            Unit::Gigabytes => "GB",
            Unit::Megabits => "Mbit/s",
        }
    }

    fn claimed(self, value: f64) -> Cell {
        match self {
            Unit::Factor => Cell::factor(value),
            Unit::Time => Cell::time(1e3 * value),
            Unit::Rate => Cell::rate(value),
            Unit::Percent => Cell::number(format!("{}%", significant(value)), value),
            _ => Cell::number(format!("{} {}", digits(value, 4), self.name()), value),
        }
    }

    fn found(self, value: &Interval) -> Cell {
        let exact = value.low == value.high;
        match self {
            Unit::Time if exact => Cell::time(value.estimate),
            Unit::Time => Cell::time_within(value),
            Unit::Factor => Cell::factor_within(value),
            Unit::Rate if exact => Cell::rate(value.estimate),
            Unit::Rate => Cell::rate_within(value),
            Unit::Percent if !exact => Cell::share_within(value),
            Unit::CyclesPerByte => {
                let text = format!("{} cycles/B ±{}", significant(value.estimate), percent(value.half_width_pct()));
                Cell::significant(value.estimate).within(text, value, 1.0)
            }
            _ => self.claimed(value.estimate),
        }
    }
}

pub(crate) fn claims(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("claims", "", "Claims from published documents, compared with this run")
        .names("document", "document")
        .names("what", "claim")
        .column("unit", "unit", "", Holds::Text, 2)
        .figures("claimed", "claimed", "", 0)
        .figures("claimed_to", "to", "", 0)
        .figures("found", "measured", "", 0)
        .names("of", "with")
        .prose("why", "why it may differ", 1)
        .stacked(2);
    let mut documents = Vec::new();
    for claim in list::claims() {
        let Some(Found { value, of, caveats }) = claim.find.find(analysis) else { continue };
        if !documents.contains(&claim.document) {
            documents.push(claim.document);
        }
        let cells = [
            Cell::text(claim.document.name()),
            Cell::text(claim.what),
            Cell::text(claim.unit.name()),
            claim.unit.claimed(claim.claimed),
            Cell::optional(claim.to, |to| claim.unit.claimed(to)),
            claim.unit.found(&value),
            Cell::text(of),
            Cell::text(claim.why),
        ];
        table.row([&caveats], cells);
    }
    if let Some(area) = analysis.areas().first() {
        table.area = (*area).to_owned();
    }
    let conditions = documents.iter().map(|document| format!("{}: {}", document.name(), document.conditions()));
    table.notes.extend(conditions);
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn claims_are_unique_and_have_a_figure() {
        let all = list::claims();
        for (index, claim) in all.iter().enumerate() {
            let same = |other: &&Claim| other.document == claim.document && other.what == claim.what;
            assert!(all[..index].iter().find(same).is_none(), "duplicate claim: {}", claim.what);
            assert!(claim.claimed.is_finite() && claim.to.is_none_or(|to| to > claim.claimed), "{}", claim.what);
        }
        let count = |document: Document, unit: Unit| {
            all.iter().filter(|claim| claim.document == document && claim.unit == unit).count()
        };
        assert_eq!(count(Document::Hashes, Unit::CyclesPerByte), 60, "6 functions × 2 code paths × 5 lengths");
        assert_eq!(count(Document::Signatures, Unit::Rate), 21, "7 schemes × 3 operations");
    }

    #[test]
    fn claims_match_the_documents_constructions() {
        let run = fixtures::references_run();
        let table = claims(&RunAnalysis::new(&run));
        let row = |what: &str| {
            let row = table.rows.iter().find(|row| row.cells[1].text == what);
            &row.unwrap_or_else(|| panic!("no row for {what}")).cells
        };
        let found = |what: &str| row(what)[5].number.unwrap().estimate;
        let near =
            |what: &str, wanted: f64| assert!((found(what) / wanted - 1.0).abs() < 0.02, "{what}: {}", found(what));
        // The first claim concerns the detached certificate, not the alternative one. The second
        // concerns the load test of the document's own hybrid.
        near("issuing a certificate with a second signature", 150.0);
        near("handshakes per second, 5,000 concurrent", 1e6 / 62.0);
        assert!(row("handshakes per second, 5,000 concurrent")[6].text.starts_with("X25519+ML-KEM-768"));
        // pqlab measures `cycle` only with seeds from the caller.
        near("Ed25519+ML-DSA-65, key generation, signing and verification", 210.0);
        near("Falcon-512, verifications per second", 1e6 / 30.0);
        near("SHA3-256 of 16,384 bytes, AVX-512", 42.0 * 2700.0 / 16_384.0);
        assert_eq!(row("SHA3-256 of 64 bytes, plain code")[2].text, "cycles/B");
        assert_eq!(row("99th percentile of Falcon-512 signature lengths")[2].text, "B");
    }

    #[test]
    fn figure_columns_contain_only_numbers() {
        let mut run = fixtures::references_run();
        let mut rsa = fixtures::record("aws-lc", 14.0);
        (rsa.case.workload, rsa.case.algorithm, rsa.case.operation) =
            ("ledger".to_owned(), "RSA-2048".to_owned(), "verify".to_owned());
        run.records.push(rsa);
        let table = claims(&RunAnalysis::new(&run));
        for row in &table.rows {
            assert!(row.cells[3].number.is_some() && row.cells[5].number.is_some(), "{row:?}");
            assert!(!row.cells[2].text.is_empty(), "{row:?}");
        }
        let rsa = table.rows.iter().find(|row| row.cells[1].text == "RSA-2048, verification").unwrap();
        assert_eq!([3, 4].map(|place| rsa.cells[place].number.unwrap().estimate), [100.0, 200.0]);
    }
}
