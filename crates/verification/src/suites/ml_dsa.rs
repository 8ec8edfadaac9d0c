use super::{Ran, Run, Suite, is_ml_dsa};
use crate::checks::signature::{
    self as checks, Calls, ExpectedKey, hashes_first, key_generation, signing, verification,
};
use crate::checks::{KEY_GENERATION, SIGNING};
use crate::read::ml_dsa::{self as read, Input, SignPrompt};
use crate::read::{ReadError, ReadFault};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{KeyEncoding, Prehash, SignatureScheme};
use std::collections::BTreeMap;
use std::sync::Arc;

const fn suite(name: &'static str, run: fn(&dyn SignatureScheme, &Vectors, &mut Tally) -> Ran) -> Suite {
    Suite::published(name, is_ml_dsa, Run::Signature(run))
}

const fn in_batches(name: &'static str, run: fn(&dyn SignatureScheme, &Vectors, &mut Tally) -> Ran) -> Suite {
    Suite::published(name, is_ml_dsa, Run::Batches(run))
}

pub(super) static SUITES: &[Suite] = &[
    suite("ACVP ML-DSA keyGen", acvp_keygen),
    suite("ACVP ML-DSA sigGen, pure, deterministic", |scheme, vectors, tally| {
        sign(scheme, vectors, tally, |vector| is_pure(&vector.input) && vector.coins.is_none())
    }),
    suite("ACVP ML-DSA sigGen, pure, hedged", |scheme, vectors, tally| {
        sign(scheme, vectors, tally, |vector| is_pure(&vector.input) && vector.coins.is_some())
    }),
    suite("ACVP ML-DSA sigGen, pre-hash", |scheme, vectors, tally| {
        sign(scheme, vectors, tally, |vector| is_pre_hash(&vector.input))
    }),
    suite("ACVP ML-DSA sigGen, internal", |scheme, vectors, tally| {
        sign(scheme, vectors, tally, |vector| is_internal(&vector.input))
    }),
    suite("ACVP ML-DSA sigGen, internal, mu given", |scheme, vectors, tally| {
        sign(scheme, vectors, tally, |vector| is_external_mu(&vector.input))
    }),
    suite("ACVP ML-DSA sigVer, pure", |scheme, vectors, tally| verify(scheme, vectors, tally, is_pure)),
    suite("ACVP ML-DSA sigVer, pre-hash", |scheme, vectors, tally| verify(scheme, vectors, tally, is_pre_hash)),
    suite("ACVP ML-DSA sigVer, internal", |scheme, vectors, tally| verify(scheme, vectors, tally, is_internal)),
    suite("ACVP ML-DSA sigVer, internal, mu given", |scheme, vectors, tally| {
        verify(scheme, vectors, tally, is_external_mu)
    }),
    in_batches("ACVP ML-DSA sigVer, pure, in batches", |scheme, vectors, tally| {
        verify(scheme, vectors, tally, is_pure)
    }),
    in_batches("ACVP ML-DSA sigVer, internal, in batches", |scheme, vectors, tally| {
        verify(scheme, vectors, tally, is_internal)
    }),
    in_batches("ACVP ML-DSA sigVer, internal, mu given, in batches", |scheme, vectors, tally| {
        verify(scheme, vectors, tally, is_external_mu)
    }),
];

fn is_pure(input: &Input) -> bool {
    matches!(input, Input::Pure { .. })
}

fn is_pre_hash(input: &Input) -> bool {
    matches!(input, Input::PreHash { .. })
}

fn is_internal(input: &Input) -> bool {
    matches!(input, Input::Internal { .. })
}

fn is_external_mu(input: &Input) -> bool {
    matches!(input, Input::ExternalMu { .. })
}

fn acvp_keygen(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let file = vectors.file("acvp/ML-DSA-keyGen-FIPS204/internalProjection.json.gz", read::key_generation)?;
    for vector in file.iter().filter(|vector| vector.set == scheme.info().parameters.algorithm) {
        let signing_keys =
            [(KeyEncoding::Seed, vector.seed.as_slice()), (KeyEncoding::Expanded, vector.signing_key.as_slice())];
        let key = ExpectedKey { verifying_key: &vector.verifying_key, signing_keys: &signing_keys };
        tally.answer(KEY_GENERATION, vector.id, || key_generation(scheme, &vector.seed, &key, Calls::Both));
    }
    Ok(())
}

fn sign(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally, wanted: fn(&SignPrompt) -> bool) -> Ran {
    if vectors.folder().is_some() {
        let prompts = vectors.file("acvp/ML-DSA-sigGen-FIPS204/prompt.json.gz", read::sign_prompts)?;
        let results = vectors.file("acvp/ML-DSA-sigGen-FIPS204/expectedResults.json.gz", read::sign_results)?;
        return sign_each(scheme, (&prompts, &results), tally, wanted);
    }
    let both = vectors.file("acvp/ML-DSA-sigGen-FIPS204/internalProjection.json.gz", read::signing)?;
    sign_each(scheme, (&both.0, &both.1), tally, wanted)
}

fn sign_each(
    scheme: &dyn SignatureScheme,
    (prompts, results): (&[SignPrompt], &BTreeMap<u32, Vec<u8>>),
    tally: &mut Tally,
    wanted: fn(&SignPrompt) -> bool,
) -> Ran {
    if let Some(missing) = prompts.iter().find(|prompt| !results.contains_key(&prompt.id)) {
        let place = format_args!("test {}", missing.id).to_string();
        return Err(Arc::new(ReadError::new("ACVP ML-DSA sigGen", place, ReadFault::Missing("signature"))));
    }
    let of_set = prompts.iter().filter(|prompt| prompt.set == scheme.info().parameters.algorithm);
    for prompt in of_set.filter(|prompt| wanted(prompt)) {
        tally.answer(SIGNING, prompt.id, || {
            let input = offered(scheme, &prompt.input)?;
            let coins = prompt.coins.as_deref().unwrap_or_default();
            signing(scheme, (KeyEncoding::Expanded, &prompt.signing_key), input, coins, &results[&prompt.id])
        });
    }
    Ok(())
}

fn verify(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally, wanted: fn(&Input) -> bool) -> Ran {
    let file = vectors.file("acvp/ML-DSA-sigVer-FIPS204/internalProjection.json.gz", read::verification)?;
    let of_set = file.iter().filter(|vector| vector.set == scheme.info().parameters.algorithm);
    for vector in of_set.filter(|vector| wanted(&vector.input)) {
        tally.check(vector.id, || -> Checked {
            let input = offered(scheme, &vector.input)?;
            verification(scheme, &vector.verifying_key, input, &vector.signature, vector.valid)
        });
    }
    Ok(())
}

/// Returns the vector's input. Fails with [`Fault::Unsupported`] if the scheme cannot hash the message as required.
fn offered<'a>(scheme: &dyn SignatureScheme, input: &'a Input) -> Result<checks::Input<'a>, Fault> {
    match input {
        Input::Pure { context, message } => Ok(checks::Input::Pure(context, message)),
        Input::PreHash { hash, context, message } => {
            let prehash = prehash(hash)?;
            hashes_first(scheme, prehash)?;
            Ok(checks::Input::PreHash(prehash, context, message))
        }
        Input::Internal { message } => Ok(checks::Input::Internal(message)),
        Input::ExternalMu { mu } => Ok(checks::Input::Mu(mu)),
    }
}

/// Converts ACVP's name for a hash function. FIPS 204 allows more functions than it lists, but the traits support only
/// the listed ones.
fn prehash(name: &str) -> Result<Prehash, Fault> {
    match name {
        "SHA2-256" => Ok(Prehash::Sha256),
        "SHA2-512" => Ok(Prehash::Sha512),
        "SHAKE-128" => Ok(Prehash::Shake128),
        "SHAKE-256" => Ok(Prehash::Shake256),
        other => Err(Fault::Unsupported(format!("pre-hashing with this function is not part of FIPS 204 ({other})"))),
    }
}
