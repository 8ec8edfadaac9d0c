//! ML-KEM (FIPS 203), through the library's `EVP_PKEY` interface.
//!
//! Every encapsulation and decapsulation checks the key (FIPS 203, sections 7.2 and 7.3), so loading a key checks only
//! the length. A malformed key of the right length fails on first use.

use super::error::{check, library, malformed};
use super::handle::Owned;
use super::pkey::{self, Generator, Key};
use crate::shared::bytes::{front_of, sized_mut};
use aws_lc_sys as aws;
use pqlab_adapters::Contexts;
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyEncoding, Result,
    Wiped,
};
use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::{Arc, OnceLock};

/// Returns the three parameter sets.
pub(super) fn kems() -> impl Iterator<Item = Arc<dyn Kem>> {
    let sets: [(&str, c_int); 3] =
        [("ML-KEM-512", aws::NID_MLKEM512), ("ML-KEM-768", aws::NID_MLKEM768), ("ML-KEM-1024", aws::NID_MLKEM1024)];
    sets.into_iter().zip(&SETS).filter_map(|((algorithm, nid), set)| {
        let parameters = KemParameters::find(algorithm)?;
        let expanded = parameters.decapsulation_key(KeyEncoding::Expanded)?;
        let set = set.get_or_init(|| Set {
            nid,
            encapsulation_key: parameters.encapsulation_key,
            expanded,
            ciphertext: parameters.ciphertext,
        });
        // The native encoding, which `EVP_PKEY_get_raw_private_key` writes, comes first.
        let encodings = vec![KeyEncoding::Expanded, KeyEncoding::Seed];
        let info = KemInfo { parameters, encodings, coins: CoinSupport { keygen: true, operation: true } };
        Some(Arc::new(MlKem { info, set, generators: Contexts::new() }) as Arc<dyn Kem>)
    })
}

/// Length of the seed `d || z` in bytes (FIPS 203, algorithm 16).
const SEED: usize = 64;
/// Length of the coins `m` in bytes (FIPS 203, algorithm 17).
const COINS: usize = 32;
/// Length of a shared secret in bytes.
const SECRET: usize = 32;

/// Properties of a parameter set, with lengths in bytes. They are static, so that keys can refer to them without
/// reference counting.
struct Set {
    nid: c_int,
    encapsulation_key: usize,
    expanded: usize,
    ciphertext: usize,
}

static SETS: [OnceLock<Set>; 3] = [const { OnceLock::new() }; 3];

struct MlKem {
    info: KemInfo,
    set: &'static Set,
    generators: Contexts<Generator>,
}

impl MlKem {
    fn key_pair(&self, coins: Coins) -> Result<Key> {
        let seed = coins.exact::<SEED>()?;
        self.generators.with(
            || generator(self.set.nid),
            |context| {
                let context = context.as_ptr();
                let Some(seed) = seed else {
                    // SAFETY: the context is set up for key generation, and only this thread uses it.
                    return unsafe { pkey::generate(context) };
                };
                let mut raw = null_mut();
                let mut length = seed.len();
                // SAFETY: only this thread uses the context, and `length` is the length of the
                // seed. `raw` stays null or becomes a key that we own.
                let (returned, key) = unsafe {
                    let returned =
                        aws::EVP_PKEY_keygen_deterministic(context, &raw mut raw, seed.as_ptr(), &raw mut length);
                    (returned, Owned::from_raw(raw))
                };
                check("EVP_PKEY_keygen_deterministic", returned)?;
                key.ok_or_else(|| library("EVP_PKEY_keygen_deterministic"))
            },
        )
    }

    fn private_half(&self, key: Key, has_public: bool) -> PrivateHalf {
        PrivateHalf { prepared: Prepared::new(key, self.set), has_public }
    }

    /// Loads an expanded secret key. The library needs no separate public key for decapsulation, because the expanded
    /// secret key contains the public key.
    fn load_expanded(&self, bytes: &[u8]) -> Result<Key> {
        Error::check_length("decapsulation key", self.set.expanded, bytes.len())?;
        // SAFETY: the pointer and length describe `bytes`. The call returns null or a key that we
        // own.
        let key =
            unsafe { Owned::from_raw(aws::EVP_PKEY_kem_new_raw_secret_key(self.set.nid, bytes.as_ptr(), bytes.len())) };
        key.ok_or_else(|| library("EVP_PKEY_kem_new_raw_secret_key"))
    }
}

/// Loads an encapsulation key. The caller has checked the length.
fn load_public(set: &'static Set, bytes: &[u8]) -> Result<PublicHalf> {
    // SAFETY: the pointer and length describe `bytes`. The call returns null or a key that we own.
    let key = unsafe { Owned::from_raw(aws::EVP_PKEY_kem_new_raw_public_key(set.nid, bytes.as_ptr(), bytes.len())) };
    Ok(PublicHalf(Prepared::new(key.ok_or_else(|| library("EVP_PKEY_kem_new_raw_public_key"))?, set)))
}

impl Kem for MlKem {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        Error::check_length("encapsulation key", self.set.encapsulation_key, encapsulation_key.len())?;
        Error::check_length("decapsulation key", self.set.expanded, decapsulation_key.len())?;
        let key = self.key_pair(coins)?;
        pkey::write_public(&key, encapsulation_key)?;
        pkey::write_expanded(&key, decapsulation_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(self.private_half(self.key_pair(coins)?, true)))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Error::check_length("encapsulation key", self.set.encapsulation_key, bytes.len())?;
        Ok(Box::new(load_public(self.set, bytes)?))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        let key = match encoding {
            KeyEncoding::Seed => {
                Error::check_length("decapsulation key", SEED, bytes.len())?;
                self.private_half(self.key_pair(Coins::Exact(bytes))?, true)
            }
            KeyEncoding::Expanded => self.private_half(self.load_expanded(bytes)?, false),
            KeyEncoding::Scalar | KeyEncoding::Der | KeyEncoding::Cbor => return Err(ENCODING),
        };
        Ok(Box::new(key))
    }
}

const ENCODING: Error = Error::Unsupported("ML-KEM decapsulation keys must be encoded as a seed or in expanded form");

/// A library key with a pool of contexts for this key.
struct Prepared {
    key: Key,
    contexts: Contexts<Owned<aws::EVP_PKEY_CTX>>,
    set: &'static Set,
}

impl Prepared {
    fn new(key: Key, set: &'static Set) -> Prepared {
        Prepared { key, contexts: Contexts::new(), set }
    }
}

struct PublicHalf(Prepared);

impl EncapsulationKey for PublicHalf {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        let Prepared { key, contexts, set } = &self.0;
        Error::check_length("ciphertext", set.ciphertext, ciphertext.len())?;
        let secret = sized_mut::<SECRET>("shared secret", secret)?;
        let coins = coins.exact::<COINS>()?;
        let (mut ciphertext_len, mut secret_len) = (ciphertext.len(), secret.len());
        contexts.with(
            || context_of(key),
            |context| match coins {
                // SAFETY: only this thread uses the context, and each pointer is passed with the
                // length of its buffer.
                None => accepted("ML-KEM encapsulation key", unsafe {
                    aws::EVP_PKEY_encapsulate(
                        context.as_ptr(),
                        ciphertext.as_mut_ptr(),
                        &raw mut ciphertext_len,
                        secret.as_mut_ptr(),
                        &raw mut secret_len,
                    )
                }),
                Some(coins) => {
                    let mut coins_len = coins.len();
                    // SAFETY: only this thread uses the context, and each pointer is passed with
                    // the length of its buffer.
                    accepted("ML-KEM encapsulation key", unsafe {
                        aws::EVP_PKEY_encapsulate_deterministic(
                            context.as_ptr(),
                            ciphertext.as_mut_ptr(),
                            &raw mut ciphertext_len,
                            secret.as_mut_ptr(),
                            &raw mut secret_len,
                            coins.as_ptr(),
                            &raw mut coins_len,
                        )
                    })
                }
            },
        )
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        let length = self.0.set.encapsulation_key;
        pkey::write_public(&self.0.key, front_of("encapsulation key", out, length)?)?;
        Ok(length)
    }
}

struct PrivateHalf {
    prepared: Prepared,
    /// Whether the library key also contains the public key. This is true for keys that were generated or loaded from a
    /// seed.
    has_public: bool,
}

impl PrivateHalf {
    /// Calls `work` with the encoded public key `ek`, which is part of the secret key: `dk = dkPKE || ek || H(ek) || z`
    /// (FIPS 203, algorithm 16).
    fn with_public<R>(&self, work: impl FnOnce(&[u8]) -> Result<R>) -> Result<R> {
        let set = self.prepared.set;
        let mut expanded = Wiped::new(vec![0; set.expanded]);
        pkey::write_expanded(&self.prepared.key, &mut expanded)?;
        let end = set.expanded - 64;
        work(&expanded[end - set.encapsulation_key..end])
    }
}

impl DecapsulationKey for PrivateHalf {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        let Prepared { key, contexts, set } = &self.prepared;
        Error::check_length("ciphertext", set.ciphertext, ciphertext.len())?;
        let secret = sized_mut::<SECRET>("shared secret", secret)?;
        let mut secret_len = secret.len();
        contexts.with(
            || context_of(key),
            |context| {
                // SAFETY: only this thread uses the context, and each pointer is passed with the
                // length of its buffer.
                accepted("ML-KEM decapsulation key", unsafe {
                    aws::EVP_PKEY_decapsulate(
                        context.as_ptr(),
                        secret.as_mut_ptr(),
                        &raw mut secret_len,
                        ciphertext.as_ptr(),
                        ciphertext.len(),
                    )
                })
            },
        )
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        let set = self.prepared.set;
        if self.has_public {
            return Ok(Box::new(PublicHalf(Prepared::new(pkey::share(&self.prepared.key)?, set))));
        }
        Ok(Box::new(self.with_public(|public| load_public(set, public))?))
    }

    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        let length = self.prepared.set.encapsulation_key;
        let out = front_of("encapsulation key", out, length)?;
        if self.has_public {
            pkey::write_public(&self.prepared.key, out)?;
        } else {
            self.with_public(|public| {
                out.copy_from_slice(public);
                Ok(())
            })?;
        }
        Ok(length)
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        let Prepared { key, set, .. } = &self.prepared;
        match encoding {
            KeyEncoding::Seed => {
                pkey::write_seed(key, front_of("decapsulation key", out, SEED)?)?;
                Ok(SEED)
            }
            KeyEncoding::Expanded => {
                pkey::write_expanded(key, front_of("decapsulation key", out, set.expanded)?)?;
                Ok(set.expanded)
            }
            KeyEncoding::Scalar | KeyEncoding::Der | KeyEncoding::Cbor => Err(ENCODING),
        }
    }
}

/// Checks the return value of an encapsulation or decapsulation. All buffers have the right lengths, so an error means
/// that the library rejects the key.
fn accepted(key: &'static str, returned: c_int) -> Result<()> {
    if returned == 1 { Ok(()) } else { Err(malformed(key)) }
}

fn generator(nid: c_int) -> Result<Generator> {
    pkey::generator(aws::EVP_PKEY_KEM, aws::EVP_PKEY_CTX_kem_set_params, nid)
}

fn context_of(key: &Key) -> Result<Owned<aws::EVP_PKEY_CTX>> {
    // SAFETY: the call returns null or a new context that we own. The context takes its own
    // reference to the key.
    let context = unsafe { Owned::from_raw(aws::EVP_PKEY_CTX_new(key.as_ptr(), null_mut())) };
    context.ok_or_else(|| library("EVP_PKEY_CTX_new"))
}
