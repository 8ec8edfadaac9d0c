//! Constructions built from cryptographic primitives: hybrid KEMs and signatures, certificates, Merkle Tree
//! Certificates, signed files and tokens, HPKE, circuit handshakes, and ledger transactions. This crate does not depend
//! on a cryptographic library: callers pass in the primitives.

mod cbor;
pub mod certificate;
pub mod cms;
mod coins;
pub mod hpke;
pub mod hybrid_kem;
pub mod hybrid_signature;
pub mod keys;
pub mod ledger;
pub mod mtc;
pub mod ntor;
pub mod parts;
pub mod token;

pub use hybrid_kem::{HybridKem, MockKem};
pub use hybrid_signature::{CompositeSignature, ReferenceSignature};
