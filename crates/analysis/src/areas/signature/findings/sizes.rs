//! Findings about the lengths of signatures.

use crate::areas::signature::{AREA, most_lengths};
use crate::group::distinct;
use crate::number::{digits, grouped};
use crate::run::RunAnalysis;
use crate::statement::Statement;

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let algorithms = distinct(analysis.area(AREA).map(|of| of.case().algorithm.as_str()));
    let statement = |algorithm: &str| {
        let (of, lengths) = most_lengths(analysis, algorithm).filter(|(_, lengths)| lengths.n > 1)?;
        let case = of.case();
        let seen = format!("{} signatures by {}", grouped(lengths.n as u64), analysis.by(&case.provider));
        let mut text = match lengths.min < lengths.max {
            true => format!(
                "{} B on average and {} B at most in {seen}",
                digits(lengths.mean, 4),
                grouped(lengths.max as u64)
            ),
            false => format!("{} B each in {seen}", grouped(lengths.max as u64)),
        };
        if let Some(limit) = case.facts.sizes.signature {
            text = format!("{text}; the encoding allows {} B", grouped(limit));
        }
        Some(Statement::new(AREA, format!("{algorithm} signature"), text))
    };
    algorithms.into_iter().filter_map(statement).collect()
}
