//! Bugs in ML-KEM.

use super::{Libraries, Mutant, mutant, random};
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KeyEncoding, Provider, Result,
};
use pqlab_verification::ml_dsa::shake256;
use pqlab_verification::ml_kem::{SecretKey, Set};
use sha3::{Digest, Sha3_256, Sha3_512};
use std::sync::Arc;

const ALGORITHM: &str = "ML-KEM-768";

/// Changes to a correct KEM, which reads expanded keys and takes no coins.
#[derive(Clone, Copy, Default)]
struct Changes {
    /// Whether the KEM is ML-KEM-1024 instead of [`ALGORITHM`].
    is_large: bool,
    /// Returns the coins for key generation.
    seed: Option<fn() -> [u8; 64]>,
    /// Returns the coins for encapsulation.
    message: Option<fn() -> [u8; 32]>,
    /// Changes an encapsulation key before the library reads it.
    encapsulation_key: Option<fn(&mut [u8])>,
    /// Changes a decapsulation key before the library reads it.
    decapsulation_key: Option<fn(&mut [u8])>,
    /// Changes a generated decapsulation key.
    generated: Option<fn(&mut [u8])>,
    decapsulate: Option<Decapsulate>,
    /// Changes a secret, given the ciphertext.
    secret: Option<fn(&[u8], &mut [u8])>,
}

type Decapsulate = fn(&Key, &[u8], &mut [u8]) -> Result<()>;

struct Mutated {
    kem: Arc<dyn Kem>,
    info: KemInfo,
    changes: Changes,
}

struct Key {
    kem: Arc<dyn Kem>,
    key: Box<dyn DecapsulationKey>,
    expanded: Vec<u8>,
    changes: Changes,
}

struct Public {
    key: Box<dyn EncapsulationKey>,
    changes: Changes,
}

impl Changes {
    fn algorithm(&self) -> &'static str {
        if self.is_large { "ML-KEM-1024" } else { ALGORITHM }
    }
}

impl Key {
    /// Returns the encapsulation key, which the decapsulation key contains before its last 64 bytes (`H(ek)` and `z`).
    fn public(&self) -> &[u8] {
        let end = self.expanded.len() - 64;
        &self.expanded[end - self.kem.info().parameters.encapsulation_key..end]
    }
}

fn add(provider: &mut Provider, libraries: &Libraries, changes: Changes) {
    let Some(kem) = libraries.rustcrypto().and_then(|library| library.kem(changes.algorithm())) else { return };
    let mut info = kem.info().clone();
    info.encodings = vec![KeyEncoding::Expanded];
    info.coins = CoinSupport::default();
    provider.kems.push(Arc::new(Mutated { kem: Arc::clone(kem), info, changes }));
}

impl Mutated {
    fn generated(&self) -> Result<Key> {
        let seed = self.changes.seed.map_or_else(random, |seed| seed());
        let key = self.kem.generate(Coins::Exact(&seed))?;
        let mut expanded = vec![0; self.info.decapsulation_key(KeyEncoding::Expanded).unwrap_or_default()];
        key.encode(KeyEncoding::Expanded, &mut expanded)?;
        self.changes.generated.iter().for_each(|change| change(&mut expanded));
        Ok(Key { kem: self.kem.clone(), key, expanded, changes: self.changes })
    }
}

impl Kem for Mutated {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, public: &mut [u8], private: &mut [u8]) -> Result<()> {
        if let Coins::Exact(_) = coins {
            return Err(Error::Unsupported("no coins"));
        }
        let key = self.generated()?;
        public.copy_from_slice(key.public());
        private.copy_from_slice(&key.expanded);
        Ok(())
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        match coins {
            Coins::Internal => Ok(Box::new(self.generated()?)),
            Coins::Exact(_) => Err(Error::Unsupported("no coins")),
        }
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        let mut bytes = bytes.to_vec();
        self.changes.encapsulation_key.iter().for_each(|change| change(&mut bytes));
        Ok(Box::new(Public { key: self.kem.load_encapsulation_key(&bytes)?, changes: self.changes }))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        let mut expanded = bytes.to_vec();
        self.changes.decapsulation_key.iter().for_each(|change| change(&mut expanded));
        let key = self.kem.load_decapsulation_key(encoding, &expanded)?;
        Ok(Box::new(Key { kem: self.kem.clone(), key, expanded, changes: self.changes }))
    }
}

impl DecapsulationKey for Key {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        match self.changes.decapsulate {
            Some(decapsulate) if ciphertext.len() == self.kem.info().parameters.ciphertext => {
                decapsulate(self, ciphertext, secret)?;
            }
            _ => self.key.decapsulate(ciphertext, secret)?,
        }
        self.changes.secret.iter().for_each(|change| change(ciphertext, secret));
        Ok(())
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(Public { key: self.key.encapsulation_key()?, changes: self.changes }))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Expanded {
            return Err(Error::Unsupported("no such encoding"));
        }
        Error::check_length("decapsulation key", self.expanded.len(), out.len())?;
        out.copy_from_slice(&self.expanded);
        Ok(out.len())
    }
}

impl EncapsulationKey for Public {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        if let Coins::Exact(_) = coins {
            return Err(Error::Unsupported("no coins"));
        }
        let message = self.changes.message.map_or_else(random, |message| message());
        self.key.encapsulate(Coins::Exact(&message), ciphertext, secret)?;
        self.changes.secret.iter().for_each(|change| change(ciphertext, secret));
        Ok(())
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        self.key.encode(out)
    }
}

/// Intermediate values of a decapsulation (FIPS 203, algorithm 18).
struct Decrypted {
    /// Secret to return if the ciphertext is valid.
    accepted: [u8; 32],
    /// Result of encrypting the decrypted message again. Equals the ciphertext if the ciphertext is valid.
    again: Vec<u8>,
    /// Secret to return if the ciphertext is invalid (implicit rejection).
    rejected: Vec<u8>,
}

fn decrypted(key: &Key, ciphertext: &[u8]) -> Result<Decrypted> {
    let set = Set::of(key.changes.algorithm()).ok_or(Error::Unsupported("no such set"))?;
    let secret = SecretKey::of_expanded(&set, &key.expanded);
    let message = secret.decrypt(&set, ciphertext);
    let hash = key.expanded.len() - 64;
    let hashed = Sha3_512::new().chain_update(&message).chain_update(&key.expanded[hash..hash + 32]).finalize();
    let (mut accepted, mut again, mut unused) = ([0; 32], vec![0; ciphertext.len()], [0; 32]);
    accepted.copy_from_slice(&hashed[..32]);
    key.kem.load_encapsulation_key(key.public())?.encapsulate(Coins::Exact(&message), &mut again, &mut unused)?;
    Ok(Decrypted { accepted, again, rejected: shake256(&[&secret.z, ciphertext], 32) })
}

/// Decapsulates, but compares only the bytes of the ciphertext that `counts` selects.
fn comparing(key: &Key, ciphertext: &[u8], secret: &mut [u8], counts: impl Fn(usize) -> bool) -> Result<()> {
    let Decrypted { accepted, again, rejected } = decrypted(key, ciphertext)?;
    let equal = (0..again.len()).all(|place| !counts(place) || again[place] == ciphertext[place]);
    secret.copy_from_slice(if equal { &accepted } else { &rejected });
    Ok(())
}

/// Decapsulates, but calls `reject` for an invalid ciphertext.
fn rejecting(
    key: &Key,
    ciphertext: &[u8],
    secret: &mut [u8],
    reject: impl FnOnce(&mut [u8]) -> Result<()>,
) -> Result<()> {
    let Decrypted { accepted, again, .. } = decrypted(key, ciphertext)?;
    secret.copy_from_slice(&accepted);
    if again == ciphertext { Ok(()) } else { reject(secret) }
}

/// Reduces the selected coefficients modulo 3329, like a decoder that accepts coefficients of 3329 and more.
fn reduce(key: &mut [u8], is_reduced: impl Fn(usize) -> bool) {
    for place in (0..768).filter(|place| is_reduced(*place)) {
        let at = place / 2 * 3;
        let Some([a, b, c]) = key.get(at..at + 3).and_then(|bytes| <[u8; 3]>::try_from(bytes).ok()) else { return };
        let [a, b, c] = [a, b, c].map(u16::from);
        let (even, odd) = (a | (b & 15) << 8, b >> 4 | c << 4);
        let (even, odd) = if place % 2 == 0 { (even % 3329, odd) } else { (even, odd % 3329) };
        key[at] = even as u8;
        key[at + 1] = (even >> 8) as u8 | (odd << 4) as u8;
        key[at + 2] = (odd >> 4) as u8;
    }
}

/// Replaces the hash in a decapsulation key with the correct one, like a library that does not check the hash (FIPS
/// 203, section 7.3).
fn repair_hash(key: &mut [u8]) {
    if key.len() == 2400 {
        let hash = Sha3_256::digest(&key[1152..2336]);
        key[2336..2368].copy_from_slice(&hash);
    }
}

pub(super) fn mutants() -> Vec<Mutant> {
    let of = |name, source, changes: Changes| {
        mutant(name, source, move |provider: &mut Provider, libraries: &Libraries| add(provider, libraries, changes))
    };
    let decapsulating = |name, source, decapsulate: Decapsulate| {
        of(name, source, Changes { decapsulate: Some(decapsulate), ..Changes::default() })
    };
    let none = Changes::default();
    vec![
        of("kem: keys are generated from constant coins", "CVE-2008-0166", Changes { seed: Some(|| [7; 64]), ..none }),
        of(
            "kem: constant d, random z",
            "FIPS 203, algorithm 19",
            Changes {
                seed: Some(|| {
                    let mut seed = random();
                    seed[..32].fill(7);
                    seed
                }),
                ..none
            },
        ),
        of(
            "kem: random d, constant z",
            "FIPS 203, algorithm 19",
            Changes {
                seed: Some(|| {
                    let mut seed = random();
                    seed[32..].fill(7);
                    seed
                }),
                ..none
            },
        ),
        of(
            "kem: z is zero, as in an uninitialised key",
            "FIPS 203, section 3.3",
            Changes { generated: Some(|key| key[2368..].fill(0)), ..none },
        ),
        of("kem: encapsulation uses constant coins", "CVE-2008-0166", Changes { message: Some(|| [9; 32]), ..none }),
        of(
            "kem: message has only 16 random bytes",
            "FIPS 203, section 3.3",
            Changes {
                message: Some(|| {
                    let mut message = random();
                    message[16..].fill(0);
                    message
                }),
                ..none
            },
        ),
        of(
            "kem: highest bit of every message byte is 0",
            "FIPS 203, section 3.3",
            Changes { message: Some(|| random().map(|byte: u8| byte & 0x7f)), ..none },
        ),
        of(
            "kem: coefficients are not compared with the modulus",
            "FIPS 203, section 7.2",
            Changes { encapsulation_key: Some(|key| reduce(key, |_| true)), ..none },
        ),
        of(
            "kem: only the first polynomial is compared with the modulus",
            "FIPS 203, section 7.2",
            Changes { encapsulation_key: Some(|key| reduce(key, |place| place >= 256)), ..none },
        ),
        of(
            "kem: last coefficient is not compared with the modulus",
            "FIPS 203, section 7.2",
            Changes { encapsulation_key: Some(|key| reduce(key, |place| place == 767)), ..none },
        ),
        of(
            "kem: one coefficient is not compared with the modulus",
            "FIPS 203, section 7.2",
            Changes { encapsulation_key: Some(|key| reduce(key, |place| place == 301)), ..none },
        ),
        of(
            "kem: hash in the decapsulation key is not checked",
            "FIPS 203, section 7.3; Wycheproof",
            Changes { decapsulation_key: Some(repair_hash), ..none },
        ),
        of(
            "kem: secret follows Kyber round 3, which hashes the ciphertext",
            "Kyber 3.02, algorithm 8",
            Changes {
                secret: Some(|ciphertext, secret| {
                    let hash = Sha3_256::digest(ciphertext);
                    let hashed = shake256(&[secret, &hash], 32);
                    secret.copy_from_slice(&hashed);
                }),
                ..none
            },
        ),
        decapsulating("kem: no implicit rejection", "FIPS 203, algorithm 18", |key, c, out| {
            comparing(key, c, out, |_| false)
        }),
        decapsulating("kem: only 32 bytes of the ciphertext are compared", "review of pqlab", |key, c, out| {
            comparing(key, c, out, |place| place < 32)
        }),
        decapsulating("kem: only c1 is compared", "FIPS 203, algorithm 18", |key, c, out| {
            comparing(key, c, out, |place| place < 960)
        }),
        decapsulating("kem: only c2 is compared", "FIPS 203, algorithm 18", |key, c, out| {
            comparing(key, c, out, |place| place >= 960)
        }),
        decapsulating(
            "kem: last byte of the ciphertext is not compared",
            "FIPS 203, algorithm 18, line 9",
            |key, c, out| comparing(key, c, out, |place| place < 1087),
        ),
        decapsulating(
            "kem: first byte of the ciphertext is not compared",
            "FIPS 203, algorithm 18, line 9",
            |key, c, out| comparing(key, c, out, |place| place > 0),
        ),
        decapsulating("kem: one byte in the middle of c1 is not compared", "review of pqlab", |key, c, out| {
            comparing(key, c, out, |place| place != 411)
        }),
        decapsulating("kem: every 32nd byte is not compared", "FIPS 203, algorithm 18, line 9", |key, c, out| {
            comparing(key, c, out, |place| place % 32 != 31)
        }),
        of(
            "kem: 32 of 1,568 bytes not compared",
            "CVE-2026-10097: wolfSSL on AVX2",
            Changes {
                is_large: true,
                decapsulate: Some(|key, c, out| comparing(key, c, out, |place| place < 1536)),
                ..none
            },
        ),
        decapsulating("kem: differences are negated as a signed byte", "PQClean #367: FrodoKEM", |key, c, out| {
            let Decrypted { accepted, again, rejected } = decrypted(key, c)?;
            let difference = again.iter().zip(c).fold(0, |all, (one, other)| all | (one ^ other)).cast_signed();
            // Negative if some bytes differ, unless the negation overflows into a positive value.
            let differs = difference.wrapping_neg() < 0;
            out.copy_from_slice(if differs { &rejected } else { &accepted });
            Ok(())
        }),
        decapsulating("kem: one secret in 125 is wrong", "pqm4 #407", |key, c, out| {
            key.key.decapsulate(c, out)?;
            let hash = shake256(&[c], 2);
            if u16::from_le_bytes([hash[0], hash[1]]).is_multiple_of(125) {
                out[0] ^= 1;
            }
            Ok(())
        }),
        decapsulating("kem: explicit rejection", "FIPS 203, algorithm 18", |key, c, out| {
            rejecting(key, c, out, |_| Err(Error::Malformed("ciphertext")))
        }),
        decapsulating("kem: rejection returns zeros", "FIPS 203, algorithm 18", |key, c, out| {
            rejecting(key, c, out, |secret| {
                secret.fill(0);
                Ok(())
            })
        }),
        decapsulating("kem: rejection returns random bytes", "FIPS 203, algorithm 18", |key, c, out| {
            rejecting(key, c, out, |secret| {
                secret.copy_from_slice(&random::<32>());
                Ok(())
            })
        }),
        decapsulating("kem: rejection ignores the ciphertext", "FIPS 203, algorithm 18, line 7", |key, c, out| {
            let z = key.expanded[2368..].to_vec();
            rejecting(key, c, out, |secret| {
                secret.copy_from_slice(&shake256(&[&z], 32));
                Ok(())
            })
        }),
        decapsulating("kem: rejection ignores z", "FIPS 203, algorithm 18, line 7", |key, c, out| {
            rejecting(key, c, out, |secret| {
                secret.copy_from_slice(&shake256(&[c], 32));
                Ok(())
            })
        }),
    ]
}
