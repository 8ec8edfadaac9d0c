//! Helpers for the tests of all workloads.

use crate::Workload;
use pqlab_harness::{Fault, Recorder, Seed, Trial};
use pqlab_primitives::Provider;
use pqlab_record::Case;
use std::sync::Arc;

pub(crate) const SEED: Seed = Seed { run: 1, process: 0 };

/// Prepares a case.
pub(crate) fn prepared(workload: &dyn Workload, case: &Case, providers: &[Arc<Provider>]) -> Box<dyn Trial> {
    workload.prepare(case, providers, SEED).unwrap_or_else(|fault| panic!("{}: {fault}", case.id()))
}

/// Takes a sample of `batch` operations and checks its answers, as a worker does. Returns the recorded values.
pub(crate) fn sample(trial: &mut dyn Trial, batch: usize) -> Result<Vec<(String, Vec<f64>)>, Fault> {
    let mut recorder = Recorder::default();
    trial.setup(batch)?;
    trial.routine(batch, &mut recorder)?;
    trial.note(&mut recorder)?;
    trial.verify()?;
    Ok(recorder.take())
}

/// Asserts that samples of each batch size pass their answer checks.
pub(crate) fn right(workload: &dyn Workload, case: &Case, providers: &[Arc<Provider>], batches: &[usize]) {
    let mut trial = prepared(workload, case, providers);
    for &batch in batches {
        sample(trial.as_mut(), batch).unwrap_or_else(|fault| panic!("{}: {fault}", case.id()));
    }
}

/// Returns whether the trial detects that no operation was performed since the setup.
pub(crate) fn is_void(trial: &mut dyn Trial, batch: usize) -> bool {
    trial.setup(batch).is_ok_and(|()| matches!(trial.verify(), Err(Fault::WrongAnswer(_))))
}
