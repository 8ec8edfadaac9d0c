//! Bugs in Falcon's salts, sampler and verification.

use super::signature::{Changes, Sign, add};
use super::{Libraries, Mutant, mutant, random};
use fn_dsa::{CryptoRng, DOMAIN_NONE, HASH_ID_ORIGINAL_FALCON, RngCore, RngError, SigningKey as _, SigningKey512};
use pqlab_primitives::{Coins, Error, KeyEncoding, Provider, Result, SigningKey, VerifyingKey};
use pqlab_verification::falcon::{
    Polynomial, Q, SALT, SecretKey, Set, Signature, decode_verifying_key, hash_to_point, multiply, norm,
};
use std::sync::atomic::{AtomicUsize, Ordering};

const ALGORITHM: &str = "Falcon-padded-512";
const SIGNATURE: usize = 666;

/// A random generator that returns a given salt first, and random bytes afterwards.
struct Salted(Option<[u8; SALT]>);

impl CryptoRng for Salted {}

impl RngCore for Salted {
    fn next_u32(&mut self) -> u32 {
        u32::from_le_bytes(random())
    }

    fn next_u64(&mut self) -> u64 {
        u64::from_le_bytes(random())
    }

    fn fill_bytes(&mut self, out: &mut [u8]) {
        match self.0.take() {
            Some(salt) if out.len() == SALT => out.copy_from_slice(&salt),
            _ => getrandom::fill(out).expect("the operating system must provide random bytes"),
        }
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> std::result::Result<(), RngError> {
        self.fill_bytes(out);
        Ok(())
    }
}

fn private(key: &dyn SigningKey) -> Result<Vec<u8>> {
    let mut encoded = vec![0; 1281];
    key.encode(KeyEncoding::Expanded, &mut encoded)?;
    Ok(encoded)
}

/// Signs with a given salt.
fn sign_salted(key: &dyn SigningKey, message: &[u8], out: &mut [u8], salt: [u8; SALT]) -> Result<usize> {
    let mut signer = SigningKey512::decode(&private(key)?).ok_or(Error::Malformed("signing key"))?;
    signer.sign(&mut Salted(Some(salt)), &DOMAIN_NONE, &HASH_ID_ORIGINAL_FALCON, message, &mut out[..SIGNATURE]);
    Ok(SIGNATURE)
}

fn set() -> Result<Set> {
    Set::of(ALGORITHM).ok_or(Error::Unsupported("no such set"))
}

fn verifying_key(key: &dyn VerifyingKey) -> Result<Polynomial> {
    let mut encoded = vec![0; 897];
    key.encode(&mut encoded)?;
    decode_verifying_key(&set()?, &encoded).ok_or(Error::Malformed("verifying key"))
}

/// Divides every coefficient by the modulus `q` and rounds to the nearest integer.
fn rounded(polynomial: &[i64]) -> Polynomial {
    polynomial.iter().map(|value| (value + Q / 2).div_euclid(Q)).collect()
}

/// Signs with the lattice point that rounding finds. Such signatures leak the private basis.
fn sign_rounded(key: &dyn SigningKey, message: &[u8], out: &mut [u8]) -> Result<usize> {
    let (set, h) = (set()?, verifying_key(key.verifying_key()?.as_ref())?);
    let SecretKey { f, capital_f, .. } =
        SecretKey::decode(&set, &private(key)?).ok_or(Error::Malformed("signing key"))?;
    loop {
        let salt: [u8; SALT] = random();
        let point = hash_to_point(&set, &salt, message);
        // The coordinates of (c, 0) in the basis are (-c * F, c * f) / q.
        let first = rounded(&multiply(&point, &capital_f));
        let second = rounded(&multiply(&point, &f));
        let (one, other) = (multiply(&first, &f), multiply(&second, &capital_f));
        let s2 = one.iter().zip(other).map(|(one, other)| other - one).collect();
        let signature = Signature { salt: salt.to_vec(), s2 };
        // Every fourth vector is too long.
        if norm([&signature.s1(&set, &h, message), &signature.s2]) > set.bound {
            continue;
        }
        if let Some(encoded) = signature.encode(&set) {
            out[..SIGNATURE].copy_from_slice(&encoded);
            return Ok(SIGNATURE);
        }
    }
}

/// Clears the sign bit of every coefficient that is 0 in an encoded signature.
fn without_minus_zeros(signature: &mut [u8]) {
    let bit = |signature: &[u8], place: usize| signature.get(place / 8).map(|byte| byte >> (7 - place % 8) & 1);
    let mut place = 8 * (1 + SALT);
    for _ in 0..512 {
        let (sign, mut value) = (place, 0);
        for offset in 1..8 {
            value |= bit(signature, sign + offset).unwrap_or(0);
        }
        place += 8;
        while bit(signature, place) == Some(0) {
            value = 1;
            place += 1;
        }
        place += 1;
        if value == 0
            && let Some(byte) = signature.get_mut(sign / 8)
        {
            *byte &= !(0x80 >> (sign % 8));
        }
    }
}

/// Verifies with a 2% higher bound on the squared norm.
fn verify_longer(key: &dyn VerifyingKey, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
    let (set, h) = (set()?, verifying_key(key)?);
    match Signature::decode(&set, signature) {
        Some(decoded) if norm([&decoded.s1(&set, &h, message), &decoded.s2]) <= set.bound + set.bound / 50 => Ok(()),
        _ => key.verify(context, message, signature),
    }
}

pub(super) fn mutants() -> Vec<Mutant> {
    let of = |name, source, changes: Changes| {
        mutant(name, source, move |provider: &mut Provider, libraries: &Libraries| {
            add(provider, libraries, ("fn-dsa", ALGORITHM), changes);
        })
    };
    let none = Changes::default();
    let signing = |name, source, sign: Sign| of(name, source, Changes { sign: Some(sign), ..none });
    vec![
        signing("falcon: the salt is constant", "Falcon 1.2, section 2.2.2: salts", |key, _, message, out| {
            sign_salted(key, message, out, [3; SALT])
        }),
        signing(
            "falcon: the salt depends on the message",
            "Falcon 1.2, section 2.2.2: salts",
            |key, _, message, out| {
                let mut salt = [0; SALT];
                salt.copy_from_slice(&pqlab_verification::ml_dsa::shake256(&[message], SALT));
                sign_salted(key, message, out, salt)
            },
        ),
        signing(
            "falcon: 8 bytes of the salt are random",
            "Falcon 1.2, section 2.2.2: salts",
            |key, _, message, out| {
                let mut salt = [0; SALT];
                salt[..8].copy_from_slice(&random::<8>());
                sign_salted(key, message, out, salt)
            },
        ),
        signing("falcon: the sampler rounds", "Nguyen and Regev 2006; PQClean #235", |key, _, message, out| {
            sign_rounded(key, message, out)
        }),
        signing("falcon: one signature in 16 is wrong", "PQClean #477", |key, _, message, out| {
            static SIGNED: AtomicUsize = AtomicUsize::new(0);
            let length = key.sign(&[], message, Coins::Internal, out)?;
            if SIGNED.fetch_add(1, Ordering::Relaxed) % 16 == 15 {
                out[50] ^= 0x10;
            }
            Ok(length)
        }),
        of(
            "falcon: a coefficient of -0",
            "liboqs #1315, PQClean #464",
            Changes {
                verify: Some(|key, context, message, signature| {
                    let mut signature = signature.to_vec();
                    without_minus_zeros(&mut signature);
                    key.verify(context, message, &signature)
                }),
                ..none
            },
        ),
        of(
            "falcon: the bound on the norm is 2% higher",
            "Falcon 1.2, algorithm 16, line 7",
            Changes { verify: Some(verify_longer), ..none },
        ),
    ]
}
