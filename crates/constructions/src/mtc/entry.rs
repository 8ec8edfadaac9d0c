//! Entries of a log, and the certificates that prove them (draft-ietf-plants-merkle-tree-certs-07, sections 5.2.1 and
//! 6.2).

use super::LOG;
use super::cosign::TrustAnchorId;
use super::tree::{Digest, HASH, Subtree, digest, leaf_hash};
use crate::certificate::{CertificateError, SubjectType, constraints, extension, time, usage};
use crate::keys::{DecodeError, PublicKey};
use const_oid::{AssociatedOid, ObjectIdentifier};
use der::asn1::{AnyRef, Ia5String};
use der::{Encode, Tag, TagNumber};
use pqlab_primitives::Hash;
use std::str::FromStr;
use std::time::Duration;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{BasicConstraints, KeyUsage, SubjectAltName};
use x509_cert::name::Name;
use x509_cert::time::Validity;

/// Object identifier id-alg-mtcProof.
const MTC_PROOF: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.6.67");
/// Object identifier id-rdna-trustAnchorID.
const TRUST_ANCHOR_ID: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.25.3");
/// DER of the field `version`: version 3.
const VERSION: [u8; 5] = [0xa0, 0x03, 0x02, 0x01, 0x02];
/// Start of an MTCLogEntry: no extensions, and the type tbs_cert_entry.
const TBS_CERT_ENTRY: [u8; 4] = [0, 0, 0, 1];
const EXTENSIONS: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber(3) };

/// Subject of a certificate for a server.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Distinguished name (RFC 4514).
    pub name: &'a str,
    /// DNS name.
    pub dns_name: &'a str,
    /// Start of the validity period, as the time since 1970-01-01 UTC. Fractions of a second are ignored.
    pub not_before: Duration,
    /// End of the validity period, as the time since 1970-01-01 UTC. Fractions of a second are ignored.
    pub not_after: Duration,
    /// Public key.
    pub key: &'a PublicKey,
}

/// What a certificate asserts. All fields are in DER.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Issuer, validity and subject.
    names: Vec<u8>,
    key: Vec<u8>,
    key_algorithm: Vec<u8>,
    extensions: Vec<u8>,
}

/// Proof that a log contains an entry, with the signatures that make the subtree trustworthy.
#[derive(Clone, Copy, Debug)]
pub struct Proof<'a> {
    /// Subtree that contains the entry.
    pub subtree: Subtree,
    /// Inclusion proof of the entry in the subtree.
    pub hashes: &'a [Digest],
    /// Signatures from [`cosign`](super::cosign). Empty in a landmark-relative certificate.
    pub signatures: &'a [u8],
}

impl Entry {
    /// Creates the entry for a subject. The issuer is the CA with this ID.
    ///
    /// # Errors
    /// [`CertificateError::Decode`] if a name or time cannot be encoded.
    pub fn new(ca: &TrustAnchorId, subject: &Subject) -> Result<Entry, CertificateError> {
        let validity: Validity = Validity::new(time(subject.not_before)?, time(subject.not_after)?);
        let name = Name::from_str(subject.name)?;
        let dns_name = GeneralName::DnsName(Ia5String::new(subject.dns_name)?);
        let extensions = vec![
            extension(BasicConstraints::OID, true, &constraints(SubjectType::Leaf))?,
            extension(KeyUsage::OID, true, &usage(SubjectType::Leaf))?,
            extension(SubjectAltName::OID, false, &SubjectAltName(vec![dns_name]))?,
        ];
        let info = subject.key.info()?;
        Ok(Entry {
            names: [issuer(ca)?, validity.to_der()?, name.to_der()?].concat(),
            key: info.to_der()?,
            key_algorithm: info.algorithm.to_der()?,
            extensions: element(EXTENSIONS, &extensions.to_der()?)?,
        })
    }

    /// Returns the hash of the MTCLogEntry, which is a leaf of the log's tree.
    ///
    /// # Errors
    /// Propagates errors from the hash function.
    pub fn leaf(&self, sha256: &dyn Hash) -> pqlab_primitives::Result<Digest> {
        let key = digest(sha256, &self.key)?;
        let head = [&TBS_CERT_ENTRY[..], &VERSION, &self.names, &self.key_algorithm].concat();
        // The hash of the key is an OCTET STRING.
        leaf_hash(sha256, &[&head[..], &[0x04, HASH as u8], &key, &self.extensions].concat())
    }

    /// Returns the certificate of the entry with this index, in DER.
    ///
    /// # Errors
    /// [`CertificateError::Decode`] if a field is too long.
    pub fn certificate(&self, index: u64, proof: &Proof) -> Result<Vec<u8>, CertificateError> {
        let algorithm = element(Tag::Sequence, &MTC_PROOF.to_der()?)?;
        let serial_number = (u64::from(LOG) << 48 | index).to_der()?;
        let fields = [&VERSION[..], &serial_number, &algorithm, &self.names, &self.key, &self.extensions];
        let tbs = element(Tag::Sequence, &fields.concat())?;
        // A BIT STRING starts with the number of unused bits.
        let value = element(Tag::BitString, &[&[0], &proof.encode()?[..]].concat())?;
        Ok(element(Tag::Sequence, &[tbs, algorithm, value].concat())?)
    }
}

impl Proof<'_> {
    /// Returns the MTCProof of an entry without extensions.
    ///
    /// # Errors
    /// [`CertificateError::Decode`] if a field is too long.
    pub fn encode(&self) -> Result<Vec<u8>, CertificateError> {
        let entries = self.subtree.entries();
        let hashes = self.hashes.concat();
        Ok([
            &number::<2>(0)?[..],
            &number::<6>(entries.start)?,
            &number::<6>(entries.end)?,
            &number::<2>(hashes.len() as u64)?,
            &hashes,
            &number::<3>(self.signatures.len() as u64)?,
            self.signatures,
        ]
        .concat())
    }
}

/// Encodes a number in `LENGTH` bytes.
fn number<const LENGTH: usize>(value: u64) -> Result<[u8; LENGTH], CertificateError> {
    let bytes = value.to_be_bytes();
    let (head, tail) = bytes.split_at(bytes.len() - LENGTH);
    match tail.try_into() {
        Ok(tail) if head.iter().all(|byte| *byte == 0) => Ok(tail),
        _ => Err(DecodeError::Structure { what: "MTCProof", problem: "has a field that is too long" }.into()),
    }
}

/// Returns the distinguished name of a CA: a single attribute with its trust anchor ID.
fn issuer(ca: &TrustAnchorId) -> der::Result<Vec<u8>> {
    let attribute = [TRUST_ANCHOR_ID.to_der()?, element(Tag::RelativeOid, &ca.encode())?].concat();
    element(Tag::Sequence, &element(Tag::Set, &element(Tag::Sequence, &attribute)?)?)
}

/// Encodes an element with these contents.
fn element(tag: Tag, contents: &[u8]) -> der::Result<Vec<u8>> {
    AnyRef::new(tag, contents)?.to_der()
}
