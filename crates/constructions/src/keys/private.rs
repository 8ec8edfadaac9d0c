//! Private keys in PKCS #8.

use super::asn1::{CONTEXT_0, OCTET_STRING, SEQUENCE};
use super::identifier::PrivateLayout;
use super::{DecodeError, Identifier, from_pem, is_compressed, rsa};
use der::asn1::{AnyRef, BitStringRef, ContextSpecific, ObjectIdentifier, OctetStringRef, SetOfVec};
use der::{Decode, Encode, Reader, Sequence, SliceReader, TagMode, TagNumber, ValueOrd, pem::LineEnding};
use pqlab_primitives::{Coins, DecapsulationKey, Error, Kem, KeyEncoding, SignatureScheme, SigningKey};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

const PRIVATE: &str = "PKCS #8 private key";
const SEC1: &str = "SEC 1 private key";
const PKCS1: &str = "PKCS #1 private key";
const LABEL: &str = "PRIVATE KEY";

/// Returns the error for a malformed PKCS #8 structure.
fn wrong(problem: &'static str) -> DecodeError {
    DecodeError::Structure { what: PRIVATE, problem }
}

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
    companions: Companions,
}

/// Parts of a PKCS #8 structure other than the private key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Companions {
    /// Public key in PKCS #8, version 2 (RFC 5958, section 2).
    public: Option<Vec<u8>>,
    /// DER of the attributes, with their tag.
    attributes: Option<Vec<u8>>,
    /// Whether ECPrivateKey repeats the curve (RFC 5915, section 3).
    curve: bool,
    /// Public key in ECPrivateKey.
    curve_public: Option<Vec<u8>>,
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
            && self.companions == other.companions
            && same(&self.bytes.seed, &other.bytes.seed) & same(&self.bytes.expanded, &other.bytes.expanded)
    }
}

/// Private key with both forms: `both SEQUENCE { seed OCTET STRING, expandedKey OCTET STRING }` (RFC 9881, section 6).
#[derive(Sequence)]
struct Both<'a> {
    seed: &'a OctetStringRef,
    expanded: &'a OctetStringRef,
}

/// ECPrivateKey (RFC 5915, section 3).
#[derive(Sequence)]
struct ScalarKey<'a> {
    version: u8,
    scalar: &'a OctetStringRef,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    curve: Option<ObjectIdentifier>,
    #[asn1(context_specific = "1", tag_mode = "EXPLICIT", optional = "true")]
    public: Option<BitStringRef<'a>>,
}

/// Attribute (RFC 5958, section 2).
#[derive(Sequence, ValueOrd)]
struct Attribute<'a> {
    kind: ObjectIdentifier,
    values: SetOfVec<AnyRef<'a>>,
}

/// Fields of OneAsymmetricKey (RFC 5958, section 2).
struct Fields<'a> {
    version: u8,
    algorithm: spki::AlgorithmIdentifierOwned,
    private_key: &'a [u8],
    attributes: Option<&'a [u8]>,
    public_key: Option<&'a [u8]>,
}

const PUBLIC_KEY: u8 = 0x81;
const SET: u8 = 0x31;

impl<'a> Fields<'a> {
    fn read(der: &'a [u8]) -> Result<Fields<'a>, DecodeError> {
        let failed = DecodeError::der(PRIVATE);
        let sequence = AnyRef::from_der(der).map_err(&failed)?;
        let mut reader = SliceReader::new(sequence.value()).map_err(&failed)?;
        der::Tagged::tag(&sequence).assert_eq(der::Tag::Sequence).map_err(&failed)?;
        let version = u8::decode(&mut reader).map_err(&failed)?;
        let algorithm = spki::AlgorithmIdentifierOwned::decode(&mut reader).map_err(&failed)?;
        let private_key = <&OctetStringRef>::decode(&mut reader).map_err(&failed)?.as_bytes();
        let attributes = (!reader.is_finished() && reader.peek_byte() == Some(CONTEXT_0))
            .then(|| reader.tlv_bytes())
            .transpose()
            .map_err(&failed)?;
        let public_key = (!reader.is_finished() && reader.peek_byte() == Some(PUBLIC_KEY))
            .then(|| ContextSpecific::<BitStringRef<'a>>::decode_implicit(&mut reader, TagNumber(1)))
            .transpose()
            .map_err(&failed)?
            .flatten();
        reader.finish().map_err(&failed)?;
        let public_key = public_key.map(|key| key.value.as_bytes().ok_or(wrong("has unused bits in its public key")));
        let fields = Fields { version, algorithm, private_key, attributes, public_key: public_key.transpose()? };
        match (fields.version, fields.public_key) {
            (0, None) | (1, Some(_)) => {}
            (0, Some(_)) => return Err(wrong("has a public key, but its version is 1")),
            (1, None) => return Err(wrong("has version 2, but no public key")),
            _ => return Err(wrong("has an unknown version")),
        }
        if let Some(attributes) = fields.attributes {
            let mut set = attributes.to_vec();
            set[0] = SET;
            let parsed = SetOfVec::<Attribute<'_>>::from_der(&set).map_err(&failed)?;
            if parsed.is_empty() {
                return Err(wrong("has an empty set of attributes"));
            }
        }
        Ok(fields)
    }
}

impl PrivateKey {
    /// Creates a private key from a seed, an expanded key, or both. Pass a scalar or RSA's DER as the seed.
    ///
    /// # Errors
    /// - [`DecodeError::Length`] if a part has the wrong length.
    /// - [`DecodeError::Structure`] if both parts are absent, or if the algorithm has no expanded form.
    /// - [`DecodeError::Unsupported`] for RSA keys other than RSA-2048 with the exponent 65537.
    pub fn new(
        identifier: &'static Identifier,
        seed: Option<&[u8]>,
        expanded: Option<&[u8]>,
    ) -> Result<PrivateKey, DecodeError> {
        let check = |bytes: &[u8], encoding, what| {
            let (expected, actual) = (identifier.private_key(encoding), bytes.len());
            if identifier.private == PrivateLayout::Rsa
                && let Some(found) = rsa::private_name(bytes).filter(|found| found != rsa::SUPPORTED)
            {
                return Err(DecodeError::Unsupported { what: PRIVATE, found, supported: rsa::REQUIRED });
            }
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
        let short = if identifier.short() == KeyEncoding::Seed { "seed" } else { "private key" };
        let seed = seed.map(|bytes| check(bytes, identifier.short(), short)).transpose()?;
        let expanded = expanded.map(|bytes| check(bytes, KeyEncoding::Expanded, "expanded key")).transpose()?;
        Ok(PrivateKey { identifier, bytes: Bytes { seed, expanded }, companions: Companions::default() })
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

    /// Returns the public key that the structure contains, if any. [`signing_key`](Self::signing_key) and
    /// [`decapsulation_key`](Self::decapsulation_key) check that it matches the private key.
    pub fn public_key(&self) -> Option<&[u8]> {
        self.companions.public.as_deref().or(self.companions.curve_public.as_deref())
    }

    /// Returns whether the PKCS #8 structure has attributes, which do not affect the key.
    pub fn has_attributes(&self) -> bool {
        self.companions.attributes.is_some()
    }

    /// Prepares the key for signing.
    ///
    /// # Errors
    /// - [`DecodeError::Algorithm`] if `scheme` implements a different algorithm.
    /// - [`DecodeError::Inconsistent`] if the seed does not expand to the expanded key.
    /// - [`DecodeError::OtherPublicKey`] if the structure contains another key's public key.
    /// - [`DecodeError::InvalidSigningKey`] if an expanded key contains another key's public part.
    /// - Errors from the library.
    pub fn signing_key(&self, scheme: &dyn SignatureScheme) -> Result<Box<dyn SigningKey>, DecodeError> {
        self.check_algorithm(&scheme.info().parameters.algorithm)?;
        let load = |encoding, bytes: &[u8]| scheme.load_signing_key(encoding, bytes);
        let key = self.prepare(load, |key, out| key.encode(KeyEncoding::Expanded, out))?;
        self.check_public(|out| key.verifying_key()?.encode(out))?;
        if self.form() == PrivateKeyForm::Expanded || self.identifier.short() == KeyEncoding::Expanded {
            self.check_signing(scheme, key.as_ref())?;
        }
        Ok(key)
    }

    /// Signs one message and verifies the signature. Skips the check if the library cannot derive the public key.
    fn check_signing(&self, scheme: &dyn SignatureScheme, key: &dyn SigningKey) -> Result<(), DecodeError> {
        const MESSAGE: &[u8] = b"pqlab";
        let verifier = match key.verifying_key() {
            Err(Error::Unsupported(_)) => return Ok(()),
            verifier => verifier?,
        };
        let mut signature = vec![0; scheme.info().parameters.signature];
        let length = key.sign(&[], MESSAGE, Coins::Internal, &mut signature)?;
        verifier.verify(&[], MESSAGE, &signature[..length]).map_err(|error| match (error, self.form()) {
            (Error::VerificationFailed, PrivateKeyForm::Seed) => DecodeError::InvalidSigningKey {
                algorithm: self.identifier.algorithm,
                problem: "the root in the key does not belong to its seeds",
            },
            (Error::VerificationFailed, _) => DecodeError::InvalidSigningKey {
                algorithm: self.identifier.algorithm,
                problem: "the parts of the expanded key do not belong together",
            },
            (other, _) => other.into(),
        })
    }

    /// Prepares the key for decapsulation.
    ///
    /// # Errors
    /// Same as [`signing_key`](Self::signing_key), except for expanded keys: [`DecodeError::InvalidExpandedKey`] if an
    /// expanded key cannot decapsulate. One cause is a wrong hash of the encapsulation key, which some libraries do not
    /// check.
    pub fn decapsulation_key(&self, kem: &dyn Kem) -> Result<Box<dyn DecapsulationKey>, DecodeError> {
        self.check_algorithm(&kem.info().parameters.algorithm)?;
        let load = |encoding, bytes: &[u8]| kem.load_decapsulation_key(encoding, bytes);
        let key = self.prepare(load, |key, out| key.encode(KeyEncoding::Expanded, out))?;
        self.check_public(|out| key.encapsulation_key()?.encode(out))?;
        if self.form() == PrivateKeyForm::Expanded {
            self.check_expanded(kem, key.as_ref())?;
        }
        Ok(key)
    }

    /// Encapsulates and decapsulates one secret. If H(ek) in the expanded key is wrong, decapsulation yields a
    /// different secret (implicit rejection).
    fn check_expanded(&self, kem: &dyn Kem, key: &dyn DecapsulationKey) -> Result<(), DecodeError> {
        let parameters = &kem.info().parameters;
        let mut ciphertext = vec![0; parameters.ciphertext];
        let [mut sent, mut received] = [(); 2].map(|()| Zeroizing::new(vec![0; parameters.shared_secret]));
        let invalid = DecodeError::InvalidExpandedKey { algorithm: self.identifier.algorithm };
        key.encapsulation_key()?.encapsulate(Coins::Internal, &mut ciphertext, &mut sent)?;
        key.decapsulate(&ciphertext, &mut received)?;
        if bool::from(sent.ct_eq(&received)) { Ok(()) } else { Err(invalid) }
    }

    fn check_public(&self, derive: impl Fn(&mut [u8]) -> pqlab_primitives::Result<usize>) -> Result<(), DecodeError> {
        for public in [&self.companions.public, &self.companions.curve_public].into_iter().flatten() {
            let mut derived = vec![0; self.identifier.public_key()];
            let length = derive(&mut derived)?;
            if derived.get(..length) != Some(public.as_slice()) {
                return Err(DecodeError::OtherPublicKey { algorithm: self.identifier.algorithm });
            }
        }
        Ok(())
    }

    fn check_algorithm(&self, algorithm: &str) -> Result<(), DecodeError> {
        if algorithm == self.identifier.algorithm {
            return Ok(());
        }
        Err(DecodeError::Algorithm {
            what: PRIVATE,
            oid: self.identifier.oid.to_string(),
            problem: "but the caller expects a different algorithm",
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

    /// Encodes the key as a PKCS #8 structure in DER: version 1, or version 2 if the key was read with a public key.
    ///
    /// # Errors
    /// [`DecodeError::Der`] if the encoding fails, which cannot happen at these lengths.
    pub fn to_der(&self) -> Result<Zeroizing<Vec<u8>>, DecodeError> {
        self.encode().map_err(DecodeError::der(PRIVATE))
    }

    fn encode(&self) -> der::Result<Zeroizing<Vec<u8>>> {
        let content = self.content()?;
        let mut body = Zeroizing::new(u8::from(self.companions.public.is_some()).to_der()?);
        body.extend_from_slice(&self.identifier.of_its_keys().to_der()?);
        body.extend_from_slice(&Zeroizing::new(OctetStringRef::new(&content)?.to_der()?));
        body.extend_from_slice(self.companions.attributes.as_deref().unwrap_or_default());
        if let Some(public) = &self.companions.public {
            let value = BitStringRef::from_bytes(public)?;
            let public = ContextSpecific { tag_number: TagNumber(1), tag_mode: TagMode::Implicit, value };
            body.extend_from_slice(&public.to_der()?);
        }
        AnyRef::new(der::Tag::Sequence, &body)?.to_der().map(Zeroizing::new)
    }

    fn content(&self) -> der::Result<Zeroizing<Vec<u8>>> {
        let string = |bytes: &Option<Vec<u8>>| bytes.clone().map(Zeroizing::new).unwrap_or_default();
        let (seed, expanded) = (string(&self.bytes.seed), string(&self.bytes.expanded));
        let (seed_string, expanded_string) = (OctetStringRef::new(&seed)?, OctetStringRef::new(&expanded)?);
        match (self.identifier.private, self.form()) {
            (PrivateLayout::Raw | PrivateLayout::Rsa, _) => return Ok(seed),
            (PrivateLayout::Curve, _) => seed_string.to_der(),
            (PrivateLayout::EllipticCurve, _) => {
                let public = self.companions.curve_public.as_deref().map(BitStringRef::from_bytes).transpose()?;
                let curve = self.companions.curve.then(|| self.identifier.curve()).flatten();
                ScalarKey { version: 1, scalar: seed_string, curve, public }.to_der()
            }
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

    /// Parses a PKCS #8 structure in DER. Does not check that the seed, the expanded key and the public key match,
    /// because this check requires a library. [`signing_key`](Self::signing_key) and
    /// [`decapsulation_key`](Self::decapsulation_key) perform the check.
    ///
    /// # Errors
    /// [`DecodeError`] naming the problem. Rejects trailing bytes.
    pub fn from_der(der: &[u8]) -> Result<PrivateKey, DecodeError> {
        let failed = DecodeError::der(PRIVATE);
        let fields = Fields::read(der)?;
        let identifier = Identifier::of_key(PRIVATE, &fields.algorithm)?;
        let content = fields.private_key;
        let mut companions = Companions {
            public: fields.public_key.map(<[u8]>::to_vec),
            attributes: fields.attributes.map(<[u8]>::to_vec),
            ..Companions::default()
        };
        let mut key = match identifier.private {
            PrivateLayout::Raw => {
                let expected = identifier.private_key(identifier.short());
                let inner = <&OctetStringRef>::from_der(content);
                if content.len() != expected && inner.is_ok_and(|inner| inner.as_bytes().len() == expected) {
                    return Err(wrong("has its key in an additional OCTET STRING"));
                }
                PrivateKey::new(identifier, Some(content), None)
            }
            PrivateLayout::Rsa => PrivateKey::new(identifier, Some(content), None),
            PrivateLayout::EllipticCurve => {
                let key = ScalarKey::from_der(content).map_err(&failed)?;
                if key.curve.is_some_and(|curve| Some(curve) != identifier.curve()) {
                    return Err(wrong("names two different curves"));
                }
                companions.curve = key.curve.is_some();
                let public = key.public.map(|key| key.as_bytes().ok_or(wrong("has unused bits in its public key")));
                companions.curve_public = public.transpose()?.map(<[u8]>::to_vec);
                PrivateKey::new(identifier, Some(key.scalar.as_bytes()), None)
            }
            PrivateLayout::Curve => {
                let scalar = <&OctetStringRef>::from_der(content).map_err(&failed)?;
                PrivateKey::new(identifier, Some(scalar.as_bytes()), None)
            }
            PrivateLayout::Choice => choice(identifier, content),
        }?;
        for public in [&companions.public, &companions.curve_public].into_iter().flatten() {
            let (expected, actual) = (identifier.public_key(), public.len());
            if identifier.curve().is_some() && is_compressed(public) {
                return Err(wrong(
                    "has a compressed public key; convert it with `openssl pkey -ec_conv_form uncompressed`",
                ));
            }
            if identifier.private != PrivateLayout::Rsa && expected != actual {
                let what = "public key stored with the private key";
                return Err(DecodeError::Length { what, algorithm: identifier.algorithm, expected, actual });
            }
        }
        key.companions = companions;
        if key.to_der()?.as_slice() == der { Ok(key) } else { Err(wrong("is not encoded in DER")) }
    }

    /// Parses an ECPrivateKey in DER (SEC 1, appendix C.4; RFC 5915, section 3). The structure must name the curve.
    ///
    /// # Errors
    /// Same as [`from_der`](Self::from_der).
    pub fn from_sec1_der(der: &[u8]) -> Result<PrivateKey, DecodeError> {
        let curve = ScalarKey::from_der(der).map_err(DecodeError::der(SEC1))?.curve;
        let curve = curve.ok_or(DecodeError::Structure { what: SEC1, problem: "does not name its curve" })?;
        PrivateKey::from_inner(Identifier::of_curve(SEC1, curve)?, der).map_err(|error| error.about(SEC1))
    }

    /// Parses an RSAPrivateKey in DER (PKCS #1; RFC 8017, appendix A.1.2).
    ///
    /// # Errors
    /// Same as [`from_der`](Self::from_der).
    pub fn from_pkcs1_der(der: &[u8]) -> Result<PrivateKey, DecodeError> {
        if !rsa::is_private(der) {
            let problem = "is not an RSA key: RSAPrivateKey consists of version 0 and eight integers";
            return Err(DecodeError::Structure { what: PKCS1, problem });
        }
        PrivateKey::from_inner(Identifier::of_rsa(PKCS1)?, der).map_err(|error| error.about(PKCS1))
    }

    /// Parses the `privateKey` field of a PKCS #8 structure.
    fn from_inner(identifier: &Identifier, key: &[u8]) -> Result<PrivateKey, DecodeError> {
        let encode = || {
            let mut body = Zeroizing::new(0_u8.to_der()?);
            body.extend_from_slice(&identifier.of_its_keys().to_der()?);
            body.extend_from_slice(&Zeroizing::new(OctetStringRef::new(key)?.to_der()?));
            AnyRef::new(der::Tag::Sequence, &body)?.to_der().map(Zeroizing::new)
        };
        PrivateKey::from_der(&encode().map_err(DecodeError::der(PRIVATE))?)
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

/// Reads `CHOICE { seed [0], expandedKey, both }` (RFC 9881, section 6; RFC 9935, section 6).
fn choice(identifier: &'static Identifier, content: &[u8]) -> Result<PrivateKey, DecodeError> {
    let failed = DecodeError::der(PRIVATE);
    let (seed, expanded) = (identifier.private_key(KeyEncoding::Seed), identifier.private_key(KeyEncoding::Expanded));
    let public = identifier.public_key();
    match content.len() {
        length if length == seed => return Err(wrong("has a bare seed; it must be in the tag [0]")),
        length if length == expanded => return Err(wrong("has a bare expanded key; it must be in an OCTET STRING")),
        length if length == expanded + public => {
            return Err(wrong("has a bare expanded key followed by the public key; only an OCTET STRING is allowed"));
        }
        _ => {}
    }
    match content.first().copied() {
        Some(0x80) => {
            let mut reader = SliceReader::new(content).map_err(&failed)?;
            let seed = ContextSpecific::<&OctetStringRef>::decode_implicit(&mut reader, TagNumber(0));
            let seed = seed.map_err(&failed)?.ok_or(wrong("has a malformed seed"))?;
            if !reader.is_finished() {
                return Err(wrong("has trailing bytes after its seed"));
            }
            PrivateKey::new(identifier, Some(seed.value.as_bytes()), None)
        }
        Some(CONTEXT_0) => Err(wrong("has its seed in a constructed or explicit [0]; the tag must be implicit")),
        Some(OCTET_STRING) => {
            let mut reader = SliceReader::new(content).map_err(&failed)?;
            let inner = <&OctetStringRef>::decode(&mut reader).map_err(&failed)?.as_bytes();
            if !reader.is_finished() {
                return Err(wrong("has trailing bytes after its expanded key"));
            }
            let nested = <&OctetStringRef>::from_der(inner)
                .is_ok_and(|bytes| [seed, expanded].contains(&bytes.as_bytes().len()));
            match inner.len() {
                length if length == seed => Err(wrong("has its seed in an OCTET STRING; it must be in the tag [0]")),
                length if length == expanded + public => {
                    Err(wrong("has the public key after its expanded key; only the expanded key is allowed"))
                }
                length if length != expanded && nested => Err(wrong("wraps its key in an OCTET STRING twice")),
                length if length != expanded && inner.first() == Some(&0x80) => {
                    Err(wrong("has its seed in an additional OCTET STRING"))
                }
                _ => PrivateKey::new(identifier, None, Some(inner)),
            }
        }
        Some(SEQUENCE) => {
            let inner = AnyRef::from_der(content).map_err(&failed)?.value();
            if <&OctetStringRef>::from_der(inner).is_ok_and(|only| only.as_bytes().len() == seed) {
                return Err(wrong("has a seed without the expanded key"));
            }
            let both = Both::from_der(content).map_err(&failed)?;
            let (first, second) = (both.seed.as_bytes(), both.expanded.as_bytes());
            if first.len() == expanded && second.len() == seed {
                return Err(wrong("has the expanded key before the seed; the seed must come first"));
            }
            PrivateKey::new(identifier, Some(first), Some(second))
        }
        None => Err(wrong("is empty")),
        Some(_) => Err(wrong("is neither a seed, nor an expanded key, nor both")),
    }
}
