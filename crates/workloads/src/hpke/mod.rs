//! Workload `hpke`: hybrid public key encryption (HPKE, RFC 9180) of a first message, in base mode. The cases seal a
//! message to a public key and open it, with HKDF-SHA256 and AES-256-GCM. The KEM is X25519, ML-KEM-768 or X-Wing.
//!
//! `hpke/X-Wing/seal[len=256]@aws-lc+liboqs` takes X25519 and all symmetric algorithms from the first provider, and
//! ML-KEM from the second. For `ML-KEM-768`, the first provider supplies only the symmetric algorithms. Keys are
//! prepared. Sealing uses random bytes from the library's own generator.
//!
//! `hpke/ML-KEM-768/seal[len=256,by=library]@aws-lc` measures the library's own HPKE instead of pqlab's construction
//! from the library's primitives.

mod trials;

use crate::fastest::{self, Question, keeps};
use crate::hybrid::hybrid_kem;
use crate::inputs::{self, Supply};
use crate::pairs::{Pair, pairs};
use crate::{CaseOptions, NULL, Workload, fault, find, missing};
use pqlab_constructions::hpke::{DhKem, Kdf, Suite};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{Error, Hpke, Kem, KemParameters, Provider};
use pqlab_record::{Case, Facts, Parameter, Sizes};
use std::sync::Arc;
use trials::{Open, Parties, Seal};

const OPERATIONS: [&str; 2] = ["seal", "open"];
const ML_KEM: &str = "ML-KEM-768";
const X_WING: &str = "X-Wing";
const KEMS: [&str; 3] = [DhKem::ALGORITHM, ML_KEM, X_WING];
/// Default length of the message in bytes.
const MESSAGE: u64 = 256;
const AEAD: &str = "AES-256-GCM";
const HMAC: &str = "HMAC-SHA256";
const KDF: &str = "HKDF-SHA256";
/// Parameter that names the implementation if it is not pqlab's construction.
const BY: &str = "by";
const LIBRARY: &str = "library";

pub(crate) struct HpkeWorkload;

impl Workload for HpkeWorkload {
    fn id(&self) -> &'static str {
        "hpke"
    }

    fn describe(&self) -> &'static str {
        "hybrid public key encryption (HPKE) of a first message: classical, post-quantum and hybrid"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let lengths = options.lengths.clone().unwrap_or_else(|| vec![MESSAGE]);
        let mut cases = Vec::new();
        for operation in OPERATIONS {
            for name in KEMS {
                for pair in pairs_of(name, providers, options) {
                    let Ok(suite) = suite(name, &pair, providers) else { continue };
                    let of_pair = lengths.iter().map(|&length| case(name, operation, &pair, &suite, providers, length));
                    let own = library_hpke(name, &pair, providers).filter(|_| !is_asked(options));
                    cases.extend(of_pair.flat_map(|case| {
                        let sealed = |own: &&Arc<dyn Hpke>| case.message_length() >= Some(own.info().shortest as u64);
                        let by_library = own.filter(sealed).map(|_| by_library(case.clone()));
                        std::iter::once(case).chain(by_library)
                    }));
                }
            }
        }
        cases
    }

    fn questions(&self, selected: &[Case], _providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Question> {
        let mut questions = Vec::new();
        for name in KEMS {
            let deciding = |case: &Case| (case.algorithm == name && case.word(BY).is_none()).then(|| case.clone());
            fastest::merge(&mut questions, fastest::questions(&halves(name, options), selected, deciding));
        }
        questions
    }

    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        let pair = Pair::new(case);
        let of_kem: &[&str] = match case.algorithm.as_str() {
            X_WING => &["X25519", "SHA3-256", "SHAKE256"],
            ML_KEM => &[],
            _ => &["X25519"],
        };
        let classical = of_kem.iter().chain(&[HMAC, AEAD]).map(|name| (pair.classical.clone(), (*name).to_owned()));
        let lattice = (case.algorithm != DhKem::ALGORITHM).then(|| (pair.post_quantum.clone(), ML_KEM.to_owned()));
        classical.chain(lattice).collect()
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let pair = Pair::new(case);
        let suite = suite(&case.algorithm, &pair, providers)?;
        let own = match case.word(BY) {
            Some(LIBRARY) => {
                Some(library_hpke(&case.algorithm, &pair, providers).cloned().ok_or_else(|| missing(case))?)
            }
            Some(_) => return Err(missing(case)),
            None => None,
        };
        let length = usize::try_from(case.message_length().unwrap_or(MESSAGE)).map_err(|_| missing(case))?;
        let mut generator = inputs::generator(case, seed);
        let parties = Parties::new(suite, own, Supply::new(case), length, &mut generator).map_err(fault)?;
        Ok(match case.operation.as_str() {
            "seal" => Box::new(Seal::new(parties)),
            "open" => Box::new(Open::new(parties)?),
            _ => return Err(missing(case)),
        })
    }
}

/// Returns whether the options name a library for one half. If so, there are no cases for a library's own HPKE, which
/// does not consist of separate halves.
fn is_asked(options: &CaseOptions) -> bool {
    options.classical.is_some() || options.post_quantum.is_some()
}

/// Returns the library's own HPKE, if both halves come from one library that offers HPKE.
fn library_hpke<'a>(name: &str, pair: &Pair, providers: &'a [Arc<Provider>]) -> Option<&'a Arc<dyn Hpke>> {
    let is_one = pair.classical == pair.post_quantum;
    let provider = providers.iter().find(|provider| is_one && provider.id() == pair.classical)?;
    provider.hpke(name, KDF, AEAD)
}

/// Changes a case of pqlab's construction to the library's own HPKE.
fn by_library(mut case: Case) -> Case {
    case.parameters.push(Parameter::Word(BY.into(), LIBRARY.into()));
    case
}

/// Returns the options for the halves of a KEM. X25519 has no post-quantum half, so the classical option replaces the
/// post-quantum one.
fn halves(name: &str, options: &CaseOptions) -> CaseOptions {
    let post_quantum = if name == DhKem::ALGORITHM { options.classical.clone() } else { options.post_quantum.clone() };
    CaseOptions { post_quantum, ..options.clone() }
}

/// Returns the pairs to measure a KEM with.
fn pairs_of(name: &str, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Pair> {
    let options = &halves(name, options);
    let real = |provider: &Provider| provider.library != NULL;
    let classical = |provider: &Provider| {
        let agrees = name == ML_KEM || provider.key_agreement("X25519").is_some();
        let expands = name != X_WING || provider.hash("SHA3-256").is_some() && provider.xof("SHAKE256").is_some();
        real(provider) && agrees && expands && provider.mac(HMAC).is_some() && provider.aead(AEAD).is_some()
    };
    let post_quantum = |provider: &Provider| {
        real(provider) && if name == DhKem::ALGORITHM { classical(provider) } else { provider.kem(ML_KEM).is_some() }
    };
    let mut found = pairs(providers, options, classical, post_quantum);
    if name == DhKem::ALGORITHM {
        found.retain(|pair| pair.classical == pair.post_quantum);
    }
    found.retain(|pair| keeps(options, name, pair));
    found
}

fn suite(name: &str, pair: &Pair, providers: &[Arc<Provider>]) -> Result<Suite, Fault> {
    let lacking = |what: &str| Fault::Unsupported(format!("{} does not offer {what}", pair.classical));
    let symmetric = find(providers, &pair.classical)?;
    let hmac = symmetric.mac(HMAC).cloned().ok_or_else(|| lacking(HMAC))?;
    let aead = symmetric.aead(AEAD).cloned().ok_or_else(|| lacking(AEAD))?;
    let kem: Arc<dyn Kem> = match name {
        X_WING => hybrid_kem(X_WING, pair, providers)?,
        ML_KEM => find(providers, &pair.post_quantum)?
            .kem(ML_KEM)
            .cloned()
            .ok_or_else(|| Fault::Unsupported(format!("{} does not offer {ML_KEM}", pair.post_quantum)))?,
        DhKem::ALGORITHM => {
            let agreement = symmetric.key_agreement("X25519").cloned().ok_or_else(|| lacking("X25519"))?;
            Arc::new(DhKem::new(agreement, Arc::clone(&hmac)).map_err(fault)?)
        }
        _ => return Err(fault(Error::Unsupported("unknown KEM for HPKE"))),
    };
    Suite::new(kem, Kdf::HkdfSha256(hmac), aead).map_err(fault)
}

fn case(name: &str, operation: &str, pair: &Pair, suite: &Suite, providers: &[Arc<Provider>], length: u64) -> Case {
    let KemParameters { category, encapsulation_key, ciphertext, .. } = suite.kem().info().parameters;
    // Only the KEM draws random bytes, so its provider determines the generator.
    let drawing = match name {
        ML_KEM => pair.post_quantum.clone(),
        DhKem::ALGORITHM => pair.classical.clone(),
        _ => pair.id(),
    };
    let generator = inputs::generators(providers, &drawing).filter(|_| operation == "seal");
    Case {
        workload: "hpke".into(),
        algorithm: name.to_owned(),
        operation: operation.to_owned(),
        provider: pair.id(),
        form: None,
        parameters: vec![Parameter::Number("len".into(), length)],
        block: format!("hpke/{operation}/{length}"),
        facts: Facts {
            sizes: Sizes {
                public_key: Some(encapsulation_key as u64),
                ciphertext: Some(ciphertext as u64),
                ..Sizes::default()
            },
            category,
            generator,
            ..Facts::default()
        },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fastest::FASTEST;
    use crate::testing::{is_void, prepared, sample};
    use std::collections::BTreeSet;

    #[test]
    fn every_case_runs_and_is_right() {
        let providers = pqlab_providers::providers();
        let options = CaseOptions { lengths: Some(vec![0, 256]), ..CaseOptions::default() };
        let cases = HpkeWorkload.cases(&providers, &options);
        for case in &cases {
            let mut trial = prepared(&HpkeWorkload, case, &providers);
            assert!(is_void(trial.as_mut(), 2), "{}: missing operations must be detected", case.id());
            sample(trial.as_mut(), 2).unwrap_or_else(|error| panic!("{}: {error}", case.id()));
        }
        let algorithms: BTreeSet<&str> = cases.iter().map(|case| case.algorithm.as_str()).collect();
        assert_eq!(algorithms, BTreeSet::from(KEMS));
        let ids: BTreeSet<String> = cases.iter().map(Case::id).collect();
        assert!(ids.contains("hpke/X-Wing/seal[len=256]@rustcrypto"), "{ids:?}");
        assert!(ids.iter().all(|id| !id.contains("DHKEM") || !id.contains('+')), "{ids:?}");
        let by_library = |id: &str| id.contains("by=library");
        assert!(ids.contains("hpke/ML-KEM-768/open[len=256,by=library]@aws-lc"), "{ids:?}");
        assert!(ids.contains("hpke/DHKEM-X25519-HKDF-SHA256/seal[len=256,by=library]@openssl"), "{ids:?}");
        // AWS-LC offers two KEMs and two message lengths. OpenSSL offers one KEM and one length,
        // because it rejects empty messages. Each combination has `seal` and `open`.
        assert_eq!(ids.iter().filter(|id| by_library(id)).count(), (2 * 2 + 1) * 2, "{ids:?}");
        let asking = CaseOptions { classical: Some("aws-lc".into()), ..CaseOptions::default() };
        assert!(HpkeWorkload.cases(&providers, &asking).iter().all(|case| !by_library(&case.id())));
    }

    #[test]
    fn checks_known_answers_of_the_providers_that_do_the_work() {
        let providers = pqlab_providers::providers();
        let asking = CaseOptions {
            classical: Some(FASTEST.into()),
            post_quantum: Some(FASTEST.into()),
            ..CaseOptions::default()
        };
        let cases = HpkeWorkload.cases(&providers, &asking);
        for case in &cases {
            for (provider, algorithm) in HpkeWorkload.primitives(case) {
                let found = providers.iter().find(|candidate| candidate.id() == provider).unwrap();
                assert!(found.algorithms().contains(&algorithm), "{}: {provider} has no {algorithm}", case.id());
            }
        }
        let questions = HpkeWorkload.questions(&cases, &providers, &asking);
        assert_eq!(questions.len(), KEMS.len());
        assert!(questions.iter().all(|question| question.candidates.len() > 1 && question.operations().len() == 2));
    }
}
