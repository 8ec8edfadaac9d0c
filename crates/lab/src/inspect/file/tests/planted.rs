//! Property tests with generated files that contain faulty parts between the others. Every part must be read, or refused
//! with its fault. None may be lost, hidden or added.

use super::*;
use proptest::test_runner::RngSeed;
use std::sync::LazyLock;

/// PEM blocks, keys and tokens that the tests plant. They are made once, because key generation takes longer than the
/// tests.
struct Samples {
    public: Vec<u8>,
    private: Vec<u8>,
    certificate: Vec<u8>,
    jwk: String,
    cose: Vec<u8>,
    token: String,
}

static SAMPLES: LazyLock<Samples> = LazyLock::new(|| {
    let (private, public) = pair("Ed25519", 5);
    let (jwk, cose, token) = tokens();
    let pem = issue("Ed25519", "Leaf", &public);
    Samples {
        public: public.to_der().unwrap(),
        private: private.to_der().unwrap().to_vec(),
        certificate: PemBlock::all(&pem).remove(0).der.unwrap().to_vec(),
        jwk,
        cose,
        token,
    }
});

/// Fault of a planted part.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    Truncated,
    Trailing,
    WrongLength,
    NotBase64,
    BadPadding,
    NoEnd,
    OtherEnd,
    OtherLabel,
    Empty,
    Header,
}

const FAULTS: [(Fault, &str); 11] = [
    (Fault::None, ""),
    (Fault::Truncated, "truncated DER"),
    (Fault::Trailing, "trailing bytes: 3 bytes"),
    (Fault::WrongLength, "bytes"),
    (Fault::NotBase64, "is not base64"),
    (Fault::BadPadding, "the base64 in"),
    (Fault::NoEnd, "before -----END"),
    (Fault::OtherEnd, "the END label is"),
    (Fault::OtherLabel, "a certificate request, which is not supported"),
    (Fault::Empty, "is empty"),
    (Fault::Header, "has the header"),
];

/// A planted block: what it contains, its fault, the length of its lines, and its indentation.
type Planted = (usize, usize, usize, usize);

fn kind(planted: &Planted) -> (&'static str, &'static str, &'static [u8]) {
    match planted.0 {
        0 => ("PUBLIC KEY", "public key", &SAMPLES.public),
        1 => ("PRIVATE KEY", "private key", &SAMPLES.private),
        _ => ("CERTIFICATE", "certificate", &SAMPLES.certificate),
    }
}

/// Returns a key of Ed25519 in DER whose last byte is missing, with correct outer lengths.
fn shortened(label: &str) -> Vec<u8> {
    let oid = hex::decode("300506032b6570").unwrap();
    match label {
        "PUBLIC KEY" => tlv(0x30, &[oid, tlv(0x03, &[0; 32])].concat()),
        _ => tlv(0x30, &[tlv(0x02, &[0]), oid, tlv(0x04, &tlv(0x04, &[7; 31]))].concat()),
    }
}

/// Writes a block, with its fault. `line_end` separates its lines.
fn write(planted: &Planted, line_end: &str) -> String {
    let (mut label, _, der) = kind(planted);
    let (_, fault, width, indent) = planted;
    let (fault, mut der) = (FAULTS[*fault].0, der.to_vec());
    match fault {
        Fault::Truncated => der.truncate(der.len() - 5),
        Fault::Trailing => der.extend([1, 2, 3]),
        Fault::WrongLength => der = shortened(label),
        Fault::Empty => der.clear(),
        Fault::OtherLabel => label = "CERTIFICATE REQUEST",
        _ => {}
    }
    let mut text = base64(&der);
    match fault {
        Fault::NotBase64 => text.insert(7, '*'),
        Fault::BadPadding => text = text.trim_end_matches('=').to_owned() + if text.ends_with('=') { "" } else { "=" },
        _ => {}
    }
    let mut lines = vec![format!("-----BEGIN {label}-----")];
    if fault == Fault::Header {
        lines.push("Bag-Attributes: none".to_owned());
        lines.push(String::new());
    }
    let letters: Vec<char> = text.chars().collect();
    lines.extend(letters.chunks(*width).map(|line| line.iter().collect::<String>()));
    match fault {
        Fault::NoEnd => {}
        Fault::OtherEnd => lines.push("-----END OTHER-----".to_owned()),
        _ => lines.push(format!("-----END {label}-----")),
    }
    lines.iter().map(|line| " ".repeat(*indent) + line + line_end).collect()
}

fn planted() -> impl Strategy<Value = Planted> {
    (0_usize..3, 0..FAULTS.len(), prop::sample::select(vec![1_usize, 5, 64, 76, 5000]), 0_usize..3)
}

/// Returns why a file is refused, or the refusals of its parts.
fn refusals(found: &Result<FileInspection, String>) -> Vec<Option<String>> {
    match found {
        Ok(found) => found.blocks.iter().map(|block| block.refused.clone()).collect(),
        Err(error) => vec![Some(error.clone())],
    }
}

/// Checks that no message has several lines.
fn check_lines(found: &Result<FileInspection, String>) {
    let refusals = refusals(found);
    assert!(refusals.iter().flatten().all(|refused| !refused.contains('\n')), "{refusals:?}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default()
    })]

    /// Every PEM block is read or refused by its fault, in the order of the file. Line lengths, line ends, indentation,
    /// encoding and the text between the blocks do not matter.
    #[test]
    fn no_pem_block_is_lost(
        blocks in prop::collection::vec(planted(), 1..6),
        line_end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        between in prop::sample::select(vec!["", "\n\n", "subject=CN = x\nissuer: y\n", "# key 1, 2048 bits\n"]),
        encoding in 0..4_usize,
    ) {
        // A block without its end is recognised by the block after it, which every file has.
        let blocks: Vec<Planted> = blocks.into_iter().chain([(0, 0, 64, 0)]).map(|(kind, fault, width, indent)| {
            // Without structure, a shorter certificate is a truncated one.
            let fault = if kind == 2 && FAULTS[fault].0 == Fault::WrongLength { 1 } else { fault };
            (kind, fault, width, indent)
        }).collect();
        let between = between.replace('\n', line_end);
        let text: String = blocks.iter().map(|block| between.clone() + &write(block, line_end)).collect();
        let bytes = match encoding {
            0 => text.clone().into_bytes(),
            1 => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            2 => [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect(),
            _ => [text.as_bytes(), &[0; 4]].concat(),
        };
        let found = inspect("x.pem", &bytes);
        check_lines(&found);
        let found = found.unwrap();
        prop_assert_eq!(found.blocks.len(), blocks.len(), "{}", text);
        let count = blocks.len();
        for (place, (block, planted)) in found.blocks.iter().zip(&blocks).enumerate() {
            let (fault, wanted) = FAULTS[planted.1];
            let (label, kind, _) = kind(planted);
            let name = format!("PEM block {} of {count}", place + 1);
            prop_assert!(block.place.starts_with(&name), "{}", block.place);
            match (fault, &block.refused) {
                (Fault::None, None) => {
                    prop_assert_eq!(block.kind.as_deref(), Some(kind));
                    prop_assert!(block.place.contains(label) && block.checks.iter().any(|one| one.passed == Some(true)));
                }
                (Fault::None, Some(refused)) => prop_assert!(false, "{refused}: {text}"),
                (_, Some(refused)) => prop_assert!(refused.contains(wanted), "{wanted}: {refused}: {text}"),
                (_, None) => prop_assert!(false, "{block:?}: {text}"),
            }
        }
    }

    /// DER that is cut off is refused as truncated, and bytes after the structure are counted.
    #[test]
    fn the_end_of_der_is_checked(
        kind_of in 0_usize..3, place in any::<prop::sample::Index>(), more in prop::collection::vec(any::<u8>(), 1..9),
    ) {
        let (_, _, der) = kind(&(kind_of, 0, 64, 0));
        // The first four bytes are the head of the outer element.
        let cut = &der[..4 + place.index(der.len() - 4)];
        let error = inspect("x.der", cut).unwrap_err();
        prop_assert!(error.contains(&format!("({} missing)", der.len() - cut.len())), "{error}");
        let error = inspect("x.der", &[der, &more].concat()).unwrap_err();
        let count = if more.len() == 1 { "1 byte".to_owned() } else { format!("{} bytes", more.len()) };
        prop_assert!(error.contains(&format!("DER with trailing bytes: {count}")), "{error}");
    }

    /// A certificate with one changed bit is refused or fails a check, or the bit is outside the signed data.
    #[test]
    fn a_changed_certificate_is_never_sound(place in any::<prop::sample::Index>(), bit in 0_u32..8) {
        let (_, public) = pair("Ed25519", 7);
        let issuer = issue("Ed25519", "Root", &public);
        let mut changed = SAMPLES.certificate.clone();
        let place = place.index(changed.len());
        changed[place] ^= 1 << bit;
        let found = inspect_together(&[&changed, issuer.as_bytes()]).remove(0);
        prop_assert_eq!(found.blocks.len(), 1);
        let verified = found.blocks[0].checks.iter().any(|one| one.name.contains("signature") && one.passed == Some(true));
        prop_assert!(!verified, "byte {place}: {found:?}");
    }

    /// A private key whose public key does not belong to it is never accepted.
    #[test]
    fn a_wrong_public_key_is_found(place in 0_usize..32, change in 1_u8..=255, same in any::<bool>()) {
        let (_, public) = pair("Ed25519", 5);
        let mut bytes = public.as_bytes().to_vec();
        if !same {
            bytes[place] ^= change;
        }
        let oid = hex::decode("300506032b6570").unwrap();
        let version = tlv(0x02, &[1]);
        let der = tlv(0x30, &[version, oid, tlv(0x04, &tlv(0x04, &[5; 32])), tlv(0x81, &[&[0][..], &bytes].concat())].concat());
        let found = inspect("x.der", &der);
        check_lines(&found);
        let sound = found.as_ref().is_ok_and(|found| found.sound());
        prop_assert_eq!(sound, same, "{:?}", found);
    }

    /// The keys of a set are all described: read, or refused by name.
    #[test]
    fn no_key_of_a_set_is_lost(
        planted in prop::collection::vec(0_usize..7, 1..6), is_array in any::<bool>(), space in prop::sample::select(vec!["", " ", "\r\n"]),
    ) {
        let jwk = &SAMPLES.jwk;
        let of = |fault: usize| -> (String, &'static str) {
            match fault {
                0 => (jwk.clone(), ""),
                1 => (r#"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#.to_owned(), "a JWK of type EC (P-256)"),
                2 => (jwk.replacen("\"ML-DSA-44\"", "\"ML-DSA-65\"", 1), "bytes"),
                3 => (jwk.replacen("\"ML-DSA-44\"", "\"ML-DSA-45\"", 1), "ML-DSA-45"),
                4 => (r#"{"kty":7}"#.to_owned(), "\"kty\" is not a string"),
                5 => (jwk.replacen("\"pub\":\"", "\"pub\":\"*", 1), "base64"),
                _ => (r#"{"kty":"AKP","alg":"ML-DSA-44"}"#.to_owned(), "pub"),
            }
        };
        let keys: Vec<String> = planted.iter().map(|fault| of(*fault).0).collect();
        let list = format!("[{space}{}]", keys.join(&format!(",{space}")));
        let text = if is_array { list } else { format!("{{{space}\"keys\":{list}{space}}}") };
        let found = inspect("x.jwks", text.as_bytes());
        check_lines(&found);
        let refused = refusals(&found);
        prop_assert_eq!(refused.len(), planted.len(), "{}", text);
        for (fault, refused) in planted.iter().zip(refused) {
            match (of(*fault).1, refused) {
                ("", None) => {}
                (wanted, Some(refused)) if !wanted.is_empty() => prop_assert!(refused.contains(wanted), "{wanted}: {refused}"),
                (wanted, refused) => prop_assert!(false, "{wanted}: {refused:?}: {text}"),
            }
        }
    }

    /// A duplicate member hides a value, so the file is refused, alone and in a set.
    #[test]
    fn duplicate_members_are_refused(member in prop::sample::select(vec!["kty", "alg", "pub", "x"]), form in 0_usize..3) {
        let members = SAMPLES.jwk.trim_start_matches('{');
        let key = format!("{{{:?}:\"a\",{:?}:\"b\",{members}", member, member);
        let text = match form {
            0 => key,
            1 => format!("{{\"keys\":[{key}]}}"),
            _ => format!("[{},{key}]", SAMPLES.jwk),
        };
        let error = inspect("x.jwk", text.as_bytes()).unwrap_err();
        prop_assert!(error.contains("duplicate") && error.contains(member), "{error}");
    }

    /// Every token of a file is read or refused, with any white space between them.
    #[test]
    fn no_token_is_lost(
        planted in prop::collection::vec(0_usize..5, 1..6), space in prop::sample::select(vec![" ", "\n", "\r\n", "\n\n"]),
    ) {
        let token = &SAMPLES.token;
        let of = |fault: usize| -> (String, &'static str) {
            match fault {
                0 => (token.clone(), ""),
                1 => (token[..token.len() - 4].to_owned(), "a signature of 2417 bytes; ML-DSA-44 signatures have 2420"),
                2 => ("a.b.c.d.e".to_owned(), "JWE"),
                3 => (format!("e30{}", &token[token.find('.').unwrap()..]), "alg"),
                _ => (format!("A{token}"), "not valid JSON"),
            }
        };
        let text: String = planted.iter().map(|fault| of(*fault).0 + space).collect();
        let found = inspect_together(&[text.as_bytes(), SAMPLES.jwk.as_bytes()]).remove(0);
        if planted.iter().all(|fault| *fault == 2) {
            prop_assert_eq!(found.blocks.len(), 1);
            return Ok(());
        }
        prop_assert_eq!(found.blocks.len(), planted.len(), "{}", text);
        for (fault, block) in planted.iter().zip(&found.blocks) {
            match (of(*fault).1, &block.refused) {
                ("", None) => prop_assert!(block.checks.iter().any(|one| one.passed == Some(true)), "{block:?}"),
                (wanted, Some(refused)) if !wanted.is_empty() => prop_assert!(refused.contains(wanted), "{wanted}: {refused}"),
                (wanted, refused) => prop_assert!(false, "{wanted}: {refused:?}"),
            }
        }
    }

    /// Every COSE key of a set is read or refused, and bytes after the set are never ignored.
    #[test]
    fn no_cose_key_is_lost(planted in prop::collection::vec(0_usize..3, 1..6), more in prop::collection::vec(any::<u8>(), 0..4)) {
        let cose = &SAMPLES.cose;
        let of = |fault: usize| -> (Vec<u8>, &'static str) {
            match fault {
                0 => (cose.clone(), ""),
                // A key of type OKP, and an AKP key without its public key.
                1 => (hex::decode("a3010120062158200000000000000000000000000000000000000000000000000000000000000000").unwrap(), "supported: AKP"),
                _ => (vec![0xa2, 1, 7, 3, 0x38, 0x2f], "supported: AKP"),
            }
        };
        let keys: Vec<u8> = planted.iter().flat_map(|fault| of(*fault).0).collect();
        let set = [&[0x80 + planted.len() as u8][..], &keys, &more].concat();
        let found = inspect("x.cbor", &set);
        check_lines(&found);
        let refused = refusals(&found);
        if !more.is_empty() {
            prop_assert!(found.is_err(), "{found:?}");
            return Ok(());
        }
        prop_assert_eq!(refused.len(), planted.len());
        for (fault, refused) in planted.iter().zip(refused) {
            match (of(*fault).1, refused) {
                ("", None) => {}
                (wanted, Some(refused)) if !wanted.is_empty() => prop_assert!(refused.contains(wanted), "{wanted}: {refused}"),
                (wanted, refused) => prop_assert!(false, "{wanted}: {refused:?}"),
            }
        }
    }
}
