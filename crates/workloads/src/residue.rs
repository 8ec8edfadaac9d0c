//! Workload `residue`: the slowdown of code that runs after a library call. The slowdown occurs if the library leaves
//! the upper halves of the vector registers in use.
//!
//! Cases come in pairs. In the first case (`then=sse`), a short loop of SSE instructions follows each operation within
//! the timed call. In the second case (`between=cleared`), the upper halves are cleared before the loop. The difference
//! in time is the cost of the register state that the library leaves behind. If a library leaves nothing behind, the
//! times are equal.

use crate::hash::HashWorkload;
use crate::inputs::{Supply, generator};
use crate::kem::KemWorkload;
use crate::signature::SignatureWorkload;
use crate::{CaseOptions, Workload, find, operation};
use pqlab_harness::{Demands, Fault, Recorder, Seed, Trial, residue};
use pqlab_primitives::Provider;
use pqlab_record::{Case, Form, Parameter};
use std::collections::HashSet;
use std::sync::Arc;

/// Default length in bytes of the messages to digest.
const DIGESTED: u64 = 4096;

/// Operations that are measured with the loop.
const OPERATIONS: [&str; 6] = ["keygen", "encapsulate", "decapsulate", "sign", "verify", "digest"];

/// Parameter that names the code that follows the operation: `then=sse`.
const THEN: &str = "then";
/// Parameter for clearing the upper halves between the operation and the code after it: `between=cleared`.
const BETWEEN: &str = "between";

pub(crate) struct ResidueWorkload;

impl Workload for ResidueWorkload {
    fn id(&self) -> &'static str {
        "residue"
    }

    fn describe(&self) -> &'static str {
        "slowdown of SSE code after an operation that leaves register state behind, with and without clearing that \
         state"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        if !follower::OFFERED {
            return Vec::new();
        }
        let plain = CaseOptions { variants: Vec::new(), coins: Vec::new(), keys: Vec::new(), ..options.clone() };
        let hashes =
            CaseOptions { lengths: Some(options.lengths.clone().unwrap_or_else(|| vec![DIGESTED])), ..plain.clone() };
        let mut cases = KemWorkload.cases(providers, &plain);
        // Exclude providers that only verify.
        let signing: Vec<_> = providers.iter().filter(|provider| !provider.signatures.is_empty()).cloned().collect();
        cases.extend(SignatureWorkload.cases(&signing, &plain));
        cases.extend(HashWorkload.cases(providers, &hashes));
        cases.retain(|case| OPERATIONS.contains(&case.operation.as_str()) && case.form != Some(Form::Encoded));
        let mut pairs: Vec<Case> = cases.into_iter().flat_map(pair).collect();
        // A KEM and a signature scheme, or a hash and a XOF, can share a name, so their cases get the
        // same id. Keep the first case with each id.
        let mut seen = HashSet::new();
        pairs.retain(|case| seen.insert(case.id()));
        pairs
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        if !follower::OFFERED {
            return Err(Fault::Unsupported("this platform does not support SSE".into()));
        }
        let inner = match case.operation.as_str() {
            "digest" => HashWorkload.prepare(case, providers, seed)?,
            other => {
                let provider = find(providers, &case.provider)?;
                operation(provider, other, case, Supply::new(case), &mut generator(case, seed))?
            }
        };
        Ok(Box::new(Followed { inner, cleared: case.word(BETWEEN).is_some() }))
    }
}

/// Creates a pair of cases from another workload's case. The block contains all providers' cases for the same algorithm
/// and operation.
fn pair(mut case: Case) -> [Case; 2] {
    case.workload = "residue".into();
    case.block = format!("residue/{}/{}", case.algorithm, case.operation);
    case.parameters.push(Parameter::Word(THEN.into(), "sse".into()));
    // The time includes the loop, so rates per byte would be wrong.
    case.facts.bytes = None;
    let mut cleared = case.clone();
    cleared.parameters.push(Parameter::Word(BETWEEN.into(), "cleared".into()));
    [case, cleared]
}

/// Trial in which the loop follows each operation.
struct Followed {
    inner: Box<dyn Trial>,
    /// Whether the upper halves are cleared before the loop.
    cleared: bool,
}

impl Trial for Followed {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.inner.setup(batch)
    }

    fn routine(&mut self, batch: usize, recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.inner.routine(1, recorder)?;
            if self.cleared {
                residue::clear_vector_upper();
            }
            follower::run();
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.inner.verify()
    }

    fn batch(&self) -> Option<u64> {
        self.inner.batch()
    }

    fn note(&mut self, recorder: &mut Recorder) -> Result<(), Fault> {
        self.inner.note(recorder)
    }

    fn demands(&self) -> Demands {
        self.inner.demands()
    }
}

#[cfg(target_arch = "x86_64")]
mod follower {
    use std::arch::asm;

    pub(super) const OFFERED: bool = true;

    /// Number of iterations of the loop. Together, they take about a microsecond.
    const TURNS: u32 = 1024;

    /// Runs twelve SSE instructions per iteration, in their legacy encoding. Two registers each start a new chain twice
    /// per iteration, so that a core executes four short chains in parallel. If an upper half is in use, each
    /// instruction must also keep the bits above its result. The instruction then waits for the last write to its
    /// register, so that only two longer chains remain. The loop touches no memory.
    #[inline]
    pub(super) fn run() {
        // SAFETY: every x86-64 processor supports SSE2. The code declares every register that it
        // writes, and touches no memory.
        unsafe {
            asm!(
                "pxor xmm2, xmm2",
                "pcmpeqd xmm3, xmm3",
                "pcmpeqd xmm4, xmm4",
                "2:",
                "pshufd xmm0, xmm2, 0x1b",
                "pshufd xmm1, xmm3, 0x1b",
                "paddd xmm0, xmm3",
                "paddd xmm1, xmm4",
                "pxor xmm0, xmm4",
                "pxor xmm1, xmm2",
                "pshufd xmm0, xmm3, 0x4e",
                "pshufd xmm1, xmm4, 0x4e",
                "paddd xmm0, xmm4",
                "paddd xmm1, xmm2",
                "pxor xmm0, xmm2",
                "pxor xmm1, xmm3",
                "dec {turns:e}",
                "jnz 2b",
                turns = inout(reg) TURNS => _,
                out("xmm0") _,
                out("xmm1") _,
                out("xmm2") _,
                out("xmm3") _,
                out("xmm4") _,
                options(nomem, nostack),
            );
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod follower {
    pub(super) const OFFERED: bool = false;

    pub(super) fn run() {}
}

#[cfg(all(test, target_arch = "x86_64"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::testing::{is_void, prepared, sample};
    use pqlab_providers::providers;
    use pqlab_testing::{Need, require};
    use std::collections::HashMap;

    #[test]
    fn cases_come_in_pairs_of_one_block() {
        let cases = ResidueWorkload.cases(&providers(), &CaseOptions::default());
        let ids: HashSet<String> = cases.iter().map(Case::id).collect();
        assert_eq!(ids.len(), cases.len());
        for id in [
            "residue/ML-KEM-768/decapsulate[then=sse]@rustcrypto",
            "residue/ML-KEM-768/decapsulate[then=sse,between=cleared]@rustcrypto",
            "residue/ML-DSA-65/keygen[then=sse]@rustcrypto",
            "residue/ML-DSA-65/sign[len=32,then=sse]@rustcrypto",
            "residue/SHA3-256/digest[len=4096,then=sse,between=cleared]@rustcrypto",
        ] {
            assert!(ids.contains(id), "{id} is not among {ids:?}");
        }
        let mut pairs: HashMap<String, Vec<&Case>> = HashMap::new();
        for case in &cases {
            assert_eq!(case.word(THEN), Some("sse"));
            pairs.entry(case.id().replace(",between=cleared", "")).or_default().push(case);
        }
        for (id, pair) in pairs {
            let [dirty, cleared] = pair[..] else { panic!("{id} has {} cases", pair.len()) };
            assert_eq!((dirty.word(BETWEEN), cleared.word(BETWEEN)), (None, Some("cleared")), "{id}");
            assert_eq!((&dirty.block, &dirty.facts), (&cleared.block, &cleared.facts), "{id}");
        }
    }

    #[test]
    fn verifies_answers_of_samples_with_several_operations() {
        let providers = providers();
        let wanted = ["ML-KEM-768", "X25519", "ML-DSA-65", "Ed25519", "SHA3-256"];
        let cases = ResidueWorkload.cases(&providers, &CaseOptions::default());
        for case in cases.iter().filter(|case| wanted.contains(&case.algorithm.as_str())) {
            let mut trial = prepared(&ResidueWorkload, case, &providers);
            sample(trial.as_mut(), 3).unwrap_or_else(|fault| panic!("{}: {fault}", case.id()));
            // The trial must detect that no operation ran.
            if matches!(case.operation.as_str(), "decapsulate" | "digest") {
                assert!(is_void(trial.as_mut(), 3), "{}", case.id());
            }
        }
    }

    /// Trial with an operation that leaves the upper half of a register in use, and does nothing else.
    struct Untidy;

    impl Trial for Untidy {
        fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
            Ok(())
        }

        fn routine(&mut self, _batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
            residue::leave_dirty();
            Ok(())
        }

        fn verify(&mut self) -> Result<(), Fault> {
            Ok(())
        }
    }

    #[test]
    fn the_loop_runs_in_the_state_that_the_case_names() {
        // Use a separate thread, because a thread's register state ends with the thread.
        let readable = std::thread::spawn(|| {
            residue::remember();
            if !residue::controls_hold() {
                return false;
            }
            for cleared in [false, true] {
                let mut trial = Followed { inner: Box::new(Untidy), cleared };
                residue::put_back();
                trial.routine(2, &mut Recorder::default()).unwrap();
                // Neither the loop nor the clearing before it changes the state further.
                assert_eq!(residue::read().is_some_and(|left| left.is_empty()), cleared);
            }
            residue::put_back();
            true
        });
        require!(readable.join().unwrap(), Need::Machine("registers whose state can be read"));
    }
}
