//! Schemes that sign whole messages: ML-DSA (FIPS 204), SLH-DSA (FIPS 205) and Ed25519 (RFC 8032). See
//! EVP_SIGNATURE-ML-DSA(7), EVP_SIGNATURE-SLH-DSA(7) and EVP_SIGNATURE-ED25519(7).
//!
//! For these schemes, `EVP_PKEY_sign` and `EVP_PKEY_verify` do not change a context that was initialized by
//! `EVP_PKEY_sign_message_init` or `EVP_PKEY_verify_message_init`. One context therefore serves any number of calls.
//! `EVP_DigestSign` would copy the context each time.

use super::hash::MdCtx;
use super::native::{Generator, Pkey, PkeyCtx, Setting, Signature};
use super::one_shot;
use super::param::Param;
use super::{Calls, NO_SUCH_ENCODING};
use crate::{Contexts, front_of};
use pqlab_openssl_headers as sys;
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, MU, Prehash, Result, SignatureInfo, SignatureParameters,
    SignatureScheme, SigningKey, VerifyingKey,
};
use std::ffi::CString;
use std::ptr;
use std::sync::Arc;

/// Returns the names of the schemes, which are the same in OpenSSL.
pub(super) fn algorithms() -> impl Iterator<Item = &'static str> {
    ["FIPS 204", "FIPS 205"].into_iter().flat_map(SignatureParameters::of_standard).chain(["Ed25519"])
}

/// Error for libraries before 3.4.
const NO_MESSAGES: Error = Error::Unsupported("the scheme requires OpenSSL 3.4 (EVP_PKEY_sign_message_init)");

/// Maximum length of a context string in bytes (FIPS 204, section 5.2; FIPS 205, section 10.2).
const MAX_CONTEXT: usize = 255;

/// A signature scheme.
pub(super) struct Scheme<C: Calls>(Arc<Shared<C>>);

/// State that a scheme and its keys share.
struct Shared<C: Calls> {
    calls: C,
    info: SignatureInfo,
    name: CString,
    algorithm: Signature<C>,
    /// Ed25519ph, which is a separate algorithm in OpenSSL.
    prehashed: Option<Signature<C>>,
    generator: Generator<C>,
}

struct Signer<C: Calls> {
    shared: Arc<Shared<C>>,
    key: Pkey<C>,
    idle: Contexts<Prepared<C>>,
    prehashing: Contexts<Prepared<C>>,
    /// Contexts for one-shot calls, which libraries before 3.4 need.
    one_shots: C::OneShots,
}

struct Verifier<C: Calls> {
    shared: Arc<Shared<C>>,
    key: Pkey<C>,
    idle: Contexts<Prepared<C>>,
    prehashing: Contexts<Prepared<C>>,
    /// Contexts for one-shot calls, which libraries before 3.4 need.
    one_shots: C::OneShots,
}

/// Context that is ready to sign or verify, and the parameters that were set in it.
struct Prepared<C: Calls> {
    ctx: PkeyCtx<C>,
    context: [u8; MAX_CONTEXT],
    context_length: usize,
    deterministic: bool,
}

/// Form of the input to the internal interface of ML-DSA or SLH-DSA.
#[derive(Clone, Copy)]
enum Raw {
    /// Formatted message `M'` (FIPS 204, algorithm 2; FIPS 205, algorithm 22).
    Formatted,
    /// ML-DSA's message representative `mu`, computed by the caller (FIPS 204, algorithm 7, line 6).
    Mu,
}

impl<C: Calls> Scheme<C> {
    pub(super) fn new(calls: C, algorithm: &'static str) -> Result<Scheme<C>> {
        let parameters = SignatureParameters::find(algorithm).ok_or(Error::Unsupported("unknown parameters"))?;
        let name = CString::new(algorithm).map_err(|_| Error::Unsupported("the name contains a NUL byte"))?;
        let randomised = parameters.signing_coins != 0;
        let info = SignatureInfo {
            encodings: parameters.signing_keys.iter().map(|(encoding, _)| *encoding).collect(),
            coins: CoinSupport { keygen: true, operation: true },
            context: randomised,
            hedged: randomised,
            parameters,
        };
        let prehashed = match algorithm {
            "Ed25519" if C::COMPLETE => Some(Signature::fetch(calls, c"ED25519ph")?),
            "Ed25519" if !one_shot::are_needed(calls) => Signature::fetch(calls, c"ED25519ph").ok(),
            _ => None,
        };
        let algorithm = Signature::fetch(calls, &name)?;
        let generator = Generator::new(calls, &name, Setting::None);
        Ok(Scheme(Arc::new(Shared { calls, info, name, algorithm, prehashed, generator })))
    }
}

impl<C: Calls> SignatureScheme for Scheme<C> {
    fn info(&self) -> &SignatureInfo {
        &self.0.info
    }

    fn prehashes(&self) -> &[Prehash] {
        if self.0.prehashed.is_some() { &[Prehash::Sha512] } else { &[] }
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let shared = &self.0;
        let encoding = shared.info.encodings[0];
        let verifying_length = shared.info.parameters.verifying_key;
        let signing_length = shared.info.signing_key(encoding).ok_or(NO_SUCH_ENCODING)?;
        let verifying_key = front_of("verifying key", verifying_key, verifying_length)?;
        let signing_key = front_of("signing key", signing_key, signing_length)?;
        let key = shared.generate(coins)?;
        key.write_raw_public(verifying_key)?;
        shared.write_signing_key(&key, encoding, signing_key)?;
        Ok((verifying_length, signing_length))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(Signer::new(&self.0, self.0.generate(coins)?)))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        let key = self.0.load_private(encoding, bytes)?;
        Ok(Box::new(Signer::new(&self.0, key)))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(Verifier::load(&self.0, bytes)?))
    }
}

impl<C: Calls> Shared<C> {
    fn generate(&self, coins: Coins) -> Result<Pkey<C>> {
        match coins {
            Coins::Internal => self.generator.generate(),
            Coins::Exact(bytes) => {
                Error::check_length("coins", self.info.parameters.keygen_coins, bytes.len())?;
                if self.info.hedged {
                    self.generator.generate_from(bytes)
                } else {
                    // Ed25519's seed is its private key (RFC 8032, section 5.1.5).
                    self.load_private(KeyEncoding::Seed, bytes)
                }
            }
        }
    }

    fn load_private(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Pkey<C>> {
        let expected = self.info.signing_key(encoding).ok_or(NO_SUCH_ENCODING)?;
        Error::check_length("signing key", expected, bytes.len())?;
        let key = if self.has_separate_seed(encoding) {
            let mut parts = [Param::octets(sys::OSSL_PKEY_PARAM_SEED, bytes), Param::END];
            Pkey::import(self.calls, &self.name, sys::EVP_PKEY_KEYPAIR, &mut parts)
        } else {
            Pkey::raw_private(self.calls, &self.name, bytes)
        };
        key.map_err(|_| self.calls.malformed("signing key"))
    }

    fn write_signing_key(&self, key: &Pkey<C>, encoding: KeyEncoding, out: &mut [u8]) -> Result<()> {
        if self.has_separate_seed(encoding) {
            key.write_octets(sys::OSSL_PKEY_PARAM_SEED, out).map(|_| ()).map_err(|_| {
                self.calls.clear();
                Error::Unsupported("the seed is unknown, because the key was loaded in expanded form")
            })
        } else {
            key.write_raw_private(out)
        }
    }

    /// Returns whether OpenSSL stores this encoding separately from the private key, as it does for ML-DSA's seed.
    /// Ed25519's seed is its private key.
    fn has_separate_seed(&self, encoding: KeyEncoding) -> bool {
        encoding == KeyEncoding::Seed && self.info.encodings.len() > 1
    }

    fn check_internal(&self) -> Result<()> {
        // A scheme without context strings (Ed25519) has only one interface.
        if self.info.context { Ok(()) } else { Err(Error::Unsupported("the scheme defines no internal interface")) }
    }

    fn check_mu(&self) -> Result<()> {
        // Any other scheme would sign `mu` like a message, because the library ignores unknown parameters.
        let has_mu = self.info.parameters.algorithm.starts_with("ML-DSA-");
        if has_mu { Ok(()) } else { Err(Error::Unsupported("only ML-DSA uses mu")) }
    }

    /// Returns the algorithm that hashes the message with `prehash` before it signs.
    fn prehashed(&self, prehash: Prehash, context: &[u8]) -> Result<&Signature<C>> {
        let algorithm = self.prehashed.as_ref().filter(|_| prehash == Prehash::Sha512);
        let algorithm = algorithm.ok_or(Error::Unsupported("OpenSSL offers pre-hashing only as Ed25519ph"))?;
        if context.len() > MAX_CONTEXT {
            return Err(Error::Length { what: "context", expected: MAX_CONTEXT, actual: context.len() });
        }
        Ok(algorithm)
    }

    fn check_context(&self, context: &[u8]) -> Result<()> {
        if !context.is_empty() && !self.info.context {
            return Err(super::NO_CONTEXT);
        }
        if context.len() > MAX_CONTEXT {
            return Err(Error::Length { what: "context", expected: MAX_CONTEXT, actual: context.len() });
        }
        Ok(())
    }
}

impl<C: Calls> Prepared<C> {
    fn to_sign(algorithm: &Signature<C>, key: &Pkey<C>) -> Result<Prepared<C>> {
        let ctx = PkeyCtx::of_key(key)?;
        let Some(begin) = key.calls.EVP_PKEY_sign_message_init() else { return Err(NO_MESSAGES) };
        // SAFETY: no one else uses the context. Null means no parameters.
        let returned = unsafe { begin(ctx.as_ptr(), algorithm.as_ptr(), ptr::null()) };
        key.calls.check("EVP_PKEY_sign_message_init", returned)?;
        Ok(Prepared { ctx, context: [0; MAX_CONTEXT], context_length: 0, deterministic: false })
    }

    fn to_verify(algorithm: &Signature<C>, key: &Pkey<C>) -> Result<Prepared<C>> {
        let ctx = PkeyCtx::of_key(key)?;
        let Some(begin) = key.calls.EVP_PKEY_verify_message_init() else { return Err(NO_MESSAGES) };
        // SAFETY: no one else uses the context. Null means no parameters.
        let returned = unsafe { begin(ctx.as_ptr(), algorithm.as_ptr(), ptr::null()) };
        key.calls.check("EVP_PKEY_verify_message_init", returned)?;
        Ok(Prepared { ctx, context: [0; MAX_CONTEXT], context_length: 0, deterministic: false })
    }

    /// Sets the context string if it differs from the current one. The library keeps the string for later calls.
    fn set_context(&mut self, context: &[u8]) -> Result<()> {
        if self.context[..self.context_length] != *context {
            self.ctx.set(&[Param::octets(sys::OSSL_SIGNATURE_PARAM_CONTEXT_STRING, context), Param::END])?;
            self.context[..context.len()].copy_from_slice(context);
            self.context_length = context.len();
        }
        Ok(())
    }

    /// Sets the form of the input to the internal interface.
    fn set_raw(&self, raw: Raw) -> Result<()> {
        match raw {
            // The value 0 means that the message is already `M'`.
            Raw::Formatted => self.ctx.set(&[Param::int(sys::OSSL_SIGNATURE_PARAM_MESSAGE_ENCODING, &0), Param::END]),
            Raw::Mu => self.ctx.set(&[Param::int(sys::OSSL_SIGNATURE_PARAM_MU, &1), Param::END]),
        }
    }

    /// Sets the signing variant, if it differs from the current one. The library keeps the variant for later calls.
    fn set_deterministic(&mut self, deterministic: bool) -> Result<()> {
        if self.deterministic != deterministic {
            let value = i32::from(deterministic);
            self.ctx.set(&[Param::int(sys::OSSL_SIGNATURE_PARAM_DETERMINISTIC, &value), Param::END])?;
            self.deterministic = deterministic;
        }
        Ok(())
    }
}

impl<C: Calls> Signer<C> {
    fn new(shared: &Arc<Shared<C>>, key: Pkey<C>) -> Signer<C> {
        let one_shots = C::OneShots::default();
        Signer { shared: shared.clone(), key, idle: Contexts::new(), prehashing: Contexts::new(), one_shots }
    }

    /// Signs through the internal interface. Uses a new context, because a context keeps every parameter that was set.
    fn sign_raw(&self, raw: Raw, input: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        let out = front_of("signature", out, self.shared.info.parameters.signature)?;
        let mut prepared = Prepared::to_sign(&self.shared.algorithm, &self.key)?;
        prepared.set_raw(raw)?;
        match coins {
            Coins::Internal => {}
            Coins::Exact([]) => prepared.set_deterministic(true)?,
            Coins::Exact(bytes) => {
                Error::check_length("coins", self.shared.info.parameters.signing_coins, bytes.len())?;
                prepared.ctx.set(&[Param::octets(sys::OSSL_SIGNATURE_PARAM_TEST_ENTROPY, bytes), Param::END])?;
            }
        }
        sign(&prepared.ctx, input, out)
    }
}

impl<C: Calls> SigningKey for Signer<C> {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        self.shared.check_context(context)?;
        let out = front_of("signature", out, self.shared.info.parameters.signature)?;
        let deterministic = match coins {
            Coins::Internal => false,
            Coins::Exact([]) => true,
            Coins::Exact(bytes) => {
                Error::check_length("coins", self.shared.info.parameters.signing_coins, bytes.len())?;
                // Use a temporary context, because the library would also use these random bytes for later signatures.
                let mut prepared = Prepared::to_sign(&self.shared.algorithm, &self.key)?;
                prepared.set_context(context)?;
                prepared.ctx.set(&[Param::octets(sys::OSSL_SIGNATURE_PARAM_TEST_ENTROPY, bytes), Param::END])?;
                return sign(&prepared.ctx, message, out);
            }
        };
        if let Some(contexts) = one_shot::contexts(self.shared.calls, &self.one_shots) {
            let make = || MdCtx::new(self.shared.calls);
            return contexts.with(make, |ctx| one_shot::sign(ctx, &self.key, message, out));
        }
        self.idle.with(
            || Prepared::to_sign(&self.shared.algorithm, &self.key),
            |prepared| {
                prepared.set_context(context)?;
                if self.shared.info.hedged {
                    prepared.set_deterministic(deterministic)?;
                }
                sign(&prepared.ctx, message, out)
            },
        )
    }

    fn sign_internal(&self, formatted: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        self.shared.check_internal()?;
        self.sign_raw(Raw::Formatted, formatted, coins, out)
    }

    fn sign_mu(&self, mu: &[u8; MU], coins: Coins, out: &mut [u8]) -> Result<usize> {
        self.shared.check_mu()?;
        self.sign_raw(Raw::Mu, mu, coins, out)
    }

    fn sign_prehashed(
        &self,
        prehash: Prehash,
        context: &[u8],
        message: &[u8],
        coins: Coins,
        out: &mut [u8],
    ) -> Result<usize> {
        let algorithm = self.shared.prehashed(prehash, context)?;
        coins.exact::<0>()?;
        let out = front_of("signature", out, self.shared.info.parameters.signature)?;
        self.prehashing.with(
            || Prepared::to_sign(algorithm, &self.key),
            |prepared| {
                prepared.set_context(context)?;
                sign(&prepared.ctx, message, out)
            },
        )
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        let mut bytes = vec![0; self.shared.info.parameters.verifying_key];
        self.key.write_raw_public(&mut bytes)?;
        Ok(Box::new(Verifier::load(&self.shared, &bytes)?))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        let length = self.shared.info.signing_key(encoding).ok_or(NO_SUCH_ENCODING)?;
        let out = front_of("signing key", out, length)?;
        self.shared.write_signing_key(&self.key, encoding, out)?;
        Ok(length)
    }
}

impl<C: Calls> Verifier<C> {
    fn load(shared: &Arc<Shared<C>>, bytes: &[u8]) -> Result<Verifier<C>> {
        Error::check_length("verifying key", shared.info.parameters.verifying_key, bytes.len())?;
        let calls = shared.calls;
        let key = Pkey::raw_public(calls, &shared.name, bytes).map_err(|_| calls.malformed("verifying key"))?;
        let one_shots = C::OneShots::default();
        Ok(Verifier { shared: shared.clone(), key, idle: Contexts::new(), prehashing: Contexts::new(), one_shots })
    }
}

impl<C: Calls> VerifyingKey for Verifier<C> {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        self.shared.check_context(context)?;
        if let Some(contexts) = one_shot::contexts(self.shared.calls, &self.one_shots) {
            let make = || MdCtx::new(self.shared.calls);
            return contexts.with(make, |ctx| one_shot::verify(ctx, &self.key, message, signature));
        }
        self.idle.with(
            || Prepared::to_verify(&self.shared.algorithm, &self.key),
            |prepared| {
                prepared.set_context(context)?;
                verify(&prepared.ctx, message, signature)
            },
        )
    }

    fn verify_internal(&self, formatted: &[u8], signature: &[u8]) -> Result<()> {
        self.shared.check_internal()?;
        let prepared = Prepared::to_verify(&self.shared.algorithm, &self.key)?;
        prepared.set_raw(Raw::Formatted)?;
        verify(&prepared.ctx, formatted, signature)
    }

    fn verify_mu(&self, mu: &[u8; MU], signature: &[u8]) -> Result<()> {
        self.shared.check_mu()?;
        let prepared = Prepared::to_verify(&self.shared.algorithm, &self.key)?;
        prepared.set_raw(Raw::Mu)?;
        verify(&prepared.ctx, mu, signature)
    }

    fn verify_prehashed(&self, prehash: Prehash, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        let algorithm = self.shared.prehashed(prehash, context)?;
        self.prehashing.with(
            || Prepared::to_verify(algorithm, &self.key),
            |prepared| {
                prepared.set_context(context)?;
                verify(&prepared.ctx, message, signature)
            },
        )
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        let length = self.shared.info.parameters.verifying_key;
        self.key.write_raw_public(front_of("verifying key", out, length)?)?;
        Ok(length)
    }
}

/// Signs a message or digest, depending on how the context was initialized. Returns the length of the signature in
/// bytes.
pub(super) fn sign<C: Calls>(ctx: &PkeyCtx<C>, input: &[u8], out: &mut [u8]) -> Result<usize> {
    let mut length = out.len();
    // SAFETY: only this thread uses the context during the call, and `length` is the length of `out`.
    let returned = unsafe {
        ctx.calls.EVP_PKEY_sign(ctx.as_ptr(), out.as_mut_ptr(), &raw mut length, input.as_ptr(), input.len())
    };
    ctx.calls.check("EVP_PKEY_sign", returned)?;
    Ok(length)
}

/// Verifies the signature on a message or digest, depending on how the context was initialized. OpenSSL returns zero if
/// the signature is invalid in any way, and a negative number for a library fault.
pub(super) fn verify<C: Calls>(ctx: &PkeyCtx<C>, input: &[u8], signature: &[u8]) -> Result<()> {
    // SAFETY: only this thread uses the context during the call, and both slices are only read.
    let returned = unsafe {
        ctx.calls.EVP_PKEY_verify(ctx.as_ptr(), signature.as_ptr(), signature.len(), input.as_ptr(), input.len())
    };
    match returned {
        1 => Ok(()),
        0 => Err(ctx.calls.refused()),
        _ => Err(ctx.calls.fault("EVP_PKEY_verify")),
    }
}
