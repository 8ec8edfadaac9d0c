//! Findings about the cost of the first call, and of a call with evicted caches.

use crate::areas::{kem, signature};
use crate::case::CaseAnalysis;
use crate::group::grouped;
use crate::recommendation::CATEGORY;
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case, time, times};
use pqlab_record::{Case, Form, State};

/// Areas that measure operations in several [states](State): warm, on the first call, and with evicted caches.
const AREAS: [&str; 2] = [kem::AREA, signature::AREA];

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    AREAS.into_iter().flat_map(|area| area_statements(analysis, area)).map(Statement::first).collect()
}

fn area_statements(analysis: &RunAnalysis<'_>, area: &'static str) -> Vec<Statement> {
    let suits = |case: &&CaseAnalysis<'_>| case.estimates.is_some() && case.case().form != Some(Form::Encoded);
    let measured = || analysis.area(area).filter(suits);
    let in_state = |warm: &CaseAnalysis<'_>, state: State| {
        let id = warm.case().clone().in_state(state).id();
        measured().find(|case| case.case().id() == id)
    };
    let is_first = |case: &&CaseAnalysis<'_>| in_state(case, State::FirstCall).is_some();
    let warm: Vec<&CaseAnalysis<'_>> = measured().filter(|case| case.usual()).filter(is_first).collect();
    let strong = |case: &Case| case.facts.category >= Some(CATEGORY);
    let any_strong = warm.iter().any(|case| strong(case.case()));
    let rows = warm.iter().copied().filter(|case| strong(case.case()) || !any_strong);
    let statement = |((algorithm, operation), rows): ((String, String), Vec<&&CaseAnalysis<'_>>)| {
        let rows: Vec<&CaseAnalysis<'_>> = rows.into_iter().map(|case| &analysis.cases()[case.place]).collect();
        let found = fastest_case(analysis, &rows)?;
        let cold = in_state(found.best[0], State::FirstCall)?;
        let ratio = times(analysis, &found.best, &[cold])?;
        let mut text = format!(
            "{} for the first call by {}, {ratio} compared with a warm call ({})",
            time(analysis, &[cold])?,
            found.by,
            time(analysis, &found.best)?
        );
        if let Some(evicted) = in_state(found.best[0], State::Evicted) {
            text = format!("{text}; with evicted caches, {}", times(analysis, &found.best, &[evicted])?);
        }
        Some(Statement::new(area, format!("Cold {algorithm} {operation}"), text))
    };
    let rows: Vec<&CaseAnalysis<'_>> = rows.collect();
    let groups = grouped(rows.iter(), |case| (case.case().algorithm.clone(), case.case().operation.clone()));
    groups.into_iter().filter_map(statement).collect()
}
