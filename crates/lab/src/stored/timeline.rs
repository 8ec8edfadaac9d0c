//! Visits all runs in a store with their figures, oldest first, with at most two runs in memory at a time.

use super::selection::HISTORY;
use crate::{LabError, compare_analyses};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::comparison::Judged;
use pqlab_analysis::history::{Past, same_machine};
use pqlab_analysis::timeline::{Changes, Timeline, TimelineRun};
use pqlab_harness::clock;
use pqlab_record::{Environment, RunSummary};
use pqlab_store::Store;
use std::collections::HashMap;

/// Time to use for a run if its recorded times cannot be parsed.
const UNKNOWN_MOMENT: &str = "1970-01-01T00:00:00Z";

/// Run that is being visited.
pub struct Visited<'v> {
    /// The run with its figures.
    pub analysis: RunAnalysis<'v>,
    /// Earlier runs of any suite on any machine, oldest first. Contains at most the 19 latest.
    pub past: &'v [Past],
    /// Earlier complete runs of the same suite on the same machine, oldest first. Contains at most the 19 latest.
    pub own_past: &'v [Past],
    /// Other facts about the run, and changes since the previous complete run of the same suite on the same machine.
    /// Its machine number is an index into [`Timeline::machines`].
    pub run: &'v TimelineRun,
    /// Whether this is the newest complete run of its suite on its machine.
    pub newest: bool,
}

/// Visits every run in a store, oldest first, and returns a summary. At most two runs with samples are in memory at any
/// time.
///
/// # Errors
/// [`LabError`] if the store fails or runs cannot be compared, and any error that `visit` returns.
pub fn timeline<E: From<LabError>>(
    store: &Store,
    mut visit: impl FnMut(Visited<'_>) -> Result<(), E>,
) -> Result<Timeline, E> {
    let (runs, machines) = placed(store)?;
    let mut newest: HashMap<(usize, &str), usize> = HashMap::new();
    for (place, (summary, machine)) in runs.iter().enumerate().filter(|(_, (summary, _))| summary.complete) {
        newest.insert((*machine, &summary.suite), place);
    }
    let mut past: Vec<Past> = Vec::new();
    let mut history: HashMap<(usize, &str), Vec<Past>> = HashMap::new();
    let mut listed: Vec<TimelineRun> = Vec::new();
    for (place, (summary, machine)) in runs.iter().enumerate() {
        let key = (*machine, summary.suite.as_str());
        let loaded = store.load_run(&summary.id).map_err(LabError::from)?;
        let analysis = RunAnalysis::new(&loaded);
        let history = history.entry(key).or_default();
        let changes = match history.last().filter(|_| summary.complete) {
            Some(before) => changes(store, &before.id, &analysis)?,
            None => None,
        };
        let moment = summary.finished_at.as_deref().and_then(clock::utc).or_else(|| clock::utc(&summary.started_at));
        let run = TimelineRun {
            summary: summary.clone(),
            machine: *machine,
            moment: moment.unwrap_or_else(|| UNKNOWN_MOMENT.to_owned()),
            changes,
        };
        let newest = newest.get(&key) == Some(&place);
        visit(Visited { analysis, past: &past, own_past: history, run: &run, newest })?;
        let reduced = Past::new(&loaded);
        if summary.complete {
            remember(history, reduced.clone());
        }
        remember(&mut past, reduced);
        listed.push(run);
    }
    listed.reverse();
    Ok(Timeline { machines, runs: listed })
}

/// Adds a run to a history, and keeps only the newest runs: one fewer than [`HISTORY`], because a report also contains
/// the run that it shows.
fn remember(past: &mut Vec<Past>, run: Past) {
    past.push(run);
    past.drain(..past.len().saturating_sub(HISTORY - 1));
}

/// Runs, oldest first, each with the index of its machine, and the list of machines. The machine of the newest run has
/// the index 0.
type Placed = (Vec<(RunSummary, usize)>, Vec<Environment>);

fn placed(store: &Store) -> Result<Placed, LabError> {
    let mut machines: Vec<Environment> = Vec::new();
    let mut runs = Vec::new();
    for summary in store.runs()? {
        let environment = store.load_header(&summary.id)?.environment;
        let machine = machines.iter().position(|known| same_machine(known, &environment)).unwrap_or(machines.len());
        if machine == machines.len() {
            machines.push(environment);
        }
        runs.push((summary, machine));
    }
    runs.reverse();
    Ok((runs, machines))
}

/// Compares a run with the earlier run that has the id `before`, under the rules of `pqlab compare`. Returns `None` if
/// the runs have no case in common.
fn changes(store: &Store, before: &str, run: &RunAnalysis<'_>) -> Result<Option<Changes>, LabError> {
    let before = store.load_run(before)?;
    match compare_analyses(store, &RunAnalysis::new(&before), run, None, Judged::Auto) {
        Ok(comparison) => Ok(Some(Changes::new(&comparison))),
        Err(LabError::NothingInCommon { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{case, record};
    use pqlab_record::{Protocol, Run, RunHeader};

    /// Returns a complete run of one case that started at this hour.
    fn run(hour: u32, suite: &str, host: &str, ns: f64) -> Run {
        let case = case("liboqs", "encapsulate");
        let mut environment = Environment::default();
        environment.host.name = Some(host.to_owned());
        let header = RunHeader {
            id: format!("run-{hour}"),
            suite: suite.to_owned(),
            command: "pqlab run".into(),
            seed: 1,
            started_at: format!("2026-11-21T{hour:02}:00:00Z"),
            environment,
            protocol: Protocol::default(),
            plan: vec![case.clone()],
        };
        let finished_at = Some(format!("2026-11-21T{hour:02}:30:00.25Z"));
        Run { header, records: vec![record(&case, ns, 2.5e9, u64::from(hour))], complete: true, finished_at }
    }

    #[test]
    fn compares_runs_with_the_previous_run_of_the_same_suite_and_machine() {
        let mut store = Store::in_memory().unwrap();
        let mut stopped = run(4, "standard", "one", 30_000.0);
        (stopped.complete, stopped.finished_at) = (false, None);
        stopped.header.plan.push(case("aws-lc", "encapsulate"));
        for run in [
            run(1, "standard", "one", 10_000.0),
            run(2, "standard", "two", 20_000.0),
            run(3, "quick", "one", 20_000.0),
            stopped,
            run(5, "standard", "one", 12_000.0),
            run(6, "standard", "two", 20_000.0),
        ] {
            store.import_run(&run).unwrap();
        }
        let mut seen = Vec::new();
        let found = timeline(&store, |at| {
            seen.push((at.run.summary.id.clone(), at.past.len(), at.own_past.len(), at.newest));
            Ok::<(), LabError>(())
        })
        .unwrap();
        let wanted = [
            ("run-1", 0, 0, false),
            ("run-2", 1, 0, false),
            ("run-3", 2, 0, true),
            ("run-4", 3, 1, false),
            ("run-5", 4, 1, true),
            ("run-6", 5, 1, true),
        ];
        assert_eq!(seen, wanted.map(|(id, past, own, newest)| (id.to_owned(), past, own, newest)));
        let hosts: Vec<_> = found.machines.iter().filter_map(|machine| machine.host.name.as_deref()).collect();
        assert_eq!(hosts, ["two", "one"]);
        let runs: Vec<_> = found
            .runs
            .iter()
            .map(|run| {
                let changes = run.changes.as_ref().map(|changes| (changes.earlier.as_str(), changes.slower()));
                (run.summary.id.as_str(), run.machine, changes)
            })
            .collect();
        let wanted = [
            ("run-6", 0, Some(("run-2", 0))),
            ("run-5", 1, Some(("run-1", 1))),
            ("run-4", 1, None),
            ("run-3", 1, None),
            ("run-2", 0, None),
            ("run-1", 1, None),
        ];
        assert_eq!(runs, wanted);
        assert_eq!(found.runs[1].moment, "2026-11-21T05:30:00Z");
        assert_eq!(found.runs[2].moment, "2026-11-21T04:00:00Z");
    }
}
