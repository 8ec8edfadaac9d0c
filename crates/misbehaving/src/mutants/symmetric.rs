//! Bugs in SHA-3, SHAKE, SHA-2, HMAC and AES-GCM.

use super::{Libraries, Mutant, mutant};
use pqlab_primitives::{
    Aead, AeadKey, Error, Hash, HashParameters, Mac, MacKey, Provider, Result, Xof, XofAbsorber, XofParameters,
    XofReader,
};
use std::sync::Arc;

type Digest = fn(&dyn Hash, &[u8], &mut [u8]) -> Result<()>;

struct MutatedHash(Arc<dyn Hash>, Digest);

impl Hash for MutatedHash {
    fn info(&self) -> &HashParameters {
        self.0.info()
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        self.1(self.0.as_ref(), message, out)
    }
}

/// Changes to an extendable-output function.
#[derive(Clone, Copy, Default)]
struct XofChanges {
    /// Changes the output, given the message.
    output: Option<fn(&[u8], &mut [u8])>,
    /// Changes a squeezed part, given the number of bytes that were squeezed before it.
    squeezed: Option<fn(usize, &mut [u8])>,
    /// Changes an absorbed part, given the number of bytes that were absorbed before it.
    absorbed: Option<fn(usize, &mut Vec<u8>)>,
}

struct MutatedXof(Arc<dyn Xof>, XofChanges);

struct Reader(Box<dyn XofReader>, usize, XofChanges);

struct Absorber(Box<dyn XofAbsorber>, usize, XofChanges);

impl Xof for MutatedXof {
    fn info(&self) -> &XofParameters {
        self.0.info()
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        self.0.digest(message, out)?;
        self.1.output.iter().for_each(|change| change(message, out));
        Ok(())
    }

    fn absorb(&self, message: &[u8]) -> Result<Box<dyn XofReader>> {
        Ok(Box::new(Reader(self.0.absorb(message)?, 0, self.1)))
    }

    fn absorber(&self) -> Result<Box<dyn XofAbsorber>> {
        Ok(Box::new(Absorber(self.0.absorber()?, 0, self.1)))
    }
}

impl XofAbsorber for Absorber {
    fn update(&mut self, part: &[u8]) -> Result<()> {
        let mut bytes = part.to_vec();
        self.2.absorbed.iter().for_each(|change| change(self.1, &mut bytes));
        self.1 += part.len();
        self.0.update(&bytes)
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn XofReader>> {
        Ok(Box::new(Reader(self.0.finish()?, 0, self.2)))
    }
}

impl XofReader for Reader {
    fn squeeze(&mut self, out: &mut [u8]) -> Result<()> {
        self.0.squeeze(out)?;
        self.2.squeezed.iter().for_each(|change| change(self.1, out));
        self.1 += out.len();
        Ok(())
    }
}

type Tag = fn(&dyn Mac, &[u8], &[u8], &mut [u8]) -> Result<()>;

struct MutatedMac(Arc<dyn Mac>, Tag);

struct MutatedMacKey(Arc<dyn Mac>, Vec<u8>, Tag);

impl Mac for MutatedMac {
    fn algorithm(&self) -> &str {
        self.0.algorithm()
    }

    fn tag_len(&self) -> usize {
        self.0.tag_len()
    }

    fn load_key(&self, key: &[u8]) -> Result<Box<dyn MacKey>> {
        Ok(Box::new(MutatedMacKey(self.0.clone(), key.to_vec(), self.1)))
    }
}

impl MacKey for MutatedMacKey {
    fn tag(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        self.2(self.0.as_ref(), &self.1, message, out)
    }
}

/// Changes to an authenticated cipher (AEAD).
#[derive(Clone, Copy, Default)]
struct AeadChanges {
    /// Selects the part of the associated data that the cipher authenticates.
    associated: Option<fn(&[u8]) -> &[u8]>,
    /// Changes the nonce before use.
    nonce: Option<fn(&mut [u8])>,
    /// Changes a ciphertext after encryption. Decryption first applies the same change again, which must restore the
    /// ciphertext.
    text: Option<fn(&mut [u8])>,
    open: Option<Open>,
}

type Open = fn(&dyn AeadKey, &[u8], &[u8], &mut [u8], &[u8]) -> Result<()>;

struct MutatedAead(Arc<dyn Aead>, AeadChanges);

struct MutatedAeadKey(Box<dyn AeadKey>, AeadChanges);

impl Aead for MutatedAead {
    fn algorithm(&self) -> &str {
        self.0.algorithm()
    }

    fn key_len(&self) -> usize {
        self.0.key_len()
    }

    fn nonce_len(&self) -> usize {
        self.0.nonce_len()
    }

    fn tag_len(&self) -> usize {
        self.0.tag_len()
    }

    fn load_key(&self, key: &[u8]) -> Result<Box<dyn AeadKey>> {
        Ok(Box::new(MutatedAeadKey(self.0.load_key(key)?, self.1)))
    }
}

impl MutatedAeadKey {
    fn nonce(&self, nonce: &[u8]) -> Vec<u8> {
        let mut nonce = nonce.to_vec();
        self.1.nonce.iter().for_each(|change| change(&mut nonce));
        nonce
    }

    fn associated<'a>(&self, associated: &'a [u8]) -> &'a [u8] {
        self.1.associated.map_or(associated, |change| change(associated))
    }
}

impl AeadKey for MutatedAeadKey {
    fn seal(&self, nonce: &[u8], associated: &[u8], buffer: &mut [u8], tag: &mut [u8]) -> Result<()> {
        self.0.seal(&self.nonce(nonce), self.associated(associated), buffer, tag)?;
        self.1.text.iter().for_each(|change| change(buffer));
        Ok(())
    }

    fn open(&self, nonce: &[u8], associated: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<()> {
        self.1.text.iter().for_each(|change| change(buffer));
        match self.1.open {
            Some(open) => open(self.0.as_ref(), nonce, associated, buffer, tag),
            None => self.0.open(&self.nonce(nonce), self.associated(associated), buffer, tag),
        }
    }
}

/// Decrypts, but compares only the first `compared` bytes of the tag.
fn open_comparing(
    key: &dyn AeadKey,
    (nonce, associated): (&[u8], &[u8]),
    buffer: &mut [u8],
    tag: &[u8],
    compared: usize,
) -> Result<()> {
    // Sealing the ciphertext decrypts it, because the keystream is the same. Sealing the plaintext then gives the
    // correct tag.
    let (mut plaintext, mut expected) = (buffer.to_vec(), vec![0; tag.len()]);
    key.seal(nonce, associated, &mut plaintext, &mut expected)?;
    let mut text = plaintext.clone();
    key.seal(nonce, associated, &mut text, &mut expected)?;
    if expected[..compared] != tag[..compared] {
        return Err(Error::VerificationFailed);
    }
    buffer.copy_from_slice(&plaintext);
    Ok(())
}

/// Hashes a message, and corrupts the digest if `is_wrong` returns true for the message's length in bytes.
fn spoilt(hash: &dyn Hash, message: &[u8], out: &mut [u8], is_wrong: impl Fn(usize) -> bool) -> Result<()> {
    hash.digest(message, out)?;
    if is_wrong(message.len()) {
        out[0] ^= 1;
    }
    Ok(())
}

pub(super) fn mutants() -> Vec<Mutant> {
    let hash = |name, source, algorithm: &'static str, digest: Digest| {
        mutant(name, source, move |provider: &mut Provider, libraries: &Libraries| {
            let hash = libraries.rustcrypto().and_then(|library| library.hash(algorithm));
            provider.hashes.extend(hash.map(|hash| Arc::new(MutatedHash(hash.clone(), digest)) as Arc<dyn Hash>));
        })
    };
    let xof = |name, source, algorithm: &'static str, changes: XofChanges| {
        mutant(name, source, move |provider: &mut Provider, libraries: &Libraries| {
            let xof = libraries.rustcrypto().and_then(|library| library.xof(algorithm));
            provider.xofs.extend(xof.map(|xof| Arc::new(MutatedXof(xof.clone(), changes)) as Arc<dyn Xof>));
        })
    };
    let mac = |name, source, tag: Tag| {
        mutant(name, source, move |provider: &mut Provider, libraries: &Libraries| {
            let mac = libraries.rustcrypto().and_then(|library| library.mac("HMAC-SHA256"));
            provider.macs.extend(mac.map(|mac| Arc::new(MutatedMac(mac.clone(), tag)) as Arc<dyn Mac>));
        })
    };
    let aead = |name, source, changes: AeadChanges| {
        mutant(name, source, move |provider: &mut Provider, libraries: &Libraries| {
            let aead = libraries.rustcrypto().and_then(|library| library.aead("AES-256-GCM"));
            provider.aeads.extend(aead.map(|aead| Arc::new(MutatedAead(aead.clone(), changes)) as Arc<dyn Aead>));
        })
    };
    let (plain, sealing) = (XofChanges::default(), AeadChanges::default());
    let review = "review of pqlab";
    vec![
        hash("sha3: wrong if the padding is one byte", "FIPS 202, section 5.1", "SHA3-256", |hash, message, out| {
            spoilt(hash, message, out, |length| length % 136 == 135)
        }),
        hash("sha3: wrong for messages of whole blocks", "FIPS 202, section 5.1", "SHA3-256", |hash, message, out| {
            spoilt(hash, message, out, |length| length > 0 && length % 136 == 0)
        }),
        hash("sha3: wrong for 300 to 900 bytes", review, "SHA3-256", |hash, message, out| {
            spoilt(hash, message, out, |length| (300..900).contains(&length))
        }),
        hash("sha3: wrong for 300 to 900 bytes, SHA3-512", review, "SHA3-512", |hash, message, out| {
            spoilt(hash, message, out, |length| (300..900).contains(&length))
        }),
        hash("sha3: wrong above 10,000 bytes", review, "SHA3-256", |hash, message, out| {
            spoilt(hash, message, out, |length| length > 10_000)
        }),
        hash("sha3: length has only 16 bits", review, "SHA3-256", |hash, message, out| {
            spoilt(hash, message, out, |length| length > 65_535)
        }),
        hash("sha3: wrong for exactly 65,536 bytes", "16-bit length", "SHA3-512", |hash, message, out| {
            spoilt(hash, message, out, |length| length == 65_536)
        }),
        hash("sha3: pads like Keccak", "FIPS 202, section 6.1", "SHA3-256", |hash, message, out| {
            hash.digest(&[message, &[6]].concat(), out)
        }),
        hash(
            "sha-2: wrong if the padding needs another block",
            "FIPS 180-4, section 5.1",
            "SHA-256",
            |hash, message, out| spoilt(hash, message, out, |length| length % 64 >= 56),
        ),
        hash(
            "sha-2: length in the padding has only 16 bits",
            "FIPS 180-4, section 5.1",
            "SHA-512",
            |hash, message, out| spoilt(hash, message, out, |length| length >= 8192),
        ),
        xof(
            "shake: second block of the output is wrong",
            "FIPS 202, section 4",
            "SHAKE128",
            XofChanges {
                output: Some(|_, out| out.iter_mut().skip(168).take(168).for_each(|byte| *byte ^= 1)),
                ..plain
            },
        ),
        xof(
            "shake: wrong for outputs of whole blocks",
            "FIPS 202, section 4",
            "SHAKE256",
            XofChanges {
                output: Some(|_, out| {
                    if out.len() % 136 == 0 {
                        out.last_mut().into_iter().for_each(|byte| *byte ^= 1);
                    }
                }),
                ..plain
            },
        ),
        xof(
            "shake: output beyond 65,535 bytes is wrong",
            "16-bit length",
            "SHAKE256",
            XofChanges { output: Some(|_, out| out.iter_mut().skip(65_535).for_each(|byte| *byte = 0)), ..plain },
        ),
        xof(
            "shake: wrong if a squeeze crosses a block boundary",
            "FIPS 202, section 4",
            "SHAKE128",
            XofChanges {
                squeezed: Some(|before, out| {
                    if before % 168 != 0 && before % 168 + out.len() > 168 {
                        out[0] ^= 1;
                    }
                }),
                ..plain
            },
        ),
        xof(
            "shake: wrong if an absorbed part crosses a block boundary",
            "CVE-2022-37454",
            "SHAKE256",
            XofChanges {
                absorbed: Some(|before, part| {
                    if before % 136 != 0 && before % 136 + part.len() > 136 {
                        part[0] ^= 1;
                    }
                }),
                ..plain
            },
        ),
        xof(
            "shake: an empty part ends the message",
            "FIPS 202, section 4",
            "SHAKE128",
            XofChanges {
                absorbed: Some(|before, part| {
                    if part.is_empty() && before > 0 {
                        part.push(0);
                    }
                }),
                ..plain
            },
        ),
        mac("hmac: keys of exactly a block are hashed", "RFC 2104, section 2", |mac, key, message, out| {
            if key.len() == 64 {
                let hashed = <sha2::Sha256 as sha2::Digest>::digest(key);
                return mac.load_key(&hashed)?.tag(message, out);
            }
            mac.load_key(key)?.tag(message, out)
        }),
        mac("hmac: long keys are truncated", "RFC 2104, section 2", |mac, key, message, out| {
            mac.load_key(key.get(..64).unwrap_or(key))?.tag(message, out)
        }),
        mac("hmac: wrong for keys of 65 bytes", "RFC 2104, section 2", |mac, key, message, out| {
            let key = if key.len() == 65 { &key[..64] } else { key };
            mac.load_key(key)?.tag(message, out)
        }),
        mac("hmac: message is truncated to 65,535 bytes", "16-bit length", |mac, key, message, out| {
            mac.load_key(key)?.tag(message.get(..65_535).unwrap_or(message), out)
        }),
        aead(
            "gcm: only 12 bytes of the tag are compared",
            "NIST SP 800-38D, section 7.2",
            AeadChanges {
                open: Some(|key, nonce, associated, buffer, tag| {
                    open_comparing(key, (nonce, associated), buffer, tag, 12)
                }),
                ..sealing
            },
        ),
        aead(
            "gcm: last byte of the tag is not compared",
            "NIST SP 800-38D, section 7.2",
            AeadChanges {
                open: Some(|key, nonce, associated, buffer, tag| {
                    open_comparing(key, (nonce, associated), buffer, tag, 15)
                }),
                ..sealing
            },
        ),
        aead(
            "gcm: tag is not compared",
            "NIST SP 800-38D, section 7.2",
            AeadChanges {
                open: Some(|key, nonce, associated, buffer, tag| {
                    open_comparing(key, (nonce, associated), buffer, tag, 0)
                }),
                ..sealing
            },
        ),
        aead(
            "gcm: all-zero tag is accepted",
            "NIST SP 800-38D, section 7.2",
            AeadChanges {
                open: Some(|key, nonce, associated, buffer, tag| {
                    let compared = if tag.iter().all(|byte| *byte == 0) { 0 } else { 16 };
                    open_comparing(key, (nonce, associated), buffer, tag, compared)
                }),
                ..sealing
            },
        ),
        aead(
            "gcm: counter has only 8 bits",
            "NIST SP 800-38D, section 6.2",
            AeadChanges { text: Some(|text| text.iter_mut().skip(254 * 16).for_each(|byte| *byte ^= 0x55)), ..sealing },
        ),
        aead(
            "gcm: counter has only 16 bits",
            "NIST SP 800-38D, section 6.2",
            AeadChanges {
                text: Some(|text| text.iter_mut().skip(65_534 * 16).for_each(|byte| *byte ^= 0x55)),
                ..sealing
            },
        ),
        aead(
            "gcm: associated data is truncated to 128 bytes",
            "NIST SP 800-38D, section 7.1",
            AeadChanges { associated: Some(|associated| associated.get(..128).unwrap_or(associated)), ..sealing },
        ),
        aead(
            "gcm: last byte of the nonce is ignored",
            "NIST SP 800-38D, section 7.1",
            AeadChanges { nonce: Some(|nonce| nonce.last_mut().into_iter().for_each(|byte| *byte = 0)), ..sealing },
        ),
    ]
}
