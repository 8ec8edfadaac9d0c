//! Throughput of a thread pool under the largest load.

use crate::areas::scaling::{LoadFigures, loads};
use crate::case::CaseAnalysis;
use crate::group::gathered;
use crate::number::{difference, grouped, known_rate, percent, time};
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case};

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let entries = loads(analysis);
    let with_case = entries.iter().filter_map(|entry| {
        let of = analysis.cases().iter().find(|of| of.case().id() == entry.id)?;
        (!of.case().is_null()).then_some((entry.name.clone(), (entry, of)))
    });
    gathered(with_case).into_iter().filter_map(|(name, of)| largest(analysis, &name, &of)).collect()
}

fn largest(analysis: &RunAnalysis<'_>, name: &str, all: &[(&LoadFigures, &CaseAnalysis<'_>)]) -> Option<Statement> {
    let most = all.iter().map(|(entry, _)| entry.tasks).max()?;
    let cases: Vec<&CaseAnalysis<'_>> =
        all.iter().filter(|(entry, _)| entry.tasks == most).map(|(_, of)| &analysis.cases()[of.place]).collect();
    let found = fastest_case(analysis, &cases)?;
    let best = found.best[0];
    let (entry, _) = all.iter().find(|(_, of)| of.place == best.place)?;
    let mut text = format!(
        "{} a second with {} tasks at once on {} workers by {}",
        known_rate(&best.estimates.as_ref()?.operations_per_second()?),
        grouped(most),
        entry.workers,
        found.by
    );
    if let Some(of) = entry.against_peak_pct.filter(|of| of.estimate < 0.0) {
        text = format!("{text}, {} against the best load", difference(&of));
    }
    if let Some(wait) = entry.queueing_p99_us {
        text = format!("{text}; {} of the tasks wait {} or less", percent(99.0), time(1e3 * wait));
    }
    Some(Statement::new(&best.case().workload, format!("Load of {name}"), text))
}
