//! Loads stored runs for reports. Keeps the samples only of the run that the report shows.

use crate::LabError;
use pqlab_analysis::comparison::differences_of_builds;
use pqlab_analysis::history::Past;
use pqlab_analysis::{Merged, RunAnalysis};
use pqlab_record::Run;
use pqlab_store::{Store, StoreError};
use rayon::prelude::*;

/// Run that a report shows, with other runs as its history.
#[derive(Debug)]
pub struct Gathered {
    shown: Shown,
    /// The other runs, oldest first.
    pub past: Vec<Past>,
}

#[derive(Debug)]
enum Shown {
    Run(Box<Run>),
    Merged(Box<Merged>),
}

impl Gathered {
    /// Returns the analysis of the shown run.
    pub fn analysis(&self) -> RunAnalysis<'_> {
        match &self.shown {
            Shown::Run(run) => RunAnalysis::new(run),
            Shown::Merged(merged) => merged.analysis(),
        }
    }
}

/// Loads the runs with these full ids. The report shows the newest of them; the others are its history. Several threads
/// load runs in parallel, each run through a connection that `open` creates. To save memory, a thread reduces a run to
/// its medians before it loads the next run.
///
/// # Errors
/// Errors from the store; [`LabError::NoRuns`] if there are no ids.
pub fn gather(open: impl Fn() -> Result<Store, StoreError> + Sync, ids: &[String]) -> Result<Gathered, LabError> {
    let store = open()?;
    let mut ids: Vec<(String, String)> =
        ids.iter().map(|id| Ok((store.load_header(id)?.started_at, id.clone()))).collect::<Result<_, StoreError>>()?;
    ids.sort();
    ids.dedup();
    let Some((_, newest)) = ids.pop() else { return Err(LabError::NoRuns) };
    let past: Vec<String> = ids.into_iter().map(|(_, id)| id).collect();
    let (run, past) = rayon::join(move || store.load_run(&newest), || reduced(&open, &past));
    Ok(Gathered { shown: Shown::Run(Box::new(run?)), past: past? })
}

/// Loads the runs that the report shows, and combines them into one run. Also loads the runs of the history. `shown`
/// and `past` contain the full ids of these runs; `past` is in order, oldest first.
///
/// # Errors
/// Errors from the store; [`LabError::NotOneRun`] if the shown runs are from several machines or builds.
pub fn gather_merged(
    open: impl Fn() -> Result<Store, StoreError> + Sync,
    shown: &[String],
    past: &[String],
) -> Result<Gathered, LabError> {
    let store = open()?;
    let runs = shown.iter().map(|id| store.load_run(id)).collect::<Result<Vec<Run>, StoreError>>()?;
    drop(store);
    let merged = Merged::new(runs).map_err(LabError::NotOneRun)?;
    Ok(Gathered { shown: Shown::Merged(Box::new(merged)), past: reduced(&open, past)? })
}

fn reduced(open: &(impl Fn() -> Result<Store, StoreError> + Sync), ids: &[String]) -> Result<Vec<Past>, StoreError> {
    let past = |id: &String| open()?.load_run(id).map(|run| Past::new(&run));
    ids.par_iter().with_max_len(1).map(past).collect()
}

/// Returns the id of the newest complete run of each suite, newest first. Considers only runs from the same machine and
/// build as the newest complete run.
///
/// # Errors
/// Errors from the store; [`LabError::NoRuns`] if no run is complete.
pub fn newest_of_each_suite(store: &Store) -> Result<Vec<String>, LabError> {
    let runs = store.runs()?;
    let mut complete: Vec<_> = runs.iter().filter(|run| run.complete).collect();
    complete.sort_by(|one, other| (&other.started_at, &other.id).cmp(&(&one.started_at, &one.id)));
    let Some(newest) = complete.first() else { return Err(LabError::NoRuns) };
    let environment = store.load_header(&newest.id)?.environment;
    let mut found: Vec<(&str, String)> = Vec::new();
    for run in complete {
        if found.iter().any(|(suite, _)| *suite == run.suite) {
            continue;
        }
        if differences_of_builds(&environment, &store.load_header(&run.id)?.environment).is_empty() {
            found.push((&run.suite, run.id.clone()));
        }
    }
    Ok(found.into_iter().map(|(_, id)| id).collect())
}

/// Maximum number of runs in a report if the user names none, including the shown runs.
pub(crate) const HISTORY: usize = 20;

/// Runs for a report, with a hint about other runs.
#[derive(Debug)]
pub struct Reported {
    /// The shown run, with its history.
    pub gathered: Gathered,
    /// Number of suites with a complete run from the same machine and build as the shown run. `None` if there is only
    /// one such suite, or if the caller named or merged runs.
    pub suites: Option<usize>,
}

/// Loads the runs for a report. The report shows the newest referenced run, with the other referenced runs as its
/// history. Without references, it shows the latest run, with the runs before it. If `merge` is set, it combines all
/// referenced runs or, without references, the runs from [`newest_of_each_suite`].
///
/// # Errors
/// Errors from [`gather`] and [`gather_merged`].
pub fn gather_report(
    open: impl Fn() -> Result<Store, StoreError> + Sync,
    references: &[String],
    merge: bool,
) -> Result<Reported, LabError> {
    let store = open()?;
    let named = references.iter().map(|run| store.resolve(run)).collect::<Result<Vec<String>, _>>()?;
    let others = |shown: &[String]| -> Result<Vec<String>, LabError> {
        let runs = store.runs()?.into_iter().map(|run| run.id).filter(|id| !shown.contains(id));
        Ok(runs.take(HISTORY.saturating_sub(shown.len())).collect())
    };
    if merge {
        let (shown, mut past) = match named.is_empty() {
            true => {
                let shown = newest_of_each_suite(&store)?;
                let past = others(&shown)?;
                (shown, past)
            }
            false => (named, Vec::new()),
        };
        past.reverse();
        return Ok(Reported { gathered: gather_merged(open, &shown, &past)?, suites: None });
    }
    if !named.is_empty() {
        return Ok(Reported { gathered: gather(open, &named)?, suites: None });
    }
    let newest = vec![store.resolve("last")?];
    let suites = match newest_of_each_suite(&store) {
        Ok(suites) if suites.len() > 1 && suites.contains(&newest[0]) => Some(suites.len()),
        _ => None,
    };
    let ids = [others(&newest)?, newest].concat();
    Ok(Reported { gathered: gather(open, &ids)?, suites })
}
