//! Ledger transactions: content, encoding and verification.
//!
//! Two forms, distinguished by their first byte. A verifier for one never accepts the other:
//!
//! - **TXv2** ([`Body`], [`Transaction`]), the default. The signed digest covers every byte before the signature,
//!   including scheme and public key, so a hybrid transaction cannot be stripped to a plain one.
//! - **TXv1** ([`reference`]), the form that the reference measured. Its digest does not cover the kind of
//!   authentication, so a hybrid transaction *can* be stripped to a plain one. A test shows it.
//!
//! Both are big-endian. Decoding is strict: accepted bytes encode to the same bytes again. The chain id comes from the
//! [`Verifier`], not from the transaction.
//!
//! [`block`] defines the file format of a block. [`stream`] verifies blocks of any size in bounded memory on several
//! threads.

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
/// Length in bytes of the signed digest, SHA-256.
pub const DIGEST: usize = 32;
/// Maximum length in bytes of a transaction in a block. Larger than any valid transaction, to leave room for malformed
/// ones.
pub const LONGEST_TRANSACTION: usize = 1 << 18;

#[cfg(test)]
mod tests;
