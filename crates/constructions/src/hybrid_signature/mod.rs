//! Hybrid signatures of Ed25519 and ML-DSA-65: the composite of draft-ietf-lamps-pq-composite-sigs-19, and the
//! reference form, defined by an earlier system. Both implement [`SignatureScheme`](pqlab_primitives::SignatureScheme).
//! The two halves may come from different libraries. A signature is valid only if both halves are valid.

mod composite;
mod halves;
mod reference;

pub use composite::{CompositeSignature, Message};
pub use reference::ReferenceSignature;

/// Lengths in bytes (FIPS 204, table 2; RFC 8032, section 5.1).
pub(crate) mod length {
    pub(crate) const SEED: usize = 32;
    pub(crate) const ED25519_KEY: usize = 32;
    pub(crate) const ED25519_SIGNATURE: usize = 64;
    pub(crate) const ML_DSA_65_KEY: usize = 1952;
    pub(crate) const ML_DSA_65_SIGNATURE: usize = 3309;
}
