//! Overview of hybrids, each with its fastest library. Shows the cost of key exchanges, signatures and certificates,
//! and the key exchanges per second under the largest load.

use crate::areas::certificate;
use crate::areas::hybrid::AREA;
use crate::areas::scaling::{LoadFigures, loads};
use crate::case::CaseAnalysis;
use crate::group::grouped;
use crate::kinds::{one_kind, randomness};
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};
use pqlab_record::NULL;

/// Operations in the overview: display name, area and operation.
const HEADLINES: [(&str, &str, &str); 5] = [
    ("key exchange", AREA, "handshake"),
    ("signature created and verified", AREA, "cycle"),
    ("certificate issued", certificate::AREA, "build"),
    ("certificate verified", certificate::AREA, "verify"),
    ("certificate's second signature verified", certificate::AREA, "verify-cosignature"),
];
/// Algorithms of the hybrid and certificate areas that are not hybrids but baselines or placeholders.
const NOT_HYBRIDS: [&str; 10] = [
    "X25519",
    "ML-KEM-768",
    "Ed25519",
    "ML-DSA-65",
    "AES-256-GCM",
    "HKDF-SHA256",
    "X.509-Ed25519",
    "X.509-ML-DSA-65",
    NULL,
    "mock",
];
const LOAD: &str = "handshake-load";

pub(crate) fn headlines(analysis: &RunAnalysis<'_>) -> Table {
    let title = "Hybrids at a glance, each with its fastest library";
    let mut table = Table::new("headlines", AREA, title)
        .names("what", "what")
        .names("construction", "construction")
        .prose("randomness", "randomness", 2)
        .names("provider", "provider")
        .figures("time", "time", "µs", 0)
        .figures("rate", "per second", "1/s", 1)
        .prose("tied", "tied with", 3);
    for (what, area, operation) in HEADLINES {
        let is_headline = |one: &&CaseAnalysis<'_>| {
            let case = one.case();
            case.operation == operation && is_hybrid(&case.algorithm) && one.usual() && one.estimates.is_some()
        };
        let headlines = analysis.area(area).filter(is_headline);
        for (algorithm, cases) in grouped(headlines, |case| case.case().algorithm.clone()) {
            let cases = one_kind(cases).cases;
            let leading = analysis.leading(&cases);
            let Some((best, tied)) = leading.split_first() else { continue };
            let Some(time) = best.time() else { continue };
            let tied: Vec<&str> = tied.iter().map(|case| case.case().provider.as_str()).collect();
            let cells = [
                Cell::text(what),
                Cell::text(algorithm),
                Cell::text(randomness([best.case()])),
                Cell::text(&best.case().provider),
                Cell::time_within(&time),
                Cell::optional(
                    best.estimates.as_ref().and_then(|estimates| estimates.operations_per_second()),
                    |rate| Cell::rate_within(&rate),
                ),
                Cell::text(tied.join(", ")),
            ];
            table.row([&best.caveats], cells);
        }
    }
    under_load(analysis, &mut table);
    if let Some(area) = [AREA, certificate::AREA].into_iter().find(|area| analysis.area(area).next().is_some()) {
        table.area = area.to_owned();
    }
    table
}

/// Adds a row for each hybrid with its key exchanges per second under the largest load.
fn under_load(analysis: &RunAnalysis<'_>, table: &mut Table) {
    let case = |id: &str| analysis.area(AREA).find(|case| case.case().id() == id);
    let entries = loads(analysis);
    let hybrid_loads = entries.iter().filter_map(|entry| {
        let of = case(&entry.id)?;
        (of.case().operation == LOAD && is_hybrid(&of.case().algorithm)).then_some((entry, of))
    });
    let hybrid_loads: Vec<(&LoadFigures, &CaseAnalysis<'_>)> = hybrid_loads.collect();
    for (algorithm, loads) in grouped(hybrid_loads.iter(), |(_, case)| case.case().algorithm.clone()) {
        let Some(most) = loads.iter().map(|(entry, _)| entry.tasks).max() else { continue };
        let cases: Vec<&CaseAnalysis<'_>> =
            loads.iter().filter(|(entry, _)| entry.tasks == most).map(|(_, case)| *case).collect();
        let leading = analysis.leading(&cases);
        let Some(best) = leading.first() else { continue };
        let Some((entry, _)) = loads.iter().find(|(entry, _)| entry.id == best.case().id()) else { continue };
        let tied: Vec<&str> = leading.iter().skip(1).map(|case| case.case().provider.as_str()).collect();
        let cells = [
            Cell::text(format!("{} concurrent key exchanges, {} workers", crate::number::grouped(most), entry.workers)),
            Cell::text(algorithm),
            Cell::text(""),
            Cell::text(&best.case().provider),
            Cell::time(1e6 * entry.wall_ms),
            Cell::rate_within(&entry.rate),
            Cell::text(tied.join(", ")),
        ];
        table.row([&best.caveats], cells);
    }
}

fn is_hybrid(algorithm: &str) -> bool {
    !NOT_HYBRIDS.contains(&algorithm) && !algorithm.contains("mock")
}
