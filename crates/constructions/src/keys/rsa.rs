//! Names RSA keys by size and exponent, for error messages.

use super::asn1::{INTEGER, SEQUENCE, element, elements};
use der::asn1::UintRef;
use der::{Decode, SliceReader, Tag};

/// Name of the only supported kind of RSA key.
pub(super) const SUPPORTED: &str = "RSA-2048";
/// Description of the supported keys for error messages.
pub(super) const REQUIRED: &str = "RSA-2048 with the exponent 65537";
/// Usual public exponent: 65537, big-endian.
const EXPONENT: &[u8] = &[1, 0, 1];
/// Number of integers in an RSAPrivateKey, including the version.
const PRIVATE_PARTS: usize = 9;

/// Returns the name of an RSAPublicKey (RFC 8017, appendix A.1.1), such as `RSA-3072` or `RSA-2048 with exponent 3`.
/// Returns `None` if the bytes are not an RSAPublicKey.
pub(super) fn public_name(der: &[u8]) -> Option<String> {
    name(der, false)
}

/// Returns the name of an RSAPrivateKey (RFC 8017, appendix A.1.2), such as `RSA-2048 with more than two primes`.
pub(super) fn private_name(der: &[u8]) -> Option<String> {
    name(der, true)
}

/// Returns whether the bytes have the structure of an RSAPrivateKey: version 0 and eight integers, or version 1, eight
/// integers and the additional primes.
pub(super) fn is_private(der: &[u8]) -> bool {
    let Some((SEQUENCE, content, [])) = element(der) else { return false };
    let parts = elements(content, PRIVATE_PARTS + 2);
    let (integers, others) = parts.split_at(parts.len().min(PRIVATE_PARTS));
    let version = integers.first().map(|(_, version)| *version);
    integers.len() == PRIVATE_PARTS
        && integers.iter().all(|(tag, _)| *tag == INTEGER)
        && matches!((version, others), (Some([0]), []) | (Some([1]), [(SEQUENCE, _)]))
}

fn name(der: &[u8], private: bool) -> Option<String> {
    let mut reader = SliceReader::new(der).ok()?;
    let header = der::Header::decode(&mut reader).ok()?;
    if header.tag() != Tag::Sequence {
        return None;
    }
    // Version 1 means more than two primes.
    let multi_prime = private
        && match u8::decode(&mut reader).ok()? {
            0 => false,
            1 => true,
            _ => return None,
        };
    let (modulus, exponent) = (UintRef::decode(&mut reader).ok()?, UintRef::decode(&mut reader).ok()?);
    let first = modulus.as_bytes().first()?;
    let bits = 8 * modulus.as_bytes().len() - first.leading_zeros() as usize;
    Some(match exponent.as_bytes() {
        _ if multi_prime => format!("RSA-{bits} with more than two primes"),
        EXPONENT => format!("RSA-{bits}"),
        [small] => format!("RSA-{bits} with exponent {small}"),
        _ => format!("RSA-{bits} with an unusual exponent"),
    })
}
