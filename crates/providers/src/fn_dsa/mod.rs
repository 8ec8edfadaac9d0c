//! Falcon from version 0.3 of the `fn-dsa` crate, the last version that implements Falcon.
//!
//! With [`HASH_ID_ORIGINAL_FALCON`], the crate hashes only the nonce and the message (Falcon specification, algorithm
//! 10). It does not hash the context and the key hash that the drafts of FN-DSA add. Signatures use the padded
//! encoding, which has a fixed length (section 3.11.3).
//!
//! A signing key contains the lattice basis in FFT form and working memory. Signing needs exclusive access to both, so
//! threads that sign concurrently use copies of the key.

mod system;
#[cfg(test)]
mod tests;

use crate::shared::bytes::{front_of, no_context};
use crate::shared::compiled::{compiled, crate_version};
use crate::shared::draw::SYSTEM_GENERATOR;
use ::fn_dsa::{
    DOMAIN_NONE, FN_DSA_LOGN_512, FN_DSA_LOGN_1024, HASH_ID_ORIGINAL_FALCON, KeyPairGenerator, KeyPairGenerator512,
    KeyPairGenerator1024, SigningKey as Signer, SigningKey512, SigningKey1024, VerifyingKey as Verifier,
    VerifyingKey512, VerifyingKey1024, sign_key_size, signature_size, vrfy_key_size,
};
use pqlab_primitives::{
    BuildInfo, CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Provider, Result, SignatureInfo,
    SignatureParameters, SignatureScheme, SigningKey, Unsupported, VerifyingKey, Wiped,
};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use system::System;

pub(crate) fn providers() -> Vec<Provider> {
    let mut provider = Provider::new("fn-dsa", build_info());
    provider.generator = Some(SYSTEM_GENERATOR.to_owned());
    provider.signatures = vec![Padded::<Degree512>::new(), Padded::<Degree1024>::new()];
    provider.unsupported = ["Falcon-512", "Falcon-1024"]
        .into_iter()
        .map(|algorithm| Unsupported {
            algorithm: algorithm.to_owned(),
            reason: "the crate implements only the padded encoding".to_owned(),
        })
        .collect();
    vec![provider]
}

fn build_info() -> BuildInfo {
    #[cfg(target_arch = "x86_64")]
    let path = if is_x86_feature_detected!("avx2") { "AVX2 code, chosen at run time" } else { "no AVX2" };
    #[cfg(not(target_arch = "x86_64"))]
    let path = "no AVX2";
    BuildInfo {
        version: crate_version("fn-dsa").to_owned(),
        build: format!("{}; {path}; one SHAKE256 as the sampler's generator (not shake256x4)", compiled()),
    }
}

/// A ring degree, with the types that the crate uses for this degree.
trait Degree: Send + Sync + 'static {
    const ALGORITHM: &'static str;
    const LOGN: u32;
    type Generator: KeyPairGenerator;
    type Signer: Signer + Send;
    type Verifier: Verifier + Copy + Send + Sync;
}

struct Degree512;

impl Degree for Degree512 {
    const ALGORITHM: &'static str = "Falcon-padded-512";
    const LOGN: u32 = FN_DSA_LOGN_512;
    type Generator = KeyPairGenerator512;
    type Signer = SigningKey512;
    type Verifier = VerifyingKey512;
}

struct Degree1024;

impl Degree for Degree1024 {
    const ALGORITHM: &'static str = "Falcon-padded-1024";
    const LOGN: u32 = FN_DSA_LOGN_1024;
    type Generator = KeyPairGenerator1024;
    type Signer = SigningKey1024;
    type Verifier = VerifyingKey1024;
}

struct Padded<D> {
    info: SignatureInfo,
    degree: PhantomData<D>,
}

impl<D: Degree> Padded<D> {
    #[allow(clippy::new_ret_no_self, reason = "callers use this type only through the trait")]
    fn new() -> Arc<dyn SignatureScheme> {
        let info = SignatureInfo {
            parameters: SignatureParameters::find(D::ALGORITHM).expect("missing from the parameter table"),
            encodings: vec![KeyEncoding::Expanded],
            coins: CoinSupport { keygen: false, operation: false },
            context: false,
            hedged: false,
        };
        Arc::new(Padded::<D> { info, degree: PhantomData })
    }
}

impl<D: Degree> SignatureScheme for Padded<D> {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    /// Returns true, because Falcon samples randomly for each signature.
    fn draws_to_sign(&self) -> bool {
        true
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        no_given_coins(coins)?;
        Error::check_length("verifying key", vrfy_key_size(D::LOGN), verifying_key.len())?;
        Error::check_length("signing key", sign_key_size(D::LOGN), signing_key.len())?;
        D::Generator::default().keygen(D::LOGN, &mut System, signing_key, verifying_key);
        Ok((verifying_key.len(), signing_key.len()))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        let mut verifying_key = vec![0; vrfy_key_size(D::LOGN)];
        let mut signing_key = Wiped::new(vec![0; sign_key_size(D::LOGN)]);
        self.generate_encoded(coins, &mut verifying_key, &mut signing_key)?;
        self.load_signing_key(KeyEncoding::Expanded, &signing_key)
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        if encoding != KeyEncoding::Expanded {
            return Err(NO_SUCH_ENCODING);
        }
        Error::check_length("signing key", sign_key_size(D::LOGN), bytes.len())?;
        Ok(Box::new(PreparedSigningKey::<D>::decode(bytes)?))
    }

    /// Signs without moving the parsed key, which takes 60 or 120 KiB including its working memory.
    fn sign_from(
        &self,
        encoding: KeyEncoding,
        signing_key: &[u8],
        context: &[u8],
        message: &[u8],
        coins: Coins,
        out: &mut [u8],
    ) -> Result<usize> {
        if encoding != KeyEncoding::Expanded {
            return Err(NO_SUCH_ENCODING);
        }
        no_context(context)?;
        no_given_coins(coins)?;
        Error::check_length("signing key", sign_key_size(D::LOGN), signing_key.len())?;
        let length = signature_size(D::LOGN);
        let signature = front_of("signature", out, length)?;
        let mut signer = D::Signer::decode(signing_key).ok_or(Error::Malformed("signing key"))?;
        signer.sign(&mut System, &DOMAIN_NONE, &HASH_ID_ORIGINAL_FALCON, message, signature);
        Ok(length)
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Error::check_length("verifying key", vrfy_key_size(D::LOGN), bytes.len())?;
        Ok(Box::new(PreparedVerifyingKey::<D>::decode(bytes)?))
    }
}

struct PreparedSigningKey<D: Degree> {
    encoded: Wiped<Box<[u8]>>,
    /// Copies of the key that no thread is using.
    idle: Mutex<Vec<Box<Aligned<D::Signer>>>>,
}

impl<D: Degree> PreparedSigningKey<D> {
    fn decode(bytes: &[u8]) -> Result<PreparedSigningKey<D>> {
        let signer = decode_signer::<D>(bytes)?;
        Ok(PreparedSigningKey { encoded: Wiped::new(bytes.into()), idle: Mutex::new(vec![signer]) })
    }

    /// Returns an idle copy of the key, or a new copy if no copy is idle.
    fn take(&self) -> Result<Box<Aligned<D::Signer>>> {
        let idle = self.idle().pop();
        idle.map_or_else(|| decode_signer::<D>(&self.encoded), Ok)
    }

    /// Locks the list of idle copies. Ignores poisoning, because a panic leaves the list valid: either unchanged or one
    /// copy shorter.
    fn idle(&self) -> MutexGuard<'_, Vec<Box<Aligned<D::Signer>>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Degree> SigningKey for PreparedSigningKey<D> {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        no_context(context)?;
        no_given_coins(coins)?;
        let length = signature_size(D::LOGN);
        let signature = front_of("signature", out, length)?;
        let mut signer = self.take()?;
        signer.0.sign(&mut System, &DOMAIN_NONE, &HASH_ID_ORIGINAL_FALCON, message, signature);
        self.idle().push(signer);
        Ok(length)
    }

    /// Computes the verifying key. It is not stored, because signing does not need it.
    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        let mut verifying_key = vec![0; vrfy_key_size(D::LOGN)];
        let signer = self.take()?;
        signer.0.to_verifying_key(&mut verifying_key);
        self.idle().push(signer);
        Ok(Box::new(PreparedVerifyingKey::<D>::decode(&verifying_key)?))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Expanded {
            return Err(NO_SUCH_ENCODING);
        }
        front_of("signing key", out, self.encoded.len())?.copy_from_slice(&self.encoded);
        Ok(self.encoded.len())
    }
}

struct PreparedVerifyingKey<D: Degree> {
    verifier: D::Verifier,
    /// The encoded key, kept because the crate cannot encode a decoded key.
    encoded: Box<[u8]>,
}

impl<D: Degree> PreparedVerifyingKey<D> {
    fn decode(bytes: &[u8]) -> Result<PreparedVerifyingKey<D>> {
        let verifier = D::Verifier::decode(bytes).ok_or(Error::Malformed("verifying key"))?;
        Ok(PreparedVerifyingKey { verifier, encoded: bytes.into() })
    }
}

impl<D: Degree> VerifyingKey for PreparedVerifyingKey<D> {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        no_context(context)?;
        let valid = self.verifier.verify(signature, &DOMAIN_NONE, &HASH_ID_ORIGINAL_FALCON, message);
        if valid { Ok(()) } else { Err(Error::VerificationFailed) }
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        front_of("verifying key", out, self.encoded.len())?.copy_from_slice(&self.encoded);
        Ok(self.encoded.len())
    }
}

const NO_SUCH_ENCODING: Error = Error::Unsupported("Falcon keys have only one encoding");

/// Signing key aligned to cache lines. The crate works on vectors of 32 bytes inside the key. Without the alignment,
/// signing would take up to 1.5% longer, depending on earlier allocations.
#[repr(align(64))]
struct Aligned<S>(S);

fn decode_signer<D: Degree>(bytes: &[u8]) -> Result<Box<Aligned<D::Signer>>> {
    D::Signer::decode(bytes).map(|signer| Box::new(Aligned(signer))).ok_or(Error::Malformed("signing key"))
}

/// Rejects caller-supplied coins. Falcon has no deterministic variant, and no standard specifies how it uses random
/// bytes.
fn no_given_coins(coins: Coins) -> Result<()> {
    match coins {
        Coins::Internal => Ok(()),
        Coins::Exact(_) => Err(Error::Unsupported("no standard defines how Falcon uses randomness")),
    }
}
