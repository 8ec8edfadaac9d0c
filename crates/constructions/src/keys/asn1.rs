//! Splits DER into elements without interpreting them, to name structures that pqlab does not read.

/// Tag of INTEGER (X.690, section 8).
pub const INTEGER: u8 = 0x02;
/// Tag of BIT STRING.
pub const BIT_STRING: u8 = 0x03;
/// Tag of OCTET STRING.
pub const OCTET_STRING: u8 = 0x04;
/// Tag of OBJECT IDENTIFIER.
pub const OID: u8 = 0x06;
/// Tag of ENUMERATED.
pub const ENUMERATED: u8 = 0x0a;
/// Tag of UTCTime.
pub const UTC_TIME: u8 = 0x17;
/// Tag of GeneralizedTime.
pub const GENERALIZED_TIME: u8 = 0x18;
/// Tag of SEQUENCE.
pub const SEQUENCE: u8 = 0x30;
/// Tag of a constructed `[0]`, such as the version of a certificate.
pub const CONTEXT_0: u8 = 0xa0;

/// Element of a DER structure: tag and contents.
pub type Element<'a> = (u8, &'a [u8]);

/// Splits off the first DER element. Returns its tag, its contents and the remaining bytes; `None` if the bytes are not
/// DER.
pub fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, start, length) = head(der)?;
    let (content, after) = der[start..].split_at_checked(length)?;
    Some((tag, content, after))
}

/// Reads the head of the first DER element. Returns its tag, the length of the head, and the length of the contents in
/// bytes; `None` if the head is truncated, or if the length is indefinite or has more than four bytes.
pub fn head(der: &[u8]) -> Option<(u8, usize, usize)> {
    let (&[tag, first], rest) = der.split_first_chunk::<2>()?;
    match first {
        0..=0x7f => Some((tag, 2, usize::from(first))),
        0x81..=0x84 => {
            let count = usize::from(first & 0x7f);
            let length = rest.get(..count)?.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
            Some((tag, 2 + count, length))
        }
        _ => None,
    }
}

/// Returns the dotted decimal notation of an OBJECT IDENTIFIER, given its contents. `None` if they are malformed.
pub fn oid_text(content: &[u8]) -> Option<String> {
    Some(der::asn1::ObjectIdentifier::from_bytes(content).ok()?.to_string())
}

/// Returns the first `most` DER elements. Stops at the first bytes that are not DER.
pub fn elements(mut rest: &[u8], most: usize) -> Vec<Element<'_>> {
    let mut found = Vec::new();
    while let Some((tag, content, after)) = element(rest)
        && found.len() < most
    {
        found.push((tag, content));
        rest = after;
    }
    found
}
