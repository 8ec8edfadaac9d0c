//! ECDSA by the crates `k256`, `p256` and `p384`: SHA-256 with the curves of 256 bits, SHA-384 with P-384. Nonces
//! follow RFC 6979, so signing is deterministic. Signatures over secp256k1 are written with a low `s`, as ledgers
//! demand; verification takes either `s` on every curve, as the standard does.

use super::{no_context, no_signing_coins, write};
use getrandom::SysRng;
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureParameters, SignatureScheme,
    SigningKey, VerifyingKey, Wiped,
};
use std::marker::PhantomData;
use std::sync::Arc;

pub(super) fn signatures() -> Vec<Arc<dyn SignatureScheme>> {
    vec![Ecdsa::<Secp256k1>::new(), Ecdsa::<P256>::new(), Ecdsa::<P384>::new()]
}

/// What the generic code needs of a curve; the crates' own generics take a dozen bounds to say the same.
trait Curve: Send + Sync + 'static {
    const ALGORITHM: &'static str;
    /// Length of a scalar in bytes.
    const SCALAR: usize;
    type Signing: Send + Sync;
    type Verifying: Copy + Send + Sync;

    fn generate() -> Result<Self::Signing>;
    fn decode_signing_key(scalar: &[u8]) -> Result<Self::Signing>;
    fn encode_signing_key(key: &Self::Signing, out: &mut [u8]) -> Result<usize>;
    fn verifying_key(key: &Self::Signing) -> Self::Verifying;
    fn decode_verifying_key(bytes: &[u8]) -> Result<Self::Verifying>;
    fn encode_verifying_key(key: &Self::Verifying, out: &mut [u8]) -> Result<usize>;
    fn sign(key: &Self::Signing, message: &[u8], out: &mut [u8]) -> Result<usize>;
    fn verify(key: &Self::Verifying, message: &[u8], signature: &[u8]) -> Result<()>;
}

macro_rules! curve {
    ($name:ident, $algorithm:literal, $library:ident, scalar: $scalar:literal, compressed: $compressed:literal,
     signature: $normalize:expr) => {
        struct $name;

        impl Curve for $name {
            const ALGORITHM: &'static str = $algorithm;
            const SCALAR: usize = $scalar;
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

            fn verifying_key(key: &Self::Signing) -> Self::Verifying {
                *key.verifying_key()
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

// k256 refuses a high `s`, which ECDSA itself allows: it is made low first.
curve!(Secp256k1, "ECDSA-secp256k1", k256, scalar: 32, compressed: true, signature: |s| s.normalize_s());
curve!(P256, "ECDSA-P-256", p256, scalar: 32, compressed: false, signature: |s| s);
curve!(P384, "ECDSA-P-384", p384, scalar: 48, compressed: false, signature: |s| s);

struct Ecdsa<C> {
    info: SignatureInfo,
    curve: PhantomData<C>,
}

impl<C: Curve> Ecdsa<C> {
    #[allow(clippy::new_ret_no_self, reason = "only ever seen through the trait")]
    fn new() -> Arc<dyn SignatureScheme> {
        let info = SignatureInfo {
            parameters: SignatureParameters::of(C::ALGORITHM).expect("the table of signature schemes has the curve"),
            encodings: vec![KeyEncoding::Scalar],
            coins: CoinSupport { keygen: true, operation: true },
            context: false,
            hedged: false,
        };
        Arc::new(Ecdsa::<C> { info, curve: PhantomData })
    }

    /// Given coins are the scalar itself, big-endian.
    fn generate_key(coins: Coins) -> Result<C::Signing> {
        match coins {
            Coins::Internal => C::generate(),
            Coins::Exact(scalar) => {
                Error::check_length("coins", C::SCALAR, scalar.len())?;
                C::decode_signing_key(scalar)
            }
        }
    }
}

impl<C: Curve> SignatureScheme for Ecdsa<C> {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let key = Self::generate_key(coins)?;
        let verifying = C::encode_verifying_key(&C::verifying_key(&key), verifying_key)?;
        Ok((verifying, C::encode_signing_key(&key, signing_key)?))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(PreparedSigningKey::<C>(Self::generate_key(coins)?)))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        if encoding != KeyEncoding::Scalar {
            return Err(Error::Unsupported("an ECDSA key is a scalar"));
        }
        Error::check_length("signing key", C::SCALAR, bytes.len())?;
        Ok(Box::new(PreparedSigningKey::<C>(C::decode_signing_key(bytes)?)))
    }

    /// Takes a point compressed or not (SEC 1, section 2.3.4).
    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        let (compressed, uncompressed) = (1 + C::SCALAR, 1 + 2 * C::SCALAR);
        if bytes.len() != compressed && bytes.len() != uncompressed {
            Error::check_length("verifying key", self.info.parameters.verifying_key, bytes.len())?;
        }
        Ok(Box::new(PreparedVerifyingKey::<C>(C::decode_verifying_key(bytes)?)))
    }
}

/// Holds the scalar and the public point.
struct PreparedSigningKey<C: Curve>(C::Signing);

impl<C: Curve> SigningKey for PreparedSigningKey<C> {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        no_context(context)?;
        no_signing_coins(coins)?;
        C::sign(&self.0, message, out)
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(PreparedVerifyingKey::<C>(C::verifying_key(&self.0))))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Scalar => C::encode_signing_key(&self.0, out),
            _ => Err(Error::Unsupported("an ECDSA key is a scalar")),
        }
    }
}

/// Holds the decompressed point.
struct PreparedVerifyingKey<C: Curve>(C::Verifying);

impl<C: Curve> VerifyingKey for PreparedVerifyingKey<C> {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        no_context(context)?;
        C::verify(&self.0, message, signature)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        C::encode_verifying_key(&self.0, out)
    }
}
