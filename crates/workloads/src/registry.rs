use crate::{Options, Workload, find, known_answers, workloads};
use pqlab_harness::{Fault, Seed, Trial, TrialSource};
use pqlab_primitives::Provider;
use pqlab_record::Case;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Workloads and providers together: knows every case, and readies any of them.
pub struct Registry {
    providers: Vec<Arc<Provider>>,
    workloads: Vec<Box<dyn Workload>>,
    /// Known answers are checked once a process for each provider and algorithm.
    checked: Mutex<HashMap<(String, String), Result<(), Fault>>>,
}

impl Registry {
    /// The registry of all workloads over these providers.
    pub fn new(providers: Vec<Arc<Provider>>) -> Registry {
        Registry { providers, workloads: workloads(), checked: Mutex::default() }
    }

    /// The providers.
    pub fn providers(&self) -> &[Arc<Provider>] {
        &self.providers
    }

    /// The workloads.
    pub fn workloads(&self) -> &[Box<dyn Workload>] {
        &self.workloads
    }

    /// Every case of every workload.
    pub fn cases(&self, options: &Options) -> Vec<Case> {
        self.workloads.iter().flat_map(|workload| workload.cases(&self.providers, options)).collect()
    }

    fn workload(&self, case: &Case) -> Result<&dyn Workload, Fault> {
        let workload = self.workloads.iter().find(|workload| workload.id() == case.workload);
        let missing = || Fault::Unsupported(format!("this build has no workload {}", case.workload));
        workload.map(Box::as_ref).ok_or_else(missing)
    }

    fn check(&self, provider: &Provider, algorithm: &str) -> Result<(), Fault> {
        let key = (provider.id(), algorithm.to_owned());
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        checked
            .entry(key)
            .or_insert_with(|| known_answers::check(provider, algorithm).map(drop).map_err(Fault::from))
            .clone()
    }
}

impl TrialSource for Registry {
    fn prepare(&self, case: &Case, seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let workload = self.workload(case)?;
        for (provider, algorithm) in workload.primitives(case) {
            self.check(find(&self.providers, &provider)?, &algorithm)?;
        }
        workload.prepare(case, &self.providers, seed)
    }

    fn prepare_first_call(&self, case: &Case, seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        self.workload(case)?.prepare(case, &self.providers, seed)
    }
}
