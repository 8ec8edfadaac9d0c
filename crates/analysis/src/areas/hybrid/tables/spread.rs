//! How widely single operations spread, beside what takes no branch on a secret.

use crate::areas::certificate;
use crate::areas::hybrid::AREA;
use crate::case::CaseAnalysis;
use crate::estimates::Estimates;
use crate::number::{percent, significant};
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

/// What steadiness is set against: 1 KB sealed with a cipher that takes no branch on a secret.
const STEADY: (&str, &str) = ("AES-256-GCM", "seal");
/// What a distance of quartiles is of a normal distribution's standard deviation, its reciprocal.
const QUARTILES: f64 = 0.741;
/// Areas that have it beside them.
const AREAS: [&str; 2] = [AREA, certificate::AREA];

pub(crate) fn spread(analysis: &RunAnalysis<'_>) -> Table {
    let operations = |of: &'_ CaseAnalysis<'_>| of.estimates.as_ref().and_then(Estimates::operations).copied();
    let variation = |of: &CaseAnalysis<'_>| {
        let single = operations(of)?;
        // Where half of the samples show one reading, the step of the clock is what bounds their spread.
        let step = || of.header().environment.counters.resolution_ns / single.median;
        single.robust_cov_pct().or_else(|| (single.n >= 4 && single.median > 0.0).then(|| 100.0 * step() * QUARTILES))
    };
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
        .note("rCoV: 0.741 times the width of the middle half over the median, the CoV of a normal distribution; a single outlier, which makes a CoV, does not move it; where the clock shows one reading for all of that half, a step of the clock stands for it")
        .note(format!("rCoV of {} by {}: {}", steadiest.name(), steadiest.provider, percent(floor)))
        .note("spread is not leakage: a signer that rejects and repeats shows 50% and leaks nothing, and a leak can hide in 2%")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use pqlab_fixtures::{record, run};

    #[test]
    fn a_clock_of_coarse_steps_hides_no_yardstick() {
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
        let analysis = RunAnalysis::of(&run);
        let table = spread(&analysis);
        assert_eq!(table.rows.len(), 1, "{table:?}");
        assert!(format!("{table:?}").contains("4.4%"), "a step of 10 ns on 170 ns: {table:?}");
    }
}
