//! Code paths, and their selection according to the processor's features.

#[cfg(target_arch = "x86_64")]
use crate::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use crate::avx512::Avx512;
use crate::claim::{Claim, EncodedKey, PreparedKey, Refusal};
use crate::hashing::Hasher;
use crate::parameters::{ParameterSet, Parameters};
use crate::portable::Portable;
use crate::repeats::Order;
use crate::verify::{Engine, Expanded, Scratch, Task};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
#[cfg(target_arch = "x86_64")]
use pqlab_cpu::{Feature, is_hidden};
use pqlab_keccak::{LANES, Lanes, Single};

/// Code path for verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// Sixteen coefficients at a time, with AVX512F, AVX512BW, AVX512DQ, AVX512VL and AVX512VBMI.
    Avx512,
    /// Eight coefficients at a time, with AVX2.
    Avx2,
    /// One coefficient at a time.
    Portable,
}

impl Backend {
    /// All backends, fastest first.
    pub const ALL: [Backend; 3] = [Backend::Avx512, Backend::Avx2, Backend::Portable];

    /// Returns the user-visible name: `avx512`, `avx2`, `portable`.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Avx512 => "avx512",
            Backend::Avx2 => "avx2",
            Backend::Portable => "portable",
        }
    }

    fn check(self) -> Result<(), Unavailable> {
        match self {
            #[cfg(not(target_arch = "x86_64"))]
            Backend::Avx512 | Backend::Avx2 => Err(Unavailable("AVX-512 and AVX2 are extensions of x86-64")),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 if is_hidden(Feature::Avx512) => Err(Unavailable(Feature::Avx512.hidden_reason())),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 if Avx512::detect().is_none() => Err(Unavailable(
                "the processor or the operating system lacks AVX512F, AVX512BW, AVX512DQ, AVX512VL or AVX512VBMI",
            )),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 if is_hidden(Feature::Avx2) => Err(Unavailable(Feature::Avx2.hidden_reason())),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 if Avx2::detect().is_none() => {
                Err(Unavailable("the processor or the operating system lacks AVX2"))
            }
            _ => Ok(()),
        }
    }
}

/// Reason why a backend is not available on this processor or target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable(&'static str);

impl fmt::Display for Unavailable {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(self.0)
    }
}

impl core::error::Error for Unavailable {}

/// Verifies signatures with a backend that runs on this processor.
#[derive(Clone, Copy, Debug)]
pub struct Verifier {
    /// Backend that this processor supports, as checked on creation. The unsafe code relies on this check.
    backend: Backend,
    hasher: Hasher,
}

/// Calls a method on the engine for the verifier's backend.
macro_rules! with_engine {
    ($verifier:ident, $set:expr, $engine:ident => $call:expr) => {{
        let (hasher, set): (Hasher, Parameters) = ($verifier.hasher, $set);
        match $verifier.backend {
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => {
                // SAFETY: verifiers with this backend exist only on processors that support the instructions.
                let $engine = Engine { arithmetic: unsafe { Avx512::assume() }, hasher, set };
                $call
            }
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => {
                // SAFETY: verifiers with this backend exist only on processors that support the instructions.
                let $engine = Engine { arithmetic: unsafe { Avx2::assume() }, hasher, set };
                $call
            }
            #[cfg(not(target_arch = "x86_64"))]
            Backend::Avx512 | Backend::Avx2 => unreachable!("`check` rejects these backends here"),
            Backend::Portable => {
                let $engine = Engine { arithmetic: Portable, hasher, set };
                $call
            }
        }
    }};
}

impl Verifier {
    /// Creates a verifier that uses `backend`.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason, if the backend does not run on this processor.
    pub fn new(backend: Backend) -> Result<Verifier, Unavailable> {
        let keccak = match backend {
            Backend::Avx512 => pqlab_keccak::Backend::Avx512,
            Backend::Avx2 => pqlab_keccak::Backend::Avx2,
            Backend::Portable => pqlab_keccak::Backend::Portable,
        };
        backend.check()?;
        let lacking = |_| Unavailable("the processor lacks instructions that the Keccak code needs");
        let hasher =
            Hasher { lanes: Lanes::new(keccak).map_err(lacking)?, single: Single::new(keccak).map_err(lacking)? };
        Ok(Verifier { backend, hasher })
    }

    /// Creates a verifier that uses the fastest backend available on this processor.
    pub fn fastest() -> Verifier {
        let mut found = Backend::ALL.into_iter().filter_map(|backend| Verifier::new(backend).ok());
        found.next().expect("the portable backend must always run")
    }

    /// Returns the backend.
    pub fn backend(self) -> Backend {
        self.backend
    }

    /// Expands a key for repeated use. Verifiers with any backend can use the result.
    pub fn prepare<P: ParameterSet>(self, key: EncodedKey<P>) -> PreparedKey<P> {
        let expanded: Expanded = with_engine!(self, P::SET.0, engine => engine.expand(key.bytes));
        PreparedKey { expanded, set: PhantomData }
    }

    /// Verifies a signature.
    ///
    /// # Errors
    /// [`Refusal`] with the reason, if the signature is invalid.
    pub fn verify<P: ParameterSet>(self, claim: &Claim<P>) -> Result<(), Refusal> {
        let mut verdict = [Ok(())];
        self.run(P::SET.0, &[task(claim)], &mut Scratch::new(), &mut verdict);
        verdict[0]
    }

    /// Verifies several claims, and returns verdicts in the same order. A claim does not affect the verdicts on other
    /// claims. An encoded key that occurs more than once is expanded once, so the time depends on the keys.
    pub fn verify_batch<P: ParameterSet>(self, claims: &[Claim<P>]) -> Vec<Result<(), Refusal>> {
        let mut verdicts = alloc::vec![Ok(()); claims.len()];
        let mut scratch = Scratch::new();
        let tasks: Vec<Task> = claims.iter().map(task).collect();
        match Order::new(&tasks) {
            None => {
                for (tasks, verdicts) in tasks.chunks(LANES).zip(verdicts.chunks_mut(LANES)) {
                    self.run(P::SET.0, tasks, &mut scratch, verdicts);
                }
            }
            Some(order) => {
                let expand = |key: &[u8]| with_engine!(self, P::SET.0, engine => engine.expand(key));
                order.for_each_group(expand, |indices, tasks| {
                    let mut of_group = [Ok(()); LANES];
                    let of_group = &mut of_group[..tasks.len()];
                    self.run(P::SET.0, tasks, &mut scratch, of_group);
                    indices.iter().zip(of_group).for_each(|(index, verdict)| verdicts[*index] = *verdict);
                });
            }
        }
        verdicts
    }

    fn run(self, set: Parameters, tasks: &[Task], scratch: &mut Scratch, verdicts: &mut [Result<(), Refusal>]) {
        with_engine!(self, set, engine => engine.verify(tasks, scratch, verdicts));
    }
}

fn task<'a, P>(claim: &Claim<'a, P>) -> Task<'a> {
    Task { key: claim.key.form(), message: claim.message, signature: claim.signature }
}
