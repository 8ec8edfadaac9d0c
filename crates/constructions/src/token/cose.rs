//! Tagged COSE_Sign1 (RFC 9052, section 4.2) with an embedded payload.

use super::{Algorithm, TokenError};
use coset::cbor::Value;
use coset::iana::{self, EnumI64};
use coset::{
    CborSerializable, CoseSign1, CoseSign1Builder, Header, HeaderBuilder, Label, RegisteredLabel,
    RegisteredLabelWithPrivate, TaggedCborSerializable,
};
use pqlab_primitives::{Coins, SigningKey, VerifyingKey};
use std::collections::BTreeSet;

const WHAT: &str = "COSE_Sign1";

fn malformed(problem: &'static str) -> TokenError {
    TokenError::Malformed { what: WHAT, problem }
}

/// Creates a token. `coins` goes to the signature scheme; `Coins::Exact(&[])` requests a deterministic signature.
///
/// # Errors
/// Propagates errors from the signing library.
pub fn make(
    algorithm: &Algorithm,
    key: &dyn SigningKey,
    key_id: Option<&[u8]>,
    payload: &[u8],
    coins: Coins,
) -> Result<Vec<u8>, TokenError> {
    CoseSign1Builder::new()
        .protected(header(algorithm, key_id))
        .payload(payload.to_vec())
        .try_create_signature(&[], |signed| algorithm.sign(key, signed, coins))?
        .build()
        .to_tagged_vec()
        .map_err(|_| malformed("cannot be encoded"))
}

/// Returns the length in bytes of the token that [`make`] returns for a payload of `payload` bytes.
pub fn length(algorithm: &Algorithm, key_id: Option<&[u8]>, payload: usize) -> usize {
    let protected = header(algorithm, key_id).to_vec().map_or(0, |header| header.len());
    // The tag, the head of the array, and the empty unprotected header take one byte each.
    3 + [protected, payload, algorithm.signature()].into_iter().map(string_len).sum::<usize>()
}

/// Returns the encoded length in bytes of a CBOR byte string with `bytes` bytes, including its head.
pub const fn string_len(bytes: usize) -> usize {
    bytes + head(bytes)
}

/// Returns the length in bytes of the shortest CBOR head for `number` (RFC 8949, section 3).
const fn head(number: usize) -> usize {
    match number {
        0..24 => 1,
        24..0x100 => 2,
        0x100..0x1_0000 => 3,
        _ => 5,
    }
}

fn header(algorithm: &Algorithm, key_id: Option<&[u8]>) -> Header {
    let header = HeaderBuilder::new().algorithm(algorithm.cose);
    match key_id {
        Some(key_id) => header.key_id(key_id.to_vec()).build(),
        None => header.build(),
    }
}

/// Returns the number of a token's algorithm if the number is not registered. Returns `None` for all other tokens and
/// for malformed input.
fn unregistered(bytes: &[u8]) -> Option<i128> {
    let token: Value = coset::cbor::from_reader(bytes).ok()?;
    let Value::Tag(_, array) = token else { return None };
    let protected = array.as_array()?.first()?.as_bytes()?;
    let header: Value = coset::cbor::from_reader(protected.as_slice()).ok()?;
    let algorithm = Value::from(iana::HeaderParameter::Alg.to_i64());
    let (_, number) = header.as_map()?.iter().find(|(label, _)| *label == algorithm)?;
    let number = i128::from(number.as_integer()?);
    let known = i64::try_from(number).is_ok_and(|number| iana::Algorithm::from_i64(number).is_some());
    (!known).then_some(number)
}

/// Returns whether the bytes are one well-formed CBOR item (RFC 8949, appendix C).
pub fn is_well_formed(bytes: &[u8]) -> bool {
    item(bytes).is_some()
}

fn item(bytes: &[u8]) -> Option<Value> {
    let mut rest = bytes;
    let value = coset::cbor::from_reader(&mut rest).ok()?;
    rest.is_empty().then_some(value)
}

/// Returns the encoded keys of a COSE_KeySet (RFC 9052, section 7): a CBOR array of maps that contain a key type.
/// Returns `None` for everything else.
pub fn key_set(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let keys = item(bytes)?.into_array().ok().filter(|keys| !keys.is_empty())?;
    let kind = Value::from(iana::KeyParameter::Kty.to_i64());
    let encode = |key: Value| {
        key.as_map()?.iter().find(|(label, _)| *label == kind)?;
        let mut bytes = Vec::new();
        coset::cbor::into_writer(&key, &mut bytes).ok()?;
        Some(bytes)
    };
    keys.into_iter().map(encode).collect()
}

/// Returns a predicate for a fault in a token's headers that hides behind a parse error. Returns `None` if there is no
/// such fault, or if the bytes are not a token.
fn header_fault(bytes: &[u8]) -> Option<&'static str> {
    let Value::Tag(_, array) = item(bytes)? else { return None };
    let array = array.into_array().ok()?;
    let protected = item(array.first()?.as_bytes()?).and_then(|header| header.into_map().ok()).unwrap_or_default();
    let headers = [&protected, array.get(1)?.as_map()?];
    let encoded = |label: &Value| {
        let mut bytes = Vec::new();
        coset::cbor::into_writer(label, &mut bytes).ok().map(|()| bytes)
    };
    let labels =
        headers.map(|header| header.iter().filter_map(|(label, _)| encoded(label)).collect::<BTreeSet<Vec<u8>>>());
    if headers.iter().zip(&labels).any(|(header, labels)| labels.len() < header.len()) {
        return Some("has a duplicate label in a header");
    }
    if !labels[0].is_disjoint(&labels[1]) {
        return Some("has the same label in both headers, which RFC 9052, section 3, forbids");
    }
    let critical = encoded(&Value::from(iana::HeaderParameter::Crit.to_i64()))?;
    labels.iter().any(|labels| labels.contains(&critical)).then_some(CRITICAL)
}

const CRITICAL: &str = "has an unsupported critical header parameter";

/// A parsed token with a signature that is not verified yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Sign1(CoseSign1);

impl Sign1 {
    /// Parses a token in any form that RFC 9052 allows. Unlike [`parse`](Self::parse), this function accepts
    /// unprotected headers, other header parameters and every encoding.
    ///
    /// # Errors
    /// [`TokenError::Malformed`] if the bytes are not a token, or if the token contains no payload, names no algorithm,
    /// or has critical header parameters (`crit`). [`TokenError::Unregistered`] if the algorithm's number is neither
    /// registered nor for private use.
    pub fn parse_any(bytes: &[u8]) -> Result<Sign1, TokenError> {
        if let Some(fault) = header_fault(bytes) {
            return Err(malformed(fault));
        }
        let read = CoseSign1::from_tagged_slice(bytes).map_err(|_| match unregistered(bytes) {
            Some(number) => TokenError::Unregistered { what: WHAT, number },
            None => malformed("is malformed or has no tag"),
        })?;
        if !read.protected.header.crit.is_empty() || !read.unprotected.crit.is_empty() {
            return Err(malformed(CRITICAL));
        }
        if read.protected.header.alg.is_none() {
            return Err(malformed("does not name its algorithm in the protected header"));
        }
        if read.payload.is_none() {
            return Err(malformed("has a detached payload, which is not supported"));
        }
        Ok(Sign1(read))
    }

    /// Parses a token.
    ///
    /// # Errors
    /// [`TokenError::Malformed`] if the bytes are not a token, or if the encoding is not deterministic.
    pub fn parse(bytes: &[u8]) -> Result<Sign1, TokenError> {
        let mut read = CoseSign1::from_tagged_slice(bytes).map_err(|_| malformed("is malformed or has no tag"))?;
        if !read.unprotected.is_empty() {
            return Err(malformed("has an unprotected header"));
        }
        let known = Header {
            alg: read.protected.header.alg.clone(),
            key_id: read.protected.header.key_id.clone(),
            ..Header::default()
        };
        if read.protected.header != known || known.alg.is_none() {
            return Err(malformed("has header parameters other than algorithm and key identifier, or no algorithm"));
        }
        if read.payload.is_none() {
            return Err(malformed("has a detached payload, which is not supported"));
        }
        // Re-encoding yields the same bytes only if the token is in deterministic encoding.
        let protected = read.protected.original_data.take();
        if !read.clone().to_tagged_vec().is_ok_and(|again| again == bytes) {
            return Err(malformed("is not encoded deterministically"));
        }
        read.protected.original_data = protected;
        Ok(Sign1(read))
    }

    /// Returns the COSE number of the algorithm that the token claims, or `None` if the token names the algorithm as
    /// text. Do not rely on this claim.
    pub fn algorithm(&self) -> Option<i64> {
        match self.0.protected.header.alg {
            Some(RegisteredLabelWithPrivate::Assigned(algorithm)) => Some(algorithm.to_i64()),
            Some(RegisteredLabelWithPrivate::PrivateUse(number)) => Some(number),
            _ => None,
        }
    }

    /// Returns the identifier of the key that must verify the token, if present.
    pub fn key_id(&self) -> Option<&[u8]> {
        let headers = [&self.0.protected.header, &self.0.unprotected];
        headers.into_iter().map(|header| header.key_id.as_slice()).find(|key_id| !key_id.is_empty())
    }

    /// Returns the length of the signature in bytes.
    pub fn signature_len(&self) -> usize {
        self.0.signature.len()
    }

    /// Returns the content type, if present: the name or the number of a media type.
    pub fn content_type(&self) -> Option<String> {
        let headers = [&self.0.protected.header, &self.0.unprotected];
        headers.into_iter().find_map(|header| header.content_type.as_ref()).map(|found| match found {
            RegisteredLabel::Text(text) => text.clone(),
            RegisteredLabel::Assigned(number) => number.to_i64().to_string(),
        })
    }

    /// Returns the labels of the header parameters other than algorithm, key identifier and content type, protected
    /// ones first. `33` is `x5chain`, and `34` is `x5t` (RFC 9360).
    pub fn other_parameters(&self) -> Vec<String> {
        let rest = self.0.protected.header.rest.iter().chain(&self.0.unprotected.rest);
        rest.map(|(label, _)| match label {
            Label::Int(number) => number.to_string(),
            Label::Text(text) => text.clone(),
        })
        .collect()
    }

    /// Verifies the signature and returns the payload.
    ///
    /// # Errors
    /// [`TokenError::Algorithm`] if the token names a different algorithm; [`TokenError::Signature`] if the signature
    /// is invalid.
    pub fn verify(&self, algorithm: &Algorithm, key: &dyn VerifyingKey) -> Result<&[u8], TokenError> {
        let named = |alg: &RegisteredLabelWithPrivate<_>| match alg {
            RegisteredLabelWithPrivate::Assigned(named) => algorithm.is_cose(*named),
            _ => false,
        };
        if !self.0.protected.header.alg.as_ref().is_some_and(named) {
            return Err(TokenError::Algorithm { what: WHAT, expected: algorithm.jose });
        }
        self.0.verify_signature(&[], |signature, signed| algorithm.verify(WHAT, key, signed, signature))?;
        Ok(self.0.payload.as_deref().unwrap_or_default())
    }
}
