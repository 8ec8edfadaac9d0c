//! Findings about vector registers that libraries leave in use, and the cost to the code that follows.

use super::AREA;
use crate::case::CaseAnalysis;
use crate::group::{distinct, grouped};
use crate::run::RunAnalysis;
use crate::statement::{Statement, listed, times};
use pqlab_record::Case;
use pqlab_stats::Verdict;

/// Parameter of cases that clear the registers after the call, before the code that follows.
const BETWEEN: &str = "between";

/// A library's operation, and the same operation followed by clearing the registers.
struct Pair<'r, 'a> {
    left: &'r CaseAnalysis<'a>,
    cleared: &'r CaseAnalysis<'a>,
    /// Ratio of the time with registers left in use to the time with cleared registers; 1 if no slowdown is known.
    cost: f64,
}

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let rows: Vec<&CaseAnalysis<'_>> = analysis.area(AREA).filter(|case| case.estimates.is_some()).collect();
    let (cleared, left): (Vec<_>, Vec<_>) = rows.into_iter().partition(|case| case.case().word(BETWEEN).is_some());
    let pairs = left.into_iter().filter_map(|left| {
        let cleared = cleared.iter().copied().find(|case| is_same(case.case(), left.case()))?;
        let compared = analysis.ratio(&[cleared], &[left])?;
        let slower = compared.ratio.filter(|_| compared.verdict() == Verdict::Slower);
        let cost = slower.map_or(1.0, |found| found.ratio.estimate);
        Some(Pair { left, cleared, cost })
    });
    let pairs: Vec<Pair<'_, '_>> = pairs.collect();
    let mut all: Vec<Statement> = Vec::new();
    let mut clean: Vec<String> = Vec::new();
    for (provider, pairs_of_library) in grouped(pairs.iter(), |pair| pair.left.case().provider.clone()) {
        match leaves(analysis, &provider, &pairs_of_library) {
            Some(statement) => all.push(statement),
            None => clean.push(analysis.by(&provider)),
        }
    }
    if !clean.is_empty() {
        let text = format!("no operation of {} is known to slow the code that follows", listed(&clean));
        all.push(Statement::new(AREA, "No slowdown from register state", text));
    }
    all
}

fn is_same(cleared: &Case, left: &Case) -> bool {
    cleared.clone().without(&[BETWEEN]).id() == left.id()
}

/// Describes the state that a library leaves behind, and the largest slowdown that the state causes. Returns `None` if
/// no slowdown is known.
fn leaves(analysis: &RunAnalysis<'_>, provider: &str, pairs: &[&Pair<'_, '_>]) -> Option<Statement> {
    let costly: Vec<&&Pair<'_, '_>> = pairs.iter().filter(|pair| pair.cost > 1.0).collect();
    let worst = costly.iter().max_by(|one, other| one.cost.total_cmp(&other.cost))?;
    let ratio = times(analysis, &[worst.cleared], &[worst.left])?;
    let case = worst.left.case();
    let residues = costly.iter().filter_map(|pair| pair.left.estimates.as_ref()?.residues.as_ref()).flatten();
    let words = distinct(residues.map(|residue| residue.name().to_owned()));
    let words = if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) };
    let text = format!(
        "{ratio} for {} {} followed by SSE code (the worst case), compared with clearing the registers in between; {} \
         of {} operations slow the code that follows{words}",
        case.algorithm,
        case.operation,
        costly.len(),
        pairs.len()
    );
    Some(Statement::new(AREA, format!("Register state left by {}", analysis.by(provider)), text))
}
