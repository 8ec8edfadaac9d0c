//! Signature schemes whose verification does not look at one of the three things that it should look at. A signature is
//! a mark, the key and the head of the message, eight bytes each: nothing of cryptography is in it.

use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, Result, SignatureInfo, SignatureParameters, SignatureScheme, SigningKey,
    VerifyingKey,
};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const MARK: [u8; 8] = *b"a mark  ";
const LENGTH: usize = 24;

/// What verification does not look at.
#[derive(Clone, Copy, PartialEq)]
enum Blindness {
    Signature,
    Message,
    Key,
}

/// One scheme a blindness, named after it.
pub(super) fn schemes() -> Vec<Arc<dyn SignatureScheme>> {
    [
        ("accepts-any-signature", Blindness::Signature),
        ("accepts-any-message", Blindness::Message),
        ("accepts-any-key", Blindness::Key),
    ]
    .into_iter()
    .map(|(name, blindness)| Arc::new(Credulous { info: info(name), blindness }) as Arc<dyn SignatureScheme>)
    .collect()
}

fn info(name: &'static str) -> SignatureInfo {
    SignatureInfo {
        parameters: SignatureParameters {
            algorithm: name.into(),
            standard: "none".into(),
            category: None,
            verifying_key: 8,
            signing_keys: Cow::Borrowed(&[(KeyEncoding::Expanded, 8)]),
            signature: LENGTH,
            variable_length: false,
            keygen_coins: 0,
            signing_coins: 0,
        },
        encodings: vec![KeyEncoding::Expanded],
        coins: CoinSupport::default(),
        context: false,
        hedged: false,
    }
}

struct Credulous {
    info: SignatureInfo,
    blindness: Blindness,
}

#[derive(Clone, Copy)]
struct Key {
    bytes: [u8; 8],
    blindness: Blindness,
}

impl Credulous {
    fn fresh(&self) -> Key {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Key { bytes: NEXT.fetch_add(1, Ordering::Relaxed).to_le_bytes(), blindness: self.blindness }
    }

    fn load(&self, bytes: &[u8]) -> Result<Key> {
        Ok(Key { bytes: bytes.try_into().map_err(|_| Error::Malformed("key"))?, blindness: self.blindness })
    }
}

impl SignatureScheme for Credulous {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn generate_encoded(
        &self,
        _coins: Coins,
        verifying_key: &mut [u8],
        signing_key: &mut [u8],
    ) -> Result<(usize, usize)> {
        let key = self.fresh();
        Ok((key.write(verifying_key)?, key.write(signing_key)?))
    }

    fn generate(&self, _coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(self.fresh()))
    }

    fn load_signing_key(&self, _encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(self.load(bytes)?))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(self.load(bytes)?))
    }
}

impl Key {
    fn write(&self, out: &mut [u8]) -> Result<usize> {
        let actual = out.len();
        out.get_mut(..8).ok_or(Error::Length { what: "key", expected: 8, actual })?.copy_from_slice(&self.bytes);
        Ok(8)
    }
}

fn head(message: &[u8]) -> [u8; 8] {
    let mut head = [0; 8];
    let length = message.len().min(8);
    head[..length].copy_from_slice(&message[..length]);
    head
}

impl SigningKey for Key {
    fn sign(&self, _context: &[u8], message: &[u8], _coins: Coins, out: &mut [u8]) -> Result<usize> {
        Error::check_length("signature", LENGTH, out.len())?;
        out[..8].copy_from_slice(&MARK);
        out[8..16].copy_from_slice(&self.bytes);
        out[16..].copy_from_slice(&head(message));
        Ok(LENGTH)
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(*self))
    }

    fn encode(&self, _encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        self.write(out)
    }
}

impl VerifyingKey for Key {
    fn verify(&self, _context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        let right = signature.len() == LENGTH
            && (self.blindness == Blindness::Signature || signature[..8] == MARK)
            && (self.blindness == Blindness::Key || signature[8..16] == self.bytes)
            && (self.blindness == Blindness::Message || signature[16..] == head(message));
        if right { Ok(()) } else { Err(Error::VerificationFailed) }
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        self.write(out)
    }
}
