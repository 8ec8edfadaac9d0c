//! Decodes the bytes of a text file.

/// First bytes of binary formats, each with the name of the format and the remedy.
const BINARY: [(&[u8], &str); 7] = [
    (b"\x1f\x8b", "gzip data; decompress it first, for example with gunzip"),
    (b"BZh", "bzip2 data; decompress it first"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data; decompress it first"),
    (b"\xfd7zXZ\0", "xz data; decompress it first"),
    (b"PK\x03\x04", "a ZIP archive or spreadsheet; export it as CSV"),
    (b"PAR1", "Parquet; export it as CSV"),
    (b"SQLite format 3\0", "an SQLite database; export the times as CSV, or use `pqlab show` for pqlab's own runs"),
];

/// Decodes UTF-8 or UTF-16 in either byte order, with or without a byte order mark. Replaces all line endings with
/// `\n`. The error states why the bytes cannot be read as text, and gives the remedy.
pub(crate) fn decode(bytes: &[u8]) -> Result<String, String> {
    if let Some((_, what)) = BINARY.iter().find(|(start, _)| bytes.starts_with(start)) {
        return Err(format!("not text but {what}"));
    }
    let text = match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => return Err("encoded as UTF-32; save it as UTF-8".into()),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes)?,
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes)?,
        // Files of these formats begin with ASCII characters.
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => utf16(bytes, u16::from_le_bytes)?,
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => utf16(bytes, u16::from_be_bytes)?,
        _ => utf8(bytes)?,
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(text.replace("\r\n", "\n").replace('\r', "\n"))
}

fn utf8(bytes: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let place = error.valid_up_to();
        let line = 1 + bytes[..place].iter().filter(|byte| **byte == b'\n').count();
        format!("line {line}: byte {:#04x} at offset {place} is not UTF-8; save the file as UTF-8", bytes[place])
    })?;
    match text.find('\0') {
        Some(place) => Err(format!("not text: NUL byte at offset {place}")),
        None => Ok(text.to_owned()),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let (units, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err("encoded as UTF-16 with an odd number of bytes, so the end is missing; save it as UTF-8".into());
    }
    let units: Vec<u16> = units.iter().copied().map(unit).collect();
    let text =
        String::from_utf16(&units).map_err(|_| "encoded as UTF-16 with unpaired surrogates; save it as UTF-8")?;
    if text.contains('\0') { Err("not text: NUL character".into()) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_every_unicode_encoding_and_line_end() {
        let text = "µs\n1\n2\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [
            text.as_bytes().to_vec(),
            [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            text.replace('\n', "\r\n").into_bytes(),
            text.replace('\n', "\r").into_bytes(),
            [b"\xff\xfe", &little[..]].concat(),
            [b"\xfe\xff", &big[..]].concat(),
        ] {
            assert_eq!(decode(&bytes).as_deref(), Ok(text), "{bytes:x?}");
        }
        let ascii: Vec<u8> = "ns\n1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&ascii).as_deref(), Ok("ns\n1\n"));
        assert_eq!(
            decode(&ascii.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect::<Vec<_>>()).unwrap(),
            "ns\n1\n"
        );
    }

    #[test]
    fn names_what_is_not_text() {
        for (bytes, wanted) in [
            (&b"\x1f\x8b\x08\0"[..], "gunzip"),
            (b"PAR1\x15", "Parquet"),
            (b"SQLite format 3\0", "SQLite"),
            (b"PK\x03\x04", "spreadsheet"),
            (b"\xff\xfe\0\0n\0\0\0", "UTF-32"),
            (b"\xff\xfen", "odd number"),
            (b"1\n\xb5s\n", "line 2: byte 0xb5 at offset 2 is not UTF-8"),
            (b"1\n\0\0\0", "NUL"),
        ] {
            let error = decode(bytes).unwrap_err();
            assert!(error.contains(wanted), "{bytes:x?}: {error}");
        }
    }
}
