use super::{Ran, Run, Suite};
use crate::checks::equal;
use crate::checks::signature::{Input, encoded, load, sign, verification};
use crate::checks::step;
use crate::read::falcon::{self as read, PythonVector};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{Coins, KeyEncoding, SignatureScheme};
use std::borrow::Cow;

pub(super) static SUITES: &[Suite] = &[
    Suite::published("Falcon known answers: signatures", is_falcon_512, Run::Signature(known_signatures)),
    Suite::published("Falcon known answers: key pairs", is_falcon_512, Run::Signature(known_keys)),
    Suite::published(
        "Falcon reference in Python: signatures",
        |algorithm| algorithm.starts_with("Falcon-"),
        Run::Signature(python),
    ),
];

const KNOWN_ANSWERS: &str = "bc-test-data/falcon/falcon512-KAT.rsp.gz";

fn is_falcon_512(algorithm: &str) -> bool {
    algorithm == "Falcon-512" || algorithm == "Falcon-padded-512"
}

fn known_signatures(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for vector in vectors.file(KNOWN_ANSWERS, read::known_answers)?.iter() {
        tally.check(vector.id, || -> Checked {
            let signature = as_encoded(scheme, &vector.signature)?;
            verification(scheme, &vector.verifying_key, Input::Pure(&[], &vector.message), &signature, true)
        });
    }
    Ok(())
}

/// Checks that signatures with the published signing key verify with the published verifying key. The published
/// signatures cannot be reproduced, because no interface accepts their randomness.
fn known_keys(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for vector in vectors.file(KNOWN_ANSWERS, read::known_answers)?.iter() {
        tally.check(vector.id, || -> Checked {
            let key = step("load signing key", load(scheme, KeyEncoding::Expanded, &vector.signing_key)?)?;
            let signature = sign(scheme, key.as_ref(), Input::Pure(&[], &vector.message), Coins::Internal)?;
            verification(scheme, &vector.verifying_key, Input::Pure(&[], &vector.message), &signature, true)?;
            match key.verifying_key() {
                Ok(public) => equal("verifying key", &vector.verifying_key, &encoded(scheme, public.as_ref())?),
                Err(pqlab_primitives::Error::Unsupported(_)) => Ok(()),
                Err(error) => Err(error.into()),
            }
        });
    }
    Ok(())
}

/// Checks the published signatures. Derives the verifying keys from the signing keys, because the list contains no
/// verifying keys.
fn python(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let file = vectors.file("falcon/tprest-falcon.py-sign_KAT.json", read::python_vectors)?;
    let set = scheme.info().parameters.algorithm.replace("padded-", "");
    for vector in file.iter().filter(|vector| vector.set == set) {
        tally.check(vector.id, || -> Checked {
            let key = step("load signing key", load(scheme, KeyEncoding::Expanded, &vector.signing_key)?)?;
            let public = encoded(scheme, step("verifying key", key.verifying_key())?.as_ref())?;
            let signature = as_encoded(scheme, &vector.signature)?;
            verification(scheme, &public, Input::Pure(&[], PythonVector::MESSAGE), &signature, true)
        });
    }
    Ok(())
}

/// Returns a signature in the scheme's encoding, with padding removed or added. All zero bytes at the end are padding,
/// because the last coefficient of a compressed `s2` ends in a 1 bit.
fn as_encoded<'a>(scheme: &dyn SignatureScheme, signature: &'a [u8]) -> Result<Cow<'a, [u8]>, Fault> {
    let parameters = &scheme.info().parameters;
    let filled = signature.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let compressed = &signature[..filled];
    if parameters.variable_length {
        return Ok(Cow::Borrowed(compressed));
    }
    if filled > parameters.signature {
        return Err(Fault::Unsupported("the signature is longer than the padded encoding".to_owned()));
    }
    let mut padded = compressed.to_vec();
    padded.resize(parameters.signature, 0);
    Ok(Cow::Owned(padded))
}
