//! Object identifiers of algorithms that have a standard key encoding. Most algorithms use the same identifier for keys
//! and signatures, without parameters.

use super::{DecodeError, bare};
use der::asn1::{Any, Null, ObjectIdentifier};
use pqlab_primitives::{KemParameters, KeyEncoding, SignatureParameters};
use spki::AlgorithmIdentifierOwned;

/// Identifies an algorithm in X.509 and PKCS #8.
#[derive(Debug, PartialEq, Eq)]
pub struct Identifier {
    /// Name of the algorithm, as used in the parameter tables.
    pub algorithm: &'static str,
    /// Object identifier for keys.
    pub oid: ObjectIdentifier,
    /// Parameters that follow the object identifier in a key.
    parameters: Parameters,
    /// Object identifier and parameters for signatures, if different from those for keys.
    signature: Option<(ObjectIdentifier, Parameters)>,
    pub(super) private: PrivateLayout,
}

/// Parameters of an AlgorithmIdentifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parameters {
    Absent,
    /// NULL, for RSA (RFC 3279, section 2.3.1; RFC 4055, section 5).
    Null,
    /// namedCurve (RFC 5480, section 2.1.1).
    Curve(ObjectIdentifier),
}

impl Parameters {
    fn any(self) -> Option<Any> {
        match self {
            Parameters::Absent => None,
            Parameters::Null => Some(Null.into()),
            Parameters::Curve(oid) => Some(oid.into()),
        }
    }
}

/// Contents of PKCS #8's privateKey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrivateLayout {
    /// Raw bytes (X-Wing, composites).
    Raw,
    /// OCTET STRING that contains the bytes (RFC 8410, section 7).
    Curve,
    /// `CHOICE { seed [0], expandedKey, both }` (RFC 9881, section 6; RFC 9935, section 6).
    Choice,
    /// ECPrivateKey with only the scalar (RFC 5915, section 3).
    EllipticCurve,
    /// RSAPrivateKey as raw bytes (RFC 8017, appendix A.1.2).
    Rsa,
}

const fn identifier(algorithm: &'static str, oid: &str, private: PrivateLayout) -> Identifier {
    Identifier {
        algorithm,
        oid: ObjectIdentifier::new_unwrap(oid),
        parameters: Parameters::Absent,
        signature: None,
        private,
    }
}

/// Builds the entry of an algorithm that uses different object identifiers for keys and signatures.
const fn apart(
    algorithm: &'static str,
    (oid, parameters): (&str, Parameters),
    (signature, signature_parameters): (&str, Parameters),
    private: PrivateLayout,
) -> Identifier {
    Identifier {
        parameters,
        signature: Some((ObjectIdentifier::new_unwrap(signature), signature_parameters)),
        ..identifier(algorithm, oid, private)
    }
}

use PrivateLayout::{Choice, Curve, EllipticCurve, Raw, Rsa};

/// prime256v1 (RFC 5480, section 2.1.1.1).
const P256: Parameters = Parameters::Curve(ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7"));
/// id-ecPublicKey; ecdsa-with-SHA256 (RFC 5758, section 3.2).
const ECDSA: [&str; 2] = ["1.2.840.10045.2.1", "1.2.840.10045.4.3.2"];
/// rsaEncryption; sha256WithRSAEncryption.
const RSA: [&str; 2] = ["1.2.840.113549.1.1.1", "1.2.840.113549.1.1.11"];

/// Identifiers from RFC 5480, RFC 8017, RFC 9881, RFC 9935, RFC 8410, draft-connolly-cfrg-xwing-kem,
/// draft-ietf-lamps-pq-composite-kem and draft-ietf-lamps-pq-composite-sigs.
static IDENTIFIERS: [Identifier; 13] = [
    identifier("ML-DSA-44", "2.16.840.1.101.3.4.3.17", Choice),
    identifier("ML-DSA-65", "2.16.840.1.101.3.4.3.18", Choice),
    identifier("ML-DSA-87", "2.16.840.1.101.3.4.3.19", Choice),
    identifier("ML-KEM-512", "2.16.840.1.101.3.4.4.1", Choice),
    identifier("ML-KEM-768", "2.16.840.1.101.3.4.4.2", Choice),
    identifier("ML-KEM-1024", "2.16.840.1.101.3.4.4.3", Choice),
    identifier("Ed25519", "1.3.101.112", Curve),
    identifier("X25519", "1.3.101.110", Curve),
    identifier("X-Wing", "1.3.6.1.4.1.62253.25722", Raw),
    identifier("MLKEM768-X25519-SHA3-256", "1.3.6.1.5.5.7.6.58", Raw),
    identifier("MLDSA65-Ed25519-SHA512", "1.3.6.1.5.5.7.6.48", Raw),
    apart("ECDSA-P-256", (ECDSA[0], P256), (ECDSA[1], Parameters::Absent), EllipticCurve),
    apart("RSA-2048", (RSA[0], Parameters::Null), (RSA[1], Parameters::Null), Rsa),
];

impl Identifier {
    /// Looks up an algorithm by name. Returns `None` if no standard assigns an object identifier to its keys.
    pub fn named(algorithm: &str) -> Option<&'static Identifier> {
        IDENTIFIERS.iter().find(|identifier| identifier.algorithm == algorithm)
    }

    /// Returns the algorithm that a key's AlgorithmIdentifier names.
    ///
    /// # Errors
    /// [`DecodeError::Algorithm`] if the identifier is unknown or its parameters do not match.
    pub(crate) fn of_key(
        what: &'static str,
        identifier: &AlgorithmIdentifierOwned,
    ) -> Result<&'static Identifier, DecodeError> {
        Identifier::find(what, identifier, |known| (known.oid, known.parameters))
    }

    /// Returns the algorithm that a signature's AlgorithmIdentifier names.
    ///
    /// # Errors
    /// Same as [`of_key`](Self::of_key).
    pub(crate) fn of_signature(
        what: &'static str,
        identifier: &AlgorithmIdentifierOwned,
    ) -> Result<&'static Identifier, DecodeError> {
        Identifier::find(what, identifier, Identifier::named_in_signatures)
    }

    fn find(
        what: &'static str,
        identifier: &AlgorithmIdentifierOwned,
        name: impl Fn(&Identifier) -> (ObjectIdentifier, Parameters),
    ) -> Result<&'static Identifier, DecodeError> {
        let wrong = |problem| DecodeError::Algorithm { what, oid: identifier.oid.to_string(), problem };
        let known = IDENTIFIERS.iter().find(|known| name(known).0 == identifier.oid);
        let known = known.ok_or_else(|| wrong("which is unknown"))?;
        match name(known).1.any() {
            expected if expected == identifier.parameters => Ok(known),
            None => Err(wrong("whose parameters must be absent")),
            Some(_) => Err(wrong("whose parameters are unknown")),
        }
    }

    fn named_in_signatures(&self) -> (ObjectIdentifier, Parameters) {
        self.signature.unwrap_or((self.oid, self.parameters))
    }

    /// Returns the AlgorithmIdentifier for the algorithm's keys.
    pub(crate) fn of_its_keys(&self) -> AlgorithmIdentifierOwned {
        AlgorithmIdentifierOwned { parameters: self.parameters.any(), ..bare(self.oid) }
    }

    /// Returns the AlgorithmIdentifier for the algorithm's signatures.
    pub(crate) fn of_its_signatures(&self) -> AlgorithmIdentifierOwned {
        let (oid, parameters) = self.named_in_signatures();
        AlgorithmIdentifierOwned { parameters: parameters.any(), ..bare(oid) }
    }

    /// Returns the length of a public key in bytes.
    pub(super) fn public_key(&self) -> usize {
        let kem = KemParameters::of(self.algorithm).map(|kem| kem.encapsulation_key);
        let signature = SignatureParameters::of(self.algorithm).map(|scheme| scheme.verifying_key);
        kem.or(signature).unwrap_or_default()
    }

    /// Returns the length of a private key in an encoding, in bytes. If the length varies, returns the maximum.
    pub(super) fn private_key(&self, encoding: KeyEncoding) -> usize {
        let kem = KemParameters::of(self.algorithm).and_then(|kem| kem.decapsulation_key(encoding));
        let signature = SignatureParameters::of(self.algorithm).and_then(|scheme| scheme.signing_key(encoding));
        kem.or(signature).unwrap_or_default()
    }

    /// Returns the encoding of the short private key: the seed, if the algorithm has one.
    pub(super) fn short(&self) -> KeyEncoding {
        match self.private {
            EllipticCurve => KeyEncoding::Scalar,
            Rsa => KeyEncoding::Der,
            _ if self.algorithm == "X25519" => KeyEncoding::Scalar,
            _ => KeyEncoding::Seed,
        }
    }
}
