//! Workload `function`: any function that a worker can call. The worker names the function, prepares the inputs and
//! checks the answers. If the worker does not check answers, the case has the parameter `answers=unchecked`.

use crate::{CaseOptions, Workload, find, missing, remote};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{Function, Provider};
use pqlab_record::{Case, Facts, Parameter};
use std::sync::Arc;

pub(crate) struct FunctionWorkload;

impl Workload for FunctionWorkload {
    fn id(&self) -> &'static str {
        "function"
    }

    fn describe(&self) -> &'static str {
        "your own functions, timed by a worker"
    }

    fn cases(&self, providers: &[Arc<Provider>], _options: &CaseOptions) -> Vec<Case> {
        let cases_of = |provider: &Arc<Provider>| {
            let id = provider.id();
            provider.functions.iter().map(move |function| case(&id, function)).collect::<Vec<_>>()
        };
        providers.iter().flat_map(cases_of).collect()
    }

    /// Returns an empty list. A function is not a primitive and has no known answers.
    fn primitives(&self, _: &Case) -> Vec<(String, String)> {
        Vec::new()
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], _: Seed) -> Result<Box<dyn Trial>, Fault> {
        let provider = find(providers, &case.provider)?;
        let function = provider.functions.iter().find(|function| function.name == case.algorithm);
        let (remote, function) = provider.remote.as_ref().zip(function).ok_or_else(|| missing(case))?;
        remote::function(remote, case, function)
    }
}

fn case(provider: &str, function: &Function) -> Case {
    let unchecked = || Parameter::Word("answers".into(), "unchecked".into());
    Case {
        workload: FunctionWorkload.id().into(),
        algorithm: function.name.clone(),
        operation: "call".into(),
        provider: provider.into(),
        form: None,
        parameters: (!function.verified).then(unchecked).into_iter().collect(),
        block: FunctionWorkload.id().into(),
        facts: Facts::default(),
    }
}
