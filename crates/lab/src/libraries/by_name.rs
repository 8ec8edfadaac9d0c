//! Algorithms and constructions by name, for programs that use them: from the provider that is asked for, else from the first of
//! those that have it. Known answers are not checked here: [`verify`](crate::VerifyRequest) does that.

use crate::{LabError, Thing, matches};
use pqlab_constructions::ntor::Protocol;
use pqlab_primitives::{Hash, Kem, LaneHash, Provider, SignatureScheme, Xof};
use pqlab_workloads::{NULL, constructed, hybrids};
use std::sync::{Arc, LazyLock};

/// Who is asked first where nobody is named: complete libraries before specialists, of these the ones that are measured as fast.
const PREFERENCE: [&str; 8] =
    ["aws-lc", "openssl", "rustcrypto", "libsecp256k1", "libcrux:avx2", "libcrux:portable", "fn-dsa", "liboqs"];

static EVERY: LazyLock<Vec<Arc<Provider>>> = LazyLock::new(pqlab_providers::providers);
/// Every provider of the build but the one that does nothing.
static PROVIDERS: LazyLock<Vec<Arc<Provider>>> =
    LazyLock::new(|| EVERY.iter().filter(|provider| provider.library != NULL).cloned().collect());

/// What a provider offers.
pub struct Offered<T: ?Sized> {
    /// The provider's id; of two with a plus, the classical one first.
    pub provider: String,
    /// The implementation.
    pub implementation: Arc<T>,
}

impl<T: ?Sized> Clone for Offered<T> {
    fn clone(&self) -> Offered<T> {
        Offered { provider: self.provider.clone(), implementation: Arc::clone(&self.implementation) }
    }
}

/// The names of the hybrid KEMs and signatures that are put together of two halves.
pub fn hybrid_names() -> impl Iterator<Item = &'static str> {
    hybrids()
}

/// The KEM of that name, or the hybrid one of two halves: `provider` is `aws-lc`, or a pair `aws-lc+liboqs`.
///
/// # Errors
/// [`LabError::Unknown`] if there is none of that name, [`LabError::Unoffered`] if the provider has none.
pub fn kem(algorithm: &str, provider: Option<&str>) -> Result<Offered<dyn Kem>, LabError> {
    pick(algorithm, provider, &makers(algorithm), |of| of.kem(algorithm).cloned())
}

/// The signature scheme of that name, or the hybrid one of two halves.
///
/// # Errors
/// As [`kem`].
pub fn signature(algorithm: &str, provider: Option<&str>) -> Result<Offered<dyn SignatureScheme>, LabError> {
    pick(algorithm, provider, &makers(algorithm), |of| of.signature(algorithm).cloned())
}

/// The hash function of that name.
///
/// # Errors
/// As [`kem`].
pub fn hash(algorithm: &str, provider: Option<&str>) -> Result<Offered<dyn Hash>, LabError> {
    pick(algorithm, provider, &PROVIDERS, |of| of.hash(algorithm).cloned())
}

/// The extendable-output function of that name.
///
/// # Errors
/// As [`kem`].
pub fn xof(algorithm: &str, provider: Option<&str>) -> Result<Offered<dyn Xof>, LabError> {
    pick(algorithm, provider, &PROVIDERS, |of| of.xof(algorithm).cloned())
}

/// The function of that name over eight messages at once.
///
/// # Errors
/// As [`kem`].
pub fn eight_at_once(algorithm: &str, provider: Option<&str>) -> Result<Offered<dyn LaneHash>, LabError> {
    pick(algorithm, provider, &PROVIDERS, |of| of.lane_hash(algorithm, 8).cloned())
}

/// The circuit handshake of that name, as [`circuit_handshake`](crate::circuit_handshake) knows it, over one provider or a pair.
///
/// # Errors
/// [`LabError::Unknown`] if there is no such handshake, [`LabError::Unoffered`] if the providers lack a part.
pub fn circuit_protocol(handshake: &str, provider: Option<&str>) -> Result<Arc<Protocol>, LabError> {
    let found = crate::circuit_handshake(handshake)?;
    let pair = provider.unwrap_or(PREFERENCE[0]);
    // Classical ntor has a KEM that does nothing; nobody else is to have one.
    let real = pair.split('+').all(|id| PROVIDERS.iter().any(|provider| provider.id() == id));
    let protocol = found.over(&EVERY, pair).ok().filter(|_| real);
    protocol.ok_or_else(|| {
        let whole = PROVIDERS.iter().map(|provider| provider.id()).filter(|id| found.over(&EVERY, id).is_ok());
        LabError::Unoffered { algorithm: found.name(), provider: Some(pair.to_owned()), offering: whole.collect() }
    })
}

/// Those that may have an algorithm: for a hybrid one each pair of libraries that makes it.
fn makers(algorithm: &str) -> Vec<Arc<Provider>> {
    if hybrids().any(|name| name == algorithm) { constructed(&PROVIDERS, algorithm, true) } else { PROVIDERS.clone() }
}

fn pick<T: ?Sized>(
    algorithm: &str,
    asked: Option<&str>,
    providers: &[Arc<Provider>],
    of: impl Fn(&Provider) -> Option<Arc<T>>,
) -> Result<Offered<T>, LabError> {
    let offer = |provider: &Arc<Provider>| Some(Offered { provider: provider.id(), implementation: of(provider)? });
    let mut offering: Vec<Offered<T>> = providers.iter().filter_map(offer).collect();
    if offering.is_empty() {
        let mut known: Vec<String> = PROVIDERS.iter().flat_map(|provider| provider.algorithms()).collect();
        known.extend(hybrids().map(str::to_owned));
        return Err(LabError::unknown(Thing::Algorithm, algorithm, known.iter().map(String::as_str)));
    }
    offering.sort_by_key(|one| PREFERENCE.iter().position(|known| *known == one.provider).unwrap_or(PREFERENCE.len()));
    let library = |id: &str| id.split(':').next().unwrap_or(id).to_owned();
    let place = match asked {
        None => Some(0),
        Some(asked) => {
            let named = offering.iter().position(|one| matches(asked, &one.provider));
            named.or_else(|| offering.iter().position(|one| matches(asked, &library(&one.provider))))
        }
    };
    if let Some(place) = place {
        return Ok(offering.swap_remove(place));
    }
    Err(LabError::Unoffered {
        algorithm: algorithm.to_owned(),
        provider: asked.map(str::to_owned),
        offering: offering.into_iter().map(|one| one.provider).collect(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_found_and_what_is_not_there_is_named() {
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
    fn every_handshake_is_there() {
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
