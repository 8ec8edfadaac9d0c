//! Converts ECDSA signatures between `r || s` and Ecdsa-Sig-Value, the form used in certificates (RFC 3279, section
//! 2.2.3).

use crate::keys::Identifier;
use der::asn1::Uint;
use der::{Decode, Encode, Sequence};

#[derive(Sequence)]
struct Value {
    r: Uint,
    s: Uint,
}

/// Returns whether certificates encode signatures of this algorithm as Ecdsa-Sig-Value.
pub(super) fn is(identifier: &Identifier) -> bool {
    identifier.algorithm.starts_with("ECDSA-")
}

/// Converts `r || s`, two integers of equal length, to DER.
pub(super) fn to_der(signature: &[u8]) -> der::Result<Vec<u8>> {
    let (r, s) = signature.split_at(signature.len() / 2);
    Value { r: Uint::new(r)?, s: Uint::new(s)? }.to_der()
}

/// Converts DER to `r || s`, `length` bytes in total. Returns `None` if the input is malformed or an integer is too
/// long.
pub(super) fn from_der(der: &[u8], length: usize) -> Option<Vec<u8>> {
    let Value { r, s } = Value::from_der(der).ok()?;
    let mut signature = vec![0; length];
    for (number, out) in [r, s].iter().zip(signature.chunks_mut(length / 2)) {
        let bytes = number.as_bytes();
        let start = out.len().checked_sub(bytes.len())?;
        out[start..].copy_from_slice(bytes);
    }
    Some(signature)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn converts_numbers_of_any_length() {
        let mut signature = [0; 64];
        signature[31] = 0x80;
        signature[32] = 0xff;
        let der = to_der(&signature).unwrap();
        // The top bits of `r` (0x80) and `s` are set, so DER prepends a zero byte: they take 2 and
        // 33 bytes.
        assert_eq!(der.len(), 2 + 4 + 2 + 33);
        assert_eq!(from_der(&der, 64).unwrap(), signature);
        let twice = [der.as_slice(), &[0]].concat();
        assert!(from_der(&twice, 64).is_none() && from_der(&der, 32).is_none());
    }
}
