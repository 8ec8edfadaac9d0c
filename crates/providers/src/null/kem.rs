use super::{Key, NULL, Private, Public, SECRET, STANDARD, coins_head, expanded_only, head, write_head, write_secret};
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyEncoding, Result,
};
use std::borrow::Cow;

/// Lengths of ML-KEM-768 keys and ciphertexts in bytes (FIPS 203, table 3).
pub(super) const ENCAPSULATION_KEY: usize = 1184;
pub(super) const DECAPSULATION_KEY: usize = 2400;
pub(super) const CIPHERTEXT: usize = 1088;

pub(super) struct NullKem(KemInfo);

impl NullKem {
    pub(super) fn new() -> NullKem {
        NullKem(KemInfo {
            parameters: KemParameters {
                algorithm: NULL.into(),
                standard: STANDARD,
                category: None,
                encapsulation_key: ENCAPSULATION_KEY,
                decapsulation_keys: Cow::Borrowed(&[(KeyEncoding::Expanded, DECAPSULATION_KEY)]),
                ciphertext: CIPHERTEXT,
                shared_secret: SECRET,
                keygen_coins: 64,
                encapsulation_coins: 32,
            },
            encodings: vec![KeyEncoding::Expanded],
            coins: CoinSupport { keygen: true, operation: true },
        })
    }
}

impl Kem for NullKem {
    fn info(&self) -> &KemInfo {
        &self.0
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        Error::check_length("encapsulation key", ENCAPSULATION_KEY, encapsulation_key.len())?;
        Error::check_length("decapsulation key", DECAPSULATION_KEY, decapsulation_key.len())?;
        let word = coins_head(coins, 64)?;
        write_head(encapsulation_key, word);
        write_head(decapsulation_key, word);
        Ok(())
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(Private(Key::new(coins_head(coins, 64)?, DECAPSULATION_KEY))))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(Public(Key::load("encapsulation key", ENCAPSULATION_KEY, bytes)?)))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        expanded_only(encoding)?;
        Ok(Box::new(Private(Key::load("decapsulation key", DECAPSULATION_KEY, bytes)?)))
    }
}

impl EncapsulationKey for Public {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        Error::check_length("ciphertext", CIPHERTEXT, ciphertext.len())?;
        let word = coins_head(coins, 32)?;
        write_head(ciphertext, word);
        write_secret(secret, word)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        self.0.encode("encapsulation key", out)
    }
}

impl DecapsulationKey for Private {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        Error::check_length("ciphertext", CIPHERTEXT, ciphertext.len())?;
        write_secret(secret, head(ciphertext))
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(Public(Key::new(self.0.head(), ENCAPSULATION_KEY))))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        expanded_only(encoding)?;
        self.0.encode("decapsulation key", out)
    }
}
