//! Builds certificates.

use super::syntax::{ALT_ALGORITHM, ALT_KEY, ALT_VALUE, Tbs, assemble, extension};
use super::{CertificateError, ecdsa};
use crate::keys::{DecodeError, Identifier, KEY_IDENTIFIER, PublicKey};
use const_oid::AssociatedOid;
use der::Encode;
use der::asn1::{BitString, Ia5String, OctetString};
use pqlab_primitives::{Coins, SigningKey};
use std::str::FromStr;
use std::time::Duration;
use x509_cert::certificate::Version;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, KeyUsage, KeyUsages, SubjectAltName, SubjectKeyIdentifier,
};
use x509_cert::name::Name;
use x509_cert::serial_number::SerialNumber;
use x509_cert::time::{Time, Validity};

/// Role of a certificate's subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectType {
    /// Certification authority, which may sign certificates. At most `path_length` intermediate certificates may follow
    /// in a chain. `None` means no limit.
    Authority {
        /// pathLenConstraint (RFC 5280, section 4.2.1.9).
        path_length: Option<u8>,
    },
    /// End entity, which may sign anything except certificates.
    Leaf,
}

/// Contents of a certificate, except the keys.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Serial number: positive, at most 20 bytes, big-endian.
    pub serial_number: Vec<u8>,
    /// Distinguished name of the issuer (RFC 4514), such as `CN=Root,O=Example`.
    pub issuer: String,
    /// Distinguished name of the subject (RFC 4514).
    pub subject: String,
    /// Start of the validity period, as the time since 1970-01-01 UTC. Fractions of a second are ignored.
    pub not_before: Duration,
    /// End of the validity period, as the time since 1970-01-01 UTC. Fractions of a second are ignored.
    pub not_after: Duration,
    /// Key identifier of the subject (RFC 5280, section 4.2.1.2), for example from [`PublicKey::key_identifier`].
    pub subject_key_identifier: [u8; KEY_IDENTIFIER],
    /// Subject key identifier in the issuer's certificate (RFC 5280, section 4.2.1.1).
    pub authority_key_identifier: [u8; KEY_IDENTIFIER],
    /// DNS names of the subject.
    pub dns_names: Vec<String>,
    /// Role of the subject.
    pub subject_type: SubjectType,
}

/// The issuer's signing algorithms and keys.
pub enum SigningKeys<'a> {
    /// One signature, pure or composite.
    Single(&'static Identifier, &'a dyn SigningKey),
    /// An alternative signature in the extensions, and a classical signature that also covers the extensions.
    Alternative {
        /// Algorithm and key of the classical signature.
        classical: (&'static Identifier, &'a dyn SigningKey),
        /// Algorithm and key of the alternative signature.
        alternative: (&'static Identifier, &'a dyn SigningKey),
    },
}

/// Builds a certificate and returns its DER. Pass an alternative subject key if and only if the issuer signs with an
/// alternative key. `coins` goes to the signature schemes; `Coins::Exact(&[])` requests deterministic signatures.
///
/// # Errors
/// [`CertificateError::Decode`] if a name, number or time cannot be encoded. Propagates errors from the signing
/// library.
pub fn build(
    profile: &Profile,
    subject_key: &PublicKey,
    alternative_key: Option<&PublicKey>,
    keys: &SigningKeys,
    coins: Coins,
) -> Result<Vec<u8>, CertificateError> {
    let (identifier, signer) = match keys {
        SigningKeys::Single(identifier, key) => (*identifier, *key),
        SigningKeys::Alternative { classical, .. } => *classical,
    };
    let mut extensions = vec![
        extension(BasicConstraints::OID, true, &constraints(profile.subject_type))?,
        extension(KeyUsage::OID, true, &usage(profile.subject_type))?,
        extension(
            SubjectKeyIdentifier::OID,
            false,
            &SubjectKeyIdentifier(OctetString::new(profile.subject_key_identifier)?),
        )?,
        extension(
            AuthorityKeyIdentifier::OID,
            false,
            &AuthorityKeyIdentifier {
                key_identifier: Some(OctetString::new(profile.authority_key_identifier)?),
                ..AuthorityKeyIdentifier::default()
            },
        )?,
    ];
    if !profile.dns_names.is_empty() {
        let names: der::Result<Vec<GeneralName>> =
            profile.dns_names.iter().map(|name| Ok(GeneralName::DnsName(Ia5String::new(name)?))).collect();
        extensions.push(extension(SubjectAltName::OID, false, &SubjectAltName(names?))?);
    }
    if let Some(key) = alternative_key {
        extensions.push(extension(ALT_KEY, false, &key.info()?)?);
    }
    if let SigningKeys::Alternative { alternative: (algorithm, _), .. } = keys {
        extensions.push(extension(ALT_ALGORITHM, false, &algorithm.of_its_signatures())?);
    }
    let mut tbs = Tbs {
        version: Version::V3,
        serial_number: SerialNumber::new(&profile.serial_number)?,
        signature: identifier.of_its_signatures(),
        issuer: Name::from_str(&profile.issuer)?,
        validity: Validity::new(time(profile.not_before)?, time(profile.not_after)?),
        subject: Name::from_str(&profile.subject)?,
        subject_public_key_info: subject_key.info()?,
        extensions: Some(extensions),
    };
    if let SigningKeys::Alternative { alternative: (algorithm, key), .. } = keys {
        let signature = sign(*key, algorithm, &tbs.without_signatures()?, coins)?;
        let value = BitString::from_bytes(&signature)?;
        tbs.extensions.get_or_insert_default().push(extension(ALT_VALUE, false, &value)?);
    }
    let tbs = tbs.to_der()?;
    let signature = sign(signer, identifier, &tbs, coins)?;
    Ok(assemble(&tbs, identifier, &signature)?)
}

/// Signs with an empty context (RFC 9881, section 3; draft-ietf-lamps-pq-composite-sigs, section 5). Returns the
/// signature in the encoding that certificates use.
pub(crate) fn sign(
    key: &dyn SigningKey,
    identifier: &Identifier,
    message: &[u8],
    coins: Coins,
) -> Result<Vec<u8>, CertificateError> {
    let parameters = pqlab_primitives::SignatureParameters::find(identifier.algorithm)
        .ok_or(CertificateError::NoScheme(identifier.algorithm))?;
    let mut signature = vec![0; parameters.signature];
    let coins = if parameters.signing_coins == 0 { Coins::Internal } else { coins };
    let length = key.sign(&[], message, coins, &mut signature)?;
    signature.truncate(length);
    Ok(if ecdsa::is(identifier) { ecdsa::to_der(&signature)? } else { signature })
}

pub(crate) fn constraints(subject_type: SubjectType) -> BasicConstraints {
    match subject_type {
        SubjectType::Authority { path_length } => BasicConstraints { ca: true, path_len_constraint: path_length },
        SubjectType::Leaf => BasicConstraints { ca: false, path_len_constraint: None },
    }
}

pub(crate) fn usage(subject_type: SubjectType) -> KeyUsage {
    KeyUsage(match subject_type {
        SubjectType::Authority { .. } => KeyUsages::KeyCertSign | KeyUsages::CRLSign,
        SubjectType::Leaf => KeyUsages::DigitalSignature.into(),
    })
}

/// Encodes a time as UTCTime until the end of 2049, and as GeneralizedTime from 2050 (RFC 5280, section 4.1.2.5).
pub(crate) fn time(since_epoch: Duration) -> Result<Time, DecodeError> {
    let failed = DecodeError::der("validity");
    let whole = Duration::from_secs(since_epoch.as_secs());
    Ok(Time::from(der::DateTime::from_unix_duration(whole).map_err(failed)?))
}
