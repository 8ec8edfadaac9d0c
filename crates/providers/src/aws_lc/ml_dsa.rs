//! ML-DSA (FIPS 204). Hedged signing and verification use the library's `EVP_PKEY` interface. Deterministic signing,
//! signing with caller-supplied randomness, and the internal interface use lower-level functions that the Rust bindings
//! omit.

use super::error::{check, library, malformed, verification_failed};
use super::ffi::{self, MlDsaSignInternal, MlDsaVerifyInternal};
use super::handle::Owned;
use super::pkey::{self, Generator, Key};
use crate::shared::bytes::{check_context, front_of, sized};
use aws_lc_sys as aws;
use pqlab_adapters::Contexts;
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, MU, Result, SignatureInfo, SignatureParameters,
    SignatureScheme, SigningKey, VerifyingKey, Wiped,
};
use std::ffi::c_int;
use std::ptr::{null, null_mut};
use std::sync::{Arc, OnceLock};

/// Returns the three parameter sets.
pub(super) fn schemes() -> impl Iterator<Item = Arc<dyn SignatureScheme>> {
    all().map(|scheme| Arc::new(scheme) as Arc<dyn SignatureScheme>)
}

fn all() -> impl Iterator<Item = MlDsa> {
    let sets: [(&str, c_int, Internal, Internal); 3] = [
        (
            "ML-DSA-44",
            aws::NID_MLDSA44,
            Internal { sign: ffi::ml_dsa_44_sign_internal, verify: ffi::ml_dsa_44_verify_internal },
            Internal { sign: ffi::ml_dsa_extmu_44_sign_internal, verify: ffi::ml_dsa_extmu_44_verify_internal },
        ),
        (
            "ML-DSA-65",
            aws::NID_MLDSA65,
            Internal { sign: ffi::ml_dsa_65_sign_internal, verify: ffi::ml_dsa_65_verify_internal },
            Internal { sign: ffi::ml_dsa_extmu_65_sign_internal, verify: ffi::ml_dsa_extmu_65_verify_internal },
        ),
        (
            "ML-DSA-87",
            aws::NID_MLDSA87,
            Internal { sign: ffi::ml_dsa_87_sign_internal, verify: ffi::ml_dsa_87_verify_internal },
            Internal { sign: ffi::ml_dsa_extmu_87_sign_internal, verify: ffi::ml_dsa_extmu_87_verify_internal },
        ),
    ];
    sets.into_iter().filter_map(|(algorithm, nid, internal, with_mu)| {
        let parameters = SignatureParameters::find(algorithm)?;
        let set = Set {
            nid,
            internal,
            with_mu,
            verifying_key: parameters.verifying_key,
            expanded: parameters.signing_key(KeyEncoding::Expanded)?,
            signature: parameters.signature,
        };
        let info = SignatureInfo {
            parameters,
            // The native encoding, which `EVP_PKEY_get_raw_private_key` writes, comes first.
            encodings: vec![KeyEncoding::Expanded, KeyEncoding::Seed],
            coins: CoinSupport { keygen: true, operation: true },
            context: true,
            hedged: true,
        };
        Some(MlDsa { info, set, generators: Contexts::new() })
    })
}

/// Length of the seed `xi` in bytes (FIPS 204, algorithm 1).
const SEED: usize = 32;
/// Length of `rnd` in bytes (FIPS 204, algorithm 2).
const RND: usize = 32;
/// Maximum length of a context string in bytes (FIPS 204, section 5.2).
const CONTEXT: usize = 255;

const ENCODING: Error = Error::Unsupported("ML-DSA signing keys must be encoded as a seed or in expanded form");

/// Properties of a parameter set. Lengths are in bytes.
#[derive(Clone, Copy)]
struct Set {
    nid: c_int,
    internal: Internal,
    /// Internal functions that take the message representative `mu` instead of the message.
    with_mu: Internal,
    verifying_key: usize,
    expanded: usize,
    signature: usize,
}

/// Functions of the internal interface (FIPS 204, algorithms 7 and 8).
#[derive(Clone, Copy)]
struct Internal {
    sign: MlDsaSignInternal,
    verify: MlDsaVerifyInternal,
}

struct MlDsa {
    info: SignatureInfo,
    set: Set,
    generators: Contexts<Generator>,
}

impl MlDsa {
    fn key_pair(&self, coins: Coins) -> Result<Key> {
        if let Some(seed) = coins.exact::<SEED>()? {
            return self.load(seed);
        }
        self.generators.with(
            || generator(self.set.nid),
            |context| {
                // SAFETY: the context is set up for key generation, and only this thread uses it.
                unsafe { pkey::generate(context.as_ptr()) }
            },
        )
    }

    /// Loads a private key from a seed or an expanded key. The library distinguishes seeds from expanded keys by their
    /// length.
    fn load(&self, bytes: &[u8]) -> Result<Key> {
        // SAFETY: the pointer and length describe `bytes`. The call returns null or a key that we
        // own.
        let key = unsafe {
            Owned::from_raw(aws::EVP_PKEY_pqdsa_new_raw_private_key(self.set.nid, bytes.as_ptr(), bytes.len()))
        };
        key.ok_or_else(|| malformed("ML-DSA signing key"))
    }

    fn load_public(&self, bytes: &[u8]) -> Result<PublicKey> {
        Error::check_length("verifying key", self.set.verifying_key, bytes.len())?;
        // SAFETY: the pointer and length describe `bytes`. The call returns null or a key that we
        // own.
        let key = unsafe {
            Owned::from_raw(aws::EVP_PKEY_pqdsa_new_raw_public_key(self.set.nid, bytes.as_ptr(), bytes.len()))
        };
        let key = key.ok_or_else(|| malformed("ML-DSA verifying key"))?;
        Ok(PublicKey::new(key, self.set))
    }
}

impl SignatureScheme for MlDsa {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        Error::check_length("verifying key", self.set.verifying_key, verifying_key.len())?;
        Error::check_length("signing key", self.set.expanded, signing_key.len())?;
        let key = self.key_pair(coins)?;
        pkey::write_public(&key, verifying_key)?;
        pkey::write_expanded(&key, signing_key)?;
        Ok((verifying_key.len(), signing_key.len()))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(PrivateKey::new(self.key_pair(coins)?, self.set)))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        let expected = match encoding {
            KeyEncoding::Seed => SEED,
            KeyEncoding::Expanded => self.set.expanded,
            KeyEncoding::Scalar | KeyEncoding::Der | KeyEncoding::Cbor => return Err(ENCODING),
        };
        Error::check_length("signing key", expected, bytes.len())?;
        Ok(Box::new(PrivateKey::new(self.load(bytes)?, self.set)))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(self.load_public(bytes)?))
    }
}

struct PrivateKey {
    key: Key,
    signers: Contexts<Owned<aws::EVP_MD_CTX>>,
    /// Copy of the expanded key for `sign_internal`, encoded on first use. The library gives no access to the encoding
    /// inside its key object.
    expanded: OnceLock<Wiped<Vec<u8>>>,
    set: Set,
}

impl PrivateKey {
    fn new(key: Key, set: Set) -> PrivateKey {
        PrivateKey { key, signers: Contexts::new(), expanded: OnceLock::new(), set }
    }

    fn expanded(&self) -> Result<&[u8]> {
        if let Some(expanded) = self.expanded.get() {
            return Ok(expanded);
        }
        let mut expanded = Wiped::new(vec![0; self.set.expanded]);
        pkey::write_expanded(&self.key, &mut expanded)?;
        // If another thread stored its copy first, use that copy, which is identical.
        Ok(self.expanded.get_or_init(|| expanded))
    }

    fn sign_hedged(&self, context: &[u8], message: &[u8], out: &mut [u8]) -> Result<()> {
        let mut length = out.len();
        self.signers.with(
            || signer(&self.key),
            |digest_context| {
                let digest_context = digest_context.as_ptr();
                let sign = || {
                    // SAFETY: the context is set up for signing, and only this thread uses it. Each
                    // pointer is passed with the length of its buffer.
                    check("EVP_DigestSign", unsafe {
                        aws::EVP_DigestSign(
                            digest_context,
                            out.as_mut_ptr(),
                            &raw mut length,
                            message.as_ptr(),
                            message.len(),
                        )
                    })
                };
                with_context_string(digest_context, context, sign, aws::EVP_PKEY_CTX_set_signature_context)
            },
        )
    }

    fn sign_with(&self, rnd: &[u8; RND], context: &[u8], message: &[u8], out: &mut [u8]) -> Result<()> {
        // The pure variant prepends 0 || |ctx| || ctx to the message (FIPS 204, algorithm 2, line 10).
        let mut prefix = [0; 2 + CONTEXT];
        prefix[1] = context.len() as u8;
        prefix[2..2 + context.len()].copy_from_slice(context);
        self.sign_formatted(self.set.internal, rnd, &prefix[..2 + context.len()], message, out)
    }

    /// Signs `prefix || message` with the functions in `internal`. If these functions take `mu`, `message` is the
    /// message representative. `out` must be as long as a signature.
    fn sign_formatted(
        &self,
        internal: Internal,
        rnd: &[u8; RND],
        prefix: &[u8],
        message: &[u8],
        out: &mut [u8],
    ) -> Result<()> {
        let mut length = out.len();
        let private_key = self.expanded()?;
        // SAFETY: the private key, the signature and `rnd` have the lengths that the parameter set
        // requires. The message and the prefix are passed with their lengths.
        let returned = unsafe {
            (internal.sign)(
                private_key.as_ptr(),
                out.as_mut_ptr(),
                &raw mut length,
                message.as_ptr(),
                message.len(),
                prefix.as_ptr(),
                prefix.len(),
                rnd.as_ptr(),
            )
        };
        check("ml_dsa_sign_internal", returned)
    }

    fn sign_raw(&self, internal: Internal, input: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        let mut rnd = [0; RND];
        match coins {
            Coins::Internal => {
                // SAFETY: the call writes `rnd.len()` bytes.
                check("RAND_bytes", unsafe { aws::RAND_bytes(rnd.as_mut_ptr(), rnd.len()) })?;
            }
            Coins::Exact([]) => {}
            Coins::Exact(given) => rnd = *sized("coins", given)?,
        }
        self.sign_formatted(internal, &rnd, &[], input, front_of("signature", out, self.set.signature)?)?;
        Ok(self.set.signature)
    }
}

impl SigningKey for PrivateKey {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        check_context(context)?;
        let out = front_of("signature", out, self.set.signature)?;
        match coins {
            Coins::Internal => self.sign_hedged(context, message, out)?,
            // The deterministic variant sets `rnd` to zeros (FIPS 204, algorithm 2, line 5).
            Coins::Exact([]) => self.sign_with(&[0; RND], context, message, out)?,
            Coins::Exact(rnd) => self.sign_with(sized("coins", rnd)?, context, message, out)?,
        }
        Ok(self.set.signature)
    }

    fn sign_internal(&self, formatted: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        self.sign_raw(self.set.internal, formatted, coins, out)
    }

    fn sign_mu(&self, mu: &[u8; MU], coins: Coins, out: &mut [u8]) -> Result<usize> {
        self.sign_raw(self.set.with_mu, mu, coins, out)
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(PublicKey::new(pkey::share(&self.key)?, self.set)))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Seed => {
                pkey::write_seed(&self.key, front_of("signing key", out, SEED)?)?;
                Ok(SEED)
            }
            KeyEncoding::Expanded => {
                pkey::write_expanded(&self.key, front_of("signing key", out, self.set.expanded)?)?;
                Ok(self.set.expanded)
            }
            KeyEncoding::Scalar | KeyEncoding::Der | KeyEncoding::Cbor => Err(ENCODING),
        }
    }
}

struct PublicKey {
    key: Key,
    verifiers: Contexts<Owned<aws::EVP_MD_CTX>>,
    set: Set,
}

impl PublicKey {
    fn new(key: Key, set: Set) -> PublicKey {
        PublicKey { key, verifiers: Contexts::new(), set }
    }

    fn verify_raw(&self, internal: Internal, input: &[u8], signature: &[u8]) -> Result<()> {
        let mut key = vec![0; self.set.verifying_key];
        pkey::write_public(&self.key, &mut key)?;
        // SAFETY: the public key has the length that the parameter set requires. The signature and
        // the message are passed with their lengths, and the prefix is empty.
        let returned = unsafe {
            (internal.verify)(key.as_ptr(), signature.as_ptr(), signature.len(), input.as_ptr(), input.len(), null(), 0)
        };
        if returned == 1 { Ok(()) } else { Err(verification_failed()) }
    }

    /// Verifies a signature, then removes the context string with `reset`. Tests pass a `reset` function that fails.
    fn verify_and_reset(
        &self,
        context: &[u8],
        message: &[u8],
        signature: &[u8],
        reset: SetContextString,
    ) -> Result<()> {
        check_context(context)?;
        self.verifiers.with(
            || verifier(&self.key),
            |digest_context| {
                let digest_context = digest_context.as_ptr();
                let verify = || {
                    // SAFETY: the context is set up for verification, and only this thread uses it.
                    // Each pointer is passed with the length of its buffer.
                    let returned = unsafe {
                        aws::EVP_DigestVerify(
                            digest_context,
                            signature.as_ptr(),
                            signature.len(),
                            message.as_ptr(),
                            message.len(),
                        )
                    };
                    if returned == 1 { Ok(()) } else { Err(verification_failed()) }
                };
                with_context_string(digest_context, context, verify, reset)
            },
        )
    }
}

impl VerifyingKey for PublicKey {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        self.verify_and_reset(context, message, signature, aws::EVP_PKEY_CTX_set_signature_context)
    }

    fn verify_internal(&self, formatted: &[u8], signature: &[u8]) -> Result<()> {
        self.verify_raw(self.set.internal, formatted, signature)
    }

    fn verify_mu(&self, mu: &[u8; MU], signature: &[u8]) -> Result<()> {
        self.verify_raw(self.set.with_mu, mu, signature)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        pkey::write_public(&self.key, front_of("verifying key", out, self.set.verifying_key)?)?;
        Ok(self.set.verifying_key)
    }
}

/// Function that sets the context string in an `EVP_PKEY_CTX`. An empty string removes the previous
/// one. Returns 1 on success.
type SetContextString = unsafe extern "C" fn(*mut aws::EVP_PKEY_CTX, *const u8, usize) -> c_int;

/// Sets the context string, runs `call`, and removes the context string with `reset`, because pooled contexts must not
/// have a context string. If `reset` fails, returns the error from `reset`, whatever `call` returned. The pool then
/// discards the context, which may still contain the string.
fn with_context_string(
    digest_context: *mut aws::EVP_MD_CTX,
    context: &[u8],
    call: impl FnOnce() -> Result<()>,
    reset: SetContextString,
) -> Result<()> {
    if context.is_empty() {
        return call();
    }
    // SAFETY: only this thread uses `digest_context`. It was set up with a key, so it contains an
    // `EVP_PKEY_CTX`. The library copies the string.
    let key_context = unsafe {
        let key_context = aws::EVP_MD_CTX_get_pkey_ctx(digest_context);
        let returned = aws::EVP_PKEY_CTX_set_signature_context(key_context, context.as_ptr(), context.len());
        check("EVP_PKEY_CTX_set_signature_context", returned)?;
        key_context
    };
    let result = call();
    // SAFETY: `key_context` belongs to `digest_context`, which only this thread uses.
    let returned = unsafe { reset(key_context, null(), 0) };
    check("EVP_PKEY_CTX_set_signature_context", returned).and(result)
}

fn generator(nid: c_int) -> Result<Generator> {
    pkey::generator(aws::EVP_PKEY_PQDSA, aws::EVP_PKEY_CTX_pqdsa_set_params, nid)
}

fn signer(key: &Key) -> Result<Owned<aws::EVP_MD_CTX>> {
    let context = digest_context()?;
    // SAFETY: nothing else uses the context, which takes its own reference to the key. The digest
    // is null because ML-DSA takes the whole message.
    let returned = unsafe { aws::EVP_DigestSignInit(context.as_ptr(), null_mut(), null(), null_mut(), key.as_ptr()) };
    check("EVP_DigestSignInit", returned)?;
    Ok(context)
}

fn verifier(key: &Key) -> Result<Owned<aws::EVP_MD_CTX>> {
    let context = digest_context()?;
    // SAFETY: nothing else uses the context, which takes its own reference to the key.
    let returned = unsafe { aws::EVP_DigestVerifyInit(context.as_ptr(), null_mut(), null(), null_mut(), key.as_ptr()) };
    check("EVP_DigestVerifyInit", returned)?;
    Ok(context)
}

fn digest_context() -> Result<Owned<aws::EVP_MD_CTX>> {
    // SAFETY: the call returns null or a new context that we own.
    unsafe { Owned::from_raw(aws::EVP_MD_CTX_new()) }.ok_or_else(|| library("EVP_MD_CTX_new"))
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn fails(_: *mut aws::EVP_PKEY_CTX, _: *const u8, _: usize) -> c_int {
        0
    }

    #[test]
    fn discards_a_context_whose_string_cannot_be_removed() {
        for scheme in all() {
            let signing_key = scheme.generate(Coins::Internal).unwrap();
            let mut public = vec![0; scheme.set.verifying_key];
            signing_key.verifying_key().unwrap().encode(&mut public).unwrap();
            let (mut plain, mut named) = (vec![0; scheme.set.signature], vec![0; scheme.set.signature]);
            signing_key.sign(b"", b"message", Coins::Internal, &mut plain).unwrap();
            signing_key.sign(b"context", b"message", Coins::Internal, &mut named).unwrap();
            let mut tampered = named.clone();
            tampered[0] ^= 1;

            let key = scheme.load_public(&public).unwrap();
            let fault = Error::Library { call: "EVP_PKEY_CTX_set_signature_context", detail: String::new() };
            // Whether the signature was accepted or rejected, the next call must not see its
            // context string.
            for signature in [&tampered, &named] {
                let verified = key.verify_and_reset(b"context", b"message", signature, fails);
                assert_eq!(verified, Err(fault.clone()), "{}", scheme.info.parameters.algorithm);
                assert_eq!(key.verify(b"", b"message", &plain), Ok(()));
                assert_eq!(key.verify(b"", b"message", &named), Err(Error::VerificationFailed));
                assert_eq!(key.verify(b"context", b"message", &named), Ok(()));
            }
        }
    }
}
