use super::{NO_GIVEN_COINS, check, check_encoding, library};
use pqlab_adapters::{PublicBytes, SecretBytes, front_of, write};
use pqlab_primitives::{
    Coins, Error, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureScheme, SigningKey, VerifyingKey,
};

/// Maximum length of a context string in bytes (FIPS 204, section 5.2; FIPS 205, section 10.2).
const MAX_CONTEXT: usize = 255;

/// A signature scheme's functions. Every function returns whether it succeeded.
///
/// # Safety
/// In calls to these functions, every pointer must point to as many bytes as the scheme's `SignatureInfo` states.
pub(crate) trait SignatureCalls: Send + Sync + 'static {
    /// Description of a failed signature, for [`Error::Malformed`]. The interface does not tell whether the key is
    /// invalid or the library failed.
    const SIGNING_FAILED: &'static str;
    /// Generates a key pair with the library's random generator.
    unsafe fn keypair(&self, public: *mut u8, private: *mut u8) -> bool;
    /// Generates a key pair from `coins`. Called only if `SignatureInfo` says that key generation accepts coins.
    unsafe fn keypair_from(&self, public: *mut u8, private: *mut u8, coins: *const u8) -> bool;
    /// Writes a signature to the start of `out`, which is at least as long as the longest signature. Returns the
    /// signature's length in bytes. `context` is empty if `SignatureInfo` says that the scheme takes no context.
    unsafe fn sign(&self, out: &mut [u8], message: &[u8], context: &[u8], private: *const u8) -> Option<usize>;
    /// Signs `prefix || message` through the internal interface, which takes the formatted message and the random bytes
    /// (FIPS 204, algorithm 7). Called only if `SignatureInfo` says that signing accepts coins. Empty coins request the
    /// deterministic variant.
    unsafe fn sign_from(
        &self,
        _out: &mut [u8],
        _prefix: &[u8],
        _message: &[u8],
        _coins: &[u8],
        _private: *const u8,
    ) -> Option<usize> {
        None
    }
    /// Verifies a signature through the internal interface (FIPS 204, algorithm 8). Returns `None` if the library does
    /// not export this interface.
    unsafe fn verify_formatted(&self, _formatted: &[u8], _signature: &[u8], _public: *const u8) -> Option<bool> {
        None
    }
    /// Verifies a signature of any length.
    unsafe fn verify(&self, message: &[u8], signature: &[u8], context: &[u8], public: *const u8) -> bool;
}

/// A signature scheme of a library that stays open until the process ends.
pub(crate) struct EncodedScheme<C: SignatureCalls>(&'static Shared<C>);

/// Data that a signature scheme and its keys share.
struct Shared<C> {
    info: SignatureInfo,
    calls: C,
    signing_key: usize,
    /// Whether a signing key ends with the verifying key, as in `SK = SK.seed || SK.prf || PK` (FIPS 205, section 9.1).
    public_half: bool,
}

impl<C: SignatureCalls> EncodedScheme<C> {
    /// Creates the scheme and never frees it. Call this only once per process and library.
    ///
    /// # Safety
    /// The functions in `calls` must read and write as many bytes as `info` states.
    pub(crate) unsafe fn new(info: SignatureInfo, calls: C) -> EncodedScheme<C> {
        let signing_key = info.signing_key(KeyEncoding::Expanded).unwrap_or_default();
        let algorithm = &info.parameters.algorithm;
        let public_half = algorithm.starts_with("SLH-DSA-") || algorithm.starts_with("SPHINCS+-");
        EncodedScheme(Box::leak(Box::new(Shared { info, calls, signing_key, public_half })))
    }
}

impl<C: SignatureCalls> Shared<C> {
    fn check_context(&self, context: &[u8]) -> Result<()> {
        if !self.info.context && !context.is_empty() {
            return Err(Error::Unsupported("the scheme does not take a context string"));
        }
        if context.len() > MAX_CONTEXT {
            return Err(Error::Length { what: "context", expected: MAX_CONTEXT, actual: context.len() });
        }
        Ok(())
    }

    /// Writes a key pair after zeroing the buffer for the private key. If a library writes too few bytes, the rest of
    /// the key is zeros instead of old memory.
    ///
    /// # Safety
    /// See [`key_pair`](Self::key_pair).
    unsafe fn secret_key(&self, coins: Coins, public: *mut u8, private: *mut u8) -> Result<()> {
        // SAFETY: the caller guarantees that both buffers are large enough.
        unsafe {
            private.write_bytes(0, self.signing_key);
            self.key_pair(coins, public, private)
        }
    }

    /// Writes a key pair.
    ///
    /// # Safety
    /// Both buffers must be at least as long as `self.info` states.
    unsafe fn key_pair(&self, coins: Coins, public: *mut u8, private: *mut u8) -> Result<()> {
        match coins {
            // SAFETY: the caller guarantees that both buffers are large enough.
            Coins::Internal => check(unsafe { self.calls.keypair(public, private) }, library("keypair")),
            Coins::Exact(_) if !self.info.coins.keygen => Err(NO_GIVEN_COINS),
            Coins::Exact(seed) => {
                Error::check_length("coins", self.info.parameters.keygen_coins, seed.len())?;
                // SAFETY: the caller guarantees that both buffers are large enough, and the length of the seed was
                // checked.
                let done = unsafe { self.calls.keypair_from(public, private, seed.as_ptr()) };
                check(done, library("keypair from a seed"))
            }
        }
    }

    fn verifying_key_of<'a>(&self, signing_key: &'a [u8]) -> Option<&'a [u8]> {
        let start = signing_key.len().checked_sub(self.info.parameters.verifying_key)?;
        self.public_half.then(|| &signing_key[start..])
    }
}

impl<C: SignatureCalls> SignatureScheme for EncodedScheme<C> {
    fn info(&self) -> &SignatureInfo {
        &self.0.info
    }

    /// Returns true, because hedged schemes use random bytes and Falcon samples randomly for each signature.
    fn draws_to_sign(&self) -> bool {
        true
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        Error::check_length("verifying key", self.0.info.parameters.verifying_key, verifying_key.len())?;
        Error::check_length("signing key", self.0.signing_key, signing_key.len())?;
        // SAFETY: both buffers have the lengths that `info` states.
        unsafe { self.0.key_pair(coins, verifying_key.as_mut_ptr(), signing_key.as_mut_ptr()) }?;
        Ok((verifying_key.len(), signing_key.len()))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        let mut verifying_key = vec![0; self.0.info.parameters.verifying_key];
        let public = verifying_key.as_mut_ptr();
        // SAFETY: the call writes as many bytes as `info` states, and both buffers are that large.
        let bytes =
            unsafe { SecretBytes::written(self.0.signing_key, |private| self.0.secret_key(coins, public, private))? };
        Ok(Box::new(Signer { shared: self.0, bytes, verifying_key: Some(verifying_key.into()) }))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        check_encoding(encoding)?;
        Error::check_length("signing key", self.0.signing_key, bytes.len())?;
        let verifying_key = self.0.verifying_key_of(bytes).map(Into::into);
        Ok(Box::new(Signer { shared: self.0, bytes: SecretBytes::from_slice(bytes), verifying_key }))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Error::check_length("verifying key", self.0.info.parameters.verifying_key, bytes.len())?;
        Ok(Box::new(Verifier { shared: self.0, bytes: PublicBytes::from_slice(bytes) }))
    }
}

struct Signer<C: SignatureCalls> {
    shared: &'static Shared<C>,
    bytes: SecretBytes,
    verifying_key: Option<Box<[u8]>>,
}

impl<C: SignatureCalls> SigningKey for Signer<C> {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        self.shared.check_context(context)?;
        if let Coins::Exact(coins) = coins {
            // Prefix of the formatted message: 0 (not pre-hashed), the length of the context, the
            // context (FIPS 204, algorithm 2, line 10).
            let length = u8::try_from(context.len()).unwrap_or_default();
            return self.sign_from(&[&[0, length], context].concat(), message, coins, out);
        }
        let out = front_of("signature", out, self.shared.info.parameters.signature)?;
        // SAFETY: `out` is as long as the longest signature, and the key has the length that `info` states.
        let length = unsafe { self.shared.calls.sign(&mut *out, message, context, self.bytes.as_ptr()) };
        checked::<C>(length, out)
    }

    fn sign_internal(&self, formatted: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        match coins {
            Coins::Exact(coins) => self.sign_from(&[], formatted, coins, out),
            Coins::Internal => {
                Err(Error::Unsupported("the library's internal interface requires caller-supplied randomness"))
            }
        }
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        let Some(bytes) = &self.verifying_key else {
            return Err(Error::Unsupported("the library does not compute the verifying key from the signing key"));
        };
        Ok(Box::new(Verifier { shared: self.shared, bytes: PublicBytes::from_slice(bytes) }))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        check_encoding(encoding)?;
        write("signing key", out, &self.bytes)
    }
}

impl<C: SignatureCalls> Signer<C> {
    fn sign_from(&self, prefix: &[u8], message: &[u8], coins: &[u8], out: &mut [u8]) -> Result<usize> {
        let info = &self.shared.info;
        if !info.coins.operation {
            return Err(NO_GIVEN_COINS);
        }
        if !coins.is_empty() {
            Error::check_length("coins", info.parameters.signing_coins, coins.len())?;
        }
        let out = front_of("signature", out, info.parameters.signature)?;
        // SAFETY: `out` is as long as the longest signature, and the key has the length that `info` states.
        let length = unsafe { self.shared.calls.sign_from(&mut *out, prefix, message, coins, self.bytes.as_ptr()) };
        checked::<C>(length, out)
    }
}

/// Returns the signature's length in bytes. Fails if signing failed (`None`) or if the reported length exceeds `out`.
fn checked<C: SignatureCalls>(length: Option<usize>, out: &[u8]) -> Result<usize> {
    match length {
        Some(length) if length <= out.len() => Ok(length),
        Some(_) => Err(library("sign: output length check")),
        None => Err(Error::Malformed(C::SIGNING_FAILED)),
    }
}

struct Verifier<C: SignatureCalls> {
    shared: &'static Shared<C>,
    bytes: PublicBytes,
}

impl<C: SignatureCalls> VerifyingKey for Verifier<C> {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        self.shared.check_context(context)?;
        // Falcon verifiers accept the padded and the unpadded signature encoding under either name. A scheme with
        // fixed-length signatures must reject the unpadded encoding.
        let parameters = &self.shared.info.parameters;
        if !parameters.variable_length && signature.len() != parameters.signature {
            return Err(Error::VerificationFailed);
        }
        // SAFETY: the key has the length that `info` states.
        let valid = unsafe { self.shared.calls.verify(message, signature, context, self.bytes.as_ptr()) };
        check(valid, Error::VerificationFailed)
    }

    fn verify_internal(&self, formatted: &[u8], signature: &[u8]) -> Result<()> {
        let parameters = &self.shared.info.parameters;
        if !parameters.variable_length && signature.len() != parameters.signature {
            return Err(Error::VerificationFailed);
        }
        // SAFETY: the key has the length that `info` states.
        let valid = unsafe { self.shared.calls.verify_formatted(formatted, signature, self.bytes.as_ptr()) };
        check(valid.ok_or(Error::Unsupported("the library offers no internal interface"))?, Error::VerificationFailed)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write("verifying key", out, &self.bytes)
    }
}
