//! Signatures by ML-DSA (FIPS 204) verified: one, many by different signers, or by signers whose keys were prepared.
//!
//! Nothing here signs, and nothing here is secret: the time that a call takes depends on what it is given.
//!
//! Half of a verification is hashing, most of it to expand a matrix from the key. Eight of its polynomials are made at once, and
//! what signatures of a batch hash is hashed eight signatures at once. Arithmetic goes sixteen or eight coefficients at a
//! time. The code is chosen by what the processor has when the program runs; all of it gives the same answers.
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
//! Parameter sets are types, so that a batch of two sets is not compiled:
//!
//! ```compile_fail,E0308
//! use pqlab_mldsa_batch::{Claim, MlDsa44, MlDsa65, Verifier};
//!
//! fn both(one: Claim<MlDsa44>, other: Claim<MlDsa65>) {
//!     Verifier::fastest().verify_batch(&[one, other]);
//! }
//! ```
//!
//! Nor is a key of one set taken for another:
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
#[cfg(target_arch = "x86_64")]
mod vector;
mod verify;

pub use backend::{Backend, Unavailable, Verifier};
pub use claim::{Claim, EncodedKey, Key, Message, PreparedKey, Refusal};
pub use parameters::{MlDsa44, MlDsa65, MlDsa87, ParameterSet};
