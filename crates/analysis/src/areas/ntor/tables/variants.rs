//! Table of the handshake variants, each with its fastest libraries.

use super::{AREA, classical_baseline};
use crate::areas::ntor::HandshakeFigures;
use crate::caveats::Caveats;
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

/// Suffix of a handshake's name for each KEM, and the lengths of an encapsulation key and a ciphertext in bytes (FIPS
/// 203, table 3).
const KEMS: [(&str, u64, u64); 3] = [("mlkem512", 800, 768), ("mlkem768", 1184, 1088), ("mlkem1024", 1568, 1568)];

pub(super) fn variants(analysis: &RunAnalysis<'_>, all: &[HandshakeFigures<'_>]) -> Table {
    let mut rows = Table::new("ntor-variants", AREA, "Circuit handshakes: variants, each with its fastest libraries")
        .names("handshake", "handshake")
        .names("provider", "provider")
        .figures("nist_category", "NIST category", "", 0)
        .names("authenticates", "relay authenticated")
        .figures("kem_key", "KEM key", "B", 7)
        .figures("ciphertext", "ciphertext", "B", 8)
        .figures("onionskin", "onionskin", "B", 2)
        .figures("reply", "reply", "B", 3)
        .figures("cells", "cells", "", 1)
        .figures("bytes_factor", "bytes vs ntor", "", 4)
        .figures("create", "create", "µs", 5)
        .figures("answer", "reply time", "µs", 0)
        .figures("finish", "finish", "µs", 6)
        .figures("handshake_time", "handshake", "µs", 0);
    let mut seen: Vec<&str> = Vec::new();
    for first in all {
        if seen.contains(&first.algorithm.as_str()) {
            continue;
        }
        seen.push(&first.algorithm);
        let whole: Vec<_> = analysis
            .area(AREA)
            .filter(|one| {
                let case = one.case();
                case.algorithm == first.algorithm && case.operation == "handshake" && one.usual()
            })
            .collect();
        // Take the times from the best library that may be recommended. If there is none, show only lengths.
        let best = analysis.leading(&whole).first().map(|case| case.case().provider.clone());
        let best = all.iter().find(|one| one.algorithm == first.algorithm && Some(&one.provider) == best.as_ref());
        let category = analysis.area(AREA).find(|case| case.case().algorithm == first.algorithm);
        let category = category.and_then(|case| case.case().facts.category);
        let step = |place: usize| {
            Cell::optional(best.and_then(|best| best.steps[place].as_ref()), |timing| Cell::time_within(&timing.median))
        };
        let [onionskin, reply] = first.cells();
        let kem = KEMS.into_iter().find(|(name, ..)| first.algorithm.ends_with(name));
        let cells = [
            Cell::text(&first.algorithm),
            Cell::text(best.map(|best| best.provider.as_str()).unwrap_or_default()),
            Cell::optional(category, |category| Cell::number(category.to_string(), f64::from(category))),
            Cell::text(if first.authenticates_relay() { "yes" } else { "no" }),
            Cell::optional(kem.map(|(_, key, _)| key), Cell::whole),
            Cell::optional(kem.map(|(.., ciphertext)| ciphertext), Cell::whole),
            Cell::whole(first.onionskin),
            Cell::whole(first.reply),
            Cell::whole(onionskin + reply),
            Cell::optional(classical_baseline(all, first), |ntor| {
                Cell::factor(first.bytes() as f64 / ntor.bytes() as f64)
            }),
            step(0),
            step(1),
            step(2),
            Cell::optional(best.and_then(|best| best.whole.as_ref()), |timing| Cell::time_within(&timing.median)),
        ];
        let caveats = best.map_or_else(Caveats::default, |best| best.caveats.clone());
        rows.row([&caveats], cells);
    }
    rows
}
