//! ECDSA over secp256k1 (SEC 1, SEC 2) from the C library libsecp256k1, through the `secp256k1` crate.
//!
//! Signing, verification and the computation of public keys call the C functions with one context per process. The
//! context is blinded once, as in the library's benchmarks and in programs written in C. The crate's safe functions
//! would blind the context again after each signature, which takes as long as signing.
//!
//! The library signs digests, so the `sha2` crate hashes the messages with SHA-256.

#[cfg(test)]
mod tests;

use crate::shared::bytes::{front, no_context};
use crate::shared::compiled::{compiled, crate_versions};
use crate::shared::draw::SYSTEM_GENERATOR;
use pqlab_primitives::{
    BuildInfo, CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Provider, Result, SignatureInfo,
    SignatureParameters, SignatureScheme, SigningKey, VerifyingKey, Wiped,
};
use secp256k1::ecdsa::Signature;
use secp256k1::ffi::{self, CPtr};
use secp256k1::{All, PublicKey, Secp256k1, SecretKey};
use sha2::{Digest, Sha256};
use std::ptr;
use std::sync::{Arc, LazyLock};

pub(crate) fn providers() -> Vec<Provider> {
    let mut provider = Provider::new("libsecp256k1", build_info());
    provider.generator = Some(SYSTEM_GENERATOR.to_owned());
    let info = SignatureInfo {
        parameters: SignatureParameters::find("ECDSA-secp256k1").expect("missing from the parameter table"),
        encodings: vec![KeyEncoding::Scalar],
        coins: CoinSupport { keygen: true, operation: true },
        context: false,
        hedged: false,
    };
    provider.signatures = vec![Arc::new(Ecdsa { info })];
    vec![provider]
}

fn build_info() -> BuildInfo {
    BuildInfo {
        version: crate_versions(&["secp256k1", "secp256k1-sys"]),
        build: format!(
            "C code built by secp256k1-sys: ECMULT_WINDOW_SIZE=15, COMB_BLOCKS=43, COMB_TEETH=6; one context for the \
             process, blinded once; SHA-256 by {}; {}",
            crate_versions(&["sha2"]),
            compiled()
        ),
    }
}

/// Lengths in bytes: a scalar, a compressed point, an uncompressed point (SEC 1, section 2.3.3) and a signature
/// `r || s`.
const SCALAR: usize = 32;
const COMPRESSED: usize = 33;
const UNCOMPRESSED: usize = 65;
const SIGNATURE: usize = 64;

const NO_SUCH_ENCODING: Error = Error::Unsupported("ECDSA signing keys must be encoded as a scalar");

/// Blinded context. It is immutable after construction, so all threads share it.
static CONTEXT: LazyLock<Secp256k1<All>> = LazyLock::new(|| {
    let mut context = Secp256k1::new();
    let mut seed = Wiped::new([0; 32]);
    getrandom::fill(&mut *seed).expect("the operating system returned no random bytes");
    context.seeded_randomize(&seed);
    context
});

struct Ecdsa {
    info: SignatureInfo,
}

impl SignatureScheme for Ecdsa {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let (verifying_key, signing_key) = (front("verifying key", verifying_key)?, front("signing key", signing_key)?);
        let key = PreparedSigningKey::generate(coins)?;
        *verifying_key = key.public.serialize();
        *signing_key = *key.scalar;
        Ok((COMPRESSED, SCALAR))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(PreparedSigningKey::generate(coins)?))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        if encoding != KeyEncoding::Scalar {
            return Err(NO_SUCH_ENCODING);
        }
        Error::check_length("signing key", SCALAR, bytes.len())?;
        let mut scalar = Wiped::new([0; SCALAR]);
        scalar.copy_from_slice(bytes);
        Ok(Box::new(PreparedSigningKey::new(scalar)?))
    }

    /// Loads a compressed or uncompressed point.
    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        if bytes.len() != UNCOMPRESSED {
            Error::check_length("verifying key", COMPRESSED, bytes.len())?;
        }
        let public = PublicKey::from_slice(bytes).map_err(|_| Error::Malformed("verifying key"))?;
        Ok(Box::new(PreparedVerifyingKey(public)))
    }
}

/// Signing key: a scalar from 1 to the group order minus 1, and the public point.
struct PreparedSigningKey {
    scalar: Wiped<[u8; SCALAR]>,
    public: PublicKey,
}

impl PreparedSigningKey {
    /// Generates a key. Exact coins are the big-endian scalar.
    fn generate(coins: Coins) -> Result<PreparedSigningKey> {
        if let Some(scalar) = coins.exact::<SCALAR>()? {
            return PreparedSigningKey::new(Wiped::new(*scalar));
        }
        loop {
            let mut scalar = Wiped::new([0; SCALAR]);
            getrandom::fill(&mut *scalar)
                .map_err(|error| Error::Library { call: "getrandom::fill", detail: error.to_string() })?;
            // A random scalar is out of range with probability 2^-128. If so, draw another one.
            match PreparedSigningKey::new(scalar) {
                Err(Error::Malformed(_)) => continue,
                key => return key,
            }
        }
    }

    fn new(scalar: Wiped<[u8; SCALAR]>) -> Result<PreparedSigningKey> {
        let mut in_range = SecretKey::from_secret_bytes(*scalar).map_err(|_| Error::Malformed("signing key"))?;
        in_range.non_secure_erase();
        // SAFETY: the type is a plain array of bytes, which the next call fills.
        let mut public = unsafe { ffi::PublicKey::new() };
        // SAFETY: the context lives as long as the process. The scalar is 32 bytes long and in range.
        let done = unsafe { ffi::secp256k1_ec_pubkey_create(context(), &raw mut public, scalar.as_ptr()) };
        check("secp256k1_ec_pubkey_create", done)?;
        Ok(PreparedSigningKey { scalar, public: public.into() })
    }
}

impl SigningKey for PreparedSigningKey {
    /// Signs deterministically with a nonce from RFC 6979. Signatures have a low `s`.
    fn sign(&self, context_string: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        no_context(context_string)?;
        coins.exact::<0>()?;
        let out = front("signature", out)?;
        let digest: [u8; 32] = Sha256::digest(message).into();
        // SAFETY: the type is a plain array of bytes, which the next call fills.
        let mut signature = unsafe { ffi::Signature::new() };
        // SAFETY: the context lives as long as the process. The digest and the scalar are 32 bytes long, and the scalar
        // is in range. Null means no additional data for the nonce.
        let done = unsafe {
            ffi::secp256k1_ecdsa_sign(
                context(),
                &raw mut signature,
                digest.as_ptr(),
                self.scalar.as_ptr(),
                ffi::secp256k1_nonce_function_rfc6979,
                ptr::null(),
            )
        };
        check("secp256k1_ecdsa_sign", done)?;
        *out = Signature::from(signature).serialize_compact();
        Ok(SIGNATURE)
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(PreparedVerifyingKey(self.public)))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Scalar {
            return Err(NO_SUCH_ENCODING);
        }
        *front("signing key", out)? = *self.scalar;
        Ok(SCALAR)
    }
}

/// Verifying key as a decompressed point.
struct PreparedVerifyingKey(PublicKey);

impl VerifyingKey for PreparedVerifyingKey {
    fn verify(&self, context_string: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        no_context(context_string)?;
        let mut signature = Signature::from_compact(signature).map_err(|_| Error::VerificationFailed)?;
        // The library rejects a high `s` to prevent malleability, but ECDSA allows it (SEC 1,
        // section 4.1.4). In pqlab every library must accept the same signatures, so normalize `s`
        // first.
        signature.normalize_s();
        let digest: [u8; 32] = Sha256::digest(message).into();
        // SAFETY: the context lives as long as the process. The digest is 32 bytes long, and the
        // library created the signature and the point.
        let valid =
            unsafe { ffi::secp256k1_ecdsa_verify(context(), signature.as_c_ptr(), digest.as_ptr(), self.0.as_c_ptr()) };
        if valid == 1 { Ok(()) } else { Err(Error::VerificationFailed) }
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        *front("verifying key", out)? = self.0.serialize();
        Ok(COMPRESSED)
    }
}

fn context() -> *const ffi::Context {
    CONTEXT.ctx().as_ptr()
}

/// Checks a return value. The library returns 1 on success.
fn check(call: &'static str, returned: std::ffi::c_int) -> Result<()> {
    if returned == 1 { Ok(()) } else { Err(Error::Library { call, detail: String::new() }) }
}
