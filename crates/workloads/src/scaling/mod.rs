//! Workload `scaling`: an operation on several threads, and many concurrent tasks in a thread pool.
//!
//! Other workloads use this module for their own operations. [`thread_cases`] and [`load_cases`] create the cases for
//! an operation. [`prepare`] prepares one of these cases, given one single-threaded trial per thread.

mod load;
mod team;
#[cfg(test)]
mod tests;
mod threads;

pub(crate) use threads::pin;

use crate::inputs::{Supply, generator};
use crate::{CaseOptions, Workload, find, kem, missing, signature};
use pqlab_harness::{Fault, Seed, Trial, affinity};
use pqlab_primitives::{Kem, Provider, SignatureScheme};
use pqlab_record::{Case, Form, Parameter};
use std::sync::Arc;

/// Default numbers of tasks that are submitted together.
const TASKS: [u64; 4] = [100, 500, 1_000, 5_000];
/// Suffix of operations that are measured under load.
const LOAD: &str = "-load";

pub(crate) struct ScalingWorkload;

impl Workload for ScalingWorkload {
    fn id(&self) -> &'static str {
        "scaling"
    }

    fn describe(&self) -> &'static str {
        "operations on several threads at once, and many tasks in a thread pool"
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
        prepare(case, seed, || crate::operation(provider, operation, case, Supply::OneKey, &mut generator))
    }
}

/// Returns the cases for an operation on 1, 2, 4, ... and all threads, or on the requested numbers of threads. All
/// cases for the operation share a block, including other providers' cases.
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

/// Returns the cases for an operation as tasks in a thread pool, one case for each number of tasks submitted together.
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

/// Returns whether the case comes from [`thread_cases`] or [`load_cases`].
pub(crate) fn concerns(case: &Case) -> bool {
    case.threads().is_some() || case.tasks().is_some()
}

/// Returns the operation that each thread performs in a case from [`thread_cases`] or [`load_cases`].
pub(crate) fn operation(case: &Case) -> &str {
    case.operation.strip_suffix(LOAD).unwrap_or(&case.operation)
}

/// Prepares a case from [`thread_cases`] or [`load_cases`]. Calls `trial` once per thread. The returned trials must not
/// share keys or buffers.
///
/// # Errors
/// Errors from `trial`, or [`Fault::Unsupported`] for any other case.
pub(crate) fn prepare(
    case: &Case,
    seed: Seed,
    mut trial: impl FnMut() -> Result<Box<dyn Trial>, Fault>,
) -> Result<Box<dyn Trial>, Fault> {
    let mut trials = |count: u64| (0..count).map(|_| trial()).collect::<Result<Vec<_>, Fault>>();
    // Each process starts at a different processor, so that the figures for one thread cover all processors.
    let mut processors = affinity::granted();
    let first = seed.process as usize % processors.len().max(1);
    processors.rotate_left(first);
    match (case.threads(), case.tasks(), case.workers()) {
        (Some(threads @ 1..), None, None) => Ok(Box::new(team::Team::new(trials(threads)?, &processors))),
        (None, Some(tasks @ 1..), Some(workers @ 1..)) => {
            Ok(Box::new(load::Load::new(tasks, trials(workers)?, &processors)))
        }
        _ => Err(missing(case)),
    }
}

/// Returns the powers of two below `cores`, followed by `cores`.
fn usual_threads(cores: usize) -> Vec<u64> {
    let cores = cores.max(1) as u64;
    let mut numbers: Vec<u64> = (0..63).map(|power| 1 << power).take_while(|&threads| threads < cores).collect();
    numbers.push(cores);
    numbers
}

fn block(case: &Case) -> String {
    let length = case.message_length().map_or_else(String::new, |length| format!("/{length}"));
    format!("{}/{}/{}{length}", case.workload, case.algorithm, case.operation)
}

/// Returns the case for a KEM operation with a prepared key, without parameters.
pub(crate) fn kem_case(provider: &Provider, kem: &dyn Kem, operation: &str) -> Case {
    Case { workload: "scaling".into(), ..kem::case(provider, kem, operation, Form::Prepared) }
}

/// Returns the cases for a signature operation with a prepared key: a single case, or one per requested message length.
pub(crate) fn signature_cases(
    provider: &Provider,
    scheme: &dyn SignatureScheme,
    operation: &str,
    options: &CaseOptions,
) -> Vec<Case> {
    let lengths = options.lengths.as_ref().filter(|_| operation != "keygen");
    let lengths = lengths.map_or(vec![None], |lengths| lengths.iter().copied().map(Some).collect());
    let of = |length| signature::case(provider, scheme, operation, Form::Prepared, length, signature::Mode::default());
    lengths.into_iter().map(|length| Case { workload: "scaling".into(), ..of(length) }).collect()
}
