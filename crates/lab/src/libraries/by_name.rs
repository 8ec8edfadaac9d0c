//! Looks up algorithms and constructions by name, for programs that call them. The implementation comes from the
//! requested provider or, without a request, from the first provider in a fixed order of preference that offers the
//! algorithm. This module does not check known answers: see [`verify`](crate::VerifyRequest).

use crate::{LabError, Thing, matches};
use pqlab_constructions::ntor::Protocol;
use pqlab_primitives::{Hash, Kem, LaneHash, Provider, SignatureScheme, Xof};
use pqlab_workloads::{NULL, constructed, hybrids};
use std::sync::{Arc, LazyLock};

/// Order of preference if no provider is named. General libraries come before specialized libraries, and the AVX2 code
/// of libcrux before its portable code.
const PREFERENCE: [&str; 8] =
    ["aws-lc", "openssl", "rustcrypto", "libsecp256k1", "libcrux:avx2", "libcrux:portable", "fn-dsa", "liboqs"];

static EVERY: LazyLock<Vec<Arc<Provider>>> = LazyLock::new(pqlab_providers::providers);
/// Every provider in this build except `null`, which does nothing.
static PROVIDERS: LazyLock<Vec<Arc<Provider>>> =
    LazyLock::new(|| EVERY.iter().filter(|provider| provider.library != NULL).cloned().collect());

/// An implementation and its provider.
pub struct Offered<T: ?Sized> {
    /// The provider's id. For a hybrid from two providers, their ids joined by `+`, the classical one first
    /// (`aws-lc+liboqs`).
    pub provider: String,
    /// The implementation.
    pub implementation: Arc<T>,
}

impl<T: ?Sized> Clone for Offered<T> {
    fn clone(&self) -> Offered<T> {
        Offered { provider: self.provider.clone(), implementation: Arc::clone(&self.implementation) }
    }
}

/// Returns the names of the hybrid KEMs and hybrid signature schemes.
pub fn hybrid_names() -> impl Iterator<Item = &'static str> {
    hybrids()
}

/// Returns the KEM called `algorithm`, which may be a hybrid. `provider` is one provider (`aws-lc`) or a pair
/// (`aws-lc+liboqs`).
///
/// # Errors
/// [`LabError::Unknown`] for an unknown algorithm, [`LabError::Unoffered`] if the provider does not offer it.
pub fn kem(algorithm: &str, provider: Option<&str>) -> Result<Offered<dyn Kem>, LabError> {
    pick(algorithm, provider, &makers(algorithm), |library| library.kem(algorithm).cloned())
}

/// Returns the signature scheme called `algorithm`, which may be a hybrid.
///
/// # Errors
/// Same as [`kem`].
pub fn signature(algorithm: &str, provider: Option<&str>) -> Result<Offered<dyn SignatureScheme>, LabError> {
    pick(algorithm, provider, &makers(algorithm), |library| library.signature(algorithm).cloned())
}

/// Returns the hash function called `algorithm`.
///
/// # Errors
/// Same as [`kem`].
pub fn hash(algorithm: &str, provider: Option<&str>) -> Result<Offered<dyn Hash>, LabError> {
    pick(algorithm, provider, &PROVIDERS, |library| library.hash(algorithm).cloned())
}

/// Returns the extendable-output function called `algorithm`.
///
/// # Errors
/// Same as [`kem`].
pub fn xof(algorithm: &str, provider: Option<&str>) -> Result<Offered<dyn Xof>, LabError> {
    pick(algorithm, provider, &PROVIDERS, |library| library.xof(algorithm).cloned())
}

/// Returns the function called `algorithm` that hashes eight messages in parallel.
///
/// # Errors
/// Same as [`kem`].
pub fn eight_at_once(algorithm: &str, provider: Option<&str>) -> Result<Offered<dyn LaneHash>, LabError> {
    pick(algorithm, provider, &PROVIDERS, |library| library.lane_hash(algorithm, 8).cloned())
}

/// Returns a circuit handshake that uses the primitives of one provider or of a pair. `handshake` is a name that
/// [`circuit_handshake`](crate::circuit_handshake) accepts.
///
/// # Errors
/// [`LabError::Unknown`] for an unknown handshake, [`LabError::Unoffered`] if the providers lack a primitive.
pub fn circuit_protocol(handshake: &str, provider: Option<&str>) -> Result<Arc<Protocol>, LabError> {
    let found = crate::circuit_handshake(handshake)?;
    let pair = provider.unwrap_or(PREFERENCE[0]);
    // Classical ntor uses the `null` provider for its missing KEM, but callers must not name that provider.
    let real = pair.split('+').all(|id| PROVIDERS.iter().any(|provider| provider.id() == id));
    let protocol = found.over(&EVERY, pair).ok().filter(|_| real);
    protocol.ok_or_else(|| {
        let whole = PROVIDERS.iter().map(|provider| provider.id()).filter(|id| found.over(&EVERY, id).is_ok());
        LabError::Unoffered { algorithm: found.name(), provider: Some(pair.to_owned()), offering: whole.collect() }
    })
}

/// Returns the providers that may offer an algorithm. For a hybrid, returns one provider for each pair of libraries
/// that can build it.
fn makers(algorithm: &str) -> Vec<Arc<Provider>> {
    if hybrids().any(|name| name == algorithm) { constructed(&PROVIDERS, algorithm, true) } else { PROVIDERS.clone() }
}

fn pick<T: ?Sized>(
    algorithm: &str,
    wanted: Option<&str>,
    providers: &[Arc<Provider>],
    find: impl Fn(&Provider) -> Option<Arc<T>>,
) -> Result<Offered<T>, LabError> {
    let offer = |provider: &Arc<Provider>| Some(Offered { provider: provider.id(), implementation: find(provider)? });
    let mut offering: Vec<Offered<T>> = providers.iter().filter_map(offer).collect();
    if offering.is_empty() {
        let mut known: Vec<String> = PROVIDERS.iter().flat_map(|provider| provider.algorithms()).collect();
        known.extend(hybrids().map(str::to_owned));
        return Err(LabError::unknown(Thing::Algorithm, algorithm, known.iter().map(String::as_str)));
    }
    offering.sort_by_key(|one| PREFERENCE.iter().position(|known| *known == one.provider).unwrap_or(PREFERENCE.len()));
    let library = |id: &str| id.split(':').next().unwrap_or(id).to_owned();
    let place = match wanted {
        None => Some(0),
        Some(wanted) => {
            let named = offering.iter().position(|one| matches(wanted, &one.provider));
            named.or_else(|| offering.iter().position(|one| matches(wanted, &library(&one.provider))))
        }
    };
    if let Some(place) = place {
        return Ok(offering.swap_remove(place));
    }
    Err(LabError::Unoffered {
        algorithm: algorithm.to_owned(),
        provider: wanted.map(str::to_owned),
        offering: offering.into_iter().map(|one| one.provider).collect(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn finds_algorithms_and_names_unknown_ones() {
        assert_eq!(kem("ML-KEM-768", None).unwrap().provider, "aws-lc");
        assert_eq!(kem("X-Wing", Some("aws-lc+rustcrypto")).unwrap().provider, "aws-lc+rustcrypto");
        assert_eq!(signature("ML-DSA-65", Some("libcrux")).unwrap().provider.split(':').next(), Some("libcrux"));
        assert_eq!(eight_at_once("SHA3-256", None).unwrap().implementation.lanes(), 8);
        let message = |error: Option<LabError>| error.unwrap().to_string();
        assert!(message(kem("ML-KEM-786", None).err()).contains("ML-KEM-768"));
        assert!(message(kem("ML-KEM-768", Some("fn-dsa")).err()).contains("fn-dsa"));
        assert!(message(kem("null", None).err()).contains("null"));
    }

    #[test]
    fn finds_every_handshake() {
        for name in ["ntor", "kem-only", "hybrid", "ntor-x25519-mlkem512"] {
            assert!(circuit_protocol(name, None).is_ok(), "{name}");
        }
        for lacking in ["fn-dsa", "null", "aws-lc+null", ""] {
            assert!(matches!(circuit_protocol("hybrid", Some(lacking)), Err(LabError::Unoffered { .. })), "{lacking}");
        }
        assert!(matches!(circuit_protocol("ntor", Some("null")), Err(LabError::Unoffered { .. })));
        assert!(matches!(circuit_protocol("ntor-v9", None), Err(LabError::Unknown { .. })));
    }
}
