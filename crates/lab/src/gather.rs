//! Runs from the store, as reports need them: what is shown whole, the others without their samples.

use crate::LabError;
use pqlab_analysis::comparison::differences_of_builds;
use pqlab_analysis::history::Past;
use pqlab_analysis::{Merged, RunAnalysis};
use pqlab_record::Run;
use pqlab_store::{Store, StoreError};
use rayon::prelude::*;

/// What a report shows, and what came before it.
#[derive(Debug)]
pub struct Gathered {
    shown: Shown,
    /// The others, from the oldest to the newest.
    pub past: Vec<Past>,
}

#[derive(Debug)]
enum Shown {
    Run(Box<Run>),
    Merged(Box<Merged>),
}

impl Gathered {
    /// What is shown, with its figures.
    pub fn analysis(&self) -> RunAnalysis<'_> {
        match &self.shown {
            Shown::Run(run) => RunAnalysis::of(run),
            Shown::Merged(merged) => merged.analysis(),
        }
    }
}

/// Loads runs by their whole ids, of which the newest is shown. Samples are many: each of the others is reduced to its medians
/// before the next is loaded; several are loaded at once, each through a connection of its own.
///
/// # Errors
/// What the store says; [`LabError::NoRuns`] for no ids at all.
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

/// Loads runs by their whole ids and puts those that are to be shown into one; the past is given from the oldest to the newest.
///
/// # Errors
/// What the store says; [`LabError::NotOneRun`] where the runs shown are of several machines or builds.
pub fn gather_merged(
    open: impl Fn() -> Result<Store, StoreError> + Sync,
    shown: &[String],
    past: &[String],
) -> Result<Gathered, LabError> {
    let store = open()?;
    let runs = shown.iter().map(|id| store.load_run(id)).collect::<Result<Vec<Run>, StoreError>>()?;
    drop(store);
    let merged = Merged::of(runs).map_err(LabError::NotOneRun)?;
    Ok(Gathered { shown: Shown::Merged(Box::new(merged)), past: reduced(&open, past)? })
}

fn reduced(open: &(impl Fn() -> Result<Store, StoreError> + Sync), ids: &[String]) -> Result<Vec<Past>, StoreError> {
    let past = |id: &String| open()?.load_run(id).map(|run| Past::of(&run));
    ids.par_iter().with_max_len(1).map(past).collect()
}

/// The newest complete run of each suite that was measured on the machine and by the build of the newest complete run, the
/// newest first.
///
/// # Errors
/// What the store says; [`LabError::NoRuns`] where no run is complete.
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
