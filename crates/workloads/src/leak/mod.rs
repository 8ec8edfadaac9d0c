//! Targets of `pqlab leak`: library operations, each with two classes of inputs.
//!
//! In a case with role [`Role::Secret`], the classes differ only in secret data, as far as the interface allows. A case
//! with role [`Role::Public`] is a control. Its classes differ only in public data, so a difference in time is not a
//! leak. Every input that depends on the class is first copied into a single buffer of the harness. Keys are parsed
//! from this buffer before each call, so that both classes use the same addresses.

mod built_in;
mod kem;
mod pools;
mod signature;
mod symmetric;

pub use built_in::BUILT_IN;

use crate::{NULL, answers, find};
use pqlab_harness::Fault;
use pqlab_harness::leak::{GROUPS, Target};
use pqlab_primitives::Provider;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Data that distinguishes the classes of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Secret data: a difference in time is a leak.
    Secret,
    /// Public data: a difference in time is not a leak.
    Public,
    /// Nothing: both classes are alike, and a difference in time is a false alarm.
    Nothing,
}

impl Role {
    /// Returns the name used in ids.
    pub fn name(self) -> &'static str {
        match self {
            Role::Secret => "secret",
            Role::Public => "public",
            Role::Nothing => "nothing",
        }
    }
}

/// Operation with two classes of inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeakCase {
    /// Kind of algorithm: `kem`, `signature`, `agreement`, `aead`, or `compare` for the built-in targets.
    pub area: &'static str,
    /// Name of the algorithm in the standard.
    pub algorithm: String,
    /// Operation whose timing is tested.
    pub operation: &'static str,
    /// Kind of data that distinguishes the classes.
    pub role: Role,
    /// Short name of the data that distinguishes the classes, such as `key`.
    pub varies: &'static str,
    /// Id of the provider; [`BUILT_IN`] for the targets in this program.
    pub provider: String,
    /// Description of the two classes for users, such as `one secret versus many`. The first class comes first.
    pub classes: &'static str,
}

impl LeakCase {
    /// Returns the case id of the operation in other measurements, such as `kem/ML-KEM-768/decapsulate@liboqs`.
    pub fn operation_id(&self) -> String {
        format!("{}/{}/{}@{}", self.area, self.algorithm, self.operation, self.provider)
    }
}

/// Writes the id, such as `kem/ML-KEM-768/decapsulate[secret=key]@liboqs`.
impl fmt::Display for LeakCase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LeakCase { area, algorithm, operation, role, varies, provider, .. } = self;
        write!(formatter, "{area}/{algorithm}/{operation}[{}={varies}]@{provider}", role.name())
    }
}

/// Case that is ready to be measured.
pub struct LeakSubject {
    /// Operation to time.
    pub target: Box<dyn Target>,
    /// Inputs for the harness's groups: three pools of the first class and one of the second.
    pub pools: [Vec<Vec<u8>>; GROUPS],
    /// Byte ranges of the secret data in an input. Empty if the entire input is public.
    pub secret: Vec<Range<usize>>,
    /// Remark on a difference between the classes that cannot be avoided.
    pub caveat: Option<&'static str>,
}

/// Returns every case that the providers support, starting with the built-in cases. Providers in other processes have
/// no cases, because a timed call would mostly measure the pipe.
pub fn cases(providers: &[Arc<Provider>]) -> Vec<LeakCase> {
    let mut cases = built_in::cases();
    for provider in providers.iter().filter(|provider| provider.library != NULL && provider.remote.is_none()) {
        cases.extend(kem::cases(provider));
        cases.extend(signature::cases(provider));
        cases.extend(symmetric::cases(provider));
    }
    cases
}

/// Prepares a case, after checking the provider's answers.
///
/// # Errors
/// Errors from the library while generating keys and inputs, and [`Fault::Unsupported`] if the library does not accept
/// the keys that the classes need.
pub fn prepare(case: &LeakCase, providers: &[Arc<Provider>], seed: u64) -> Result<LeakSubject, Fault> {
    let mut draw = ChaCha8Rng::seed_from_u64(seed);
    if case.provider == BUILT_IN {
        return built_in::prepare(case, &mut draw);
    }
    let provider = find(providers, &case.provider)?;
    answers::check(provider, providers, &case.algorithm)?;
    match case.area {
        "kem" => kem::prepare(case, provider, providers, &mut draw),
        "signature" => signature::prepare(case, provider, &mut draw),
        _ => symmetric::prepare(case, provider, &mut draw),
    }
}

/// Returns the fault for a case that does not exist.
fn missing(case: &LeakCase) -> Fault {
    Fault::Unsupported(format!("unknown leak test: {case}"))
}

#[cfg(test)]
mod tests;
