//! Object identifiers of the algorithms whose keys and signatures are written down. None has parameters.

use super::{DecodeError, bare};
use der::asn1::ObjectIdentifier;
use pqlab_primitives::{KemParameters, KeyEncoding, SignatureParameters};
use spki::AlgorithmIdentifierOwned;

/// An algorithm as X.509 and PKCS #8 name it.
#[derive(Debug, PartialEq, Eq)]
pub struct Identifier {
    /// The algorithm's name, as in the tables of parameters.
    pub algorithm: &'static str,
    /// The object identifier.
    pub oid: ObjectIdentifier,
    pub(super) private: PrivateLayout,
}

/// What PKCS #8's privateKey holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrivateLayout {
    /// The bytes themselves (X-Wing, composites).
    Raw,
    /// An OCTET STRING of them (RFC 8410, section 7).
    Curve,
    /// `CHOICE { seed [0], expandedKey, both }` (RFC 9881, section 6; RFC 9935, section 6).
    Choice,
}

const fn identifier(algorithm: &'static str, oid: &str, private: PrivateLayout) -> Identifier {
    Identifier { algorithm, oid: ObjectIdentifier::new_unwrap(oid), private }
}

use PrivateLayout::{Choice, Curve, Raw};

/// RFC 9881, RFC 9935, RFC 8410, draft-connolly-cfrg-xwing-kem, draft-ietf-lamps-pq-composite-kem and -sigs.
static IDENTIFIERS: [Identifier; 11] = [
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
];

impl Identifier {
    /// The identifier of an algorithm, by name; `None` for one that no standard gives an identifier for a key.
    pub fn named(algorithm: &str) -> Option<&'static Identifier> {
        IDENTIFIERS.iter().find(|identifier| identifier.algorithm == algorithm)
    }

    /// The algorithm that an identifier names.
    ///
    /// # Errors
    /// [`DecodeError::Algorithm`] for one that is not known, or that carries parameters.
    pub(crate) fn of(
        what: &'static str,
        identifier: &AlgorithmIdentifierOwned,
    ) -> Result<&'static Identifier, DecodeError> {
        let wrong = |problem| DecodeError::Algorithm { what, oid: identifier.oid.to_string(), problem };
        let known = IDENTIFIERS.iter().find(|known| known.oid == identifier.oid);
        let known = known.ok_or_else(|| wrong("which is not known here"))?;
        if identifier.parameters.is_some() { Err(wrong("whose parameters must be absent")) } else { Ok(known) }
    }

    pub(crate) fn algorithm_identifier(&self) -> AlgorithmIdentifierOwned {
        bare(self.oid)
    }

    /// Length of a public key in bytes.
    pub(super) fn public_key(&self) -> usize {
        let kem = KemParameters::of(self.algorithm).map(|kem| kem.encapsulation_key);
        let signature = SignatureParameters::of(self.algorithm).map(|scheme| scheme.verifying_key);
        kem.or(signature).unwrap_or_default()
    }

    /// Length of a private key in an encoding, in bytes.
    pub(super) fn private_key(&self, encoding: KeyEncoding) -> usize {
        let kem = KemParameters::of(self.algorithm).and_then(|kem| kem.decapsulation_key(encoding));
        let signature = SignatureParameters::of(self.algorithm).and_then(|scheme| scheme.signing_key(encoding));
        kem.or(signature).unwrap_or_default()
    }

    /// The encoding of the private key that stands for the short form: X25519's is a scalar, all others are seeds.
    pub(super) fn short(&self) -> KeyEncoding {
        if self.algorithm == "X25519" { KeyEncoding::Scalar } else { KeyEncoding::Seed }
    }
}
