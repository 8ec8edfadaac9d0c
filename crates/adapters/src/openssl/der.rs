//! Converts ECDSA signatures between the fixed-length form `r || s` (IEEE P1363) and DER. OpenSSL supports only DER,
//! where a signature is a `SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279, section 2.2.3). Both conversions are strict
//! and do not allocate.

/// Maximum length in bytes of an encoding with integers of up to 48 bytes. The encoding also contains the sequence
/// header and, for each integer, a 2-byte header and a leading zero. The content is shorter than 128 bytes, so every
/// length fits in one byte.
pub(super) const MAX_DER: usize = 2 + 2 * (2 + 1 + 48);

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;

/// Encodes `r || s` as DER and returns the length in bytes. Both numbers must have the same length, from 1 to 48 bytes.
#[inline]
pub(super) fn to_der(fixed: &[u8], out: &mut [u8; MAX_DER]) -> usize {
    let (r, s) = fixed.split_at(fixed.len() / 2);
    let mut length = 2;
    for integer in [r, s] {
        length += write_integer(integer, &mut out[length..]);
    }
    out[0] = SEQUENCE;
    out[1] = (length - 2) as u8;
    length
}

/// Decodes DER to `r || s`. Returns `None` unless `der` is the canonical encoding of two non-negative integers that fit
/// in `fixed`.
#[inline]
pub(super) fn from_der(der: &[u8], fixed: &mut [u8]) -> Option<()> {
    let (header, content) = der.split_first_chunk::<2>()?;
    if *header != [SEQUENCE, u8::try_from(content.len()).ok().filter(|length| *length < 0x80)?] {
        return None;
    }
    let half = fixed.len() / 2;
    let (r, s) = fixed.split_at_mut(half);
    let rest = read_integer(content, r)?;
    let rest = read_integer(rest, s)?;
    rest.is_empty().then_some(())
}

#[inline]
fn write_integer(bytes: &[u8], out: &mut [u8]) -> usize {
    // The encoding is minimal: a leading zero is added only to keep the sign bit clear. Zero is encoded as one zero
    // byte.
    let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len() - 1);
    let magnitude = &bytes[first..];
    let sign = usize::from(magnitude[0] & 0x80 != 0);
    out[0] = INTEGER;
    out[1] = (sign + magnitude.len()) as u8;
    out[2] = 0;
    out[2 + sign..][..magnitude.len()].copy_from_slice(magnitude);
    2 + sign + magnitude.len()
}

/// Reads a DER integer from the start of `input`. Writes it to the end of `out`, padded with zeros, and returns the
/// rest of the input. `None` if the encoding is not canonical, or the integer is negative or too long.
#[inline]
fn read_integer<'a>(input: &'a [u8], out: &mut [u8]) -> Option<&'a [u8]> {
    let (header, rest) = input.split_first_chunk::<2>()?;
    if header[0] != INTEGER || header[1] >= 0x80 {
        return None;
    }
    let (content, rest) = rest.split_at_checked(usize::from(header[1]))?;
    let magnitude = match content {
        [] => return None,
        [0, next, ..] if next & 0x80 == 0 => return None,
        [0, magnitude @ ..] if !magnitude.is_empty() => magnitude,
        [first, ..] if first & 0x80 != 0 => return None,
        _ => content,
    };
    let padding = out.len().checked_sub(magnitude.len())?;
    out[..padding].fill(0);
    out[padding..].copy_from_slice(magnitude);
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(fixed: &[u8]) -> Vec<u8> {
        let mut der = [0xAA; MAX_DER];
        let length = to_der(fixed, &mut der);
        let mut decoded = vec![0x55; fixed.len()];
        from_der(&der[..length], &mut decoded).expect("DER must decode");
        assert_eq!(decoded, fixed);
        der[..length].to_vec()
    }

    #[test]
    fn integers_are_minimal() {
        let mut fixed = [0; 64];
        assert_eq!(round_trip(&fixed), [0x30, 6, 2, 1, 0, 2, 1, 0]);
        fixed[31] = 0x7F;
        fixed[63] = 0x80;
        assert_eq!(round_trip(&fixed), [0x30, 7, 2, 1, 0x7F, 2, 2, 0, 0x80]);
        assert_eq!(round_trip(&[0xFF; 64]).len(), 2 + 2 * 35);
        assert_eq!(round_trip(&[0xFF; 96]).len(), MAX_DER);
        assert_eq!(round_trip(&[0x01; 96]).len(), MAX_DER - 2);
    }

    #[test]
    fn rejects_every_deviation() {
        let rejected: [&[u8]; 13] = [
            &[],
            &[0x30],
            &[0x30, 6, 2, 1, 1, 2, 1],             // cut short
            &[0x30, 6, 2, 1, 1, 2, 1, 1, 0],       // trailing byte after the sequence
            &[0x30, 7, 2, 1, 1, 2, 1, 1, 0],       // trailing byte after s
            &[0x31, 6, 2, 1, 1, 2, 1, 1],          // not a sequence
            &[0x30, 6, 3, 1, 1, 2, 1, 1],          // not an integer
            &[0x30, 0x81, 6, 2, 1, 1, 2, 1, 1],    // long form of a short length
            &[0x30, 0x80, 2, 1, 1, 2, 1, 1, 0, 0], // indefinite length
            &[0x30, 7, 2, 2, 0, 1, 2, 1, 1],       // redundant leading zero
            &[0x30, 6, 2, 1, 0x80, 2, 1, 1],       // negative
            &[0x30, 5, 2, 0, 2, 1, 1],             // empty integer
            &[0x30, 9, 2, 4, 1, 0, 0, 0, 2, 1, 1], // does not fit (3 bytes here)
        ];
        for der in rejected {
            assert_eq!(from_der(der, &mut [0; 6]), None, "{der:02x?}");
        }
    }
}
