//! Checks that repeated key generations, encapsulations and randomized signatures differ. Also checks that repeated
//! signatures of a deterministic scheme are equal.

use crate::checks::kem::{decapsulate, encapsulate, encoded};
use crate::checks::signature::{self, Input, sign, takes_coins};
use crate::checks::{differ, equal, step};
use crate::suites::{Ran, Run, Suite, is_slow};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{Coins, Kem, KeyAgreement, SignatureScheme};

pub(super) static SUITES: &[Suite] = &[
    Suite::built_in("run time: randomness", |_| true, Run::Kem(kem)),
    Suite::built_in("run time: randomness", |_| true, Run::Signature(scheme)),
    Suite::built_in("run time: randomness", |_| true, Run::KeyAgreement(agreement)),
];

/// Number of keys, encapsulations or signatures to compare.
const DRAWS: usize = 16;

fn distinct(what: &str, values: &[Vec<u8>]) -> Checked {
    for (place, value) in values.iter().enumerate() {
        values[..place].iter().try_for_each(|earlier| differ(what, earlier, value))?;
    }
    Ok(())
}

fn collect(count: usize, make: impl Fn() -> Result<Vec<u8>, Fault>) -> Result<Vec<Vec<u8>>, Fault> {
    (0..count).map(|_| make()).collect()
}

fn kem(kem: &dyn Kem, _: &Vectors, tally: &mut Tally) -> Ran {
    let generate = || step("generate", kem.generate(Coins::Internal));
    let public = |key: &dyn pqlab_primitives::DecapsulationKey| {
        encoded(kem, step("encapsulation key", key.encapsulation_key())?.as_ref())
    };
    tally.check("generated keys differ", || {
        distinct("encapsulation key", &collect(DRAWS, || public(generate()?.as_ref()))?)
    });
    tally.check("encapsulations differ", || {
        let key = generate()?;
        let to = step("load encapsulation key", kem.load_encapsulation_key(&public(key.as_ref())?))?;
        let (mut ciphertexts, mut secrets) = (Vec::new(), Vec::new());
        for _ in 0..DRAWS {
            let (ciphertext, secret) = encapsulate(kem, to.as_ref(), Coins::Internal)?;
            equal("shared secret", &secret, &decapsulate(kem, key.as_ref(), &ciphertext)?)?;
            ciphertexts.push(ciphertext);
            secrets.push(secret);
        }
        distinct("ciphertext", &ciphertexts)?;
        distinct("shared secret", &secrets)
    });
    Ok(())
}

fn agreement(agreement: &dyn KeyAgreement, _: &Vectors, tally: &mut Tally) -> Ran {
    tally.check("generated keys differ", || {
        let public = || {
            let mut out = vec![0; agreement.info().parameters.public_key];
            step("public key", step("generate", agreement.generate(Coins::Internal))?.public_key(&mut out))?;
            Ok(out)
        };
        distinct("public key", &collect(DRAWS, public)?)
    });
    Ok(())
}

/// Returns the number of keys and the number of signatures to generate. Both are lower for slow schemes.
fn draws(algorithm: &str) -> (usize, usize) {
    match is_slow(algorithm) {
        true if algorithm.contains("s-simple") || algorithm.ends_with('s') => (2, 0),
        true => (2, 2),
        false if algorithm.starts_with("RSA") || algorithm.starts_with("Falcon") => (2, DRAWS),
        false => (DRAWS, DRAWS),
    }
}

fn scheme(scheme: &dyn SignatureScheme, _: &Vectors, tally: &mut Tally) -> Ran {
    let (keys, signatures) = draws(&scheme.info().parameters.algorithm);
    let generate = || step("generate", scheme.generate(Coins::Internal));
    tally.check("generated keys differ", || {
        let public = || signature::encoded(scheme, step("verifying key", generate()?.verifying_key())?.as_ref());
        distinct("verifying key", &collect(keys, public)?)
    });
    if signatures == 0 {
        return Ok(());
    }
    tally.check("signatures of one message", || {
        let key = generate()?;
        let make = |coins| sign(scheme, key.as_ref(), Input::Pure(&[], b"one message"), coins);
        let made = collect(signatures, || make(Coins::Internal))?;
        if scheme.draws_to_sign() {
            distinct("randomized signature", &made)
        } else {
            made.iter().try_for_each(|one| equal("deterministic signature", &made[0], one))
        }
    });
    if takes_coins(scheme).is_ok() && scheme.draws_to_sign() {
        tally.check("deterministic signatures of one message", || {
            let key = generate()?;
            let make = || sign(scheme, key.as_ref(), Input::Pure(&[], b"one message"), Coins::Exact(&[]));
            equal("signature", &make()?, &make()?)
        });
    }
    Ok(())
}
