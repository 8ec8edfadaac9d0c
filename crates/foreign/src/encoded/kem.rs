use super::{NO_GIVEN_COINS, check, check_encoding, library};
use pqlab_adapters::{PublicBytes, SecretBytes, write};
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KeyEncoding, Result};
use std::mem::MaybeUninit;

/// Size in bytes of a stack buffer for encapsulation keys. `generate` discards the key in this buffer if the
/// decapsulation key contains a copy. ML-KEM-1024 has the longest encapsulation key in FIPS 203, 1,568 bytes (table 3).
const ON_THE_STACK: usize = 1568;

const NO_PUBLIC_HALF: Error =
    Error::Unsupported("the library does not compute the encapsulation key from a loaded decapsulation key");

/// A KEM's functions. Every function returns whether it succeeded.
///
/// # Safety
/// In calls to these functions, every pointer must point to as many bytes as the KEM's `KemInfo` states.
pub(crate) trait KemCalls: Send + Sync + 'static {
    /// Descriptions of failed calls, for [`Error::Malformed`]. The interface does not tell whether the key is invalid or
    /// the library failed.
    const ENCAPSULATION_FAILED: &'static str;
    /// Same as `ENCAPSULATION_FAILED`, for decapsulation.
    const DECAPSULATION_FAILED: &'static str;
    /// Generates a key pair with the library's random generator.
    unsafe fn keypair(&self, public: *mut u8, private: *mut u8) -> bool;
    /// Generates a key pair from `coins`. Called only if `KemInfo` says that key generation accepts coins.
    unsafe fn keypair_from(&self, public: *mut u8, private: *mut u8, coins: *const u8) -> bool;
    /// Encapsulates a shared secret to the key `public`, with the library's random generator. Writes the ciphertext and
    /// the secret.
    unsafe fn encapsulate(&self, ciphertext: *mut u8, secret: *mut u8, public: *const u8) -> bool;
    /// Same as `encapsulate`, with the random bytes in `coins`. Called only if `KemInfo` says that encapsulation
    /// accepts coins.
    unsafe fn encapsulate_from(
        &self,
        ciphertext: *mut u8,
        secret: *mut u8,
        public: *const u8,
        coins: *const u8,
    ) -> bool;
    /// Decapsulates `ciphertext` with the key `private`. Writes the shared secret.
    unsafe fn decapsulate(&self, secret: *mut u8, ciphertext: *const u8, private: *const u8) -> bool;
}

/// A KEM of a library that stays open until the process ends.
pub(crate) struct EncodedKem<C: KemCalls>(&'static Shared<C>);

/// Data that a KEM and its keys share.
struct Shared<C> {
    info: KemInfo,
    calls: C,
    decapsulation_key: usize,
    /// Offset of the encapsulation key within the decapsulation key. `None` if the decapsulation key does not contain
    /// the encapsulation key.
    public_half: Option<usize>,
}

impl<C: KemCalls> EncodedKem<C> {
    /// Creates the KEM and never frees it, so that keys need no reference count. Call this only once per process and
    /// library.
    ///
    /// # Safety
    /// The functions in `calls` must read and write as many bytes as `info` states.
    pub(crate) unsafe fn new(info: KemInfo, calls: C) -> EncodedKem<C> {
        let decapsulation_key = info.decapsulation_key(KeyEncoding::Expanded).unwrap_or_default();
        // `dk = dkPKE || ek || H(ek) || z` in FIPS 203, algorithm 16, and in the draft of FIPS 203.
        let public_half = info
            .parameters
            .algorithm
            .starts_with("ML-KEM-")
            .then(|| decapsulation_key - (32 + 32) - info.parameters.encapsulation_key);
        EncodedKem(Box::leak(Box::new(Shared { info, calls, decapsulation_key, public_half })))
    }
}

impl<C: KemCalls> Shared<C> {
    /// Writes a key pair after zeroing the buffer for the private key. If a library writes too few bytes, the rest of
    /// the key is zeros instead of old memory.
    ///
    /// # Safety
    /// See [`key_pair`](Self::key_pair).
    unsafe fn secret_key(&self, coins: Coins, public: *mut u8, private: *mut u8) -> Result<()> {
        // SAFETY: the caller guarantees that both buffers are large enough.
        unsafe {
            private.write_bytes(0, self.decapsulation_key);
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
                check(done, library("keypair_derand"))
            }
        }
    }
}

impl<C: KemCalls> Kem for EncodedKem<C> {
    fn info(&self) -> &KemInfo {
        &self.0.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        let expected = self.0.info.parameters.encapsulation_key;
        Error::check_length("encapsulation key", expected, encapsulation_key.len())?;
        Error::check_length("decapsulation key", self.0.decapsulation_key, decapsulation_key.len())?;
        // SAFETY: both buffers have the lengths that `info` states.
        unsafe { self.0.key_pair(coins, encapsulation_key.as_mut_ptr(), decapsulation_key.as_mut_ptr()) }
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        let length = self.0.info.parameters.encapsulation_key;
        if self.0.public_half.is_some() && length <= ON_THE_STACK {
            let mut encapsulation_key = MaybeUninit::<[u8; ON_THE_STACK]>::uninit();
            let public = encapsulation_key.as_mut_ptr().cast();
            // SAFETY: the call writes as many bytes as `info` states, and both buffers are that large.
            let bytes = unsafe {
                SecretBytes::written(self.0.decapsulation_key, |private| self.0.secret_key(coins, public, private))?
            };
            return Ok(Box::new(Decapsulator { shared: self.0, bytes, public: None }));
        }
        let mut encapsulation_key = vec![0; length];
        let public = encapsulation_key.as_mut_ptr();
        // SAFETY: the call writes as many bytes as `info` states, and both buffers are that large.
        let bytes = unsafe {
            SecretBytes::written(self.0.decapsulation_key, |private| self.0.secret_key(coins, public, private))?
        };
        Ok(Box::new(Decapsulator { shared: self.0, bytes, public: Some(encapsulation_key.into()) }))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Error::check_length("encapsulation key", self.0.info.parameters.encapsulation_key, bytes.len())?;
        Ok(Box::new(Encapsulator { shared: self.0, bytes: PublicBytes::from_slice(bytes) }))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        check_encoding(encoding)?;
        Error::check_length("decapsulation key", self.0.decapsulation_key, bytes.len())?;
        Ok(Box::new(Decapsulator { shared: self.0, bytes: SecretBytes::from_slice(bytes), public: None }))
    }
}

struct Encapsulator<C: KemCalls> {
    shared: &'static Shared<C>,
    bytes: PublicBytes,
}

impl<C: KemCalls> EncapsulationKey for Encapsulator<C> {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        let (info, calls) = (&self.shared.info, &self.shared.calls);
        Error::check_length("ciphertext", info.parameters.ciphertext, ciphertext.len())?;
        Error::check_length("shared secret", info.parameters.shared_secret, secret.len())?;
        let (ciphertext, secret, key) = (ciphertext.as_mut_ptr(), secret.as_mut_ptr(), self.bytes.as_ptr());
        let done = match coins {
            // SAFETY: all three buffers have the lengths that `info` states.
            Coins::Internal => unsafe { calls.encapsulate(ciphertext, secret, key) },
            Coins::Exact(_) if !info.coins.operation => return Err(NO_GIVEN_COINS),
            Coins::Exact(coins) => {
                Error::check_length("coins", info.parameters.encapsulation_coins, coins.len())?;
                // SAFETY: the buffers have the lengths that `info` states, and the length of the coins was checked.
                unsafe { calls.encapsulate_from(ciphertext, secret, key, coins.as_ptr()) }
            }
        };
        check(done, Error::Malformed(C::ENCAPSULATION_FAILED))
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write("encapsulation key", out, &self.bytes)
    }
}

struct Decapsulator<C: KemCalls> {
    shared: &'static Shared<C>,
    bytes: SecretBytes,
    /// The encapsulation key, if key generation returned it and the decapsulation key does not contain a copy.
    public: Option<Box<[u8]>>,
}

impl<C: KemCalls> Decapsulator<C> {
    fn public_half(&self) -> Result<&[u8]> {
        let inside = |start| &self.bytes[start..start + self.shared.info.parameters.encapsulation_key];
        self.public.as_deref().or_else(|| self.shared.public_half.map(inside)).ok_or(NO_PUBLIC_HALF)
    }
}

impl<C: KemCalls> DecapsulationKey for Decapsulator<C> {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        let parameters = &self.shared.info.parameters;
        Error::check_length("ciphertext", parameters.ciphertext, ciphertext.len())?;
        Error::check_length("shared secret", parameters.shared_secret, secret.len())?;
        // SAFETY: all three buffers have the lengths that `info` states.
        let done =
            unsafe { self.shared.calls.decapsulate(secret.as_mut_ptr(), ciphertext.as_ptr(), self.bytes.as_ptr()) };
        check(done, Error::Malformed(C::DECAPSULATION_FAILED))
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(Encapsulator { shared: self.shared, bytes: PublicBytes::from_slice(self.public_half()?) }))
    }

    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        write("encapsulation key", out, self.public_half()?)
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        check_encoding(encoding)?;
        write("decapsulation key", out, &self.bytes)
    }
}
