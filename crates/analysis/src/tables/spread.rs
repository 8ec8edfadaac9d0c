//! How widely single operations spread, beside what takes no branch on a secret.

use super::{Cell, Table};
use crate::case::CaseAnalysis;
use crate::estimates::Estimates;
use crate::number::{percent, significant};
use crate::run::RunAnalysis;

/// What steadiness is set against: 1 KB sealed with a cipher that takes no branch on a secret.
const STEADY: (&str, &str) = ("AES-256-GCM", "seal");
/// Areas that have it beside them.
const AREAS: [&str; 2] = ["hybrid", "certificate"];

pub(super) fn spread(analysis: &RunAnalysis<'_>) -> Table {
    let operations = |of: &'_ CaseAnalysis<'_>| of.estimates.as_ref().and_then(Estimates::operations).copied();
    let variation = |of: &CaseAnalysis<'_>| operations(of)?.robust_cov_pct();
    let steady = |of: &&CaseAnalysis<'_>| (of.case().algorithm.as_str(), of.case().operation.as_str()) == STEADY;
    let steady = analysis.area(AREAS[0]).filter(steady).filter_map(|of| Some((of.case(), variation(of)?)));
    let mut table = Table::new("spread", AREAS[0], "Spread of single operations beside that of AES-256-GCM, 1 KB")
        .names("operation", "operation")
        .names("provider", "provider")
        .figures("rcov", "rCoV", "%", 0)
        .figures("cov", "CoV", "%", 1)
        .figures("times", "of AES-256-GCM's", "", 0);
    let Some((steadiest, floor)) = steady.min_by(|one, other| one.1.total_cmp(&other.1)) else { return table };
    for of in AREAS.into_iter().flat_map(|area| analysis.area(area)) {
        let Some(robust) = variation(of) else { continue };
        let cells = [
            Cell::text(of.case().name()),
            Cell::text(&of.case().provider),
            Cell::percent(robust),
            Cell::of(operations(of).and_then(|of| of.cov_pct), Cell::percent),
            Cell::number(
                if robust <= floor { "no more".to_owned() } else { format!("{}×", significant(robust / floor)) },
                robust / floor,
            ),
        ];
        table.row([&of.caveats], cells);
    }
    table
        .note("rCoV: 0.741 times the width of the middle half over the median, the CoV of a normal distribution; a single outlier, which makes a CoV, does not move it")
        .note(format!("rCoV of {} by {}: {}", steadiest.name(), steadiest.provider, percent(floor)))
        .note("spread is not leakage: a signer that rejects and repeats shows 50% and leaks nothing, and a leak can hide in 2%")
}
