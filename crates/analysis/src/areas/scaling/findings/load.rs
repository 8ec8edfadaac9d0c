//! Findings about the throughput of a thread pool under the largest load.

use crate::areas::scaling::{LoadFigures, loads};
use crate::case::CaseAnalysis;
use crate::group::gathered;
use crate::number::{difference, grouped, known_rate, percent, time};
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case};

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let entries = loads(analysis);
    let with_case = entries.iter().filter_map(|entry| {
        let case = analysis.cases().iter().find(|case| case.case().id() == entry.id)?;
        (!case.case().is_null()).then_some((entry.name.clone(), (entry, case)))
    });
    gathered(with_case).into_iter().filter_map(|(name, entries)| largest(analysis, &name, &entries)).collect()
}

fn largest(analysis: &RunAnalysis<'_>, name: &str, all: &[(&LoadFigures, &CaseAnalysis<'_>)]) -> Option<Statement> {
    let most = all.iter().map(|(entry, _)| entry.tasks).max()?;
    let cases: Vec<&CaseAnalysis<'_>> =
        all.iter().filter(|(entry, _)| entry.tasks == most).map(|(_, case)| &analysis.cases()[case.place]).collect();
    let found = fastest_case(analysis, &cases)?;
    let best = found.best[0];
    let (entry, _) = all.iter().find(|(_, case)| case.place == best.place)?;
    let mut text = format!(
        "{} a second by {} ({} concurrent tasks, {} workers)",
        known_rate(&best.estimates.as_ref()?.operations_per_second()?),
        found.by,
        grouped(most),
        entry.workers
    );
    if let Some(change) = entry.against_peak_pct.filter(|change| change.estimate < 0.0) {
        text = format!("{text}, {} compared with the best load", difference(&change));
    }
    if let Some(wait) = entry.queueing_p99_us {
        text = format!("{text}; {} of the tasks wait at most {}", percent(99.0), time(1e3 * wait));
    }
    Some(Statement::new(&best.case().workload, name.replacen("-load", " under load", 1), text))
}
