use crate::{Aead, BatchVerifier, Hash, Kdf, Kem, KeyAgreement, LaneHash, Mac, SignatureScheme, StreamCipher, Xof};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Kind of a [`Primitive`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PrimitiveKind {
    /// Key encapsulation.
    Kem,
    /// Signatures.
    Signature,
    /// Batch verification of signatures.
    BatchVerifier,
    /// Diffie-Hellman.
    KeyAgreement,
    /// Fixed-length digests.
    Hash,
    /// Extendable output: digests of any length.
    Xof,
    /// Digests of several messages in parallel.
    LaneHash,
    /// Message authentication.
    Mac,
    /// Key derivation.
    Kdf,
    /// Authenticated encryption.
    Aead,
    /// Encryption without authentication.
    StreamCipher,
}

/// An algorithm of any kind, as offered by a provider.
#[derive(Clone, Copy)]
pub enum Primitive<'a> {
    /// A KEM.
    Kem(&'a Arc<dyn Kem>),
    /// A signature scheme.
    Signature(&'a Arc<dyn SignatureScheme>),
    /// Batch verification of signatures.
    BatchVerifier(&'a Arc<dyn BatchVerifier>),
    /// A key agreement, such as Diffie-Hellman.
    KeyAgreement(&'a Arc<dyn KeyAgreement>),
    /// A hash function.
    Hash(&'a Arc<dyn Hash>),
    /// An extendable-output function.
    Xof(&'a Arc<dyn Xof>),
    /// A hash function or XOF that processes several messages in parallel.
    LaneHash(&'a Arc<dyn LaneHash>),
    /// A message authentication code.
    Mac(&'a Arc<dyn Mac>),
    /// A key derivation function.
    Kdf(&'a Arc<dyn Kdf>),
    /// An authenticated cipher.
    Aead(&'a Arc<dyn Aead>),
    /// A stream cipher.
    StreamCipher(&'a Arc<dyn StreamCipher>),
}

impl<'a> Primitive<'a> {
    /// Returns the kind of this primitive.
    pub fn kind(self) -> PrimitiveKind {
        match self {
            Primitive::Kem(_) => PrimitiveKind::Kem,
            Primitive::Signature(_) => PrimitiveKind::Signature,
            Primitive::BatchVerifier(_) => PrimitiveKind::BatchVerifier,
            Primitive::KeyAgreement(_) => PrimitiveKind::KeyAgreement,
            Primitive::Hash(_) => PrimitiveKind::Hash,
            Primitive::Xof(_) => PrimitiveKind::Xof,
            Primitive::LaneHash(_) => PrimitiveKind::LaneHash,
            Primitive::Mac(_) => PrimitiveKind::Mac,
            Primitive::Kdf(_) => PrimitiveKind::Kdf,
            Primitive::Aead(_) => PrimitiveKind::Aead,
            Primitive::StreamCipher(_) => PrimitiveKind::StreamCipher,
        }
    }

    /// Returns the algorithm's name.
    pub fn algorithm(self) -> &'a str {
        match self {
            Primitive::Kem(kem) => &kem.info().parameters.algorithm,
            Primitive::Signature(scheme) => &scheme.info().parameters.algorithm,
            Primitive::BatchVerifier(verifier) => &verifier.parameters().algorithm,
            Primitive::KeyAgreement(agreement) => &agreement.info().parameters.algorithm,
            Primitive::Hash(hash) => &hash.info().algorithm,
            Primitive::Xof(xof) => &xof.info().algorithm,
            Primitive::LaneHash(hash) => hash.algorithm(),
            Primitive::Mac(mac) => mac.algorithm(),
            Primitive::Kdf(kdf) => kdf.algorithm(),
            Primitive::Aead(aead) => aead.algorithm(),
            Primitive::StreamCipher(cipher) => cipher.algorithm(),
        }
    }
}
