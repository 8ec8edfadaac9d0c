//! The variants side by side, each by the libraries that are the fastest at it.

use super::AREA;
use crate::caveats::Caveats;
use crate::ntor::HandshakeFigures;
use crate::run::RunAnalysis;
use crate::tables::{Cell, Table};

pub(super) fn variants(analysis: &RunAnalysis<'_>, all: &[HandshakeFigures<'_>]) -> Table {
    let mut made = Table::new(
        "ntor-variants",
        AREA,
        "Circuit handshakes: variants, each by the libraries that are the fastest at it",
    )
    .names("handshake", "handshake")
    .names("provider", "provider")
    .figures("nist_category", "NIST category", "", 0)
    .names("authenticates", "relay authenticated")
    .figures("onionskin", "onionskin", "B", 2)
    .figures("reply", "reply", "B", 3)
    .figures("cells", "cells", "", 1)
    .figures("create", "create", "µs", 5)
    .figures("answer", "reply, time", "µs", 0)
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
            .filter(|of| {
                let case = of.case();
                case.algorithm == first.algorithm && case.operation == "handshake" && of.usual()
            })
            .collect();
        // What may not be recommended is no variant's best; where nothing may, lengths alone are told.
        let best = analysis.leading(&whole).first().map(|of| of.case().provider.clone());
        let best = all.iter().find(|of| of.algorithm == first.algorithm && Some(&of.provider) == best.as_ref());
        let category = analysis.area(AREA).find(|of| of.case().algorithm == first.algorithm);
        let category = category.and_then(|of| of.case().facts.category);
        let step = |place: usize| {
            Cell::of(best.and_then(|of| of.steps[place].as_ref()), |timing| Cell::time_within(&timing.median))
        };
        let [onionskin, reply] = first.cells();
        let cells = [
            Cell::text(&first.algorithm),
            Cell::text(best.map(|of| of.provider.as_str()).unwrap_or_default()),
            Cell::of(category, |category| Cell::number(category.to_string(), f64::from(category))),
            Cell::text(if first.authenticates_relay() { "yes" } else { "no" }),
            Cell::whole(first.onionskin),
            Cell::whole(first.reply),
            Cell::whole(onionskin + reply),
            step(0),
            step(1),
            step(2),
            Cell::of(best.and_then(|of| of.whole.as_ref()), |timing| Cell::time_within(&timing.median)),
        ];
        let caveats = best.map_or_else(Caveats::default, |of| of.caveats.clone());
        made.row([&caveats], cells);
    }
    made
}
