//! RSA with a 2048-bit modulus, PKCS #1 v1.5 and SHA-256 (RFC 8017, section 8.2), for comparison. See EVP_PKEY-RSA(7)
//! and EVP_SIGNATURE-RSA(7). The public exponent is 65537.
//!
//! Keys are DER: RSAPublicKey and RSAPrivateKey (RFC 8017, appendix A.1). As for ECDSA, this module hashes the message.

use super::hash::Algorithm;
use super::native::{Generator, Pkey, PkeyCtx, Setting, Signature, owned};
use super::param::Param;
use super::signature::{sign, verify};
use super::{Calls, NO_CONTEXT, NO_SUCH_ENCODING};
use crate::{Contexts, front_of, write};
use pqlab_openssl_headers as sys;
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureParameters, SignatureScheme,
    SigningKey, VerifyingKey,
};
use std::ffi::{CStr, c_int};
use std::ptr;
use std::slice;
use std::sync::Arc;

const RSA: &CStr = c"RSA";
const MODULUS_BITS: usize = 2048;
/// Length of a SHA-256 digest in bytes.
const DIGEST: usize = 32;
/// Error if the caller supplies random bytes for key generation.
const NO_COINS: Error = Error::Unsupported("OpenSSL generates RSA keys only with its own randomness");

owned! {
    /// A decoder for keys.
    Decoder: OSSL_DECODER_CTX, OSSL_DECODER_CTX_free;
    /// An encoder for keys.
    Encoder: OSSL_ENCODER_CTX, OSSL_ENCODER_CTX_free;
}

/// The RSA-2048 signature scheme.
pub(super) struct Rsa<C: Calls>(Arc<Shared<C>>);

/// State that the scheme and its keys share.
struct Shared<C: Calls> {
    calls: C,
    info: SignatureInfo,
    digest: Algorithm<C>,
    algorithm: Signature<C>,
    generator: Generator<C>,
}

struct Signer<C: Calls> {
    shared: Arc<Shared<C>>,
    key: Pkey<C>,
    idle: Contexts<PkeyCtx<C>>,
}

struct Verifier<C: Calls> {
    shared: Arc<Shared<C>>,
    key: Pkey<C>,
    idle: Contexts<PkeyCtx<C>>,
}

/// An encoded key in memory that the library allocated.
struct Encoded<C: Calls> {
    calls: C,
    data: *mut u8,
    length: usize,
}

impl<C: Calls> Rsa<C> {
    pub(super) fn new(calls: C) -> Result<Rsa<C>> {
        let parameters = SignatureParameters::find("RSA-2048").ok_or(Error::Unsupported("unknown parameters"))?;
        let info = SignatureInfo {
            parameters,
            encodings: vec![KeyEncoding::Der],
            coins: CoinSupport { keygen: false, operation: true },
            context: false,
            hedged: false,
        };
        Ok(Rsa(Arc::new(Shared {
            calls,
            info,
            digest: Algorithm::fetch(calls, "SHA-256")?,
            algorithm: Signature::fetch(calls, RSA)?,
            generator: Generator::new(calls, RSA, Setting::Bits(MODULUS_BITS)),
        })))
    }
}

impl<C: Calls> SignatureScheme for Rsa<C> {
    fn info(&self) -> &SignatureInfo {
        &self.0.info
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let key = self.0.generate(coins)?;
        let verifying_length = write_encoded(&key, sys::EVP_PKEY_PUBLIC_KEY, "verifying key", verifying_key)?;
        let signing_length = write_encoded(&key, sys::EVP_PKEY_KEYPAIR, "signing key", signing_key)?;
        Ok((verifying_length, signing_length))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(Signer::new(&self.0, self.0.generate(coins)?)))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        if encoding != KeyEncoding::Der {
            return Err(NO_SUCH_ENCODING);
        }
        let calls = self.0.calls;
        let key = read(calls, sys::EVP_PKEY_KEYPAIR, bytes);
        let key = key.ok_or_else(|| calls.malformed("2048-bit RSAPrivateKey"))?;
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
            Coins::Exact(_) => Err(NO_COINS),
        }
    }
}

#[inline]
fn params() -> [Param<'static>; 3] {
    [
        Param::text(sys::OSSL_SIGNATURE_PARAM_PAD_MODE, c"pkcs1"),
        Param::text(sys::OSSL_ALG_PARAM_DIGEST, c"SHA2-256"),
        Param::END,
    ]
}

impl<C: Calls> Signer<C> {
    fn new(shared: &Arc<Shared<C>>, key: Pkey<C>) -> Signer<C> {
        Signer { shared: shared.clone(), key, idle: Contexts::new() }
    }

    fn context(shared: &Shared<C>, key: &Pkey<C>) -> Result<PkeyCtx<C>> {
        let ctx = PkeyCtx::of_key(key)?;
        shared.algorithm.begin_to_sign(&ctx, &params())?;
        Ok(ctx)
    }
}

impl<C: Calls> SigningKey for Signer<C> {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        if !context.is_empty() {
            return Err(NO_CONTEXT);
        }
        if let Coins::Exact(bytes) = coins {
            Error::check_length("coins", 0, bytes.len())?;
        }
        let out = front_of("signature", out, self.shared.info.parameters.signature)?;
        let mut digest = [0; DIGEST];
        self.shared.digest.digest(message, &mut digest)?;
        self.idle.with(|| Signer::context(&self.shared, &self.key), |ctx| sign(ctx, &digest, out))
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        let encoded = Encoded::export(&self.key, sys::EVP_PKEY_PUBLIC_KEY)?;
        Ok(Box::new(Verifier::load(&self.shared, encoded.bytes())?))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Der {
            return Err(NO_SUCH_ENCODING);
        }
        write_encoded(&self.key, sys::EVP_PKEY_KEYPAIR, "signing key", out)
    }
}

impl<C: Calls> Verifier<C> {
    fn load(shared: &Arc<Shared<C>>, bytes: &[u8]) -> Result<Verifier<C>> {
        let key = read(shared.calls, sys::EVP_PKEY_PUBLIC_KEY, bytes);
        let key = key.ok_or_else(|| shared.calls.malformed("2048-bit RSAPublicKey"))?;
        Ok(Verifier { shared: shared.clone(), key, idle: Contexts::new() })
    }

    fn context(shared: &Shared<C>, key: &Pkey<C>) -> Result<PkeyCtx<C>> {
        let ctx = PkeyCtx::of_key(key)?;
        shared.algorithm.begin_to_verify(&ctx, &params())?;
        Ok(ctx)
    }
}

impl<C: Calls> VerifyingKey for Verifier<C> {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        if !context.is_empty() {
            return Err(NO_CONTEXT);
        }
        let mut digest = [0; DIGEST];
        self.shared.digest.digest(message, &mut digest)?;
        self.idle.with(|| Verifier::context(&self.shared, &self.key), |ctx| verify(ctx, &digest, signature))
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write_encoded(&self.key, sys::EVP_PKEY_PUBLIC_KEY, "verifying key", out)
    }
}

impl<C: Calls> Encoded<C> {
    fn export(key: &Pkey<C>, selection: c_int) -> Result<Encoded<C>> {
        let calls = key.calls;
        let mut encoded = Encoded { calls, data: ptr::null_mut(), length: 0 };
        // SAFETY: the key outlives the encoder. Because `data` is null, the encoder allocates
        // memory.
        unsafe {
            let (kind, structure) = (c"DER".as_ptr(), c"type-specific".as_ptr());
            let encoder = calls.OSSL_ENCODER_CTX_new_for_pkey(key.as_ptr(), selection, kind, structure, ptr::null());
            let encoder = Encoder::adopt(calls, "OSSL_ENCODER_CTX_new_for_pkey", encoder)?;
            let returned = calls.OSSL_ENCODER_to_data(encoder.as_ptr(), &raw mut encoded.data, &raw mut encoded.length);
            calls.check("OSSL_ENCODER_to_data", returned)?;
        }
        Ok(encoded)
    }

    fn bytes(&self) -> &[u8] {
        if self.data.is_null() {
            return &[];
        }
        // SAFETY: the library wrote `length` bytes to `data`, and this value owns them until it is dropped.
        unsafe { slice::from_raw_parts(self.data, self.length) }
    }
}

impl<C: Calls> Drop for Encoded<C> {
    fn drop(&mut self) {
        // SAFETY: the pointer is null, which is allowed, or the library allocated the memory. Wipe
        // the memory, because it may contain a private key.
        unsafe { self.calls.CRYPTO_clear_free(self.data.cast(), self.length, c"".as_ptr(), 0) }
    }
}

fn write_encoded<C: Calls>(key: &Pkey<C>, selection: c_int, what: &'static str, out: &mut [u8]) -> Result<usize> {
    write(what, out, Encoded::export(key, selection)?.bytes())
}

/// Decodes a key. Returns `None` unless `bytes` is exactly one encoded key and the modulus has the right length.
fn read<C: Calls>(calls: C, selection: c_int, bytes: &[u8]) -> Option<Pkey<C>> {
    let (mut data, mut rest) = (bytes.as_ptr(), bytes.len());
    let mut key = ptr::null_mut();
    // SAFETY: null means no properties. `key` outlives the decoder, and this code owns the key that
    // the decoder stores in `key`. The slice is only read during the call.
    let key = unsafe {
        let (kind, structure) = (c"DER".as_ptr(), c"type-specific".as_ptr());
        let decoder = calls.OSSL_DECODER_CTX_new_for_pkey(
            &raw mut key,
            kind,
            structure,
            RSA.as_ptr(),
            selection,
            calls.context(),
            ptr::null(),
        );
        let decoder = Decoder::adopt(calls, "OSSL_DECODER_CTX_new_for_pkey", decoder).ok()?;
        let returned = calls.OSSL_DECODER_from_data(decoder.as_ptr(), &raw mut data, &raw mut rest);
        let key = Pkey::adopt(calls, "OSSL_DECODER_from_data", key).ok()?;
        (returned > 0).then_some(key)?
    };
    // The decoder leaves errors in the queue for every format that it tried without success.
    calls.clear();
    (rest == 0 && usize::try_from(key.bits()) == Ok(MODULUS_BITS)).then_some(key)
}
