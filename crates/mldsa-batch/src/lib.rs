//! Verifies ML-DSA signatures (FIPS 204), one at a time or in batches. The signatures of a batch may have different
//! signers. Keys are encoded or prepared.
//!
//! This crate does not sign and handles no secrets. Execution time depends on the input.
//!
//! Hashing takes half of the time of a verification, mostly to expand the matrix from the key. The crate generates
//! eight polynomials of the matrix in parallel, and hashes for up to eight signatures of a batch in parallel. Vector
//! code processes sixteen or eight coefficients at a time. The crate selects the code path at run time according to the
//! processor's features. All code paths give the same results. An encoded key that occurs more than once in a batch is
//! expanded once.
//!
//! ```
//! use pqlab_mldsa_batch::{Claim, EncodedKey, Message, MlDsa65, ParameterSet, Refusal, Verifier};
//!
//! let (key, signature) = ([1; MlDsa65::KEY], [2; MlDsa65::SIGNATURE]);
//! let claim = Claim::<MlDsa65> {
//!     key: EncodedKey::new(&key)?.into(),
//!     message: Message::Pure { context: b"", message: b"hello" },
//!     signature: &signature,
//! };
//! let verifier = Verifier::fastest();
//! assert_eq!(verifier.verify(&claim), Err(Refusal::Hint));
//! assert_eq!(verifier.verify_batch(&[claim, claim]), [Err(Refusal::Hint), Err(Refusal::Hint)]);
//! # Ok::<(), Refusal>(())
//! ```
//!
//! Parameter sets are types, so a batch that mixes two sets does not compile:
//!
//! ```compile_fail,E0308
//! use pqlab_mldsa_batch::{Claim, MlDsa44, MlDsa65, Verifier};
//!
//! fn both(one: Claim<MlDsa44>, other: Claim<MlDsa65>) {
//!     Verifier::fastest().verify_batch(&[one, other]);
//! }
//! ```
//!
//! A key of another parameter set does not compile either:
//!
//! ```compile_fail,E0308
//! use pqlab_mldsa_batch::{EncodedKey, Key, MlDsa44, MlDsa65};
//!
//! fn other(key: EncodedKey<'_, MlDsa44>) -> Key<'_, MlDsa65> {
//!     Key::Encoded(key)
//! }
//! ```

#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

#[cfg(test)]
mod agreement;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod backend;
mod challenge;
mod claim;
mod field;
mod hashing;
mod hint;
mod matrix;
mod parameters;
mod polynomial;
mod portable;
mod repeats;
#[cfg(target_arch = "x86_64")]
mod vector;
mod verify;

pub use backend::{Backend, Unavailable, Verifier};
pub use claim::{Claim, EncodedKey, Key, Message, PreparedKey, Refusal};
pub use parameters::{MlDsa44, MlDsa65, MlDsa87, ParameterSet};
