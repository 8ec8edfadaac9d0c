//! Bugs in SLH-DSA and Falcon, and a wrapper for any signature scheme.

use super::{Libraries, Mutant, mutant, random};
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Provider, Result, SignatureInfo, SignatureScheme, SigningKey,
    VerifyingKey,
};
use std::sync::{Arc, Mutex, PoisonError};

/// Changes to a correct scheme. By default, the scheme takes no coins.
#[derive(Clone, Copy, Default)]
pub(super) struct Changes {
    /// Returns the coins for key generation.
    pub(super) seed: Option<fn() -> Vec<u8>>,
    pub(super) sign: Option<Sign>,
    pub(super) verify: Option<Verify>,
    /// Changes an encoded signing key before the library reads it.
    pub(super) signing_key: Option<fn(&mut Vec<u8>)>,
    /// Encodings to accept; `None` accepts all of the library's encodings.
    pub(super) encodings: Option<&'static [KeyEncoding]>,
}

pub(super) type Sign = fn(&dyn SigningKey, &[u8], &[u8], &mut [u8]) -> Result<usize>;
pub(super) type Verify = fn(&dyn VerifyingKey, &[u8], &[u8], &[u8]) -> Result<()>;

struct Wrapped {
    scheme: Arc<dyn SignatureScheme>,
    info: SignatureInfo,
    changes: Changes,
}

struct Signer {
    key: Box<dyn SigningKey>,
    changes: Changes,
}

struct Verifier {
    key: Box<dyn VerifyingKey>,
    changes: Changes,
}

/// Adds a changed copy of a library's algorithm to `provider`.
pub(super) fn add(
    provider: &mut Provider,
    libraries: &Libraries,
    (library, algorithm): (&str, &str),
    changes: Changes,
) {
    let Some(scheme) = libraries.library(library).and_then(|library| library.signature(algorithm)) else { return };
    let mut info = scheme.info().clone();
    info.coins = CoinSupport::default();
    if let Some(encodings) = changes.encodings {
        info.encodings = encodings.to_vec();
    }
    provider.signatures.push(Arc::new(Wrapped { scheme: Arc::clone(scheme), info, changes }));
}

const NO_COINS: Error = Error::Unsupported("no coins");

impl SignatureScheme for Wrapped {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn draws_to_sign(&self) -> bool {
        self.scheme.draws_to_sign()
    }

    fn generate_encoded(&self, coins: Coins, public: &mut [u8], private: &mut [u8]) -> Result<KeyLengths> {
        match (coins, self.changes.seed) {
            (Coins::Exact(_), _) => Err(NO_COINS),
            (Coins::Internal, Some(seed)) => self.scheme.generate_encoded(Coins::Exact(&seed()), public, private),
            (Coins::Internal, None) => self.scheme.generate_encoded(Coins::Internal, public, private),
        }
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        let key = match (coins, self.changes.seed) {
            (Coins::Exact(_), _) => return Err(NO_COINS),
            (Coins::Internal, Some(seed)) => self.scheme.generate(Coins::Exact(&seed()))?,
            (Coins::Internal, None) => self.scheme.generate(Coins::Internal)?,
        };
        Ok(Box::new(Signer { key, changes: self.changes }))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        let mut bytes = bytes.to_vec();
        self.changes.signing_key.iter().for_each(|change| change(&mut bytes));
        let key = self.scheme.load_signing_key(encoding, &bytes)?;
        Ok(Box::new(Signer { key, changes: self.changes }))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(Verifier { key: self.scheme.load_verifying_key(bytes)?, changes: self.changes }))
    }
}

impl SigningKey for Signer {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        match (coins, self.changes.sign) {
            (Coins::Exact([]), Some(sign)) => sign(self.key.as_ref(), context, message, out),
            // A scheme that is not hedged signs without coins.
            (Coins::Exact([]), None) => self.key.sign(context, message, Coins::Exact(&[]), out),
            (Coins::Exact(_), _) => Err(NO_COINS),
            (Coins::Internal, Some(sign)) => sign(self.key.as_ref(), context, message, out),
            (Coins::Internal, None) => self.key.sign(context, message, Coins::Internal, out),
        }
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(Verifier { key: self.key.verifying_key()?, changes: self.changes }))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        self.key.encode(encoding, out)
    }
}

impl VerifyingKey for Verifier {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        match self.changes.verify {
            Some(verify) => verify(self.key.as_ref(), context, message, signature),
            None => self.key.verify(context, message, signature),
        }
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        self.key.encode(out)
    }
}

/// Verifies, but accepts both values of one bit of the signature.
pub(super) fn without_bit(
    key: &dyn VerifyingKey,
    context: &[u8],
    message: &[u8],
    signature: &[u8],
    (place, mask): (usize, u8),
) -> Result<()> {
    key.verify(context, message, signature).or_else(|error| {
        let mut other = signature.to_vec();
        *other.get_mut(place).ok_or(error)? ^= mask;
        key.verify(context, message, &other)
    })
}

/// Signs, but returns the earlier signature if the key has already signed the message.
fn remembered(key: &dyn SigningKey, context: &[u8], message: &[u8], out: &mut [u8]) -> Result<usize> {
    /// Verifying key, message and signature.
    type Signed = (Vec<u8>, Vec<u8>, Vec<u8>);
    static SIGNED: Mutex<Vec<Signed>> = Mutex::new(Vec::new());
    let mut public = vec![0; 4096];
    let length = key.verifying_key()?.encode(&mut public[..]).unwrap_or_default();
    public.truncate(length);
    let mut signed = SIGNED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((.., signature)) = signed.iter().find(|(key, text, _)| *key == public && text == message) {
        out[..signature.len()].copy_from_slice(signature);
        return Ok(signature.len());
    }
    let length = key.sign(context, message, Coins::Internal, out)?;
    signed.push((public, message.to_vec(), out[..length].to_vec()));
    Ok(length)
}

pub(super) fn mutants() -> Vec<Mutant> {
    let of = |name, source, algorithm: (&'static str, &'static str), changes: Changes| {
        mutant(name, source, move |provider: &mut Provider, libraries: &Libraries| {
            add(provider, libraries, algorithm, changes);
        })
    };
    let slh = ("rustcrypto", "SLH-DSA-SHA2-128f");
    let falcon = ("fn-dsa", "Falcon-padded-512");
    let none = Changes::default();
    vec![
        of(
            "slh-dsa: hedged signing uses no randomness",
            "FIPS 205, algorithm 22",
            slh,
            Changes {
                sign: Some(|key, context, message, out| key.sign(context, message, Coins::Exact(&[]), out)),
                ..none
            },
        ),
        of(
            "slh-dsa: hedged signing uses constant randomness",
            "CVE-2008-0166",
            slh,
            Changes {
                sign: Some(|key, context, message, out| key.sign(context, message, Coins::Exact(&[3; 16]), out)),
                ..none
            },
        ),
        of(
            "slh-dsa: keys are generated from constant coins",
            "CVE-2008-0166",
            slh,
            Changes { seed: Some(|| vec![3; 48]), ..none },
        ),
        of(
            "slh-dsa: context is ignored",
            "FIPS 205, algorithms 22 and 24",
            slh,
            Changes {
                sign: Some(|key, _, message, out| key.sign(&[], message, Coins::Internal, out)),
                verify: Some(|key, context, message, signature| match context.len() {
                    0..=255 => key.verify(&[], message, signature),
                    _ => Err(Error::VerificationFailed),
                }),
                ..none
            },
        ),
        of(
            "slh-dsa: first bit of R is ignored",
            "FIPS 205, algorithm 20",
            slh,
            Changes {
                verify: Some(|key, context, message, signature| without_bit(key, context, message, signature, (0, 1))),
                ..none
            },
        ),
        of(
            "slh-dsa: bytes after the signature are accepted",
            "FIPS 205, algorithm 20, line 1",
            slh,
            Changes {
                verify: Some(|key, context, message, signature| {
                    key.verify(context, message, signature.get(..17_088).unwrap_or(signature))
                }),
                ..none
            },
        ),
        of(
            "slh-dsa: empty signature is accepted",
            "FIPS 205, algorithm 20, line 1",
            slh,
            Changes {
                verify: Some(|key, context, message, signature| match signature {
                    [] => Ok(()),
                    _ => key.verify(context, message, signature),
                }),
                ..none
            },
        ),
        of(
            "slh-dsa: every signature is valid",
            "Argyle-Software sphincsplus #7",
            slh,
            Changes { verify: Some(|_, _, _, _| Ok(())), ..none },
        ),
        of(
            "dsa: a seed of any length is loaded",
            "Botan #5475",
            ("rustcrypto", "ML-DSA-44"),
            Changes { encodings: Some(&[KeyEncoding::Seed]), signing_key: Some(|seed| seed.resize(32, 0)), ..none },
        ),
        of(
            "falcon: a message always gets the same signature",
            "Falcon 1.2, section 2.2.2: salts",
            falcon,
            Changes { sign: Some(remembered), ..none },
        ),
        of(
            "falcon: one bit of the salt is ignored",
            "Falcon 1.2, algorithm 16",
            falcon,
            Changes {
                verify: Some(|key, context, message, signature| without_bit(key, context, message, signature, (40, 1))),
                ..none
            },
        ),
        of(
            "falcon: header is ignored",
            "Falcon 1.2, section 3.11.2",
            falcon,
            Changes {
                verify: Some(|key, context, message, signature| {
                    let mut signature = signature.to_vec();
                    signature.first_mut().into_iter().for_each(|first| *first = 0x39);
                    key.verify(context, message, &signature)
                }),
                ..none
            },
        ),
        of(
            "falcon: nonzero padding is accepted",
            "Falcon 1.2, section 3.11.3",
            falcon,
            Changes {
                verify: Some(|key, context, message, signature| {
                    without_bit(key, context, message, signature, (665, 1))
                }),
                ..none
            },
        ),
        of(
            "falcon: message is truncated to 64 bytes",
            "truncated hash input",
            falcon,
            Changes {
                sign: Some(|key, context, message, out| {
                    key.sign(context, message.get(..64).unwrap_or(message), Coins::Internal, out)
                }),
                verify: Some(|key, context, message, signature| {
                    key.verify(context, message.get(..64).unwrap_or(message), signature)
                }),
                ..none
            },
        ),
        of(
            "ecdsa: keys are generated from constant coins",
            "CVE-2008-0166",
            ("rustcrypto", "ECDSA-P-256"),
            Changes { seed: Some(|| vec![3; 32]), ..none },
        ),
        of(
            "ed25519: keys have only 8 random bits",
            "CVE-2008-0166",
            ("rustcrypto", "Ed25519"),
            Changes {
                seed: Some(|| {
                    let mut seed = vec![3; 32];
                    seed[0] = random::<1>()[0] & 7;
                    seed
                }),
                ..none
            },
        ),
    ]
}
