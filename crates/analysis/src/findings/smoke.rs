//! Finding on whether pqlab works on this machine.

use crate::number::grouped;
use crate::run::RunAnalysis;
use crate::statement::Statement;

/// Name of the suite that checks whether pqlab works on this machine.
const SUITE: &str = "smoke";

pub(super) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let cases = || analysis.cases().iter().filter(|case| !case.is_floor());
    let good = cases().filter(|case| case.estimates.is_some() && case.record.verified).count();
    if analysis.run.header.suite != SUITE || good == 0 {
        return Vec::new();
    }
    let planned = analysis.run.header.plan.iter().filter(|case| !case.is_overhead()).count();
    let text =
        format!("{} of {} cases were measured, with verified results", grouped(good as u64), grouped(planned as u64));
    vec![Statement::new(SUITE, "pqlab works here", text).first()]
}
