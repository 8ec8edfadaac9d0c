//! Findings about peak memory: the lowest and highest peaks, and operations that need more than a small stack.

use super::{AREA, PEAKS};
use crate::case::CaseAnalysis;
use crate::group::grouped;
use crate::number::memory;
use crate::recommendation::CATEGORY;
use crate::run::RunAnalysis;
use crate::statement::{Statement, listed};

/// Typical stack size of a thread on small systems, in bytes.
const SMALL_STACK: f64 = 64.0 * 1024.0;
/// Maximum number of operations to list as exceeding [`SMALL_STACK`].
const NAMED: usize = 6;

/// A case with its peak stack use and peak heap use, in bytes.
struct Peak<'r, 'a> {
    of: &'r CaseAnalysis<'a>,
    stack: f64,
    heap: f64,
}

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let peak = |of| Some(Peak { of, stack: most(of, PEAKS[0])?, heap: most(of, PEAKS[1])? });
    let measured = analysis.area(AREA).filter(|of| of.usual() && !of.case().is_null());
    let peaks: Vec<Peak<'_, '_>> = measured.filter_map(peak).collect();
    let category = peaks.iter().filter_map(|peak| peak.of.case().facts.category).filter(|of| *of <= CATEGORY).max();
    let suits = |peak: &&Peak<'_, '_>| peak.of.case().facts.category == category;
    let by_operation = grouped(peaks.iter().filter(suits), |peak| {
        (peak.of.case().algorithm.clone(), peak.of.case().operation.clone())
    });
    let mut all: Vec<Statement> =
        by_operation.iter().filter_map(|(_, peaks)| least_and_most(analysis, peaks)).collect();
    all.extend(beyond(analysis, &peaks));
    all
}

fn most(of: &CaseAnalysis<'_>, name: &str) -> Option<f64> {
    Some(of.estimates.as_ref()?.extra(name)?.max)
}

fn bytes(of: f64) -> String {
    memory(of as u64)
}

fn least_and_most(analysis: &RunAnalysis<'_>, peaks: &[&Peak<'_, '_>]) -> Option<Statement> {
    let by_stack = |one: &&&Peak<'_, '_>, other: &&&Peak<'_, '_>| one.stack.total_cmp(&other.stack);
    let least = peaks.iter().filter(|peak| peak.of.ranked()).min_by(by_stack)?;
    let most = peaks.iter().max_by(by_stack)?;
    let describe = |peak: &Peak<'_, '_>| {
        let heap = if peak.heap > 0.0 { format!(" and {} of heap", bytes(peak.heap)) } else { String::new() };
        format!("{} of stack{heap} by {}", bytes(peak.stack), analysis.by(&peak.of.case().provider))
    };
    let mut text = describe(least);
    if most.stack > least.stack {
        text = format!("{text} (least), {} (most)", describe(most));
    }
    let case = least.of.case();
    Some(Statement::new(AREA, format!("Peak memory of {} {}", case.algorithm, case.operation), text))
}

/// Lists the operations whose stack use exceeds [`SMALL_STACK`].
fn beyond(analysis: &RunAnalysis<'_>, peaks: &[Peak<'_, '_>]) -> Option<Statement> {
    if peaks.is_empty() {
        return None;
    }
    let mut large: Vec<&Peak<'_, '_>> = peaks.iter().filter(|peak| peak.stack > SMALL_STACK).collect();
    large.sort_by(|one, other| other.stack.total_cmp(&one.stack));
    let limit = bytes(SMALL_STACK);
    let name = |peak: &&Peak<'_, '_>| {
        let case = peak.of.case();
        format!("{} {} by {} ({})", case.algorithm, case.operation, analysis.by(&case.provider), bytes(peak.stack))
    };
    let mut named: Vec<String> = large.iter().take(NAMED).map(name).collect();
    if large.len() > NAMED {
        named.push(format!("{} more", large.len() - NAMED));
    }
    let count = format!("more than {limit} of stack in {} of {} operations", large.len(), peaks.len());
    let text = if named.is_empty() { count } else { format!("{count}: {}", listed(&named)) };
    Some(Statement::new(AREA, "Large stacks", text))
}
