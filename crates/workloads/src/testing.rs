//! What the tests of all workloads have in common.

use crate::Workload;
use pqlab_harness::{Fault, Recorder, Seed, Trial};
use pqlab_primitives::Provider;
use pqlab_record::Case;
use std::sync::Arc;

pub(crate) const SEED: Seed = Seed { run: 1, process: 0 };

/// The case, ready to be timed.
pub(crate) fn prepared(workload: &dyn Workload, case: &Case, providers: &[Arc<Provider>]) -> Box<dyn Trial> {
    workload.prepare(case, providers, SEED).unwrap_or_else(|fault| panic!("{}: {fault}", case.id()))
}

/// A sample of so many operations and the check of its answers, as a worker does them; what it noted.
pub(crate) fn sample(trial: &mut dyn Trial, batch: usize) -> Result<Vec<(String, Vec<f64>)>, Fault> {
    let mut recorder = Recorder::default();
    trial.setup(batch)?;
    trial.routine(batch, &mut recorder)?;
    trial.note(&mut recorder)?;
    trial.verify()?;
    Ok(recorder.take())
}

/// Samples of so many operations each must give right answers.
pub(crate) fn right(workload: &dyn Workload, case: &Case, providers: &[Arc<Provider>], batches: &[usize]) {
    let mut trial = prepared(workload, case, providers);
    for &batch in batches {
        sample(trial.as_mut(), batch).unwrap_or_else(|fault| panic!("{}: {fault}", case.id()));
    }
}

/// What was not done since the setup must not pass.
pub(crate) fn is_void(trial: &mut dyn Trial, batch: usize) -> bool {
    trial.setup(batch).is_ok_and(|()| matches!(trial.verify(), Err(Fault::WrongAnswer(_))))
}
