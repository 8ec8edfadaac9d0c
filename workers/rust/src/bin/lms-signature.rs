//! Worker for lms-signature. A private key contains the number of its next one-time key, and signing advances it. Loading
//! a private key computes the whole tree.

use ::signature::{RandomizedSignerMut, Verifier};
use getrandom::SysRng;
use getrandom::rand_core::UnwrapErr;
use hybrid_array::Array;
use lms_signature::lms::{self, LmsMode, LmsSha256M32H5, LmsSha256M32H10, SigningKey, VerifyingKey};
use lms_signature::ots::{LmsOtsSha256N32W4, LmsOtsSha256N32W8};
use pqlab_worker::{Failure, SYSTEM_GENERATOR, Signature, main as serve, signature};
use std::marker::PhantomData;
use std::process::ExitCode;

/// A parameter set. The crate can encode keys and signatures only if their types are known.
trait Set: LmsMode + 'static {
    const ALGORITHM: &'static str;
    fn encode_public(key: VerifyingKey<Self>) -> Vec<u8>;
    fn encode_signature(signature: lms::Signature<Self>) -> Vec<u8>;
}

macro_rules! sets {
    ($($algorithm:literal: $mode:ty),*) => {
        $(impl Set for $mode {
            const ALGORITHM: &'static str = $algorithm;

            fn encode_public(key: VerifyingKey<Self>) -> Vec<u8> {
                let key: Array<u8, _> = key.into();
                key.to_vec()
            }

            fn encode_signature(signature: lms::Signature<Self>) -> Vec<u8> {
                signature.into()
            }
        })*

        fn main() -> ExitCode {
            serve("lms-signature", SYSTEM_GENERATOR, &[$(signature::<Lms<$mode>>()),*])
        }
    };
}

sets! {
    "LMS-SHA256-H5-W4": LmsSha256M32H5<LmsOtsSha256N32W4>,
    "LMS-SHA256-H5-W8": LmsSha256M32H5<LmsOtsSha256N32W8>,
    "LMS-SHA256-H10-W4": LmsSha256M32H10<LmsOtsSha256N32W4>,
    "LMS-SHA256-H10-W8": LmsSha256M32H10<LmsOtsSha256N32W8>
}

struct Lms<M>(PhantomData<M>);

/// Length of `I` in bytes.
const IDENTIFIER: usize = 16;
/// Length of a seed in bytes: `I` and `SEED` (RFC 8554, appendix A).
const SEED: usize = IDENTIFIER + 32;

/// Key pair with the seed from which it was generated.
struct Pair<M: LmsMode> {
    seed: Vec<u8>,
    key: SigningKey<M>,
}

impl<M: Set> Signature for Lms<M> {
    const ALGORITHM: &'static str = M::ALGORITHM;
    /// An expanded key consists of two types, the number of the next one-time key, `I` and `SEED`.
    const PRIVATE_KEYS: &'static [(&'static str, usize)] = &[("expanded", 4 + 4 + 4 + SEED), ("seed", SEED)];
    /// The two types, `I` and the root (RFC 8554, section 5.3).
    const PUBLIC_KEY: usize = 4 + 4 + IDENTIFIER + 32;
    const SEED: Option<usize> = Some(SEED);
    const IS_HEDGED: bool = true;
    const UNTIMED_SIGNING: Option<&'static str> = Some("signing uses up the key");
    type Pair = Pair<M>;
    type PublicKey = VerifyingKey<M>;
    type PrivateKey = SigningKey<M>;
    type Signature = Vec<u8>;

    /// Draws the random bytes like `SigningKey::new`, which does not return them.
    fn generate() -> Result<Self::Pair, Failure> {
        let mut seed = [0; SEED];
        getrandom::fill(&mut seed).map_err(|error| Failure::library("random bytes", error))?;
        Self::generate_from(&seed)
    }

    fn generate_from(seed: &[u8]) -> Result<Self::Pair, Failure> {
        let (identifier, secret) = seed.split_at(IDENTIFIER);
        let identifier = <[u8; IDENTIFIER]>::try_from(identifier).map_err(|error| Failure::library("seed", error))?;
        let key = SigningKey::new_from_seed(identifier, secret).map_err(|error| Failure::library("seed", error))?;
        Ok(Pair { seed: seed.to_vec(), key })
    }

    fn encode(pair: &Self::Pair) -> Result<[Vec<u8>; 2], Failure> {
        let public = M::encode_public(pair.key.public());
        let private = [&public[..8], &pair.key.q().to_be_bytes(), &pair.seed].concat();
        Ok([public, private])
    }

    fn load_public(key: &[u8]) -> Result<Self::PublicKey, Failure> {
        VerifyingKey::try_from(key).map_err(|error| Failure::library("public key", format_args!("{error:?}")))
    }

    fn load_private(encoding: &str, key: &[u8]) -> Result<Self::PrivateKey, Failure> {
        match encoding {
            "seed" => Self::generate_from(key).map(|pair| pair.key),
            _ => SigningKey::try_from(key).map_err(|error| Failure::library("private key", format_args!("{error:?}"))),
        }
    }

    fn sign(key: &mut Self::PrivateKey, _: &[u8], message: &[u8]) -> Result<Self::Signature, Failure> {
        let signature = key.try_sign_with_rng(&mut UnwrapErr(SysRng), message);
        signature.map(M::encode_signature).map_err(|error| Failure::library("signing", error))
    }

    fn verify(key: &Self::PublicKey, _: &[u8], message: &[u8], signature: &[u8]) -> bool {
        let signature = lms::Signature::try_from(signature);
        signature.is_ok_and(|signature| key.verify(message, &signature).is_ok())
    }
}
