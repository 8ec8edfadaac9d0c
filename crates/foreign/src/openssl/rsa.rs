//! RSA with a modulus of 2048 bits, PKCS#1 v1.5 and SHA-256 (RFC 8017, section 8.2): EVP_PKEY-RSA(7),
//! EVP_SIGNATURE-RSA(7). A yardstick, with the public exponent 65537.
//!
//! Keys are DER: RSAPublicKey and RSAPrivateKey (RFC 8017, appendix A.1). As with ECDSA the message is digested here.

use super::NO_SUCH_ENCODING;
use super::crypto::Crypto;
use super::hash::Algorithm;
use super::native::{Generator, Pkey, PkeyCtx, Setting, Signature, owned};
use super::param::Param;
use super::signature::{sign, verify};
use super::sys;
use crate::contexts::Contexts;
use crate::room::front_of;
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
/// SHA-256's digest in bytes.
const DIGEST: usize = 32;
/// The answer to coins for key generation.
const NO_COINS: Error = Error::Unsupported("OpenSSL makes RSA keys from its own randomness only");

owned! {
    /// Reads encoded keys.
    Decoder: OSSL_DECODER_CTX, OSSL_DECODER_CTX_free;
    /// Writes encoded keys.
    Encoder: OSSL_ENCODER_CTX, OSSL_ENCODER_CTX_free;
}

/// RSA-2048.
pub(super) struct Rsa(Arc<Shared>);

/// What the scheme and its keys share.
struct Shared {
    crypto: &'static Crypto,
    info: SignatureInfo,
    digest: Algorithm,
    algorithm: Signature,
    generator: Generator,
}

struct Signer {
    shared: Arc<Shared>,
    key: Pkey,
    idle: Contexts<PkeyCtx>,
}

struct Verifier {
    shared: Arc<Shared>,
    key: Pkey,
    idle: Contexts<PkeyCtx>,
}

/// An encoding that the library made in memory of its own.
struct Encoded {
    crypto: &'static Crypto,
    data: *mut u8,
    length: usize,
}

impl Rsa {
    pub(super) fn new(crypto: &'static Crypto) -> Result<Rsa> {
        let parameters = SignatureParameters::of("RSA-2048").ok_or(Error::Unsupported("no parameters are known"))?;
        let info = SignatureInfo {
            parameters,
            encodings: vec![KeyEncoding::Der],
            coins: CoinSupport { keygen: false, operation: true },
            context: false,
            hedged: false,
        };
        Ok(Rsa(Arc::new(Shared {
            crypto,
            info,
            digest: Algorithm::fetch(crypto, "SHA-256")?,
            algorithm: Signature::fetch(crypto, RSA)?,
            generator: Generator::new(crypto, RSA, Setting::Bits(MODULUS_BITS)),
        })))
    }
}

impl SignatureScheme for Rsa {
    fn info(&self) -> &SignatureInfo {
        &self.0.info
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let key = self.0.generate(coins)?;
        let verifying_length = write(&key, sys::EVP_PKEY_PUBLIC_KEY, "verifying key", verifying_key)?;
        let signing_length = write(&key, sys::EVP_PKEY_KEYPAIR, "signing key", signing_key)?;
        Ok((verifying_length, signing_length))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(Signer::new(&self.0, self.0.generate(coins)?)))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        if encoding != KeyEncoding::Der {
            return Err(NO_SUCH_ENCODING);
        }
        let key = read(self.0.crypto, sys::EVP_PKEY_KEYPAIR, bytes)
            .ok_or_else(|| self.0.crypto.malformed("RSAPrivateKey of 2048 bits"))?;
        Ok(Box::new(Signer::new(&self.0, key)))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(Verifier::load(&self.0, bytes)?))
    }
}

impl Shared {
    fn generate(&self, coins: Coins) -> Result<Pkey> {
        match coins {
            Coins::Internal => self.generator.generate(),
            Coins::Exact(_) => Err(NO_COINS),
        }
    }

    fn params() -> [Param<'static>; 3] {
        [
            Param::text(sys::OSSL_SIGNATURE_PARAM_PAD_MODE, c"pkcs1"),
            Param::text(sys::OSSL_ALG_PARAM_DIGEST, c"SHA2-256"),
            Param::END,
        ]
    }
}

impl Signer {
    fn new(shared: &Arc<Shared>, key: Pkey) -> Signer {
        Signer { shared: shared.clone(), key, idle: Contexts::new() }
    }

    fn context(shared: &Shared, key: &Pkey) -> Result<PkeyCtx> {
        let ctx = PkeyCtx::of_key(key)?;
        shared.algorithm.begin_to_sign(&ctx, &Shared::params())?;
        Ok(ctx)
    }
}

impl SigningKey for Signer {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        if !context.is_empty() {
            return Err(super::NO_CONTEXT);
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
        let encoded = Encoded::of(&self.key, sys::EVP_PKEY_PUBLIC_KEY)?;
        Ok(Box::new(Verifier::load(&self.shared, encoded.bytes())?))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Der {
            return Err(NO_SUCH_ENCODING);
        }
        write(&self.key, sys::EVP_PKEY_KEYPAIR, "signing key", out)
    }
}

impl Verifier {
    fn load(shared: &Arc<Shared>, bytes: &[u8]) -> Result<Verifier> {
        let key = read(shared.crypto, sys::EVP_PKEY_PUBLIC_KEY, bytes)
            .ok_or_else(|| shared.crypto.malformed("RSAPublicKey of 2048 bits"))?;
        Ok(Verifier { shared: shared.clone(), key, idle: Contexts::new() })
    }

    fn context(shared: &Shared, key: &Pkey) -> Result<PkeyCtx> {
        let ctx = PkeyCtx::of_key(key)?;
        shared.algorithm.begin_to_verify(&ctx, &Shared::params())?;
        Ok(ctx)
    }
}

impl VerifyingKey for Verifier {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        if !context.is_empty() {
            return Err(super::NO_CONTEXT);
        }
        let mut digest = [0; DIGEST];
        self.shared.digest.digest(message, &mut digest)?;
        self.idle.with(|| Verifier::context(&self.shared, &self.key), |ctx| verify(ctx, &digest, signature))
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write(&self.key, sys::EVP_PKEY_PUBLIC_KEY, "verifying key", out)
    }
}

impl Encoded {
    fn of(key: &Pkey, selection: c_int) -> Result<Encoded> {
        let mut encoded = Encoded { crypto: key.crypto, data: ptr::null_mut(), length: 0 };
        // SAFETY: the encoder borrows the key, which outlives it; a null pointer to begin with makes it allocate.
        unsafe {
            let (kind, structure) = (c"DER".as_ptr(), c"type-specific".as_ptr());
            let encoder =
                (key.crypto.OSSL_ENCODER_CTX_new_for_pkey)(key.as_ptr(), selection, kind, structure, ptr::null());
            let encoder = Encoder::own(key.crypto, "OSSL_ENCODER_CTX_new_for_pkey", encoder)?;
            let returned =
                (key.crypto.OSSL_ENCODER_to_data)(encoder.as_ptr(), &raw mut encoded.data, &raw mut encoded.length);
            key.crypto.check("OSSL_ENCODER_to_data", returned)?;
        }
        Ok(encoded)
    }

    fn bytes(&self) -> &[u8] {
        if self.data.is_null() {
            return &[];
        }
        // SAFETY: the library wrote `length` bytes there, and they are ours until dropped.
        unsafe { slice::from_raw_parts(self.data, self.length) }
    }
}

impl Drop for Encoded {
    fn drop(&mut self) {
        // SAFETY: the library allocated it, or it is null, which is allowed. It may hold a private key: it is wiped.
        unsafe { (self.crypto.CRYPTO_clear_free)(self.data.cast(), self.length, c"".as_ptr(), 0) }
    }
}

fn write(key: &Pkey, selection: c_int, what: &'static str, out: &mut [u8]) -> Result<usize> {
    let encoded = Encoded::of(key, selection)?;
    let bytes = encoded.bytes();
    front_of(what, out, bytes.len())?.copy_from_slice(bytes);
    Ok(bytes.len())
}

/// The key, if the bytes are all of one encoding and the modulus has the right length.
fn read(crypto: &'static Crypto, selection: c_int, bytes: &[u8]) -> Option<Pkey> {
    let (mut data, mut rest) = (bytes.as_ptr(), bytes.len());
    let mut key = ptr::null_mut();
    // SAFETY: null says that there are no properties; `key` outlives the decoder, which fills it
    // with a key that is ours; the slice is read during the call.
    let key = unsafe {
        let (kind, structure) = (c"DER".as_ptr(), c"type-specific".as_ptr());
        let decoder = (crypto.OSSL_DECODER_CTX_new_for_pkey)(
            &raw mut key,
            kind,
            structure,
            RSA.as_ptr(),
            selection,
            crypto.context(),
            ptr::null(),
        );
        let decoder = Decoder::own(crypto, "OSSL_DECODER_CTX_new_for_pkey", decoder).ok()?;
        let returned = (crypto.OSSL_DECODER_from_data)(decoder.as_ptr(), &raw mut data, &raw mut rest);
        let key = Pkey::own(crypto, "OSSL_DECODER_from_data", key).ok()?;
        (returned > 0).then_some(key)?
    };
    // The decoder leaves word of the formats that it tried in vain.
    crypto.clear();
    (rest == 0 && usize::try_from(key.bits()) == Ok(MODULUS_BITS)).then_some(key)
}
