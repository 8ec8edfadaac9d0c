//! Tests signed tokens: published examples, flipped bits, and non-canonical encodings.
#![allow(clippy::unwrap_used)]

mod common;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use common::{hash, signatures};
use pqlab_constructions::token::{AkpKey, Algorithm, TokenError, cose, jws};
use pqlab_primitives::{Coins, SignatureScheme, SigningKey, VerifyingKey};
use std::sync::Arc;

const PAYLOAD: &[u8] = b"{\"iss\":\"pqlab\"}";

/// Returns a scheme and a key pair, preferably from a library that generates keys from seeds.
fn signer(algorithm: &Algorithm) -> (Arc<dyn SignatureScheme>, Box<dyn SigningKey>, Box<dyn VerifyingKey>) {
    let schemes = signatures(algorithm.primitive);
    let scheme = schemes.iter().find(|(_, scheme)| scheme.info().coins.keygen).unwrap_or(&schemes[0]).1.clone();
    let seed = vec![7; scheme.info().parameters.keygen_coins];
    let key = scheme.generate(if scheme.info().coins.keygen { Coins::Exact(&seed) } else { Coins::Internal }).unwrap();
    let public = key.verifying_key().unwrap();
    (scheme, key, public)
}

fn sha256(message: &[u8]) -> String {
    let mut digest = [0; 32];
    hash("SHA-256").digest(message, &mut digest).unwrap();
    hex::encode(digest)
}

/// Examples from RFC 9964, appendix A: keys from the all-zero seed, and tokens signed deterministically. Each entry
/// contains the algorithm, the thumbprint of the JWK, and the SHA-256 of the JWS and of the COSE_Sign1.
const RFC_9964: [(&str, &str, &str, &str); 3] = [
    (
        "ML-DSA-44",
        "T4xl70S7MT6Zeq6r9V9fPJGVn76wfnXJ21-gyo0Gu6o",
        "2ae7b395a71470a610a0d8b6443fd4784d93ba2b7d0a752da58264eb0fd338e8",
        "662dd8373250badecbbf5f637791cdc81773277cea5b6d237d6a8c1c9a09505c",
    ),
    (
        "ML-DSA-65",
        "Suiu29qbfuaBaR4Ats-c6XQBePB_OpAxAwcTR_0KXVM",
        "bb1a49c32f37f5f750e73fcc6fd7cbd8cf683e8b0270b1420c02e2e63e66bc01",
        "9668576da54152cc578b740106d17e4ada88fb3a28471fd3296c22e606c86812",
    ),
    (
        "ML-DSA-87",
        "tRn1JNIkgMsABVQBlXeDHxAIcclh-2IX0UdDEzPt5XU",
        "7102258ffe720c7430bf087b3283867b559d7479d1142162369fec672e1804aa",
        "206ce0b57b39dfc1e688ed5a89bd19ca4b8cebb52acc82c3dfd6c86c0de760fa",
    ),
];

#[test]
fn reproduces_the_examples_of_rfc_9964() {
    for (name, key_id, jws_digest, cose_digest) in RFC_9964 {
        let algorithm = Algorithm::find(name).unwrap();
        let mut produced = 0;
        for (provider, scheme) in signatures(name) {
            if !(scheme.info().coins.keygen && scheme.info().coins.operation) {
                continue;
            }
            let key = scheme.generate(Coins::Exact(&[0; 32])).unwrap();
            let public = key.verifying_key().unwrap();
            let mut encoded = vec![0; scheme.info().parameters.verifying_key];
            public.encode(&mut encoded).unwrap();
            let akp = AkpKey::new(algorithm, &encoded, Some(&[0; 32])).unwrap();
            akp.check(scheme.as_ref()).unwrap();
            let sha = hash("SHA-256");
            assert_eq!(BASE64URL.encode(akp.jwk_thumbprint(sha.as_ref()).unwrap()), key_id, "{provider}");

            let payload = "It\u{2019}s a dangerous business, Frodo, going out your door.".as_bytes();
            let token = jws::make(algorithm, key.as_ref(), Some(key_id), payload, Coins::Exact(&[])).unwrap();
            assert_eq!(sha256(token.as_bytes()), jws_digest, "{provider}");
            let read = jws::Jws::parse(&token).unwrap();
            assert_eq!((read.algorithm(), read.key_id()), (name, Some(key_id)));
            assert_eq!(read.verify(algorithm, public.as_ref()), Ok(payload));

            let (key_id, payload) =
                (akp.cose_thumbprint(sha.as_ref()).unwrap(), b"hello post quantum signatures".as_slice());
            let token = cose::make(algorithm, key.as_ref(), Some(&key_id), payload, Coins::Exact(&[])).unwrap();
            assert_eq!(sha256(&token), cose_digest, "{provider}");
            let read = cose::Sign1::parse(&token).unwrap();
            assert_eq!(read.key_id(), Some(key_id.as_slice()));
            assert_eq!(read.verify(algorithm, public.as_ref()), Ok(payload));
            produced += 1;
        }
        assert!(produced > 1, "{name}");
    }
}

/// Payload from RFC 7515, appendix A, in base64url.
const CLAIMS: &str = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";

#[test]
fn verifies_the_classical_examples() {
    // RFC 8037, appendix A.4.
    let seed = BASE64URL.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A").unwrap();
    let ed25519 = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    // RFC 7515, appendix A.3.
    let point = ["f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"];
    let point = [vec![4], BASE64URL.decode(point[0]).unwrap(), BASE64URL.decode(point[1]).unwrap()].concat();
    let es256 = format!(
        "eyJhbGciOiJFUzI1NiJ9.{CLAIMS}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    );
    // RFC 7515, appendix A.2.
    let modulus = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";
    let rsa = [
        &[0x30, 0x82, 1, 10, 2, 0x82, 1, 1, 0][..],
        &BASE64URL.decode(modulus).unwrap(),
        &[2, 3, 1, 0, 1], // 65537
    ]
    .concat();
    let rs256 = format!(
        "eyJhbGciOiJSUzI1NiJ9.{CLAIMS}.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
    );
    let key = signatures("Ed25519")[0].1.generate(Coins::Exact(&seed)).unwrap();
    let again = jws::make(
        Algorithm::find("Ed25519").unwrap(),
        key.as_ref(),
        None,
        b"Example of Ed25519 signing",
        Coins::Internal,
    );
    // RFC 9864, section 2.2: new tokens must name the curve in the header.
    let header = BASE64URL.encode(r#"{"alg":"Ed25519"}"#);
    let again = again.unwrap();
    assert!(again.starts_with(&format!("{header}.")), "{again}");
    assert_eq!(again.split('.').nth(1), ed25519.split('.').nth(1));
    let mut ed25519_key = vec![0; 32];
    key.verifying_key().unwrap().encode(&mut ed25519_key).unwrap();
    for (name, key, token) in
        [("Ed25519", ed25519_key, ed25519), ("ECDSA-P-256", point, &es256), ("RSA-2048", rsa, &rs256)]
    {
        for (provider, scheme) in signatures(name) {
            let key = scheme.load_verifying_key(&key).unwrap();
            let read = jws::Jws::parse(token).unwrap();
            assert!(read.verify(Algorithm::find(name).unwrap(), key.as_ref()).is_ok(), "{name}@{provider}");
        }
    }
}

#[test]
fn rejects_unsigned_key_identifiers() {
    // In RFC 9052, appendix C.2.1, the key identifier is in the unprotected header.
    let (head, rest) = (
        "d28443a10126",
        "54546869732069732074686520636f6e74656e742e58408eb33e4ca31d1c465ab05aac34cc6b23d58fef5c083106c4d25a91aef0b0117e2af9a291aa32e14ab834dc56ed2a223444547e01f11d3b0916e5a4c345cacb36",
    );
    let published = hex::decode(format!("{head}a104423131{rest}")).unwrap();
    assert!(matches!(cose::Sign1::parse(&published), Err(TokenError::Malformed { .. })));
    let without = hex::decode(format!("{head}a0{rest}")).unwrap();
    let key = hex::decode("04bac5b11cad8f99f9c72b05cf4b9e26d244dc189f745228255a219a86d6a09eff20138bf82dc1b6d562be0fa54ab7804a3a64b6d72ccfed6b6fb6ed28bbfc117e").unwrap();
    let (algorithm, key) =
        (Algorithm::find("ECDSA-P-256").unwrap(), signatures("ECDSA-P-256")[0].1.load_verifying_key(&key));
    let read = cose::Sign1::parse(&without).unwrap();
    assert_eq!(read.verify(algorithm, key.unwrap().as_ref()), Ok(b"This is the content.".as_slice()));
}

#[test]
fn rejects_every_bit_flip() {
    for algorithm in Algorithm::all() {
        let (_, key, public) = signer(algorithm);
        let token = jws::make(algorithm, key.as_ref(), Some("key"), PAYLOAD, Coins::Internal).unwrap();
        assert_eq!(token.len(), jws::length(algorithm, Some("key"), PAYLOAD.len()));
        let believed =
            |token: &str| jws::Jws::parse(token).is_ok_and(|jws| jws.verify(algorithm, public.as_ref()).is_ok());
        assert!(believed(&token));
        let mut bytes = token.into_bytes();
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(!std::str::from_utf8(&bytes).is_ok_and(believed), "JWS {}: bit {bit}", algorithm.jose);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        let mut token = cose::make(algorithm, key.as_ref(), Some(b"key"), PAYLOAD, Coins::Internal).unwrap();
        assert_eq!(token.len(), cose::length(algorithm, Some(b"key"), PAYLOAD.len()));
        let believed =
            |token: &[u8]| cose::Sign1::parse(token).is_ok_and(|cose| cose.verify(algorithm, public.as_ref()).is_ok());
        assert!(believed(&token));
        for bit in 0..8 * token.len() {
            token[bit / 8] ^= 1 << (bit % 8);
            assert!(!believed(&token), "COSE {}: bit {bit}", algorithm.jose);
            token[bit / 8] ^= 1 << (bit % 8);
        }
        for end in 0..token.len() {
            assert!(!believed(&token[..end]), "COSE {}: {end} bytes", algorithm.jose);
        }
    }
}

#[test]
fn rejects_non_canonical_jws() {
    let algorithm = Algorithm::find("Ed25519").unwrap();
    let (_, key, public) = signer(algorithm);
    let sign = |header: &str| {
        let signed = format!("{}.{}", BASE64URL.encode(header), BASE64URL.encode(PAYLOAD));
        let mut signature = vec![0; 64];
        key.sign(&[], signed.as_bytes(), Coins::Internal, &mut signature).unwrap();
        format!("{signed}.{}", BASE64URL.encode(signature))
    };
    let refused = |token: &str| {
        let verified =
            jws::Jws::parse(token).and_then(|jws| jws.verify(algorithm, public.as_ref()).map(<[u8]>::to_vec));
        verified.err().map(|error| error.to_string())
    };
    for right in [r#"{"alg":"Ed25519"}"#, r#"{"alg":"EdDSA"}"#, r#"{ "typ": "JWT", "alg": "EdDSA", "kid": "1" }"#] {
        assert_eq!(refused(&sign(right)), None, "{right}");
    }
    let token = sign(r#"{"x5c":[],"alg":"EdDSA","kid":"1","jwk":{}}"#);
    assert_eq!(jws::Jws::parse(&token).unwrap().other_parameters(), ["jwk", "x5c"]);
    for (wrong, why) in [
        (r#"{"alg":"EdDSA","alg":"EdDSA"}"#, "duplicate member"),
        (r#"{"alg":"EdDSA","\u0061lg":"EdDSA"}"#, "duplicate member"),
        (r#"{"alg":"EdDSA","jwk":{"x":1,"x":2}}"#, "duplicate member"),
        (r#"{"alg":"EdDSA","crit":["exp"],"exp":1}"#, "critical"),
        (r#"{"alg":"EdDSA","crit":[]}"#, "critical"),
        (r#"{"alg":"EdDSA","b64":false}"#, "critical"),
        (r#"{"alg":"none"}"#, "a different algorithm"),
        (r#"{"alg":"ES256"}"#, "a different algorithm"),
        (r#"{"alg":"eddsa"}"#, "a different algorithm"),
        (r#"{"alg":1}"#, "does not name"),
        (r#"{"kid":"1"}"#, "does not name"),
        (r#"{"alg":"EdDSA","kid":1}"#, "not a string"),
        (r#"["EdDSA"]"#, "not a JSON object"),
        (r#"{"alg":"EdDSA"} x"#, "not valid JSON"),
    ] {
        let found = refused(&sign(wrong)).unwrap_or_default();
        assert!(found.contains(why), "{wrong}: {found:?}");
    }
    let token = sign(r#"{"alg":"EdDSA"}"#);
    let [header, payload, signature] = token.split('.').collect::<Vec<_>>().try_into().unwrap();
    // The last base64url character of a 64-byte signature contains four unused bits.
    let last = signature.chars().last().unwrap();
    let spare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let other = spare.chars().nth(spare.find(last).unwrap() + 1).unwrap();
    for wrong in [
        format!("{token}="),
        format!("{token}=="),
        format!("{token}\n"),
        format!(" {token}"),
        format!("{token}."),
        format!(".{token}"),
        format!("{header}.{payload}"),
        format!("{header}.{payload}."),
        format!("{header}..{signature}"),
        format!("{header}.{payload}.{}{other}", &signature[..85]),
        token.replace('-', "+").replace('_', "/") + "+",
        String::new(),
        "..".to_owned(),
    ] {
        assert!(refused(&wrong).is_some(), "{wrong:?}");
    }
}

#[test]
fn rejects_non_canonical_cose_sign1() {
    let algorithm = Algorithm::find("Ed25519").unwrap();
    let (_, key, public) = signer(algorithm);
    // Assembles a token from the encodings of its parts, and signs it correctly.
    let sign = |outer: &str, protected: &str, unprotected: &str, payload_head: &str, signature_head: &str| {
        let protected = hex::decode(protected).unwrap();
        let head = [0x40 + u8::try_from(protected.len()).unwrap()];
        let signed =
            [b"\x84\x6aSignature1".as_slice(), &head, &protected, &[0x40], &[0x40 + PAYLOAD.len() as u8], PAYLOAD]
                .concat();
        let mut signature = vec![0; 64];
        key.sign(&[], &signed, Coins::Internal, &mut signature).unwrap();
        let raw = |text: &str| hex::decode(text).unwrap();
        let parts = [raw(outer), head.to_vec(), protected, raw(unprotected), raw(payload_head), PAYLOAD.to_vec()];
        [parts.concat(), raw(signature_head), signature].concat()
    };
    let refused = |token: &[u8]| {
        let verified =
            cose::Sign1::parse(token).and_then(|cose| cose.verify(algorithm, public.as_ref()).map(<[u8]>::to_vec));
        verified.err().map(|error| error.to_string())
    };
    let (outer, header, text, signature) = ("d284", "a10127", "4f", "5840");
    assert_eq!(PAYLOAD.len(), 15);
    // -19 is the current algorithm identifier, -8 the deprecated one.
    for right in ["a10132", header, "a2012704420102"] {
        assert_eq!(refused(&sign(outer, right, "a0", text, signature)), None, "{right}");
    }
    for (what, token) in [
        ("no tag", sign("84", header, "a0", text, signature)),
        ("a longer tag", sign("d81284", header, "a0", text, signature)),
        ("another tag", sign("d18484", header, "a0", text, signature)),
        ("two tags", sign("d2d284", header, "a0", text, signature)),
        ("a longer array", sign("d29804", header, "a0", text, signature)),
        ("a key identifier in the unprotected header", sign(outer, header, "a10441aa", text, signature)),
        ("an unknown label in the unprotected header", sign(outer, header, "a11863f6", text, signature)),
        ("an empty map with a longer head", sign(outer, header, "b800", text, signature)),
        ("an empty map of indefinite length", sign(outer, header, "bfff", text, signature)),
        ("a longer payload head", sign(outer, header, "a0", "580f", signature)),
        ("a longer signature head", sign(outer, header, "a0", text, "590040")),
        ("a header in another order", sign(outer, "a2044201020127", "a0", text, signature)),
        ("a longer label", sign(outer, "a1180127", "a0", text, signature)),
        ("a longer algorithm", sign(outer, "a1013807", "a0", text, signature)),
        ("a header of indefinite length", sign(outer, "bf0127ff", "a0", text, signature)),
        ("an algorithm twice", sign(outer, "a201270127", "a0", text, signature)),
        ("an empty key identifier", sign(outer, "a201270440", "a0", text, signature)),
        ("a critical header", sign(outer, "a20127028104", "a0", text, signature)),
        ("a content type", sign(outer, "a201270300", "a0", text, signature)),
        ("no algorithm", sign(outer, "a1044101", "a0", text, signature)),
        ("no header", sign(outer, "", "a0", text, signature)),
        ("a different algorithm", sign(outer, "a10126", "a0", text, signature)),
        ("the algorithm as text", sign(outer, "a1016545644453 41".replace(' ', "").as_str(), "a0", text, signature)),
    ] {
        assert!(refused(&token).is_some(), "{what}: {}", hex::encode(token));
    }
    let whole = sign(outer, header, "a0", text, signature);
    assert!(refused(&[&whole[..], &[0]].concat()).is_some());
    let detached = [&[0xd2, 0x84, 0x43, 0xa1, 0x01, 0x27, 0xa0, 0xf6][..], &whole[whole.len() - 66..]].concat();
    assert!(refused(&detached).unwrap().contains("detached payload"));
    // The parser must reject deeply nested input without recursing into it.
    assert!(cose::Sign1::parse(&[&[0xd2][..], &[0x84; 100_000]].concat()).is_err());
}

#[test]
fn ml_dsa_keys_round_trip() {
    let algorithm = Algorithm::find("ML-DSA-44").unwrap();
    let (scheme, _, _) = signer(algorithm);
    let mut public = vec![0; 1312];
    scheme.generate(Coins::Exact(&[7; 32])).unwrap().verifying_key().unwrap().encode(&mut public).unwrap();
    let seed = BASE64URL.encode([7; 32]);
    let text = BASE64URL.encode(&public);
    let key = AkpKey::new(algorithm, &public, None).unwrap();
    let read = AkpKey::from_jwk(&key.public_jwk()).unwrap();
    assert_eq!((read.algorithm(), read.public(), read.seed()), (algorithm, &public[..], None));
    let private = format!(r#"{{"kid":"1","kty":"AKP","alg":"ML-DSA-44","pub":"{text}","priv":"{seed}"}}"#);
    let private = AkpKey::from_jwk(&private).unwrap();
    assert_eq!(private.seed(), Some(&[7; 32][..]));
    private.check(scheme.as_ref()).unwrap();
    assert!(AkpKey::new(algorithm, &public, Some(&[8; 32])).unwrap().check(scheme.as_ref()).is_err());
    for wrong in [
        format!(r#"{{"kty":"OKP","alg":"ML-DSA-44","pub":"{text}"}}"#),
        format!(r#"{{"kty":"AKP","alg":"ML-DSA-65","pub":"{text}"}}"#),
        format!(r#"{{"kty":"AKP","alg":"EdDSA","pub":"{text}"}}"#),
        format!(r#"{{"kty":"AKP","pub":"{text}"}}"#),
        format!(r#"{{"kty":"AKP","alg":"ML-DSA-44","pub":"{text}="}}"#),
        format!(r#"{{"kty":"AKP","alg":"ML-DSA-44","pub":"{text}","pub":"{text}"}}"#),
        format!(r#"{{"kty":"AKP","alg":"ML-DSA-44","pub":"{text}","priv":"{}"}}"#, BASE64URL.encode([7; 31])),
        format!(r#"{{"kty":"AKP","alg":"ML-DSA-44","pub":"{text}","priv":null}}"#),
        r#"{"kty":"AKP","alg":"ML-DSA-44"}"#.to_owned(),
    ] {
        assert!(AkpKey::from_jwk(&wrong).is_err(), "{}", &wrong[..60]);
    }
    let nameless = AkpKey::from_jwk(r#"{"kty":"AKP","pub":""}"#).err().unwrap().to_string();
    assert_eq!(nameless, "the JWK names no algorithm");

    let written = key.public_cose_key().unwrap();
    assert_eq!(AkpKey::from_cose_key(&written).unwrap().public(), public);
    assert_eq!(&written[..9], &[0xa3, 1, 7, 3, 0x38, 0x2f, 0x20, 0x59, 5]);
    let private = [&[0xa4][..], &written[1..], &[0x21, 0x58, 32], &[7; 32]].concat();
    assert_eq!(AkpKey::from_cose_key(&private).unwrap().seed(), Some(&[7; 32][..]));
    let content = &written[1..];
    let named = [&[0xa4, 1, 7, 2, 0x41, 9, 3, 0x38, 0x2f][..], &content[5..]].concat();
    assert!(AkpKey::from_cose_key(&named).is_ok());
    for (what, wrong) in [
        ("another order", [&[0xa3, 3, 0x38, 0x2f, 1, 7][..], &content[5..]].concat()),
        ("a longer type", [&[0xa3, 1, 0x18, 7, 3, 0x38, 0x2f][..], &content[5..]].concat()),
        ("another type", [&[0xa3, 1, 1, 3, 0x38, 0x2f][..], &content[5..]].concat()),
        ("a different algorithm", [&[0xa3, 1, 7, 3, 0x38, 0x30][..], &content[5..]].concat()),
        ("no algorithm", [&[0xa2, 1, 7][..], &content[5..]].concat()),
        ("a short seed", [&[0xa4][..], content, &[0x21, 0x58, 31], &[7; 31]].concat()),
        ("trailing bytes", [&written[..], &[0]].concat()),
    ] {
        assert!(AkpKey::from_cose_key(&wrong).is_err(), "{what}");
    }
    let nameless = [&[0xa2, 1, 7][..], &content[5..]].concat();
    assert!(AkpKey::from_cose_key(&nameless).err().unwrap().to_string().contains("names no algorithm"));
}
