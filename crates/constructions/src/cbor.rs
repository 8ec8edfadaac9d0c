//! CBOR arrays of byte strings (RFC 8949). The reference forms of hybrid keys, signatures and certificates, defined by
//! an earlier system, use these arrays. Decoding is strict: [`read`] accepts only the bytes that [`write`] produces.

use minicbor::decode::Decoder;
use minicbor::encode::Encoder;
use minicbor::encode::write::Cursor;
use pqlab_primitives::{Error, Result};

/// Returns the encoded length in bytes of an array of byte strings with the given lengths.
pub(crate) const fn encoded_len(lengths: &[usize]) -> usize {
    let (mut total, mut i) = (head(lengths.len()), 0);
    while i < lengths.len() {
        total += head(lengths[i]) + lengths[i];
        i += 1;
    }
    total
}

/// Returns the length in bytes of the shortest CBOR head for `number` (RFC 8949, section 3).
const fn head(number: usize) -> usize {
    match number {
        0..24 => 1,
        24..256 => 2,
        256..65536 => 3,
        _ => 5,
    }
}

/// Writes `parts` as a CBOR array to the start of `out` and returns the array's length in bytes. `what` names the array
/// in errors.
///
/// # Errors
/// [`Error::Length`] if `out` is too short.
pub(crate) fn write<const N: usize>(what: &'static str, parts: [&[u8]; N], out: &mut [u8]) -> Result<usize> {
    let expected = encoded_len(&parts.map(<[u8]>::len));
    let actual = out.len();
    let mut encoder = Encoder::new(Cursor::new(out));
    let written =
        encoder.array(N as u64).and_then(|encoder| parts.iter().try_for_each(|part| encoder.bytes(part).map(drop)));
    written.map_err(|_| Error::Length { what, expected, actual })?;
    Ok(expected)
}

/// Returns the byte strings in a CBOR array. The byte strings must have the given lengths in bytes. The array must be
/// encoded in the shortest form, without trailing bytes.
///
/// # Errors
/// [`Error::Malformed`] if `bytes` breaks one of these rules.
pub(crate) fn read<'a, const N: usize>(
    what: &'static str,
    bytes: &'a [u8],
    lengths: [usize; N],
) -> Result<[&'a [u8]; N]> {
    let parts = read_any(what, bytes)?;
    if parts.map(<[u8]>::len) == lengths { Ok(parts) } else { Err(Error::Malformed(what)) }
}

/// Like [`read`], but accepts byte strings of any length.
pub(crate) fn read_any<'a, const N: usize>(what: &'static str, bytes: &'a [u8]) -> Result<[&'a [u8]; N]> {
    let malformed = || Error::Malformed(what);
    let mut decoder = Decoder::new(bytes);
    if decoder.array().map_err(|_| malformed())? != Some(N as u64) {
        return Err(malformed());
    }
    let mut parts = [&bytes[..0]; N];
    for part in &mut parts {
        *part = decoder.bytes().map_err(|_| malformed())?;
    }
    // Non-minimal heads decode to the same byte strings but make the encoding longer.
    if bytes.len() == encoded_len(&parts.map(<[u8]>::len)) { Ok(parts) } else { Err(malformed()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        let mut out = [0; 64];
        let length = write("pair", [&[1; 23], &[2; 24]], &mut out).unwrap();
        assert_eq!(length, 1 + 1 + 23 + 2 + 24);
        assert_eq!(read("pair", &out[..length], [23, 24]).unwrap(), [&[1; 23][..], &[2; 24]]);
        assert_eq!(
            write("pair", [&[1; 23], &[2; 24]], &mut out[..50]),
            Err(Error::Length { what: "pair", expected: 51, actual: 50 })
        );
    }

    #[test]
    fn rejects_other_encodings_of_a_pair() {
        let canonical = [0x82, 0x41, 1, 0x41, 2];
        assert!(read("pair", &canonical, [1, 1]).is_ok());
        let others: [&[u8]; 7] = [
            &[0x82, 0x58, 1, 1, 0x41, 2],
            &[0x98, 2, 0x41, 1, 0x41, 2],
            &[0x9f, 0x41, 1, 0x41, 2, 0xff],
            &[0x82, 0x5f, 0x41, 1, 0xff, 0x41, 2],
            &[0xc1, 0x82, 0x41, 1, 0x41, 2],
            &[0x82, 0x61, 1, 0x41, 2],
            &[0x82, 0x41, 1, 0x41, 2, 0],
        ];
        for other in others {
            assert_eq!(read("pair", other, [1, 1]), Err(Error::Malformed("pair")), "{other:x?}");
        }
        for end in 0..canonical.len() {
            assert!(read("pair", &canonical[..end], [1, 1]).is_err());
        }
    }
}
