//! ECDSA from the `k256`, `p256` and `p384` crates, with SHA-256 for the 256-bit curves and SHA-384 for P-384.
//!
//! Nonces follow RFC 6979, so signing is deterministic. Signatures over secp256k1 have a low `s`,
//! as ledgers require. On every curve, verification accepts a low and a high `s`, as the standard
//! requires.

use crate::shared::bytes::write;
use crate::shared::ecdsa::{Curve, ecdsa};
use getrandom::SysRng;
use pqlab_primitives::{Error, Result, SignatureScheme, Wiped};
use std::sync::Arc;

pub(super) fn signatures() -> Vec<Arc<dyn SignatureScheme>> {
    vec![ecdsa::<Secp256k1>(), ecdsa::<P256>(), ecdsa::<P384>()]
}

macro_rules! curve {
    ($name:ident, $algorithm:literal, $library:ident, scalar: $scalar:literal, compressed: $compressed:literal,
     signature: $normalize:expr) => {
        struct $name;

        impl Curve for $name {
            const ALGORITHM: &'static str = $algorithm;
            const SCALAR: usize = $scalar;
            const DETERMINISTIC: bool = true;
            const COMPRESSED: bool = true;
            type Signing = $library::ecdsa::SigningKey;
            type Verifying = $library::ecdsa::VerifyingKey;

            fn generate() -> Result<Self::Signing> {
                use $library::elliptic_curve::Generate;
                Self::Signing::try_generate_from_rng(&mut SysRng)
                    .map_err(|error| Error::Library { call: "SysRng", detail: error.to_string() })
            }

            fn decode_signing_key(scalar: &[u8]) -> Result<Self::Signing> {
                Self::Signing::from_slice(scalar).map_err(|_| Error::Malformed("signing key"))
            }

            fn encode_signing_key(key: &Self::Signing, out: &mut [u8]) -> Result<usize> {
                write("signing key", out, &Wiped::new(key.to_bytes()))
            }

            fn verifying_key(key: &Self::Signing) -> Result<Self::Verifying> {
                Ok(*key.verifying_key())
            }

            fn encode_public_half(key: &Self::Signing, out: &mut [u8]) -> Result<usize> {
                Self::encode_verifying_key(key.verifying_key(), out)
            }

            fn decode_verifying_key(bytes: &[u8]) -> Result<Self::Verifying> {
                Self::Verifying::from_sec1_bytes(bytes).map_err(|_| Error::Malformed("verifying key"))
            }

            fn encode_verifying_key(key: &Self::Verifying, out: &mut [u8]) -> Result<usize> {
                write("verifying key", out, key.to_sec1_point($compressed).as_bytes())
            }

            fn sign(key: &Self::Signing, message: &[u8], out: &mut [u8]) -> Result<usize> {
                use $library::ecdsa::signature::Signer;
                let signature: $library::ecdsa::Signature = key
                    .try_sign(message)
                    .map_err(|error| Error::Library { call: "ecdsa sign", detail: error.to_string() })?;
                write("signature", out, &signature.to_bytes())
            }

            fn verify(key: &Self::Verifying, message: &[u8], signature: &[u8]) -> Result<()> {
                use $library::ecdsa::signature::Verifier;
                let signature =
                    $library::ecdsa::Signature::from_slice(signature).map_err(|_| Error::VerificationFailed)?;
                let as_taken: fn($library::ecdsa::Signature) -> $library::ecdsa::Signature = $normalize;
                key.verify(message, &as_taken(signature)).map_err(|_| Error::VerificationFailed)
            }
        }
    };
}

// ECDSA allows a high `s`, but k256 rejects it, so normalize `s` first.
curve!(Secp256k1, "ECDSA-secp256k1", k256, scalar: 32, compressed: true, signature: |s| s.normalize_s());
curve!(P256, "ECDSA-P-256", p256, scalar: 32, compressed: false, signature: |s| s);
curve!(P384, "ECDSA-P-384", p384, scalar: 48, compressed: false, signature: |s| s);
