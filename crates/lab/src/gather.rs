//! Runs from the store, as reports need them: the newest whole, the others without their samples.

use crate::LabError;
use pqlab_analysis::history::Past;
use pqlab_record::Run;
use pqlab_store::{Store, StoreError};
use rayon::prelude::*;

/// A run and what came before it.
#[derive(Debug)]
pub struct Gathered {
    /// The newest run.
    pub run: Run,
    /// The others, from the oldest to the newest.
    pub past: Vec<Past>,
}

/// Loads runs by their whole ids. Samples are many: each run is reduced to its medians before the next is loaded; several
/// are loaded at once, each through a connection of its own.
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
    let past = |(_, id): &(String, String)| open()?.load_run(id).map(|run| Past::of(&run));
    let (run, past) = rayon::join(
        move || store.load_run(&newest),
        || ids.par_iter().with_max_len(1).map(past).collect::<Result<Vec<_>, StoreError>>(),
    );
    Ok(Gathered { run: run?, past: past? })
}
