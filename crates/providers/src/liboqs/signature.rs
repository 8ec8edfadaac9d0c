//! ML-DSA (FIPS 204), Falcon in both encodings (round 3), and SPHINCS+ (round 3.1).

use super::{check, library};
use crate::shared::bytes::{front_of, write};
use oqs_sys::sig as oqs;
use pqlab_adapters::{PublicBytes, SecretBytes};
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureParameters, SignatureScheme,
    SigningKey, VerifyingKey,
};
use std::ffi::CString;
use std::ptr::NonNull;
use std::sync::Arc;

/// Names of the schemes. liboqs uses the same names.
pub(super) const ALGORITHMS: [&str; 8] = [
    "ML-DSA-44",
    "ML-DSA-65",
    "ML-DSA-87",
    "Falcon-512",
    "Falcon-1024",
    "Falcon-padded-512",
    "Falcon-padded-1024",
    "SPHINCS+-SHA2-128f-simple",
];

const NO_SUCH_ENCODING: Error = Error::Unsupported("liboqs reads and writes only expanded keys");
const NO_GIVEN_COINS: Error =
    Error::Unsupported("liboqs accepts caller-supplied randomness only through a process-wide callback");

/// A signature scheme from liboqs.
pub(super) struct Scheme(Arc<Shared>);

/// Data that a scheme and its keys share.
struct Shared {
    info: SignatureInfo,
    native: Native,
}

/// liboqs's description of an algorithm.
struct Native(NonNull<oqs::OQS_SIG>);

// SAFETY: the object is complete when `OQS_SIG_new` returns it, and liboqs only reads it
// afterwards.
unsafe impl Send for Native {}
// SAFETY: see `Send` above.
unsafe impl Sync for Native {}

impl Drop for Native {
    fn drop(&mut self) {
        // SAFETY: the object comes from `OQS_SIG_new` and is freed only here.
        unsafe { oqs::OQS_SIG_free(self.0.as_ptr()) };
    }
}

impl Scheme {
    pub(super) fn new(algorithm: &'static str) -> Result<Scheme> {
        let parameters = SignatureParameters::find(algorithm).ok_or(Error::Unsupported("unknown parameters"))?;
        let name = CString::new(algorithm).map_err(|_| Error::Unsupported("the name contains a NUL byte"))?;
        // SAFETY: the name ends with NUL, and we own the returned object.
        let native = NonNull::new(unsafe { oqs::OQS_SIG_new(name.as_ptr()) })
            .map(Native)
            .ok_or(Error::Unsupported("not enabled in this build of liboqs"))?;
        // SAFETY: the object is valid, and nothing changes it.
        let description = unsafe { native.0.as_ref() };
        Error::check_length("verifying key", parameters.verifying_key, description.length_public_key)?;
        let expanded = parameters.signing_key(KeyEncoding::Expanded).unwrap_or_default();
        Error::check_length("signing key", expanded, description.length_secret_key)?;
        Error::check_length("signature", parameters.signature, description.length_signature)?;
        let info = SignatureInfo {
            parameters,
            encodings: vec![KeyEncoding::Expanded],
            coins: CoinSupport { keygen: false, operation: false },
            context: description.sig_with_ctx_support,
            // Falcon has no deterministic variant.
            hedged: !algorithm.starts_with("Falcon"),
        };
        Ok(Scheme(Arc::new(Shared { info, native })))
    }
}

impl Shared {
    fn signing_key_length(&self) -> usize {
        self.info.signing_key(KeyEncoding::Expanded).unwrap_or_default()
    }

    /// Checks the length of the context string, which must fit in one byte (FIPS 204, section 5.2).
    fn check_context(&self, context: &[u8]) -> Result<()> {
        if !self.info.context && !context.is_empty() {
            return Err(Error::Unsupported("the scheme does not take a context string"));
        }
        if context.len() > 255 {
            return Err(Error::Length { what: "context", expected: 255, actual: context.len() });
        }
        Ok(())
    }

    /// Returns the verifying key that a SPHINCS+ signing key contains: `SK = SK.seed || SK.prf || PK`. Returns `None`
    /// for other schemes, because their signing keys do not contain the verifying key and liboqs cannot compute it.
    fn verifying_key_of<'a>(&self, signing_key: &'a [u8]) -> Option<&'a [u8]> {
        let parameters = &self.info.parameters;
        parameters
            .algorithm
            .starts_with("SPHINCS+")
            .then(|| &signing_key[signing_key.len() - parameters.verifying_key..])
    }
}

impl SignatureScheme for Scheme {
    fn info(&self) -> &SignatureInfo {
        &self.0.info
    }

    /// Returns true, because ML-DSA and SPHINCS+ are hedged and Falcon samples randomly for each signature.
    fn draws_to_sign(&self) -> bool {
        true
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        Error::check_length("verifying key", self.0.info.parameters.verifying_key, verifying_key.len())?;
        Error::check_length("signing key", self.0.signing_key_length(), signing_key.len())?;
        if let Coins::Exact(_) = coins {
            return Err(NO_GIVEN_COINS);
        }
        // SAFETY: both buffers have the lengths given in `native`.
        let status = unsafe {
            oqs::OQS_SIG_keypair(self.0.native.0.as_ptr(), verifying_key.as_mut_ptr(), signing_key.as_mut_ptr())
        };
        check(status, library("OQS_SIG_keypair"))?;
        Ok((verifying_key.len(), signing_key.len()))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        if let Coins::Exact(_) = coins {
            return Err(NO_GIVEN_COINS);
        }
        let mut verifying_key = vec![0; self.0.info.parameters.verifying_key];
        let (native, public) = (self.0.native.0.as_ptr(), verifying_key.as_mut_ptr());
        // SAFETY: both buffers have the lengths given in `native`. If the call succeeds, it has
        // filled both.
        let bytes = unsafe {
            let write = |private| check(oqs::OQS_SIG_keypair(native, public, private), library("OQS_SIG_keypair"));
            SecretBytes::written(self.0.signing_key_length(), write)?
        };
        Ok(Box::new(Signer { shared: self.0.clone(), bytes, verifying_key: Some(verifying_key.into()) }))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        if encoding != KeyEncoding::Expanded {
            return Err(NO_SUCH_ENCODING);
        }
        Error::check_length("signing key", self.0.signing_key_length(), bytes.len())?;
        Ok(Box::new(Signer {
            shared: self.0.clone(),
            bytes: SecretBytes::from_slice(bytes),
            verifying_key: self.0.verifying_key_of(bytes).map(Into::into),
        }))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Error::check_length("verifying key", self.0.info.parameters.verifying_key, bytes.len())?;
        Ok(Box::new(Verifier { shared: self.0.clone(), bytes: PublicBytes::from_slice(bytes) }))
    }
}

struct Signer {
    shared: Arc<Shared>,
    bytes: SecretBytes,
    verifying_key: Option<Box<[u8]>>,
}

impl SigningKey for Signer {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        self.shared.check_context(context)?;
        if let Coins::Exact(_) = coins {
            return Err(NO_GIVEN_COINS);
        }
        let out = front_of("signature", out, self.shared.info.parameters.signature)?;
        let mut length = out.len();
        // SAFETY: `out` is as long as the longest signature, and the key has the length given in
        // `native`. The message and the context string are passed with their lengths.
        let status = unsafe {
            if self.shared.info.context {
                oqs::OQS_SIG_sign_with_ctx_str(
                    self.shared.native.0.as_ptr(),
                    out.as_mut_ptr(),
                    &raw mut length,
                    message.as_ptr(),
                    message.len(),
                    context.as_ptr(),
                    context.len(),
                    self.bytes.as_ptr(),
                )
            } else {
                oqs::OQS_SIG_sign(
                    self.shared.native.0.as_ptr(),
                    out.as_mut_ptr(),
                    &raw mut length,
                    message.as_ptr(),
                    message.len(),
                    self.bytes.as_ptr(),
                )
            }
        };
        // Falcon signing fails if the key cannot be decoded. The other schemes fail only if the
        // context string is too long, which `check_context` rules out.
        check(status, Error::Malformed("signing key"))?;
        Ok(length)
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        let Some(bytes) = &self.verifying_key else {
            return Err(Error::Unsupported("liboqs does not compute the verifying key from the signing key"));
        };
        Ok(Box::new(Verifier { shared: self.shared.clone(), bytes: PublicBytes::from_slice(bytes) }))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Expanded {
            return Err(NO_SUCH_ENCODING);
        }
        write("signing key", out, &self.bytes)
    }
}

struct Verifier {
    shared: Arc<Shared>,
    bytes: PublicBytes,
}

impl VerifyingKey for Verifier {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        self.shared.check_context(context)?;
        // liboqs's Falcon verifiers accept both encodings under either name. Require the padded
        // length for padded signatures, as the other adapters do.
        let parameters = &self.shared.info.parameters;
        if !parameters.variable_length && signature.len() != parameters.signature {
            return Err(Error::VerificationFailed);
        }
        // SAFETY: the key has the length given in `native`. The message, the signature and the
        // context string are passed with their lengths.
        let status = unsafe {
            if self.shared.info.context {
                oqs::OQS_SIG_verify_with_ctx_str(
                    self.shared.native.0.as_ptr(),
                    message.as_ptr(),
                    message.len(),
                    signature.as_ptr(),
                    signature.len(),
                    context.as_ptr(),
                    context.len(),
                    self.bytes.as_ptr(),
                )
            } else {
                oqs::OQS_SIG_verify(
                    self.shared.native.0.as_ptr(),
                    message.as_ptr(),
                    message.len(),
                    signature.as_ptr(),
                    signature.len(),
                    self.bytes.as_ptr(),
                )
            }
        };
        check(status, Error::VerificationFailed)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write("verifying key", out, &self.bytes)
    }
}
