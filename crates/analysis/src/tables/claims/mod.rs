//! What published documents claim, and what this run found of it. The claims are quoted figures; whatever stands under `found` was
//! measured in the run.

mod figures;
mod list;

use self::figures::Found;
use self::list::CLAIMS;
use super::{Cell, Table};
use crate::number::{digits, percent, rate, significant, time};
use crate::run::RunAnalysis;
use pqlab_stats::Interval;

/// A claim of a document.
struct Claim {
    document: Document,
    /// What is claimed of what.
    what: &'static str,
    claimed: Claimed,
    found: fn(&RunAnalysis<'_>) -> Option<Found>,
    /// What explains a difference, beside what the document explains; empty for nothing.
    why: &'static str,
}

/// A document and under which conditions its figures came about.
#[derive(Clone, Copy, PartialEq)]
enum Document {
    Hybrids,
    Signatures,
    Transactions,
    Circuits,
    Hashes,
}

/// A figure as it is claimed, each in the unit in which it is found.
enum Claimed {
    /// So many times.
    Factor(f64),
    /// A time in µs.
    Time(f64),
    /// Times in µs.
    Times(f64, f64),
    /// So many a second.
    Rate(f64),
    /// Percent.
    Percent(f64),
    /// Bytes.
    Bytes(f64),
    /// Core cycles per byte.
    CyclesPerByte(f64),
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
                "there Python over liboqs 0.15, keys in PEM and CBOR within the operation; here no interpreter"
            }
            Document::Signatures => "there liboqs 0.15 and OpenSSL 3.6 on an Apple M2 Pro, one loop after another",
            Document::Transactions => "there liboqs on 44 cores with Windows, 3 repetitions of 10 blocks",
            Document::Circuits => "there Kyber512 of liboqs 0.11, one loop of 1,000",
            Document::Hashes => "there an i7-1185G7",
        }
    }
}

impl Claimed {
    fn cell(&self) -> Cell {
        match *self {
            Claimed::Factor(value) => Cell::factor(value),
            Claimed::Time(us) => Cell::time(1e3 * us),
            Claimed::Times(low, high) => Cell::text(format!("{} to {}", time(1e3 * low), time(1e3 * high))),
            Claimed::Rate(value) => Cell::rate(value),
            Claimed::Percent(value) => Cell::number(format!("{}%", significant(value)), value),
            Claimed::Bytes(value) => Cell::number(format!("{} B", significant(value)), value),
            Claimed::CyclesPerByte(value) => Cell::number(format!("{} cycles/B", significant(value)), value),
        }
    }

    /// What was found, in the unit of the claim.
    fn found(&self, value: &Interval) -> Cell {
        match self {
            Claimed::Time(_) | Claimed::Times(..) => Cell::time_within(value),
            Claimed::Factor(_) => Cell::factor_within(value),
            Claimed::Rate(_) if value.low == value.high => Cell::rate(value.estimate),
            Claimed::Rate(_) => {
                let text = format!("{} ±{}", rate(value.estimate), percent(value.half_width_pct()));
                Cell::rate(value.estimate).within(text, value, 1.0)
            }
            Claimed::Percent(_) if value.low == value.high => {
                Cell::number(format!("{}%", significant(value.estimate)), value.estimate)
            }
            Claimed::Percent(_) => Cell::share_within(value),
            Claimed::Bytes(_) => Cell::number(format!("{} B", digits(value.estimate, 4)), value.estimate),
            Claimed::CyclesPerByte(_) => {
                let text = format!("{} cycles/B ±{}", significant(value.estimate), percent(value.half_width_pct()));
                Cell::significant(value.estimate).within(text, value, 1.0)
            }
        }
    }
}

pub(super) fn claims(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("claims", "", "Claimed elsewhere, found here")
        .names("document", "document")
        .names("what", "claim")
        .figures("claimed", "claimed there", "", 0)
        .figures("found", "found here", "", 0)
        .names("of", "of")
        .prose("why", "why it may differ", 1)
        .stacked(2);
    let mut documents = Vec::new();
    for claim in CLAIMS {
        let Some(Found { value, of, caveats }) = (claim.found)(analysis) else { continue };
        if !documents.contains(&claim.document) {
            documents.push(claim.document);
        }
        let cells = [
            Cell::text(claim.document.name()),
            Cell::text(claim.what),
            claim.claimed.cell(),
            claim.claimed.found(&value),
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
    table.note("times in the column `found` of files are in µs, all else in the unit of the claim")
}
