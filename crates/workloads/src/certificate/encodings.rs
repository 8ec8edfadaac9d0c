//! Encodes and decodes keys, and computes fingerprints. Standard keys use DER and PEM. Hybrid keys in the reference
//! form of an earlier system use CBOR.

use super::{OWN, broken, case, fault};
use crate::fingerprint::{FINGERPRINT, Fingerprint};
use crate::inputs::{bytes, generator};
use crate::{find, missing};
use pqlab_constructions::keys::{Identifier, PrivateKey, PublicKey, cbor_pair};
use pqlab_harness::{Fault, Recorder, Seed, Trial};
use pqlab_primitives::{KemParameters, KeyEncoding, Provider, SignatureParameters};
use pqlab_record::{Case, Parameter};
use std::sync::Arc;

/// Algorithms of the keys to encode and decode: hybrids, their halves, and two hybrids in the reference form. Only
/// names of hybrids in the reference form contain `+`.
pub(super) const KEYS: [&str; 9] = [
    "X-Wing",
    "MLKEM768-X25519-SHA3-256",
    "MLDSA65-Ed25519-SHA512",
    "ML-KEM-768",
    "ML-DSA-65",
    "X25519",
    "Ed25519",
    "X25519+ML-KEM-768",
    "Ed25519+ML-DSA-65",
];
const OPERATIONS: [&str; 4] = ["encode-public", "decode-public", "encode-private", "decode-private"];

/// Returns the cases for all keys. `provider` supplies SHA-256 for fingerprints.
pub(super) fn cases(provider: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for operation in OPERATIONS {
        for key in KEYS {
            let formats: &[&str] = if key.contains('+') { &["cbor"] } else { &["der", "pem"] };
            let block = format!("certificate/{operation}");
            for format in formats {
                let mut case = case(key, operation, OWN, block.clone());
                case.parameters.push(Parameter::Word("format".into(), (*format).to_owned()));
                if operation.ends_with("private") {
                    let with_encoding = |encoding: &&str| case.clone().with_key(encoding).in_block(&block);
                    cases.extend(private_encodings(key).iter().map(with_encoding));
                } else {
                    cases.push(case);
                }
            }
        }
    }
    let standard = KEYS.iter().filter(|key| !key.contains('+'));
    cases.extend(standard.map(|key| case(key, FINGERPRINT, provider, format!("certificate/{FINGERPRINT}"))));
    cases
}

pub(super) fn trial(
    key: &'static str,
    case: &Case,
    providers: &[Arc<Provider>],
    seed: Seed,
) -> Result<Box<dyn Trial>, Fault> {
    let mut generator = generator(case, seed);
    let format = case.parameters.iter().find_map(|parameter| match parameter {
        Parameter::Word(name, value) if name == "format" => Some(value.as_str()),
        _ => None,
    });
    if let Some(lengths) = pair_lengths(key) {
        let lengths = if case.operation.ends_with("public") { lengths.0 } else { lengths.1 };
        let parts = lengths.map(|length| bytes(&mut generator, length));
        let encoded = cbor_pair::encode(&parts[0], &parts[1]).map_err(fault)?;
        let encode = case.operation.starts_with("encode");
        return Ok(Box::new(Pair { parts, encoded, lengths, encode, output: None }));
    }
    let identifier = Identifier::named(key).ok_or_else(|| missing(case))?;
    let (public, private) = lengths(key).ok_or_else(|| missing(case))?;
    let public = PublicKey::new(identifier, &bytes(&mut generator, public)).map_err(broken)?;
    let short = bytes(&mut generator, private);
    let expanded = bytes(&mut generator, expanded_length(key).unwrap_or(0));
    let (short, expanded) = match case.key() {
        Some("expanded") => (None, Some(expanded)),
        Some("both") => (Some(short), Some(expanded)),
        _ => (Some(short), None),
    };
    let private = PrivateKey::new(identifier, short.as_deref(), expanded.as_deref()).map_err(broken)?;
    let pem = format == Some("pem");
    let kind = match case.operation.as_str() {
        "encode-public" | "decode-public" => Kind::Public(public),
        "encode-private" | "decode-private" => Kind::Private(private),
        FINGERPRINT => {
            let hash = find(providers, &case.provider)?.hash("SHA-256").cloned();
            let hash = hash.ok_or_else(|| Fault::Unsupported(format!("{} does not offer SHA-256", case.provider)))?;
            return Ok(Box::new(Fingerprint::new(public, hash)?));
        }
        _ => return Err(missing(case)),
    };
    let encoded = kind.encode(pem)?;
    let encode = case.operation.starts_with("encode");
    Ok(Box::new(Single { kind, pem, encoded, encode, written: None, read: None }))
}

/// Returns the private-key encodings of `key`, shortest first. For ML-KEM (RFC 9935, section 6) and ML-DSA (RFC 9881,
/// section 6), the RFCs define these alternatives.
fn private_encodings(key: &str) -> &'static [&'static str] {
    match key {
        "X25519" => &["scalar"],
        pair if pair.contains('+') => &["cbor"],
        _ if expanded_length(key).is_some() => &["seed", "expanded", "both"],
        _ => &["seed"],
    }
}

/// Returns the length, in bytes, of an expanded ML-KEM or ML-DSA private key. `None` for other keys.
fn expanded_length(key: &str) -> Option<usize> {
    if !key.starts_with("ML-") {
        return None;
    }
    let kem = KemParameters::find(key).and_then(|kem| kem.decapsulation_key(KeyEncoding::Expanded));
    kem.or_else(|| SignatureParameters::find(key)?.signing_key(KeyEncoding::Expanded))
}

/// Returns the lengths, in bytes, of the public key and of the private key in its shortest encoding.
fn lengths(key: &str) -> Option<(usize, usize)> {
    let kem = KemParameters::find(key).map(|kem| (kem.encapsulation_key, kem.decapsulation_keys[0].1));
    kem.or_else(|| SignatureParameters::find(key).map(|scheme| (scheme.verifying_key, scheme.signing_keys[0].1)))
}

/// Returns the lengths, in bytes, of the two halves of a hybrid key in the reference form. The first array is for the
/// public key, the second for the private key. In each, the classical half comes first. Returns `None` for other keys.
fn pair_lengths(key: &str) -> Option<([usize; 2], [usize; 2])> {
    match key {
        "X25519+ML-KEM-768" => Some(([32, 1184], [32, 64])),
        "Ed25519+ML-DSA-65" => Some(([32, 1952], [32, 32])),
        _ => None,
    }
}

#[derive(PartialEq)]
enum Kind {
    Public(PublicKey),
    Private(PrivateKey),
}

impl Kind {
    fn encode(&self, pem: bool) -> Result<Vec<u8>, Fault> {
        match (self, pem) {
            (Kind::Public(key), false) => key.to_der().map_err(broken),
            (Kind::Public(key), true) => key.to_pem().map(String::into_bytes).map_err(broken),
            (Kind::Private(key), false) => key.to_der().map(|der| der.to_vec()).map_err(broken),
            (Kind::Private(key), true) => key.to_pem().map(|pem| pem.as_bytes().to_vec()).map_err(broken),
        }
    }

    fn decode(&self, pem: bool, bytes: &[u8]) -> Result<Kind, Fault> {
        let text = || std::str::from_utf8(bytes).map_err(broken);
        match (self, pem) {
            (Kind::Public(_), false) => PublicKey::from_der(bytes).map(Kind::Public).map_err(broken),
            (Kind::Public(_), true) => PublicKey::from_pem(text()?).map(Kind::Public).map_err(broken),
            (Kind::Private(_), false) => PrivateKey::from_der(bytes).map(Kind::Private).map_err(broken),
            (Kind::Private(_), true) => PrivateKey::from_pem(text()?).map(Kind::Private).map_err(broken),
        }
    }
}

/// Encodes or decodes a standard key, in DER or PEM.
struct Single {
    kind: Kind,
    pem: bool,
    encoded: Vec<u8>,
    encode: bool,
    written: Option<Vec<u8>>,
    read: Option<Kind>,
}

impl Trial for Single {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        (self.written, self.read) = (None, None);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            if self.encode {
                self.written = Some(self.kind.encode(self.pem)?);
            } else {
                self.read = Some(self.kind.decode(self.pem, &self.encoded)?);
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let right = match self.encode {
            true => self.written.as_deref() == Some(self.encoded.as_slice()),
            false => self.read.as_ref() == Some(&self.kind),
        };
        if right { Ok(()) } else { Err(Fault::WrongAnswer("the encoded or decoded key is wrong or missing".into())) }
    }
}

/// Encodes or decodes a key in the reference form (CBOR).
struct Pair {
    parts: [Vec<u8>; 2],
    encoded: Vec<u8>,
    lengths: [usize; 2],
    encode: bool,
    output: Option<[Vec<u8>; 2]>,
}

impl Trial for Pair {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.output = None;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.output = Some(if self.encode {
                [cbor_pair::encode(&self.parts[0], &self.parts[1]).map_err(fault)?, Vec::new()]
            } else {
                cbor_pair::decode(&self.encoded, self.lengths).map_err(fault)?.map(<[u8]>::to_vec)
            });
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let right = match (&self.output, self.encode) {
            (Some([written, _]), true) => *written == self.encoded,
            (Some(read), false) => *read == self.parts,
            (None, _) => false,
        };
        if right { Ok(()) } else { Err(Fault::WrongAnswer("the encoded or decoded key is wrong or missing".into())) }
    }
}
