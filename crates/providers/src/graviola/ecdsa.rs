//! ECDSA over P-256 with SHA-256 and over P-384 with SHA-384. The crate mixes 16 random bytes into each nonce (RFC
//! 6979, section 3.6) and decodes only uncompressed points.

use super::library;
use crate::shared::bytes::write;
use crate::shared::ecdsa::{Curve, ecdsa};
use graviola::hashing::{Sha256, Sha384};
use graviola::key_agreement::{p256, p384};
use graviola::signing::ecdsa as graviola_ecdsa;
use pqlab_primitives::{Error, Result, SignatureScheme, Wiped};
use std::sync::{Arc, OnceLock};

pub(super) fn signatures() -> Vec<Arc<dyn SignatureScheme>> {
    vec![ecdsa::<P256>(), ecdsa::<P384>()]
}

/// Signing key, and the encoded public point that the crate's own signing key type does not store. A generated key
/// computes the point immediately. A loaded key computes it on first use.
struct KeyPair<C: graviola_ecdsa::Curve, const POINT: usize> {
    signing: graviola_ecdsa::SigningKey<C>,
    point: OnceLock<[u8; POINT]>,
}

macro_rules! curve {
    ($name:ident, $algorithm:literal, $module:ident, $hash:ident, scalar: $scalar:literal) => {
        struct $name;

        impl $name {
            fn point(key: &<$name as Curve>::Signing) -> &[u8; 1 + 2 * $scalar] {
                key.point.get_or_init(|| key.signing.private_key.public_key_uncompressed())
            }
        }

        impl Curve for $name {
            const ALGORITHM: &'static str = $algorithm;
            const SCALAR: usize = $scalar;
            const DETERMINISTIC: bool = false;
            const COMPRESSED: bool = false;
            type Signing = KeyPair<graviola_ecdsa::$name, { 1 + 2 * $scalar }>;
            /// The encoded point, and the crate's key. The point is kept because the crate cannot encode a verifying
            /// key.
            type Verifying = ([u8; 1 + 2 * $scalar], graviola_ecdsa::VerifyingKey<graviola_ecdsa::$name>);

            fn generate() -> Result<Self::Signing> {
                let signing = graviola_ecdsa::SigningKey::generate();
                let signing = signing.map_err(library("ecdsa SigningKey::generate"))?;
                let key = KeyPair { signing, point: OnceLock::new() };
                Self::point(&key);
                Ok(key)
            }

            fn generate_from(scalar: &[u8]) -> Result<Self::Signing> {
                let key = Self::decode_signing_key(scalar)?;
                Self::point(&key);
                Ok(key)
            }

            fn decode_signing_key(scalar: &[u8]) -> Result<Self::Signing> {
                let private_key = $module::StaticPrivateKey::from_bytes(scalar);
                let private_key = private_key.map_err(|_| Error::Malformed("signing key"))?;
                Ok(KeyPair { signing: graviola_ecdsa::SigningKey { private_key }, point: OnceLock::new() })
            }

            fn encode_signing_key(key: &Self::Signing, out: &mut [u8]) -> Result<usize> {
                write("signing key", out, &*Wiped::new(key.signing.private_key.as_bytes()))
            }

            fn verifying_key(key: &Self::Signing) -> Result<Self::Verifying> {
                Self::decode_verifying_key(Self::point(key))
            }

            fn decode_verifying_key(bytes: &[u8]) -> Result<Self::Verifying> {
                let malformed = Error::Malformed("verifying key");
                let Ok(encoded) = bytes.try_into() else { return Err(malformed) };
                match graviola_ecdsa::VerifyingKey::from_x962_uncompressed(bytes) {
                    Ok(key) => Ok((encoded, key)),
                    Err(_) => Err(malformed),
                }
            }

            fn encode_verifying_key(key: &Self::Verifying, out: &mut [u8]) -> Result<usize> {
                write("verifying key", out, &key.0)
            }

            fn encode_public_half(key: &Self::Signing, out: &mut [u8]) -> Result<usize> {
                write("verifying key", out, Self::point(key))
            }

            fn sign(key: &Self::Signing, message: &[u8], out: &mut [u8]) -> Result<usize> {
                let actual = out.len();
                let signature = key.signing.sign::<$hash>(&[message], out).map_err(|error| match error {
                    graviola::Error::WrongLength => Error::Length { what: "signature", expected: 2 * $scalar, actual },
                    other => library("ecdsa SigningKey::sign")(other),
                })?;
                Ok(signature.len())
            }

            fn verify(key: &Self::Verifying, message: &[u8], signature: &[u8]) -> Result<()> {
                key.1.verify::<$hash>(&[message], signature).map_err(|_| Error::VerificationFailed)
            }
        }
    };
}

curve!(P256, "ECDSA-P-256", p256, Sha256, scalar: 32);
curve!(P384, "ECDSA-P-384", p384, Sha384, scalar: 48);
