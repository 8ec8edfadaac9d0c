//! Workload `memory`: how much stack and heap one operation takes at most.
//!
//! The time of a case is that of the operation as elsewhere; after each sample the operation is performed once more under
//! [`pqlab_harness::memory`], and what it took is noted. The stack is counted from the call of the operation, a few frames
//! of ours included; `null` shows what these are.

use crate::inputs::generator;
use crate::scaling::{Job, kem_case, of_kem, of_signature, signature_cases};
use crate::{CaseOptions, Workload, find, missing};
use pqlab_harness::memory::{self, Peaks};
use pqlab_harness::{Demands, Fault, Recorder, Seed, Trial};
use pqlab_primitives::Provider;
use pqlab_record::Case;
use std::sync::Arc;

/// Under this name the peak of the stack in bytes is kept with the samples.
const PEAK_STACK: &str = "peak_stack_bytes";
/// And under this one that of the heap.
const PEAK_HEAP: &str = "peak_heap_bytes";
/// Length in bytes of the message, where none is asked for: a digest's.
const MESSAGE: u64 = 32;

pub(crate) struct MemoryWorkload;

impl Workload for MemoryWorkload {
    fn id(&self) -> &'static str {
        "memory"
    }

    fn describe(&self) -> &'static str {
        "peak stack and heap in bytes of one operation: keygen, encapsulate, decapsulate, sign, verify"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let mut cases = Vec::new();
        for provider in providers {
            for kem in &provider.kems {
                let case = |operation| kem_case(provider, kem.as_ref(), operation);
                cases.extend(["keygen", "encapsulate", "decapsulate"].map(case));
            }
            for scheme in &provider.signatures {
                let no_message = CaseOptions { lengths: None, ..options.clone() };
                cases.extend(signature_cases(provider, scheme.as_ref(), "keygen", &no_message));
                for operation in ["sign", "verify"] {
                    cases.extend(signature_cases(provider, scheme.as_ref(), operation, options));
                }
            }
        }
        for case in &mut cases {
            case.workload = self.id().into();
            case.block = format!("{}/{}", self.id(), case.algorithm);
        }
        // A name may stand for a KEM and a signature scheme both: one key generation is enough.
        let mut seen = std::collections::HashSet::new();
        cases.retain(|case| seen.insert(case.id()));
        cases
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        memory::supported()?;
        let provider = find(providers, &case.provider)?;
        let mut generator = generator(case, seed);
        let operation = case.operation.as_str();
        let length = case.number("len").unwrap_or(MESSAGE) as usize;
        let kem = provider.kem(&case.algorithm).filter(|_| !matches!(operation, "sign" | "verify"));
        let job = match (kem, provider.signature(&case.algorithm)) {
            (Some(kem), _) => of_kem(kem, operation, &mut generator)?,
            (None, Some(scheme)) => of_signature(scheme, operation, length, &mut generator)?,
            (None, None) => return Err(missing(case)),
        };
        Ok(Box::new(Memory { job }))
    }
}

struct Memory {
    job: Box<dyn Job>,
}

impl Trial for Memory {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        self.job.refill()
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        self.job.perform(batch)
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.job.verify()
    }

    fn batch(&self) -> Option<u64> {
        Some(1)
    }

    fn note(&mut self, recorder: &mut Recorder) -> Result<(), Fault> {
        let Peaks { stack, heap } = memory::peaks(&mut || self.job.perform(1))?;
        recorder.note(PEAK_STACK, stack as f64);
        recorder.note(PEAK_HEAP, heap as f64);
        Ok(())
    }

    /// The gate of a single thread would take the wait for the measured one for a disturbance.
    fn demands(&self) -> Demands {
        Demands { several_threads: true, ..Demands::default() }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pqlab_providers::providers;
    use std::collections::{HashMap, HashSet};

    const SEED: Seed = Seed { run: 1, process: 0 };

    /// Peaks of two samples of each case, by id; nothing where they cannot be had.
    fn measured(wanted: impl Fn(&Case) -> bool) -> HashMap<String, [Vec<f64>; 2]> {
        let providers = providers();
        let cases = MemoryWorkload.cases(&providers, &CaseOptions::default());
        let mut all = HashMap::new();
        for case in cases.iter().filter(|case| wanted(case)) {
            let mut trial = match MemoryWorkload.prepare(case, &providers, SEED) {
                Err(Fault::Unsupported(_)) if memory::supported().is_err() => continue,
                other => other.unwrap_or_else(|fault| panic!("{}: {fault}", case.id())),
            };
            let mut recorder = Recorder::default();
            for _ in 0..2 {
                trial.refill(1).unwrap();
                trial.run(1, &mut recorder).unwrap();
                trial.note(&mut recorder).unwrap();
                trial.verify().unwrap_or_else(|fault| panic!("{}: {fault}", case.id()));
            }
            let [(stack, stacks), (heap, heaps)] = recorder.take().try_into().unwrap();
            assert_eq!((stack.as_str(), heap.as_str()), (PEAK_STACK, PEAK_HEAP));
            all.insert(case.id(), [stacks, heaps]);
        }
        all
    }

    #[test]
    fn every_operation_of_every_rust_provider_is_verified_and_takes_a_plausible_amount() {
        let slow = |case: &Case| case.algorithm.starts_with("SLH-DSA") || case.algorithm.starts_with("RSA");
        let all = measured(|case| !slow(case));
        for (id, [stacks, heaps]) in &all {
            assert!(stacks.iter().chain(heaps).all(|&bytes| bytes < 4e6), "{id}: {stacks:?} {heaps:?}");
        }
        for (id, [stacks, heaps]) in all.iter().filter(|(id, _)| id.contains("ML-DSA-65/sign@rustcrypto")) {
            // The matrix of 6 x 5 polynomials of 256 coefficients of 4 bytes lives somewhere, in the key or here; the
            // vectors y, w and z, 17 polynomials, are made for each signature.
            assert!(stacks[0] + heaps[0] >= 17.0 * 1024.0, "{id}: {stacks:?} {heaps:?}");
        }
    }

    #[test]
    fn what_does_nothing_takes_next_to_nothing() {
        for (id, [stacks, heaps]) in measured(|case| case.provider == crate::NULL && case.operation != "keygen") {
            assert!(stacks.iter().all(|&bytes| bytes < 8192.0), "{id}: {stacks:?}");
            assert_eq!(heaps, [0.0, 0.0], "{id}");
        }
    }

    #[test]
    fn cases_have_ids_of_their_own_and_a_block_for_each_algorithm() {
        let cases = MemoryWorkload
            .cases(&providers(), &CaseOptions { lengths: Some(vec![32, 4096]), ..CaseOptions::default() });
        let ids: HashSet<String> = cases.iter().map(Case::id).collect();
        assert_eq!(ids.len(), cases.len());
        for id in [
            "memory/ML-KEM-768/decapsulate@rustcrypto",
            "memory/ML-DSA-65/keygen@rustcrypto",
            "memory/ML-DSA-65/sign[len=4096]@rustcrypto",
        ] {
            assert!(ids.contains(id), "{id}");
        }
        assert!(cases.iter().all(|case| case.block == format!("memory/{}", case.algorithm)));
    }
}
