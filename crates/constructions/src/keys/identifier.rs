//! Object identifiers of algorithms that have a standard key encoding. Most algorithms use the same identifier for keys
//! and signatures, without parameters.

use super::names::{algorithm_name, with_name};
use super::{DecodeError, bare};
use der::asn1::{Any, Null, ObjectIdentifier};
use pqlab_primitives::{KemParameters, KeyEncoding, SignatureParameters};
use spki::AlgorithmIdentifierOwned;

/// Identifiers and private key layout of an algorithm in X.509 and PKCS #8.
#[derive(Debug, PartialEq, Eq)]
pub struct Identifier {
    /// Name of the algorithm, as in [`KemParameters`] and [`SignatureParameters`].
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

/// Layout of the `privateKey` field in PKCS #8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrivateLayout {
    /// Raw bytes (SLH-DSA: RFC 9909, section 6; X-Wing, composites).
    Raw,
    /// OCTET STRING that contains the bytes (RFC 8410, section 7).
    Curve,
    /// `CHOICE { seed [0], expandedKey, both }` (RFC 9881, section 6; RFC 9935, section 6).
    Choice,
    /// ECPrivateKey (RFC 5915, section 3). Keys that pqlab creates contain only the scalar.
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

/// Curve P-256: prime256v1 (RFC 5480, section 2.1.1.1).
const P256: Parameters = Parameters::Curve(ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7"));
/// Object identifiers of ECDSA: id-ecPublicKey for keys, ecdsa-with-SHA256 for signatures (RFC 5758, section 3.2).
const ECDSA: [&str; 2] = ["1.2.840.10045.2.1", "1.2.840.10045.4.3.2"];
/// Object identifiers of RSA: rsaEncryption for keys, sha256WithRSAEncryption for signatures.
const RSA: [&str; 2] = ["1.2.840.113549.1.1.1", "1.2.840.113549.1.1.11"];

/// Identifiers from RFC 5480, RFC 8017, RFC 9881, RFC 9909, RFC 9935, RFC 8410, draft-connolly-cfrg-xwing-kem,
/// draft-ietf-lamps-pq-composite-kem and draft-ietf-lamps-pq-composite-sigs.
static IDENTIFIERS: [Identifier; 25] = [
    identifier("ML-DSA-44", "2.16.840.1.101.3.4.3.17", Choice),
    identifier("ML-DSA-65", "2.16.840.1.101.3.4.3.18", Choice),
    identifier("ML-DSA-87", "2.16.840.1.101.3.4.3.19", Choice),
    identifier("ML-KEM-512", "2.16.840.1.101.3.4.4.1", Choice),
    identifier("ML-KEM-768", "2.16.840.1.101.3.4.4.2", Choice),
    identifier("ML-KEM-1024", "2.16.840.1.101.3.4.4.3", Choice),
    identifier("SLH-DSA-SHA2-128s", "2.16.840.1.101.3.4.3.20", Raw),
    identifier("SLH-DSA-SHA2-128f", "2.16.840.1.101.3.4.3.21", Raw),
    identifier("SLH-DSA-SHA2-192s", "2.16.840.1.101.3.4.3.22", Raw),
    identifier("SLH-DSA-SHA2-192f", "2.16.840.1.101.3.4.3.23", Raw),
    identifier("SLH-DSA-SHA2-256s", "2.16.840.1.101.3.4.3.24", Raw),
    identifier("SLH-DSA-SHA2-256f", "2.16.840.1.101.3.4.3.25", Raw),
    identifier("SLH-DSA-SHAKE-128s", "2.16.840.1.101.3.4.3.26", Raw),
    identifier("SLH-DSA-SHAKE-128f", "2.16.840.1.101.3.4.3.27", Raw),
    identifier("SLH-DSA-SHAKE-192s", "2.16.840.1.101.3.4.3.28", Raw),
    identifier("SLH-DSA-SHAKE-192f", "2.16.840.1.101.3.4.3.29", Raw),
    identifier("SLH-DSA-SHAKE-256s", "2.16.840.1.101.3.4.3.30", Raw),
    identifier("SLH-DSA-SHAKE-256f", "2.16.840.1.101.3.4.3.31", Raw),
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
    /// [`DecodeError::Algorithm`] if the identifier is unknown or its parameters do not match;
    /// [`DecodeError::Unsupported`] for curves other than P-256.
    pub(crate) fn of_key(
        what: &'static str,
        identifier: &AlgorithmIdentifierOwned,
    ) -> Result<&'static Identifier, DecodeError> {
        Identifier::find(what, identifier, |known| (known.oid, known.parameters))
    }

    /// Returns the algorithm of ECDSA keys on a curve.
    ///
    /// # Errors
    /// Same as [`of_key`](Self::of_key).
    pub(super) fn of_curve(what: &'static str, curve: ObjectIdentifier) -> Result<&'static Identifier, DecodeError> {
        let parameters = Parameters::Curve(curve).any();
        Identifier::of_key(
            what,
            &AlgorithmIdentifierOwned { parameters, ..bare(ObjectIdentifier::new_unwrap(ECDSA[0])) },
        )
    }

    /// Returns the algorithm of RSA keys.
    ///
    /// # Errors
    /// Same as [`of_key`](Self::of_key).
    pub(super) fn of_rsa(what: &'static str) -> Result<&'static Identifier, DecodeError> {
        let parameters = Parameters::Null.any();
        Identifier::of_key(what, &AlgorithmIdentifierOwned { parameters, ..bare(ObjectIdentifier::new_unwrap(RSA[0])) })
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
        let Some(known) = known else {
            let named = algorithm_name(&identifier.oid.to_string()).is_some();
            return Err(wrong(if named { "which is not supported" } else { "which is unknown" }));
        };
        let expected = name(known).1;
        if expected.any() == identifier.parameters {
            return Ok(known);
        }
        let Parameters::Curve(_) = expected else {
            return Err(wrong(match (expected, &identifier.parameters) {
                (Parameters::Absent, Some(parameters)) if parameters.is_null() => {
                    "whose parameters must be absent, but are NULL"
                }
                (Parameters::Absent, _) => "whose parameters must be absent",
                _ => "whose parameters must be NULL",
            }));
        };
        let curve = identifier.parameters.as_ref().and_then(|any| any.decode_as::<ObjectIdentifier>().ok());
        Err(match curve {
            Some(curve) => DecodeError::Unsupported {
                what,
                found: format!("on the curve {}", with_name(&curve.to_string())),
                supported: "P-256",
            },
            None => wrong("whose parameters do not name a curve"),
        })
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

    /// Returns the object identifier of the keys' curve, if the algorithm names a curve in its parameters.
    pub(super) fn curve(&self) -> Option<ObjectIdentifier> {
        if let Parameters::Curve(curve) = self.parameters { Some(curve) } else { None }
    }

    /// Returns the length of a public key in bytes.
    pub(super) fn public_key(&self) -> usize {
        let kem = KemParameters::find(self.algorithm).map(|kem| kem.encapsulation_key);
        let signature = SignatureParameters::find(self.algorithm).map(|scheme| scheme.verifying_key);
        kem.or(signature).unwrap_or_default()
    }

    /// Returns the length in bytes of a private key in the given encoding. If the length varies, returns the maximum.
    pub(super) fn private_key(&self, encoding: KeyEncoding) -> usize {
        let kem = KemParameters::find(self.algorithm).and_then(|kem| kem.decapsulation_key(encoding));
        let signature = SignatureParameters::find(self.algorithm).and_then(|scheme| scheme.signing_key(encoding));
        kem.or(signature).unwrap_or_default()
    }

    /// Returns the shortest encoding of a private key: the seed if the algorithm has one, otherwise the only encoding.
    pub(super) fn short(&self) -> KeyEncoding {
        match self.private {
            EllipticCurve => KeyEncoding::Scalar,
            Rsa => KeyEncoding::Der,
            _ if self.algorithm == "X25519" => KeyEncoding::Scalar,
            _ if self.algorithm.starts_with("SLH-DSA") => KeyEncoding::Expanded,
            _ => KeyEncoding::Seed,
        }
    }
}
