//! ML-KEM (FIPS 203). The code is mlkem-native, which is bundled with liboqs.

use super::{check, library};
use crate::shared::bytes::write;
use oqs_sys::kem as oqs;
use pqlab_adapters::{PublicBytes, SecretBytes};
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyEncoding, Result,
};
use std::ffi::CString;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::OnceLock;

/// Names of the parameter sets. liboqs uses the same names.
pub(super) const ALGORITHMS: [&str; 3] = ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"];

/// Length of `d || z` in bytes (FIPS 203, algorithm 16).
const SEED: usize = 64;
/// Length of an ML-KEM-1024 encapsulation key in bytes (FIPS 203, table 3).
const LONGEST_ENCAPSULATION_KEY: usize = 1568;

const NO_SUCH_ENCODING: Error = Error::Unsupported("liboqs reads and writes only expanded ML-KEM keys");

/// ML-KEM with a particular parameter set.
pub(super) struct MlKem(&'static Shared);

/// Data that a parameter set and its keys share.
struct Shared {
    info: KemInfo,
    native: Native,
}

/// liboqs's description of an algorithm.
struct Native(NonNull<oqs::OQS_KEM>);

// SAFETY: the object is complete when `OQS_KEM_new` returns it, and liboqs only reads it
// afterwards.
unsafe impl Send for Native {}
// SAFETY: see `Send` above.
unsafe impl Sync for Native {}

impl Drop for Native {
    fn drop(&mut self) {
        // SAFETY: the object comes from `OQS_KEM_new` and is freed only here.
        unsafe { oqs::OQS_KEM_free(self.0.as_ptr()) };
    }
}

/// Parameter sets, created once per process. They are static, so that keys can refer to them
/// without reference counting.
static SETS: [OnceLock<Result<Shared>>; ALGORITHMS.len()] = [const { OnceLock::new() }; ALGORITHMS.len()];

impl MlKem {
    pub(super) fn new(algorithm: &'static str) -> Result<MlKem> {
        let place = ALGORITHMS.iter().position(|name| *name == algorithm);
        let place = place.ok_or(Error::Unsupported("no such parameter set"))?;
        SETS[place].get_or_init(|| Shared::new(algorithm)).as_ref().map(MlKem).map_err(Clone::clone)
    }
}

impl Shared {
    fn new(algorithm: &'static str) -> Result<Shared> {
        let parameters = KemParameters::find(algorithm).ok_or(Error::Unsupported("unknown parameters"))?;
        let name = CString::new(algorithm).map_err(|_| Error::Unsupported("the name contains a NUL byte"))?;
        // SAFETY: the name ends with NUL, and we own the returned object.
        let native = NonNull::new(unsafe { oqs::OQS_KEM_new(name.as_ptr()) })
            .map(Native)
            .ok_or(Error::Unsupported("not enabled in this build of liboqs"))?;
        // SAFETY: the object is valid, and nothing changes it.
        let lengths = unsafe { native.0.as_ref() };
        Error::check_length("encapsulation key", parameters.encapsulation_key, lengths.length_public_key)?;
        let expanded = parameters.decapsulation_key(KeyEncoding::Expanded).unwrap_or_default();
        Error::check_length("decapsulation key", expanded, lengths.length_secret_key)?;
        Error::check_length("ciphertext", parameters.ciphertext, lengths.length_ciphertext)?;
        Error::check_length("shared secret", parameters.shared_secret, lengths.length_shared_secret)?;
        Error::check_length("coins", SEED, lengths.length_keypair_seed)?;
        let info = KemInfo {
            parameters,
            encodings: vec![KeyEncoding::Expanded],
            // liboqs 0.13 does not offer `encaps_derand`.
            coins: CoinSupport { keygen: true, operation: false },
        };
        Ok(Shared { info, native })
    }

    fn decapsulation_key_length(&self) -> usize {
        self.info.decapsulation_key(KeyEncoding::Expanded).unwrap_or_default()
    }

    /// Generates a key pair and writes it to the buffers.
    ///
    /// # Safety
    /// Both buffers must have at least the lengths given in the `OQS_KEM` object.
    unsafe fn key_pair(&self, coins: Coins, public: *mut u8, private: *mut u8) -> Result<()> {
        let native = self.native.0.as_ptr();
        match coins.exact::<SEED>()? {
            // SAFETY: the caller guarantees the lengths of both buffers.
            None => check(unsafe { oqs::OQS_KEM_keypair(native, public, private) }, library("OQS_KEM_keypair")),
            Some(seed) => check(
                // SAFETY: the caller guarantees the lengths of both buffers, and `Shared::new`
                // checked the length of the seed.
                unsafe { oqs::OQS_KEM_keypair_derand(native, public, private, seed.as_ptr()) },
                library("OQS_KEM_keypair_derand"),
            ),
        }
    }
}

impl Kem for MlKem {
    fn info(&self) -> &KemInfo {
        &self.0.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        let expected = self.0.info.parameters.encapsulation_key;
        Error::check_length("encapsulation key", expected, encapsulation_key.len())?;
        Error::check_length("decapsulation key", self.0.decapsulation_key_length(), decapsulation_key.len())?;
        // SAFETY: both buffers have the lengths given in `native`.
        unsafe { self.0.key_pair(coins, encapsulation_key.as_mut_ptr(), decapsulation_key.as_mut_ptr()) }
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        // Discard the encapsulation key, because the decapsulation key contains it.
        let mut encapsulation_key = MaybeUninit::<[u8; LONGEST_ENCAPSULATION_KEY]>::uninit();
        let public = encapsulation_key.as_mut_ptr().cast();
        // SAFETY: the public buffer has room for the longest encapsulation key, and the private
        // buffer is as long as the decapsulation key. If the call succeeds, it has filled the
        // private buffer.
        let bytes = unsafe {
            let write = |private| self.0.key_pair(coins, public, private);
            SecretBytes::written(self.0.decapsulation_key_length(), write)?
        };
        Ok(Box::new(Decapsulator { shared: self.0, bytes }))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Error::check_length("encapsulation key", self.0.info.parameters.encapsulation_key, bytes.len())?;
        Ok(Box::new(Encapsulator { shared: self.0, bytes: PublicBytes::from_slice(bytes) }))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        if encoding != KeyEncoding::Expanded {
            return Err(NO_SUCH_ENCODING);
        }
        Error::check_length("decapsulation key", self.0.decapsulation_key_length(), bytes.len())?;
        Ok(Box::new(Decapsulator { shared: self.0, bytes: SecretBytes::from_slice(bytes) }))
    }
}

struct Encapsulator {
    shared: &'static Shared,
    bytes: PublicBytes,
}

impl EncapsulationKey for Encapsulator {
    /// Encapsulates. The library checks the key in every call (FIPS 203, section 7.2).
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        let parameters = &self.shared.info.parameters;
        Error::check_length("ciphertext", parameters.ciphertext, ciphertext.len())?;
        Error::check_length("shared secret", parameters.shared_secret, secret.len())?;
        if let Coins::Exact(_) = coins {
            return Err(Error::Unsupported("liboqs 0.13 does not accept caller-supplied randomness for encapsulation"));
        }
        // SAFETY: all three buffers have the lengths given in `native`.
        let status = unsafe {
            oqs::OQS_KEM_encaps(
                self.shared.native.0.as_ptr(),
                ciphertext.as_mut_ptr(),
                secret.as_mut_ptr(),
                self.bytes.as_ptr(),
            )
        };
        check(status, Error::Malformed("encapsulation key"))
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write("encapsulation key", out, &self.bytes)
    }
}

struct Decapsulator {
    shared: &'static Shared,
    bytes: SecretBytes,
}

impl Decapsulator {
    /// Returns `ek` from `dk = dkPKE || ek || H(ek) || z` (FIPS 203, algorithm 16).
    fn public_half(&self) -> &[u8] {
        let end = self.bytes.len() - (32 + 32);
        &self.bytes[end - self.shared.info.parameters.encapsulation_key..end]
    }
}

impl DecapsulationKey for Decapsulator {
    /// Decapsulates. The library checks the key in every call (FIPS 203, section 7.3).
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        let parameters = &self.shared.info.parameters;
        Error::check_length("ciphertext", parameters.ciphertext, ciphertext.len())?;
        Error::check_length("shared secret", parameters.shared_secret, secret.len())?;
        // SAFETY: all three buffers have the lengths given in `native`.
        let status = unsafe {
            oqs::OQS_KEM_decaps(
                self.shared.native.0.as_ptr(),
                secret.as_mut_ptr(),
                ciphertext.as_ptr(),
                self.bytes.as_ptr(),
            )
        };
        check(status, Error::Malformed("decapsulation key"))
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(Encapsulator { shared: self.shared, bytes: PublicBytes::from_slice(self.public_half()) }))
    }

    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        write("encapsulation key", out, self.public_half())
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Expanded {
            return Err(NO_SUCH_ENCODING);
        }
        write("decapsulation key", out, &self.bytes)
    }
}
