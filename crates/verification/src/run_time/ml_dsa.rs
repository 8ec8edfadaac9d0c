//! ML-DSA: recomputes a library's keys and signatures from the expanded signing key. This needs no published answers,
//! so it also covers libraries that accept no caller-supplied randomness for signing.

use super::bytes;
use crate::checks::signature::{Input, encoded, encoded_secret, sign, takes_coins};
use crate::checks::{differ, equal, step};
use crate::ml_dsa::{
    self as plain, Deviations, N, Polynomial, SecretKey, Set, Signature, add, apply, centre, decompose, expand_a,
    message_representative, multiply, norm, subtract,
};
use crate::suites::{Ran, Run, Suite, is_ml_dsa};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{Coins, KeyEncoding, SignatureScheme, SigningKey};
use std::collections::HashSet;

pub(super) static SUITES: &[Suite] =
    &[Suite::built_in("run time: ML-DSA keys and signatures", is_ml_dsa, Run::Signature(inspect))];

/// Number of signatures to inspect.
const SIGNATURES: usize = 20;

/// A key pair that a provider generated, with the decoded signing key.
struct Inspected {
    set: Set,
    key: Box<dyn SigningKey>,
    verifying_key: Vec<u8>,
    secret: SecretKey,
}

/// A decoded signature, with its secret mask, its challenge and the message representative.
struct Opened {
    signature: Signature,
    /// The mask `y = z - c * s1`, with coefficients centered around 0.
    mask: Vec<Polynomial>,
    challenge: Polynomial,
    mu: Vec<u8>,
}

fn generate(scheme: &dyn SignatureScheme) -> Result<Inspected, Fault> {
    let info = scheme.info();
    let set = Set::of(&info.parameters.algorithm);
    let set = set.ok_or_else(|| Fault::Unsupported("unknown parameter set".to_owned()))?;
    let key = step("generate", scheme.generate(Coins::Internal))?;
    let verifying_key = encoded(scheme, step("verifying key", key.verifying_key())?.as_ref())?;
    let secret = match encoded_secret(scheme, key.as_ref(), KeyEncoding::Expanded) {
        Ok(expanded) if Some(expanded.len()) == info.signing_key(KeyEncoding::Expanded) => {
            SecretKey::decode(&set, &expanded)
        }
        _ => match encoded_secret(scheme, key.as_ref(), KeyEncoding::Seed) {
            Ok(seed) => SecretKey::from_seed(&set, &seed),
            Err(_) => return Err(Fault::Unsupported("the library does not export signing keys".to_owned())),
        },
    };
    Ok(Inspected { set, key, verifying_key, secret })
}

fn inspect(scheme: &dyn SignatureScheme, _: &Vectors, tally: &mut Tally) -> Ran {
    let (one, other) = match generate(scheme).and_then(|one| Ok((one, generate(scheme)?))) {
        Ok(pair) => pair,
        Err(fault) => {
            tally.check("generate", || Err(fault));
            return Ok(());
        }
    };
    inspect_keys(&one, &other, tally);
    let mut opened = Vec::new();
    for number in 0..SIGNATURES {
        tally.check(format_args!("signature {number}"), || {
            let message = bytes("message", number, 1 + 7 * number);
            let signature = sign(scheme, one.key.as_ref(), Input::Pure(&[], &message), Coins::Internal)?;
            let found = open(&one, &message, &signature)?;
            let checked = recompute(&one, &found);
            opened.push(found);
            checked
        });
    }
    inspect_masks(&one.set, &opened, tally);
    if takes_coins(scheme).is_ok() {
        compare(scheme, &one, tally);
    }
    Ok(())
}

fn inspect_keys(one: &Inspected, other: &Inspected, tally: &mut Tally) {
    let set = &one.set;
    tally.check("the seeds of two matrices differ", || differ("rho", &one.secret.rho, &other.secret.rho));
    tally.check("the mask keys of two keys differ", || differ("K", &one.secret.k, &other.secret.k));
    tally.check("the parts of a key differ", || {
        let parts = [&one.secret.rho, &one.secret.k, &vec![0; 32]];
        differ("rho and K", parts[0], parts[1])?;
        differ("rho and zeros", parts[0], parts[2])?;
        differ("K and zeros", parts[1], parts[2])
    });
    for (name, key) in [("first", one), ("second", other)] {
        tally.check(format_args!("t = A * s1 + s2 in the {name} key"), || {
            equal("verifying key", &key.secret.verifying_key(set), &key.verifying_key)?;
            let dropped = key
                .secret
                .t(set)
                .iter()
                .zip(&key.secret.t0)
                .all(|(t, t0)| t.iter().zip(t0).all(|(&t, &t0)| plain::power2round(t).1 == t0));
            if dropped { Ok(()) } else { Err(Fault::Wrong("t0 does not match s1 and s2".to_owned())) }
        });
        tally.check(format_args!("tr = H(pk) in the {name} key"), || {
            equal("tr", &plain::shake256(&[&key.verifying_key], 64), &key.secret.tr)
        });
    }
    let all: Vec<&Polynomial> =
        [&one.secret.s1, &one.secret.s2, &other.secret.s1, &other.secret.s2].into_iter().flatten().collect();
    tally.check("secrets are in range and take every value", || {
        for value in all.iter().flat_map(|one| one.iter()) {
            if value.abs() > set.eta {
                let eta = set.eta;
                return Err(Fault::Wrong(format!("a coefficient is {value}, but must be from -{eta} to {eta}")));
            }
        }
        match (-set.eta..=set.eta).find(|value| all.iter().all(|one| !one.contains(value))) {
            Some(value) => Err(Fault::Wrong(format!("no coefficient is {value}"))),
            None => Ok(()),
        }
    });
    tally.check("no secret polynomial repeats", || match repeated(all.iter().copied()) {
        Some(place) => Err(Fault::Wrong(format!("secret polynomial {place} equals an earlier one"))),
        None => Ok(()),
    });
}

/// Returns the index of the first polynomial that equals an earlier one, or `None` if all differ.
fn repeated<'a>(polynomials: impl Iterator<Item = &'a Polynomial>) -> Option<usize> {
    let mut seen = HashSet::new();
    polynomials.enumerate().find(|(_, one)| !seen.insert(one.as_slice())).map(|(place, _)| place)
}

fn open(key: &Inspected, message: &[u8], signature: &[u8]) -> Result<Opened, Fault> {
    let set = &key.set;
    let signature =
        Signature::decode(set, signature).ok_or_else(|| Fault::Wrong("the signature is malformed".to_owned()))?;
    let challenge = plain::sample_in_ball(set, &signature.c_tilde);
    let mask = signature.z.iter().zip(&key.secret.s1);
    let mask = mask.map(|(z, s1)| subtract(z, &multiply(&challenge, s1)).map(centre)).collect();
    Ok(Opened { mask, challenge, mu: message_representative(&key.secret.tr, &[], message), signature })
}

/// Recomputes the commitment and the hints, and checks the bounds that signing must enforce (FIPS 204, algorithm 7).
fn recompute(key: &Inspected, opened: &Opened) -> Checked {
    let (set, Opened { signature, mask, challenge, mu }) = (&key.set, opened);
    let wrong = |what: String| Err(Fault::Wrong(what));
    let bound = set.gamma1 - set.beta();
    if norm(&signature.z) >= bound {
        return wrong(format!("the norm of z is {}, but must be below {bound}", norm(&signature.z)));
    }
    if mask.iter().flatten().any(|&value| value <= -set.gamma1 || value > set.gamma1) {
        return wrong("the mask is out of range".to_owned());
    }
    let matrix = expand_a(set, &key.secret.rho);
    let w = apply(set, &matrix, mask);
    let w1: Vec<Polynomial> = w.iter().map(|one| one.map(|value| decompose(set, value).0)).collect();
    equal("c~", &plain::shake256(&[mu, &plain::encode_w1(set, &w1)], set.c_tilde), &signature.c_tilde)?;
    let bound = set.gamma2 - set.beta();
    for (i, w) in w.iter().enumerate() {
        let r = subtract(w, &multiply(challenge, &key.secret.s2[i]));
        let low = r.iter().map(|&value| decompose(set, value).1.abs()).max().unwrap_or_default();
        if low >= bound {
            return wrong(format!("the low bits reach {low}, but must be below {bound}: signing must reject them"));
        }
        let ct0 = multiply(challenge, &key.secret.t0[i]);
        if norm(std::slice::from_ref(&ct0)) >= set.gamma2 {
            return wrong("the norm of c * t0 is too large: signing must reject it".to_owned());
        }
        let corrected = add(&r, &ct0);
        let hints: [bool; N] = std::array::from_fn(|n| decompose(set, corrected[n]).0 != w1[i][n]);
        if hints != signature.hints[i] {
            return wrong(format!("the hints of polynomial {i} are wrong"));
        }
    }
    Ok(())
}

/// Maximum number of coincidences in the masks: equal coefficients at a fixed distance, equal coefficients at the same
/// position in two masks, or coefficients from -1 to 1. The expected number is below one, so random masks exceed the
/// maximum with negligible probability.
const MOST_EQUAL: usize = 20;

/// Checks that the masks look random. A mask with a pattern, or one that two signatures share, reveals the key.
fn inspect_masks(set: &Set, opened: &[Opened], tally: &mut Tally) {
    if opened.is_empty() {
        return;
    }
    let masks = || opened.iter().flat_map(|one| &one.mask);
    tally.check("no mask polynomial repeats", || match repeated(masks()) {
        Some(place) => Err(Fault::Wrong(format!(
            "polynomial {} of the mask of signature {} equals an earlier one",
            place % set.l,
            place / set.l
        ))),
        None => Ok(()),
    });
    for distance in [1, 2, 4, 8, 16, 32, 64, 128] {
        tally.check(format_args!("coefficients of a mask at a distance of {distance} differ"), || {
            let equal = masks().map(|one| (distance..N).filter(|&i| one[i] == one[i - distance]).count()).sum();
            few(equal, "pairs of coefficients are equal")
        });
    }
    tally.check("coefficients at the same position in two masks differ", || {
        let mut equal = 0;
        for (number, one) in opened.iter().enumerate() {
            for other in &opened[..number] {
                let pairs = one.mask.iter().flatten().zip(other.mask.iter().flatten());
                equal += pairs.filter(|(one, other)| one == other).count();
            }
        }
        few(equal, "coefficients are equal in two signatures")
    });
    tally.check("coefficients of a mask are not small", || {
        let small = masks().flatten().filter(|value| value.abs() < 2).count();
        few(small, "coefficients are -1, 0 or 1")
    });
    // A coefficient is encoded as `gamma1 - y`. In a random mask, all bits of this encoding are random and independent.
    let encoded: Vec<i32> = masks().flatten().map(|value| set.gamma1 - value).collect();
    let fair = |what: &str, is_one: &dyn Fn(i32) -> bool| -> Checked {
        let (count, ones) = (encoded.len(), encoded.iter().filter(|value| is_one(**value)).count());
        // Eight standard deviations of a fair coin.
        let (allowed, off) = (4.0 * (count as f64).sqrt(), (ones as f64 - count as f64 / 2.0).abs());
        if off <= allowed { Ok(()) } else { Err(Fault::Wrong(format!("{what} in {ones} of {count} coefficients"))) }
    };
    for bit in 0..set.z_bits() {
        tally.check(format_args!("bit {bit} of the masks is random"), || {
            fair("the bit is 1", &|value| value >> bit & 1 == 1)
        });
        tally.check(format_args!("bit {bit} of the masks is independent of the lower bits"), || {
            (0..bit).try_for_each(|lower| {
                fair(&format!("it differs from bit {lower}"), &|value| (value >> bit ^ value >> lower) & 1 == 1)
            })
        });
    }
}

fn few(number: usize, what: &str) -> Checked {
    if number <= MOST_EQUAL { Ok(()) } else { Err(Fault::Wrong(format!("{number} {what}"))) }
}

/// Compares deterministic signatures with recomputed ones, for messages of many lengths.
fn compare(scheme: &dyn SignatureScheme, one: &Inspected, tally: &mut Tally) {
    for (number, length) in [0, 1, 71, 72, 135, 136, 137, 1000, 65_537].into_iter().enumerate() {
        tally.check(format_args!("the deterministic signature of a message of {length} bytes"), || {
            let message = bytes("deterministic", number, length);
            let context = if scheme.info().context { bytes("context", number, 37 * number % 256) } else { Vec::new() };
            let got = sign(scheme, one.key.as_ref(), Input::Pure(&context, &message), Coins::Exact(&[]))?;
            let mu = message_representative(&one.secret.tr, &context, &message);
            let seed = plain::mask_seed(&one.secret, &[0; 32], &mu);
            let expected = plain::sign(&one.set, &one.secret, &mu, &seed, &Deviations::default());
            equal("signature", &expected.encode(&one.set), &got)
        });
    }
}
