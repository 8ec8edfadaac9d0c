//! Lists the cases: every hybrid with every pair of libraries, and the halves to compare the hybrids with.
//!
//! If libraries use their own randomness, generating a hybrid key is not the same work as generating the keys of its
//! halves. The hybrid generates a seed and expands it. Each half calls its library's own generator, which may use a
//! context prepared in advance. With `coins=exact`, the hybrid and its halves derive their keys from supplied seeds.
//! Each half gets the seeds that the hybrid would pass to it. Operations that generate keys are therefore measured both
//! ways if the libraries accept seeds. Only `coins=exact` shows the cost of the combiner.

use super::signing::Luck;
use super::{ED25519, HYBRID_KEMS, HYBRID_SIGNATURES, ML_DSA, ML_KEM, X25519};
use super::{half_kem, half_signature, hybrid_kem, hybrid_signature};
use crate::fastest::{self, Question, is_asked, keeps};
use crate::fingerprint::FINGERPRINT;
use crate::inputs::generators;
use crate::pairs::{Pair, pairs};
use crate::{CaseOptions, find, kem, scaling, signature};
use pqlab_constructions::ReferenceSignature;
use pqlab_constructions::keys::Identifier;
use pqlab_primitives::{Kem, KemParameters, Provider, SignatureParameters, SignatureScheme};
use pqlab_record::{Case, CoinSource, Facts, Form, Parameter};
use std::sync::Arc;

const KEM_OPERATIONS: [&str; 4] = ["keygen", "encapsulate", "decapsulate", "handshake"];
const SIGNATURE_OPERATIONS: [&str; 4] = ["keygen", "sign", "verify", "cycle"];
/// Description of the generator that draws a hybrid KEM's seed. The keys of both halves are derived from the seed.
const OWN_GENERATOR: &str = "getrandom, called by the construction (the operating system, on each call)";
/// Symmetric operations to compare hybrids with. The earlier system that defined the reference form made the same
/// comparison. Each entry contains the algorithm, the operation, and the number of bytes processed.
pub(super) const SYMMETRIC: [(&str, &str, u64); 2] = [("HKDF-SHA256", "derive", 32), ("AES-256-GCM", "seal", 1024)];

/// Returns whether the case generates its keys from supplied seeds.
pub(super) fn exact(case: &Case) -> bool {
    case.coins() == Some(CoinSource::Exact)
}

/// Returns every case.
pub(super) fn all(providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
    let mut cases = kems(providers, options);
    cases.extend(signatures(providers, options));
    for case in &mut cases {
        case.facts.generator = generator(case, providers);
    }
    cases
}

/// Returns the random generators that the case uses.
fn generator(case: &Case, providers: &[Arc<Provider>]) -> Option<String> {
    let operation = scaling::operation(case);
    let draws = match operation {
        "keygen" => !exact(case),
        "encapsulate" | "handshake" => true,
        "sign" | "cycle" => !case.is_deterministic() && case.algorithm != ED25519,
        _ => false,
    };
    let sources = generators(providers, &case.provider).filter(|_| draws);
    // A hybrid KEM draws its key seeds from pqlab's generator, unless the case supplies them.
    let seeds_its_own = HYBRID_KEMS.contains(&case.algorithm.as_str()) && !exact(case);
    match operation {
        "keygen" if seeds_its_own => Some(OWN_GENERATOR.into()),
        "handshake" if seeds_its_own => Some([OWN_GENERATOR.into(), sources.unwrap_or_default()].join(" + ")),
        _ => sources,
    }
}

/// Returns the open questions for the selected cases of a draft. If only halves are selected, the pair is the fastest
/// for a simple construction: `X25519MLKEM768`, or the hybrid signature in the reference form. This construction is
/// timed with the selected operations. If it supports none of these operations, its complete operation is timed
/// instead.
pub(super) fn questions(selected: &[Case], providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Question> {
    if !is_asked(options) {
        return Vec::new();
    }
    let mut questions = fastest::questions(options, selected, deciding_of);
    let [(hkdf, ..), (aes, ..)] = SYMMETRIC;
    let kinds: [(&[&str], &[&str], &str, &str); 2] = [
        (&HYBRID_KEMS, &[X25519, ML_KEM, hkdf, aes], "X25519MLKEM768", "handshake"),
        (&HYBRID_SIGNATURES, &[ED25519, ML_DSA], ReferenceSignature::ALGORITHM, "cycle"),
    ];
    for (constructions, halves, plainest, operation) in kinds {
        let any = |names: &[&str]| selected.iter().any(|case| names.contains(&case.algorithm.as_str()));
        if any(halves) && !any(constructions) {
            let mut instead = all(providers, options);
            instead.retain(|case| case.algorithm == plainest);
            let same = |case: &&Case| {
                selected.iter().any(|one| halves.contains(&one.algorithm.as_str()) && one.operation == case.operation)
            };
            let alike: Vec<Case> = instead.iter().filter(same).cloned().collect();
            if alike.is_empty() {
                instead.retain(|case| case.operation == operation);
            } else {
                instead = alike;
            }
            fastest::merge(&mut questions, fastest::questions(options, &instead, deciding_of));
        }
    }
    questions
}

fn deciding_of(case: &Case) -> Option<Case> {
    let operation = match case.operation.as_str() {
        // A key's fingerprint does not depend on the libraries that generate the key. Choose the libraries by the
        // construction's main operation.
        FINGERPRINT if HYBRID_SIGNATURES.contains(&case.algorithm.as_str()) => "cycle",
        FINGERPRINT => "handshake",
        _ => scaling::operation(case),
    };
    deciding(&case.algorithm, operation, &case.provider)
}

/// Returns the case that is timed to choose the pair for a construction. The case uses the library's own randomness, as
/// applications do. Returns `None` if `construction` is not a hybrid.
pub(crate) fn deciding(construction: &str, operation: &str, provider: &str) -> Option<Case> {
    if HYBRID_KEMS.contains(&construction) {
        return kem_case(construction, operation, provider, false);
    }
    let facts = signature_facts(HYBRID_SIGNATURES.iter().find(|name| **name == construction)?)?;
    Some(case(construction, operation, provider, "signature", facts))
}

fn kems(providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
    let mut pairs = kem_pairs(providers, options);
    pairs.retain(|pair| HYBRID_KEMS.iter().any(|construction| keeps(options, construction, pair)));
    let decided = is_asked(options) && options.fastest.is_some();
    let (mut cases, mut loads) = (Vec::new(), Vec::new());
    for operation in KEM_OPERATIONS {
        for (algorithm, names) in
            [(X25519, halves(&pairs, |pair| &pair.classical)), (ML_KEM, halves(&pairs, |pair| &pair.post_quantum))]
        {
            for half in names {
                let Ok(kem) = half_kem(algorithm, half, providers) else { continue };
                cases.extend(kem_cases(kem.as_ref(), operation, half));
            }
        }
        for algorithm in HYBRID_KEMS {
            // The mock needs no library for its post-quantum half, so it has one row per classical half.
            let first = |pair: &&Pair| {
                let same = pairs.iter().find(|other| other.classical == pair.classical);
                algorithm != "X25519+mock" || decided || same == Some(*pair)
            };
            for pair in pairs.iter().filter(first).filter(|pair| keeps(options, algorithm, pair)) {
                let Ok(kem) = hybrid_kem(algorithm, pair, providers) else { continue };
                let built = kem_cases(kem.as_ref(), operation, &pair.id());
                if let (Some(own), "handshake") = (built.first(), operation) {
                    loads.extend(scaling::load_cases(own, options));
                }
                cases.extend(built);
            }
        }
        if operation == "handshake" {
            cases.extend(halves(&pairs, |pair| &pair.classical).flat_map(|half| symmetric(providers, half)));
        }
    }
    cases.extend(fingerprints(&HYBRID_KEMS, &pairs, providers, options));
    // Measure all constructions in the same rounds.
    loads.iter_mut().for_each(|case| case.block = "hybrid/kem/handshake-load".into());
    cases.extend(loads);
    cases
}

fn signatures(providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
    let mut pairs = signature_pairs(providers, options);
    pairs.retain(|pair| HYBRID_SIGNATURES.iter().any(|construction| keeps(options, construction, pair)));
    let mut cases = Vec::new();
    for operation in SIGNATURE_OPERATIONS {
        for (algorithm, names) in
            [(ED25519, halves(&pairs, |pair| &pair.classical)), (ML_DSA, halves(&pairs, |pair| &pair.post_quantum))]
        {
            for half in names {
                let Ok(scheme) = half_signature(algorithm, half, providers) else { continue };
                cases.extend(signature_cases(scheme.as_ref(), operation, half));
            }
        }
        for algorithm in HYBRID_SIGNATURES {
            for pair in pairs.iter().filter(|pair| keeps(options, algorithm, pair)) {
                let Ok(scheme) = hybrid_signature(algorithm, pair, providers) else { continue };
                cases.extend(signature_cases(scheme.as_ref(), operation, &pair.id()));
            }
        }
    }
    cases.extend(fingerprints(&HYBRID_SIGNATURES, &pairs, providers, options));
    cases
}

/// Returns the fingerprint cases for constructions that have an object identifier. Only the SHA-256 of the classical
/// provider affects the time, so each classical provider has one row.
fn fingerprints(
    constructions: &[&str],
    pairs: &[Pair],
    providers: &[Arc<Provider>],
    options: &CaseOptions,
) -> Vec<Case> {
    let decided = is_asked(options) && options.fastest.is_some();
    let mut cases = Vec::new();
    for algorithm in constructions.iter().filter(|name| Identifier::named(name).is_some()) {
        let signs = HYBRID_SIGNATURES.contains(algorithm);
        let facts = match (KemParameters::find(algorithm), signature_facts(algorithm)) {
            (Some(kem), _) => kem::facts(&kem, kem.decapsulation_keys.first().map(|&(_, length)| length)),
            (None, Some(facts)) => facts,
            (None, None) => continue,
        };
        let mut seen: Vec<&str> = Vec::new();
        for pair in pairs.iter().filter(|pair| keeps(options, algorithm, pair)) {
            let built = match signs {
                true => hybrid_signature(algorithm, pair, providers).is_ok(),
                false => hybrid_kem(algorithm, pair, providers).is_ok(),
            };
            let hashes = find(providers, &pair.classical).is_ok_and(|provider| provider.hash("SHA-256").is_some());
            if !built || !hashes || (!decided && seen.contains(&pair.classical.as_str())) {
                continue;
            }
            let mut own = case(algorithm, FINGERPRINT, &pair.id(), "keys", facts.clone());
            own.form = None;
            cases.push(own);
            seen.push(&pair.classical);
        }
    }
    cases
}

/// Returns the pairs of providers to measure for hybrid KEMs. Returns every possible pair if the options request
/// `fastest`.
pub(crate) fn kem_pairs(providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Pair> {
    let classical = |provider: &Provider| provider.kem(X25519).is_some();
    pairs(providers, options, classical, |provider| provider.kem(ML_KEM).is_some())
}

/// Returns the pairs of providers to measure for hybrid signatures. Returns every possible pair if the options request
/// `fastest`.
pub(crate) fn signature_pairs(providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Pair> {
    let classical = |provider: &Provider| provider.signature(ED25519).is_some();
    pairs(providers, options, classical, |provider| provider.signature(ML_DSA).is_some())
}

/// Returns the distinct providers of one half, in the order of the pairs. `half` returns a pair's provider for that
/// half.
fn halves<'a>(pairs: &'a [Pair], half: impl Fn(&'a Pair) -> &'a String) -> std::vec::IntoIter<&'a str> {
    let mut seen: Vec<&str> = Vec::new();
    for pair in pairs {
        if !seen.contains(&half(pair).as_str()) {
            seen.push(half(pair));
        }
    }
    seen.into_iter()
}

/// Returns the cases for an operation of a KEM. One case uses the library's own randomness. If the operation generates
/// keys and the library accepts seeds, a second case uses supplied seeds.
fn kem_cases(kem: &dyn Kem, operation: &str, provider: &str) -> Vec<Case> {
    let info = kem.info();
    let makes_keys = ["keygen", "handshake"].contains(&operation) && info.coins.keygen;
    let ways: &[bool] = if makes_keys { &[false, true] } else { &[false] };
    ways.iter().filter_map(|&given| kem_case(&info.parameters.algorithm, operation, provider, given)).collect()
}

fn kem_case(algorithm: &str, operation: &str, provider: &str, given: bool) -> Option<Case> {
    let parameters = KemParameters::find(algorithm)?;
    let facts = kem::facts(&parameters, parameters.decapsulation_keys.first().map(|&(_, length)| length));
    let own = case(algorithm, operation, provider, "kem", facts);
    Some(if given { from_given_coins(own) } else { own })
}

/// Returns the cases for an operation of a signature scheme. Key generation has one case with the library's own
/// randomness and, if the library accepts seeds, one with supplied seeds. All other operations have one case.
///
/// Keys and randomness determine how long signing takes. Signing is therefore deterministic if the library supports it,
/// and a cycle uses supplied seeds if the library accepts them. Hedged signing has a separate block, because it is
/// comparable only with other hedged signing.
fn signature_cases(scheme: &dyn SignatureScheme, operation: &str, provider: &str) -> Vec<Case> {
    let algorithm = scheme.info().parameters.algorithm.as_ref();
    let Some(facts) = signature_facts(algorithm) else { return Vec::new() };
    let mut own = case(algorithm, operation, provider, "signature", facts);
    let signs = ["sign", "cycle"].contains(&operation);
    let draws = algorithm != ED25519 && !Luck::can_be_left_out(scheme);
    match operation {
        _ if signs && draws => own.block.push_str("/hedged"),
        // Ed25519 always signs deterministically, so its cases need no flag.
        "sign" if algorithm == ED25519 => {}
        _ if signs => own.parameters.push(Parameter::Flag("deterministic".into())),
        _ => {}
    }
    match operation {
        "keygen" if scheme.info().coins.keygen => vec![own.clone(), from_given_coins(own)],
        "cycle" if scheme.info().coins.keygen => vec![from_given_coins(own)],
        _ => vec![own],
    }
}

fn signature_facts(algorithm: &str) -> Option<Facts> {
    let parameters = SignatureParameters::find(algorithm)?;
    Some(signature::facts(&parameters, parameters.signing_keys.first().map(|&(_, length)| length)))
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

/// Changes a case to use supplied seeds. Puts the case in a separate block, because all rows of a block must do the
/// same kind of work.
fn from_given_coins(case: Case) -> Case {
    let block = case.block.clone();
    case.with_coins(CoinSource::Exact).in_block(&block)
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
    use crate::fastest::FASTEST;
    use pqlab_constructions::CompositeSignature;
    use pqlab_record::Fastest;
    use std::collections::BTreeSet;

    fn asking() -> CaseOptions {
        CaseOptions { classical: Some(FASTEST.into()), post_quantum: Some(FASTEST.into()), ..CaseOptions::default() }
    }

    fn cases_of<'a>(cases: &'a [Case], construction: &'a str) -> impl Iterator<Item = &'a Case> {
        cases.iter().filter(move |case| case.algorithm == construction)
    }

    #[test]
    fn rows_of_a_block_draw_alike() {
        let providers = pqlab_providers::providers();
        let cases = all(&providers, &CaseOptions::default());
        let given: Vec<&Case> = cases.iter().filter(|case| exact(case)).collect();
        assert!(given.len() > 20, "{}", given.len());
        for case in given {
            let other = cases.iter().find(|other| other.block == case.block && !case.comparable(other));
            assert!(other.is_none(), "{} and {} share a block", case.id(), other.map(Case::id).unwrap_or_default());
        }
    }

    #[test]
    fn candidates_are_exactly_the_pairs_that_support_the_whole_construction() {
        let providers = pqlab_providers::providers();
        let options = asking();
        let questions = questions(&all(&providers, &options), &providers, &options);
        assert_eq!(questions.len(), HYBRID_KEMS.len() + HYBRID_SIGNATURES.len());
        for question in &questions {
            assert!(["handshake", "cycle"].contains(&question.operations()[0].as_str()), "{:?}", question.operations());
            let candidates: BTreeSet<&str> = question.candidates.iter().map(String::as_str).collect();
            assert_eq!(candidates.len(), question.candidates.len(), "candidates must be distinct");
            for case in question.cases() {
                let pair = Pair::new(&case);
                let able = match HYBRID_KEMS.contains(&case.algorithm.as_str()) {
                    true => hybrid_kem(&case.algorithm, &pair, &providers).is_ok(),
                    false => hybrid_signature(&case.algorithm, &pair, &providers).is_ok(),
                };
                assert!(able && case.provider != crate::NULL, "{}", case.id());
            }
        }
        let composite = questions.iter().find(|question| question.construction == CompositeSignature::ALGORITHM);
        // liboqs cannot generate ML-DSA keys from seeds, but is still a candidate.
        assert!(composite.unwrap().candidates.iter().any(|pair| pair.ends_with("+liboqs")));
    }

    #[test]
    fn plans_only_the_chosen_pair_and_its_halves() {
        let providers = pqlab_providers::providers();
        let answer = |construction: &str, provider: &str| Fastest {
            construction: construction.into(),
            asked: "fastest+fastest".into(),
            operations: vec!["handshake".into()],
            provider: provider.into(),
            ns: 1.0,
            runner_up: None,
            candidates: 1,
            among: Vec::new(),
            failed: Vec::new(),
        };
        let answers = vec![answer("X-Wing", "rustcrypto+libcrux:portable"), answer("X25519MLKEM768", "rustcrypto")];
        let cases = all(&providers, &CaseOptions { fastest: Some(answers), ..asking() });
        let names =
            |construction| cases_of(&cases, construction).map(|case| case.provider.as_str()).collect::<BTreeSet<_>>();
        assert_eq!(names("X-Wing"), BTreeSet::from(["rustcrypto+libcrux:portable"]));
        assert_eq!(names("X25519MLKEM768"), BTreeSet::from(["rustcrypto"]));
        assert_eq!(names(ML_KEM), BTreeSet::from(["libcrux:portable", "rustcrypto"]));
        assert_eq!(names(X25519), BTreeSet::from(["rustcrypto"]));
        assert!(
            names("MLKEM768-X25519-SHA3-256").is_empty() && names(ED25519).is_empty(),
            "constructions without an answer must not be planned"
        );
    }

    #[test]
    fn the_plainest_construction_decides_for_halves_alone() {
        let providers = pqlab_providers::providers();
        let options = asking();
        let selected: Vec<Case> = cases_of(&all(&providers, &options), X25519).cloned().collect();
        let open = questions(&selected, &providers, &options);
        let names: Vec<&str> = open.iter().map(|question| question.construction.as_str()).collect();
        assert_eq!(names, ["X25519MLKEM768"]);
        assert!(questions(&selected, &providers, &CaseOptions::default()).is_empty(), "`fastest` was not requested");
    }
}
