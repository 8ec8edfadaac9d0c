//! Stored runs by what users call them: names that are passed on, runs that are removed.

use crate::LabError;
use pqlab_record::RunSummary;
use pqlab_store::Store;

/// Whether a run may be given this name: one that another has is passed on with `force` alone.
///
/// # Errors
/// [`LabError::Store`] for what is no name, [`LabError::Invalid`] for one that is taken.
pub fn check_name(store: &Store, name: &str, force: bool) -> Result<(), LabError> {
    Store::check_baseline_name(name)?;
    match store.baseline(name)?.filter(|_| !force) {
        Some(run) => Err(LabError::invalid("name", format!("the name {name} is that of run {run}"))),
        None => Ok(()),
    }
}

/// Removes runs with all their samples: all of those that are named, or none. They are looked up before the first is removed:
/// `last` means what it meant when it was said. One that has a name goes with `force` alone, and the name with it.
///
/// # Errors
/// [`LabError::Store`] where one is not there, [`LabError::Invalid`] where one has a name.
pub fn remove_runs(store: &mut Store, references: &[String], force: bool) -> Result<Vec<RunSummary>, LabError> {
    let ids = references.iter().map(|run| store.resolve(run)).collect::<Result<Vec<_>, _>>()?;
    let chosen: Vec<RunSummary> = store.runs()?.into_iter().filter(|run| ids.contains(&run.id)).collect();
    if let Some(named) = chosen.iter().find(|run| !run.names.is_empty()).filter(|_| !force) {
        let (id, names) = (&named.id, named.names.join(", "));
        let reason = format!("run {id} is kept under the name {names}: nothing was removed");
        return Err(LabError::invalid("force", reason));
    }
    for run in &chosen {
        store.delete_run(&run.id)?;
    }
    Ok(chosen)
}
