//! Splits a file into parts, and names formats that pqlab does not read.

use crate::samples::json::parse_unique;
use pqlab_constructions::keys::PemBlock;
use pqlab_constructions::token::cose;
use serde_json::Value;

/// First characters of a PEM block.
const PEM: &str = "-----BEGIN ";

/// CBOR tags of COSE_Sign1 (RFC 9052, section 2) and of a CWT (RFC 8392, section 6).
pub(super) const SIGN1: u8 = 0xd2;
const CWT: [u8; 2] = [0xd8, 61];
/// Tag of self-described CBOR, which does not change the meaning (RFC 8949, section 3.4.6).
const SELF_DESCRIBED: [u8; 3] = [0xd9, 0xd9, 0xf7];

const JWE: &str = "a JWE (encrypted token), which is not supported";

/// Names of the key types that begin a line of `known_hosts` or `authorized_keys`.
const SSH: [&str; 3] = ["ssh-", "ecdsa-sha2-", "sk-"];

/// Encoding of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Der,
    Jwk,
    Jws,
    Cbor,
}

/// Part of a file before it is parsed.
pub(super) struct RawPart {
    pub(super) place: String,
    pub(super) encoding: Encoding,
    /// PEM label, such as `CERTIFICATE`; `None` for other encodings.
    pub(super) label: Option<String>,
    /// Contents, or the reason why they cannot be decoded.
    pub(super) bytes: Result<Vec<u8>, String>,
    /// Number of the file.
    pub(super) file: usize,
    /// Description of the part in the checks of other parts, such as `PEM block 2 of 3`. Names the file if there are
    /// several.
    pub(super) reference: String,
}

impl RawPart {
    fn new(place: String, encoding: Encoding, label: Option<String>, bytes: Result<Vec<u8>, String>) -> RawPart {
        RawPart { place, encoding, label, bytes, file: 0, reference: String::new() }
    }
}

fn raw(place: &str, encoding: Encoding, bytes: &[u8]) -> RawPart {
    RawPart::new(place.to_owned(), encoding, None, Ok(bytes.to_vec()))
}

/// Returns parts of the same encoding. Their places are numbered if there are several.
fn numbered(name: &str, encoding: Encoding, all: &[Vec<u8>]) -> Vec<RawPart> {
    let place = |index: usize| match all.len() {
        1 => name.to_owned(),
        count => format!("{name} {} of {count}", index + 1),
    };
    all.iter().enumerate().map(|(index, bytes)| raw(&place(index), encoding, bytes)).collect()
}

/// Splits a file into its parts.
pub(super) fn split(bytes: &[u8]) -> Result<Vec<RawPart>, String> {
    match bytes.first() {
        None => return Err("the file is empty".to_owned()),
        // A SEQUENCE begins with 0x30, which is also the digit 0, but text contains no control characters.
        Some(0x30) if bytes.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()) => {
            return Ok(vec![raw("DER", Encoding::Der, bytes)]);
        }
        Some(_) => {}
    }
    if let Some(parts) = cbor_parts(bytes) {
        return parts;
    }
    // Some programs pad PEM with NULs.
    let is_pem = bytes.windows(PEM.len()).any(|window| window == PEM.as_bytes());
    let padding = if is_pem { bytes.iter().rev().take_while(|byte| **byte == 0).count() } else { 0 };
    let bare = &bytes[..bytes.len() - padding];
    let text = match crate::samples::encoding::decode(bare) {
        Ok(text) => text,
        // The text around the blocks may have any encoding.
        Err(_) if is_pem => String::from_utf8_lossy(bare).replace("\r\n", "\n").replace('\r', "\n"),
        Err(reason) if reason.contains("UTF-32") => return Err(reason),
        Err(_) => return Err(name_binary(bytes)),
    };
    let trimmed = text.trim();
    if trimmed.starts_with('{') || trimmed.starts_with('[') {
        return json_parts(trimmed);
    }
    if text.contains(PEM) {
        return Ok(pem_parts(&text));
    }
    let scheme = trimmed.strip_prefix("Authorization:").unwrap_or(trimmed).trim();
    let bearer = scheme.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let tokens: Vec<&str> = bearer.map_or(trimmed, |(_, token)| token).split_whitespace().collect();
    let has_dots = |token: &&str, count: usize| is_url(token) && token.matches('.').count() == count;
    if tokens.iter().all(|token| has_dots(token, 2) || has_dots(token, 4))
        && tokens.iter().any(|token| has_dots(token, 2))
    {
        let all: Vec<Vec<u8>> = tokens.iter().map(|token| token.as_bytes().to_vec()).collect();
        let mut parts = numbered("JWS", Encoding::Jws, &all);
        for (part, _) in parts.iter_mut().zip(&tokens).filter(|(_, token)| has_dots(token, 4)) {
            part.bytes = Err(JWE.to_owned());
        }
        return Ok(parts);
    }
    Err(name_text(trimmed))
}

/// Returns whether a text consists of base64url and dots. Some programs pad base64url.
fn is_url(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.=".contains(letter))
}

fn pem_parts(text: &str) -> Vec<RawPart> {
    let blocks = PemBlock::all(text);
    let count = blocks.len();
    let part = |(index, block): (usize, PemBlock)| {
        let place = match count {
            _ if block.label.is_empty() => format!("PEM block {} of {count}", index + 1),
            1 => format!("PEM ({})", block.label),
            _ => format!("PEM block {} of {count} ({})", index + 1, block.label),
        };
        let bytes = block.der.map(|der| der.to_vec()).map_err(|error| error.to_string());
        RawPart::new(place, Encoding::Der, Some(block.label), bytes)
    };
    blocks.into_iter().enumerate().map(part).collect()
}

fn without_tag(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(&SELF_DESCRIBED).unwrap_or(bytes)
}

/// Splits COSE into its parts. Returns `None` if the bytes are not COSE.
fn cbor_parts(bytes: &[u8]) -> Option<Result<Vec<RawPart>, String>> {
    let bare = without_tag(bytes);
    let one = |place: &str, bytes: &[u8]| Some(Ok(vec![raw(place, Encoding::Cbor, bytes)]));
    match bare {
        // An array of four items, or of any number of items.
        [SIGN1, 0x84 | 0x9f, ..] => one("COSE_Sign1", bare),
        [0xd8, 61, token @ ..] if without_tag(token).first() == Some(&SIGN1) => {
            one("CWT in a COSE_Sign1", without_tag(token))
        }
        // The key type is one of the registered numbers.
        [0xa1..=0xaf, 1, 1..=7, ..] => one("COSE_Key", bare),
        [SIGN1, ..] if cose::is_well_formed(bare) => one("COSE_Sign1", bare),
        [0xa0..=0xbf, ..] if cose::is_well_formed(bare) => one("COSE_Key", bare),
        [0x80..=0x9f, ..] => cose::key_set(bare).map(|keys| Ok(numbered("COSE_Key", Encoding::Cbor, &keys))),
        _ => None,
    }
}

/// Names the format of a file that is neither text nor supported.
fn name_binary(bytes: &[u8]) -> String {
    let is_self_described = bytes.starts_with(&SELF_DESCRIBED);
    let cbor = without_tag(bytes);
    if cose::is_well_formed(cbor)
        && let Some(name) = name_cbor(cbor)
    {
        return name.to_owned();
    }
    match bytes {
        [0xfe, 0xed, 0xfe, 0xed, ..] | [0xce, 0xce, 0xce, 0xce, ..] => {
            "a Java keystore; export a certificate with `keytool -exportcert -rfc`".to_owned()
        }
        [0x1f, 0x8b, ..] => "compressed with gzip; unpack it with `gunzip`".to_owned(),
        [b'P', b'K', 3, 4, ..] => "a ZIP archive; unpack it".to_owned(),
        [0x89, b'P', b'N', b'G', ..] | [0xff, 0xd8, 0xff, ..] => "an image".to_owned(),
        [0x7f, b'E', b'L', b'F', ..] => "a program or library (ELF)".to_owned(),
        // Packets with a key, a certificate or a signature, of version 3 to 6 (RFC 9580, section 4.2).
        [0x88 | 0x94 | 0x98 | 0xc2 | 0xc5 | 0xc6, _, 3..=6, ..]
        | [0x89 | 0x95 | 0x99 | 0xc2 | 0xc5 | 0xc6, _, _, 3..=6, ..] => "OpenPGP, which is not supported".to_owned(),
        _ if is_self_described => "CBOR that is malformed or truncated".to_owned(),
        _ => format!(
            "{} bytes that are not PEM, DER, JWK, JWS or COSE; raw keys are not supported, because they do not name \
             their algorithm",
            bytes.len()
        ),
    }
}

/// Names a well-formed CBOR item. Returns `None` for items that are probably something else, such as a short string.
fn name_cbor(cbor: &[u8]) -> Option<&'static str> {
    Some(match cbor {
        // Tags of RFC 9052, section 2.
        [0xd0, ..] => "COSE_Encrypt0, an encrypted message, which is not supported",
        [0xd1, ..] => "COSE_Mac0, a message with a symmetric tag, which is not supported",
        [0xd8, 96, ..] => "COSE_Encrypt, an encrypted message, which is not supported",
        [0xd8, 97, ..] => "COSE_Mac, a message with a symmetric tag, which is not supported",
        [0xd8, 98, ..] => "COSE_Sign, with several signatures, which is not supported; use COSE_Sign1",
        _ if cbor.starts_with(&CWT) => "a CWT that is not a COSE_Sign1, which is not supported",
        // Arrays and tags (RFC 8949, section 3.1).
        [0x80..=0x9f | 0xc0..=0xdb, ..] => {
            "CBOR that is neither COSE_Sign1 nor COSE_Key, which is not supported; COSE_Sign1 needs tag 18"
        }
        _ => return None,
    })
}

/// Names the format of a text that is not supported.
fn name_text(text: &str) -> String {
    let begins = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
    if is_url(text) && text.matches('.').count() == 4 {
        return JWE.to_owned();
    }
    if begins(&["ssh-", "ecdsa-sha2-", "sk-ssh-"]) {
        return "an SSH key; convert it with `ssh-keygen -e -m PKCS8 -f FILE`, which cannot convert Ed25519".into();
    }
    if text.lines().any(is_ssh_line) {
        return "SSH keys with options or host names (authorized_keys or known_hosts); copy one key, from its type \
                (ssh-...) on, to a file, and convert it with `ssh-keygen -e -m PKCS8 -f FILE`"
            .to_owned();
    }
    if begins(&["PuTTY-User-Key-File-"]) {
        return "a PuTTY key; convert it to OpenSSH's format with `puttygen FILE -O private-openssh`".to_owned();
    }
    if begins(&["untrusted comment:"]) {
        return "a key or signature of minisign or signify, which is not supported".to_owned();
    }
    if begins(&["age-encryption.org/", "AGE-SECRET-KEY-", "age1", "# created: "]) {
        return "a key or file of age, which is not supported".to_owned();
    }
    if begins(&["---- BEGIN SSH2 "]) {
        return "an SSH key (RFC 4716); convert it to OpenSSH's format with `ssh-keygen -i -f FILE`".to_owned();
    }
    if begins(&["Certificate:", "Certificate Request:", "Private-Key:", "Public-Key:", "RSA Private-Key:"])
        || text.contains(" Public-Key: (") && begins(&["RSA", "ED", "X"])
    {
        return "printed by `openssl ... -text` without the PEM block; repeat the command without -noout".to_owned();
    }
    if is_hex_dump(text) {
        return "a hex dump; convert it back with `xxd -r FILE`".to_owned();
    }
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let is_hex = |letter: char| letter.is_ascii_hexdigit() || letter == ':' || letter.is_whitespace();
    if digits.len() >= 16 && digits.chars().all(is_hex) {
        return "hexadecimal text; decode it with `xxd -r -p FILE`".to_owned();
    }
    let base64 = |letter: char| letter.is_ascii_alphanumeric() || "+/=\n ".contains(letter);
    // A SEQUENCE begins with 0x30, whose base64 begins with M. Short text can be a word.
    let is_sequence = text.starts_with("MI") || text.starts_with('M') && text.len() >= 40;
    if is_sequence && text.chars().all(base64) {
        return "base64 without PEM's -----BEGIN and -----END lines; add them, or decode it to DER".to_owned();
    }
    if text.to_lowercase().contains("--begin ") {
        return format!("not PEM: a block begins with {PEM:?} in capital letters, with five hyphens");
    }
    "not PEM, DER, JWK, JWS or COSE".to_owned()
}

/// Returns whether a line contains an SSH key: its type, followed by base64.
fn is_ssh_line(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_type = |word: &str| SSH.iter().any(|start| word.starts_with(start));
    words.windows(2).any(|pair| is_type(pair[0]) && pair[1].starts_with("AAAA"))
}

/// Returns whether every line begins with an offset and bytes, as `xxd` and `hexdump -C` print them.
fn is_hex_dump(text: &str) -> bool {
    let is_hex = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_dumped = |line: &str| {
        let mut words = line.split_whitespace();
        let offset = words.next().map(|word| word.trim_end_matches(':'));
        let is_offset = offset.is_some_and(|offset| offset.len() >= 4 && is_hex(offset));
        is_offset && words.next().is_none_or(is_hex)
    };
    let begins_at_zero = text.starts_with("0000000") || text.starts_with("0000:");
    begins_at_zero && text.lines().all(is_dumped)
}

/// Splits JSON into parts: a single JWK, or the keys of a JWK set or array. Rejects other JSON documents.
fn json_parts(text: &str) -> Result<Vec<RawPart>, String> {
    let document = parse_unique(text).map_err(|error| format!("not JSON: {error}"))?;
    let is_key = |value: &Value| value.get("kty").is_some();
    let keys = match &document {
        key if is_key(key) => None,
        Value::Array(keys) if !keys.is_empty() && keys.iter().all(is_key) => Some(keys),
        other => other.get("keys").and_then(Value::as_array),
    };
    if let Some(keys) = keys {
        let count = keys.len();
        if count == 0 {
            return Err("a JWK set without keys".to_owned());
        }
        let part = |(index, key): (usize, &Value)| {
            raw(&format!("JWK {} of {count}", index + 1), Encoding::Jwk, key.to_string().as_bytes())
        };
        return Ok(keys.iter().enumerate().map(part).collect());
    }
    if is_key(&document) {
        return Ok(vec![raw("JWK", Encoding::Jwk, text.as_bytes())]);
    }
    if document.get("ciphertext").is_some() {
        return Err("a JWE (encrypted token) in JSON serialisation, which is not supported".to_owned());
    }
    if document.get("payload").is_some() {
        return Err("a JWS in JSON serialisation, which is not supported; use the compact serialisation".to_owned());
    }
    Err("JSON without \"kty\", so it is not a JWK".to_owned())
}
