//! Table of the spread of single operations, compared with an operation that never branches on a secret.

use crate::areas::certificate;
use crate::areas::hybrid::AREA;
use crate::case::CaseAnalysis;
use crate::estimates::Estimates;
use crate::number::{percent, significant};
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

/// Baseline: sealing 1 KB with a cipher that never branches on a secret.
const STEADY: (&str, &str) = ("AES-256-GCM", "seal");
/// Standard deviation of a normal distribution divided by its interquartile range.
const QUARTILES: f64 = 0.741;
/// Areas that the table covers. The first area also measures the baseline.
const AREAS: [&str; 2] = [AREA, certificate::AREA];

pub(crate) fn spread(analysis: &RunAnalysis<'_>) -> Table {
    let operations = |case: &'_ CaseAnalysis<'_>| case.estimates.as_ref().and_then(Estimates::operations).copied();
    let variation = |case: &CaseAnalysis<'_>| {
        let single = operations(case)?;
        // If at least half of the samples have the same reading, their spread is at most one step of the clock.
        let step = || case.header().environment.counters.resolution_ns / single.median;
        single.robust_cov_pct().or_else(|| (single.n >= 4 && single.median > 0.0).then(|| 100.0 * step() * QUARTILES))
    };
    let steady = |case: &&CaseAnalysis<'_>| (case.case().algorithm.as_str(), case.case().operation.as_str()) == STEADY;
    let steady = analysis.area(AREAS[0]).filter(steady).filter_map(|case| Some((case.case(), variation(case)?)));
    let mut table = Table::new("spread", AREAS[0], "Spread of single operations compared with AES-256-GCM, 1 KB")
        .names("operation", "operation")
        .names("provider", "provider")
        .figures("rcov", "rCoV", "%", 0)
        .figures("cov", "CoV", "%", 1)
        .figures("times", "vs AES-256-GCM", "", 0);
    let Some((steadiest, floor)) = steady.min_by(|one, other| one.1.total_cmp(&other.1)) else { return table };
    for case in AREAS.into_iter().flat_map(|area| analysis.area(area)) {
        let Some(robust) = variation(case) else { continue };
        let cells = [
            Cell::text(case.case().name()),
            Cell::text(&case.case().provider),
            Cell::percent(robust),
            Cell::optional(operations(case).and_then(|description| description.cov_pct), Cell::percent),
            Cell::number(
                if robust <= floor { "at most 1×".to_owned() } else { format!("{}×", significant(robust / floor)) },
                robust / floor,
            ),
        ];
        table.row([&case.caveats], cells);
    }
    table
        .note(
            "rCoV: 0.741 × interquartile range / median; equals the CoV for a normal distribution, but ignores single \
             outliers; if all samples in the middle half are equal, one clock step replaces the range",
        )
        .note(format!(
            "baseline: {} by {}, the library with the lowest rCoV for this operation ({})",
            steadiest.name(),
            steadiest.provider,
            percent(floor)
        ))
        .note("spread is not leakage: a signer that retries can show 50% without leaking, and a leak can hide in 2%")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use pqlab_fixtures::{record, run};

    #[test]
    fn a_coarse_clock_keeps_the_baseline() {
        let mut run = run();
        let mut steady = record("aws-lc", 0.170);
        (steady.case.workload, steady.case.algorithm, steady.case.operation) =
            (AREAS[0].to_owned(), STEADY.0.to_owned(), STEADY.1.to_owned());
        (steady.samples.batch, steady.samples.ns_per_tick) = (1, Some(1.0));
        for visit in &mut steady.samples.visits {
            visit.ticks.fill(170);
        }
        run.records.push(steady);
        run.header.environment.counters.resolution_ns = 10.0;
        let analysis = RunAnalysis::new(&run);
        let table = spread(&analysis);
        assert_eq!(table.rows.len(), 1, "{table:?}");
        assert!(format!("{table:?}").contains("4.4%"), "0.741 × 10 ns / 170 ns must show as 4.4%: {table:?}");
    }
}
