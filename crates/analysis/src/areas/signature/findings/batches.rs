//! Findings about verifying a signature in a batch, compared with verifying it alone.

use crate::areas::signature::AREA;
use crate::case::CaseAnalysis;
use crate::group::grouped;
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case, time, time_per_item, times};
use pqlab_record::{Case, Parameter, State};

/// Batch operation to describe, and its batch size.
const BATCH: (&str, u64) = ("verify-x100", 100);

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let (operation, size) = BATCH;
    let by_all = |case: &Case| case.signers().is_none_or(|signers| signers == size);
    let suits = |one: &&CaseAnalysis<'_>| {
        let case = one.case();
        case.operation == operation && case.state() == State::Warm && by_all(case) && one.median().is_some()
    };
    let rows: Vec<&CaseAnalysis<'_>> = analysis.area(AREA).filter(suits).collect();
    let statement = |(algorithm, rows): (String, Vec<&&CaseAnalysis<'_>>)| {
        // Compare only keys in the form that most libraries support.
        let forms = grouped(rows.into_iter(), |case| (case.case().form, case.case().message_length()));
        let (_, rows) = forms.into_iter().max_by_key(|(_, rows)| rows.len())?;
        let rows: Vec<&CaseAnalysis<'_>> = rows.into_iter().map(|case| &analysis.cases()[case.place]).collect();
        let found = fastest_case(analysis, &rows)?;
        let batch = found.best[0];
        let mut text = format!("{} per signature in batches of {size} by {}", time_per_item(batch, size)?, found.by);
        if let Some(single) = single(analysis, batch.case()) {
            let all = vec![single; size as usize];
            let ratio = times(analysis, &all, &[batch])?;
            text = format!("{text}, {ratio} compared with single verification ({})", time(analysis, &[single])?);
        }
        Some(Statement::new(AREA, format!("Batches of {algorithm}"), text).first())
    };
    grouped(rows.iter(), |case| case.case().algorithm.clone()).into_iter().filter_map(statement).collect()
}

/// Returns the single verification that matches `batch`: the same algorithm, provider, key form and message length.
fn single<'r, 'a>(analysis: &'r RunAnalysis<'a>, batch: &Case) -> Option<&'r CaseAnalysis<'a>> {
    analysis.area(AREA).find(|one| {
        let case = one.case();
        let same = case.algorithm == batch.algorithm && case.provider == batch.provider && case.form == batch.form;
        same && case.has_only(&[Parameter::LENGTH])
            && case.operation == "verify"
            && case.message_length() == batch.message_length()
            && one.median().is_some()
    })
}
