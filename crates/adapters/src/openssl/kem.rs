//! ML-KEM (FIPS 203). See EVP_PKEY-ML-KEM(7) and EVP_KEM-ML-KEM(7).

use super::native::{Generator, Pkey, PkeyCtx, Setting, check_keys};
use super::param::Param;
use super::{Calls, NO_SUCH_ENCODING};
use crate::{Contexts, front_of};
use pqlab_openssl_headers as sys;
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyEncoding, Result,
};
use std::ffi::CString;
use std::ptr;
use std::sync::Arc;

/// Names of the parameter sets, which are the same in OpenSSL.
pub(super) const ALGORITHMS: [&str; 3] = ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"];

/// Length of `d || z` in bytes (FIPS 203, algorithm 16).
const SEED: usize = 64;
/// Length of `m` in bytes (FIPS 203, algorithm 17).
const ENCAPSULATION_COINS: usize = 32;

/// ML-KEM with one parameter set.
pub(super) struct MlKem<C: Calls>(Arc<Shared<C>>);

/// State that a parameter set and its keys share.
struct Shared<C: Calls> {
    calls: C,
    info: KemInfo,
    name: CString,
    generator: Generator<C>,
}

struct Encapsulator<C: Calls> {
    shared: Arc<Shared<C>>,
    key: Pkey<C>,
    idle: Contexts<PkeyCtx<C>>,
}

struct Decapsulator<C: Calls> {
    shared: Arc<Shared<C>>,
    key: Pkey<C>,
    idle: Contexts<PkeyCtx<C>>,
}

impl<C: Calls> MlKem<C> {
    pub(super) fn new(calls: C, algorithm: &'static str) -> Result<MlKem<C>> {
        let parameters = KemParameters::find(algorithm).ok_or(Error::Unsupported("unknown parameters"))?;
        let name = CString::new(algorithm).map_err(|_| Error::Unsupported("the name contains a NUL byte"))?;
        check_keys(calls, &name)?;
        let generator = Generator::new(calls, &name, Setting::None);
        let info = KemInfo {
            parameters,
            encodings: vec![KeyEncoding::Seed, KeyEncoding::Expanded],
            coins: CoinSupport { keygen: true, operation: true },
        };
        Ok(MlKem(Arc::new(Shared { calls, info, name, generator })))
    }
}

impl<C: Calls> Kem for MlKem<C> {
    fn info(&self) -> &KemInfo {
        &self.0.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        let expected = self.0.info.parameters.encapsulation_key;
        Error::check_length("encapsulation key", expected, encapsulation_key.len())?;
        Error::check_length("decapsulation key", SEED, decapsulation_key.len())?;
        let key = self.0.generate(coins)?;
        key.write_raw_public(encapsulation_key)?;
        key.write_octets(sys::OSSL_PKEY_PARAM_SEED, decapsulation_key)?;
        Ok(())
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(Decapsulator::new(&self.0, self.0.generate(coins)?)))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(Encapsulator::load(&self.0, bytes)?))
    }

    /// Loads a private key. OpenSSL tests every imported key with one encapsulation and one decapsulation, but does not
    /// test the keys that it generates.
    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        let expected = self.0.info.decapsulation_key(encoding).ok_or(NO_SUCH_ENCODING)?;
        Error::check_length("decapsulation key", expected, bytes.len())?;
        let calls = self.0.calls;
        let key = match encoding {
            KeyEncoding::Seed => {
                let mut parts = [Param::octets(sys::OSSL_PKEY_PARAM_SEED, bytes), Param::END];
                Pkey::import(calls, &self.0.name, sys::EVP_PKEY_KEYPAIR, &mut parts)
            }
            KeyEncoding::Expanded => Pkey::raw_private(calls, &self.0.name, bytes),
            KeyEncoding::Scalar | KeyEncoding::Der | KeyEncoding::Cbor => return Err(NO_SUCH_ENCODING),
        };
        let key = key.map_err(|_| calls.malformed("ML-KEM decapsulation key"))?;
        Ok(Box::new(Decapsulator::new(&self.0, key)))
    }
}

impl<C: Calls> Shared<C> {
    fn generate(&self, coins: Coins) -> Result<Pkey<C>> {
        match coins.exact::<SEED>()? {
            None => self.generator.generate(),
            Some(seed) => self.generator.generate_from(seed),
        }
    }
}

impl<C: Calls> Encapsulator<C> {
    fn load(shared: &Arc<Shared<C>>, bytes: &[u8]) -> Result<Encapsulator<C>> {
        Error::check_length("encapsulation key", shared.info.parameters.encapsulation_key, bytes.len())?;
        let calls = shared.calls;
        let key = Pkey::raw_public(calls, &shared.name, bytes);
        let key = key.map_err(|_| calls.malformed("ML-KEM encapsulation key"))?;
        Ok(Encapsulator { shared: shared.clone(), key, idle: Contexts::new() })
    }

    fn context(key: &Pkey<C>) -> Result<PkeyCtx<C>> {
        let ctx = PkeyCtx::of_key(key)?;
        // SAFETY: no one else uses the context. Null means no parameters.
        let returned = unsafe { key.calls.EVP_PKEY_encapsulate_init(ctx.as_ptr(), ptr::null()) };
        key.calls.check("EVP_PKEY_encapsulate_init", returned)?;
        Ok(ctx)
    }
}

impl<C: Calls> EncapsulationKey for Encapsulator<C> {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        let parameters = &self.shared.info.parameters;
        Error::check_length("ciphertext", parameters.ciphertext, ciphertext.len())?;
        Error::check_length("shared secret", parameters.shared_secret, secret.len())?;
        let coins = coins.exact::<ENCAPSULATION_COINS>()?;
        self.idle.with(
            || Encapsulator::context(&self.key),
            |ctx| {
                if let Some(coins) = coins {
                    // The library uses this value for only one encapsulation and then discards it.
                    ctx.set(&[Param::octets(sys::OSSL_KEM_PARAM_IKME, coins), Param::END])?;
                }
                let (mut ciphertext_length, mut secret_length) = (ciphertext.len(), secret.len());
                // SAFETY: only this thread uses the context during the call, and the lengths of both buffers are
                // passed.
                let returned = unsafe {
                    ctx.calls.EVP_PKEY_encapsulate(
                        ctx.as_ptr(),
                        ciphertext.as_mut_ptr(),
                        &raw mut ciphertext_length,
                        secret.as_mut_ptr(),
                        &raw mut secret_length,
                    )
                };
                ctx.calls.check("EVP_PKEY_encapsulate", returned)
            },
        )
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        let length = self.shared.info.parameters.encapsulation_key;
        self.key.write_raw_public(front_of("encapsulation key", out, length)?)?;
        Ok(length)
    }
}

impl<C: Calls> Decapsulator<C> {
    fn new(shared: &Arc<Shared<C>>, key: Pkey<C>) -> Decapsulator<C> {
        Decapsulator { shared: shared.clone(), key, idle: Contexts::new() }
    }

    fn context(key: &Pkey<C>) -> Result<PkeyCtx<C>> {
        let ctx = PkeyCtx::of_key(key)?;
        // SAFETY: no one else uses the context. Null means no parameters.
        let returned = unsafe { key.calls.EVP_PKEY_decapsulate_init(ctx.as_ptr(), ptr::null()) };
        key.calls.check("EVP_PKEY_decapsulate_init", returned)?;
        Ok(ctx)
    }
}

impl<C: Calls> DecapsulationKey for Decapsulator<C> {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        let parameters = &self.shared.info.parameters;
        Error::check_length("ciphertext", parameters.ciphertext, ciphertext.len())?;
        Error::check_length("shared secret", parameters.shared_secret, secret.len())?;
        self.idle.with(
            || Decapsulator::context(&self.key),
            |ctx| {
                let mut secret_length = secret.len();
                // SAFETY: only this thread uses the context during the call, and the length of `secret` is passed.
                let returned = unsafe {
                    ctx.calls.EVP_PKEY_decapsulate(
                        ctx.as_ptr(),
                        secret.as_mut_ptr(),
                        &raw mut secret_length,
                        ciphertext.as_ptr(),
                        ciphertext.len(),
                    )
                };
                ctx.calls.check("EVP_PKEY_decapsulate", returned)
            },
        )
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        let mut bytes = vec![0; self.shared.info.parameters.encapsulation_key];
        self.key.write_raw_public(&mut bytes)?;
        Ok(Box::new(Encapsulator::load(&self.shared, &bytes)?))
    }

    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        let length = self.shared.info.parameters.encapsulation_key;
        self.key.write_raw_public(front_of("encapsulation key", out, length)?)?;
        Ok(length)
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        let length = self.shared.info.decapsulation_key(encoding).ok_or(NO_SUCH_ENCODING)?;
        let out = front_of("decapsulation key", out, length)?;
        match encoding {
            KeyEncoding::Seed => self.key.write_octets(sys::OSSL_PKEY_PARAM_SEED, out).map_err(|_| {
                self.shared.calls.clear();
                Error::Unsupported("the seed is unknown, because the key was loaded in expanded form")
            }),
            KeyEncoding::Expanded => self.key.write_raw_private(out).map(|()| length),
            KeyEncoding::Scalar | KeyEncoding::Der | KeyEncoding::Cbor => Err(NO_SUCH_ENCODING),
        }
    }
}
