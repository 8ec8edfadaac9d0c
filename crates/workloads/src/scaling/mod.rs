//! Workload `scaling`: one operation on several threads at once, and many tasks at once through a thread pool.
//!
//! Other workloads have their operations measured in the same ways: [`thread_cases`] and [`load_cases`] make the cases of
//! an operation, [`prepare`] readies any of them, given a [`Job`] for each thread.

mod crew;
mod job;
mod jobs;
mod load;
mod team;
#[cfg(test)]
mod tests;

pub(crate) use job::{Job, TrialJob};
pub(crate) use jobs::{of_kem, of_signature};

use crate::inputs::generator;
use crate::{CaseOptions, Workload, find, missing};
use pqlab_harness::{Fault, Seed, Trial, affinity};
use pqlab_primitives::{Kem, Provider, SignatureScheme};
use pqlab_record::{Case, Facts, Form, Parameter, Sizes};
use std::sync::Arc;

/// Tasks that are submitted at once, where no numbers are asked for.
const TASKS: [u64; 4] = [100, 500, 1_000, 5_000];
/// Length in bytes of the message, where none is asked for: a digest's.
const MESSAGE: u64 = 32;
/// What the operation of a case is called that is measured under load: the operation with this behind it.
const LOAD: &str = "-load";

pub(crate) struct ScalingWorkload;

impl Workload for ScalingWorkload {
    fn id(&self) -> &'static str {
        "scaling"
    }

    fn describe(&self) -> &'static str {
        "operations on several threads at once, and many tasks through a thread pool"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let mut cases = Vec::new();
        let mut add = |operations: &[&str], base: &dyn Fn(&str) -> Vec<Case>| {
            for operation in operations {
                for base in base(operation) {
                    if *operation != "handshake" {
                        cases.extend(thread_cases(&base, options));
                    }
                    cases.extend(load_cases(&base, options));
                }
            }
        };
        for provider in providers {
            for kem in &provider.kems {
                let base = |operation: &str| vec![kem_case(provider, kem.as_ref(), operation)];
                add(&["encapsulate", "decapsulate", "handshake"], &base);
            }
            for scheme in &provider.signatures {
                let base = |operation: &str| signature_cases(provider, scheme.as_ref(), operation, options);
                add(&["sign", "verify"], &base);
            }
        }
        cases
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let provider = find(providers, &case.provider)?;
        let mut generator = generator(case, seed);
        let operation = operation(case);
        let length = case.number("len").unwrap_or(MESSAGE) as usize;
        // Where a name stands for a KEM and a signature scheme both, the operation tells which is meant.
        let signature = provider.signature(&case.algorithm).filter(|_| matches!(operation, "sign" | "verify"));
        let kem = provider.kem(&case.algorithm);
        prepare(case, seed, || match (signature, kem) {
            (Some(scheme), _) => jobs::of_signature(scheme, operation, length, &mut generator),
            (None, Some(kem)) => jobs::of_kem(kem, operation, &mut generator),
            (None, None) => Err(missing(case)),
        })
    }
}

/// The cases of an operation on 1, 2, 4, ... and all threads, or on as many as were asked for. They are measured side by
/// side, with those of other providers.
pub(crate) fn thread_cases(base: &Case, options: &CaseOptions) -> Vec<Case> {
    let numbers = options.threads.clone().unwrap_or_else(|| usual_threads(options.cores()));
    let case = |threads: u64| {
        let mut case = base.clone();
        case.parameters.push(Parameter::Number("threads".into(), threads));
        case.block = block(&case);
        case
    };
    numbers.into_iter().map(case).collect()
}

/// The cases of an operation as tasks of a thread pool, by the number of tasks that are submitted at once.
pub(crate) fn load_cases(base: &Case, options: &CaseOptions) -> Vec<Case> {
    let numbers = options.tasks.clone().unwrap_or_else(|| TASKS.to_vec());
    let workers = options.workers.unwrap_or(options.cores() as u64);
    let case = |tasks: u64| {
        let mut case = base.clone();
        case.operation.push_str(LOAD);
        case.parameters.push(Parameter::Number("tasks".into(), tasks));
        case.parameters.push(Parameter::Number("workers".into(), workers));
        case.block = block(&case);
        case
    };
    numbers.into_iter().map(case).collect()
}

/// Whether it is a case of [`thread_cases`] or [`load_cases`].
pub(crate) fn concerns(case: &Case) -> bool {
    case.number("threads").is_some() || case.number("tasks").is_some()
}

/// What each thread of such a case does.
pub(crate) fn operation(case: &Case) -> &str {
    case.operation.strip_suffix(LOAD).unwrap_or(&case.operation)
}

/// Readies a case of [`thread_cases`] or [`load_cases`]. `job` is called once for each thread; what it makes must share
/// neither keys nor buffers with what it made before.
///
/// # Errors
/// What `job` reports, or [`Fault::Unsupported`] for a case of neither kind.
pub(crate) fn prepare(
    case: &Case,
    seed: Seed,
    mut job: impl FnMut() -> Result<Box<dyn Job>, Fault>,
) -> Result<Box<dyn Trial>, Fault> {
    let mut jobs = |count: u64| (0..count).map(|_| job()).collect::<Result<Vec<_>, Fault>>();
    // Each process begins at another processor, so that what one thread does is known of all of them.
    let mut processors = affinity::granted();
    let first = seed.process as usize % processors.len().max(1);
    processors.rotate_left(first);
    match (case.number("threads"), case.number("tasks"), case.number("workers")) {
        (Some(threads @ 1..), None, None) => Ok(Box::new(team::Team::new(jobs(threads)?, &processors))),
        (None, Some(tasks @ 1..), Some(workers @ 1..)) => {
            Ok(Box::new(load::Load::new(tasks, jobs(workers)?, &processors)))
        }
        _ => Err(missing(case)),
    }
}

/// 1, 2, 4, ... and all.
fn usual_threads(cores: usize) -> Vec<u64> {
    let cores = cores.max(1) as u64;
    let mut numbers: Vec<u64> = (0..63).map(|power| 1 << power).take_while(|&threads| threads < cores).collect();
    numbers.push(cores);
    numbers
}

fn block(case: &Case) -> String {
    let length = case.number("len").map_or_else(String::new, |length| format!("/{length}"));
    format!("{}/{}/{}{length}", case.workload, case.algorithm, case.operation)
}

fn base(provider: &Provider, algorithm: &str, operation: &str, category: Option<u8>, sizes: Sizes) -> Case {
    Case {
        workload: "scaling".into(),
        algorithm: algorithm.to_owned(),
        operation: operation.into(),
        provider: provider.id(),
        form: Some(Form::Prepared),
        parameters: Vec::new(),
        block: String::new(),
        facts: Facts { sizes, category, ..Facts::default() },
    }
}

/// A KEM's operation with a prepared key, without what tells cases of this area apart.
pub(crate) fn kem_case(provider: &Provider, kem: &dyn Kem, operation: &str) -> Case {
    let info = kem.info();
    let parameters = &info.parameters;
    let encoding = info.encodings.first().and_then(|&encoding| info.decapsulation_key(encoding));
    let sizes = Sizes {
        public_key: Some(parameters.encapsulation_key as u64),
        secret_key: encoding.map(|length| length as u64),
        ciphertext: Some(parameters.ciphertext as u64),
        shared_secret: Some(parameters.shared_secret as u64),
        signature: None,
        ..Sizes::default()
    };
    let mut case = base(provider, &parameters.algorithm, operation, parameters.category, sizes);
    case.facts.generator = provider.generator.clone().filter(|_| operation != "decapsulate");
    case
}

/// One case, or one for each message length that was asked for.
pub(crate) fn signature_cases(
    provider: &Provider,
    scheme: &dyn SignatureScheme,
    operation: &str,
    options: &CaseOptions,
) -> Vec<Case> {
    let info = scheme.info();
    let parameters = &info.parameters;
    let encoding = info.encodings.first().and_then(|&encoding| info.signing_key(encoding));
    let sizes = Sizes {
        public_key: Some(parameters.verifying_key as u64),
        secret_key: encoding.map(|length| length as u64),
        ciphertext: None,
        shared_secret: None,
        signature: Some(parameters.signature as u64),
        ..Sizes::default()
    };
    let mut case = base(provider, &parameters.algorithm, operation, parameters.category, sizes);
    let draws = match operation {
        "keygen" => true,
        "sign" => scheme.draws_to_sign(),
        _ => false,
    };
    case.facts.generator = provider.generator.clone().filter(|_| draws);
    let Some(lengths) = &options.lengths else { return vec![case] };
    let with_length = |length: &u64| {
        let mut case = case.clone();
        case.parameters.push(Parameter::Number("len".into(), *length));
        case
    };
    lengths.iter().map(with_length).collect()
}
