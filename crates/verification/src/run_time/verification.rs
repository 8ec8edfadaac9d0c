//! Verification of almost valid signatures.
//!
//! All ML-DSA signatures are for a verifying key with `t1 = 0`. For such a key, the commitment can be computed from any
//! response and any hints, so the checks can choose both freely. They test every bound, and encode the same hints in
//! every malformed way that a careless decoder would accept.

use super::bytes;
use crate::checks::signature::{Input, encoded, sign};
use crate::checks::{refused, rejected, step};
use crate::ml_dsa::{
    self as plain, Hints, N, Polynomial, Set, Signature, apply, encode_hints, encode_verifying_key, expand_a,
    message_representative, shake256, use_hint,
};
use crate::suites::{Ran, Run, Suite, is_ml_dsa, is_multivariate, is_slow};
use crate::tally::{Checked, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{Coins, Error, SignatureScheme};

pub(super) static SUITES: &[Suite] = &[
    Suite::built_in(ML_DSA, is_ml_dsa, Run::Signature(ml_dsa)),
    Suite::built_in("run time: modified signatures", |_| true, Run::Signature(modified)),
];

/// Name of the suite with ML-DSA signatures at every bound.
pub(crate) const ML_DSA: &str = "run time: ML-DSA verification";
/// Flag for signatures whose response reaches or exceeds its bound.
pub(crate) const NORM: &str = "response beyond its bound";
/// Flag for a signature with a hint for a coefficient whose remainder is 0.
pub(crate) const NO_REMAINDER: &str = "hint for a remainder of 0";

/// Returns a number for which [`Forger::response`] gives a response with a special property: some coefficient of `A *
/// z` has remainder 0 and a nonzero high part. A test finds these numbers by trial and error.
fn without_remainder(set: &Set) -> usize {
    match (set.k, set.l) {
        (4, 4) => 159,
        (6, 5) => 197,
        _ => 22,
    }
}

struct Forger {
    set: Set,
    matrix: Vec<Polynomial>,
    verifying_key: Vec<u8>,
}

const MESSAGE: &[u8] = b"a message for every bound";

impl Forger {
    fn new(set: Set) -> Forger {
        let rho = bytes("rho", 0, 32);
        let verifying_key = encode_verifying_key(&rho, &vec![[0; N]; set.k]);
        Forger { set, matrix: expand_a(&set, &rho), verifying_key }
    }

    /// Returns a pseudorandom response for a number, with all coefficients below the bound.
    fn response(&self, number: usize) -> Vec<Polynomial> {
        let random = bytes("response", number, 4 * N * self.set.l);
        let span = 2 * (self.set.gamma1 - self.set.beta()) - 1;
        let value = |i: usize| {
            let word = u32::from_le_bytes([random[4 * i], random[4 * i + 1], random[4 * i + 2], random[4 * i + 3]]);
            (word % span.cast_unsigned()).cast_signed() - span / 2
        };
        (0..self.set.l).map(|row| std::array::from_fn(|i| value(N * row + i))).collect()
    }

    /// Returns a response for a number, and the position of a coefficient of `A * z` with remainder 0 and a nonzero
    /// high part. The position is `None` if there is no such coefficient.
    fn response_without_remainder(&self, number: usize) -> (Vec<Polynomial>, Option<(usize, usize)>) {
        let z = self.response(number);
        let w = apply(&self.set, &self.matrix, &z);
        let place = (0..self.set.k).flat_map(|i| (0..N).map(move |n| (i, n))).find(|&(i, n)| {
            let (high, low) = plain::decompose(&self.set, w[i][n]);
            low == 0 && high != 0
        });
        (z, place)
    }

    /// Returns hints at the given positions in each polynomial.
    fn hints(&self, places: &[&[usize]]) -> Hints {
        let mut hints = vec![[false; N]; self.set.k];
        for (hint, places) in hints.iter_mut().zip(places) {
            places.iter().for_each(|&place| hint[place] = true);
        }
        hints
    }

    /// Turns a response and hints into a valid signature by computing the commitment from them.
    fn signature(&self, z: Vec<Polynomial>, hints: Hints) -> Signature {
        let set = &self.set;
        let w = apply(set, &self.matrix, &z);
        let w1: Vec<Polynomial> =
            w.iter().zip(&hints).map(|(w, hints)| std::array::from_fn(|i| use_hint(set, hints[i], w[i]))).collect();
        let mu = message_representative(&shake256(&[&self.verifying_key], 64), &[], MESSAGE);
        let c_tilde = shake256(&[&mu, &plain::encode_w1(set, &w1)], set.c_tilde);
        Signature { c_tilde, z, hints }
    }
}

fn ml_dsa(scheme: &dyn SignatureScheme, _: &Vectors, tally: &mut Tally) -> Ran {
    let Some(set) = Set::of(&scheme.info().parameters.algorithm) else { return Ok(()) };
    let forger = Forger::new(set);
    let verify = |signature: &[u8]| scheme.load_verifying_key(&forger.verifying_key)?.verify(&[], MESSAGE, signature);
    let valid = |signature: &[u8]| -> Checked { step("verify", verify(signature)) };
    let invalid = |signature: &[u8]| -> Checked { rejected("signature", verify(signature)) };
    valid_ones(&forger, tally, &valid);
    responses(&forger, tally, &valid, &invalid);
    hints(&forger, tally, &valid, &invalid);
    // Flip every bit of the hash, because some libraries compared only a part of it.
    let signature = forger.signature(forger.response(0), forger.hints(&[&[3, 5], &[7]])).encode(&set);
    let rest = (set.c_tilde..signature.len()).step_by(53).map(|place| (place, place % 8));
    for (place, bit) in (0..set.c_tilde).flat_map(|place| (0..8).map(move |bit| (place, bit))).chain(rest) {
        tally.check(format_args!("bit {bit} of byte {place} of a signature flipped"), || {
            let mut modified = signature.clone();
            modified[place] ^= 1 << bit;
            invalid(&modified)
        });
    }
    for length in [0, 1, set.c_tilde, signature.len() - 1, signature.len() + 1] {
        tally.check(format_args!("a signature of {length} bytes"), || {
            let mut modified = signature.clone();
            modified.resize(length, 0);
            invalid(&modified)
        });
    }
    for length in [0, 32, forger.verifying_key.len() - 1, forger.verifying_key.len() + 1] {
        tally.check(format_args!("a verifying key of {length} bytes"), || {
            let mut key = forger.verifying_key.clone();
            key.resize(length, 0);
            refused(
                "verifying key",
                scheme.load_verifying_key(&key).and_then(|key| key.verify(&[], MESSAGE, &signature)),
            )
        });
    }
    Ok(())
}

/// Checks signatures with random hints, so that every rule of `UseHint` applies many times.
fn valid_ones(forger: &Forger, tally: &mut Tally, valid: &dyn Fn(&[u8]) -> Checked) {
    let set = &forger.set;
    for number in 0..16 {
        let random = bytes("hints", number, 2 * set.omega);
        let mut hints = forger.hints(&[]);
        for pair in random.chunks(2).take(set.omega * number / 15) {
            hints[usize::from(pair[0]) % set.k][usize::from(pair[1])] = true;
        }
        let z = forger.response(number);
        // Skip hints for coefficients whose remainder is 0, because another check covers them.
        let w = apply(set, &forger.matrix, &z);
        let exact = |i: usize, n: usize| plain::decompose(set, w[i][n]).1 == 0;
        if (0..set.k).any(|i| (0..N).any(|n| hints[i][n] && exact(i, n))) {
            continue;
        }
        let signature = forger.signature(z, hints).encode(set);
        tally.check(format_args!("valid signature {number}"), || valid(&signature));
    }
    let all_in_one: Vec<usize> = (0..set.omega).collect();
    let spread: Vec<usize> = (0..set.omega / set.k).map(|place| 255 - 2 * place).collect();
    for (what, places) in [
        ("no hint", vec![]),
        ("the maximum number of hints, all in the first polynomial", vec![all_in_one.as_slice()]),
        ("hints in the last polynomial", [vec![&[][..]; set.k - 1], vec![all_in_one.as_slice()]].concat()),
        ("hints in all polynomials", vec![spread.as_slice(); set.k]),
        ("hints whose positions decrease from one polynomial to the next", vec![&[200, 255][..], &[3], &[0]]),
    ] {
        tally.check(what, || valid(&forger.signature(forger.response(1), forger.hints(&places)).encode(set)));
    }
    let (z, place) = forger.response_without_remainder(without_remainder(set));
    if let Some((i, n)) = place {
        let mut hints = forger.hints(&[]);
        hints[i][n] = true;
        let signature = forger.signature(z, hints).encode(set);
        tally.check_marked(NO_REMAINDER, &[NO_REMAINDER.to_owned()], || valid(&signature));
    }
}

/// Checks responses just below the bound, at the bound and beyond it, at several positions and with both signs.
fn responses(forger: &Forger, tally: &mut Tally, valid: &dyn Fn(&[u8]) -> Checked, invalid: &dyn Fn(&[u8]) -> Checked) {
    let set = &forger.set;
    let bound = set.gamma1 - set.beta();
    let encode = |row: usize, place: usize, value: i32| {
        let mut z = forger.response(2);
        z[row][place] = value;
        forger.signature(z, forger.hints(&[])).encode(set)
    };
    let marks = [NORM.to_owned()];
    for row in 0..set.l {
        for place in [0, 1, 7, 8, 100, 127, 128, 254, 255] {
            for value in [bound - 1, 1 - bound] {
                let signature = encode(row, place, value);
                tally.check(format_args!("z[{row}][{place}] = {value}"), || valid(&signature));
            }
            for value in [bound, -bound] {
                let signature = encode(row, place, value);
                tally.check_marked(format_args!("z[{row}][{place}] = {value}"), &marks, || invalid(&signature));
            }
        }
        for value in [bound + 1, set.gamma1, 1 - set.gamma1] {
            let signature = encode(row, 11, value);
            tally.check_marked(format_args!("z[{row}][11] = {value}"), &marks, || invalid(&signature));
        }
    }
}

/// Checks malformed encodings of hints (FIPS 204, algorithm 21). A decoder that omits one of the checks reads the same
/// hints from a malformed encoding as from the valid one.
fn hints(forger: &Forger, tally: &mut Tally, valid: &dyn Fn(&[u8]) -> Checked, invalid: &dyn Fn(&[u8]) -> Checked) {
    let Set { k, omega, .. } = forger.set;
    let set = &forger.set;
    let mut malformed = |what: &str, places: &[&[usize]], change: &dyn Fn(&mut [u8])| {
        let hints = forger.hints(places);
        let signature = forger.signature(forger.response(3), hints.clone());
        let mut encoded = encode_hints(set, &hints);
        tally.check(format_args!("hints before modification ({what})"), || valid(&signature.encode(set)));
        change(&mut encoded);
        tally.check(format_args!("modified hints ({what})"), || invalid(&signature.encode_with(set, &encoded)));
    };
    malformed("neighbours in the wrong order", &[&[3, 9]], &|y| y.swap(0, 1));
    malformed("the first and the last position swapped", &[&[3, 9, 200]], &|y| y.swap(0, 2));
    malformed("a repeated position", &[&[3]], &|y| {
        y[1] = 3;
        y[omega..].fill(2);
    });
    let last: Vec<&[usize]> = [vec![&[][..]; k - 1], vec![&[3, 200]]].concat();
    malformed("neighbours in the last polynomial in the wrong order", &last, &|y| y.swap(0, 1));
    malformed("a repeated position in the last polynomial", &last, &|y| {
        y[2] = 200;
        y[omega + k - 1] = 3;
    });
    for place in [1, 2, omega / 2, omega - 1] {
        malformed(&format!("byte {place} after the last position is not 0"), &[&[3]], &|y| y[place] = 1);
    }
    malformed("the first byte is not 0, although there are no hints", &[], &|y| y[0] = 1);
    malformed("the last byte is not 0, although there are no hints", &[], &|y| y[omega - 1] = 0xff);
    // Lower the last count. The position that is no longer counted is 0, like a padding byte.
    let falling: Vec<&[usize]> = [vec![&[5][..]], vec![&[][..]; k - 3], vec![&[0]]].concat();
    malformed("the last count is one too low", &falling, &|y| y[omega + k - 1] = 1);
    let falling: Vec<&[usize]> = [vec![&[0][..]], vec![&[][..]; k - 1]].concat();
    malformed("the last count is 0", &falling, &|y| y[omega + k - 1] = 0);
    // Lower the second polynomial's count below the first one's, so that the third polynomial reads the first one's
    // position.
    malformed("the second count is too low", &[&[77], &[], &[77]], &|y| {
        y[1] = 0;
        y[omega + 1] = 0;
        y[omega + 2..].fill(1);
    });
    malformed(
        "the second count is too low, so two of its positions count for the third polynomial",
        &[&[7, 77], &[], &[7, 77]],
        &|y| {
            y[2..4].fill(0);
            y[omega + 1] = 0;
            y[omega + 2..].fill(2);
        },
    );
    malformed("a count of 255", &[&[3]], &|y| y[omega + k - 1] = 0xff);
    malformed("all counts are above the maximum", &[&[3]], &|y| y[omega..].fill((omega + 1) as u8));
    // Use one hint more than the maximum, so that the last polynomial reads the first polynomial's count as its last
    // position.
    let first: Vec<usize> = (0..omega - 1).collect();
    let last = [3, omega - 1];
    let beyond: Vec<&[usize]> = [vec![first.as_slice()], vec![&[][..]; k - 2], vec![&last]].concat();
    let hints = forger.hints(&beyond);
    let signature = forger.signature(forger.response(3), hints.clone());
    let mut encoded = encode_hints(set, &hints);
    encoded[omega + k - 1] = (omega + 1) as u8;
    tally.check("modified hints (one more than the maximum)", || invalid(&signature.encode_with(set, &encoded)));
}

/// Maximum number of bytes to modify in a message and in a key.
const PARTS: usize = 128;
/// Maximum number of modifications of a message, a key or a signature, for schemes that verify slowly.
const FEW_PARTS: usize = 16;

/// Checks that verification rejects a signature if a part of the signature, the message or, except for multivariate
/// schemes, the key is modified.
fn modified(scheme: &dyn SignatureScheme, _: &Vectors, tally: &mut Tally) -> Ran {
    let parameters = &scheme.info().parameters;
    let algorithm = &parameters.algorithm;
    // The small parameter sets of SLH-DSA take up to several seconds per signature, and ML-DSA has its own suite.
    if is_ml_dsa(algorithm) || algorithm.starts_with("SLH-DSA-") && algorithm.ends_with('s') {
        tally.unsupported("other checks cover this algorithm");
        return Ok(());
    }
    let message = bytes("message", 0, 70);
    let made = (|| {
        let key = step("generate", scheme.generate(Coins::Internal))?;
        let public = encoded(scheme, step("verifying key", key.verifying_key())?.as_ref())?;
        let signature = sign(scheme, key.as_ref(), Input::Pure(&[], &message), Coins::Internal)?;
        Ok((public, signature))
    })();
    let (public, signature) = match made {
        Ok(made) => made,
        Err(fault) => {
            tally.check("sign", || Err(fault));
            return Ok(());
        }
    };
    let verify = |public: &[u8], message: &[u8], signature: &[u8]| {
        scheme.load_verifying_key(public)?.verify(&[], message, signature)
    };
    tally.check("the signature", || step("verify", verify(&public, &message, &signature)));
    let slow = is_slow(algorithm);
    let parts = if slow { FEW_PARTS } else { PARTS };
    // Every bit, unless verification is slow. The number of checks does not depend on the length of the signature.
    let bits = 8 * signature.len();
    let flips = if slow { parts } else { 8 * parameters.signature };
    for bit in (0..flips).map(|number| number * bits / flips) {
        tally.check(format_args!("bit {} of byte {} of the signature flipped", bit % 8, bit / 8), || {
            let mut modified = signature.clone();
            modified[bit / 8] ^= 1 << (bit % 8);
            rejected("signature", verify(&public, &message, &modified))
        });
    }
    for place in (0..message.len()).step_by(message.len().div_ceil(parts)) {
        tally.check(format_args!("byte {place} of the message modified"), || {
            let mut modified = message.clone();
            modified[place] ^= 1 << (place % 8);
            rejected("signature", verify(&public, &modified, &signature))
        });
    }
    // Some different keys verify the same signature of a multivariate scheme, so leave its key unmodified.
    let changed = if is_multivariate(algorithm) { 0 } else { public.len() };
    for place in (0..changed).step_by(public.len().div_ceil(parts)) {
        tally.check(format_args!("byte {place} of the verifying key modified"), || {
            let mut modified = public.clone();
            modified[place] ^= 1 << (place % 8);
            refused("verifying key", verify(&modified, &message, &signature))
        });
    }
    for length in [0, 1, signature.len() / 2, signature.len() - 1] {
        tally.check(format_args!("a signature of {length} bytes"), || {
            rejected("signature", verify(&public, &message, &signature[..length]))
        });
    }
    if !parameters.variable_length {
        tally.check("a byte after the signature", || {
            let longer = [signature.as_slice(), &[0]].concat();
            match verify(&public, &message, &longer) {
                Err(Error::Length { .. }) => Ok(()),
                verdict => rejected("signature", verdict),
            }
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_without_remainder_have_the_numbers_in_the_table() {
        let found = |algorithm: &str| {
            let forger = Forger::new(Set::of(algorithm).unwrap());
            let is_found = |number: usize| forger.response_without_remainder(number).1.is_some();
            match without_remainder(&forger.set) {
                known if is_found(known) => known,
                _ => (0..5_000).find(|&number| is_found(number)).unwrap(),
            }
        };
        let numbers = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"].map(found);
        let known = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"].map(|name| without_remainder(&Set::of(name).unwrap()));
        assert_eq!(numbers, known, "the numbers in `without_remainder` must match");
    }
}
