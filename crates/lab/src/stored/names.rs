//! Names and removes stored runs.

use crate::LabError;
use pqlab_record::RunSummary;
use pqlab_store::Store;

/// Checks that a run can be given this name. `force` permits a name that another run already has.
///
/// # Errors
/// [`LabError::Store`] for an invalid name, [`LabError::Invalid`] for a name that is taken.
pub fn check_name(store: &Store, name: &str, force: bool) -> Result<(), LabError> {
    Store::check_baseline_name(name)?;
    match store.baseline(name)?.filter(|_| !force) {
        Some(run) => Err(LabError::invalid("name", format!("the name {name} already belongs to run {run}"))),
        None => Ok(()),
    }
}

/// Removes runs and their samples. Resolves all references before it removes the first run. The reference `last`
/// therefore keeps its meaning, and an invalid reference leaves all runs in place. `force` permits removing runs that
/// have names; the names are then removed as well. Returns the removed runs.
///
/// # Errors
/// [`LabError::Store`] if a run is unknown, [`LabError::Invalid`] if a run has a name and `force` is not set.
pub fn remove_runs(store: &mut Store, references: &[String], force: bool) -> Result<Vec<RunSummary>, LabError> {
    let ids = references.iter().map(|run| store.resolve(run)).collect::<Result<Vec<_>, _>>()?;
    let chosen: Vec<RunSummary> = store.runs()?.into_iter().filter(|run| ids.contains(&run.id)).collect();
    if let Some(named) = chosen.iter().find(|run| !run.names.is_empty()).filter(|_| !force) {
        let (id, names) = (&named.id, named.names.join(", "));
        let reason = format!("run {id} is named {names}, so nothing was removed");
        return Err(LabError::invalid("force", reason));
    }
    for run in &chosen {
        store.delete_run(&run.id)?;
    }
    Ok(chosen)
}
