//! KEM that does nothing. Its keys and ciphertexts are as long as those of a real KEM. A handshake with this KEM
//! therefore does no KEM work, but hashes and copies data of the usual lengths.

use pqlab_primitives::{
    Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyEncoding, Provider, Result,
};
use std::sync::Arc;

/// KEM of the provider `null`. Its keys and ciphertexts are padded with zeros to the lengths of a real KEM.
pub(super) struct NothingKem {
    info: KemInfo,
    inner: Arc<dyn Kem>,
}

impl NothingKem {
    pub(super) fn shaped_as(algorithm: &str, null: &Provider) -> Option<Arc<dyn Kem>> {
        let inner = null.kem(crate::NULL)?.clone();
        let parameters = KemParameters::find(algorithm)?;
        let info = KemInfo { parameters, ..inner.info().clone() };
        Some(Arc::new(NothingKem { info, inner }))
    }
}

impl Kem for NothingKem {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, _coins: Coins, _encapsulation_key: &mut [u8], _key: &mut [u8]) -> Result<()> {
        Err(Error::Unsupported("a stand-in KEM has no encoding"))
    }

    fn generate(&self, _coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(Key { key: self.inner.generate(Coins::Internal)?, lengths: self.lengths() }))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Error::check_length("encapsulation key", self.info.parameters.encapsulation_key, bytes.len())?;
        let key = self.inner.generate(Coins::Internal)?.encapsulation_key()?;
        Ok(Box::new(Public { key, lengths: self.lengths() }))
    }

    fn load_decapsulation_key(&self, _encoding: KeyEncoding, _bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        self.generate(Coins::Internal)
    }
}

#[derive(Clone, Copy)]
struct Lengths {
    encapsulation_key: usize,
    ciphertext: usize,
    /// Lengths of the null provider's encapsulation key and ciphertext.
    inner: (usize, usize),
}

impl NothingKem {
    fn lengths(&self) -> Lengths {
        let (own, inner) = (&self.info.parameters, &self.inner.info().parameters);
        Lengths {
            encapsulation_key: own.encapsulation_key,
            ciphertext: own.ciphertext,
            inner: (inner.encapsulation_key, inner.ciphertext),
        }
    }
}

/// Size in bytes of the buffer for an encapsulation key or a ciphertext of the null provider's KEM.
const ROOM: usize = 1600;

struct Key {
    key: Box<dyn DecapsulationKey>,
    lengths: Lengths,
}

struct Public {
    key: Box<dyn EncapsulationKey>,
    lengths: Lengths,
}

/// Copies as many bytes as fit, and fills the rest with zeros.
fn fit(from: &[u8], to: &mut [u8]) {
    let common = from.len().min(to.len());
    to[..common].copy_from_slice(&from[..common]);
    to[common..].fill(0);
}

impl EncapsulationKey for Public {
    fn encapsulate(&self, _coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        let mut room = [0; ROOM];
        let inner = &mut room[..self.lengths.inner.1];
        self.key.encapsulate(Coins::Internal, inner, secret)?;
        fit(inner, ciphertext);
        Ok(())
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        let mut room = [0; ROOM];
        let length = self.key.encode(&mut room[..self.lengths.inner.0])?;
        fit(&room[..length], out);
        Ok(self.lengths.encapsulation_key)
    }
}

impl DecapsulationKey for Key {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        Error::check_length("ciphertext", self.lengths.ciphertext, ciphertext.len())?;
        let mut room = [0; ROOM];
        let inner = &mut room[..self.lengths.inner.1];
        fit(ciphertext, inner);
        self.key.decapsulate(inner, secret)
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(Public { key: self.key.encapsulation_key()?, lengths: self.lengths }))
    }

    fn encode(&self, _encoding: KeyEncoding, _out: &mut [u8]) -> Result<usize> {
        Err(Error::Unsupported("a stand-in KEM has no encoding"))
    }
}
