//! Signature schemes whose verification omits one of three checks. They use no cryptography. A signature consists of a
//! mark, the key and a checksum of the message (eight bytes each), followed by zeros.

use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureParameters, SignatureScheme,
    SigningKey, VerifyingKey,
};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const MARK: [u8; 8] = *b"a mark  ";
const LENGTH: usize = 24;

/// Input that the verification ignores.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Blindness {
    Signature,
    Message,
    Key,
}

/// All variants with their names.
pub(super) const BLINDNESSES: [(&str, Blindness); 3] = [
    ("accepts-any-signature", Blindness::Signature),
    ("accepts-any-message", Blindness::Message),
    ("accepts-any-key", Blindness::Key),
];

/// Returns one scheme per variant, named after the variant.
pub(super) fn schemes() -> Vec<Arc<dyn SignatureScheme>> {
    let build = |(name, blindness): (&'static str, Blindness)| {
        let parameters = SignatureParameters {
            algorithm: name.into(),
            standard: "none".into(),
            category: None,
            verifying_key: 8,
            signing_keys: Cow::Borrowed(&[(KeyEncoding::Expanded, 8)]),
            signature: LENGTH,
            variable_length: false,
            keygen_coins: 0,
            signing_coins: 0,
        };
        scheme(parameters, blindness)
    };
    BLINDNESSES.into_iter().map(build).collect()
}

/// Returns two schemes named Ed25519 and ML-DSA-65, which can form a hybrid.
pub(super) fn halves(blindness: Blindness) -> Vec<Arc<dyn SignatureScheme>> {
    let parameters = ["Ed25519", "ML-DSA-65"].into_iter().filter_map(SignatureParameters::find);
    parameters.map(|parameters| scheme(parameters, blindness)).collect()
}

fn scheme(parameters: SignatureParameters, blindness: Blindness) -> Arc<dyn SignatureScheme> {
    let info = SignatureInfo {
        encodings: parameters.signing_keys.iter().map(|&(encoding, _)| encoding).take(1).collect(),
        context: parameters.algorithm == "ML-DSA-65",
        parameters,
        coins: CoinSupport::default(),
        hedged: false,
    };
    Arc::new(Credulous { info, blindness })
}

struct Credulous {
    info: SignatureInfo,
    blindness: Blindness,
}

#[derive(Clone, Copy)]
struct Key {
    bytes: [u8; 8],
    blindness: Blindness,
    /// Length of a signature in bytes.
    signature: usize,
}

impl Credulous {
    fn key(&self, bytes: [u8; 8]) -> Key {
        Key { bytes, blindness: self.blindness, signature: self.info.parameters.signature }
    }

    fn fresh(&self) -> Key {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        self.key(NEXT.fetch_add(1, Ordering::Relaxed).to_le_bytes())
    }

    fn load(&self, bytes: &[u8]) -> Result<Key> {
        Ok(self.key(bytes.try_into().map_err(|_| Error::Malformed("key"))?))
    }
}

impl SignatureScheme for Credulous {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn generate_encoded(&self, _coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
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

fn sum(message: &[u8]) -> [u8; 8] {
    let mut sum = [0; 8];
    message.iter().enumerate().for_each(|(place, byte)| sum[place % 8] ^= byte);
    sum
}

impl SigningKey for Key {
    fn sign(&self, _context: &[u8], message: &[u8], _coins: Coins, out: &mut [u8]) -> Result<usize> {
        Error::check_length("signature", self.signature, out.len())?;
        out.fill(0);
        out[..8].copy_from_slice(&MARK);
        out[8..16].copy_from_slice(&self.bytes);
        out[16..LENGTH].copy_from_slice(&sum(message));
        Ok(self.signature)
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
        let right = signature.len() == self.signature
            && (self.blindness == Blindness::Signature || signature[..8] == MARK)
            && (self.blindness == Blindness::Key || signature[8..16] == self.bytes)
            && (self.blindness == Blindness::Message || signature[16..LENGTH] == sum(message));
        if right { Ok(()) } else { Err(Error::VerificationFailed) }
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        self.write(out)
    }
}
