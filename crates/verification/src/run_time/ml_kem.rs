//! ML-KEM: checks that decapsulation implicitly rejects modified ciphertexts, and that libraries reject modified keys.
//! Also inspects the secrets of generated keys.

use super::bytes;
use crate::checks::kem::{decapsulate, encapsulate, encoded, encoded_secret, load};
use crate::checks::{buffer, differ, equal, refused, step};
use crate::ml_dsa::shake256;
use crate::ml_kem::{SecretKey, Set};
use crate::suites::{Ran, Run, Suite, is_ml_kem};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{Coins, DecapsulationKey, Kem, KeyEncoding};

pub(super) static SUITES: &[Suite] = &[
    Suite::built_in("run time: ML-KEM ciphertexts", is_ml_kem, Run::Kem(ciphertexts)),
    Suite::built_in("run time: ML-KEM keys", is_ml_kem, Run::Kem(keys)),
    Suite::built_in("run time: ML-KEM secrets", is_ml_kem, Run::Kem(secrets)),
];

/// Number of encapsulations over which every bit of the random message must vary.
const ENCAPSULATIONS: usize = 64;

/// A generated key.
struct Generated {
    key: Box<dyn DecapsulationKey>,
    encapsulation_key: Vec<u8>,
    /// The decoded decapsulation key, if the provider exports it.
    secret: Option<SecretKey>,
}

fn generate(kem: &dyn Kem, set: &Set) -> Result<Generated, Fault> {
    let key = step("generate", kem.generate(Coins::Internal))?;
    let encapsulation_key = encoded(kem, step("encapsulation key", key.encapsulation_key())?.as_ref())?;
    let mut secret = None;
    if let Ok(expanded) = encoded_secret(kem, key.as_ref(), KeyEncoding::Expanded)
        && Some(expanded.len()) == kem.info().decapsulation_key(KeyEncoding::Expanded)
    {
        secret = Some(SecretKey::of_expanded(set, &expanded));
    } else if let Ok(seed) = encoded_secret(kem, key.as_ref(), KeyEncoding::Seed)
        && seed.len() == 64
    {
        secret = Some(SecretKey::of_seed(set, &seed));
    }
    Ok(Generated { key, encapsulation_key, secret })
}

fn parameters(kem: &dyn Kem) -> Result<Set, Fault> {
    Set::of(&kem.info().parameters.algorithm).ok_or_else(|| Fault::Unsupported("unknown parameter set".to_owned()))
}

/// Returns the position of a bit in byte `place` of a ciphertext. Flipping this bit changes a coefficient less than
/// flipping any other bit of the byte. The decrypted message stays the same, so decapsulation detects the change only
/// if it compares this byte after re-encryption.
fn least(set: &Set, place: usize) -> usize {
    let first = 32 * set.du * set.k;
    let (place, bits) = if place < first { (place, set.du) } else { (place - first, set.dv) };
    (0..8).min_by_key(|bit| (8 * place + bit) % bits).unwrap_or_default()
}

/// Modifies every byte of a ciphertext in three ways. Each modified ciphertext must give the implicit-rejection secret,
/// `J(z || c)` (FIPS 203, algorithm 18, line 7).
fn ciphertexts(kem: &dyn Kem, _: &Vectors, tally: &mut Tally) -> Ran {
    let made = (|| {
        let set = parameters(kem)?;
        let made = generate(kem, &set)?;
        let public = step("load encapsulation key", kem.load_encapsulation_key(&made.encapsulation_key))?;
        let (ciphertext, secret) = encapsulate(kem, public.as_ref(), Coins::Internal)?;
        equal("shared secret", &secret, &decapsulate(kem, made.key.as_ref(), &ciphertext)?)?;
        Ok((set, made, ciphertext, secret))
    })();
    let (set, made, ciphertext, secret) = match made {
        Ok(made) => made,
        Err(fault) => {
            tally.check("a valid ciphertext", || Err(fault));
            return Ok(());
        }
    };
    let rejected = |modified: &[u8]| -> Checked {
        let got = decapsulate(kem, made.key.as_ref(), modified)?;
        match &made.secret {
            Some(SecretKey { z, .. }) => equal("secret of a modified ciphertext", &shake256(&[z, modified], 32), &got),
            None => {
                differ("secret of a modified ciphertext", &secret, &got)?;
                let again = decapsulate(kem, made.key.as_ref(), modified)?;
                equal("second secret of the same modified ciphertext", &got, &again)
            }
        }
    };
    for place in 0..ciphertext.len() {
        for mask in [1 << least(&set, place), 1 << ((5 * place + 3) % 8), 0xff] {
            let mut modified = ciphertext.clone();
            modified[place] ^= mask;
            tally.check(format_args!("byte {place} of the ciphertext XORed with {mask:#04x}"), || rejected(&modified));
        }
    }
    for number in 0..8 {
        tally.check(format_args!("random ciphertext {number}"), || {
            rejected(&bytes("ciphertext", number, ciphertext.len()))
        });
    }
    for length in [0, 1, ciphertext.len() - 1, ciphertext.len() + 1] {
        tally.check(format_args!("a ciphertext of {length} bytes"), || {
            let mut other = ciphertext.clone();
            other.resize(length, 0);
            let mut out = buffer(32);
            refused("ciphertext", made.key.decapsulate(&other, &mut out))
        });
    }
    Ok(())
}

/// Returns the encoded key with the 12-bit coefficient at `place` set to `value`.
fn with_coefficient(key: &[u8], place: usize, value: u16) -> Vec<u8> {
    let mut key = key.to_vec();
    let at = place / 2 * 3;
    let [low, high] = value.to_le_bytes();
    if place.is_multiple_of(2) {
        key[at] = low;
        key[at + 1] = key[at + 1] & 0xf0 | high;
    } else {
        key[at + 1] = key[at + 1] & 0x0f | low << 4;
        key[at + 2] = low >> 4 | high << 4;
    }
    key
}

/// Checks that the library compares every coefficient of an encapsulation key with the modulus (FIPS 203, section 7.2).
/// Also checks that it detects a change to any byte of the hash in a decapsulation key (section 7.3).
fn keys(kem: &dyn Kem, _: &Vectors, tally: &mut Tally) -> Ran {
    let made = parameters(kem).and_then(|set| generate(kem, &set).map(|made| (set, made)));
    let (set, made) = match made {
        Ok(made) => made,
        Err(fault) => {
            tally.check("generate", || Err(fault));
            return Ok(());
        }
    };
    let ek = &made.encapsulation_key;
    let uses = |key: &[u8]| {
        kem.load_encapsulation_key(key).and_then(|key| {
            let (mut ciphertext, mut secret) = (buffer(kem.info().parameters.ciphertext), buffer(32));
            key.encapsulate(Coins::Internal, &mut ciphertext, &mut secret)
        })
    };
    for place in 0..256 * set.k {
        // Try the smallest invalid value at every position, and spread the larger ones over the positions.
        let values: &[u16] = match place % 16 {
            0 => &[3329, 4095],
            1 => &[3329, 3330],
            _ => &[3329],
        };
        for &value in values {
            tally.check(format_args!("coefficient {place} of the encapsulation key is {value}"), || {
                refused("encapsulation key", uses(&with_coefficient(ek, place, value)))
            });
        }
    }
    for place in (0..256 * set.k).step_by(37) {
        tally.check(format_args!("coefficient {place} of the encapsulation key is 3328"), || {
            step("encapsulation key", uses(&with_coefficient(ek, place, 3328)))
        });
    }
    for length in [0, ek.len() - 1, ek.len() + 1] {
        tally.check(format_args!("an encapsulation key of {length} bytes"), || {
            let mut key = ek.clone();
            key.resize(length, 0);
            refused("encapsulation key", uses(&key))
        });
    }
    let Ok(dk) = encoded_secret(kem, made.key.as_ref(), KeyEncoding::Expanded) else { return Ok(()) };
    if !kem.info().encodings.contains(&KeyEncoding::Expanded) {
        return Ok(());
    }
    let hash = dk.len() - 64;
    for place in hash..hash + 32 {
        tally.check(format_args!("byte {} of H(ek) modified", place - hash), || {
            let mut modified = dk.clone();
            modified[place] ^= 1 << (place % 8);
            let used = load(kem, KeyEncoding::Expanded, &modified)?
                .and_then(|key| key.decapsulate(&vec![0; kem.info().parameters.ciphertext], &mut buffer(32)));
            refused("decapsulation key", used)
        });
    }
    Ok(())
}

/// Checks the secrets and errors of generated keys, and the messages in ciphertexts.
fn secrets(kem: &dyn Kem, _: &Vectors, tally: &mut Tally) -> Ran {
    let pair = parameters(kem).and_then(|set| Ok((set, generate(kem, &set)?, generate(kem, &set)?)));
    let (set, one, other) = match pair {
        Ok(pair) => pair,
        Err(fault) => {
            tally.check("generate", || Err(fault));
            return Ok(());
        }
    };
    let (Some(secret), Some(another)) = (&one.secret, &other.secret) else {
        tally.unsupported("the library does not export decapsulation keys");
        return Ok(());
    };
    let rho = |made: &Generated| made.encapsulation_key[384 * set.k..].to_vec();
    tally.check("the seeds of two matrices differ", || differ("rho", &rho(&one), &rho(&other)));
    tally.check("the rejection secrets of two keys differ", || differ("z", &secret.z, &another.z));
    tally.check("the rejection secret depends on no other part of the key", || {
        let others = [rho(&one), rho(&other), another.z.clone(), vec![0; 32]];
        others.iter().try_for_each(|other| differ("z", other, &secret.z))
    });
    let (s, e) = (secret.secrets(), secret.errors(&set, &one.encapsulation_key));
    let (s2, e2) = (another.secrets(), another.errors(&set, &other.encapsulation_key));
    tally.check("secrets and errors are in range", || {
        match [&s, &e, &s2, &e2].into_iter().flatten().flatten().find(|value| value.abs() > set.eta1) {
            Some(value) => {
                let eta = set.eta1;
                Err(Fault::Wrong(format!("a coefficient is {value}, but must be from -{eta} to {eta}")))
            }
            None => Ok(()),
        }
    });
    tally.check("secrets and errors take every value", || {
        let all: Vec<i32> = [&s, &e, &s2, &e2].into_iter().flatten().flatten().copied().collect();
        match (-set.eta1..=set.eta1).find(|value| !all.contains(value)) {
            Some(value) => Err(Fault::Wrong(format!("no coefficient is {value}"))),
            None => Ok(()),
        }
    });
    tally.check("no polynomial repeats", || {
        let all: Vec<_> = [&s, &e, &s2, &e2].into_iter().flatten().collect();
        for (place, one) in all.iter().enumerate() {
            if all[..place].contains(one) {
                return Err(Fault::Wrong(format!("polynomial {place} equals an earlier one")));
            }
        }
        Ok(())
    });
    tally.check(format_args!("the messages of {ENCAPSULATIONS} encapsulations"), || {
        let public = step("load encapsulation key", kem.load_encapsulation_key(&one.encapsulation_key))?;
        let (mut ones, mut zeros) = (vec![0_u8; 32], vec![0_u8; 32]);
        for _ in 0..ENCAPSULATIONS {
            let (ciphertext, _) = encapsulate(kem, public.as_ref(), Coins::Internal)?;
            for (place, byte) in secret.decrypt(&set, &ciphertext).into_iter().enumerate() {
                ones[place] |= byte;
                zeros[place] |= !byte;
            }
        }
        // A random bit is the same 64 times with probability 2^-63.
        match (0..32).find(|&place| ones[place] != 0xff || zeros[place] != 0xff) {
            Some(place) => Err(Fault::Wrong(format!("some bits of byte {place} are the same in every message"))),
            None => Ok(()),
        }
    });
    Ok(())
}
