//! Workload `floor`: calls that do nothing, through everything that real ones go through. What it shows is the harness.

use crate::kem::KemWorkload;
use crate::{CaseOptions, NULL, Workload};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::Provider;
use pqlab_record::{Case, Facts, Form};
use std::sync::Arc;

pub(crate) struct FloorWorkload;

impl Workload for FloorWorkload {
    fn id(&self) -> &'static str {
        "floor"
    }

    fn describe(&self) -> &'static str {
        "the harness itself: a decapsulation that does nothing"
    }

    fn cases(&self, providers: &[Arc<Provider>], _options: &CaseOptions) -> Vec<Case> {
        let null = providers.iter().filter(|provider| provider.library == NULL);
        null.map(|provider| Case {
            workload: self.id().into(),
            algorithm: NULL.into(),
            operation: "decapsulate".into(),
            provider: provider.id(),
            form: Some(Form::Prepared),
            parameters: Vec::new(),
            block: self.id().into(),
            facts: Facts::default(),
        })
        .collect()
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        KemWorkload.prepare(case, providers, seed)
    }
}
