//! Findings about the cost of sealing and opening a message with a post-quantum KEM.

use super::AREA;
use crate::case::CaseAnalysis;
use crate::group::{distinct, grouped};
use crate::number::grouped as thousands;
use crate::run::RunAnalysis;
use crate::statement::{Fastest, Statement, fastest_library, time, times};

const OPERATIONS: [&str; 2] = ["seal", "open"];

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let usual = || analysis.area(AREA).filter(|case| case.usual() && case.median().is_some());
    let shortest = usual().filter_map(|case| case.case().message_length()).min();
    let rows: Vec<&CaseAnalysis<'_>> = usual().filter(|case| case.case().message_length() == shortest).collect();
    let is_post_quantum = |case: &CaseAnalysis<'_>| case.case().facts.category.is_some();
    let algorithms = distinct(rows.iter().map(|case| case.case().algorithm.as_str()));
    let fastest = |algorithm: &str| {
        let same: Vec<_> = rows.iter().copied().filter(|case| case.case().algorithm == algorithm).collect();
        both(analysis, &same)
    };
    let classical = rows.iter().find(|case| !is_post_quantum(case)).map(|case| case.case().algorithm.as_str());
    let old = classical.and_then(|name| Some((name, fastest(name)?)));
    let statement = |algorithm: &&str| {
        let new = fastest(algorithm).filter(|new| is_post_quantum(new.best[0]))?;
        let mut text = format!("{} by {} to seal and open", time(analysis, &new.best)?, new.by);
        if let Some((name, old)) = &old {
            let ratio = times(analysis, &old.best, &new.best)?.inside();
            text = format!("{text}, vs {} with {name} by {} ({ratio})", time(analysis, &old.best)?, old.by);
        }
        let key = |case: &CaseAnalysis<'_>| case.case().facts.sizes.ciphertext.map(thousands);
        if let Some(bytes) = key(new.best[0]) {
            let against = old.as_ref().and_then(|(_, old)| key(old.best[0]));
            let against = against.map(|bytes| format!(", vs {bytes} B")).unwrap_or_default();
            text = format!("{text}; the encapsulated key adds {bytes} B to the message{against}");
        }
        Some(Statement::new(AREA, format!("HPKE with {algorithm}"), text))
    };
    algorithms.iter().filter_map(statement).collect()
}

/// Returns the library with the smallest total time for sealing and opening.
fn both<'r, 'a>(analysis: &RunAnalysis<'a>, rows: &[&'r CaseAnalysis<'a>]) -> Option<Fastest<'r, 'a>> {
    let by_library = grouped(rows.iter(), |case| case.case().provider.clone());
    let rivals = by_library.into_iter().filter_map(|(_, rows)| {
        let part = |operation: &str| rows.iter().find(|row| row.case().operation == operation).map(|row| **row);
        OPERATIONS.into_iter().map(part).collect::<Option<Vec<_>>>()
    });
    fastest_library(analysis, &rivals.collect::<Vec<_>>())
}
