//! What `pqlab leak` looks at: operations of libraries, each with two classes of inputs.
//!
//! A case of role [`Role::Secret`] has classes that differ in what must stay secret and in nothing else, as far as the
//! interface allows. One of role [`Role::Public`] is its control: the classes differ in public data alone, and what it finds
//! is no leak. Whatever is chosen by class goes through the harness's one buffer: keys too are parsed anew from it before
//! each call, so that the classes share their addresses.

mod built_in;
mod kem;
mod pools;
mod signature;
mod symmetric;

pub use built_in::BUILT_IN;

use crate::{NULL, check_known_answers, find};
use pqlab_harness::Fault;
use pqlab_harness::leak::{GROUPS, Target};
use pqlab_primitives::Provider;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// In what the classes of a case differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// In what must stay secret: a difference in time is a leak.
    Secret,
    /// In what anyone may know: a difference in time is none.
    Public,
    /// In nothing: a difference in time is a false alarm.
    Nothing,
}

impl Role {
    /// The word that ids carry.
    pub fn name(self) -> &'static str {
        match self {
            Role::Secret => "secret",
            Role::Public => "public",
            Role::Nothing => "nothing",
        }
    }
}

/// An operation and two classes of its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeakCase {
    /// The kind of algorithm: `kem`, `signature`, `agreement`, `aead`, or `compare` for the built-in targets.
    pub area: &'static str,
    /// The standard's name.
    pub algorithm: String,
    /// The operation whose time is looked at.
    pub operation: &'static str,
    /// In what the classes differ, by kind.
    pub role: Role,
    /// In what the classes differ, in a word.
    pub varies: &'static str,
    /// The provider's id; [`BUILT_IN`] for the targets that are part of this program.
    pub provider: String,
    /// What the classes are: the first against the second.
    pub classes: &'static str,
}

impl LeakCase {
    /// The id of the operation, as in plans: `kem/ML-KEM-768/decapsulate@liboqs`.
    pub fn operation_id(&self) -> String {
        format!("{}/{}/{}@{}", self.area, self.algorithm, self.operation, self.provider)
    }
}

/// The id: `kem/ML-KEM-768/decapsulate[secret=key]@liboqs`.
impl fmt::Display for LeakCase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LeakCase { area, algorithm, operation, role, varies, provider, .. } = self;
        write!(formatter, "{area}/{algorithm}/{operation}[{}={varies}]@{provider}", role.name())
    }
}

/// A case, ready to be measured.
pub struct LeakSubject {
    /// The operation.
    pub target: Box<dyn Target>,
    /// The inputs of the harness's groups: thrice the first class, and the second.
    pub pools: [Vec<Vec<u8>>; GROUPS],
    /// Which bytes of an input are secret; none where the input is public.
    pub secret: Vec<Range<usize>>,
    /// In what else the classes differ, where it cannot be helped.
    pub caveat: Option<&'static str>,
}

/// Every case that the providers make possible; the built-in ones first. None of a provider in another process: there the time of
/// a call is that of a pipe.
pub fn cases(providers: &[Arc<Provider>]) -> Vec<LeakCase> {
    let mut cases = built_in::cases();
    for provider in providers.iter().filter(|provider| provider.library != NULL && provider.remote.is_none()) {
        cases.extend(kem::cases(provider));
        cases.extend(signature::cases(provider));
        cases.extend(symmetric::cases(provider));
    }
    cases
}

/// Readies a case. The provider's known answers are checked first.
///
/// # Errors
/// What the library reports while keys and inputs are made, and [`Fault::Unsupported`] where it does not take the keys that
/// the classes need.
pub fn prepare(case: &LeakCase, providers: &[Arc<Provider>], seed: u64) -> Result<LeakSubject, Fault> {
    let mut draw = ChaCha8Rng::seed_from_u64(seed);
    if case.provider == BUILT_IN {
        return built_in::prepare(case, &mut draw);
    }
    let provider = find(providers, &case.provider)?;
    check_known_answers(provider, &case.algorithm)?;
    match case.area {
        "kem" => kem::prepare(case, provider, providers, &mut draw),
        "signature" => signature::prepare(case, provider, &mut draw),
        _ => symmetric::prepare(case, provider, &mut draw),
    }
}

/// Such a case is not there.
fn missing(case: &LeakCase) -> Fault {
    Fault::Unsupported(format!("there is no {case}"))
}

#[cfg(test)]
mod tests;
