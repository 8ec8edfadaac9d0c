//! Vector registers that libraries leave in use, and the cost to the code that follows.

use super::AREA;
use crate::case::CaseAnalysis;
use crate::group::{distinct, grouped};
use crate::run::RunAnalysis;
use crate::statement::{Statement, listed, times};
use pqlab_record::Case;
use pqlab_stats::Verdict;

/// The parameter of the case in which registers are cleared before the code that follows.
const BETWEEN: &str = "between";

/// An operation of a library, and the same with registers cleared after it.
struct Pair<'r, 'a> {
    left: &'r CaseAnalysis<'a>,
    cleared: &'r CaseAnalysis<'a>,
    /// How many times as long the code takes that finds registers in use; 1 if it is not known to take longer.
    cost: f64,
}

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let rows: Vec<&CaseAnalysis<'_>> = analysis.area(AREA).filter(|of| of.estimates.is_some()).collect();
    let (cleared, left): (Vec<_>, Vec<_>) = rows.into_iter().partition(|of| of.case().word(BETWEEN).is_some());
    let pairs = left.into_iter().filter_map(|left| {
        let cleared = cleared.iter().copied().find(|of| is_same(of.case(), left.case()))?;
        let compared = analysis.ratio(&[cleared], &[left])?;
        let cost = compared.ratio.filter(|_| compared.verdict() == Verdict::Slower).map_or(1.0, |of| of.ratio.estimate);
        Some(Pair { left, cleared, cost })
    });
    let pairs: Vec<Pair<'_, '_>> = pairs.collect();
    let mut all: Vec<Statement> = Vec::new();
    let mut clean: Vec<String> = Vec::new();
    for (provider, of) in grouped(pairs.iter(), |pair| pair.left.case().provider.clone()) {
        match leaves(analysis, &provider, &of) {
            Some(statement) => all.push(statement),
            None => clean.push(analysis.by(&provider)),
        }
    }
    if !clean.is_empty() {
        let text = format!("no operation of {} is known to slow the code after it", listed(&clean));
        all.push(Statement::new(AREA, "Nothing left behind", text));
    }
    all
}

fn is_same(cleared: &Case, left: &Case) -> bool {
    cleared.clone().without(&[BETWEEN]).id() == left.id()
}

/// What a library leaves behind, and what it costs at most; `None` if it costs nothing.
fn leaves(analysis: &RunAnalysis<'_>, provider: &str, pairs: &[&Pair<'_, '_>]) -> Option<Statement> {
    let costly: Vec<&&Pair<'_, '_>> = pairs.iter().filter(|pair| pair.cost > 1.0).collect();
    let worst = costly.iter().max_by(|one, other| one.cost.total_cmp(&other.cost))?;
    let ratio = times(analysis, &[worst.cleared], &[worst.left])?;
    let case = worst.left.case();
    let residues = costly.iter().filter_map(|pair| pair.left.estimates.as_ref()?.residues.as_ref()).flatten();
    let words = distinct(residues.map(|residue| residue.name().to_owned()));
    let words = if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) };
    let text = format!(
        "{ratio} the time with registers cleared in between, for {} {} with SSE code after it, the worst; {} of {} operations \
         slow the code after them{words}",
        case.algorithm,
        case.operation,
        costly.len(),
        pairs.len()
    );
    Some(Statement::new(AREA, format!("Left behind by {}", analysis.by(provider)), text))
}
