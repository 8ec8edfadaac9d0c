//! Leak tests for ML-KEM decapsulation (FIPS 203). They compare valid with invalid ciphertexts, and one secret with
//! many secrets, both for accepted and for rejected ciphertexts.
//!
//! Decapsulation re-encrypts with a matrix derived from the public seed `rho`, and the time to sample the matrix
//! depends on `rho`. Keys from different key pairs would also differ in this time, so all keys in a test of secrets
//! have the same `rho`. A decapsulation key is `dk_PKE || ek || H(ek) || z` (FIPS 203, algorithm 16), where only
//! `dk_PKE` and `z` are secret. There are two ways to create different secrets with the same `rho`:
//!
//! - **Rejected.** Keys combine the secret of one key pair with the public key of another. A combined key passes the
//!   hash check (section 7.3) and implicitly rejects every ciphertext. The first class therefore also gets ciphertexts
//!   that its key rejects. The public key is the same in both classes. In the control, all keys have the same secret,
//!   and the second class has many public keys.
//! - **Accepted.** If `t = A s + e` forms a key, then `x t = A (x s) + x e` also forms a key, for each even power `x`
//!   of X. `x s` and `x e` are as short as `s` and `e`. They contain the same coefficients in different places, some
//!   with opposite signs. This gives 255 other secrets over the same matrix. Each of these secrets forms a valid key,
//!   which accepts ciphertexts created for this key. In the public keys, only `t` and the hash differ, and no branch of
//!   the algorithm depends on these two.

use super::pools::pools;
use super::{LeakCase, LeakSubject, Role, missing};
use crate::fault;
use pqlab_harness::Fault;
use pqlab_harness::leak::{GROUPS, SECOND, Target};
use pqlab_primitives::{Coins, DecapsulationKey, Hash, Kem, KeyEncoding, Provider, Result as LibraryResult};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::ops::Range;
use std::sync::Arc;

/// Length of `H(ek)` and of `z`, in bytes.
const HASH: usize = 32;

/// Length of `rho`, in bytes.
const SEED: usize = 32;
/// Modulus q of the coefficients (FIPS 203, section 2.4).
const Q: u32 = 3329;
/// Root of unity for the number-theoretic transform (FIPS 203, section 4.3).
const ZETA: u32 = 17;
/// Length of an encoded polynomial in bytes: 256 numbers of 12 bits.
const POLYNOMIAL: usize = 384;
/// Number of different even powers of X, because `X^(2 * TURNS)` is 1.
const TURNS: u32 = 256;

const CIPHERTEXTS: &str = "the classes also differ in their ciphertexts, which are public";
const VECTORS: &str = "the classes also differ in the vector t of their public keys; the matrix is the same";
const REFUSES: &str = "the library rejects decapsulation keys combined from two key pairs";

pub(super) fn cases(provider: &Provider) -> Vec<LeakCase> {
    let mut cases = Vec::new();
    for kem in provider.kems.iter().filter(|kem| kem.info().parameters.standard == "FIPS 203") {
        let mut case = |role, varies, classes| {
            cases.push(LeakCase {
                area: "kem",
                algorithm: kem.info().parameters.algorithm.to_string(),
                operation: "decapsulate",
                role,
                varies,
                provider: provider.id(),
                classes,
            });
        };
        case(Role::Secret, "validity", "valid (accepted) versus invalid (rejected) ciphertexts");
        case(Role::Secret, "accepted-ciphertext", "one ciphertext versus many (one key, all ciphertexts accepted)");
        if kem.info().encodings.contains(&KeyEncoding::Expanded) {
            case(Role::Secret, "accepted-key", "one secret versus many (one matrix, all ciphertexts accepted)");
            case(Role::Secret, "key", "one secret versus many (one public key, all ciphertexts rejected)");
            case(Role::Public, "key", "one public key versus many (one secret, all ciphertexts rejected)");
        }
    }
    cases
}

/// Prepares a case. If the case needs the hash of a public key, `providers` supply the hash function.
pub(super) fn prepare(
    case: &LeakCase,
    provider: &Provider,
    providers: &[Arc<Provider>],
    draw: &mut ChaCha8Rng,
) -> Result<LeakSubject, Fault> {
    let kem = Arc::clone(provider.kem(&case.algorithm).ok_or_else(|| missing(case))?);
    match case.varies {
        "validity" => validity(kem, draw).map_err(fault),
        "accepted-ciphertext" => accepted_ciphertexts(kem, draw),
        "accepted-key" => {
            let hash = providers.iter().find_map(|provider| provider.hash("SHA3-256"));
            let hash = hash.ok_or_else(|| Fault::Unsupported("no library offers SHA3-256".into()))?;
            accepted_keys(kem, hash.as_ref(), draw)
        }
        _ => rejecting_keys(kem, case.role, draw),
    }
}

fn generate(kem: &dyn Kem, draw: &mut ChaCha8Rng) -> LibraryResult<Box<dyn DecapsulationKey>> {
    crate::kem::key_pair(kem, draw).map(|(key, _)| key)
}

fn ciphertext(kem: &dyn Kem, key: &dyn DecapsulationKey) -> LibraryResult<Vec<u8>> {
    let mut ciphertext = vec![0; kem.info().parameters.ciphertext];
    let mut secret = vec![0; kem.info().parameters.shared_secret];
    key.encapsulation_key()?.encapsulate(Coins::Internal, &mut ciphertext, &mut secret)?;
    Ok(ciphertext)
}

/// Returns a ciphertext that the key accepts.
fn accepted(kem: &dyn Kem, key: &dyn DecapsulationKey) -> Result<Vec<u8>, Fault> {
    let mut ciphertext = vec![0; kem.info().parameters.ciphertext];
    let mut sent = vec![0; kem.info().parameters.shared_secret];
    let mut received = sent.clone();
    let to = key.encapsulation_key().map_err(fault)?;
    to.encapsulate(Coins::Internal, &mut ciphertext, &mut sent).map_err(fault)?;
    key.decapsulate(&ciphertext, &mut received).map_err(fault)?;
    match sent == received {
        true => Ok(ciphertext),
        false => Err(Fault::WrongAnswer("a key does not accept a ciphertext created for it".into())),
    }
}

fn accepted_ciphertexts(kem: Arc<dyn Kem>, draw: &mut ChaCha8Rng) -> Result<LeakSubject, Fault> {
    let key = generate(kem.as_ref(), draw).map_err(fault)?;
    let one = accepted(kem.as_ref(), key.as_ref())?;
    let pools = pools(draw, |_| Ok::<_, Fault>(one.clone()), |_| accepted(kem.as_ref(), key.as_ref()))?;
    Ok(of_ciphertexts(kem.as_ref(), key, pools, Some(CIPHERTEXTS)))
}

fn validity(kem: Arc<dyn Kem>, draw: &mut ChaCha8Rng) -> LibraryResult<LeakSubject> {
    let key = generate(kem.as_ref(), draw)?;
    let pools = pools(
        draw,
        |_| ciphertext(kem.as_ref(), key.as_ref()),
        |draw| {
            let mut corrupted = ciphertext(kem.as_ref(), key.as_ref())?;
            let place = draw.random_range(0..corrupted.len());
            corrupted[place] ^= 1 << draw.random_range(0..8);
            Ok(corrupted)
        },
    )?;
    Ok(of_ciphertexts(kem.as_ref(), key, pools, None))
}

/// Creates a subject that decapsulates with one key. Its inputs are ciphertexts.
fn of_ciphertexts(
    kem: &dyn Kem,
    key: Box<dyn DecapsulationKey>,
    pools: [Vec<Vec<u8>>; GROUPS],
    caveat: Option<&'static str>,
) -> LeakSubject {
    let parameters = &kem.info().parameters;
    let target = Decapsulate {
        ciphertext: vec![0; parameters.ciphertext],
        secret: vec![0; parameters.shared_secret],
        key,
        kem: None,
    };
    LeakSubject { target: Box::new(target), pools, secret: Vec::new(), caveat }
}

/// Expanded decapsulation key, with the byte range of its public parts (`ek || H(ek)`).
struct Parts {
    bytes: Vec<u8>,
    public: Range<usize>,
}

impl Parts {
    fn generate(kem: &dyn Kem, draw: &mut ChaCha8Rng) -> LibraryResult<Parts> {
        let parameters = &kem.info().parameters;
        let mut bytes = vec![0; parameters.decapsulation_key(KeyEncoding::Expanded).unwrap_or(0)];
        generate(kem, draw)?.encode(KeyEncoding::Expanded, &mut bytes)?;
        let end = bytes.len() - HASH;
        Ok(Parts { bytes, public: end - HASH - parameters.encapsulation_key..end })
    }

    /// Returns a key with this key's secret parts and another key's public parts.
    fn under(&self, other: &Parts) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        bytes[self.public.clone()].copy_from_slice(&other.bytes[self.public.clone()]);
        bytes
    }

    /// Returns this key with its secret and its error multiplied by `X^(2 * turns)`, and with a new `z`.
    fn turned(&self, turns: u32, hash: &dyn Hash, draw: &mut ChaCha8Rng) -> LibraryResult<Vec<u8>> {
        let mut bytes = self.bytes.clone();
        let (secret, hashed) = (self.public.start, self.public.end - HASH);
        turn(&mut bytes[..secret], turns);
        turn(&mut bytes[secret..hashed - SEED], turns);
        let (keys, rest) = bytes.split_at_mut(hashed);
        hash.digest(&keys[secret..], &mut rest[..HASH])?;
        rest[HASH..].fill_with(|| draw.random_range(0..=u8::MAX));
        Ok(bytes)
    }
}

/// Multiplies encoded polynomials by `X^(2 * turns)`. In the transform's domain, a polynomial consists of 128 pairs,
/// each modulo `X^2 - gamma` (FIPS 203, algorithms 11 and 12). There, `X^2` is the number `gamma`.
fn turn(encoded: &mut [u8], turns: u32) {
    for polynomial in encoded.chunks_exact_mut(POLYNOMIAL) {
        for (index, pair) in polynomial.chunks_exact_mut(3).enumerate() {
            let gamma = power(ZETA, 2 * u32::from((index as u8).reverse_bits() >> 1) + 1);
            let factor = power(gamma, turns);
            let numbers =
                [u32::from(pair[0]) | u32::from(pair[1] & 15) << 8, u32::from(pair[1] >> 4) | u32::from(pair[2]) << 4];
            let [first, second] = numbers.map(|number| number * factor % Q);
            pair.copy_from_slice(&[first as u8, (first >> 8 | (second & 15) << 4) as u8, (second >> 4) as u8]);
        }
    }
}

/// Returns `base` to the power of `exponent`, modulo Q.
fn power(base: u32, exponent: u32) -> u32 {
    (0..exponent).fold(1, |product, _| product * base % Q)
}

fn accepted_keys(kem: Arc<dyn Kem>, hash: &dyn Hash, draw: &mut ChaCha8Rng) -> Result<LeakSubject, Fault> {
    let own = Parts::generate(kem.as_ref(), draw).map_err(fault)?;
    let joined = |bytes: Vec<u8>| {
        let key = kem.load_decapsulation_key(KeyEncoding::Expanded, &bytes).map_err(fault)?;
        Ok::<_, Fault>([bytes, accepted(kem.as_ref(), key.as_ref())?].concat())
    };
    let pools = pools(
        draw,
        |_| joined(own.bytes.clone()),
        |draw| {
            let turns = draw.random_range(1..TURNS);
            joined(own.turned(turns, hash, draw).map_err(fault)?)
        },
    )?;
    of_keys(&kem, &own, pools, Some(VECTORS))
}

fn rejecting_keys(kem: Arc<dyn Kem>, role: Role, draw: &mut ChaCha8Rng) -> Result<LeakSubject, Fault> {
    let own = Parts::generate(kem.as_ref(), draw).map_err(fault)?;
    // This key belongs to neither class.
    let stranger = generate(kem.as_ref(), draw).map_err(fault)?;
    let joined = |key: &[u8]| Ok([key, &ciphertext(kem.as_ref(), stranger.as_ref())?].concat());
    let pools = pools(
        draw,
        |_| joined(&own.bytes),
        |draw| {
            let other = Parts::generate(kem.as_ref(), draw)?;
            joined(&if role == Role::Secret { other.under(&own) } else { own.under(&other) })
        },
    )
    .map_err(fault)?;
    let second = kem.load_decapsulation_key(KeyEncoding::Expanded, &pools[SECOND][0][..own.bytes.len()]);
    second.map_err(|_| Fault::Unsupported(REFUSES.into()))?;
    of_keys(&kem, &own, pools, None)
}

/// Creates a subject with inputs that consist of a key and a ciphertext. All keys have the same layout as `own`.
fn of_keys(
    kem: &Arc<dyn Kem>,
    own: &Parts,
    pools: [Vec<Vec<u8>>; GROUPS],
    caveat: Option<&'static str>,
) -> Result<LeakSubject, Fault> {
    let secret = vec![0..own.public.start, own.public.end..own.bytes.len()];
    let parameters = &kem.info().parameters;
    let target = Decapsulate {
        ciphertext: vec![0; parameters.ciphertext],
        secret: vec![0; parameters.shared_secret],
        key: kem.load_decapsulation_key(KeyEncoding::Expanded, &own.bytes).map_err(fault)?,
        kem: Some(Arc::clone(kem)),
    };
    Ok(LeakSubject { target: Box::new(target), pools, secret, caveat })
}

/// Decapsulation target. The input is a ciphertext, or a key followed by a ciphertext.
struct Decapsulate {
    kem: Option<Arc<dyn Kem>>,
    key: Box<dyn DecapsulationKey>,
    ciphertext: Vec<u8>,
    secret: Vec<u8>,
}

impl Target for Decapsulate {
    fn load(&mut self, input: &[u8]) -> Result<(), Fault> {
        let (key, ciphertext) = input.split_at(input.len() - self.ciphertext.len());
        self.ciphertext.copy_from_slice(ciphertext);
        if let Some(kem) = &self.kem {
            self.key = kem.load_decapsulation_key(KeyEncoding::Expanded, key).map_err(fault)?;
        }
        Ok(())
    }

    fn call(&mut self) -> Result<(), Fault> {
        self.key.decapsulate(&self.ciphertext, &mut self.secret).map_err(fault)
    }
}
