use super::{Ran, Run, Suite, is_slh_dsa};
use crate::checks::signature::{Calls, ExpectedKey, Input, key_generation, signing, verification};
use crate::checks::{KEY_GENERATION, SIGNING};
use crate::read::slh_dsa as read;
use crate::tally::{Checked, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{KeyEncoding, SignatureScheme};

pub(super) static SUITES: &[Suite] = &[
    Suite::published("ACVP SLH-DSA keyGen", is_slh_dsa, Run::Signature(acvp_keygen)),
    Suite::published(
        "ACVP SLH-DSA sigGen, internal",
        |algorithm| ["SLH-DSA-SHA2-192s", "SLH-DSA-SHA2-256f", "SLH-DSA-SHAKE-128f"].contains(&algorithm),
        Run::Signature(sign),
    ),
    Suite::published(
        "ACVP SLH-DSA sigVer, internal",
        |algorithm| {
            let sets = ["SHA2-192s", "SHA2-256f", "SHAKE-128f", "SHAKE-192s", "SHAKE-256f"]
                .map(|set| ["SLH-DSA-", set].concat());
            sets.iter().any(|set| set == algorithm)
        },
        Run::Signature(verify),
    ),
];

fn acvp_keygen(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let file = vectors.file("acvp/SLH-DSA-keyGen-FIPS205/internalProjection.json.gz", read::key_generation)?;
    for vector in file.iter().filter(|vector| vector.set == scheme.info().parameters.algorithm) {
        let signing_keys = [(KeyEncoding::Expanded, vector.signing_key.as_slice())];
        let key = ExpectedKey { verifying_key: &vector.verifying_key, signing_keys: &signing_keys };
        // Check half of the vectors with each of the two calls, because key generation for the small sets takes a
        // second or more.
        let calls = if vector.id % 2 == 0 { Calls::Prepared } else { Calls::Encoded };
        tally.answer(KEY_GENERATION, vector.id, || key_generation(scheme, &vector.coins, &key, calls));
    }
    Ok(())
}

fn sign(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let name = format!("bc-test-data/slhdsa/sigGen_{}.txt.gz", scheme.info().parameters.algorithm);
    for vector in vectors.file(&name, read::signing)?.iter() {
        tally.answer(SIGNING, format_args!("line {}", vector.line), || -> Checked {
            let input = Input::Internal(&vector.message);
            let coins = vector.coins.as_deref().unwrap_or_default();
            signing(scheme, (KeyEncoding::Expanded, &vector.signing_key), input, coins, &vector.signature)
        });
    }
    Ok(())
}

fn verify(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let name = "acvp-slh-dsa-rustcrypto/SLH-DSA-sigVer-FIPS205.internalProjection.json.gz";
    let file = vectors.file(name, read::verification)?;
    for vector in file.iter().filter(|vector| vector.set == scheme.info().parameters.algorithm) {
        tally.check(vector.id, || -> Checked {
            let input = Input::Internal(&vector.message);
            verification(scheme, &vector.verifying_key, input, &vector.signature, vector.valid)
        });
    }
    Ok(())
}
