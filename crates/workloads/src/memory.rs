//! Workload `memory`: peak stack and heap of one operation.
//!
//! A case's time is the operation's time without memory measurement. After each sample, [`pqlab_harness::memory`] runs
//! the operation again and records its peaks. Stack use is counted from the call of the operation and includes a few of
//! pqlab's own frames. The provider `null` shows the size of these frames.

use crate::inputs::{Supply, generator};
use crate::ntor::{self, NtorWorkload};
use crate::scaling::{kem_case, signature_cases};
use crate::{CaseOptions, Workload, find, operation};
use pqlab_harness::memory::{self, Peaks};
use pqlab_harness::{Demands, Fault, Recorder, Seed, Trial};
use pqlab_primitives::Provider;
use pqlab_record::Case;
use std::sync::Arc;

/// Name under which samples record peak stack use, in bytes.
const PEAK_STACK: &str = "peak_stack_bytes";
/// Name under which samples record peak heap use, in bytes.
const PEAK_HEAP: &str = "peak_heap_bytes";

pub(crate) struct MemoryWorkload;

impl Workload for MemoryWorkload {
    fn id(&self) -> &'static str {
        "memory"
    }

    fn describe(&self) -> &'static str {
        "peak stack and heap use of one operation, in bytes: keygen, encapsulate, decapsulate, sign, verify, steps of \
         handshakes"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let mut cases = Vec::new();
        for provider in providers {
            for kem in &provider.kems {
                let case = |operation| kem_case(provider, kem.as_ref(), operation);
                cases.extend(["keygen", "encapsulate", "decapsulate"].map(case));
            }
            for scheme in &provider.signatures {
                for operation in ["keygen", "sign", "verify"] {
                    cases.extend(signature_cases(provider, scheme.as_ref(), operation, options));
                }
            }
        }
        cases.extend(ntor::steps(providers, options));
        for case in &mut cases {
            case.workload = self.id().into();
            case.block = format!("{}/{}", self.id(), case.algorithm);
        }
        // A KEM and a signature scheme may have the same name, which gives two equal cases for key
        // generation. Keep the first.
        let mut seen = std::collections::HashSet::new();
        cases.retain(|case| seen.insert(case.id()));
        cases
    }

    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        match ntor::is_handshake(case) {
            true => NtorWorkload.primitives(case),
            false => vec![(case.provider.clone(), case.algorithm.clone())],
        }
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        memory::supported()?;
        if ntor::is_handshake(case) {
            return Ok(Box::new(Memory { trial: NtorWorkload.prepare(case, providers, seed)? }));
        }
        let provider = find(providers, &case.provider)?;
        let mut generator = generator(case, seed);
        let trial = operation(provider, &case.operation, case, Supply::OneKey, &mut generator)?;
        Ok(Box::new(Memory { trial }))
    }
}

struct Memory {
    trial: Box<dyn Trial>,
}

impl Trial for Memory {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.trial.setup(batch + memory::CALLS)
    }

    fn routine(&mut self, batch: usize, recorder: &mut Recorder) -> Result<(), Fault> {
        self.trial.routine(batch, recorder)
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.trial.verify()
    }

    fn batch(&self) -> Option<u64> {
        Some(1)
    }

    fn note(&mut self, recorder: &mut Recorder) -> Result<(), Fault> {
        let Peaks { stack, heap } = memory::peaks(&mut || self.trial.routine(1, &mut Recorder::default()))?;
        recorder.note(PEAK_STACK, stack as f64);
        recorder.note(PEAK_HEAP, heap as f64);
        Ok(())
    }

    /// Declares several threads, because another thread measures the peaks. Otherwise, the harness would count the wait
    /// for that thread as a disturbance.
    fn demands(&self) -> Demands {
        Demands { several_threads: true, ..Demands::default() }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::testing::{SEED, sample};
    use pqlab_providers::providers;
    use std::collections::{HashMap, HashSet};

    /// Returns the peaks of two samples of each case by case id: the stack peaks, then the heap peaks. Returns an empty
    /// map if peaks cannot be measured.
    fn measured(wanted: impl Fn(&Case) -> bool) -> HashMap<String, [Vec<f64>; 2]> {
        let providers = providers();
        let cases = MemoryWorkload.cases(&providers, &CaseOptions::default());
        let mut all = HashMap::new();
        for case in cases.iter().filter(|case| wanted(case)) {
            let mut trial = match MemoryWorkload.prepare(case, &providers, SEED) {
                Err(Fault::Unsupported(_)) if memory::supported().is_err() => continue,
                other => other.unwrap_or_else(|fault| panic!("{}: {fault}", case.id())),
            };
            let (mut stacks, mut heaps) = (Vec::new(), Vec::new());
            for _ in 0..2 {
                let noted = sample(trial.as_mut(), 1).unwrap_or_else(|fault| panic!("{}: {fault}", case.id()));
                let [(stack, of_stack), (heap, of_heap)] = noted.try_into().unwrap();
                assert_eq!((stack.as_str(), heap.as_str()), (PEAK_STACK, PEAK_HEAP));
                stacks.extend(of_stack);
                heaps.extend(of_heap);
            }
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
            // The matrix (6 x 5 polynomials with 256 coefficients of 4 bytes) is either stored in the key or computed
            // while signing. Every signature needs the vectors y, w and z, which are 17 polynomials.
            assert!(stacks[0] + heaps[0] >= 17.0 * 1024.0, "{id}: {stacks:?} {heaps:?}");
        }
    }

    #[test]
    fn a_handshake_step_takes_at_least_the_memory_of_the_hashed_onionskin() {
        let steps = ["create", "reply", "finish"].map(|step| format!("memory/ntor-x25519-mlkem1024/{step}@rustcrypto"));
        let all = measured(|case| steps.contains(&case.id()));
        assert!(all.len() == steps.len() || memory::supported().is_err(), "{all:?}");
        for (id, [stacks, heaps]) in &all {
            // Every step holds or hashes the 1,652-byte onionskin.
            assert!(stacks[0] + heaps[0] >= 1652.0, "{id}: {stacks:?} {heaps:?}");
        }
    }

    #[test]
    fn the_null_provider_takes_almost_no_memory() {
        for (id, [stacks, heaps]) in
            measured(|case| case.provider == crate::NULL && case.operation != "keygen" && !ntor::is_handshake(case))
        {
            assert!(stacks.iter().all(|&bytes| bytes < 8192.0), "{id}: {stacks:?}");
            assert_eq!(heaps, [0.0, 0.0], "{id}");
        }
    }

    #[test]
    fn cases_have_unique_ids_and_one_block_per_algorithm() {
        let cases = MemoryWorkload
            .cases(&providers(), &CaseOptions { lengths: Some(vec![32, 4096]), ..CaseOptions::default() });
        let ids: HashSet<String> = cases.iter().map(Case::id).collect();
        assert_eq!(ids.len(), cases.len());
        for id in [
            "memory/ML-KEM-768/decapsulate@rustcrypto",
            "memory/ML-DSA-65/keygen@rustcrypto",
            "memory/ML-DSA-65/sign[len=4096]@rustcrypto",
            "memory/ntor-v1/create@rustcrypto",
            "memory/ntor-x25519-mlkem768/reply@rustcrypto",
            "memory/kem-only-mlkem512/finish@rustcrypto",
        ] {
            assert!(ids.contains(id), "{id}");
        }
        assert!(cases.iter().all(|case| case.block == format!("memory/{}", case.algorithm)));
    }
}
