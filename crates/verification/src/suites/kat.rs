//! Fetched known answers for ML-KEM, ML-DSA and Ed25519.

use super::ed25519::{sign_and_verify, verify_each};
use super::{Ran, Run, Suite, is_ml_dsa, is_ml_kem};
use crate::checks::kem::{ExpectedKey, decapsulation, encapsulation, key_generation};
use crate::checks::signature::{self, Calls, Input, signing, verification};
use crate::checks::{ENCAPSULATION, KEY_GENERATION, SIGNING};
use crate::read::kat as read;
use crate::tally::Tally;
use crate::vectors::Vectors;
use pqlab_primitives::{Kem, KeyEncoding, SignatureScheme};

pub(super) static SUITES: &[Suite] = &[
    Suite::fetched("KAT ML-KEM keygen", is_ml_kem, Run::Kem(kem_keys)),
    Suite::fetched("KAT ML-KEM encaps", is_ml_kem, Run::Kem(encapsulations)),
    Suite::fetched("KAT ML-KEM decaps", is_ml_kem, Run::Kem(decapsulations)),
    Suite::fetched("KAT ML-DSA keygen", is_ml_dsa, Run::Signature(signing_keys)),
    Suite::fetched("KAT ML-DSA sign, deterministic", is_ml_dsa, Run::Signature(signatures)),
    Suite::fetched("KAT ML-DSA verify", is_ml_dsa, Run::Signature(verifications)),
    Suite::fetched("KAT ML-DSA verify, in batches", is_ml_dsa, Run::Batches(verifications)),
    Suite::fetched(
        "Ed25519 reference implementation",
        |algorithm| algorithm == "Ed25519",
        Run::Signature(|scheme, vectors, tally| {
            sign_and_verify(scheme, vectors.fetched("kat/ed25519-sign.input.gz", read::ed25519)?.iter(), tally);
            Ok(())
        }),
    ),
    Suite::fetched(
        "Ed25519 reference implementation: verification, in batches",
        |algorithm| algorithm == "Ed25519",
        Run::Batches(|scheme, vectors, tally| {
            verify_each(scheme, vectors.fetched("kat/ed25519-sign.input.gz", read::ed25519)?.iter(), tally);
            Ok(())
        }),
    ),
];

fn name(algorithm: &str) -> String {
    format!("kat/{algorithm}.rsp.gz")
}

fn kem_keys(kem: &dyn Kem, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for vector in vectors.fetched(&name(&kem.info().parameters.algorithm), read::ml_kem)?.iter() {
        let decapsulation_keys =
            [(KeyEncoding::Seed, vector.seed.as_slice()), (KeyEncoding::Expanded, vector.decapsulation_key.as_slice())];
        let key = ExpectedKey { encapsulation_key: &vector.encapsulation_key, decapsulation_keys: &decapsulation_keys };
        tally.answer(KEY_GENERATION, format_args!("line {}", vector.line), || key_generation(kem, &vector.seed, &key));
    }
    Ok(())
}

fn encapsulations(kem: &dyn Kem, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for vector in vectors.fetched(&name(&kem.info().parameters.algorithm), read::ml_kem)?.iter() {
        tally.answer(ENCAPSULATION, format_args!("line {}", vector.line), || {
            encapsulation(kem, &vector.encapsulation_key, &vector.coins, &vector.ciphertext, &vector.secret)
        });
    }
    Ok(())
}

/// Checks decapsulation of a valid ciphertext, and of one that no encapsulation created.
fn decapsulations(kem: &dyn Kem, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for vector in vectors.fetched(&name(&kem.info().parameters.algorithm), read::ml_kem)?.iter() {
        let key = (KeyEncoding::Expanded, vector.decapsulation_key.as_slice());
        tally.check(format_args!("line {}", vector.line), || {
            decapsulation(kem, key, &vector.ciphertext, &vector.secret)?;
            decapsulation(kem, key, &vector.other_ciphertext, &vector.other_secret)
        });
    }
    Ok(())
}

fn signing_keys(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for vector in vectors.fetched(&name(&scheme.info().parameters.algorithm), read::ml_dsa)?.iter() {
        let signing_keys =
            [(KeyEncoding::Seed, vector.seed.as_slice()), (KeyEncoding::Expanded, vector.signing_key.as_slice())];
        let key = signature::ExpectedKey { verifying_key: &vector.verifying_key, signing_keys: &signing_keys };
        let check = || signature::key_generation(scheme, &vector.seed, &key, Calls::Both);
        tally.answer(KEY_GENERATION, format_args!("line {}", vector.line), check);
    }
    Ok(())
}

fn signatures(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for vector in vectors.fetched(&name(&scheme.info().parameters.algorithm), read::ml_dsa)?.iter() {
        tally.answer(SIGNING, format_args!("line {}", vector.line), || {
            let input = Input::Pure(&vector.context, &vector.message);
            signing(scheme, (KeyEncoding::Expanded, &vector.signing_key), input, &[], &vector.signature)
        });
    }
    Ok(())
}

fn verifications(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for vector in vectors.fetched(&name(&scheme.info().parameters.algorithm), read::ml_dsa)?.iter() {
        tally.check(format_args!("line {}", vector.line), || {
            let input = Input::Pure(&vector.context, &vector.message);
            verification(scheme, &vector.verifying_key, input, &vector.signature, true)
        });
    }
    Ok(())
}
