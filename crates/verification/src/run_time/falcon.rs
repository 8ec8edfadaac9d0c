//! Falcon: checks a library's keys and signatures with the decoded signing key. Also verifies signatures with a norm at
//! the bound, and just beyond it.

use super::bytes;
use crate::checks::signature::{Input, encoded, encoded_secret, sign};
use crate::checks::{differ, rejected, step};
use crate::falcon::{
    Polynomial, Q, SALT, SecretKey, Set, Signature, adjoint, centre, decode_verifying_key, multiply, norm, rotated,
};
use crate::suites::{Ran, Run, Suite};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{Coins, KeyEncoding, SignatureScheme, SigningKey};

pub(super) static SUITES: &[Suite] = &[Suite::built_in(
    "run time: Falcon keys and signatures",
    |algorithm| Set::of(algorithm).is_some(),
    Run::Signature(inspect),
)];

/// Number of signatures to inspect.
const SIGNATURES: usize = 64;
/// Number of signatures of the same message. Their salts must differ.
const DRAWS: usize = 8;
/// Number of signatures whose norm is increased up to the bound.
const LENGTHENED: usize = 4;

/// A key pair that a provider generated, with the decoded signing key.
struct Inspected {
    set: Set,
    key: Box<dyn SigningKey>,
    encoded: Vec<u8>,
    h: Polynomial,
    secret: SecretKey,
    capital_g: Polynomial,
}

/// A decoded signature, with its message and the half `s1` of the short vector that a verifier computes.
struct Opened {
    message: Vec<u8>,
    signature: Signature,
    s1: Polynomial,
}

impl Opened {
    fn norm(&self) -> i64 {
        norm([&self.s1, &self.signature.s2])
    }
}

fn wrong<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Wrong(what.into()))
}

fn generate(scheme: &dyn SignatureScheme) -> Result<Inspected, Fault> {
    let algorithm = &scheme.info().parameters.algorithm;
    let set = Set::of(algorithm).ok_or_else(|| Fault::Unsupported("unknown parameter set".to_owned()))?;
    let key = step("generate", scheme.generate(Coins::Internal))?;
    let encoded = encoded(scheme, step("verifying key", key.verifying_key())?.as_ref())?;
    let Ok(private) = encoded_secret(scheme, key.as_ref(), KeyEncoding::Expanded) else {
        return Err(Fault::Unsupported("the library does not export signing keys".to_owned()));
    };
    let malformed = |what: &str| Fault::Wrong(format!("the {what} is malformed"));
    let h = decode_verifying_key(&set, &encoded).ok_or_else(|| malformed("verifying key"))?;
    let secret = SecretKey::decode(&set, &private).ok_or_else(|| malformed("signing key"))?;
    let capital_g = secret.capital_g(&h);
    Ok(Inspected { set, key, encoded, h, secret, capital_g })
}

fn inspect(scheme: &dyn SignatureScheme, _: &Vectors, tally: &mut Tally) -> Ran {
    let (one, other) = match generate(scheme).and_then(|one| Ok((one, generate(scheme)?))) {
        Ok(pair) => pair,
        Err(fault) => {
            tally.check("generate", || Err(fault));
            return Ok(());
        }
    };
    for (name, key) in [("first", &one), ("second", &other)] {
        tally.check(format_args!("h = g / f in the {name} key"), || {
            let product = multiply(&key.secret.f, &key.h);
            let equal = product.iter().zip(&key.secret.g).all(|(product, g)| (product - g) % Q == 0);
            if equal { Ok(()) } else { wrong("the verifying key does not belong to the signing key") }
        });
        tally.check(format_args!("f * G - g * F = q in the {name} key"), || basis(key));
        tally.check(format_args!("the norm of f and g in the {name} key"), || {
            let (found, most) = (norm([&key.secret.f, &key.secret.g]), key.set.key_bound());
            // Most keys are within 1,000 of the bound, and key generation rejects those above it.
            let least = most - 4000;
            let is_likely = (least..=most).contains(&found);
            if is_likely { Ok(()) } else { wrong(format!("the squared norm is {found}, expected {least} to {most}")) }
        });
    }
    tally.check("no secret polynomial repeats", || {
        let all = [&one.secret.f, &one.secret.g, &other.secret.f, &other.secret.g];
        match (0..all.len()).find(|&place| all[..place].contains(&all[place])) {
            Some(place) => wrong(format!("secret polynomial {place} equals an earlier one")),
            None => Ok(()),
        }
    });
    let mut opened = Vec::new();
    for number in 0..SIGNATURES {
        tally.check(format_args!("signature {number}"), || {
            opened.push(open(scheme, &one, bytes("message", number, 1 + 7 * number))?);
            Ok(())
        });
    }
    tally.check("the salts of one message differ", || {
        let salt = |_| Ok(open(scheme, &one, b"one message".to_vec())?.signature.salt);
        distinct((0..DRAWS).map(salt).collect::<Result<_, Fault>>()?)
    });
    if opened.len() == SIGNATURES {
        salts(&opened, tally);
        distribution(&one, &opened, tally);
        almost_valid(scheme, &one, &opened, tally);
    }
    Ok(())
}

/// Checks the NTRU equation (algorithm 5), and that `G` is as short as `F`.
fn basis(key: &Inspected) -> Checked {
    let (left, right) = (multiply(&key.secret.f, &key.capital_g), multiply(&key.secret.g, &key.secret.capital_f));
    let expected = |place: usize| if place == 0 { Q } else { 0 };
    match (0..key.set.n).find(|&place| left[place] - right[place] != expected(place)) {
        Some(place) => wrong(format!("coefficient {place} of f * G - g * F is wrong")),
        None if key.capital_g.iter().any(|value| value.abs() > 127) => wrong("a coefficient of G is beyond its bound"),
        None => Ok(()),
    }
}

fn open(scheme: &dyn SignatureScheme, key: &Inspected, message: Vec<u8>) -> Result<Opened, Fault> {
    let encoded = sign(scheme, key.key.as_ref(), Input::Pure(&[], &message), Coins::Internal)?;
    let Some(signature) = Signature::decode(&key.set, &encoded) else { return wrong("the signature is malformed") };
    let opened = Opened { s1: signature.s1(&key.set, &key.h, &message), message, signature };
    let (found, bound) = (opened.norm(), key.set.bound);
    if found > bound {
        return wrong(format!("the squared norm is {found}, but must be at most {bound}"));
    }
    Ok(opened)
}

fn distinct(salts: Vec<Vec<u8>>) -> Checked {
    for (number, one) in salts.iter().enumerate() {
        salts[..number].iter().try_for_each(|other| differ("salt", one, other))?;
    }
    Ok(())
}

/// Checks that salts differ. Two signatures with the same salt and the same message can reveal the key.
fn salts(opened: &[Opened], tally: &mut Tally) {
    tally.check("the salts of different messages differ", || {
        distinct(opened.iter().map(|one| one.signature.salt.clone()).collect())
    });
    tally.check(format_args!("every bit of the salt varies over {SIGNATURES} signatures"), || {
        let all = |byte: usize, change: fn(u8) -> u8| {
            opened.iter().fold(0, |bits, one| bits | change(one.signature.salt[byte])) == 0xff
        };
        match (0..SALT).find(|&byte| !all(byte, |value| value) || !all(byte, |value| !value)) {
            Some(byte) => wrong(format!("some bits of byte {byte} are the same in every salt")),
            None => Ok(()),
        }
    });
}

/// Checks that signatures are normally distributed, with the same standard deviation along both rows of the secret
/// basis. Otherwise, they would reveal the directions of the basis.
fn distribution(key: &Inspected, opened: &[Opened], tally: &mut Tally) {
    let (set, secret) = (&key.set, &key.secret);
    let near = |what: &str, found: f64, expected: f64, allowed: f64| -> Checked {
        let is_near = (found / expected - 1.0).abs() <= allowed;
        if is_near { Ok(()) } else { wrong(format!("{what} is {found:.2}, expected about {expected:.2}")) }
    };
    tally.check("the norm of signatures", || {
        let mean = opened.iter().map(|one| one.norm() as f64).sum::<f64>() / opened.len() as f64;
        // The standard deviation of this figure is 0.3% or less.
        near("the standard deviation of coefficients", (mean / (2 * set.n) as f64).sqrt(), set.sigma, 0.02)
    });
    for (name, row) in
        [("the first row", [&secret.g, &secret.f]), ("the second row", [&key.capital_g, &secret.capital_f])]
    {
        let (first, second) = (adjoint(row[0]), adjoint(row[1]));
        let mut moments = [0.0; 2];
        for one in opened {
            let product = multiply(&one.s1, &first).into_iter().zip(multiply(&one.signature.s2, &second));
            for (left, right) in product {
                let square = ((left - right) as f64).powi(2);
                moments[0] += square;
                moments[1] += square * square;
            }
        }
        let [second, fourth] = moments.map(|moment| moment / (opened.len() * set.n) as f64);
        // The standard deviations of the two figures are 0.8%.
        tally.check(format_args!("signatures along {name} of the secret basis"), || {
            let deviation = (second / norm(row) as f64).sqrt();
            near("the standard deviation", deviation, set.sigma, 0.05)?;
            near("the kurtosis", fourth / (second * second), 3.0, 0.06)
        });
    }
}

/// Checks that verification rejects almost valid signatures: a coefficient encoded as -0, and a norm just beyond the
/// bound. Signatures with a norm at the bound must verify.
fn almost_valid(scheme: &dyn SignatureScheme, key: &Inspected, opened: &[Opened], tally: &mut Tally) {
    let set = &key.set;
    let verify =
        |message: &[u8], signature: &[u8]| scheme.load_verifying_key(&key.encoded)?.verify(&[], message, signature);
    tally.check("a coefficient of -0", || {
        // A coefficient is 0 with a probability of 0.24%.
        let zero = opened.iter().find_map(|one| Some((one, one.signature.s2.iter().position(|value| *value == 0)?)));
        let Some((one, place)) = zero else { return wrong("no coefficient of any signature is 0") };
        let Some(signature) = one.signature.encode_with(set, Some(place)) else { return wrong("encoding") };
        rejected("signature", verify(&one.message, &signature))
    });
    // Add rows of the secret basis until lengthening the vector further would exceed the bound. Then add one more row.
    let longer = opened.iter().filter_map(|one| lengthened(key, one)).take(LENGTHENED);
    let mut longer: Vec<_> = longer.map(Some).collect();
    longer.resize_with(LENGTHENED, || None);
    for (number, made) in longer.into_iter().enumerate() {
        let Some((message, [below, above])) = made else {
            tally.unsupported("no signature could be lengthened to the bound on the norm");
            continue;
        };
        tally.check(format_args!("lengthened signature {number}, norm at the bound"), || {
            step("verify", verify(message, &below))
        });
        tally.check(format_args!("lengthened signature {number}, norm just beyond the bound"), || {
            rejected("signature", verify(message, &above))
        });
    }
}

/// Increases the norm of a signature by adding rotations of the first row of the secret basis, until any further
/// increase would exceed the bound. Returns the message and two encoded signatures. The first is valid. The second,
/// invalid one contains one more rotation, chosen to exceed the bound as little as possible. Returns `None` if an
/// encoding exceeds the padded length.
fn lengthened<'a>(key: &Inspected, one: &'a Opened) -> Option<(&'a [u8], [Vec<u8>; 2])> {
    let (set, SecretKey { f, g, .. }) = (&key.set, &key.secret);
    let (row, row_of_s2, first, second) = (norm([f, g]), norm([f]), adjoint(g), adjoint(f));
    let (mut s1, mut s2) = (one.s1.clone(), one.signature.s2.clone());
    let add = |s1: &Polynomial, s2: &Polynomial, (sign, place): (i64, usize)| -> (Polynomial, Polynomial) {
        let (g, f) = (rotated(g, place), rotated(f, place));
        (
            s1.iter().zip(g).map(|(s1, g)| s1 + sign * g).collect(),
            s2.iter().zip(f).map(|(s2, f)| s2 - sign * f).collect(),
        )
    };
    loop {
        let room = set.bound - norm([&s1, &s2]);
        let (in_s1, in_s2) = (multiply(&s1, &first), multiply(&s2, &second));
        // The change of the norm, the change of its second half, and the rotation with its sign.
        let changes: Vec<(i64, i64, (i64, usize))> = (0..set.n)
            .flat_map(|place| [1, -1].map(|sign| (sign, place)))
            .map(|(sign, place)| {
                let (one, other) = (2 * sign * in_s1[place], 2 * sign * in_s2[place]);
                (row + one - other, row_of_s2 - other, (sign, place))
            })
            .collect();
        // Prefer changes that do not make the second half longer, because it must fit into the padded length.
        let fitting = changes.iter().filter(|(change, ..)| (1..=room).contains(change));
        if let Some((.., change)) = fitting.max_by_key(|(change, in_s2, _)| (*in_s2 <= 0, *change)) {
            (s1, s2) = add(&s1, &s2, *change);
            continue;
        }
        let (.., beyond) = changes.iter().filter(|(change, ..)| *change > room).min()?;
        let (_, beyond) = add(&s1, &s2, *beyond);
        let encode = |s2: Polynomial| Signature { salt: one.signature.salt.clone(), s2 }.encode(set);
        // A verifier reduces the coefficients of `s1`, which would change those beyond half the modulus. None is that
        // large.
        debug_assert!(s1.iter().all(|value| centre(*value) == *value));
        return Some((&one.message, [encode(s2)?, encode(beyond)?]));
    }
}
