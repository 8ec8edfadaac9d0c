//! Workload `hybrid`: hybrid KEMs and hybrid signatures, with their halves beside them in the same rounds.
//!
//! A case `hybrid/X-Wing/encapsulate@aws-lc+liboqs` has X25519 and everything symmetric from the first provider and
//! ML-KEM from the second. `hybrid/X25519/encapsulate@aws-lc` and `hybrid/ML-KEM-768/encapsulate@liboqs` are the same
//! operation with one half alone: what the combiner costs is the difference, round by round. Of X25519, key generation
//! contains one key generation, encapsulation one key generation and one Diffie-Hellman, decapsulation one
//! Diffie-Hellman, in the hybrid as in the half.
//!
//! `hybrid/X-Wing/handshake-load[tasks=500,workers=2]@aws-lc+liboqs` is the whole key exchange as a task, so many of them at
//! once through a thread pool: see [`scaling`](crate::scaling).

mod handshake;
mod signing;

use crate::hash::HashWorkload;
use crate::inputs::{generator, generators};
use crate::pairs::{Pair, pairs};
use crate::scaling::{self, TrialJob};
use crate::{Options, Workload, fastest, fault, find, kem, missing, signature};
use handshake::Handshake;
use pqlab_constructions::{CompositeSignature, HybridKem, MockKem, ReferenceSignature};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{Hash, Kem, KemParameters, Provider, SignatureParameters, SignatureScheme};
use pqlab_record::{Case, Facts, Form, Parameter, Sizes};
use signing::{Cycle, Inputs, Sign, Verify};
use std::sync::Arc;

const X25519: &str = "X25519";
const ML_KEM: &str = "ML-KEM-768";
const ED25519: &str = "Ed25519";
const ML_DSA: &str = "ML-DSA-65";
const HYBRID_KEMS: [&str; 5] =
    ["X-Wing", "MLKEM768-X25519-SHA3-256", "X25519MLKEM768", "X25519+ML-KEM-768", "X25519+mock"];
const HYBRID_SIGNATURES: [&str; 2] = [CompositeSignature::ALGORITHM, ReferenceSignature::ALGORITHM];
const KEM_OPERATIONS: [&str; 4] = ["keygen", "encapsulate", "decapsulate", "handshake"];
const SIGNATURE_OPERATIONS: [&str; 4] = ["keygen", "sign", "verify", "cycle"];
/// What a hybrid KEM asks for the seeds of its key; its halves are generated from them.
const OWN_GENERATOR: &str = "getrandom, by the construction: the operating system, on each call";
/// The yardsticks of the reference, and the length in bytes that each works through.
const SYMMETRIC: [(&str, &str, u64); 2] = [("HKDF-SHA256", "derive", 32), ("AES-256-GCM", "seal", 1024)];

pub(crate) struct HybridWorkload;

impl Workload for HybridWorkload {
    fn id(&self) -> &'static str {
        "hybrid"
    }

    fn describe(&self) -> &'static str {
        "hybrid KEMs and signatures, with their halves beside them: what does the combiner cost?"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &Options) -> Vec<Case> {
        let mut cases = Vec::new();
        let kems = kem_pairs(providers, options);
        let mut loads = Vec::new();
        for operation in KEM_OPERATIONS {
            for half in halves(&kems, |pair| &pair.classical) {
                cases.extend(kem_case(X25519, operation, half));
            }
            for half in halves(&kems, |pair| &pair.post_quantum) {
                cases.extend(kem_case(ML_KEM, operation, half));
            }
            for algorithm in HYBRID_KEMS {
                // The mock needs no library for its lattice: one row for each classical half.
                let first = |pair: &&Pair| {
                    let same = kems.iter().find(|other| other.classical == pair.classical);
                    algorithm != "X25519+mock" || same == Some(*pair)
                };
                let built = kems.iter().filter(first).filter(|pair| hybrid_kem(algorithm, pair, providers).is_ok());
                let built: Vec<Case> = built.filter_map(|pair| kem_case(algorithm, operation, &pair.id())).collect();
                if operation == "handshake" {
                    loads.extend(built.iter().flat_map(|whole| scaling::load_cases(whole, options)));
                }
                cases.extend(built);
            }
            if operation == "handshake" {
                cases.extend(halves(&kems, |pair| &pair.classical).flat_map(|half| symmetric(providers, half)));
            }
        }
        // All constructions in the same rounds.
        loads.iter_mut().for_each(|case| case.block = "hybrid/kem/handshake-load".into());
        cases.extend(loads);
        let signatures = signature_pairs(providers, options);
        for operation in SIGNATURE_OPERATIONS {
            for half in halves(&signatures, |pair| &pair.classical) {
                cases.extend(signature_case(ED25519, operation, half, false));
            }
            for half in halves(&signatures, |pair| &pair.post_quantum) {
                cases.extend(signature_case(ML_DSA, operation, half, deterministic(providers, half)));
            }
            for algorithm in HYBRID_SIGNATURES {
                let built = signatures.iter().filter(|pair| hybrid_signature(algorithm, pair, providers).is_ok());
                cases.extend(built.filter_map(|pair| {
                    let composite = algorithm == CompositeSignature::ALGORITHM;
                    let deterministic = composite && deterministic(providers, &pair.post_quantum);
                    signature_case(algorithm, operation, &pair.id(), deterministic)
                }));
            }
        }
        for case in &mut cases {
            let draws = match scaling::operation(case) {
                "keygen" | "encapsulate" | "handshake" => true,
                "sign" | "cycle" => !case.flag("deterministic") && case.algorithm != ED25519,
                _ => false,
            };
            let asked = generators(providers, &case.provider).filter(|_| draws);
            let hybrid = HYBRID_KEMS.contains(&case.algorithm.as_str());
            case.facts.generator = match scaling::operation(case) {
                "keygen" if hybrid => Some(OWN_GENERATOR.into()),
                "handshake" if hybrid => Some([OWN_GENERATOR.into(), asked.unwrap_or_default()].join(" + ")),
                _ => asked,
            };
        }
        cases
    }

    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        let pair = Pair::of(case);
        let parts: &[&str] = match case.algorithm.as_str() {
            "X-Wing" => &[X25519, "SHA3-256", "SHAKE256"],
            "MLKEM768-X25519-SHA3-256" => &[X25519, "SHA3-256"],
            "X25519MLKEM768" => &[X25519],
            "X25519+ML-KEM-768" | "X25519+mock" => &[X25519, "HKDF-SHA256"],
            CompositeSignature::ALGORITHM => &[ED25519, "SHA-512"],
            ReferenceSignature::ALGORITHM => &[ED25519],
            alone => return vec![(case.provider.clone(), alone.to_owned())],
        };
        let classical = parts.iter().map(|part| (pair.classical.clone(), (*part).to_owned()));
        let lattice = match case.algorithm.as_str() {
            "X25519+mock" => None,
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
        let pair = Pair::of(case);
        if [X25519, ML_KEM].contains(&algorithm) || HYBRID_KEMS.contains(&algorithm) {
            let kem = match algorithm {
                X25519 | ML_KEM => half_kem(algorithm, &case.provider, providers)?,
                hybrid => hybrid_kem(hybrid, &pair, providers)?,
            };
            if scaling::concerns(case) {
                let job = || Ok(Box::new(TrialJob::new(Handshake::new(Arc::clone(&kem)))) as _);
                return scaling::prepare(case, seed, job);
            }
            return match case.operation.as_str() {
                "handshake" => Ok(Box::new(Handshake::new(kem))),
                _ => kem::trial(kem, case, &mut generator(case, seed)),
            };
        }
        let scheme = match algorithm {
            ED25519 | ML_DSA => half_signature(algorithm, &case.provider, providers)?,
            hybrid => hybrid_signature(hybrid, &pair, providers)?,
        };
        if case.operation == "keygen" {
            return signature::keygen(scheme, &mut generator(case, seed));
        }
        // All parts of a decomposition have the same keys and sign the same bytes, whatever they are called.
        let shared = Case { algorithm: "signature".into(), ..case.clone() };
        let sha512 = any_sha512(providers)?;
        let inputs = Inputs::new(scheme, case, sha512.as_ref(), &mut generator(&shared, seed)).map_err(fault)?;
        Ok(match case.operation.as_str() {
            "sign" => Box::new(Sign::new(inputs)),
            "verify" => Box::new(Verify::new(inputs).map_err(fault)?),
            "cycle" => Box::new(Cycle::new(inputs)),
            _ => return Err(missing(case)),
        })
    }
}

/// The pairs that make a hybrid KEM.
pub(crate) fn kem_pairs(providers: &[Arc<Provider>], options: &Options) -> Vec<Pair> {
    let options = fastest::resolve(options, || fastest::kem(providers, X25519), || fastest::kem(providers, ML_KEM));
    pairs(providers, &options, |provider| provider.kem(X25519).is_some(), |provider| provider.kem(ML_KEM).is_some())
}

/// The pairs that make a hybrid signature.
pub(crate) fn signature_pairs(providers: &[Arc<Provider>], options: &Options) -> Vec<Pair> {
    let least = |algorithm| fastest::signature(providers, algorithm);
    let options = fastest::resolve(options, || least(ED25519), || least(ML_DSA));
    let classical = |provider: &Provider| provider.signature(ED25519).is_some();
    pairs(providers, &options, classical, |provider| provider.signature(ML_DSA).is_some())
}

/// Each half once, in order.
fn halves<'a>(pairs: &'a [Pair], half: impl Fn(&'a Pair) -> &'a String) -> impl Iterator<Item = &'a str> {
    let mut seen: Vec<&str> = Vec::new();
    for pair in pairs {
        if !seen.contains(&half(pair).as_str()) {
            seen.push(half(pair));
        }
    }
    seen.into_iter()
}

fn half_kem(algorithm: &str, provider: &str, providers: &[Arc<Provider>]) -> Result<Arc<dyn Kem>, Fault> {
    let found = find(providers, provider)?.kem(algorithm).cloned();
    found.ok_or_else(|| Fault::Unsupported(format!("{provider} has no {algorithm}")))
}

fn half_signature(
    algorithm: &str,
    provider: &str,
    providers: &[Arc<Provider>],
) -> Result<Arc<dyn SignatureScheme>, Fault> {
    let found = find(providers, provider)?.signature(algorithm).cloned();
    found.ok_or_else(|| Fault::Unsupported(format!("{provider} has no {algorithm}")))
}

/// A hybrid KEM; everything symmetric comes from the classical provider.
pub(crate) fn hybrid_kem(algorithm: &str, pair: &Pair, providers: &[Arc<Provider>]) -> Result<Arc<dyn Kem>, Fault> {
    let lacking = |name: &str| Fault::Unsupported(format!("{} has no {name}", pair.classical));
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
        "X25519+mock" => HybridKem::reference(classical, Arc::new(MockKem::new()), hkdf()?),
        other => return Err(Fault::Unsupported(format!("no hybrid KEM is called {other}"))),
    };
    Ok(Arc::new(built.map_err(fault)?))
}

/// A hybrid signature scheme; SHA-512 comes from the classical provider.
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
    let sha512 = sha512.ok_or_else(|| Fault::Unsupported(format!("{} has no SHA-512", pair.classical)))?;
    Ok(Arc::new(CompositeSignature::new(classical, post_quantum, sha512).map_err(fault)?))
}

/// For inputs, which are made before anything is timed: any library's will do.
fn any_sha512(providers: &[Arc<Provider>]) -> Result<Arc<dyn Hash>, Fault> {
    let found = providers.iter().find_map(|provider| provider.hash("SHA-512").cloned());
    found.ok_or_else(|| Fault::Unsupported("no provider has SHA-512".into()))
}

fn deterministic(providers: &[Arc<Provider>], post_quantum: &str) -> bool {
    half_signature(ML_DSA, post_quantum, providers)
        .is_ok_and(|scheme| scheme.info().coins.operation && scheme.info().coins.keygen)
}

fn kem_case(algorithm: &str, operation: &str, provider: &str) -> Option<Case> {
    let parameters = KemParameters::of(algorithm)?;
    let sizes = Sizes {
        public_key: Some(parameters.encapsulation_key as u64),
        secret_key: parameters.decapsulation_keys.first().map(|&(_, length)| length as u64),
        ciphertext: Some(parameters.ciphertext as u64),
        shared_secret: Some(parameters.shared_secret as u64),
        ..Sizes::default()
    };
    Some(case(
        algorithm,
        operation,
        provider,
        "kem",
        Facts { sizes, category: parameters.category, ..Facts::default() },
    ))
}

fn signature_case(algorithm: &str, operation: &str, provider: &str, deterministic: bool) -> Option<Case> {
    let parameters = SignatureParameters::of(algorithm)?;
    let sizes = Sizes {
        public_key: Some(parameters.verifying_key as u64),
        secret_key: parameters.signing_keys.first().map(|&(_, length)| length as u64),
        signature: Some(parameters.signature as u64),
        ..Sizes::default()
    };
    let facts = Facts { sizes, category: parameters.category, ..Facts::default() };
    let mut case = case(algorithm, operation, provider, "signature", facts);
    match operation {
        "sign" | "cycle" if deterministic => case.parameters.push(Parameter::Flag("deterministic".into())),
        // What draws is set against nothing that does not.
        "sign" | "cycle" if algorithm != ED25519 => case.block.push_str("/hedged"),
        _ => {}
    }
    Some(case)
}

fn symmetric(providers: &[Arc<Provider>], provider: &str) -> Vec<Case> {
    let Ok(found) = find(providers, provider) else { return Vec::new() };
    let offered = SYMMETRIC.iter().filter(|(name, ..)| found.kdf(name).is_some() || found.aead(name).is_some());
    let cases = offered.map(|&(algorithm, operation, length)| {
        let mut case = case(algorithm, operation, provider, "kem", Facts::default());
        case.form = None;
        case.block = "hybrid/kem/handshake".into();
        case.parameters.push(Parameter::Number("len".into(), length));
        case
    });
    cases.collect()
}

fn case(algorithm: &str, operation: &str, provider: &str, kind: &str, facts: Facts) -> Case {
    Case {
        workload: "hybrid".into(),
        algorithm: algorithm.to_owned(),
        operation: operation.to_owned(),
        provider: provider.to_owned(),
        form: Some(Form::Prepared),
        parameters: Vec::new(),
        block: format!("hybrid/{kind}/{operation}"),
        facts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_harness::Recorder;

    fn cases() -> (Vec<Arc<Provider>>, Vec<Case>) {
        let providers = pqlab_providers::providers();
        let cases = HybridWorkload.cases(&providers, &Options::default());
        (providers, cases)
    }

    #[test]
    fn every_case_runs_and_is_right() {
        let (providers, cases) = cases();
        assert!(cases.len() > 40, "{} cases", cases.len());
        for case in &cases {
            let mut trial = HybridWorkload.prepare(case, &providers, Seed { run: 1, process: 0 }).unwrap();
            trial.refill(3).unwrap();
            trial.run(3, &mut Recorder::default()).unwrap();
            trial.verify().unwrap_or_else(|error| panic!("{}: {error}", case.id()));
        }
    }

    #[test]
    fn an_output_that_was_not_written_is_a_wrong_answer() {
        let (providers, cases) = cases();
        for operation in ["handshake", "sign", "cycle"] {
            let case = cases.iter().find(|case| case.operation == operation && case.provider.contains('+')).unwrap();
            let mut trial = HybridWorkload.prepare(case, &providers, Seed { run: 1, process: 0 }).unwrap();
            trial.refill(1).unwrap();
            assert!(matches!(trial.verify(), Err(Fault::WrongAnswer(_))), "{operation}");
        }
    }

    #[test]
    fn every_hybrid_kem_is_put_under_load_in_the_same_rounds() {
        let providers = pqlab_providers::providers();
        let options = Options { tasks: Some(vec![3, 100]), workers: Some(2), ..Options::default() };
        let cases = HybridWorkload.cases(&providers, &options);
        let loads: Vec<&Case> = cases.iter().filter(|case| case.operation == "handshake-load").collect();
        for algorithm in HYBRID_KEMS {
            let id = format!("hybrid/{algorithm}/handshake-load[tasks=100,workers=2]@rustcrypto");
            assert!(loads.iter().any(|case| case.id() == id), "{id}");
        }
        assert!(loads.iter().all(|case| case.block == loads[0].block));
        assert!(loads.iter().all(|case| HYBRID_KEMS.contains(&case.algorithm.as_str())));
        let usual = HybridWorkload.cases(&providers, &Options { workers: Some(2), ..Options::default() });
        let tasks = usual.iter().filter(|case| case.algorithm == "X-Wing" && case.provider == "rustcrypto");
        assert_eq!(tasks.filter_map(|case| case.number("tasks")).collect::<Vec<_>>(), [100, 500, 1_000, 5_000]);
    }

    #[test]
    fn a_load_does_every_handshake_and_finds_a_wrong_one() {
        let providers = pqlab_providers::providers();
        let options = Options { tasks: Some(vec![7]), workers: Some(2), ..Options::default() };
        let cases = HybridWorkload.cases(&providers, &options);
        let case =
            cases.iter().find(|case| case.operation == "handshake-load" && case.provider == "rustcrypto").unwrap();
        let mut trial = HybridWorkload.prepare(case, &providers, Seed { run: 1, process: 0 }).unwrap();
        let mut recorder = Recorder::default();
        assert_eq!(trial.batch(), Some(7));
        trial.refill(7).unwrap();
        trial.run(7, &mut recorder).unwrap();
        trial.note(&mut recorder).unwrap();
        trial.verify().unwrap();
        assert!(recorder.take().iter().any(|(name, _)| name == "queueing_p95_ns"));
        // A task that leaves its secrets as they were before.
        struct Idle(Handshake);
        impl Trial for Idle {
            fn refill(&mut self, batch: usize) -> Result<(), Fault> {
                self.0.refill(batch)
            }
            fn run(&mut self, _batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
                Ok(())
            }
            fn verify(&mut self) -> Result<(), Fault> {
                self.0.verify()
            }
        }
        let kem = hybrid_kem("X-Wing", &Pair::of(case), &providers).unwrap();
        let idle = || Ok(Box::new(TrialJob::new(Idle(Handshake::new(Arc::clone(&kem))))) as _);
        let mut trial = scaling::prepare(case, Seed { run: 1, process: 0 }, idle).unwrap();
        trial.refill(7).unwrap();
        trial.run(7, &mut recorder).unwrap();
        assert!(matches!(trial.verify(), Err(Fault::WrongAnswer(_))));
    }

    #[test]
    fn the_halves_of_every_hybrid_are_in_its_block() {
        let (_, cases) = cases();
        let compared = |case: &&Case| {
            ["X-Wing", CompositeSignature::ALGORITHM].contains(&case.algorithm.as_str()) && !scaling::concerns(case)
        };
        for case in cases.iter().filter(compared) {
            let pair = Pair::of(case);
            let names = if case.algorithm == "X-Wing" { [X25519, ML_KEM] } else { [ED25519, ML_DSA] };
            for (algorithm, provider) in names.into_iter().zip([&pair.classical, &pair.post_quantum]) {
                let beside = cases
                    .iter()
                    .any(|half| half.algorithm == algorithm && half.provider == *provider && half.block == case.block);
                assert!(beside, "{} has no {algorithm}@{provider} beside it", case.id());
            }
        }
    }

    #[test]
    fn known_answers_are_asked_of_the_provider_that_does_the_work() {
        let (providers, cases) = cases();
        for case in &cases {
            for (provider, algorithm) in HybridWorkload.primitives(case) {
                let found = providers.iter().find(|candidate| candidate.id() == provider).unwrap();
                assert!(found.algorithms().contains(&algorithm), "{}: {provider} has no {algorithm}", case.id());
            }
        }
    }
}
