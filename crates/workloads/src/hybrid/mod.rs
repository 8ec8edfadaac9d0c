//! Workload `hybrid`: hybrid KEMs and hybrid signatures, measured in the same rounds as their halves.
//!
//! The case `hybrid/X-Wing/encapsulate@aws-lc+liboqs` takes X25519 and all symmetric algorithms from the first
//! provider, and ML-KEM from the second. `hybrid/X25519/encapsulate@aws-lc` and `hybrid/ML-KEM-768/encapsulate@liboqs`
//! are the same operation with only one half. The cost of the combiner is the difference between the hybrid's time and
//! the sum of its halves' times in the same round. The hybrid and its X25519 half perform the same X25519 operations.
//! Key generation takes one X25519 key generation. Encapsulation takes one X25519 key generation and one Diffie-Hellman
//! operation. Decapsulation takes one Diffie-Hellman operation.
//!
//! Operations that generate keys are measured twice: with the libraries' own randomness, as applications use it, and
//! with supplied seeds (`keygen[coins=exact]`). Only with supplied seeds does the hybrid do the same work as its
//! halves.
//!
//! `hybrid/X-Wing/fingerprint@aws-lc` is the fingerprint of a construction's public key: SHA-256 of its
//! SubjectPublicKeyInfo. The fingerprint does not depend on the library for the post-quantum half.
//!
//! `hybrid/X-Wing/handshake-load[tasks=500,workers=2]@aws-lc+liboqs` runs many complete key exchanges concurrently, as
//! tasks in a thread pool: see [`crate::scaling`].

mod cases;
mod exchange;
mod signing;

pub(crate) use cases::{deciding, kem_pairs, signature_pairs};

use crate::fastest::Question;
use crate::fingerprint::{FINGERPRINT, Fingerprint};
use crate::hash::HashWorkload;
use crate::inputs::generator;
use crate::pairs::Pair;
use crate::{CaseOptions, Workload, fault, find, scaling};
use cases::SYMMETRIC;
use exchange::Seeded;
use pqlab_constructions::keys::{Identifier, PublicKey};
use pqlab_constructions::{CompositeSignature, HybridKem, MockKem, ReferenceSignature};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{Coins, Kem, Provider, SignatureScheme};
use pqlab_record::Case;
use signing::Inputs;
use std::sync::Arc;

const X25519: &str = "X25519";
const ML_KEM: &str = "ML-KEM-768";
const ED25519: &str = "Ed25519";
const ML_DSA: &str = "ML-DSA-65";
pub(crate) const HYBRID_KEMS: [&str; 5] =
    ["X-Wing", "MLKEM768-X25519-SHA3-256", "X25519MLKEM768", "X25519+ML-KEM-768", WITH_MOCK];
/// Hybrid with a mock in place of the post-quantum KEM. The mock only draws random bytes.
pub(crate) const WITH_MOCK: &str = "X25519+mock";
pub(crate) const HYBRID_SIGNATURES: [&str; 2] = [CompositeSignature::ALGORITHM, ReferenceSignature::ALGORITHM];

pub(crate) struct HybridWorkload;

impl Workload for HybridWorkload {
    fn id(&self) -> &'static str {
        "hybrid"
    }

    fn describe(&self) -> &'static str {
        "hybrid KEMs and signatures, compared with their halves to show the cost of the combiner"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        cases::all(providers, options)
    }

    fn questions(&self, selected: &[Case], providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Question> {
        cases::questions(selected, providers, options)
    }

    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        let pair = Pair::new(case);
        let parts: &[&str] = match case.algorithm.as_str() {
            "X-Wing" => &[X25519, "SHA3-256", "SHAKE256"],
            "MLKEM768-X25519-SHA3-256" => &[X25519, "SHA3-256"],
            "X25519MLKEM768" => &[X25519],
            "X25519+ML-KEM-768" | WITH_MOCK => &[X25519, "HKDF-SHA256"],
            CompositeSignature::ALGORITHM => &[ED25519, "SHA-512"],
            ReferenceSignature::ALGORITHM => &[ED25519],
            alone => return vec![(case.provider.clone(), alone.to_owned())],
        };
        let hashes: &[&str] = if case.operation == FINGERPRINT { &["SHA-256"] } else { &[] };
        let classical = parts.iter().chain(hashes).map(|part| (pair.classical.clone(), (*part).to_owned()));
        let lattice = match case.algorithm.as_str() {
            WITH_MOCK => None,
            other if HYBRID_KEMS.contains(&other) => Some(ML_KEM),
            _ => Some(ML_DSA),
        };
        classical.chain(lattice.map(|lattice| (pair.post_quantum.clone(), lattice.to_owned()))).collect()
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let algorithm = case.algorithm.as_str();
        if SYMMETRIC.iter().any(|(name, ..)| *name == algorithm) {
            return HashWorkload.prepare(case, providers, seed);
        }
        let pair = Pair::new(case);
        // Leave the algorithm's name out of the seed, so that a hybrid and its halves use the same
        // keys and sign the same bytes.
        let shared = |kind: &str| Case { algorithm: kind.into(), ..case.clone() };
        let given = cases::exact(case);
        if [X25519, ML_KEM].contains(&algorithm) || HYBRID_KEMS.contains(&algorithm) {
            let kem = match algorithm {
                X25519 | ML_KEM => half_kem(algorithm, &case.provider, providers)?,
                hybrid => hybrid_kem(hybrid, &pair, providers)?,
            };
            let shake256 = providers.iter().find_map(|provider| provider.xof("SHAKE256"));
            let shake256 = shake256
                .ok_or_else(|| Fault::Unsupported("no library offers SHAKE256, which expands the seeds".into()))?;
            let trial = || {
                let mut generator = generator(&shared("kem"), seed);
                let seeded = Seeded::new(Arc::clone(&kem), shake256.as_ref(), &mut generator).map_err(fault)?;
                if case.operation == FINGERPRINT {
                    return fingerprint(algorithm, &seeded.public_key().map_err(fault)?, &pair, providers);
                }
                seeded.trial(scaling::operation(case), case, given)
            };
            return if scaling::concerns(case) { scaling::prepare(case, seed, trial) } else { trial() };
        }
        let scheme = match algorithm {
            ED25519 | ML_DSA => half_signature(algorithm, &case.provider, providers)?,
            hybrid => hybrid_signature(hybrid, &pair, providers)?,
        };
        // SHA-512 is used only for inputs, before anything is timed, so any library will do.
        let sha512 = providers.iter().find_map(|provider| provider.hash("SHA-512"));
        let sha512 =
            sha512.ok_or_else(|| Fault::Unsupported("no library offers SHA-512, which hashes the messages".into()))?;
        let mut generator = generator(&shared("signature"), seed);
        if case.operation == FINGERPRINT {
            let mut public = vec![0; scheme.info().parameters.verifying_key];
            let key = scheme.generate(Coins::Internal).map_err(fault)?;
            key.verifying_key().and_then(|key| key.encode(&mut public)).map_err(fault)?;
            return fingerprint(algorithm, &public, &pair, providers);
        }
        Inputs::new(scheme, case, given, sha512.as_ref(), &mut generator).map_err(fault)?.trial(case)
    }
}

/// Creates the trial for the fingerprint of a public key. SHA-256 comes from the classical half's library.
fn fingerprint(
    algorithm: &str,
    public: &[u8],
    pair: &Pair,
    providers: &[Arc<Provider>],
) -> Result<Box<dyn Trial>, Fault> {
    let unnamed = || Fault::Unsupported(format!("{algorithm} has no object identifier"));
    let identifier = Identifier::named(algorithm).ok_or_else(unnamed)?;
    let key = PublicKey::new(identifier, public).map_err(|error| Fault::WrongAnswer(error.to_string()))?;
    let hash = find(providers, &pair.classical)?.hash("SHA-256").cloned();
    let hash = hash.ok_or_else(|| Fault::Unsupported(format!("{} does not offer SHA-256", pair.classical)))?;
    Ok(Box::new(Fingerprint::new(key, hash)?))
}

fn half_kem(algorithm: &str, provider: &str, providers: &[Arc<Provider>]) -> Result<Arc<dyn Kem>, Fault> {
    let found = find(providers, provider)?.kem(algorithm).cloned();
    found.ok_or_else(|| Fault::Unsupported(format!("{provider} does not offer {algorithm}")))
}

fn half_signature(
    algorithm: &str,
    provider: &str,
    providers: &[Arc<Provider>],
) -> Result<Arc<dyn SignatureScheme>, Fault> {
    let found = find(providers, provider)?.signature(algorithm).cloned();
    found.ok_or_else(|| Fault::Unsupported(format!("{provider} does not offer {algorithm}")))
}

/// Assembles a hybrid KEM. All symmetric algorithms come from the classical provider.
pub(crate) fn hybrid_kem(algorithm: &str, pair: &Pair, providers: &[Arc<Provider>]) -> Result<Arc<dyn Kem>, Fault> {
    let lacking = |name: &str| Fault::Unsupported(format!("{} does not offer {name}", pair.classical));
    let classical = half_kem(X25519, &pair.classical, providers)?;
    let symmetric = find(providers, &pair.classical)?;
    let sha3_256 = || symmetric.hash("SHA3-256").cloned().ok_or_else(|| lacking("SHA3-256"));
    let shake256 = || symmetric.xof("SHAKE256").cloned().ok_or_else(|| lacking("SHAKE256"));
    let hkdf = || symmetric.kdf("HKDF-SHA256").cloned().ok_or_else(|| lacking("HKDF-SHA256"));
    let ml_kem = || half_kem(ML_KEM, &pair.post_quantum, providers);
    let built = match algorithm {
        "X-Wing" => HybridKem::x_wing(classical, ml_kem()?, sha3_256()?, shake256()?),
        "MLKEM768-X25519-SHA3-256" => HybridKem::composite(classical, ml_kem()?, sha3_256()?),
        "X25519MLKEM768" => HybridKem::x25519_ml_kem_768(classical, ml_kem()?),
        "X25519+ML-KEM-768" => HybridKem::reference(classical, ml_kem()?, hkdf()?),
        WITH_MOCK => HybridKem::reference(classical, Arc::new(MockKem::new()), hkdf()?),
        other => return Err(Fault::Unsupported(format!("unknown hybrid KEM {other}"))),
    };
    Ok(Arc::new(built.map_err(fault)?))
}

/// Assembles a hybrid signature scheme. SHA-512 comes from the classical provider.
pub(crate) fn hybrid_signature(
    algorithm: &str,
    pair: &Pair,
    providers: &[Arc<Provider>],
) -> Result<Arc<dyn SignatureScheme>, Fault> {
    let classical = half_signature(ED25519, &pair.classical, providers)?;
    let post_quantum = half_signature(ML_DSA, &pair.post_quantum, providers)?;
    if algorithm == ReferenceSignature::ALGORITHM {
        return Ok(Arc::new(ReferenceSignature::new(classical, post_quantum).map_err(fault)?));
    }
    let sha512 = find(providers, &pair.classical)?.hash("SHA-512").cloned();
    let sha512 = sha512.ok_or_else(|| Fault::Unsupported(format!("{} does not offer SHA-512", pair.classical)))?;
    Ok(Arc::new(CompositeSignature::new(classical, post_quantum, sha512).map_err(fault)?))
}

#[cfg(test)]
mod tests;
