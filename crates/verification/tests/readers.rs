//! Checks that readers accept complete files, reject truncated or garbled ones, and never panic.

#![allow(clippy::unwrap_used, reason = "test helpers")]

use pqlab_testing::{Need, require};
use pqlab_verification::read::{
    ReadError, content, ecdsa, ed25519, falcon, ml_dsa, ml_kem, sha3, slh_dsa, transcripts,
};
use pqlab_verification::vectors_root;
use std::panic::catch_unwind;

/// A reader that returns the number of vectors.
type Reader = fn(&str, &[u8]) -> Result<usize, ReadError>;

/// Files, each with its reader and number of vectors.
const FILES: &[(&str, Reader, usize)] = &[
    ("acvp/ML-KEM-keyGen-FIPS203/internalProjection.json.gz", |f, b| ml_kem::key_generation(f, b).map(|v| v.len()), 75),
    (
        "acvp/ML-KEM-encapDecap-FIPS203/internalProjection.json.gz",
        |f, b| ml_kem::encap_decap(f, b).map(|v| v.len()),
        165,
    ),
    ("cctv/ML-KEM/intermediate/ML-KEM-512.txt", |f, b| ml_kem::intermediate(f, b).map(|_| 1), 1),
    ("cctv/ML-KEM/intermediate/ML-KEM-768.txt", |f, b| ml_kem::intermediate(f, b).map(|_| 1), 1),
    ("cctv/ML-KEM/intermediate/ML-KEM-1024.txt", |f, b| ml_kem::intermediate(f, b).map(|_| 1), 1),
    ("acvp/ML-DSA-keyGen-FIPS204/internalProjection.json.gz", |f, b| ml_dsa::key_generation(f, b).map(|v| v.len()), 75),
    ("acvp/ML-DSA-sigGen-FIPS204/prompt.json.gz", |f, b| ml_dsa::sign_prompts(f, b).map(|v| v.len()), 360),
    ("acvp/ML-DSA-sigGen-FIPS204/expectedResults.json.gz", |f, b| ml_dsa::sign_results(f, b).map(|v| v.len()), 360),
    ("acvp/ML-DSA-sigVer-FIPS204/internalProjection.json.gz", |f, b| ml_dsa::verification(f, b).map(|v| v.len()), 180),
    (
        "acvp/SLH-DSA-keyGen-FIPS205/internalProjection.json.gz",
        |f, b| slh_dsa::key_generation(f, b).map(|v| v.len()),
        120,
    ),
    (
        "acvp-slh-dsa-rustcrypto/SLH-DSA-sigVer-FIPS205.internalProjection.json.gz",
        |f, b| slh_dsa::verification(f, b).map(|v| v.len()),
        45,
    ),
    ("bc-test-data/slhdsa/sigGen_SLH-DSA-SHA2-192s.txt.gz", |f, b| slh_dsa::signing(f, b).map(|v| v.len()), 14),
    ("bc-test-data/slhdsa/sigGen_SLH-DSA-SHA2-256f.txt.gz", |f, b| slh_dsa::signing(f, b).map(|v| v.len()), 20),
    ("bc-test-data/slhdsa/sigGen_SLH-DSA-SHAKE-128f.txt.gz", |f, b| slh_dsa::signing(f, b).map(|v| v.len()), 20),
    ("bc-test-data/falcon/falcon512-KAT.rsp.gz", |f, b| falcon::known_answers(f, b).map(|v| v.len()), 100),
    ("falcon/tprest-falcon.py-sign_KAT.json", |f, b| falcon::python_vectors(f, b).map(|v| v.len()), 24),
    ("falcon/liboqs-kem-kats.json", |f, b| transcripts::digests(f, b).map(|v| v.len()), 41),
    ("falcon/liboqs-sig-kats.json", |f, b| transcripts::digests(f, b).map(|v| v.len()), 65),
    ("acvp/EDDSA-KeyGen-1.0/internalProjection.json.gz", |f, b| ed25519::key_generation(f, b).map(|v| v.len()), 3),
    ("acvp/EDDSA-KeyVer-1.0/internalProjection.json.gz", |f, b| ed25519::key_verification(f, b).map(|v| v.len()), 4),
    ("acvp/EDDSA-SigGen-1.0/internalProjection.json.gz", |f, b| ed25519::signing(f, b).map(|v| v.len()), 84),
    ("acvp/EDDSA-SigVer-1.0/internalProjection.json.gz", |f, b| ed25519::verification(f, b).map(|v| v.len()), 10),
    ("rfc/8032-eddsa_ed25519.json.gz", |f, b| ed25519::rfc8032(f, b).map(|v| v.len()), 5),
    ("rfc/8032-eddsa_ed25519ctx.json.gz", |f, b| ed25519::rfc8032_context(f, b).map(|v| v.len()), 4),
    ("rfc/8032-eddsa_ed25519ph.json.gz", |f, b| ed25519::rfc8032_pre_hash(f, b).map(|v| v.len()), 1),
    ("rfc/6979-deterministic-ecdsa_vectors.json.gz", |f, b| ecdsa::rfc6979(f, b).map(|v| v.len()), 15),
    ("acvp/SHA3-224-2.0/internalProjection.json.gz", |f, b| sha3::acvp(f, b).map(|v| v.len()), 1263),
    ("acvp/SHA3-256-2.0/internalProjection.json.gz", |f, b| sha3::acvp(f, b).map(|v| v.len()), 1199),
    ("acvp/SHA3-384-2.0/internalProjection.json.gz", |f, b| sha3::acvp(f, b).map(|v| v.len()), 943),
    ("acvp/SHA3-512-2.0/internalProjection.json.gz", |f, b| sha3::acvp(f, b).map(|v| v.len()), 687),
    ("acvp/SHAKE-128-FIPS202/internalProjection.json.gz", |f, b| sha3::acvp(f, b).map(|v| v.len()), 269),
    ("acvp/SHAKE-256-FIPS202/internalProjection.json.gz", |f, b| sha3::acvp(f, b).map(|v| v.len()), 237),
    ("nist-cavp-sha3/SHA3_224ShortMsg.rsp.gz", |f, b| sha3::cavp_short(f, b).map(|v| v.len()), 145),
    ("nist-cavp-sha3/SHA3_256ShortMsg.rsp.gz", |f, b| sha3::cavp_short(f, b).map(|v| v.len()), 137),
    ("nist-cavp-sha3/SHA3_384ShortMsg.rsp.gz", |f, b| sha3::cavp_short(f, b).map(|v| v.len()), 105),
    ("nist-cavp-sha3/SHA3_512ShortMsg.rsp.gz", |f, b| sha3::cavp_short(f, b).map(|v| v.len()), 73),
    ("nist-cavp-sha3/SHAKE128ShortMsg.rsp.gz", |f, b| sha3::cavp_short(f, b).map(|v| v.len()), 337),
    ("nist-cavp-sha3/SHAKE256ShortMsg.rsp.gz", |f, b| sha3::cavp_short(f, b).map(|v| v.len()), 273),
    ("nist-cavp-sha3/SHA3_224Monte.rsp.gz", |f, b| sha3::cavp_monte(f, b).map(|v| v.results.len()), 100),
    ("nist-cavp-sha3/SHA3_256Monte.rsp.gz", |f, b| sha3::cavp_monte(f, b).map(|v| v.results.len()), 100),
    ("nist-cavp-sha3/SHA3_384Monte.rsp.gz", |f, b| sha3::cavp_monte(f, b).map(|v| v.results.len()), 100),
    ("nist-cavp-sha3/SHA3_512Monte.rsp.gz", |f, b| sha3::cavp_monte(f, b).map(|v| v.results.len()), 100),
    ("nist-cavp-sha3/SHAKE128Monte.rsp.gz", |f, b| sha3::cavp_monte(f, b).map(|v| v.results.len()), 100),
    ("nist-cavp-sha3/SHAKE256Monte.rsp.gz", |f, b| sha3::cavp_monte(f, b).map(|v| v.results.len()), 100),
];

#[test]
fn whole_files_contain_all_vectors() {
    let root = require!(vectors_root(), Need::Vectors);
    for (file, reader, vectors) in FILES {
        let bytes = std::fs::read(root.join(file)).unwrap();
        assert_eq!(reader(file, &bytes).map_err(|error| error.to_string()), Ok(*vectors), "{file}");
    }
}

#[test]
fn rejects_truncated_files() {
    let root = require!(vectors_root(), Need::Vectors);
    for (file, reader, vectors) in FILES {
        let packed = std::fs::read(root.join(file)).unwrap();
        if file.ends_with(".gz") {
            for cut in cuts(packed.len()) {
                let error = quiet(reader, file, &packed[..cut]).unwrap_err();
                assert!(error.to_string().starts_with(file), "{error}");
            }
            let trailing = [&packed[..], b"more"].concat();
            assert!(quiet(reader, file, &trailing).is_err(), "{file}: readers must reject trailing data");
        }
        let unpacked = content(file, &packed).unwrap().trim_ascii_end().to_vec();
        let plain = file.trim_end_matches(".gz");
        for cut in cuts(unpacked.len()) {
            // A text file that is truncated between two vectors is valid, but must contain fewer vectors.
            match quiet(reader, plain, &unpacked[..cut]) {
                Ok(found) => assert!(!plain.ends_with(".json") && found < *vectors, "{file} cut at {cut}: {found}"),
                Err(error) => assert_eq!(error.file, plain),
            }
        }
    }
}

#[test]
fn garbled_files_do_not_panic() {
    let root = require!(vectors_root(), Need::Vectors);
    let mut random = Random(1);
    for (file, reader, _) in FILES {
        let packed = std::fs::read(root.join(file)).unwrap();
        let unpacked = content(file, &packed).unwrap().into_owned();
        let plain = file.trim_end_matches(".gz");
        // Readers must not panic. They may accept the file, because some changes produce another
        // valid file.
        for _ in 0..8 {
            let _ = quiet(reader, plain, &random.garble(&unpacked));
            let _ = quiet(reader, file, &random.garble(&packed));
        }
    }
}

#[test]
fn rejects_files_of_other_kinds() {
    let mut random = Random(2);
    let noise: Vec<u8> = (0..5000).map(|_| random.next() as u8).collect();
    let contents: [&[u8]; 14] = [
        b"",
        b"\n\n",
        b"# nothing\n",
        b"a = b\n",
        b"[L = 1]\n",
        b"[L = -1]\n\nLen = 0\n",
        b"Len = 8\nMsg = 0",
        b"{}",
        b"[]",
        b"null",
        b"{\"algorithm\": \"ML-KEM\", \"revision\": \"FIPS203\", \"testGroups\": []}",
        b"{\"a\": {\"single\": \"00\", \"all\": \"00\"}}",
        &[0; 100],
        &noise,
    ];
    for (file, reader, _) in FILES {
        let plain = file.trim_end_matches(".gz");
        for bytes in contents {
            assert!(quiet(reader, plain, bytes).is_err(), "{plain}: {:?}", String::from_utf8_lossy(bytes));
            if file.ends_with(".gz") && !bytes.is_empty() {
                assert!(quiet(reader, file, bytes).is_err(), "{file}");
            }
        }
    }
}

#[test]
fn names_missing_or_invalid_fields() {
    let group = |fields: &str, test: &str| {
        format!(
            "{{\"algorithm\": \"ML-DSA\", \"mode\": \"sigVer\", \"revision\": \"FIPS204\", \"testGroups\": \
             [{{\"parameterSet\": \"ML-DSA-44\", {fields} \"tests\": [{{\"tcId\": 7, {test}}}]}}]}}"
        )
    };
    let pure = "\"signatureInterface\": \"external\", \"preHash\": \"pure\",";
    let test = "\"testPassed\": true, \"pk\": \"00\", \"signature\": \"01\", \"message\": \"\", \"context\": \"0a\"";
    let read = |text: String| ml_dsa::verification("file.json", text.as_bytes());
    let whole = read(group(pure, test)).unwrap();
    assert_eq!(whole.len(), 1);
    let input = ml_dsa::Input::Pure { context: vec![10], message: Vec::new() };
    assert_eq!((whole[0].id, &whole[0].input), (7, &input));

    for field in ["testPassed", "pk", "signature", "message", "context"] {
        let error = read(group(pure, &test.replace(field, "other"))).unwrap_err();
        assert_eq!(error.to_string(), format!("file.json, test 7: no field `{field}`"));
    }
    for (text, expected) in [
        (group(pure, &test.replace("0a", "0")), "file.json, line 1 column"),
        (group(pure, &test.replace("0a", "xy")), "file.json, line 1 column"),
        (group("", test), "file.json, test 7: no field `signatureInterface`"),
        (
            group(&pure.replace("pure", "odd"), test),
            "file.json, test 7: invalid field `signatureInterface`: \"external, preHash",
        ),
        (
            group(pure, test).replace("ML-DSA-44", "ML-DSA-45"),
            "file.json, test 7: invalid field `parameterSet`: \"ML-DSA-45\"",
        ),
        (group(pure, test).replace("sigVer", "sigGen"), "file.json: invalid field `mode`: \"sigGen\""),
        (group(pure, test).replace("FIPS204", "1.0"), "file.json: invalid field `revision`: \"1.0\""),
        (group(pure, test).replace("ML-DSA\"", "ML\""), "file.json: invalid field `algorithm`: \"ML\""),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// Returns the reader's result. Fails the test if the reader panics.
fn quiet(reader: &Reader, file: &str, bytes: &[u8]) -> Result<usize, ReadError> {
    catch_unwind(|| reader(file, bytes)).unwrap_or_else(|_| panic!("{file}: the reader panicked"))
}

/// Returns positions at which to truncate a file: near both ends, and in between.
fn cuts(length: usize) -> impl Iterator<Item = usize> {
    let between = (1..8).map(move |part| length * part / 8 + part);
    [0, 1, 9, 40]
        .into_iter()
        .chain(between)
        .chain([length - 30, length - 9, length - 3])
        .filter(move |cut| *cut < length)
}

struct Random(u64);

impl Random {
    /// Returns the next SplitMix64 output.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Changes, removes or repeats some bytes.
    fn garble(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut garbled = bytes.to_vec();
        for _ in 0..1 + self.next() % 4 {
            let place = (self.next() % garbled.len() as u64) as usize;
            let end = (place + (self.next() % 100) as usize).min(garbled.len());
            match self.next() % 3 {
                0 => garbled[place] = self.next() as u8,
                1 => drop(garbled.drain(place..end)),
                _ => {
                    let repeated = garbled[place..end].to_vec();
                    garbled.splice(place..place, repeated);
                }
            }
        }
        garbled
    }
}
