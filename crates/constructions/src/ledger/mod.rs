//! Ledger transactions: what is signed, how it is encoded, and who accepts it.
//!
//! Two forms, told apart by their first byte and never accepted for one another:
//!
//! - **TXv2** ([`Body`], [`Transaction`]), the default. The signed digest covers every byte before the signature, the
//!   scheme and the public key among them, so that a hybrid transaction cannot be stripped to a plain one.
//! - **TXv1** ([`reference`]), the form that the reference measured. Its digest leaves out what says how the transaction
//!   is authenticated: a hybrid transaction *can* be stripped to a plain one, and a test shows it.
//!
//! Both are big-endian, and decoding is strict: whatever is accepted encodes to the same bytes again. The chain id is the
//! verifier's ([`Verifier`]), not the transaction's.
//!
//! [`block`] is the file format of a block, [`stream`] verifies blocks of any size in bounded memory over several threads.

pub mod block;
mod cache;
mod cursor;
mod error;
mod implementation;
pub mod index;
mod injected_fault;
pub mod reference;
mod rejections;
mod scheme;
pub mod stream;
mod transaction;
mod verifier;

pub use cache::KeyCache;
pub use error::{Malformed, Rejection};
pub use implementation::{Examined, PreparedKey};
pub use injected_fault::InjectedFault;
pub use rejections::{Rejected, Rejections};
pub use scheme::Scheme;
pub use transaction::{Body, Fields, Transaction};
pub use verifier::{Form, Scratch, Verifier};

/// Length in bytes of a receiver's address.
pub const ADDRESS: usize = 32;
/// Length in bytes of the signed digest, SHA-256's.
pub const DIGEST: usize = 32;
/// More bytes than the longest transaction of either form, with room for what is malformed.
pub const LONGEST_TRANSACTION: usize = 1 << 18;

#[cfg(test)]
mod tests;
