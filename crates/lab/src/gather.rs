//! Runs from the store, as reports need them: the newest whole, the others without their samples.

use crate::LabError;
use pqlab_record::Run;
use pqlab_report::history::Past;
use pqlab_store::{Store, StoreError};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// A run and what came before it.
#[derive(Debug)]
pub struct Gathered {
    /// The newest run.
    pub run: Run,
    /// The others, from the oldest to the newest.
    pub past: Vec<Past>,
}

/// Loads runs by their whole ids. Samples are many: each run is reduced to its medians before the next is loaded, by as
/// many threads as there are cores, each of which opens the store for itself.
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
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<(usize, Result<Past, StoreError>)>> = Mutex::new(Vec::new());
    let work = || {
        let store = open();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, id)) = ids.get(index) else { return };
            let past = match &store {
                Ok(store) => store.load_run(id).map(|run| Past::of(&run)),
                Err(_) => open().and_then(|store| store.load_run(id)).map(|run| Past::of(&run)),
            };
            found.lock().unwrap_or_else(PoisonError::into_inner).push((index, past));
        }
    };
    let run = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(ids.len());
        (0..threads).for_each(|_| {
            scope.spawn(work);
        });
        store.load_run(&newest)
    })?;
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|(index, _)| *index);
    let past = found.into_iter().map(|(_, past)| past).collect::<Result<_, StoreError>>()?;
    Ok(Gathered { run, past })
}
