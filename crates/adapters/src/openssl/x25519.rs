//! X25519 (RFC 7748), as plain Diffie-Hellman and as a KEM. See EVP_PKEY-X25519(7) and EVP_KEYEXCH-X25519(7).
//!
//! As a KEM, the ciphertext is an ephemeral public key and the secret is the plain Diffie-Hellman value, as in TLS 1.3
//! key shares. OpenSSL's own KEM for X25519 is a different algorithm: DHKEM (RFC 9180).

use super::native::{Generator, Pkey, PkeyCtx, Setting, check_keys};
use super::{Calls, NO_SUCH_ENCODING};
use crate::{Contexts, front_of};
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyAgreement,
    KeyAgreementInfo, KeyAgreementParameters, KeyEncoding, PrivateKey, Result,
};
use std::ffi::CStr;
use std::sync::Arc;

const NAME: &CStr = c"X25519";
/// Length of every key and secret in bytes (RFC 7748, section 5).
const LENGTH: usize = 32;

/// X25519 as plain Diffie-Hellman.
pub(super) struct X25519<C: Calls> {
    info: KeyAgreementInfo,
    generator: Generator<C>,
}

/// X25519 as a KEM: Diffie-Hellman with an ephemeral key.
pub(super) struct X25519Kem<C: Calls> {
    info: KemInfo,
    generator: Arc<Generator<C>>,
}

/// Private key of the KEM.
struct Private<C: Calls> {
    key: Pkey<C>,
    idle: Contexts<PkeyCtx<C>>,
    /// Generator of the ephemeral keys for encapsulation to the corresponding public key.
    generator: Arc<Generator<C>>,
}

/// Encapsulation key of the KEM: the peer's public key, and the generator of ephemeral keys.
struct Encapsulator<C: Calls> {
    key: Pkey<C>,
    generator: Arc<Generator<C>>,
}

/// Private key of a [`KeyAgreement`].
struct Agreement<C: Calls> {
    key: Pkey<C>,
    idle: Contexts<PkeyCtx<C>>,
}

impl<C: Calls> X25519<C> {
    pub(super) fn new(calls: C) -> Result<X25519<C>> {
        check_keys(calls, NAME)?;
        let info = KeyAgreementInfo { parameters: KeyAgreementParameters::X25519, exact_coins: true };
        Ok(X25519 { info, generator: Generator::new(calls, NAME, Setting::None) })
    }
}

impl<C: Calls> KeyAgreement for X25519<C> {
    fn info(&self) -> &KeyAgreementInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, public_key: &mut [u8], private_key: &mut [u8]) -> Result<()> {
        generate_encoded(&self.generator, coins, public_key, private_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn PrivateKey>> {
        Ok(Box::new(Agreement::new(generate(&self.generator, coins)?)))
    }

    fn load_private_key(&self, bytes: &[u8]) -> Result<Box<dyn PrivateKey>> {
        Ok(Box::new(Agreement::new(private(self.generator.calls, bytes)?)))
    }
}

impl<C: Calls> Agreement<C> {
    fn new(key: Pkey<C>) -> Agreement<C> {
        Agreement { key, idle: Contexts::new() }
    }
}

impl<C: Calls> PrivateKey for Agreement<C> {
    fn agree(&self, peer_public_key: &[u8], secret: &mut [u8]) -> Result<()> {
        let peer = public(self.key.calls, "peer's public key", peer_public_key)?;
        Error::check_length("shared secret", LENGTH, secret.len())?;
        self.idle.with(|| context(&self.key), |ctx| derive(ctx, &peer, secret))
    }

    fn public_key(&self, out: &mut [u8]) -> Result<()> {
        Error::check_length("public key", LENGTH, out.len())?;
        self.key.write_raw_public(out)
    }

    fn encode(&self, out: &mut [u8]) -> Result<()> {
        Error::check_length("private key", LENGTH, out.len())?;
        self.key.write_raw_private(out)
    }
}

impl<C: Calls> X25519Kem<C> {
    pub(super) fn new(calls: C) -> Result<X25519Kem<C>> {
        check_keys(calls, NAME)?;
        let parameters = KemParameters::find("X25519").ok_or(Error::Unsupported("unknown parameters"))?;
        let info = KemInfo {
            parameters,
            encodings: vec![KeyEncoding::Scalar],
            coins: CoinSupport { keygen: true, operation: true },
        };
        Ok(X25519Kem { info, generator: Arc::new(Generator::new(calls, NAME, Setting::None)) })
    }

    fn prepare(&self, key: Pkey<C>) -> Box<dyn DecapsulationKey> {
        Box::new(Private { key, idle: Contexts::new(), generator: self.generator.clone() })
    }
}

impl<C: Calls> Kem for X25519Kem<C> {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        generate_encoded(&self.generator, coins, encapsulation_key, decapsulation_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(self.prepare(generate(&self.generator, coins)?))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        let key = public(self.generator.calls, "encapsulation key", bytes)?;
        Ok(Box::new(Encapsulator { key, generator: self.generator.clone() }))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        if encoding != KeyEncoding::Scalar {
            return Err(NO_SUCH_ENCODING);
        }
        Ok(self.prepare(private(self.generator.calls, bytes)?))
    }
}

impl<C: Calls> EncapsulationKey for Encapsulator<C> {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        Error::check_length("ciphertext", LENGTH, ciphertext.len())?;
        Error::check_length("shared secret", LENGTH, secret.len())?;
        let ephemeral = generate(&self.generator, coins)?;
        derive(&context(&ephemeral)?, &self.key, secret)?;
        ephemeral.write_raw_public(ciphertext)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        self.key.write_raw_public(front_of("encapsulation key", out, LENGTH)?)?;
        Ok(LENGTH)
    }
}

impl<C: Calls> DecapsulationKey for Private<C> {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        let peer = public(self.key.calls, "ciphertext", ciphertext)?;
        Error::check_length("shared secret", LENGTH, secret.len())?;
        self.idle.with(|| context(&self.key), |ctx| derive(ctx, &peer, secret))
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        let mut bytes = [0; LENGTH];
        self.key.write_raw_public(&mut bytes)?;
        let key = public(self.key.calls, "encapsulation key", &bytes)?;
        Ok(Box::new(Encapsulator { key, generator: self.generator.clone() }))
    }

    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        self.key.write_raw_public(front_of("encapsulation key", out, LENGTH)?)?;
        Ok(LENGTH)
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Scalar {
            return Err(NO_SUCH_ENCODING);
        }
        self.key.write_raw_private(front_of("decapsulation key", out, LENGTH)?)?;
        Ok(LENGTH)
    }
}

fn generate<C: Calls>(generator: &Generator<C>, coins: Coins) -> Result<Pkey<C>> {
    match coins.exact::<LENGTH>()? {
        None => generator.generate(),
        Some(scalar) => private(generator.calls, scalar),
    }
}

fn generate_encoded<C: Calls>(
    generator: &Generator<C>,
    coins: Coins,
    public: &mut [u8],
    private: &mut [u8],
) -> Result<()> {
    Error::check_length("public key", LENGTH, public.len())?;
    Error::check_length("private key", LENGTH, private.len())?;
    let key = generate(generator, coins)?;
    key.write_raw_public(public)?;
    key.write_raw_private(private)
}

fn private<C: Calls>(calls: C, bytes: &[u8]) -> Result<Pkey<C>> {
    Error::check_length("private key", LENGTH, bytes.len())?;
    Pkey::raw_private(calls, NAME, bytes)
}

fn public<C: Calls>(calls: C, what: &'static str, bytes: &[u8]) -> Result<Pkey<C>> {
    Error::check_length(what, LENGTH, bytes.len())?;
    Pkey::raw_public(calls, NAME, bytes)
}

fn context<C: Calls>(key: &Pkey<C>) -> Result<PkeyCtx<C>> {
    let ctx = PkeyCtx::of_key(key)?;
    // SAFETY: no one else uses the context.
    key.calls.check("EVP_PKEY_derive_init", unsafe { key.calls.EVP_PKEY_derive_init(ctx.as_ptr()) })?;
    Ok(ctx)
}

/// Derives the Diffie-Hellman value. Any 32 bytes are a public key (RFC 7748, section 5), so the peer's key is not
/// validated. An all-zero result is rejected (section 6.1). For valid keys, derivation cannot fail in any other way.
fn derive<C: Calls>(ctx: &PkeyCtx<C>, peer: &Pkey<C>, secret: &mut [u8]) -> Result<()> {
    let mut length = secret.len();
    // SAFETY: only this thread uses the context during the call, and the context keeps its own reference to the peer.
    // `length` is the length of `secret`.
    let returned = unsafe {
        let set = ctx.calls.EVP_PKEY_derive_set_peer_ex(ctx.as_ptr(), peer.as_ptr(), 0);
        ctx.calls.check("EVP_PKEY_derive_set_peer_ex", set)?;
        ctx.calls.EVP_PKEY_derive(ctx.as_ptr(), secret.as_mut_ptr(), &raw mut length)
    };
    if returned > 0 { Ok(()) } else { Err(ctx.calls.malformed("X25519 public key: the shared secret is zero")) }
}
