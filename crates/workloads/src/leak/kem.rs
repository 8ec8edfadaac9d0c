//! ML-KEM decapsulation (FIPS 203): valid against invalid ciphertexts, and one secret against many.
//!
//! Decapsulation encrypts again, with the matrix that follows from the public seed `rho`, and sampling it takes a time that
//! depends on `rho`. Keys of different key pairs would differ in that too. So the classes are keys put together of two key
//! pairs: `dk = dk_PKE || ek || H(ek) || z` (FIPS 203, algorithm 16), where only `dk_PKE` and `z` are secret. Such a key passes
//! the check of its hash (section 7.3) and rejects every ciphertext implicitly; so the first class is given ciphertexts that
//! it rejects too.

use super::pools::pools;
use super::{LeakCase, LeakSubject, Role, missing};
use crate::fault;
use pqlab_harness::Fault;
use pqlab_harness::leak::Target;
use pqlab_primitives::{Coins, DecapsulationKey, Kem, KeyEncoding, Provider, Result as LibraryResult};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::ops::Range;
use std::sync::Arc;

/// Length in bytes of `H(ek)`, and of `z`.
const HASH: usize = 32;

const REFUSES: &str = "the library refuses a decapsulation key that is put together of two key pairs";

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
        case(Role::Secret, "validity", "valid against invalid ciphertexts");
        if kem.info().encodings.contains(&KeyEncoding::Expanded) {
            case(Role::Secret, "key", "one secret against many, under one public key");
            case(Role::Public, "key", "one public key against many, over one secret");
        }
    }
    cases
}

pub(super) fn prepare(case: &LeakCase, provider: &Provider, draw: &mut ChaCha8Rng) -> Result<LeakSubject, Fault> {
    let kem = Arc::clone(provider.kem(&case.algorithm).ok_or_else(|| missing(case))?);
    if case.varies == "validity" { validity(kem, draw).map_err(fault) } else { keys(kem, case.role, draw) }
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
    let parameters = &kem.info().parameters;
    let target = Decapsulate {
        ciphertext: vec![0; parameters.ciphertext],
        secret: vec![0; parameters.shared_secret],
        key,
        kem: None,
    };
    Ok(LeakSubject { target: Box::new(target), pools, secret: Vec::new(), caveat: None })
}

/// An expanded decapsulation key, cut into its parts.
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

    /// This key's secret parts with another's public ones.
    fn under(&self, other: &Parts) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        bytes[self.public.clone()].copy_from_slice(&other.bytes[self.public.clone()]);
        bytes
    }
}

fn keys(kem: Arc<dyn Kem>, role: Role, draw: &mut ChaCha8Rng) -> Result<LeakSubject, Fault> {
    let own = Parts::generate(kem.as_ref(), draw).map_err(fault)?;
    // Belongs to nobody of the classes.
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
    let length = own.bytes.len();
    let secret = vec![0..own.public.start, own.public.end..length];
    let parameters = kem.info().parameters.clone();
    let load = |input: &[u8]| kem.load_decapsulation_key(KeyEncoding::Expanded, &input[..length]);
    let key = load(&pools[0][0]).map_err(fault)?;
    load(&pools[3][0]).map_err(|_| Fault::Unsupported(REFUSES.into()))?;
    let target = Decapsulate {
        ciphertext: vec![0; parameters.ciphertext],
        secret: vec![0; parameters.shared_secret],
        key,
        kem: Some(Arc::clone(&kem)),
    };
    Ok(LeakSubject { target: Box::new(target), pools, secret, caveat: None })
}

/// Decapsulation; the input is a ciphertext, or a key and a ciphertext.
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
