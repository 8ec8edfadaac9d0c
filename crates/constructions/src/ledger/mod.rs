//! Ledger transactions: contents, encoding and verification.
//!
//! Transactions have one of two forms, distinguished by the first byte. A verifier for one form rejects the
//! other. The forms are:
//!
//! - **TXv2** ([`Body`], [`Transaction`]), the default. The signed digest covers every byte before the signature,
//!   including scheme and public key, so an attacker cannot turn a hybrid transaction into a plain one.
//! - **TXv1** ([`reference`](mod@reference)), the form that an earlier system measured. The digest does not cover the kind of
//!   authentication, so an attacker *can* turn a hybrid transaction into a plain one. A test demonstrates the attack.
//!
//! Both forms are big-endian. Decoding is strict: encoding a decoded transaction yields the same bytes. The
//! [`Verifier`], not the transaction, decides which chain id is valid.
//!
//! [`block`] defines the file format of a block. [`stream`] verifies blocks of any size in bounded memory, on one or
//! several threads.

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
/// Length in bytes of the signed digest: SHA-256.
pub const DIGEST: usize = 32;
/// Maximum length in bytes of a transaction in a block. Larger than any valid transaction, so that malformed ones also
/// fit.
pub const LONGEST_TRANSACTION: usize = 1 << 18;

#[cfg(test)]
mod tests;
