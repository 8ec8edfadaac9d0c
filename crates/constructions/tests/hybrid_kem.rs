//! Tests hybrid KEMs with published vectors and corrupted inputs.

#![allow(clippy::print_stderr, clippy::unwrap_used)]

mod common;

use common::{base64_field, hash, hex_field, kems, providers, read_json};
use pqlab_constructions::{HybridKem, MockKem};
use pqlab_primitives::{Coins, Error, Kdf, Kem, KeyEncoding, Xof};
use pqlab_testing::{Need, require};
use pqlab_verification::vectors_root;
use std::sync::Arc;

fn x25519() -> Arc<dyn Kem> {
    kems("X25519").remove(0).1
}

fn shake256() -> Arc<dyn Xof> {
    providers().iter().find_map(|provider| provider.xof("SHAKE256").cloned()).unwrap()
}

fn hkdf() -> Arc<dyn Kdf> {
    providers().iter().find_map(|provider| provider.kdf("HKDF-SHA256").cloned()).unwrap()
}

fn x_wing(post_quantum: Arc<dyn Kem>) -> HybridKem {
    HybridKem::x_wing(x25519(), post_quantum, hash("SHA3-256"), shake256()).unwrap()
}

fn composite(post_quantum: Arc<dyn Kem>) -> HybridKem {
    HybridKem::composite(x25519(), post_quantum, hash("SHA3-256")).unwrap()
}

/// Returns every hybrid KEM, built with this ML-KEM.
fn all(post_quantum: &Arc<dyn Kem>) -> Vec<HybridKem> {
    vec![
        x_wing(Arc::clone(post_quantum)),
        composite(Arc::clone(post_quantum)),
        HybridKem::x25519_ml_kem_768(x25519(), Arc::clone(post_quantum)).unwrap(),
        HybridKem::reference(x25519(), Arc::clone(post_quantum), hkdf()).unwrap(),
        HybridKem::reference(x25519(), Arc::new(MockKem::new()), hkdf()).unwrap(),
    ]
}

#[test]
fn matches_the_x_wing_vectors() {
    let folder = require!(vectors_root(), Need::Vectors).join("xwing");
    let tests = read_json(folder.join("test-vectors.json"));
    let tests = tests.as_array().unwrap();
    assert_eq!(tests.len(), 3);
    for (id, post_quantum) in kems("ML-KEM-768") {
        let kem = x_wing(post_quantum);
        for test in tests {
            let (seed, coins) = (hex_field(test, "seed"), hex_field(test, "eseed"));
            let (mut public, mut private) = (vec![0; 1216], vec![0; 32]);
            kem.generate_encoded(Coins::Exact(&seed), &mut public, &mut private).unwrap();
            assert!(public == hex_field(test, "pk") && private == hex_field(test, "sk"), "{id}");
            let key = kem.load_decapsulation_key(KeyEncoding::Seed, &private).unwrap();
            let mut derived = vec![0; 1216];
            assert_eq!(key.encapsulation_key().unwrap().encode(&mut derived), Ok(1216));
            assert!(derived == public, "{id}: the seed must yield the published key");
            let (mut secret, mut ciphertext) = ([0; 32], vec![0; 1120]);
            key.decapsulate(&hex_field(test, "ct"), &mut secret).unwrap();
            assert_eq!(secret.as_slice(), hex_field(test, "ss"), "{id}");
            if kem.info().coins.operation {
                let to = kem.load_encapsulation_key(&public).unwrap();
                let mut sent = [0; 32];
                to.encapsulate(Coins::Exact(&coins), &mut ciphertext, &mut sent).unwrap();
                assert!(ciphertext == hex_field(test, "ct") && sent == secret, "{id}");
            }
        }
    }
}

/// Returns the reason for skipping the vectors of a composite KEM.
fn unsupported(id: &str) -> &'static str {
    match id {
        _ if id.contains("RSA") => "RSA halves are not implemented",
        _ if id.contains("brainpool") => "brainpool curves are not implemented",
        _ if id.contains("X448") => "no provider offers X448",
        _ if id.contains("ECDH") => "no trait covers ECDH over NIST curves",
        other => panic!("{other} must be tested or listed as unsupported"),
    }
}

#[test]
fn matches_the_composite_vectors() {
    let folder = require!(vectors_root(), Need::Vectors).join("lamps-composite-kem");
    let (mut passed, mut skipped) = (0, 0);
    for test in read_json(folder.join("testvectors.json"))["tests"].as_array().unwrap() {
        let id = test["tcId"].as_str().unwrap();
        let schemes: Vec<(String, Arc<dyn Kem>)> = match id {
            "id-alg-ml-kem-768" => kems("ML-KEM-768"),
            "id-alg-ml-kem-1024" => kems("ML-KEM-1024"),
            "id-MLKEM768-X25519-SHA3-256" => {
                kems("ML-KEM-768").into_iter().map(|(id, kem)| (id, Arc::new(composite(kem)) as Arc<dyn Kem>)).collect()
            }
            other => {
                eprintln!("unsupported: {other}: {}", unsupported(other));
                skipped += 1;
                continue;
            }
        };
        for (provider, kem) in schemes {
            let key = match kem.load_decapsulation_key(KeyEncoding::Seed, &base64_field(test, "dk")) {
                // The file contains seeds, which some libraries cannot load.
                Err(Error::Unsupported(_)) => continue,
                key => key.unwrap(),
            };
            let public = base64_field(test, "ek");
            let mut derived = vec![0; public.len()];
            key.encapsulation_key().unwrap().encode(&mut derived).unwrap();
            assert!(derived == public, "{id}@{provider}: the seeds must yield the published key");
            let mut secret = [0; 32];
            key.decapsulate(&base64_field(test, "c"), &mut secret).unwrap();
            assert_eq!(secret.as_slice(), base64_field(test, "k"), "{id}@{provider}");
            passed += 1;
        }
    }
    assert!(passed > 0 && skipped == 11, "{passed} passed, {skipped} unsupported");
}

#[test]
fn both_sides_share_a_secret_for_every_pair_of_libraries() {
    for (id, post_quantum) in kems("ML-KEM-768") {
        for kem in all(&post_quantum) {
            let parameters = &kem.info().parameters;
            let encoding = kem.info().encodings[0];
            let mut public = vec![0; parameters.encapsulation_key];
            let mut private = vec![0; kem.info().decapsulation_key(encoding).unwrap()];
            kem.generate_encoded(Coins::Internal, &mut public, &mut private).unwrap();
            let key = kem.load_decapsulation_key(encoding, &private).unwrap();
            let to = kem.load_encapsulation_key(&public).unwrap();
            let (mut ciphertext, mut sent) = (vec![0; parameters.ciphertext], vec![0; parameters.shared_secret]);
            let mut received = sent.clone();
            to.encapsulate(Coins::Internal, &mut ciphertext, &mut sent).unwrap();
            key.decapsulate(&ciphertext, &mut received).unwrap();
            assert!(sent == received && sent.iter().any(|&byte| byte != 0), "{} over {id}", parameters.algorithm);
            let mut again = vec![0; private.len()];
            assert_eq!(key.encode(encoding, &mut again), Ok(private.len()));
            assert!(again == private);
            let generated = kem.generate(Coins::Internal).unwrap();
            let to = generated.encapsulation_key().unwrap();
            to.encapsulate(Coins::Internal, &mut ciphertext, &mut sent).unwrap();
            generated.decapsulate(&ciphertext, &mut received).unwrap();
            assert!(sent == received);
        }
    }
}

/// Returns the ciphertext bits that can be flipped without changing the secret.
fn ignored_bits(kem: &HybridKem) -> Vec<usize> {
    let key = kem.generate(Coins::Internal).unwrap();
    let length = kem.info().parameters.shared_secret;
    let (mut ciphertext, mut sent, mut received) = (vec![0; 1120], vec![0; length], vec![0; length]);
    key.encapsulation_key().unwrap().encapsulate(Coins::Internal, &mut ciphertext, &mut sent).unwrap();
    let mut ignored = Vec::new();
    for bit in 0..ciphertext.len() * 8 {
        ciphertext[bit / 8] ^= 1 << (bit % 8);
        key.decapsulate(&ciphertext, &mut received).unwrap();
        if received == sent {
            ignored.push(bit);
        }
        ciphertext[bit / 8] ^= 1 << (bit % 8);
    }
    ignored
}

#[test]
fn bound_ciphertext_bits_change_the_secret() {
    let (_, post_quantum) = kems("ML-KEM-768").remove(0);
    let none: [usize; 0] = [];
    assert_eq!(ignored_bits(&x_wing(Arc::clone(&post_quantum))), none);
    assert_eq!(ignored_bits(&composite(Arc::clone(&post_quantum))), none);
    assert_eq!(ignored_bits(&HybridKem::reference(x25519(), post_quantum, hkdf()).unwrap()), none);
}

/// X25519 ignores the most significant bit of a u-coordinate (RFC 7748, section 5).
#[test]
fn x25519_ml_kem_768_ignores_one_ciphertext_bit() {
    let kem = HybridKem::x25519_ml_kem_768(x25519(), kems("ML-KEM-768").remove(0).1).unwrap();
    assert_eq!(ignored_bits(&kem), [1120 * 8 - 1]);
}

#[test]
fn rejects_truncated_and_extended_inputs() {
    for kem in all(&kems("ML-KEM-768").remove(0).1) {
        let name = kem.info().parameters.algorithm.clone();
        let encoding = kem.info().encodings[0];
        let mut public = vec![0; kem.info().parameters.encapsulation_key];
        let mut private = vec![0; kem.info().decapsulation_key(encoding).unwrap()];
        kem.generate_encoded(Coins::Internal, &mut public, &mut private).unwrap();
        let key = kem.load_decapsulation_key(encoding, &private).unwrap();
        let (ciphertext, mut secret) = (vec![1; 1121], vec![0; kem.info().parameters.shared_secret]);
        assert!(key.decapsulate(&ciphertext[..1120], &mut secret).is_ok());
        for length in (0..1120).chain([1121]) {
            let refused = key.decapsulate(&ciphertext[..length], &mut secret);
            assert_eq!(refused, Err(Error::Length { what: "ciphertext", expected: 1120, actual: length }), "{name}");
        }
        for length in 0..public.len() {
            assert!(kem.load_encapsulation_key(&public[..length]).is_err(), "{name}");
        }
        for length in 0..private.len() {
            assert!(kem.load_decapsulation_key(encoding, &private[..length]).is_err(), "{name}");
        }
        for byte in 0..=255 {
            assert!(kem.load_encapsulation_key(&[&public[..], &[byte]].concat()).is_err(), "{name}");
            assert!(kem.load_decapsulation_key(encoding, &[&private[..], &[byte]].concat()).is_err(), "{name}");
        }
    }
}

/// Tests with a coefficient above q (FIPS 203, section 7.2), and a point of low order (RFC 7748, section 6.1).
#[test]
fn performs_the_checks_that_tls_requires() {
    for (id, post_quantum) in kems("ML-KEM-768") {
        let kem = HybridKem::x25519_ml_kem_768(x25519(), post_quantum).unwrap();
        let (mut public, mut private) = (vec![0; 1216], vec![0; 96]);
        kem.generate_encoded(Coins::Internal, &mut public, &mut private).unwrap();
        let (mut ciphertext, mut secret) = (vec![0; 1120], [0; 64]);

        let mut bad = public.clone();
        (bad[0], bad[1]) = (0xff, bad[1] | 0x0f);
        let used = kem
            .load_encapsulation_key(&bad)
            .and_then(|key| key.encapsulate(Coins::Internal, &mut ciphertext, &mut secret));
        assert!(used.is_err(), "{id} must reject a coefficient above q");

        let mut low = public.clone();
        low[1184..].fill(0);
        let used = kem
            .load_encapsulation_key(&low)
            .and_then(|key| key.encapsulate(Coins::Internal, &mut ciphertext, &mut secret));
        assert!(used.is_err(), "{id} must reject a share of low order");

        let key = kem.load_decapsulation_key(KeyEncoding::Seed, &private).unwrap();
        ciphertext[1088..].fill(0);
        assert!(key.decapsulate(&ciphertext, &mut secret).is_err(), "{id}: a low-order point must fail");
    }
}

/// Returns all encodings of points that X25519 maps to zero: the twelve on <https://cr.yp.to/ecdh.html#validate>, and
/// two more in which the ignored top bit is set (RFC 7748, section 5).
fn points_of_low_order() -> Vec<[u8; 32]> {
    let points = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ];
    let both = |point: &str| {
        let point: [u8; 32] = hex::decode(point).unwrap().try_into().unwrap();
        let mut with_the_bit = point;
        with_the_bit[31] |= 0x80;
        [point, with_the_bit]
    };
    points.into_iter().flat_map(both).collect()
}

/// Computes X-Wing's combiner for a zero X25519 secret (draft-connolly-cfrg-xwing-kem, section 5.3).
fn x_wing_of_zero(secret_m: &[u8], ciphertext_x: &[u8], public_x: &[u8]) -> [u8; 32] {
    let mut secret = [0; 32];
    hash("SHA3-256")
        .digest(&[secret_m, [0; 32].as_slice(), ciphertext_x, public_x, b"\\.//^\\"].concat(), &mut secret)
        .unwrap();
    secret
}

#[test]
fn x_wing_accepts_points_of_low_order() {
    for (classical, x25519) in kems("X25519") {
        for (id, post_quantum) in kems("ML-KEM-768") {
            let pair = format!("{classical}+{id}");
            let ml_kem = Arc::clone(&post_quantum);
            let kem = HybridKem::x_wing(Arc::clone(&x25519), post_quantum, hash("SHA3-256"), shake256()).unwrap();
            let (mut public, mut private, mut seeds) = (vec![0; 1216], [0; 32], [0; 96]);
            kem.generate_encoded(Coins::Internal, &mut public, &mut private).unwrap();
            let key = kem.load_decapsulation_key(KeyEncoding::Seed, &private).unwrap();
            shake256().digest(&private, &mut seeds).unwrap();
            let half = ml_kem.generate(Coins::Exact(&seeds[..64])).unwrap();
            let (mut ciphertext, mut secret, mut secret_m) = (vec![0; 1120], [0; 32], [0; 32]);
            for point in points_of_low_order() {
                let mut low = public.clone();
                low[1184..].copy_from_slice(&point);
                let to = kem.load_encapsulation_key(&low).unwrap();
                let mut ephemeral = Vec::new();
                for _ in 0..2 {
                    to.encapsulate(Coins::Internal, &mut ciphertext, &mut secret).unwrap();
                    half.decapsulate(&ciphertext[..1088], &mut secret_m).unwrap();
                    assert_eq!(secret, x_wing_of_zero(&secret_m, &ciphertext[1088..], &point), "{pair}: {point:02x?}");
                    ephemeral.push(ciphertext[1088..].to_vec());
                }
                assert!(ephemeral[0] != ephemeral[1], "{pair}: ephemeral keys must be random");
                if kem.info().coins.operation {
                    let (coins, mut ephemeral, mut scalar) = ([5; 64], [0; 32], [0; 32]);
                    to.encapsulate(Coins::Exact(&coins), &mut ciphertext, &mut secret).unwrap();
                    x25519.generate_encoded(Coins::Exact(&coins[32..]), &mut ephemeral, &mut scalar).unwrap();
                    assert_eq!(ciphertext[1088..], ephemeral, "{pair}: {point:02x?}");
                }

                key.encapsulation_key().unwrap().encapsulate(Coins::Internal, &mut ciphertext, &mut secret).unwrap();
                ciphertext[1088..].copy_from_slice(&point);
                half.decapsulate(&ciphertext[..1088], &mut secret_m).unwrap();
                key.decapsulate(&ciphertext, &mut secret).unwrap();
                assert_eq!(secret, x_wing_of_zero(&secret_m, &point, &public[1184..]), "{pair}: {point:02x?}");
            }
        }
    }
}

#[test]
fn other_hybrids_reject_points_of_low_order() {
    let (_, post_quantum) = kems("ML-KEM-768").remove(0);
    for (id, x25519) in kems("X25519") {
        for kem in [
            HybridKem::composite(Arc::clone(&x25519), Arc::clone(&post_quantum), hash("SHA3-256")).unwrap(),
            HybridKem::x25519_ml_kem_768(Arc::clone(&x25519), Arc::clone(&post_quantum)).unwrap(),
        ] {
            let mut secret = vec![0; kem.info().parameters.shared_secret];
            let (mut public, mut private, mut ciphertext) = (vec![0; 1216], vec![0; 96], vec![0; 1120]);
            kem.generate_encoded(Coins::Internal, &mut public, &mut private).unwrap();
            let key = kem.load_decapsulation_key(KeyEncoding::Seed, &private).unwrap();
            for point in points_of_low_order() {
                public[1184..].copy_from_slice(&point);
                let used = kem
                    .load_encapsulation_key(&public)
                    .and_then(|key| key.encapsulate(Coins::Internal, &mut ciphertext, &mut secret));
                assert!(used.is_err(), "{id}: {point:02x?}");
                ciphertext[1088..].copy_from_slice(&point);
                assert!(key.decapsulate(&ciphertext, &mut secret).is_err(), "{id}: {point:02x?}");
            }
        }
    }
}

#[test]
fn rejects_parts_of_other_algorithms() {
    let ml_kem = || kems("ML-KEM-768").remove(0).1;
    assert!(HybridKem::composite(ml_kem(), ml_kem(), hash("SHA3-256")).is_err());
    assert!(HybridKem::composite(x25519(), kems("ML-KEM-512").remove(0).1, hash("SHA3-256")).is_err());
    assert!(HybridKem::composite(x25519(), ml_kem(), hash("SHA3-512")).is_err());
    assert!(HybridKem::x_wing(x25519(), Arc::new(MockKem::new()), hash("SHA3-256"), shake256()).is_err());
}
