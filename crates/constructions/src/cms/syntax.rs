//! ASN.1 structures of a SignedData (RFC 5652, section 5).

use super::{DigestAlgorithm, SIGNED_DATA};
use crate::keys::{DecodeError, Identifier, bare};
use const_oid::ObjectIdentifier;
use der::asn1::{Any, OctetString, SetOfVec};
use der::{Decode, Encode, Sequence, Tag, TagNumber, Tagged, ValueOrd};
use spki::AlgorithmIdentifierOwned;
use x509_cert::attr::{Attribute, Attributes};

/// Object identifier id-data.
const DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.1");
/// Object identifier id-signedData.
const SIGNED: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.2");
/// Object identifier id-contentType.
const CONTENT_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.3");
/// Object identifier id-messageDigest.
const MESSAGE_DIGEST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.4");
/// Object identifier rsaEncryption, which many signers use for signatures (RFC 5754, section 3.2).
const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
/// Tag of a subject key identifier in a SignerIdentifier.
const KEY_IDENTIFIER: Tag = Tag::ContextSpecific { constructed: false, number: TagNumber(0) };

#[derive(Sequence)]
struct ContentInfo {
    content_type: ObjectIdentifier,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    content: Signed,
}

#[derive(Sequence)]
struct Signed {
    version: u8,
    digest_algorithms: SetOfVec<AlgorithmIdentifierOwned>,
    content: EncapsulatedContent,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    certificates: Option<SetOfVec<Any>>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    revocation_lists: Option<SetOfVec<Any>>,
    signers: SetOfVec<SignerInfo>,
}

#[derive(Sequence)]
struct EncapsulatedContent {
    content_type: ObjectIdentifier,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    content: Option<OctetString>,
}

#[derive(Clone, Sequence, ValueOrd)]
struct SignerInfo {
    version: u8,
    /// IssuerAndSerialNumber or `[0]` SubjectKeyIdentifier.
    signer: Any,
    digest_algorithm: AlgorithmIdentifierOwned,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    signed_attributes: Option<Attributes>,
    signature_algorithm: AlgorithmIdentifierOwned,
    signature: OctetString,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    unsigned_attributes: Option<Attributes>,
}

/// Returns the signed attributes of content of the type id-data.
pub(super) fn attributes(digest: &[u8]) -> der::Result<Attributes> {
    let digest = Any::encode_from(&OctetString::new(digest)?)?;
    let [data, digest] = [vec![Any::from(DATA)], vec![digest]].map(SetOfVec::try_from);
    SetOfVec::try_from(vec![
        Attribute { oid: CONTENT_TYPE, values: data? },
        Attribute { oid: MESSAGE_DIGEST, values: digest? },
    ])
}

/// Encodes a ContentInfo with a detached SignedData.
pub(super) fn encode(
    identifier: &Identifier,
    algorithm: &DigestAlgorithm,
    key_identifier: &[u8],
    attributes: Attributes,
    signature: &[u8],
) -> der::Result<Vec<u8>> {
    let signer = SignerInfo {
        version: 3,
        signer: Any::new(KEY_IDENTIFIER, key_identifier)?,
        digest_algorithm: bare(algorithm.oid),
        signed_attributes: Some(attributes),
        signature_algorithm: identifier.of_its_signatures(),
        signature: OctetString::new(signature)?,
        unsigned_attributes: None,
    };
    let content = Signed {
        version: 3,
        digest_algorithms: SetOfVec::try_from(vec![bare(algorithm.oid)])?,
        content: EncapsulatedContent { content_type: DATA, content: None },
        certificates: None,
        revocation_lists: None,
        signers: SetOfVec::try_from(vec![signer])?,
    };
    ContentInfo { content_type: SIGNED, content }.to_der()
}

/// Parts of a SignedData that a verifier needs.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) identifier: &'static Identifier,
    pub(super) algorithm: &'static DigestAlgorithm,
    /// Subject key identifier; `None` if the signer is named by its certificate's issuer and serial number.
    pub(super) key_identifier: Option<Vec<u8>>,
    /// Signed attributes, encoded as the signature covers them.
    pub(super) attributes: Vec<u8>,
    /// Digest of the content, from the signed attributes.
    pub(super) digest: Vec<u8>,
    pub(super) signature: Vec<u8>,
    pub(super) content: Option<Vec<u8>>,
}

impl Parts {
    /// Decodes a ContentInfo with a SignedData.
    pub(super) fn read(der: &[u8]) -> Result<Parts, DecodeError> {
        let failed = DecodeError::der(SIGNED_DATA);
        let info = ContentInfo::from_der(der).map_err(&failed)?;
        // The signature covers the encoded attributes, which must therefore be the received ones.
        if info.to_der().map_err(&failed)? != der {
            return Err(wrong("is not encoded in DER"));
        }
        if info.content_type != SIGNED {
            return Err(wrong("has a different content type"));
        }
        let [signer] = info.content.signers.as_slice() else {
            return Err(wrong("does not have exactly one signer"));
        };
        let (version, key_identifier) = match signer.signer.tag() {
            KEY_IDENTIFIER => (3, Some(signer.signer.value().to_vec())),
            Tag::Sequence => (1, None),
            _ => return Err(wrong("has an unknown kind of signer identifier")),
        };
        let content = info.content.content;
        let expected = if content.content_type == DATA { version } else { 3 };
        if signer.version != version || info.content.version != expected {
            return Err(wrong("has a version that does not match its contents"));
        }
        let signature = &signer.signature_algorithm;
        let identifier = match signature.oid == RSA_ENCRYPTION {
            true => Identifier::of_key(SIGNED_DATA, signature)?,
            false => Identifier::of_signature(SIGNED_DATA, signature)?,
        };
        let algorithm = DigestAlgorithm::of_signature(identifier.algorithm)
            .ok_or(wrong("has a signature algorithm that pqlab does not support in CMS"))?;
        let named = [&signer.digest_algorithm].into_iter().chain(info.content.digest_algorithms.iter());
        if info.content.digest_algorithms.len() != 1 || !named.into_iter().all(|named| is(named, algorithm)) {
            return Err(wrong("has a different digest algorithm than its signature algorithm requires"));
        }
        if signer.unsigned_attributes.is_some() {
            return Err(wrong("has unsigned attributes, which are not supported"));
        }
        let attributes = signer.signed_attributes.as_ref().ok_or(wrong("has no signed attributes"))?;
        if single(attributes, CONTENT_TYPE)?.decode_as::<ObjectIdentifier>().map_err(&failed)? != content.content_type {
            return Err(wrong("has a signed attribute with a different content type"));
        }
        let digest = single(attributes, MESSAGE_DIGEST)?.decode_as::<OctetString>().map_err(&failed)?;
        Ok(Parts {
            identifier,
            algorithm,
            key_identifier,
            attributes: attributes.to_der().map_err(&failed)?,
            digest: digest.as_bytes().to_vec(),
            signature: signer.signature.as_bytes().to_vec(),
            content: content.content.map(|content| content.as_bytes().to_vec()),
        })
    }
}

/// Returns whether an AlgorithmIdentifier names a digest algorithm. Its parameters are absent or NULL (RFC 5754, section
/// 2).
fn is(named: &AlgorithmIdentifierOwned, algorithm: &DigestAlgorithm) -> bool {
    named.oid == algorithm.oid && named.parameters.as_ref().is_none_or(Any::is_null)
}

/// Returns the value of an attribute, which must occur once with a single value (RFC 5652, section 11).
fn single(attributes: &Attributes, oid: ObjectIdentifier) -> Result<&Any, DecodeError> {
    let mut found = attributes.iter().filter(|attribute| attribute.oid == oid);
    match (found.next().map(|attribute| attribute.values.as_slice()), found.next()) {
        (Some([value]), None) => Ok(value),
        _ => Err(wrong("does not have exactly one content type and one digest in its signed attributes")),
    }
}

fn wrong(problem: &'static str) -> DecodeError {
    DecodeError::Structure { what: SIGNED_DATA, problem }
}
