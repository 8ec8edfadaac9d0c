//! Identifies the content of DER that has no PEM label.

use pqlab_constructions::keys::asn1::{
    BIT_STRING, CONTEXT_0, ENUMERATED, Element, GENERALIZED_TIME, INTEGER, OCTET_STRING, OID, SEQUENCE, UTC_TIME,
    element, elements, head,
};
use pqlab_constructions::keys::{DecodeError, PrivateKey};

/// Reads a private key from DER.
pub(super) type PrivateReader = fn(&[u8]) -> Result<PrivateKey, DecodeError>;

/// Kind of a DER structure, determined from the tags of its first elements.
pub(super) enum Shape {
    PrivateKey(PrivateReader),
    PublicKey,
    Certificate,
    Other(String),
}

/// Maximum number of DER elements to examine at one level.
const ELEMENTS: usize = 12;

pub(super) fn shape(der: &[u8]) -> Shape {
    if let Some(fault) = frame_fault(der) {
        return Shape::Other(fault);
    }
    let Some((SEQUENCE, content, [])) = element(der) else {
        return Shape::Other("DER, but not a key or a certificate".to_owned());
    };
    let parts = elements(content, ELEMENTS);
    let tags = |parts: &[Element<'_>]| parts.iter().map(|(tag, _)| *tag).collect::<Vec<u8>>();
    let content = |place: usize| parts.get(place).map_or(&[][..], |(_, content)| *content);
    let other = |reason: &str| Shape::Other(reason.to_owned());
    let all = tags(&parts);
    let integers = all.iter().take_while(|tag| **tag == INTEGER).count();
    match all[..] {
        [INTEGER, SEQUENCE, OCTET_STRING, ..] => Shape::PrivateKey(PrivateKey::from_der),
        // Multi-prime keys have one more element.
        [.., INTEGER] | [.., INTEGER, SEQUENCE] if integers == 9 => Shape::PrivateKey(PrivateKey::from_pkcs1_der),
        // X9.42: prime, base, order of the subgroup, cofactor, validation.
        [INTEGER, INTEGER, INTEGER, INTEGER | SEQUENCE] | [INTEGER, INTEGER, INTEGER, INTEGER, SEQUENCE]
            if content(0).len() >= MODULUS =>
        {
            other(DIFFIE_HELLMAN)
        }
        [.., INTEGER] if integers == all.len() => {
            let numbers: Vec<&[u8]> = parts.iter().map(|(_, number)| *number).collect();
            other(name_integers(&numbers))
        }
        [INTEGER, OCTET_STRING, ..] => Shape::PrivateKey(PrivateKey::from_sec1_der),
        [ENUMERATED] | [ENUMERATED, CONTEXT_0] => other("an OCSP response, which is not supported"),
        [INTEGER, SEQUENCE] | [INTEGER, SEQUENCE, SEQUENCE] if content(1).starts_with(&[OID]) => {
            other("PKCS #12; extract its contents with `openssl pkcs12`")
        }
        [SEQUENCE, OCTET_STRING] => other("an encrypted private key; decrypt it with `openssl pkcs8 -inform DER`"),
        [SEQUENCE, BIT_STRING] => Shape::PublicKey,
        [SEQUENCE, SEQUENCE, BIT_STRING] => match tags(&elements(content(0), 4))[..] {
            [INTEGER, SEQUENCE, SEQUENCE] | [INTEGER, SEQUENCE, SEQUENCE, CONTEXT_0] => {
                other("a certificate request, which is not supported")
            }
            [INTEGER, SEQUENCE, SEQUENCE, UTC_TIME | GENERALIZED_TIME]
            | [SEQUENCE, SEQUENCE, UTC_TIME | GENERALIZED_TIME, ..] => {
                other("a certificate revocation list, which is not supported")
            }
            _ => Shape::Certificate,
        },
        [OID, ..] => Shape::Other(encrypted_cms(der).unwrap_or(SIGNED_CMS).to_owned()),
        _ => other("DER, but not a key or a certificate"),
    }
}

const SIGNED_CMS: &str = "CMS or PKCS #7; extract its certificates with `openssl pkcs7 -print_certs -inform DER`";

/// Longest public exponent or Diffie-Hellman generator in bytes.
const SHORT: usize = 8;
/// Shortest modulus in bytes.
const MODULUS: usize = 64;

/// Longest length of a private value in bytes.
const LENGTH: usize = 2;

const DIFFIE_HELLMAN: &str = "Diffie-Hellman parameters without a key, which are not supported";

/// Names a SEQUENCE of integers that is not an RSA private key.
fn name_integers(numbers: &[&[u8]]) -> &'static str {
    match numbers {
        [modulus, [2] | [5]] if modulus.len() >= MODULUS => DIFFIE_HELLMAN,
        // PKCS #3: prime, base, and the length of the private value in bits.
        [modulus, [2] | [5], length] if modulus.len() >= MODULUS && length.len() <= LENGTH => DIFFIE_HELLMAN,
        // X9.42 has the prime, the base and the order of the subgroup; DSA has the order before the base.
        [modulus, [2] | [5], _] if modulus.len() >= MODULUS => {
            "parameters of DSA or of Diffie-Hellman (X9.42) without a key, which are not supported"
        }
        [modulus, exponent] if modulus.len() >= MODULUS && exponent.len() <= SHORT => {
            "an RSA public key in PKCS #1; convert it with `openssl rsa -RSAPublicKey_in -pubout -inform DER`"
        }
        [first, second] if (16..=67).contains(&first.len()) && first.len().abs_diff(second.len()) <= 4 => {
            "an ECDSA or DSA signature (two integers), which is not supported without a certificate or a token"
        }
        [p, base, order] if p.len() >= MODULUS && order.len() < base.len() && base.len() <= p.len() => DIFFIE_HELLMAN,
        [p, q, g] if p.len() >= MODULUS && q.len() < p.len() && g.len() <= p.len() => {
            "DSA parameters without a key, which are not supported"
        }
        [[0], _, _, _, _, _] => "a DSA private key, which is not supported",
        _ => "DER, but not a key or a certificate",
    }
}

/// Contents of the OBJECT IDENTIFIERs of encrypted CMS (RFC 5652, sections 6.1 and 8; RFC 5083, section 2.1).
const ENVELOPED: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 3];
const ENCRYPTED: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 6];
const AUTH_ENVELOPED: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 16, 1, 23];

/// Describes encrypted CMS. Returns `None` for other content types. Also accepts BER with indefinite lengths.
pub(super) fn encrypted_cms(bytes: &[u8]) -> Option<&'static str> {
    let content = match bytes {
        [SEQUENCE, 0x80, content @ ..] => content,
        _ => &bytes[head(bytes)?.1..],
    };
    match element(content)? {
        (OID, ENVELOPED | AUTH_ENVELOPED, _) => Some(
            "encrypted CMS; decrypt it with `openssl cms -decrypt -inform DER -inkey KEY -in FILE` (PEM: -inform PEM)",
        ),
        (OID, ENCRYPTED, _) => Some(
            "encrypted CMS; decrypt it with `openssl cms -EncryptedData_decrypt -inform DER -secretkey KEY -in FILE`",
        ),
        _ => None,
    }
}

/// Describes a mismatch between the outer element and the end of the bytes. Returns `None` if the lengths match.
pub(super) fn frame_fault(der: &[u8]) -> Option<String> {
    if let [SEQUENCE, 0x80, content @ ..] = der {
        if let Some(encrypted) = encrypted_cms(der) {
            return Some(format!("BER with an indefinite length: {encrypted}"));
        }
        return Some(match element(content) {
            Some((OID, ..)) => format!("BER with an indefinite length: {SIGNED_CMS}"),
            _ => {
                "BER with an indefinite length; keys and certificates must be DER, so export the file again".to_owned()
            }
        });
    }
    let Some((_, start, length)) = head(der) else {
        return Some("not DER: the length of the outer element is malformed".to_owned());
    };
    let (end, bytes) = (start + length, der.len());
    let plural = |count: usize| if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") };
    match bytes.checked_sub(end) {
        Some(0) => None,
        None => Some(format!(
            "truncated DER: the outer element has {}, but only {bytes} are present ({} missing)",
            plural(end),
            end - bytes
        )),
        Some(rest) => {
            let advice = match element(&der[end..]) {
                Some((SEQUENCE, ..)) => "put each DER structure in its own file",
                _ => "remove them",
            };
            Some(format!("DER with trailing bytes: {} after the outer element; {advice}", plural(rest)))
        }
    }
}
