//! ML-DSA (FIPS 204) from the `fips204` crate and SLH-DSA (FIPS 205) from the `fips205` crate.
//!
//! ML-DSA keys contain the vectors in NTT form but not the matrix. SLH-DSA key objects contain encoded keys. When the
//! crate loads an SLH-DSA signing key, it computes the root again and compares it with the root in the key.

use super::{Given, NO_SUCH_ENCODING, SEED_UNKNOWN, check_coins, library};
use crate::shared::bytes::{check_context, front, sized};
use fips204::traits::{KeyGen as _, SerDes as _, Signer as _, Verifier as _};
use fips205::traits::{KeyGen as _, SerDes as _, Signer as _, Verifier as _};
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureParameters, SignatureScheme,
    SigningKey, VerifyingKey,
};
use std::marker::PhantomData;
use std::sync::Arc;

/// A parameter set from either crate. The interfaces of the two crates differ only in signing.
trait SignatureSet: Send + Sync + 'static {
    type Signing: Clone + Send + Sync;
    type Verifying: Clone + Send + Sync;

    /// Generates a key pair (FIPS 204, algorithm 1; FIPS 205, algorithm 21).
    fn generate(coins: Coins) -> Result<(Self::Verifying, Self::Signing)>;
    fn decode_signing_key(bytes: &[u8]) -> Result<Self::Signing>;
    fn decode_verifying_key(bytes: &[u8]) -> Result<Self::Verifying>;
    fn encode_signing_key(key: Self::Signing, out: &mut [u8]) -> Result<usize>;
    fn encode_verifying_key(key: Self::Verifying, out: &mut [u8]) -> Result<usize>;
    /// Returns the verifying key. If `t0` in a loaded ML-DSA key does not match the other parts of the key, `fips204`
    /// panics in builds with debug assertions. In other builds, it computes the verifying key from the other parts.
    fn verifying_key(key: &Self::Signing) -> Self::Verifying;
    fn sign(key: &Self::Signing, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize>;
    fn verify(key: &Self::Verifying, context: &[u8], message: &[u8], signature: &[u8]) -> bool;
}

type Signed<K> = Result<K, &'static str>;

/// Signs with FIPS 204, algorithm 2. The deterministic variant uses zeros as coins (line 5).
fn sign_ml_dsa<K>(key: &K, context: &[u8], message: &[u8], coins: Coins) -> Signed<K::Signature>
where
    K: fips204::traits::Signer,
{
    match coins {
        Coins::Internal => key.try_sign(message, context),
        Coins::Exact([]) => key.try_sign_with_seed(&[0; 32], message, context),
        Coins::Exact(rnd) => key.try_sign_with_rng(&mut Given(rnd), message, context),
    }
}

/// Signs with FIPS 205, algorithm 22.
fn sign_slh_dsa<K>(key: &K, context: &[u8], message: &[u8], coins: Coins) -> Signed<K::Signature>
where
    K: fips205::traits::Signer,
{
    match coins {
        Coins::Internal => key.try_sign(message, context, true),
        Coins::Exact([]) => key.try_sign(message, context, false),
        Coins::Exact(addrnd) => key.try_sign_with_rng(&mut Given(addrnd), message, context, true),
    }
}

macro_rules! signature_sets {
    ($($library:ident::$set:ident: $algorithm:literal, $sign:ident;)*) => {
        pub(super) fn signatures() -> Vec<Arc<dyn SignatureScheme>> {
            vec![$(Scheme::<$library::$set::KG>::new($algorithm)),*]
        }

        $(impl SignatureSet for $library::$set::KG {
            type Signing = $library::$set::PrivateKey;
            type Verifying = $library::$set::PublicKey;

            fn generate(coins: Coins) -> Result<(Self::Verifying, Self::Signing)> {
                let pair = match coins {
                    Coins::Internal => Self::try_keygen(),
                    Coins::Exact(seed) => Self::try_keygen_with_rng(&mut Given(seed)),
                };
                pair.map_err(library(concat!(stringify!($library), " keygen")))
            }

            fn decode_signing_key(bytes: &[u8]) -> Result<Self::Signing> {
                let bytes = *sized("signing key", bytes)?;
                Self::Signing::try_from_bytes(bytes).map_err(|_| Error::Malformed("signing key"))
            }

            fn decode_verifying_key(bytes: &[u8]) -> Result<Self::Verifying> {
                let bytes = *sized("verifying key", bytes)?;
                Self::Verifying::try_from_bytes(bytes).map_err(|_| Error::Malformed("verifying key"))
            }

            fn encode_signing_key(key: Self::Signing, out: &mut [u8]) -> Result<usize> {
                let out = front::<{ $library::$set::SK_LEN }>("signing key", out)?;
                *out = key.into_bytes();
                Ok(out.len())
            }

            fn encode_verifying_key(key: Self::Verifying, out: &mut [u8]) -> Result<usize> {
                let out = front::<{ $library::$set::PK_LEN }>("verifying key", out)?;
                *out = key.into_bytes();
                Ok(out.len())
            }

            fn verifying_key(key: &Self::Signing) -> Self::Verifying {
                key.get_public_key()
            }

            fn sign(
                key: &Self::Signing,
                context: &[u8],
                message: &[u8],
                coins: Coins,
                out: &mut [u8],
            ) -> Result<usize> {
                let out = front::<{ $library::$set::SIG_LEN }>("signature", out)?;
                *out = $sign(key, context, message, coins).map_err(library(concat!(stringify!($library), " sign")))?;
                Ok(out.len())
            }

            fn verify(key: &Self::Verifying, context: &[u8], message: &[u8], signature: &[u8]) -> bool {
                signature.try_into().is_ok_and(|signature| key.verify(message, signature, context))
            }
        })*
    };
}

signature_sets! {
    fips204::ml_dsa_44: "ML-DSA-44", sign_ml_dsa;
    fips204::ml_dsa_65: "ML-DSA-65", sign_ml_dsa;
    fips204::ml_dsa_87: "ML-DSA-87", sign_ml_dsa;
    fips205::slh_dsa_sha2_128s: "SLH-DSA-SHA2-128s", sign_slh_dsa;
    fips205::slh_dsa_shake_128s: "SLH-DSA-SHAKE-128s", sign_slh_dsa;
    fips205::slh_dsa_sha2_128f: "SLH-DSA-SHA2-128f", sign_slh_dsa;
    fips205::slh_dsa_shake_128f: "SLH-DSA-SHAKE-128f", sign_slh_dsa;
    fips205::slh_dsa_sha2_192s: "SLH-DSA-SHA2-192s", sign_slh_dsa;
    fips205::slh_dsa_shake_192s: "SLH-DSA-SHAKE-192s", sign_slh_dsa;
    fips205::slh_dsa_sha2_192f: "SLH-DSA-SHA2-192f", sign_slh_dsa;
    fips205::slh_dsa_shake_192f: "SLH-DSA-SHAKE-192f", sign_slh_dsa;
    fips205::slh_dsa_sha2_256s: "SLH-DSA-SHA2-256s", sign_slh_dsa;
    fips205::slh_dsa_shake_256s: "SLH-DSA-SHAKE-256s", sign_slh_dsa;
    fips205::slh_dsa_sha2_256f: "SLH-DSA-SHA2-256f", sign_slh_dsa;
    fips205::slh_dsa_shake_256f: "SLH-DSA-SHAKE-256f", sign_slh_dsa;
}

struct Scheme<S> {
    info: SignatureInfo,
    set: PhantomData<S>,
}

impl<S: SignatureSet> Scheme<S> {
    #[allow(clippy::new_ret_no_self, reason = "callers use this type only through the trait")]
    fn new(algorithm: &str) -> Arc<dyn SignatureScheme> {
        let parameters = SignatureParameters::find(algorithm).expect("missing from the parameter table");
        let mut encodings = vec![KeyEncoding::Expanded];
        encodings.extend(parameters.signing_key(KeyEncoding::Seed).map(|_| KeyEncoding::Seed));
        let coins = CoinSupport { keygen: true, operation: true };
        let info = SignatureInfo { parameters, encodings, coins, context: true, hedged: true };
        Arc::new(Scheme::<S> { info, set: PhantomData })
    }

    fn generate_pair(&self, coins: Coins) -> Result<(S::Verifying, S::Signing)> {
        check_coins(coins, self.info.parameters.keygen_coins)?;
        S::generate(coins)
    }

    fn prepared(&self, key: S::Signing) -> Box<dyn SigningKey> {
        Box::new(PreparedSigningKey::<S> { key, coins: self.info.parameters.signing_coins })
    }
}

impl<S: SignatureSet> SignatureScheme for Scheme<S> {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    /// Returns only the expanded encoding, because the crates' keys do not keep the seed.
    fn written(&self) -> &[KeyEncoding] {
        &[KeyEncoding::Expanded]
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let (verifying, signing) = self.generate_pair(coins)?;
        let verifying = S::encode_verifying_key(verifying, verifying_key)?;
        Ok((verifying, S::encode_signing_key(signing, signing_key)?))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        let (_, key) = self.generate_pair(coins)?;
        Ok(self.prepared(key))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        let expected = self.info.signing_key(encoding).ok_or(NO_SUCH_ENCODING)?;
        Error::check_length("signing key", expected, bytes.len())?;
        match encoding {
            KeyEncoding::Seed => self.generate(Coins::Exact(bytes)),
            _ => Ok(self.prepared(S::decode_signing_key(bytes)?)),
        }
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(PreparedVerifyingKey::<S>(S::decode_verifying_key(bytes)?)))
    }
}

struct PreparedSigningKey<S: SignatureSet> {
    key: S::Signing,
    /// Number of random bytes that hedged signing uses.
    coins: usize,
}

impl<S: SignatureSet> SigningKey for PreparedSigningKey<S> {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        check_context(context)?;
        if !matches!(coins, Coins::Exact([])) {
            check_coins(coins, self.coins)?;
        }
        S::sign(&self.key, context, message, coins, out)
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(PreparedVerifyingKey::<S>(S::verifying_key(&self.key))))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Expanded => S::encode_signing_key(self.key.clone(), out),
            KeyEncoding::Seed => Err(SEED_UNKNOWN),
            _ => Err(NO_SUCH_ENCODING),
        }
    }
}

struct PreparedVerifyingKey<S: SignatureSet>(S::Verifying);

impl<S: SignatureSet> VerifyingKey for PreparedVerifyingKey<S> {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        check_context(context)?;
        if S::verify(&self.0, context, message, signature) { Ok(()) } else { Err(Error::VerificationFailed) }
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        S::encode_verifying_key(self.0.clone(), out)
    }
}
