//! Private keys in PKCS #8.

use super::identifier::PrivateLayout;
use super::{DecodeError, Identifier, from_pem};
use der::asn1::{ContextSpecific, OctetStringRef};
use der::{Decode, Encode, Reader, Sequence, SliceReader, TagMode, TagNumber, pem::LineEnding};
use pkcs8::PrivateKeyInfoRef;
use pqlab_primitives::{DecapsulationKey, Kem, KeyEncoding, SignatureScheme, SigningKey};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

const PRIVATE: &str = "PKCS #8 private key";
const LABEL: &str = "PRIVATE KEY";
const NO_SEED: DecodeError = DecodeError::Structure { what: PRIVATE, problem: "has a malformed seed" };

/// Forms of the key that a [`PrivateKey`] contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrivateKeyForm {
    /// The seed, or the key itself if the algorithm has only one form.
    Seed,
    /// The expanded key.
    Expanded,
    /// Both forms, which must match.
    Both,
}

/// A private key. Overwrites its bytes with zeros on drop, and compares in constant time.
#[derive(Clone)]
pub struct PrivateKey {
    identifier: &'static Identifier,
    bytes: Bytes,
}

#[derive(Clone, Zeroize, ZeroizeOnDrop)]
struct Bytes {
    seed: Option<Vec<u8>>,
    expanded: Option<Vec<u8>>,
}

impl std::fmt::Debug for PrivateKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PrivateKey").field("algorithm", &self.identifier.algorithm).finish_non_exhaustive()
    }
}

impl PartialEq for PrivateKey {
    fn eq(&self, other: &PrivateKey) -> bool {
        let same = |one: &Option<Vec<u8>>, other: &Option<Vec<u8>>| match (one, other) {
            (None, None) => true,
            (Some(one), Some(other)) => bool::from(one.ct_eq(other)),
            _ => false,
        };
        self.identifier == other.identifier
            && same(&self.bytes.seed, &other.bytes.seed) & same(&self.bytes.expanded, &other.bytes.expanded)
    }
}

/// `both SEQUENCE { seed OCTET STRING, expandedKey OCTET STRING }`.
#[derive(Sequence)]
struct Both<'a> {
    seed: &'a OctetStringRef,
    expanded: &'a OctetStringRef,
}

/// ECPrivateKey (RFC 5915, section 3) without its optional fields.
#[derive(Sequence)]
struct ScalarKey<'a> {
    version: u8,
    scalar: &'a OctetStringRef,
}

impl PrivateKey {
    /// Creates a private key from a seed, an expanded key, or both. Pass a scalar or RSA's DER as the seed.
    ///
    /// # Errors
    /// [`DecodeError::Length`] if a part has the wrong length; [`DecodeError::Structure`] if both parts are absent, or
    /// if the algorithm has no expanded form.
    pub fn new(
        identifier: &'static Identifier,
        seed: Option<&[u8]>,
        expanded: Option<&[u8]>,
    ) -> Result<PrivateKey, DecodeError> {
        let check = |bytes: &[u8], encoding, what| {
            let (expected, actual) = (identifier.private_key(encoding), bytes.len());
            if expected == actual || identifier.private == PrivateLayout::Rsa && actual < expected {
                Ok(bytes.to_vec())
            } else {
                Err(DecodeError::Length { what, algorithm: identifier.algorithm, expected, actual })
            }
        };
        if seed.is_none() && expanded.is_none() {
            return Err(DecodeError::Structure { what: PRIVATE, problem: "is empty" });
        }
        if expanded.is_some() && identifier.private != PrivateLayout::Choice {
            return Err(DecodeError::Structure { what: PRIVATE, problem: "has no expanded form" });
        }
        let seed = seed.map(|bytes| check(bytes, identifier.short(), "seed")).transpose()?;
        let expanded = expanded.map(|bytes| check(bytes, KeyEncoding::Expanded, "expanded key")).transpose()?;
        Ok(PrivateKey { identifier, bytes: Bytes { seed, expanded } })
    }

    /// Returns the algorithm.
    pub fn identifier(&self) -> &'static Identifier {
        self.identifier
    }

    /// Returns the forms of the key that are present.
    pub fn form(&self) -> PrivateKeyForm {
        match (&self.bytes.seed, &self.bytes.expanded) {
            (Some(_), Some(_)) => PrivateKeyForm::Both,
            (None, _) => PrivateKeyForm::Expanded,
            (_, None) => PrivateKeyForm::Seed,
        }
    }

    /// Prepares the key for signing.
    ///
    /// # Errors
    /// [`DecodeError::Inconsistent`] if the seed does not expand to the expanded key. Propagates errors from the
    /// library.
    pub fn signing_key(&self, scheme: &dyn SignatureScheme) -> Result<Box<dyn SigningKey>, DecodeError> {
        self.check_algorithm(&scheme.info().parameters.algorithm)?;
        let load = |encoding, bytes: &[u8]| scheme.load_signing_key(encoding, bytes);
        self.prepare(load, |key, out| key.encode(KeyEncoding::Expanded, out))
    }

    /// Prepares the key for decapsulation.
    ///
    /// # Errors
    /// Same as [`signing_key`](Self::signing_key).
    pub fn decapsulation_key(&self, kem: &dyn Kem) -> Result<Box<dyn DecapsulationKey>, DecodeError> {
        self.check_algorithm(&kem.info().parameters.algorithm)?;
        let load = |encoding, bytes: &[u8]| kem.load_decapsulation_key(encoding, bytes);
        self.prepare(load, |key, out| key.encode(KeyEncoding::Expanded, out))
    }

    fn check_algorithm(&self, algorithm: &str) -> Result<(), DecodeError> {
        if algorithm == self.identifier.algorithm {
            return Ok(());
        }
        Err(DecodeError::Algorithm {
            what: PRIVATE,
            oid: self.identifier.oid.to_string(),
            problem: "but a different algorithm is loading the key",
        })
    }

    fn prepare<K>(
        &self,
        load: impl Fn(KeyEncoding, &[u8]) -> pqlab_primitives::Result<K>,
        encode_expanded: impl Fn(&K, &mut [u8]) -> pqlab_primitives::Result<usize>,
    ) -> Result<K, DecodeError> {
        let Some(seed) = &self.bytes.seed else {
            let expanded = self.bytes.expanded.as_deref().unwrap_or_default();
            return Ok(load(KeyEncoding::Expanded, expanded)?);
        };
        let key = load(self.identifier.short(), seed)?;
        if let Some(expanded) = &self.bytes.expanded {
            let mut derived = Zeroizing::new(vec![0; expanded.len()]);
            encode_expanded(&key, &mut derived)?;
            if !bool::from(derived.ct_eq(expanded)) {
                return Err(DecodeError::Inconsistent { algorithm: self.identifier.algorithm });
            }
        }
        Ok(key)
    }

    /// Encodes the key as DER of a PKCS #8 structure without attributes or public key.
    ///
    /// # Errors
    /// [`DecodeError::Der`] if the encoding fails, which cannot happen at these lengths.
    pub fn to_der(&self) -> Result<Zeroizing<Vec<u8>>, DecodeError> {
        let failed = DecodeError::der(PRIVATE);
        let content = self.content().map_err(&failed)?;
        let content = OctetStringRef::new(&content).map_err(&failed)?;
        let algorithm = self.identifier.of_its_keys();
        let parameters = algorithm.parameters.as_ref().map(der::asn1::AnyRef::from);
        let info = PrivateKeyInfoRef::new(spki::AlgorithmIdentifierRef { oid: algorithm.oid, parameters }, content);
        info.to_der().map(Zeroizing::new).map_err(failed)
    }

    fn content(&self) -> der::Result<Zeroizing<Vec<u8>>> {
        let string = |bytes: &Option<Vec<u8>>| bytes.clone().map(Zeroizing::new).unwrap_or_default();
        let (seed, expanded) = (string(&self.bytes.seed), string(&self.bytes.expanded));
        let (seed_string, expanded_string) = (OctetStringRef::new(&seed)?, OctetStringRef::new(&expanded)?);
        match (self.identifier.private, self.form()) {
            (PrivateLayout::Raw | PrivateLayout::Rsa, _) => return Ok(seed),
            (PrivateLayout::Curve, _) => seed_string.to_der(),
            (PrivateLayout::EllipticCurve, _) => ScalarKey { version: 1, scalar: seed_string }.to_der(),
            (PrivateLayout::Choice, PrivateKeyForm::Expanded) => expanded_string.to_der(),
            (PrivateLayout::Choice, PrivateKeyForm::Both) => {
                Both { seed: seed_string, expanded: expanded_string }.to_der()
            }
            (PrivateLayout::Choice, PrivateKeyForm::Seed) => {
                ContextSpecific { tag_number: TagNumber(0), tag_mode: TagMode::Implicit, value: seed_string }.to_der()
            }
        }
        .map(Zeroizing::new)
    }

    /// Parses the DER of a PKCS #8 structure. Does not check that the seed and the expanded key match, because that
    /// requires a library. Preparing the key checks that.
    ///
    /// # Errors
    /// [`DecodeError`] naming the problem. Rejects attributes, an attached public key and trailing bytes.
    pub fn from_der(der: &[u8]) -> Result<PrivateKey, DecodeError> {
        let failed = DecodeError::der(PRIVATE);
        let info = PrivateKeyInfoRef::from_der(der).map_err(&failed)?;
        let algorithm = spki::AlgorithmIdentifierOwned {
            oid: info.algorithm.oid,
            parameters: info.algorithm.parameters.map(der::Any::from),
        };
        let identifier = Identifier::of_key(PRIVATE, &algorithm)?;
        let content = info.private_key.as_bytes();
        let key = match identifier.private {
            PrivateLayout::Raw | PrivateLayout::Rsa => PrivateKey::new(identifier, Some(content), None),
            PrivateLayout::EllipticCurve => {
                let key = ScalarKey::from_der(content).map_err(&failed)?;
                PrivateKey::new(identifier, Some(key.scalar.as_bytes()), None)
            }
            PrivateLayout::Curve => {
                let scalar = <&OctetStringRef>::from_der(content).map_err(&failed)?;
                PrivateKey::new(identifier, Some(scalar.as_bytes()), None)
            }
            PrivateLayout::Choice => match content.first() {
                Some(0x80) => {
                    let mut reader = SliceReader::new(content).map_err(&failed)?;
                    let seed = ContextSpecific::<&OctetStringRef>::decode_implicit(&mut reader, TagNumber(0));
                    let seed = seed.map_err(&failed)?.ok_or(NO_SEED)?;
                    reader.finish().map_err(&failed)?;
                    PrivateKey::new(identifier, Some(seed.value.as_bytes()), None)
                }
                Some(0x04) => {
                    let expanded = <&OctetStringRef>::from_der(content).map_err(&failed)?;
                    PrivateKey::new(identifier, None, Some(expanded.as_bytes()))
                }
                _ => {
                    let both = Both::from_der(content).map_err(&failed)?;
                    PrivateKey::new(identifier, Some(both.seed.as_bytes()), Some(both.expanded.as_bytes()))
                }
            },
        }?;
        // Reject attributes, and version 2 with a public key: this code would neither check nor preserve them.
        if key.to_der()?.as_slice() == der {
            Ok(key)
        } else {
            Err(DecodeError::Structure { what: PRIVATE, problem: "has unsupported attributes or a public key" })
        }
    }

    /// Encodes the key as PEM with the label `PRIVATE KEY`.
    ///
    /// # Errors
    /// Same as [`to_der`](Self::to_der).
    pub fn to_pem(&self) -> Result<Zeroizing<String>, DecodeError> {
        let der = self.to_der()?;
        let pem = der::pem::encode_string(LABEL, LineEnding::LF, &der);
        pem.map(Zeroizing::new).map_err(|error| DecodeError::Pem { what: PRIVATE, detail: error.to_string() })
    }

    /// Parses PEM with the label `PRIVATE KEY`.
    ///
    /// # Errors
    /// [`DecodeError`] naming the problem.
    pub fn from_pem(pem: &str) -> Result<PrivateKey, DecodeError> {
        PrivateKey::from_der(&Zeroizing::new(from_pem(PRIVATE, LABEL, pem)?))
    }
}
