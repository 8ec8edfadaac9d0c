//! ASN.1 structures covered by signatures, and the extensions for the alternative signature (X.509 (10/2019), clause
//! 9.8).

use super::CERTIFICATE;
use crate::keys::{DecodeError, Identifier, PublicKey};
use const_oid::ObjectIdentifier;
use der::asn1::{AnyRef, BitString, OctetString};
use der::{Decode, Encode, Header, Reader, Sequence, SliceReader, Tag};
use spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use std::ops::Range;
use x509_cert::certificate::Version;
use x509_cert::ext::Extension;
use x509_cert::name::Name;
use x509_cert::serial_number::SerialNumber;
use x509_cert::time::Validity;

/// Object identifier of the extension subjectAltPublicKeyInfo.
pub(super) const ALT_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.72");
/// Object identifier of the extension altSignatureAlgorithm.
pub(super) const ALT_ALGORITHM: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.73");
/// Object identifier of the extension altSignatureValue.
pub(super) const ALT_VALUE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.74");

/// TBSCertificate (RFC 5280, section 4.1.2). Defined here because `x509-cert` creates its own type only through a
/// builder, which does not support signatures over part of a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub(super) struct Tbs {
    #[asn1(context_specific = "0", default = "Default::default")]
    pub(super) version: Version,
    pub(super) serial_number: SerialNumber,
    pub(super) signature: AlgorithmIdentifierOwned,
    pub(super) issuer: Name,
    pub(super) validity: Validity,
    pub(super) subject: Name,
    pub(super) subject_public_key_info: SubjectPublicKeyInfoOwned,
    #[asn1(context_specific = "3", tag_mode = "EXPLICIT", optional = "true")]
    pub(super) extensions: Option<Vec<Extension>>,
}

/// The part of a TBSCertificate that the alternative signature covers (PreTBSCertificate, X.509, clause 9.8.4). Lacks
/// only the `signature` field and the extension with the alternative signature.
#[derive(Sequence)]
struct PreTbs {
    #[asn1(context_specific = "0", default = "Default::default")]
    version: Version,
    serial_number: SerialNumber,
    issuer: Name,
    validity: Validity,
    subject: Name,
    subject_public_key_info: SubjectPublicKeyInfoOwned,
    #[asn1(context_specific = "3", tag_mode = "EXPLICIT", optional = "true")]
    extensions: Option<Vec<Extension>>,
}

/// Certificate whose TBSCertificate is already encoded.
#[derive(Sequence)]
struct Signed<'a> {
    tbs: AnyRef<'a>,
    algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
}

impl Tbs {
    /// Returns the bytes that the alternative signature covers.
    pub(super) fn without_signatures(&self) -> der::Result<Vec<u8>> {
        let others = |extensions: &Vec<Extension>| {
            extensions.iter().filter(|extension| extension.extn_id != ALT_VALUE).cloned().collect()
        };
        PreTbs {
            version: self.version,
            serial_number: self.serial_number.clone(),
            issuer: self.issuer.clone(),
            validity: self.validity,
            subject: self.subject.clone(),
            subject_public_key_info: self.subject_public_key_info.clone(),
            extensions: self.extensions.as_ref().map(others),
        }
        .to_der()
    }
}

/// Returns the byte range of the TBSCertificate and its parsed form. Fails if re-encoding the parsed form yields
/// different bytes, because a signature over the original bytes would then not cover the parsed form.
pub(super) fn read_tbs(der: &[u8]) -> Result<(Range<usize>, Tbs), DecodeError> {
    let failed = DecodeError::der(CERTIFICATE);
    let mut reader = SliceReader::new(der).map_err(&failed)?;
    let outer = Header::decode(&mut reader).map_err(&failed)?;
    outer.tag().assert_eq(Tag::Sequence).map_err(&failed)?;
    let start = usize::try_from(reader.position()).map_err(&failed)?;
    let bytes = reader.tlv_bytes().map_err(&failed)?;
    let tbs = Tbs::from_der(bytes).map_err(&failed)?;
    if tbs.to_der().map_err(&failed)? != bytes {
        return Err(DecodeError::Structure { what: CERTIFICATE, problem: "is not encoded in DER" });
    }
    Ok((start..start + bytes.len(), tbs))
}

/// Assembles a certificate from an encoded TBSCertificate and a signature, and returns its DER.
pub(super) fn assemble(tbs: &[u8], algorithm: &Identifier, signature: &[u8]) -> der::Result<Vec<u8>> {
    Signed {
        tbs: AnyRef::from_der(tbs)?,
        algorithm: algorithm.of_its_signatures(),
        signature: BitString::from_bytes(signature)?,
    }
    .to_der()
}

/// The subject's alternative key and the alternative signature, read from a certificate's extensions. At least one of
/// the two is present.
#[derive(Clone, Debug)]
pub(super) struct Alternative {
    pub(super) subject_key: Option<PublicKey>,
    pub(super) signature: Option<(&'static Identifier, Vec<u8>)>,
}

impl Alternative {
    /// Reads the extensions for alternative keys and signatures. Returns `None` if none of them is present.
    pub(super) fn read(tbs: &Tbs) -> Result<Option<Alternative>, DecodeError> {
        let failed = DecodeError::der(CERTIFICATE);
        let wrong = |problem| DecodeError::Structure { what: CERTIFICATE, problem };
        let extensions = tbs.extensions.as_deref().unwrap_or_default();
        for (place, extension) in extensions.iter().enumerate() {
            // RFC 5280, section 4.2: an extension must not appear twice.
            if extensions[..place].iter().any(|earlier| earlier.extn_id == extension.extn_id) {
                return Err(wrong("has a duplicate extension"));
            }
        }
        let find = |oid| extensions.iter().find(|extension| extension.extn_id == oid);
        let subject_key = find(ALT_KEY).map(|extension| {
            let info = SubjectPublicKeyInfoOwned::from_der(extension.extn_value.as_bytes()).map_err(&failed)?;
            PublicKey::from_info(&info)
        });
        let algorithm = find(ALT_ALGORITHM).map(|extension| {
            let algorithm = AlgorithmIdentifierOwned::from_der(extension.extn_value.as_bytes()).map_err(&failed)?;
            Identifier::of_signature("alternative signature", &algorithm)
        });
        let value = find(ALT_VALUE).map(|extension| {
            let value = BitString::from_der(extension.extn_value.as_bytes()).map_err(&failed)?;
            value.as_bytes().map(<[u8]>::to_vec).ok_or(wrong("has unused bits in the alternative signature"))
        });
        let signature = match (algorithm.transpose()?, value.transpose()?) {
            (None, None) => None,
            (Some(algorithm), Some(value)) => Some((algorithm, value)),
            _ => return Err(wrong("has an alternative signature or its algorithm, but not both")),
        };
        let subject_key = subject_key.transpose()?;
        Ok((subject_key.is_some() || signature.is_some()).then_some(Alternative { subject_key, signature }))
    }
}

pub(crate) fn extension(oid: ObjectIdentifier, critical: bool, value: &impl Encode) -> der::Result<Extension> {
    Ok(Extension { extn_id: oid, critical, extn_value: OctetString::new(value.to_der()?)? })
}
