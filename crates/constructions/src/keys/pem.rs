//! Reads PEM (RFC 7468) and tolerates common variations. White space, line lengths and line endings do not matter, text
//! may surround the blocks, and a file may contain several blocks. The base64 itself must be canonical.

use super::DecodeError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// Maximum length of a label in bytes.
const LONGEST_LABEL: usize = 64;

/// A PEM block.
#[derive(Clone, PartialEq, Eq)]
pub struct PemBlock {
    /// Label, such as `CERTIFICATE`. Empty if the label is malformed.
    pub label: String,
    /// Decoded contents, or the error with its line number. The contents are wiped on drop, because they may be a
    /// private key.
    pub der: Result<Zeroizing<Vec<u8>>, DecodeError>,
}

impl std::fmt::Debug for PemBlock {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PemBlock").field("label", &self.label).finish_non_exhaustive()
    }
}

impl PemBlock {
    /// Reads all blocks in a text, in order. A block is faulty if it has no end, ends with a different label, or
    /// contains anything but canonical base64. A faulty block does not affect the others.
    pub fn all(text: &str) -> Vec<PemBlock> {
        let mut blocks = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find(BEGIN) {
            let line = 1 + text[..text.len() - rest.len() + start].matches('\n').count();
            let (label, der, length) = first(&rest[start + BEGIN.len()..]);
            let der = der.map_err(|Fault { line: below, detail }| DecodeError::Pem {
                what: "block",
                detail: format!("line {}: {detail}", line + below),
            });
            blocks.push(PemBlock { label: label.to_owned(), der });
            rest = &rest[start + BEGIN.len() + length..];
        }
        blocks
    }

    /// Reads a text that must consist of a single block with the given label.
    pub(super) fn only(what: &'static str, label: &'static str, text: &str) -> Result<PemBlock, DecodeError> {
        let wrong = |detail: String| DecodeError::Pem { what, detail };
        let mut blocks = PemBlock::all(text);
        if let Some(error) = blocks.iter().find_map(|block| block.der.as_ref().err()) {
            return Err(match error {
                DecodeError::Pem { detail, .. } => wrong(detail.clone()),
                other => other.clone(),
            });
        }
        match (blocks.pop(), blocks.len()) {
            (None, _) if text.starts_with('0') => Err(wrong("missing -----BEGIN line; is the file DER?".into())),
            (None, _) => Err(wrong(format!("missing -----BEGIN {label}----- line"))),
            (Some(block), 0) if block.label == label => Ok(block),
            (Some(block), 0) => Err(wrong(match meaning(&block.label) {
                Some(meaning) => format!("the label is {:?} ({meaning}), expected {label:?}", block.label),
                None => format!("the label is {:?}, expected {label:?}", block.label),
            })),
            (Some(last), others) => {
                let labels: Vec<&str> = blocks.iter().chain([&last]).map(|block| block.label.as_str()).collect();
                Err(wrong(format!("there are {} blocks ({}), expected one", others + 1, labels.join(", "))))
            }
        }
    }
}

/// Returns whether `label` consists of 1 to 64 uppercase ASCII letters, digits, spaces, `#`, `-`, `.` and `/`, without
/// spaces at the ends. RFC 7468, section 3, allows more labels.
fn is_label(label: &str) -> bool {
    let sound = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b" #-./".contains(&byte);
    !label.is_empty() && label.len() <= LONGEST_LABEL && label.bytes().all(sound) && label.trim() == label
}

/// Explains a label that pqlab recognizes but does not read. Returns `None` for other labels.
pub fn meaning(label: &str) -> Option<&'static str> {
    Some(match label {
        "EC PRIVATE KEY" => "SEC 1; convert it with `openssl pkcs8 -topk8 -nocrypt`",
        "RSA PRIVATE KEY" => "PKCS #1; convert it with `openssl pkcs8 -topk8 -nocrypt`",
        "DSA PRIVATE KEY" => "DSA, which is not supported",
        "RSA PUBLIC KEY" => "PKCS #1; convert it with `openssl rsa -RSAPublicKey_in -pubout`",
        "ENCRYPTED PRIVATE KEY" => "encrypted; decrypt it with `openssl pkcs8`",
        "OPENSSH PRIVATE KEY" => {
            "OpenSSH's format; for RSA and ECDSA, convert a copy of the file with `ssh-keygen -p -m PKCS8 -f COPY`; \
             ssh-keygen cannot convert Ed25519"
        }
        "SSH SIGNATURE" => "an SSH signature, which is not supported",
        "CERTIFICATE REQUEST" | "NEW CERTIFICATE REQUEST" => "a certificate request, which is not supported",
        "X509 CRL" => "a certificate revocation list, which is not supported",
        "PKCS7" => "a PKCS #7 container; extract its certificates with `openssl pkcs7 -print_certs`",
        "CMS" => {
            "a CMS container; extract its certificates with `openssl cms -verify -noverify -inform PEM -certsout FILE`"
        }
        "EC PARAMETERS" | "DH PARAMETERS" | "DSA PARAMETERS" | "X9.42 DH PARAMETERS" => "parameters without a key",
        "TRUSTED CERTIFICATE" => "OpenSSL's format; convert it with `openssl x509`",
        "X509 CERTIFICATE" => "an old label; RFC 7468 requires CERTIFICATE",
        "ANY PRIVATE KEY" => "an old label; RFC 7468 requires PRIVATE KEY",
        "AGE ENCRYPTED FILE" => "a file encrypted with age, which is not supported",
        "ATTRIBUTE CERTIFICATE" => "an attribute certificate, which is not supported",
        pgp if pgp.starts_with("PGP ") => "OpenPGP, which is not supported",
        _ => return None,
    })
}

/// Reason why a block cannot be read.
struct Fault {
    /// Line number, counted from 0 at the block's `-----BEGIN` line.
    line: usize,
    detail: String,
}

impl From<String> for Fault {
    fn from(detail: String) -> Fault {
        Fault { line: 0, detail }
    }
}

/// Reads one block, given the text after its `-----BEGIN `. Returns the label, the contents, and the length of the text
/// that belongs to the block.
fn first(text: &str) -> (&str, Result<Zeroizing<Vec<u8>>, Fault>, usize) {
    let label = text.find(DASHES).map(|end| &text[..end]).filter(|label| is_label(label));
    let Some(label) = label else { return ("", Err("malformed label".to_owned().into()), 0) };
    let start = label.len() + DASHES.len();
    let body = &text[start..];
    let Some(end) = body.find(DASHES) else {
        return (label, Err(format!("missing -----END {label}----- line").into()), text.len());
    };
    let Some(tail) = body[end..].strip_prefix(END) else {
        let found = format!("another block begins before -----END {label}-----");
        return (label, Err(found.into()), start + end);
    };
    let named = tail.find(DASHES).map_or("", |end| &tail[..end]);
    let length = start + end + END.len();
    if named != label {
        let named: String = named.chars().take(LONGEST_LABEL).collect();
        let detail = format!("the BEGIN label is {label:?}, but the END label is {named:?}");
        return (label, Err(detail.into()), length);
    }
    (label, contents(label, &body[..end]), length + label.len() + DASHES.len())
}

/// Iterates over the headers of a block (RFC 1421): line number, name and value.
fn headers(body: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    body.split('\n').enumerate().filter_map(|(line, text)| {
        let (name, value) = text.trim().split_once(':')?;
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        is_name.then_some((line, name, value))
    })
}

fn contents(label: &str, body: &str) -> Result<Zeroizing<Vec<u8>>, Fault> {
    let headers: Vec<(usize, &str, &str)> = headers(body).collect();
    if headers.iter().any(|(_, name, value)| *name == "Proc-Type" && value.contains("ENCRYPTED")) {
        let detail = format!("{label} is encrypted (RFC 1421); decrypt it with `openssl pkcs8 -topk8 -nocrypt`");
        return Err(detail.into());
    }
    if let Some((line, name, _)) = headers.first() {
        let detail = format!("{label} has the header {name:?}, which RFC 7468 forbids; remove all headers");
        return Err(Fault { line: *line, detail });
    }
    let white = |letter: char| letter.is_ascii_whitespace() || letter == '\u{b}';
    let base64 = |letter: char| letter.is_ascii_alphanumeric() || "+/=".contains(letter);
    if let Some((place, letter)) = body.char_indices().find(|(_, letter)| !white(*letter) && !base64(*letter)) {
        let line = body[..place].matches('\n').count();
        if ["\\n", "\\r"].iter().any(|escape| body[place..].starts_with(escape)) {
            let detail = format!(
                "{label} has the characters \\n instead of line breaks; \
                 convert the file with `printf '%b' \"$(cat FILE)\"`"
            );
            return Err(Fault { line, detail });
        }
        return Err(Fault { line, detail: format!("{letter:?} in {label} is not base64") });
    }
    let packed: Zeroizing<String> = Zeroizing::new(body.chars().filter(|letter| !white(*letter)).collect());
    if packed.is_empty() {
        return Err(format!("{label} is empty").into());
    }
    // Canonical base64: padding is present and unused bits are 0.
    let decoded = STANDARD.decode(packed.as_bytes()).map_err(|error| match error {
        base64::DecodeError::InvalidPadding | base64::DecodeError::InvalidLength(_) => {
            format!("the base64 in {label} is truncated or has wrong padding")
        }
        _ => format!("the base64 in {label} is invalid"),
    });
    Ok(Zeroizing::new(decoded?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
        let read = |block: PemBlock| Ok((block.label, block.der.map_err(|error| error.to_string())?.to_vec()));
        PemBlock::all(text).into_iter().map(read).collect()
    }

    #[test]
    fn reads_pem_as_editors_and_java_write_it() {
        let expected = Ok(vec![("A KEY".to_owned(), b"hello world".to_vec())]);
        for text in [
            "-----BEGIN A KEY-----\naGVsbG8gd29ybGQ=\n-----END A KEY-----\n",
            "-----BEGIN A KEY-----\r\naGVsbG8gd29ybGQ=\r\n-----END A KEY-----",
            "-----BEGIN A KEY-----\raGVsbG8g\rd29ybGQ=\r-----END A KEY-----\r",
            "\u{feff}-----BEGIN A KEY-----\naGVsbG8gd29ybGQ=\n-----END A KEY-----\n\n",
            "  -----BEGIN A KEY-----\n\taGVs bG8gd2\n\n  9ybGQ=  \n  -----END A KEY-----  \nafter",
            "subject: x\n-----BEGIN A KEY-----aGVsbG8gd29ybGQ=-----END A KEY-----",
        ] {
            assert_eq!(read(text), expected, "{text:?}");
        }
        let two = "-----BEGIN A-----\nAA==\n-----END A-----\ntext\n-----BEGIN B-----\nAQ==\n-----END B-----\n";
        assert_eq!(read(two), Ok(vec![("A".to_owned(), vec![0]), ("B".to_owned(), vec![1])]));
        assert_eq!(read("no block"), Ok(Vec::new()));
        let label = "-----BEGIN X9.42 DH PARAMETERS-----\nAA==\n-----END X9.42 DH PARAMETERS-----\n";
        assert_eq!(read(label), Ok(vec![("X9.42 DH PARAMETERS".to_owned(), vec![0])]));
        assert_eq!(meaning("X9.42 DH PARAMETERS"), Some("parameters without a key"));
    }

    #[test]
    fn names_the_fault_of_a_block() {
        for (text, wanted) in [
            ("x\n-----BEGIN A-----\nAA==\n", "line 2: missing -----END A----- line"),
            ("-----BEGIN A-----\nAA==\n-----END B-----\n", "the BEGIN label is \"A\", but the END label is \"B\""),
            ("-----BEGIN A-----\n-----BEGIN A-----\nAA==\n-----END A-----\n", "another block begins"),
            ("-----BEGIN A-----\nAAAA\nA!==\n-----END A-----\n", "line 3: '!' in A is not base64"),
            ("-----BEGIN A-----\nAB==\n-----END A-----\n", "invalid"),
            ("-----BEGIN A-----\nAA\n-----END A-----\n", "wrong padding"),
            ("-----BEGIN A-----\n-----END A-----\n", "A is empty"),
            ("-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\n\nAA==\n-----END A-----\n", "pkcs8 -topk8 -nocrypt"),
            ("-----BEGIN a\u{e9}-----\nAA==\n-----END a\u{e9}-----\n", "malformed label"),
            (
                "-----BEGIN A-----\nProc-Type: 4,CLEAR\n\nAA==\n-----END A-----\n",
                "line 2: A has the header \"Proc-Type\"",
            ),
            ("-----BEGIN A-----\nComment: x, ENCRYPTED\n\nAA==\n-----END A-----\n", "has the header \"Comment\""),
            ("-----BEGIN A-----\\nAA==\\n-----END A-----\\n", "has the characters \\n instead of line breaks"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(wanted), "{text:?}: {error}");
        }
        let only = |text: &str| PemBlock::only("key", "PRIVATE KEY", text).unwrap_err().to_string();
        let block = |label: &str| format!("-----BEGIN {label}-----\nAA==\n-----END {label}-----\n");
        assert!(only(&block("PRIVATE KEY").repeat(2)).contains("there are 2 blocks (PRIVATE KEY, PRIVATE KEY)"));
        assert!(only(&block("EC PRIVATE KEY")).contains("SEC 1"));
        assert!(only(&block("ENCRYPTED PRIVATE KEY")).contains("encrypted"));
        assert!(only("0\u{82}\u{1}").contains("is the file DER?"));
        assert!(only("").contains("missing -----BEGIN PRIVATE KEY----- line"));
    }

    #[test]
    fn a_faulty_block_does_not_affect_the_others() {
        let good = "-----BEGIN A-----\nAA==\n-----END A-----\n";
        for bad in [
            "-----BEGIN B-----\n-AA=\n-----END B-----\n",
            "-----BEGIN B-----\nAA==\n",
            "-----BEGIN B-----\nAA==\n-----END C-----\n",
            "-----BEGIN b-----\nAA==\n-----END b-----\n",
        ] {
            let blocks = PemBlock::all(&format!("{good}{bad}{good}"));
            let read: Vec<bool> = blocks.iter().map(|block| block.der.is_ok()).collect();
            assert_eq!(read, [true, false, true], "{bad:?}");
        }
    }

    #[test]
    fn names_every_block_of_openpgp() {
        let armour = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nhello\n-----BEGIN PGP SIGNATURE-----\n\n\
                      AAAA\n=abcd\n-----END PGP SIGNATURE-----\n";
        let blocks = PemBlock::all(armour);
        let labels: Vec<&str> = blocks.iter().map(|block| block.label.as_str()).collect();
        assert_eq!(labels, ["PGP SIGNED MESSAGE", "PGP SIGNATURE"]);
        assert!(labels.iter().all(|label| meaning(label) == Some("OpenPGP, which is not supported")));
    }
}
