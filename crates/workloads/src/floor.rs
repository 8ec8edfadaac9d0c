//! Workload `floor`: measures the overhead of the harness. Its operations go through the same calls as real ones, but
//! do nothing.

use crate::kem::KemWorkload;
use crate::{CaseOptions, NULL, Workload, find, remote};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::Provider;
use pqlab_record::{Case, FLOOR, Facts, Form};
use std::sync::Arc;

pub(crate) struct FloorWorkload;

impl Workload for FloorWorkload {
    fn id(&self) -> &'static str {
        FLOOR
    }

    fn describe(&self) -> &'static str {
        "measurement overhead of the harness: a decapsulation that does nothing"
    }

    fn cases(&self, providers: &[Arc<Provider>], _options: &CaseOptions) -> Vec<Case> {
        let null = providers.iter().filter(|provider| provider.library == NULL || provider.remote.is_some());
        null.map(|provider| Case {
            workload: self.id().into(),
            algorithm: NULL.into(),
            operation: if provider.remote.is_some() { "null" } else { "decapsulate" }.into(),
            provider: provider.id(),
            form: Some(Form::Prepared),
            parameters: Vec::new(),
            block: self.id().into(),
            facts: Facts::default(),
        })
        .collect()
    }

    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        // Remote cases run an empty loop, which has no answers to check.
        let known = case.operation == "decapsulate";
        known.then(|| (case.provider.clone(), case.algorithm.clone())).into_iter().collect()
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        match &find(providers, &case.provider)?.remote {
            Some(remote) => remote::nothing(remote, case),
            None => KemWorkload.prepare(case, providers, seed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_and_providers_name_the_null_provider_alike() {
        assert_eq!(NULL, pqlab_record::NULL);
    }
}
