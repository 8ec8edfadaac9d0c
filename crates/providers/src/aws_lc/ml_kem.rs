//! ML-KEM (FIPS 203), through the library's `EVP_PKEY` interface.

use super::error::{array_mut, check, expect_length, front, library, malformed};
use super::ffi::{self, MlKemCheckSecretKey};
use super::handle::{Owned, Pool};
use super::pkey::{self, Generator, Key};
use aws_lc_sys as aws;
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyEncoding, Result,
};
use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::Arc;

/// The three parameter sets.
pub(super) fn kems() -> impl Iterator<Item = Arc<dyn Kem>> {
    let sets: [(&str, c_int, MlKemCheckSecretKey); 3] = [
        ("ML-KEM-512", aws::NID_MLKEM512, ffi::ml_kem_512_check_sk),
        ("ML-KEM-768", aws::NID_MLKEM768, ffi::ml_kem_768_check_sk),
        ("ML-KEM-1024", aws::NID_MLKEM1024, ffi::ml_kem_1024_check_sk),
    ];
    sets.into_iter().filter_map(|(algorithm, nid, check_secret_key)| {
        let parameters = KemParameters::of(algorithm)?;
        let lengths = Lengths {
            encapsulation_key: parameters.encapsulation_key,
            expanded: parameters.decapsulation_key(KeyEncoding::Expanded)?,
            ciphertext: parameters.ciphertext,
        };
        // What `EVP_PKEY_get_raw_private_key` gives comes first.
        let encodings = vec![KeyEncoding::Expanded, KeyEncoding::Seed];
        let info = KemInfo { parameters, encodings, coins: CoinSupport { keygen: true, operation: true } };
        Some(Arc::new(MlKem { info, lengths, nid, check_secret_key, generators: Pool::empty() }) as Arc<dyn Kem>)
    })
}

/// Seed `d || z` (FIPS 203, algorithm 16), in bytes.
const SEED: usize = 64;
/// Coins `m` (FIPS 203, algorithm 17), in bytes.
const COINS: usize = 32;
/// Shared secret, in bytes.
const SECRET: usize = 32;

/// Lengths in bytes that differ between the parameter sets.
#[derive(Clone, Copy)]
struct Lengths {
    encapsulation_key: usize,
    expanded: usize,
    ciphertext: usize,
}

struct MlKem {
    info: KemInfo,
    lengths: Lengths,
    nid: c_int,
    check_secret_key: MlKemCheckSecretKey,
    generators: Pool<aws::EVP_PKEY_CTX>,
}

impl MlKem {
    fn key_pair(&self, coins: Coins) -> Result<Key> {
        let seed = coins.exact::<SEED>()?;
        self.generators.with(
            || generator(self.nid),
            |context| {
                let Some(seed) = seed else {
                    // SAFETY: the context is a generator and this thread's alone.
                    return unsafe { pkey::generate(context) };
                };
                let mut raw = null_mut();
                let mut length = seed.len();
                // SAFETY: as above; the seed has the length that is stated; the key is null or ours.
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

    fn load_expanded(&self, bytes: &[u8]) -> Result<Key> {
        expect_length("decapsulation key", self.lengths.expanded, bytes.len())?;
        // SAFETY: reads as many bytes as it is told.
        if unsafe { (self.check_secret_key)(bytes.as_ptr(), bytes.len()) } != 0 {
            return Err(malformed("ML-KEM decapsulation key"));
        }
        // dk = dkPKE || ek || H(ek) || z (FIPS 203, algorithm 16): the library wants ek beside it.
        let end = bytes.len() - 64;
        let encapsulation_key = &bytes[end - self.lengths.encapsulation_key..end];
        // SAFETY: both buffers have the lengths that are stated; the result is null or ours.
        let key = unsafe {
            Owned::from_raw(aws::EVP_PKEY_kem_new_raw_key(
                self.nid,
                encapsulation_key.as_ptr(),
                encapsulation_key.len(),
                bytes.as_ptr(),
                bytes.len(),
            ))
        };
        key.ok_or_else(|| malformed("ML-KEM decapsulation key"))
    }
}

impl Kem for MlKem {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        expect_length("encapsulation key", self.lengths.encapsulation_key, encapsulation_key.len())?;
        expect_length("decapsulation key", self.lengths.expanded, decapsulation_key.len())?;
        let key = self.key_pair(coins)?;
        pkey::write_public(&key, encapsulation_key)?;
        pkey::write_expanded(&key, decapsulation_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(PrivateHalf(Prepared::new(self.key_pair(coins)?, self.lengths)?)))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        expect_length("encapsulation key", self.lengths.encapsulation_key, bytes.len())?;
        // SAFETY: the buffer has the length that is stated; the result is null or ours.
        let key =
            unsafe { Owned::from_raw(aws::EVP_PKEY_kem_new_raw_public_key(self.nid, bytes.as_ptr(), bytes.len())) };
        let key = key.ok_or_else(|| library("EVP_PKEY_kem_new_raw_public_key"))?;
        let context = context_of(&key)?;
        // On a key without a secret half this is the modulus check alone (FIPS 203, section 7.2).
        // SAFETY: the context holds a key.
        if unsafe { aws::EVP_PKEY_public_check(context.as_ptr()) } != 1 {
            return Err(malformed("ML-KEM encapsulation key"));
        }
        Ok(Box::new(PublicHalf(Prepared { key, contexts: Pool::new(context), lengths: self.lengths })))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        let key = match encoding {
            KeyEncoding::Seed => {
                expect_length("decapsulation key", SEED, bytes.len())?;
                self.key_pair(Coins::Exact(bytes))?
            }
            KeyEncoding::Expanded => self.load_expanded(bytes)?,
            KeyEncoding::Scalar | KeyEncoding::Der | KeyEncoding::Cbor => return Err(ENCODING),
        };
        Ok(Box::new(PrivateHalf(Prepared::new(key, self.lengths)?)))
    }
}

const ENCODING: Error = Error::Unsupported("ML-KEM decapsulation keys are encoded as a seed or expanded");

/// A key of the library with contexts in which to use it.
struct Prepared {
    key: Key,
    contexts: Pool<aws::EVP_PKEY_CTX>,
    lengths: Lengths,
}

impl Prepared {
    fn new(key: Key, lengths: Lengths) -> Result<Prepared> {
        let contexts = Pool::new(context_of(&key)?);
        Ok(Prepared { key, contexts, lengths })
    }
}

struct PublicHalf(Prepared);

impl EncapsulationKey for PublicHalf {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        let Prepared { key, contexts, lengths } = &self.0;
        expect_length("ciphertext", lengths.ciphertext, ciphertext.len())?;
        let secret = array_mut::<SECRET>("shared secret", secret)?;
        let coins = coins.exact::<COINS>()?;
        let (mut ciphertext_len, mut secret_len) = (ciphertext.len(), secret.len());
        contexts.with(
            || context_of(key),
            |context| match coins {
                // SAFETY: the context is this thread's alone; the buffers have the lengths that are stated.
                None => check("EVP_PKEY_encapsulate", unsafe {
                    aws::EVP_PKEY_encapsulate(
                        context,
                        ciphertext.as_mut_ptr(),
                        &raw mut ciphertext_len,
                        secret.as_mut_ptr(),
                        &raw mut secret_len,
                    )
                }),
                Some(coins) => {
                    let mut coins_len = coins.len();
                    // SAFETY: as above.
                    check("EVP_PKEY_encapsulate_deterministic", unsafe {
                        aws::EVP_PKEY_encapsulate_deterministic(
                            context,
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
        let length = self.0.lengths.encapsulation_key;
        pkey::write_public(&self.0.key, front("encapsulation key", length, out)?)?;
        Ok(length)
    }
}

struct PrivateHalf(Prepared);

impl DecapsulationKey for PrivateHalf {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        let Prepared { key, contexts, lengths } = &self.0;
        expect_length("ciphertext", lengths.ciphertext, ciphertext.len())?;
        let secret = array_mut::<SECRET>("shared secret", secret)?;
        let mut secret_len = secret.len();
        contexts.with(
            || context_of(key),
            |context| {
                // SAFETY: the context is this thread's alone; the buffers have the lengths that are stated.
                check("EVP_PKEY_decapsulate", unsafe {
                    aws::EVP_PKEY_decapsulate(
                        context,
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
        Ok(Box::new(PublicHalf(Prepared::new(pkey::share(&self.0.key)?, self.0.lengths)?)))
    }

    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        let length = self.0.lengths.encapsulation_key;
        pkey::write_public(&self.0.key, front("encapsulation key", length, out)?)?;
        Ok(length)
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Seed => {
                pkey::write_seed(&self.0.key, front("decapsulation key", SEED, out)?)?;
                Ok(SEED)
            }
            KeyEncoding::Expanded => {
                pkey::write_expanded(&self.0.key, front("decapsulation key", self.0.lengths.expanded, out)?)?;
                Ok(self.0.lengths.expanded)
            }
            KeyEncoding::Scalar | KeyEncoding::Der | KeyEncoding::Cbor => Err(ENCODING),
        }
    }
}

fn generator(nid: c_int) -> Result<Generator> {
    pkey::generator(aws::EVP_PKEY_KEM, aws::EVP_PKEY_CTX_kem_set_params, nid)
}

fn context_of(key: &Key) -> Result<Owned<aws::EVP_PKEY_CTX>> {
    // SAFETY: the new context, null or ours, counts a reference to the key for itself.
    let context = unsafe { Owned::from_raw(aws::EVP_PKEY_CTX_new(key.as_ptr(), null_mut())) };
    context.ok_or_else(|| library("EVP_PKEY_CTX_new"))
}
