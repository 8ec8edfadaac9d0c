//! Mock of a hybrid's post-quantum half, for measuring only the hybrid's overhead. Its keys and ciphertexts are random
//! bytes with the lengths of ML-KEM-768.

use super::length::{ML_KEM_CIPHERTEXT, ML_KEM_COINS, ML_KEM_KEY, ML_KEM_SEED, SECRET};
use crate::coins;
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyEncoding, Result,
    Wiped,
};
use std::borrow::Cow;

/// Mock KEM. It protects NOTHING: the shared secret is the first 32 bytes of the ciphertext. The 1184-byte public key
/// starts with the 64-byte private key. With [`Coins::Exact`], the ciphertext starts with the caller's 32 random bytes.
pub struct MockKem(KemInfo);

impl MockKem {
    /// Name of the algorithm.
    pub const ALGORITHM: &'static str = "mock";

    /// Creates the mock.
    pub fn new() -> MockKem {
        MockKem(KemInfo {
            parameters: KemParameters {
                algorithm: Cow::Borrowed(Self::ALGORITHM),
                standard: Cow::Borrowed("none: random bytes"),
                category: None,
                encapsulation_key: ML_KEM_KEY,
                decapsulation_keys: Cow::Borrowed(&[(KeyEncoding::Seed, ML_KEM_SEED)]),
                ciphertext: ML_KEM_CIPHERTEXT,
                shared_secret: SECRET,
                keygen_coins: ML_KEM_SEED,
                encapsulation_coins: ML_KEM_COINS,
            },
            encodings: vec![KeyEncoding::Seed],
            coins: CoinSupport { keygen: true, operation: true },
        })
    }
}

impl Default for MockKem {
    fn default() -> MockKem {
        MockKem::new()
    }
}

impl Kem for MockKem {
    fn info(&self) -> &KemInfo {
        &self.0
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        Error::check_length("encapsulation key", ML_KEM_KEY, encapsulation_key.len())?;
        Error::check_length("decapsulation key", ML_KEM_SEED, decapsulation_key.len())?;
        coins::fill(encapsulation_key)?;
        let seed = coins::draw::<ML_KEM_SEED>(coins)?;
        encapsulation_key[..ML_KEM_SEED].copy_from_slice(seed.as_slice());
        decapsulation_key.copy_from_slice(seed.as_slice());
        Ok(())
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        let mut key = MockKey { public: [0; ML_KEM_KEY], private: Wiped::new([0; ML_KEM_SEED]) };
        self.generate_encoded(coins, &mut key.public, key.private.as_mut_slice())?;
        Ok(Box::new(key))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        let key = bytes.try_into();
        let actual = bytes.len();
        Ok(Box::new(MockPublic(key.map_err(|_| Error::Length {
            what: "encapsulation key",
            expected: ML_KEM_KEY,
            actual,
        })?)))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        match encoding {
            KeyEncoding::Seed => self.generate(Coins::Exact(bytes)),
            _ => Err(Error::Unsupported("mock keys must be encoded as seeds")),
        }
    }
}

struct MockPublic([u8; ML_KEM_KEY]);

impl EncapsulationKey for MockPublic {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        Error::check_length("ciphertext", ML_KEM_CIPHERTEXT, ciphertext.len())?;
        coins::fill(ciphertext)?;
        if let Some(given) = coins.exact::<ML_KEM_COINS>()? {
            ciphertext[..ML_KEM_COINS].copy_from_slice(given);
        }
        copy_secret(ciphertext, secret)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        let actual = out.len();
        let expected = ML_KEM_KEY;
        let out = out.get_mut(..expected).ok_or(Error::Length { what: "encapsulation key", expected, actual })?;
        out.copy_from_slice(&self.0);
        Ok(expected)
    }
}

struct MockKey {
    public: [u8; ML_KEM_KEY],
    private: Wiped<[u8; ML_KEM_SEED]>,
}

impl DecapsulationKey for MockKey {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        Error::check_length("ciphertext", ML_KEM_CIPHERTEXT, ciphertext.len())?;
        copy_secret(ciphertext, secret)
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(MockPublic(self.public)))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Seed {
            return Err(Error::Unsupported("mock keys must be encoded as seeds"));
        }
        let actual = out.len();
        let expected = ML_KEM_SEED;
        let out = out.get_mut(..expected).ok_or(Error::Length { what: "decapsulation key", expected, actual })?;
        out.copy_from_slice(self.private.as_slice());
        Ok(expected)
    }
}

fn copy_secret(ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
    Error::check_length("shared secret", SECRET, secret.len())?;
    secret.copy_from_slice(&ciphertext[..SECRET]);
    Ok(())
}
