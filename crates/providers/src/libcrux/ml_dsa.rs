//! ML-DSA (FIPS 204) from the `libcrux-ml-dsa` crate. The crate's keys are encoded bytes. Every call decodes the key
//! and expands the matrix, so a prepared key saves only the copying.

use crate::shared::bytes::{check_context, front, sized, sized_mut, write};
use crate::shared::draw::drawn;
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Prehash, Result, SignatureInfo, SignatureParameters,
    SignatureScheme, SigningKey, VerifyingKey, Wiped, wipe,
};
use std::convert::identity;
use std::marker::PhantomData;
use std::sync::Arc;

pub(super) fn portable() -> Vec<Arc<dyn SignatureScheme>> {
    vec![MlDsa::<Portable44>::new(), MlDsa::<Portable65>::new(), MlDsa::<Portable87>::new()]
}

#[cfg(target_arch = "x86_64")]
pub(super) fn avx2() -> Vec<Arc<dyn SignatureScheme>> {
    vec![MlDsa::<Avx2With44>::new(), MlDsa::<Avx2With65>::new(), MlDsa::<Avx2With87>::new()]
}

#[cfg(target_arch = "aarch64")]
pub(super) fn neon() -> Vec<Arc<dyn SignatureScheme>> {
    vec![MlDsa::<Neon44>::new(), MlDsa::<Neon65>::new(), MlDsa::<Neon87>::new()]
}

/// A parameter set on a code path. The crate has a separate module for each combination, and all these modules have the
/// same functions.
trait ParameterSet: Send + Sync + 'static {
    const ALGORITHM: &'static str;
    type Signing: Send + Sync;
    type Verifying: Clone + Send + Sync;

    /// Generates a key pair into the caller's buffers (FIPS 204, algorithm 1).
    fn generate_encoded(xi: &[u8; 32], verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<()>;
    fn generate(xi: &[u8; 32]) -> (Self::Signing, Self::Verifying);
    fn decode_signing_key(bytes: &[u8]) -> Result<Self::Signing>;
    fn decode_verifying_key(bytes: &[u8]) -> Result<Self::Verifying>;
    fn signing_key_bytes(key: &Self::Signing) -> &[u8];
    fn verifying_key_bytes(key: &Self::Verifying) -> &[u8];
    fn clear(key: &mut Self::Signing);
    fn sign(key: &Self::Signing, context: &[u8], message: &[u8], rnd: &[u8; 32], out: &mut [u8]) -> Result<usize>;
    fn verify(key: &Self::Verifying, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()>;
    /// Signs with HashML-DSA, using SHAKE128 with 32 bytes of output (FIPS 204, algorithm 4).
    fn sign_shake128(
        key: &Self::Signing,
        context: &[u8],
        message: &[u8],
        rnd: &[u8; 32],
        out: &mut [u8],
    ) -> Result<usize>;
    fn verify_shake128(key: &Self::Verifying, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()>;
}

/// Implements [`ParameterSet`] for a parameter set on a code path. `signed_with` converts a key to the argument type of
/// the crate's `sign_mut`. That type differs between parameter sets.
macro_rules! parameter_set {
    ($name:ident, $algorithm:literal, $set:ident::$path:ident, $signing:ident, $verifying:ident, $signature:ident,
     signed_with: $signed_with:expr) => {
        struct $name;

        impl ParameterSet for $name {
            const ALGORITHM: &'static str = $algorithm;
            type Signing = libcrux_ml_dsa::$set::$signing;
            type Verifying = libcrux_ml_dsa::$set::$verifying;

            fn generate_encoded(xi: &[u8; 32], verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<()> {
                let verifying_key = sized_mut("verifying key", verifying_key)?;
                let signing_key = sized_mut("signing key", signing_key)?;
                let pair = libcrux_ml_dsa::$set::$path::generate_key_pair(*xi);
                *verifying_key = *pair.verification_key.as_ref();
                *signing_key = *pair.signing_key.as_ref();
                Ok(())
            }

            fn generate(xi: &[u8; 32]) -> (Self::Signing, Self::Verifying) {
                let pair = libcrux_ml_dsa::$set::$path::generate_key_pair(*xi);
                (pair.signing_key, pair.verification_key)
            }

            fn decode_signing_key(bytes: &[u8]) -> Result<Self::Signing> {
                Ok(Self::Signing::new(*sized("signing key", bytes)?))
            }

            fn decode_verifying_key(bytes: &[u8]) -> Result<Self::Verifying> {
                Ok(Self::Verifying::new(*sized("verifying key", bytes)?))
            }

            fn signing_key_bytes(key: &Self::Signing) -> &[u8] {
                key.as_slice()
            }

            fn verifying_key_bytes(key: &Self::Verifying) -> &[u8] {
                key.as_slice()
            }

            fn clear(key: &mut Self::Signing) {
                wipe(key.as_mut_slice());
            }

            fn sign(
                key: &Self::Signing,
                context: &[u8],
                message: &[u8],
                rnd: &[u8; 32],
                out: &mut [u8],
            ) -> Result<usize> {
                const LENGTH: usize = libcrux_ml_dsa::$set::$signature::len();
                let out = front::<LENGTH>("signature", out)?;
                // The crate writes only the hints that exist and relies on zeros in the remaining bytes. The crate's
                // `sign` also passes a zeroed buffer.
                out.fill(0);
                libcrux_ml_dsa::$set::$path::sign_mut($signed_with(key), message, context, *rnd, out)
                    .map_err(|error| Error::Library { call: "libcrux_ml_dsa sign", detail: format!("{error:?}") })?;
                Ok(LENGTH)
            }

            fn verify(key: &Self::Verifying, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
                let signature = signature.try_into().map_err(|_| Error::VerificationFailed)?;
                let signature = libcrux_ml_dsa::$set::$signature::new(signature);
                libcrux_ml_dsa::$set::$path::verify(key, message, context, &signature)
                    .map_err(|_| Error::VerificationFailed)
            }

            fn sign_shake128(
                key: &Self::Signing,
                context: &[u8],
                message: &[u8],
                rnd: &[u8; 32],
                out: &mut [u8],
            ) -> Result<usize> {
                const LENGTH: usize = libcrux_ml_dsa::$set::$signature::len();
                let out = front::<LENGTH>("signature", out)?;
                let signature = libcrux_ml_dsa::$set::$path::sign_pre_hashed_shake128(key, message, context, *rnd)
                    .map_err(|error| Error::Library {
                        call: "libcrux_ml_dsa sign_pre_hashed_shake128",
                        detail: format!("{error:?}"),
                    })?;
                *out = *signature.as_ref();
                Ok(LENGTH)
            }

            fn verify_shake128(key: &Self::Verifying, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
                let signature = signature.try_into().map_err(|_| Error::VerificationFailed)?;
                let signature = libcrux_ml_dsa::$set::$signature::new(signature);
                libcrux_ml_dsa::$set::$path::verify_pre_hashed_shake128(key, message, context, &signature)
                    .map_err(|_| Error::VerificationFailed)
            }
        }
    };
}

macro_rules! parameter_sets {
    ($path:ident, $name44:ident, $name65:ident, $name87:ident) => {
        parameter_set!(
            $name44,
            "ML-DSA-44",
            ml_dsa_44::$path,
            MLDSA44SigningKey,
            MLDSA44VerificationKey,
            MLDSA44Signature,
            signed_with: identity
        );
        parameter_set!(
            $name65,
            "ML-DSA-65",
            ml_dsa_65::$path,
            MLDSA65SigningKey,
            MLDSA65VerificationKey,
            MLDSA65Signature,
            signed_with: libcrux_ml_dsa::ml_dsa_65::MLDSA65SigningKey::as_ref
        );
        parameter_set!(
            $name87,
            "ML-DSA-87",
            ml_dsa_87::$path,
            MLDSA87SigningKey,
            MLDSA87VerificationKey,
            MLDSA87Signature,
            signed_with: identity
        );
    };
}

parameter_sets!(portable, Portable44, Portable65, Portable87);
#[cfg(target_arch = "x86_64")]
parameter_sets!(avx2, Avx2With44, Avx2With65, Avx2With87);
#[cfg(target_arch = "aarch64")]
parameter_sets!(neon, Neon44, Neon65, Neon87);

const NO_SUCH_ENCODING: Error = Error::Unsupported("ML-DSA signing keys must be encoded as a seed or in expanded form");

struct MlDsa<S> {
    info: SignatureInfo,
    set: PhantomData<S>,
}

impl<S: ParameterSet> MlDsa<S> {
    #[allow(clippy::new_ret_no_self, reason = "callers use this type only through the trait")]
    fn new() -> Arc<dyn SignatureScheme> {
        let info = SignatureInfo {
            parameters: SignatureParameters::find(S::ALGORITHM).expect("missing from the parameter table"),
            encodings: vec![KeyEncoding::Expanded, KeyEncoding::Seed],
            coins: CoinSupport { keygen: true, operation: true },
            context: true,
            hedged: true,
        };
        Arc::new(MlDsa::<S> { info, set: PhantomData })
    }
}

impl<S: ParameterSet> SignatureScheme for MlDsa<S> {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn prehashes(&self) -> &[Prehash] {
        &[Prehash::Shake128]
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        S::generate_encoded(&*drawn(coins)?, verifying_key, signing_key)?;
        Ok((verifying_key.len(), signing_key.len()))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(PreparedSigningKey::<S>::expand(drawn(coins)?)))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        match encoding {
            KeyEncoding::Seed => {
                Ok(Box::new(PreparedSigningKey::<S>::expand(Wiped::new(*sized("signing key", bytes)?))))
            }
            KeyEncoding::Expanded => {
                let key = S::decode_signing_key(bytes)?;
                Ok(Box::new(PreparedSigningKey::<S> { key, generated: None }))
            }
            _ => Err(NO_SUCH_ENCODING),
        }
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(PreparedVerifyingKey::<S>(S::decode_verifying_key(bytes)?)))
    }
}

struct PreparedSigningKey<S: ParameterSet> {
    key: S::Signing,
    generated: Option<Box<Generated<S>>>,
}

/// Values that the crate cannot compute from an expanded signing key. They are available only if this adapter expanded
/// the key from a seed.
struct Generated<S: ParameterSet> {
    seed: Wiped<[u8; 32]>,
    verifying_key: S::Verifying,
}

impl<S: ParameterSet> PreparedSigningKey<S> {
    fn expand(seed: Wiped<[u8; 32]>) -> PreparedSigningKey<S> {
        let (key, verifying_key) = S::generate(&seed);
        PreparedSigningKey { key, generated: Some(Box::new(Generated { seed, verifying_key })) }
    }
}

impl<S: ParameterSet> Drop for PreparedSigningKey<S> {
    fn drop(&mut self) {
        S::clear(&mut self.key);
    }
}

impl<S: ParameterSet> SigningKey for PreparedSigningKey<S> {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        check_context(context)?;
        match coins {
            // The deterministic variant sets `rnd` to zeros (FIPS 204, algorithm 2, line 5).
            Coins::Exact([]) => S::sign(&self.key, context, message, &[0; 32], out),
            coins => S::sign(&self.key, context, message, &*drawn(coins)?, out),
        }
    }

    fn sign_prehashed(
        &self,
        prehash: Prehash,
        context: &[u8],
        message: &[u8],
        coins: Coins,
        out: &mut [u8],
    ) -> Result<usize> {
        only_shake128(prehash)?;
        check_context(context)?;
        match coins {
            Coins::Exact([]) => S::sign_shake128(&self.key, context, message, &[0; 32], out),
            coins => S::sign_shake128(&self.key, context, message, &*drawn(coins)?, out),
        }
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        let Some(generated) = &self.generated else {
            return Err(Error::Unsupported("libcrux does not compute the verifying key from an expanded signing key"));
        };
        Ok(Box::new(PreparedVerifyingKey::<S>(generated.verifying_key.clone())))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match (encoding, &self.generated) {
            (KeyEncoding::Expanded, _) => write("signing key", out, S::signing_key_bytes(&self.key)),
            (KeyEncoding::Seed, Some(generated)) => write("signing key", out, &*generated.seed),
            (KeyEncoding::Seed, None) => {
                Err(Error::Unsupported("the seed is unknown, because the key was loaded in expanded form"))
            }
            _ => Err(NO_SUCH_ENCODING),
        }
    }
}

struct PreparedVerifyingKey<S: ParameterSet>(S::Verifying);

impl<S: ParameterSet> VerifyingKey for PreparedVerifyingKey<S> {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        check_context(context)?;
        S::verify(&self.0, context, message, signature)
    }

    fn verify_prehashed(&self, prehash: Prehash, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        only_shake128(prehash)?;
        check_context(context)?;
        S::verify_shake128(&self.0, context, message, signature)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write("verifying key", out, S::verifying_key_bytes(&self.0))
    }
}

fn only_shake128(prehash: Prehash) -> Result<()> {
    match prehash {
        Prehash::Shake128 => Ok(()),
        _ => Err(Error::Unsupported("libcrux supports only SHAKE128 for pre-hashing")),
    }
}
