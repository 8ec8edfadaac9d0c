mod planted;

use super::*;
use crate::WorkerProgram;
use pqlab_constructions::keys::{Identifier, PemBlock};
use pqlab_constructions::token::jws;
use pqlab_primitives::{Coins, KeyEncoding};
use proptest::prelude::*;

fn inspect(name: &str, bytes: &[u8]) -> Result<FileInspection, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let laboratory = Laboratory::new(WorkerProgram::pqlab("unused"));
    let found = laboratory.inspect_files(&[path], &[]);
    found.map(|mut found| found.remove(0)).map_err(|error| error.to_string())
}

/// Inspects several files together, with all providers.
fn inspect_together(files: &[&[u8]]) -> Vec<FileInspection> {
    inspect_with(files, &[]).unwrap()
}

/// Inspects several files together, with the given providers.
fn inspect_with(files: &[&[u8]], providers: &[String]) -> Result<Vec<FileInspection>, LabError> {
    let folder = tempfile::tempdir().unwrap();
    let write = |(number, bytes): (usize, &&[u8])| {
        let path = folder.path().join(number.to_string());
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let paths: Vec<PathBuf> = files.iter().enumerate().map(write).collect();
    Laboratory::new(WorkerProgram::pqlab("unused")).inspect_files(&paths, providers)
}

fn scheme(algorithm: &str, encodings: usize) -> Arc<dyn pqlab_primitives::SignatureScheme> {
    let laboratory = Laboratory::new(WorkerProgram::pqlab("unused"));
    let providers = laboratory.registry().providers();
    let hybrids = constructed(providers, algorithm, false);
    let found = providers
        .iter()
        .chain(&hybrids)
        .filter(|provider| provider.library != NULL)
        .filter_map(|provider| provider.signature(algorithm))
        .find(|scheme| scheme.info().encodings.len() >= encodings);
    Arc::clone(found.unwrap())
}

/// Returns a signing key's seed, in which every byte is `byte`.
fn seed(scheme: &dyn pqlab_primitives::SignatureScheme, byte: u8) -> Vec<u8> {
    vec![byte; scheme.info().signing_key(KeyEncoding::Seed).unwrap()]
}

/// Returns a private key in PKCS #8 and its public key. Every byte of the seed is `byte`.
fn pair(algorithm: &'static str, byte: u8) -> (PrivateKey, PublicKey) {
    let identifier = Identifier::named(algorithm).unwrap();
    let scheme = scheme(algorithm, 1);
    let seed = seed(scheme.as_ref(), byte);
    let key = scheme.load_signing_key(KeyEncoding::Seed, &seed).unwrap();
    let mut public = vec![0; scheme.info().parameters.verifying_key];
    key.verifying_key().unwrap().encode(&mut public).unwrap();
    (PrivateKey::new(identifier, Some(&seed), None).unwrap(), PublicKey::new(identifier, &public).unwrap())
}

/// Issues a certificate for `key` as PEM. The issuer is `CN=Root`, with a fixed key.
fn issue(algorithm: &'static str, subject: &str, key: &PublicKey) -> String {
    use pqlab_constructions::certificate::{Profile, SigningKeys, SubjectType, build};
    let scheme = scheme(algorithm, 1);
    let signer = match algorithm {
        "SLH-DSA-SHA2-128f" => scheme.generate(Coins::Exact(&[3; 48])).unwrap(),
        _ => scheme.load_signing_key(KeyEncoding::Seed, &seed(scheme.as_ref(), 7)).unwrap(),
    };
    let profile = Profile {
        serial_number: vec![1],
        issuer: "CN=Root".into(),
        subject: format!("CN={subject}"),
        not_before: Duration::ZERO,
        not_after: Duration::from_secs(4_000_000_000),
        subject_key_identifier: [1; 20],
        authority_key_identifier: [2; 20],
        dns_names: Vec::new(),
        subject_type: SubjectType::Authority { path_length: None },
    };
    let keys = SigningKeys::Single(Identifier::named(algorithm).unwrap(), signer.as_ref());
    let der = build(&profile, key, None, &keys, Coins::Internal).unwrap();
    Certificate::from_der(&der).unwrap().to_pem().unwrap()
}

fn failed(found: &FileInspection) -> Vec<String> {
    let checks = found.blocks.iter().flat_map(|block| &block.checks);
    checks.filter(|check| check.passed == Some(false)).map(|check| format!("{check:?}")).collect()
}

#[test]
fn reads_keys_as_pem_and_der_and_several_blocks() {
    let (private, public) = pair("ML-DSA-44", 7);
    let (open, secret) = (public.to_pem().unwrap(), private.to_pem().unwrap());
    for (name, bytes, kind) in [
        ("x.pem", open.clone().into_bytes(), "public key"),
        ("x.der", public.to_der().unwrap(), "public key"),
        ("x.pem", secret.as_bytes().to_vec(), "private key"),
        ("x.der", private.to_der().unwrap().to_vec(), "private key"),
        ("x.pem", private.to_der().unwrap().to_vec(), "private key"),
    ] {
        let found = inspect(name, &bytes).unwrap();
        let [block] = &found.blocks[..] else { panic!("{found:?}") };
        assert_eq!((block.kind.as_deref(), block.algorithm.as_deref()), (Some(kind), Some("ML-DSA-44")));
        assert!(found.sound() && block.checks.iter().any(|check| check.passed == Some(true)), "{found:?}");
    }
    let found = inspect("x.pem", format!("{open}text\n{}", secret.as_str()).as_bytes()).unwrap();
    assert_eq!(found.blocks[1].place, "PEM block 2 of 2 (PRIVATE KEY)");
    assert!(found.sound());
    // Private keys must not be shown.
    assert!(!serde_json::to_string(&found).unwrap().contains(&hex::encode([7; 8])));
    let other = "-----BEGIN DSA PRIVATE KEY-----\nMAA=\n-----END DSA PRIVATE KEY-----\n";
    let found = inspect("x.pem", format!("{open}{other}").as_bytes()).unwrap();
    assert!(!found.sound() && found.blocks[1].refused.as_ref().unwrap().contains("DSA, which is not supported"));
    assert!(inspect("x.pem", other.as_bytes()).unwrap_err().contains("DSA, which is not supported"));
}

/// SEC 1 and PKCS #1 are the formats of `openssl ecparam -genkey` and `openssl genrsa -traditional`.
#[test]
fn reads_private_keys_in_sec1_and_pkcs1() {
    let pem = |label: &str, der: &[u8]| {
        let text = key_id_text(der).replace('-', "+").replace('_', "/");
        let padding = "=".repeat((4 - text.len() % 4) % 4);
        format!("-----BEGIN {label}-----\n{text}{padding}\n-----END {label}-----\n")
    };
    let oid = hex::decode("06082a8648ce3d030107").unwrap();
    let scalar = [7; 32];
    let sec1 = |curve: &[u8]| {
        let body = [&[0x02, 1, 1, 0x04, 32][..], &scalar, curve].concat();
        [&[0x30, body.len() as u8][..], &body].concat()
    };
    let curve = [&[0xa0, 10][..], &oid].concat();
    let mut pkcs1 = vec![0; 4096];
    let lengths = scheme("RSA-2048", 1).generate_encoded(Coins::Internal, &mut [0; 4096], &mut pkcs1).unwrap();
    pkcs1.truncate(lengths.1);
    for (label, algorithm, der) in
        [("EC PRIVATE KEY", "ECDSA-P-256", sec1(&curve)), ("RSA PRIVATE KEY", "RSA-2048", pkcs1)]
    {
        for bytes in [der.clone(), pem(label, &der).into_bytes()] {
            let found = inspect("x", &bytes).unwrap();
            let block = &found.blocks[0];
            assert_eq!((block.kind.as_deref(), block.algorithm.as_deref()), (Some("private key"), Some(algorithm)));
            assert!(found.sound() && block.checks.iter().any(|check| check.passed == Some(true)), "{found:?}");
        }
        assert!(inspect("x", pem("PRIVATE KEY", &der).as_bytes()).is_err(), "{label}");
    }
    let both = pem("EC PARAMETERS", &oid) + &pem("EC PRIVATE KEY", &sec1(&curve));
    let found = inspect("x.pem", both.as_bytes()).unwrap();
    assert!(found.sound() && found.blocks[0].kind.as_deref() == Some("parameters"), "{found:?}");
    assert!(inspect("x", &sec1(&[])).unwrap_err().contains("does not name its curve"));
    let p384 = hex::decode("a00706052b81040022").unwrap();
    assert!(inspect("x", &sec1(&p384)).unwrap_err().contains("P-384"));
    // The public key is checked.
    let mut point = vec![0xa1, 68, 0x03, 66, 0, 4];
    point.extend([1; 64]);
    assert!(!inspect("x", &sec1(&[curve, point].concat())).unwrap().sound());
}

#[test]
fn verifies_certificates_with_the_certificates_in_the_file() {
    let (_, root_key) = pair("ML-DSA-44", 7);
    let (_, leaf_key) = pair("Ed25519", 9);
    let (root, leaf) = (issue("ML-DSA-44", "Root", &root_key), issue("ML-DSA-44", "Leaf", &leaf_key));
    let found = inspect("chain.pem", format!("{leaf}{root}").as_bytes()).unwrap();
    assert!(found.sound(), "{found:?}");
    for (block, wanted) in found
        .blocks
        .iter()
        .zip(["signature by the issuer (PEM block 2 of 2), verified", "signature by its own key, verified"])
    {
        assert!(
            block.checks.iter().any(|check| check.name.contains(wanted) && check.passed == Some(true)),
            "{block:?}"
        );
    }
    let alone = inspect("leaf.pem", leaf.as_bytes()).unwrap();
    let detail = alone.blocks[0].checks.iter().filter_map(|check| check.detail.as_deref()).collect::<Vec<_>>();
    assert!(alone.sound() && detail.contains(&"no file contains the issuer's certificate"), "{detail:?}");
    // A root with the same name but a different key did not sign the leaf.
    let (_, other_key) = pair("ML-DSA-44", 8);
    let other = issue("ML-DSA-44", "Root", &other_key);
    let found = inspect("chain.pem", format!("{leaf}{other}").as_bytes()).unwrap();
    assert!(!found.sound() && failed(&found).iter().any(|check| check.contains("signature is invalid")), "{found:?}");
    // RFC 9909.
    let slh = scheme("SLH-DSA-SHA2-128f", 1);
    let mut public = vec![0; 32];
    slh.generate(Coins::Exact(&[3; 48])).unwrap().verifying_key().unwrap().encode(&mut public).unwrap();
    let public = PublicKey::new(Identifier::named("SLH-DSA-SHA2-128f").unwrap(), &public).unwrap();
    let found = inspect("slh.pem", issue("SLH-DSA-SHA2-128f", "Root", &public).as_bytes()).unwrap();
    assert!(found.sound(), "{found:?}");
    assert!(found.blocks[0].checks.iter().any(|check| check.name.contains("own key") && check.passed == Some(true)));
}

fn value<'a>(block: &'a FileBlock, name: &str) -> &'a str {
    &block.facts.iter().find(|fact| fact.name == name).unwrap().value
}

#[test]
fn verifies_composite_certificates() {
    let (_, key) = pair("MLDSA65-Ed25519-SHA512", 7);
    let pem = issue("MLDSA65-Ed25519-SHA512", "Root", &key);
    let good = inspect("x.pem", pem.as_bytes()).unwrap();
    let verified = |check: &Check| check.name.contains("own key, verified by") && check.passed == Some(true);
    assert!(good.sound() && good.blocks[0].checks.iter().any(verified), "{good:?}");
    let mut der = PemBlock::all(&pem).remove(0).der.unwrap().to_vec();
    *der.last_mut().unwrap() ^= 1;
    let bad = inspect("x.der", &der).unwrap();
    assert!(!bad.sound() && !bad.blocks[0].checks.iter().any(verified), "{bad:?}");
}

#[test]
fn says_when_no_chosen_library_verifies_a_certificate() {
    let (_, key) = pair("ML-DSA-44", 7);
    let pem = issue("ML-DSA-44", "Root", &key);
    let laboratory = Laboratory::new(WorkerProgram::pqlab("unused"));
    let providers = laboratory.registry().providers();
    let other = providers.iter().find(|it| it.library != NULL && it.signature("ML-DSA-44").is_none()).unwrap();
    let found = inspect_with(&[pem.as_bytes()], &[other.id()]).unwrap();
    let check = found[0].blocks[0].checks.last().unwrap();
    assert_eq!((check.name.as_str(), check.passed), ("signature by its own key", None));
    assert_eq!(check.detail.as_deref(), Some("no chosen library offers ML-DSA-44"));
    let unknown = inspect_with(&[pem.as_bytes()], &["nope".to_owned()]).unwrap_err();
    assert!(unknown.is_request() && unknown.to_string().contains("unknown provider \"nope\""), "{unknown}");
}

#[test]
fn names_the_signature_and_the_missing_issuer() {
    let (_, root_key) = pair("ML-DSA-44", 7);
    let (_, leaf_key) = pair("Ed25519", 9);
    let leaf = issue("ML-DSA-44", "Leaf", &leaf_key);
    let detail = |files: &[&[u8]]| {
        let found = inspect_together(files);
        assert_eq!(value(&found[0].blocks[0], "signature"), "ML-DSA-44");
        found[0].blocks[0].checks.last().unwrap().detail.clone().unwrap()
    };
    let bare = detail(&[leaf.as_bytes(), root_key.to_pem().unwrap().as_bytes()]);
    assert_eq!(bare, "no file contains the issuer's certificate; a public key is not enough");
    // The key and the signature of this root have an unknown object identifier.
    let mut root = PemBlock::all(&issue("ML-DSA-44", "Root", &root_key)).remove(0).der.unwrap().to_vec();
    let oid = [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 17];
    for place in 0..root.len() - oid.len() {
        if root[place..].starts_with(&oid) {
            root[place + 8] = 99;
        }
    }
    let root = format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", base64(&root));
    let chain = inspect("chain.pem", format!("{leaf}{root}").as_bytes()).unwrap();
    let detail = chain.blocks[0].checks.last().unwrap().detail.as_ref().unwrap();
    assert!(detail.contains("certificate (PEM block 2 of 2) cannot be read"), "{detail}");
}

/// Encodes bytes in base64, with padding.
fn base64(bytes: &[u8]) -> String {
    let spare = key_id_text(bytes).replace('-', "+").replace('_', "/");
    let padding = "=".repeat((4 - spare.len() % 4) % 4);
    spare + &padding
}

#[test]
fn remarks_on_validity() {
    let [one, two, three] = [1, 2, 3].map(Duration::from_secs);
    assert_eq!(remark_validity(one, three, two), ["", ""]);
    assert_eq!(remark_validity(one, two, three), ["", " (expired)"]);
    assert_eq!(remark_validity(two, three, one), [" (not yet valid)", ""]);
    assert_eq!(remark_validity(three, two, three), ["", " (before \"valid from\")"]);
}

#[test]
fn checks_the_public_key_in_a_private_key() {
    let (private, public) = pair("Ed25519", 5);
    let v1 = private.to_der().unwrap();
    let attach = |public: &[u8]| {
        let body = [&[0x02, 1, 1][..], &v1[5..], &[0x81, 33, 0], public].concat();
        [&[0x30, u8::try_from(body.len()).unwrap()][..], &body].concat()
    };
    let good = inspect("x.der", &attach(public.as_bytes())).unwrap();
    assert!(good.sound() && good.blocks[0].checks[0].name.contains("private and public key match"), "{good:?}");
    let (_, other) = pair("Ed25519", 6);
    let bad = inspect("x.der", &attach(other.as_bytes())).unwrap();
    assert!(failed(&bad).iter().all(|check| check.contains("does not match")) && !bad.sound(), "{bad:?}");
    assert!(bad.blocks[0].checks.iter().all(|check| check.passed != Some(true)), "{bad:?}");
}

#[test]
fn rejects_an_expanded_ml_kem_key_with_a_wrong_hash_for_every_provider() {
    let laboratory = Laboratory::new(WorkerProgram::pqlab("unused"));
    let providers = laboratory.registry().providers();
    let kem = providers
        .iter()
        .filter(|provider| provider.library != NULL)
        .find_map(|provider| provider.kem("ML-KEM-512").filter(|kem| kem.info().encodings.len() == 2));
    let key = kem.unwrap().load_decapsulation_key(KeyEncoding::Seed, &[1; 64]).unwrap();
    let mut expanded = vec![0; 1632];
    key.encode(KeyEncoding::Expanded, &mut expanded).unwrap();
    let identifier = Identifier::named("ML-KEM-512").unwrap();
    let file = |expanded: &[u8]| {
        let key = PrivateKey::new(identifier, None, Some(expanded)).unwrap();
        inspect("x.pem", key.to_pem().unwrap().as_bytes()).unwrap()
    };
    assert!(file(&expanded).sound());
    // dk is dk_pke, ek, H(ek), z.
    for place in [0, 768 + 10, 1632 - 64, 1632 - 33] {
        let mut changed = expanded.clone();
        changed[place] ^= 1;
        let found = file(&changed);
        assert!(found.blocks[0].checks.iter().all(|check| check.passed != Some(true)), "{place}: {found:?}");
        assert!(!found.sound(), "{place}");
    }
}

#[test]
fn reads_jwk_sets_tokens_and_cose_keys() {
    let (_, public) = pair("ML-DSA-44", 7);
    let algorithm = Algorithm::find("ML-DSA-44").unwrap();
    let key = AkpKey::new(algorithm, public.as_bytes(), Some(&[7; 32])).unwrap();
    let jwk = key.public_jwk();
    let found = inspect("x.jwk", jwk.as_bytes()).unwrap();
    assert!(found.sound() && found.blocks[0].kind.as_deref() == Some("public key"), "{found:?}");
    let private = |seed: u8| {
        let seed = key_id_text(&[seed; 32]);
        jwk.replacen('{', &format!("{{\"priv\":\"{seed}\","), 1)
    };
    assert!(inspect("x.jwk", private(7).as_bytes()).unwrap().sound());
    let wrong = inspect("x.jwk", private(8).as_bytes()).unwrap();
    assert!(failed(&wrong).iter().any(|check| check.contains("different public key")), "{wrong:?}");
    let set = format!("{{\"keys\":[{jwk},{{\"kty\":\"EC\",\"crv\":\"P-384\"}}]}}");
    let found = inspect("x.jwks", set.as_bytes()).unwrap();
    let refused = found.blocks[1].refused.as_deref();
    assert_eq!(refused, Some("a JWK of type EC (P-384); supported: AKP, for ML-DSA (RFC 9964)"));
    assert!(inspect("x.cbor", &key.public_cose_key().unwrap()).unwrap().sound());
    let signer = scheme("ML-DSA-44", 1).load_signing_key(KeyEncoding::Seed, &[7; 32]).unwrap();
    let token = jws::make(algorithm, signer.as_ref(), Some("k"), b"{}", Coins::Internal).unwrap();
    let found = inspect("x.jws", token.as_bytes()).unwrap();
    assert_eq!((found.blocks[0].kind.as_deref(), found.blocks[0].checks[0].passed), (Some("token"), None));
    let together = inspect_together(&[token.as_bytes(), jwk.as_bytes()]);
    let checks = &together[0].blocks[0].checks;
    assert!(!checks.is_empty() && checks.iter().all(|check| check.passed == Some(true)), "{together:?}");
    let (_, other) = pair("ML-DSA-44", 8);
    let other = AkpKey::new(algorithm, other.as_bytes(), None).unwrap().public_jwk();
    assert!(!inspect_together(&[token.as_bytes(), other.as_bytes()])[0].sound());
}

#[test]
fn verifies_tokens_with_public_keys_and_certificates() {
    for algorithm in ["Ed25519", "ML-DSA-44"] {
        let (_, public) = pair(algorithm, 7);
        let (_, other) = pair(algorithm, 8);
        let signer = scheme(algorithm, 1).load_signing_key(KeyEncoding::Seed, &[7; 32]).unwrap();
        let named = Algorithm::find(algorithm).unwrap();
        let token = jws::make(named, signer.as_ref(), None, b"{}", Coins::Internal).unwrap();
        let cose =
            pqlab_constructions::token::cose::make(named, signer.as_ref(), None, b"{}", Coins::Internal).unwrap();
        let forged = token.replacen(".e30.", ".W10.", 1);
        assert_ne!(forged, token);
        let both = format!("{}{}", other.to_pem().unwrap(), public.to_pem().unwrap());
        for key in [
            public.to_pem().unwrap().into_bytes(),
            public.to_der().unwrap(),
            issue("ML-DSA-44", "Leaf", &public).into_bytes(),
            both.into_bytes(),
        ] {
            for genuine in [token.as_bytes(), &cose] {
                let found = inspect_together(&[genuine, &key]).remove(0);
                let checks = &found.blocks[0].checks;
                assert!(checks.iter().any(|check| check.passed == Some(true)) && found.sound(), "{found:?}");
            }
            let found = inspect_together(&[forged.as_bytes(), &key]).remove(0);
            assert!(!found.sound() && found.blocks[0].checks.iter().all(|check| check.passed != Some(true)));
        }
        let found = inspect_together(&[token.as_bytes(), other.to_pem().unwrap().as_bytes()]).remove(0);
        assert!(!found.sound(), "{found:?}");
        let detached = token.replacen(".e30.", "..", 1);
        let found = inspect_together(&[detached.as_bytes(), public.to_pem().unwrap().as_bytes()]).remove(0);
        assert_eq!(value(&found.blocks[0], "payload"), "empty or detached");
        assert!(failed(&found).iter().any(|check| check.contains("if the payload is detached")), "{found:?}");
    }
}

#[test]
fn a_faulty_block_does_not_hide_the_others() {
    let (_, public) = pair("Ed25519", 5);
    let good = public.to_pem().unwrap();
    let armour = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n=abcd\n-----END PGP PUBLIC KEY BLOCK-----\n";
    for (bad, wanted) in [
        ("-----BEGIN PUBLIC KEY-----\nA*==\n-----END PUBLIC KEY-----\n", "line 5: '*' in PUBLIC KEY is not base64"),
        ("-----BEGIN PUBLIC KEY-----\n", "missing -----END PUBLIC KEY----- line"),
        ("-----BEGIN x-----\n", "malformed label"),
        (armour, "PGP PUBLIC KEY BLOCK: OpenPGP"),
    ] {
        let found = inspect("x.pem", format!("{good}{bad}").as_bytes()).unwrap();
        let refused = found.blocks[1].refused.as_deref().unwrap();
        assert!(found.blocks[0].refused.is_none() && refused.contains(wanted), "{refused}");
        assert!(!found.sound());
    }
    let padded = [good.as_bytes(), &[0; 3]].concat();
    assert!(inspect("x.pem", &padded).unwrap().sound());
}

#[test]
fn names_what_it_cannot_read() {
    // RSAPublicKey with a 3072-bit modulus, and with exponent 3.
    let rsa = |bits: usize, exponent: &[u8]| {
        let tlv = |tag: u8, content: &[u8]| {
            let length = content.len();
            [&[tag, 0x82, (length >> 8) as u8, length as u8][..], content].concat()
        };
        let short = |content: &[u8]| [&[0x02, content.len() as u8][..], content].concat();
        let modulus = [&[0][..], &vec![0xff; bits / 8]].concat();
        let key = tlv(0x30, &[tlv(0x02, &modulus), short(exponent)].concat());
        let algorithm = hex::decode("300d06092a864886f70d0101010500").unwrap();
        tlv(0x30, &[algorithm, tlv(0x03, &[&[0][..], &key].concat())].concat())
    };
    // SubjectPublicKeyInfo with a one-byte key.
    let public = |oid: &str, parameters: &str| {
        let algorithm = hex::decode(format!("{oid}{parameters}")).unwrap();
        let algorithm = [&[0x30, algorithm.len() as u8][..], &algorithm].concat();
        let body = [&algorithm[..], &[0x03, 2, 0, 4]].concat();
        [&[0x30, body.len() as u8][..], &body].concat()
    };
    for (bytes, wanted) in [
        (rsa(3072, &[1, 0, 1]), "RSA-3072; supported: RSA-2048"),
        (rsa(2048, &[3]), "RSA-2048 with exponent 3; supported: RSA-2048 with the exponent 65537"),
        (
            public("060b2b0601040102820b070605", ""),
            "Dilithium3 (round 3) (1.3.6.1.4.1.2.267.7.6.5), which is not supported",
        ),
        (public("0609608648016503040321", ""), "HashML-DSA-65 with SHA-512 (2.16.840.1.101.3.4.3.33)"),
        (public("0609608648016503040312", "0500"), "must be absent, but are NULL"),
        (public("06072a8648ce3d0201", "06052b81040022"), "P-384 (1.3.132.0.34); supported: P-256"),
        (public("06032b6571", ""), "Ed448 (1.3.101.113), which is not supported"),
        (public("06022a03", ""), "1.2.3, which is unknown"),
        (b"\x01\x02\x03\x04".to_vec(), "not PEM"),
        (Vec::new(), "empty"),
        (b"ssh-ed25519 AAAA x".to_vec(), "cannot convert Ed25519"),
        (b"PuTTY-User-Key-File-3: ssh-ed25519\n".to_vec(), "puttygen"),
        (b"untrusted comment: minisign public key 1\nRWQ=\n".to_vec(), "minisign"),
        (b"age-encryption.org/v1\n-> X25519 AAAA\n".to_vec(), "a key or file of age"),
        (hex::decode("30080a0100a0030a0100").unwrap(), "OCSP response"),
        (b"---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n".to_vec(), "ssh-keygen -i"),
        (hex::decode("8443a10127a0f640").unwrap(), "COSE_Sign1 needs tag 18"),
        (hex::decode("d8628440a0f680").unwrap(), "COSE_Sign, with several signatures"),
        (hex::decode("d9d9f7d28443a10127a0f640").unwrap(), "detached payload"),
        (hex::decode("d18443a10105a041784279ff").unwrap(), "COSE_Mac0"),
        (hex::decode("feedfeed00000002").unwrap(), "Java keystore"),
        (hex::decode("cececece00000002").unwrap(), "Java keystore"),
        (hex::decode("9833046b093e5216092b").unwrap(), "OpenPGP"),
        // A certificate request and a revocation list, with empty fields.
        (hex::decode("3010300902010030003000a0003000030100").unwrap(), "certificate request"),
        (hex::decode("300e3007300030001701303000030100").unwrap(), "revocation list"),
        (hex::decode("300530000401ff").unwrap(), "openssl pkcs8 -inform DER"),
        (b"MIIBQjCB9aADAgECAhRN".to_vec(), "base64 without"),
        (b"MC4CAQAwBQYDK2VwBCIEIAUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQ==".to_vec(), "base64 without"),
        (b"----BEGIN PRIVATE KEY----\nMC4=\n".to_vec(), "with five hyphens"),
        (b"-----Begin Private Key-----\nMC4=\n".to_vec(), "in capital letters"),
        (b"\xff\xfe\0\0-\0\0\0-\0\0\0".to_vec(), "encoded as UTF-32"),
        (b"{\"a\":1}".to_vec(), "not a JWK"),
        (b"{\"kty\":\"oct\",\"k\":\"AA\"}".to_vec(), "a JWK of type oct"),
        (b"a.b.c.d.e".to_vec(), "JWE"),
        (hex::decode("3003020103").unwrap(), "not a key or a certificate"),
        (hex::decode("300602010102010102").unwrap(), "trailing bytes: 1 byte after the outer element; remove them"),
        (hex::decode("300302010130030201").unwrap(), "trailing bytes: 4 bytes"),
        (hex::decode("30030201013003020102").unwrap(), "put each DER structure in its own file"),
        (hex::decode("3006020101").unwrap(), "has 8 bytes, but only 5 are present (3 missing)"),
        (hex::decode("308006092a864886f70d010702").unwrap(), "BER with an indefinite length: CMS or PKCS #7"),
        (hex::decode("3080020100").unwrap(), "export the file again"),
        (hex::decode("300b06092a864886f70d010703").unwrap(), "encrypted CMS; decrypt it with `openssl cms -decrypt"),
        (hex::decode("308006092a864886f70d0107030000").unwrap(), "encrypted CMS"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), "an image"),
        (vec![0x9f; 1312], "1312 bytes that are not PEM"),
        (vec![0xa1; 64], "64 bytes that are not PEM"),
        (hex::decode("d9d9f7a1").unwrap(), "CBOR that is malformed or truncated"),
        (b"30820122300d06092a864886f70d01010105000382".to_vec(), "hexadecimal text; decode it with `xxd -r -p"),
        (b"0x30:82:01:22:30:0d:06:09:2a".to_vec(), "hexadecimal text"),
        (b"00000000: 3082 0122 300d 0609  0..\"0...\n00000010: 2a86 4886  *.H.\n".to_vec(), "a hex dump"),
        (b"Public-Key: (256 bit)\npub:\n    04:ab\n".to_vec(), "without the PEM block"),
        (b"Certificate:\n    Data:\n        Version: 3 (0x2)\n".to_vec(), "without the PEM block"),
        (b"# hosts\nexample.org,10.0.0.1 ssh-ed25519 AAAAC3Nz\n".to_vec(), "authorized_keys or known_hosts"),
        (b"no-pty,command=\"a b\" ecdsa-sha2-nistp256 AAAAE2Vj x".to_vec(), "authorized_keys or known_hosts"),
        (b"{\"ciphertext\":\"AA\",\"protected\":\"e30\"}".to_vec(), "JWE (encrypted token) in JSON"),
    ] {
        let error = inspect("x", &bytes).map(|found| panic!("{wanted}: {found:?}")).unwrap_err();
        assert!(error.contains(wanted) && !error.contains('\n'), "{wanted}: {error}");
    }
}

#[test]
fn distinguishes_paths_from_algorithms() {
    for path in ["-", "a/b", "x.pem", "X.DER", "./ML-KEM-768", "k.jwk"] {
        assert!(InspectRequest::is_path(path), "{path}");
    }
    for name in ["ML-KEM-768", "X.509-composite", "X25519+ML-KEM-768", "SPHINCS+-SHA2-128f-simple", "X-Wing"] {
        assert!(!InspectRequest::is_path(name), "{name}");
    }
}

/// A file with one changed byte must be either read, or rejected with a one-line error.
#[test]
fn changed_files_never_cause_a_panic() {
    let (private, public) = pair("Ed25519", 5);
    for original in [private.to_der().unwrap().to_vec(), public.to_der().unwrap()] {
        for place in 0..original.len() {
            for byte in [0x00, 0x30, 0x7f, 0x80, 0xa0, 0xff] {
                let mut changed = original.clone();
                changed[place] = byte;
                if let Err(error) = inspect("x", &changed) {
                    assert!(!error.contains('\n'), "{error}");
                }
            }
        }
    }
}

/// Returns a public key as a JWK and as a COSE key, and a JWS that the key verifies.
fn tokens() -> (String, Vec<u8>, String) {
    let (_, public) = pair("ML-DSA-44", 7);
    let algorithm = Algorithm::find("ML-DSA-44").unwrap();
    let key = AkpKey::new(algorithm, public.as_bytes(), None).unwrap();
    let signer = scheme("ML-DSA-44", 1).load_signing_key(KeyEncoding::Seed, &[7; 32]).unwrap();
    let token = jws::make(algorithm, signer.as_ref(), Some("k"), b"{}", Coins::Internal).unwrap();
    (key.public_jwk(), key.public_cose_key().unwrap(), token)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Unknown members, the order of members and white space do not affect a JWK. If a member that defines the key is
    /// missing or changed, the JWK is rejected or a check fails.
    #[test]
    fn jwk_members_are_read_in_any_order(
        extra in prop::collection::btree_map("x[a-z]{1,6}", "[ -!#-\\[\\]-~]{0,9}", 0..4),
        reversed in any::<bool>(),
        space in prop::sample::select(vec!["", " ", "\n\t", "\r\n"]),
        changed in prop::sample::select(vec!["", "kty", "alg", "pub"]),
        removed in any::<bool>(),
    ) {
        let (jwk, ..) = tokens();
        let members: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&jwk).unwrap();
        let mut members: Vec<(String, serde_json::Value)> = members.into_iter().collect();
        members.extend(extra.into_iter().map(|(name, value)| (name, value.into())));
        if reversed {
            members.reverse();
        }
        match members.iter().position(|(name, _)| name == changed) {
            Some(place) if removed => {
                members.remove(place);
            }
            Some(place) => {
                let text = members[place].1.as_str().unwrap();
                members[place].1 = text[..text.len() - 1].into();
            }
            None => {}
        }
        let members: Vec<String> = members.iter().map(|(name, value)| format!("{space}\"{name}\":{space}{value}")).collect();
        let result = inspect("x.jwk", format!("{space}{{{}{space}}}{space}", members.join(",")).as_bytes());
        match (changed, result) {
            ("", found) => {
                let found = found.unwrap();
                prop_assert!(found.sound() && found.blocks[0].algorithm.as_deref() == Some("ML-DSA-44"), "{found:?}");
            }
            (_, Ok(found)) => prop_assert!(!found.sound(), "{changed}: {found:?}"),
            (_, Err(error)) => prop_assert!(!error.contains('\n'), "{error}"),
        }
    }

    /// A changed or truncated COSE key or JWS must be rejected with a one-line error, or be read as something else. The
    /// signature must never be accepted.
    #[test]
    fn changed_tokens_are_never_verified(place in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let (jwk, cose, token) = tokens();
        for original in [cose, token.into_bytes()] {
            let place = place.index(original.len());
            let mut bytes = original.clone();
            if cut {
                bytes.truncate(place);
            } else {
                bytes[place] = byte;
            }
            if bytes == original {
                continue;
            }
            match inspect("x", &bytes) {
                Err(error) => prop_assert!(!error.contains('\n'), "{error}"),
                Ok(_) => {
                    let found = inspect_together(&[&bytes, jwk.as_bytes()]).remove(0);
                    let mut checks = found.blocks.iter().flat_map(|block| &block.checks);
                    let verified = checks.any(|check| check.name.contains("signature") && check.passed == Some(true));
                    prop_assert!(!verified, "{found:?}");
                }
            }
        }
    }
}

/// Returns a signed COSE_Sign1 token (RFC 9052) with these header maps, in encoded form. The seed of the signing key
/// consists of `byte`.
fn sign1(protected: &[u8], unprotected: &[u8], payload: &[u8], algorithm: &str, byte: u8) -> Vec<u8> {
    use pqlab_constructions::token::cose::string_len;
    let string = |bytes: &[u8]| {
        let head = match (string_len(bytes.len()) - bytes.len(), bytes.len()) {
            (1, length) => vec![0x40 + length as u8],
            (2, length) => vec![0x58, length as u8],
            (_, length) => vec![0x59, (length >> 8) as u8, length as u8],
        };
        [head, bytes.to_vec()].concat()
    };
    // Sig_structure of RFC 9052, section 4.4.
    let signed = [&[0x84, 0x6a][..], b"Signature1", &string(protected), &[0x40], &string(payload)].concat();
    let scheme = scheme(algorithm, 1);
    let key = scheme.load_signing_key(KeyEncoding::Seed, &seed(scheme.as_ref(), byte)).unwrap();
    let mut signature = vec![0; scheme.info().parameters.signature];
    let length = key.sign(&[], &signed, Coins::Internal, &mut signature).unwrap();
    [&[0xd2, 0x84][..], &string(protected), unprotected, &string(payload), &string(&signature[..length])].concat()
}

#[test]
fn reads_cose_tokens_with_any_headers() {
    let (_, key) = pair("Ed25519", 5);
    let pem = key.to_pem().unwrap();
    // Labels: 1 algorithm (-19 is Ed25519), 3 content type, 4 key identifier, 33 x5chain.
    for (protected, unprotected, facts) in [
        (&[0xa1, 1, 0x32][..], &[0xa0][..], &[][..]),
        (&[0xa1, 1, 0x32], &[0xa1, 4, 0x42, 0xab, 0xcd], &[("key identifier", "abcd")]),
        (&[0xa2, 1, 0x32, 3, 0x63, b'a', b'/', b'b'], &[0xa0], &[("content type", "a/b")]),
        (&[0xa1, 1, 0x32], &[0xa1, 0x18, 33, 0x42, 1, 2], &[("other header parameters, not interpreted", "33")]),
        // A map with its members in another order.
        (&[0xa2, 3, 0x63, b'a', b'/', b'b', 1, 0x32], &[0xa0], &[("content type", "a/b")]),
    ] {
        let token = sign1(protected, unprotected, b"hello", "Ed25519", 5);
        let tagged = [&[0xd8, 61][..], &token].concat();
        for token in [token, tagged] {
            let found = inspect_together(&[&token, pem.as_bytes()]);
            let block = &found[0].blocks[0];
            let verified = |check: &Check| check.name.contains("signature, verified") && check.passed == Some(true);
            assert!(found[0].sound() && block.checks.iter().any(verified), "{block:?}");
            for (name, wanted) in facts {
                assert_eq!(value(block, name), *wanted);
            }
            let forged = [&token[..token.len() - 1], &[token[token.len() - 1] ^ 1]].concat();
            assert!(!inspect_together(&[&forged, pem.as_bytes()])[0].sound());
        }
    }
    for (protected, reason) in [
        (&[0xa1, 1, 0x39, 0xff, 0xff][..], "algorithm -65536, which is not registered"),
        (&[0xa1, 1, 0x3a, 0, 1, 0, 0], "COSE algorithm -65537, which is not supported"),
        (&[0xa2, 1, 0x32, 2, 0x81, 4], "critical header parameter"),
        (&[0xa0], "does not name its algorithm"),
    ] {
        let error = inspect("x.cbor", &sign1(protected, &[0xa0], b"hello", "Ed25519", 5)).unwrap_err();
        assert!(error.contains(reason), "{error}");
    }
    for (bytes, name) in [
        (&[0xd0, 0x83, 0x40, 0xa0, 0x40][..], "COSE_Encrypt0"),
        (&[0xd1, 0x84, 0x40, 0xa0, 0x40, 0x40], "COSE_Mac0"),
        (&[0xd8, 98, 0x84, 0x40, 0xa0, 0x40, 0x80], "COSE_Sign, with several signatures"),
        (&[0xd8, 61, 0xd1, 0x84, 0x40, 0xa0, 0x40, 0x40], "a CWT that is not a COSE_Sign1"),
    ] {
        let error = inspect("x.cbor", bytes).unwrap_err();
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn one_unreadable_file_does_not_hide_the_others() {
    let (_, key) = pair("ML-DSA-44", 7);
    let pem = key.to_pem().unwrap();
    let found = inspect_together(&[b"nonsense", pem.as_bytes(), b""]);
    assert!(found[1].sound() && found[1].blocks[0].kind.as_deref() == Some("public key"), "{found:?}");
    for (unreadable, reason) in [(&found[0], "not PEM, DER"), (&found[2], "the file is empty")] {
        assert!(!unreadable.sound() && unreadable.blocks[0].refused.as_ref().unwrap().contains(reason), "{found:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("good.pem");
    std::fs::write(&good, &pem).unwrap();
    let laboratory = Laboratory::new(WorkerProgram::pqlab("unused"));
    let found = laboratory.inspect_files(&[folder.path().join("absent"), good], &[]).unwrap();
    assert!(found[0].blocks[0].refused.as_ref().unwrap().contains("No such file") && found[1].sound(), "{found:?}");
}

#[test]
fn private_keys_verify_tokens() {
    for (algorithm, jose) in [("Ed25519", "Ed25519"), ("ML-DSA-44", "ML-DSA-44"), ("ECDSA-P-256", "ES256")] {
        let token = Algorithm::of_jose(jose).unwrap();
        let scheme = scheme(algorithm, 1);
        let scalar = algorithm.starts_with("ECDSA");
        let private = if scalar { vec![5; 32] } else { seed(scheme.as_ref(), 5) };
        let encoding = if scalar { KeyEncoding::Scalar } else { KeyEncoding::Seed };
        let key = scheme.load_signing_key(encoding, &private).unwrap();
        let identifier = Identifier::named(algorithm).unwrap();
        let der = PrivateKey::new(identifier, Some(&private), None).unwrap().to_der().unwrap();
        let signed = jws::make(token, key.as_ref(), None, b"hello", Coins::Internal).unwrap();
        let found = inspect_together(&[signed.as_bytes(), &der]);
        let verified = |check: &Check| check.name.contains("signature, verified") && check.passed == Some(true);
        assert!(found[0].sound() && found[0].blocks[0].checks.iter().any(verified), "{algorithm}: {found:?}");
    }
}

/// Returns a DER element.
fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let head = match length {
        0..0x80 => vec![tag, length as u8],
        _ => vec![tag, 0x82, (length >> 8) as u8, length as u8],
    };
    [head, content.to_vec()].concat()
}

/// Returns a PEM block.
fn armour(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", base64(der))
}

/// Returns the DER of a certificate that `issue` returned, with `old` replaced by `new` everywhere.
fn replaced(pem: &str, old: &[u8], new: &[u8]) -> Vec<u8> {
    let der = PemBlock::all(pem).remove(0).der.unwrap().to_vec();
    let hex = hex::encode(&der).replace(&hex::encode(old), &hex::encode(new));
    let changed = hex::decode(hex).unwrap();
    assert_ne!(changed, der);
    changed
}

fn passed(block: &FileBlock) -> Vec<&str> {
    block.checks.iter().filter(|check| check.passed == Some(true)).map(|check| check.name.as_str()).collect()
}

#[test]
fn a_new_key_that_the_old_key_certifies_is_not_self_signed() {
    let ((_, old), (_, new)) = (pair("ML-DSA-44", 7), pair("ML-DSA-44", 8));
    let (rollover, root) = (issue("ML-DSA-44", "Root", &new), issue("ML-DSA-44", "Root", &old));
    for (text, [first, second]) in [
        (format!("{rollover}{root}"), [Some("PEM block 2 of 2"), None]),
        (format!("{root}{rollover}"), [None, Some("PEM block 1 of 2")]),
    ] {
        let found = inspect("chain.pem", text.as_bytes()).unwrap();
        assert!(found.sound(), "{found:?}");
        for (block, issuer) in found.blocks.iter().zip([first, second]) {
            let name = issuer.map_or("signature by its own key, verified by ".to_owned(), |place| {
                format!("signature by the issuer ({place}), verified by ")
            });
            let signatures: Vec<&str> = passed(block).into_iter().filter(|check| check.contains("signature")).collect();
            assert!(!signatures.is_empty() && signatures.iter().all(|check| check.starts_with(&name)), "{block:?}");
        }
    }
    let alone = inspect("rollover.pem", rollover.as_bytes()).unwrap();
    assert!(!alone.sound() && failed(&alone).iter().all(|check| check.contains("by its own key")), "{alone:?}");
    let together = inspect_together(&[rollover.as_bytes(), root.as_bytes()]);
    let by_file = passed(&together[0].blocks[0]).into_iter().any(|check| check.contains("/1), verified by"));
    assert!(by_file, "{together:?}");
}

#[test]
fn lists_extensions_version_and_serial_number() {
    let (_, key) = pair("ML-DSA-44", 7);
    let pem = issue("ML-DSA-44", "Root", &key);
    let block = inspect("x.pem", pem.as_bytes()).unwrap().blocks.remove(0);
    assert_eq!((value(&block, "version"), value(&block, "serial number")), ("3", "01"));
    assert!(value(&block, "extensions").contains("basic constraints (critical)"), "{block:?}");
    assert!(!value(&block, "extensions").contains("not interpreted"), "{block:?}");
    // Rename basicConstraints to an unknown extension.
    let unknown = replaced(&pem, &[0x06, 3, 0x55, 0x1d, 19], &[0x06, 3, 0x55, 0x1d, 99]);
    let block = inspect("x.der", &unknown).unwrap().blocks.remove(0);
    assert!(value(&block, "extensions").contains("2.5.29.99 (critical, not interpreted)"), "{block:?}");
    // The serial number follows the version.
    for (serial, wanted) in [(0x00, "00 (zero"), (0xff, "-01 (negative")] {
        let changed = replaced(&pem, &[0xa0, 3, 2, 1, 2, 2, 1, 1], &[0xa0, 3, 2, 1, 2, 2, 1, serial]);
        let block = inspect("x.der", &changed).unwrap().blocks.remove(0);
        assert!(value(&block, "serial number").starts_with(wanted), "{block:?}");
    }
    let newer = replaced(&pem, &[0xa0, 3, 2, 1, 2, 2, 1, 1], &[0xa0, 3, 2, 1, 3, 2, 1, 1]);
    assert!(inspect("x.der", &newer).unwrap_err().contains("a version other than 1, 2 and 3"));
    let older = replaced(&pem, &[0xa0, 3, 2, 1, 2, 2, 1, 1], &[0xa0, 3, 2, 1, 1, 2, 1, 1]);
    let block = inspect("x.der", &older).unwrap().blocks.remove(0);
    assert_eq!(value(&block, "version"), "2 (extensions require version 3)");
}

#[test]
fn names_dates_that_it_does_not_support() {
    let (_, key) = pair("ML-DSA-44", 7);
    let pem = issue("ML-DSA-44", "Root", &key);
    let begin = b"700101000000Z";
    for (date, wanted) in [
        (b"551231235959Z", "\"valid from\" is 1955-12-31 23:59:59 UTC; pqlab supports dates from 1970 on"),
        (b"70010100+0100", "offset from UTC"),
        (b"700231000000Z", "does not exist"),
    ] {
        let error = inspect("x.der", &replaced(&pem, begin, date)).unwrap_err();
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn reads_self_described_cbor_and_key_sets() {
    let (jwk, cose, _) = tokens();
    const SELF_DESCRIBED: [u8; 3] = [0xd9, 0xd9, 0xf7];
    let token = sign1(&[0xa1, 1, 0x32], &[0xa0], b"hello", "Ed25519", 5);
    let (_, key) = pair("Ed25519", 5);
    let pem = key.to_pem().unwrap();
    for tagged in [
        [&SELF_DESCRIBED[..], &token].concat(),
        [&SELF_DESCRIBED[..], &[0xd8, 61], &token].concat(),
        [&[0xd8, 61][..], &SELF_DESCRIBED, &token].concat(),
    ] {
        let found = inspect_together(&[&tagged, pem.as_bytes()]).remove(0);
        assert!(found.sound() && !passed(&found.blocks[0]).is_empty(), "{found:?}");
    }
    assert!(inspect("x.cbor", &[&SELF_DESCRIBED[..], &cose].concat()).unwrap().sound());
    let set = inspect("x.cbor", &[&[0x82][..], &cose, &cose].concat()).unwrap();
    assert!(set.sound() && set.blocks[1].place == "COSE_Key 2 of 2", "{set:?}");
    // A key identifier and key operations, in any order: the map has two more members.
    let extended = [&[cose[0] + 2][..], &cose[1..], &[4, 0x81, 2, 2, 0x42, 0xab, 0xcd]].concat();
    let found = inspect("x.cbor", &extended).unwrap();
    assert_eq!(value(&found.blocks[0], "key identifier"), "abcd");
    assert_eq!(value(&found.blocks[0], "other members, not interpreted"), "4 (key operations)");
    let twice = [&[cose[0] + 2][..], &cose[1..], &[2, 0x41, 1, 2, 0x41, 1]].concat();
    assert!(inspect("x.cbor", &twice).unwrap_err().contains("duplicate label"));
    let array = inspect("x.jwk", format!("[{jwk},{jwk}]").as_bytes()).unwrap();
    assert!(array.sound() && array.blocks.len() == 2, "{array:?}");
    let named = jwk.replacen('{', "{\"kid\":\"k\",\"use\":\"sig\",", 1);
    let found = inspect("x.jwk", named.as_bytes()).unwrap();
    assert_eq!(value(&found.blocks[0], "key identifier"), "k");
    assert_eq!(value(&found.blocks[0], "other members, not interpreted"), "use");
}

#[test]
fn rejects_cose_headers_that_the_standard_forbids() {
    for (protected, unprotected, reason) in [
        // An unknown critical parameter.
        (&[0xa3, 1, 0x32, 2, 0x81, 0x19, 3, 0xe7, 0x19, 3, 0xe7, 1][..], &[0xa0][..], "critical header parameter"),
        (&[0xa1, 1, 0x32], &[0xa1, 2, 0x81, 4], "critical header parameter"),
        (&[0xa2, 1, 0x32, 4, 0x41, 1], &[0xa1, 4, 0x41, 2], "the same label in both headers"),
        (&[0xa2, 1, 0x32, 1, 0x32], &[0xa0], "duplicate label"),
    ] {
        let error = inspect("x.cbor", &sign1(protected, unprotected, b"hello", "Ed25519", 5)).unwrap_err();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn the_length_of_a_signature_decides_what_a_token_is() {
    let token = |header: &str, length: usize| {
        let signature = key_id_text(&vec![1; length]);
        format!("{}.e30.{signature}", key_id_text(header.as_bytes()))
    };
    for (alg, length, wanted) in [
        ("RS256", 384, "RS256, signature of 384 bytes (RSA-3072), which is not supported"),
        ("RS256", 5, "a token with RS256 and a signature of 5 bytes"),
        ("EdDSA", 114, "EdDSA, signature of 114 bytes (Ed448)"),
        ("EdDSA", 65, "a signature of 65 bytes; Ed25519 signatures have 64"),
        ("Ed25519", 114, "a signature of 114 bytes"),
        ("ES256", 71, "a signature of 71 bytes; ECDSA-P-256 signatures have 64"),
        ("ML-DSA-44", 0, "a signature of 0 bytes"),
    ] {
        let error = inspect("x.jws", token(&format!("{{\"alg\":\"{alg}\"}}"), length).as_bytes()).unwrap_err();
        assert!(error.contains(wanted), "{error}");
    }
    let good = token("{\"alg\":\"EdDSA\"}", 64);
    for text in [format!("Bearer {good}"), format!("Authorization: Bearer {good}\n")] {
        assert_eq!(inspect("x.jws", text.as_bytes()).unwrap().blocks[0].place, "JWS");
    }
    let two = inspect("x.jws", format!("{good}\n{good}\n").as_bytes()).unwrap();
    assert_eq!(two.blocks[1].place, "JWS 2 of 2");
}

#[test]
fn names_lists_of_integers() {
    let number = |length: usize| tlv(0x02, &vec![0x11; length]);
    let list = |numbers: &[Vec<u8>]| tlv(0x30, &numbers.concat());
    let small = |value: u8| tlv(0x02, &[value]);
    for (der, wanted) in [
        (list(&[number(129), number(20), number(128)]), "DSA parameters without a key"),
        (list(&[small(0), number(129), number(20), number(128), number(128), number(20)]), "a DSA private key"),
        (list(&[number(32), number(33)]), "an ECDSA or DSA signature"),
        (list(&[number(256), small(2)]), "Diffie-Hellman parameters"),
        (list(&[number(256), small(2), tlv(0x02, &[1, 0])]), "Diffie-Hellman parameters"),
        (list(&[number(256), small(2), number(32)]), "parameters of DSA or of Diffie-Hellman (X9.42)"),
        (list(&[number(128), small(5), number(128)]), "parameters of DSA or of Diffie-Hellman (X9.42)"),
        (list(&[number(129), number(128), number(20)]), "Diffie-Hellman parameters"),
        (list(&[number(129), number(128), number(20), tlv(0x30, &[])]), "Diffie-Hellman parameters"),
        (list(&[number(257), tlv(0x02, &[1, 0, 1])]), "an RSA public key in PKCS #1"),
        (list(&[number(8), number(8), number(8), number(8)]), "not a key or a certificate"),
    ] {
        let error = inspect("x.der", &der).unwrap_err();
        assert!(error.contains(wanted), "{wanted}: {error}");
    }
    let dsa = list(&[small(0), number(129), number(20), number(128), number(128), number(20)]);
    let error = inspect("x.pem", armour("RSA PRIVATE KEY", &dsa).as_bytes()).unwrap_err();
    assert!(error.contains("PKCS #1 private key is not an RSA key") && !error.contains("PKCS #8"), "{error}");
    let sec1 = tlv(0x30, &[tlv(0x02, &[1]), tlv(0x04, &[7; 31]), tlv(0xa0, &p256())].concat());
    let error = inspect("x.pem", armour("EC PRIVATE KEY", &sec1).as_bytes()).unwrap_err();
    assert!(!error.contains("PKCS #8"), "{error}");
}

/// Returns the OBJECT IDENTIFIER of P-256 in DER.
fn p256() -> Vec<u8> {
    hex::decode("06082a8648ce3d030107").unwrap()
}

#[test]
fn compares_ec_parameters_with_the_key_that_follows() {
    let p384 = hex::decode("06052b81040022").unwrap();
    let key = tlv(0x30, &[tlv(0x02, &[1]), tlv(0x04, &[7; 32]), tlv(0xa0, &p256())].concat());
    let file = |parameters: &[u8]| armour("EC PARAMETERS", parameters) + &armour("EC PRIVATE KEY", &key);
    let good = inspect("x.pem", file(&p256()).as_bytes()).unwrap();
    assert!(good.sound() && value(&good.blocks[0], "curve") == "P-256 (1.2.840.10045.3.1.7)", "{good:?}");
    assert_eq!(passed(&good.blocks[0]), ["the key that follows (PEM block 2 of 2) is on the same curve"]);
    let bad = inspect("x.pem", file(&p384).as_bytes()).unwrap();
    assert!(failed(&bad).iter().any(|check| check.contains("names the curve P-256")), "{bad:?}");
    let alone = inspect("x.pem", armour("EC PARAMETERS", &p384).as_bytes()).unwrap();
    assert!(alone.blocks[0].checks.is_empty() && value(&alone.blocks[0], "curve").starts_with("P-384"), "{alone:?}");
}

#[test]
fn finds_blocks_between_text_in_any_encoding() {
    let (_, public) = pair("Ed25519", 5);
    let file = [&b"# M\xfcller\r\n"[..], public.to_pem().unwrap().as_bytes(), b"\xff\n"].concat();
    assert!(inspect("x.pem", &file).unwrap().sound());
    let enveloped = hex::decode("300b06092a864886f70d010703").unwrap();
    let error = inspect("x.pem", armour("CMS", &enveloped).as_bytes()).unwrap_err();
    assert!(error.contains("CMS: encrypted CMS"), "{error}");
}

#[test]
fn limits_the_length_of_endless_files() {
    assert_eq!(read_from(&b"abc"[..], 3).unwrap(), b"abc");
    assert!(read_from(io::repeat(0), 1000).unwrap_err().contains("at most 1000 bytes"));
}

#[test]
fn says_which_certificate_belongs_to_a_private_key() {
    let ((private, public), (_, other)) = (pair("Ed25519", 9), pair("Ed25519", 10));
    let key = private.to_pem().unwrap();
    let (own, foreign) = (issue("ML-DSA-44", "Leaf", &public), issue("ML-DSA-44", "Leaf", &other));
    let found = inspect("x.pem", format!("{}{foreign}{own}", key.as_str()).as_bytes()).unwrap();
    assert!(
        passed(&found.blocks[0]).contains(&"public key of the certificate (PEM block 3 of 3) matches"),
        "{found:?}"
    );
    let hash = value(&found.blocks[0], "SHA-256 of the public key");
    assert_eq!(hash, value(&found.blocks[2], "SHA-256 of the key"));
    let wrong = inspect("x.pem", format!("{}{foreign}", key.as_str()).as_bytes()).unwrap();
    assert!(failed(&wrong).iter().any(|check| check.contains("no certificate contains this key")), "{wrong:?}");
    let apart = inspect_together(&[key.as_bytes(), foreign.as_bytes()]);
    assert_eq!(value(&apart[0].blocks[0], "certificate"), "none of the certificates contains this key");
    assert!(apart[0].sound(), "{apart:?}");
    let bare = inspect_together(&[key.as_bytes(), public.to_pem().unwrap().as_bytes()]);
    assert!(passed(&bare[0].blocks[0]).iter().any(|check| check.ends_with("/1) matches")), "{bare:?}");
    // Keys of a KEM have a public key, too.
    let kem = PrivateKey::new(Identifier::named("ML-KEM-512").unwrap(), Some(&[1; 64]), None).unwrap();
    let found = inspect("x.pem", kem.to_pem().unwrap().as_bytes()).unwrap();
    assert_eq!(value(&found.blocks[0], "SHA-256 of the public key").len(), 64);
}
