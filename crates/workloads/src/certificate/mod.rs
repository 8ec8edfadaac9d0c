//! Workload `certificate`: X.509 certificates with hybrid and post-quantum signatures, and key encodings.
//!
//! The cases build, parse and verify certificates. Verification covers a single certificate, a chain of three, or
//! only the second signature. `verify-server` is the work of a client that parses a server's chain and verifies it
//! for the server's name. Other cases encode, decode and fingerprint keys.
//!
//! `X.509-Ed25519` and `X.509-ML-DSA-65` are the halves of `X.509-alternative`, `X.509-composite` and `X.509-detached`,
//! measured in the same rounds. Signatures are deterministic if the library supports that. Parsing, encoding and
//! decoding call no library. Each of these operations therefore has only one row per form or key, under the provider
//! `pqlab`.

mod authority;
mod documents;
mod encodings;
mod specimen;

pub use specimen::{CertificatePart, Specimen, certificate_forms, certificate_issuers};

use crate::fastest::{self, Question, keeps};
use crate::fingerprint::FINGERPRINT;
use crate::hybrid::{self, hybrid_signature, signature_pairs};
use crate::inputs::generators;
use crate::pairs::Pair;
use crate::{CaseOptions, Workload, fault, find, missing};
use authority::{Authority, Form};
use documents::{Build, Checked, Parse, Verify, VerifyChain, VerifyServer};
use encodings::KEYS;
use pqlab_constructions::CompositeSignature;
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{KemParameters, Provider, SignatureParameters, SignatureScheme};
use pqlab_record::{Case, Facts, Parameter};
use std::sync::Arc;

/// Construction whose times determine the `fastest` pair for all certificate forms.
const DECIDING: &str = CompositeSignature::ALGORITHM;

const OPERATIONS: [&str; 6] = ["build", "parse", "verify", COSIGNATURE, "verify-chain", "verify-server"];
/// Operation that verifies only the post-quantum signature of a certificate with two signatures.
const COSIGNATURE: &str = "verify-cosignature";
/// Provider name for operations that call no library, only pqlab's own code.
const OWN: &str = "pqlab";

pub(crate) struct CertificateWorkload;

impl Workload for CertificateWorkload {
    fn id(&self) -> &'static str {
        "certificate"
    }

    fn describe(&self) -> &'static str {
        "hybrid and post-quantum X.509 certificates and key encodings, with their classical and post-quantum halves"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let mut pairs = signature_pairs(providers, options);
        pairs.retain(|pair| keeps(options, DECIDING, pair));
        let mut cases = Vec::new();
        for operation in OPERATIONS {
            for form in Form::ALL {
                let mut seen: Vec<String> = Vec::new();
                for pair in &pairs {
                    let provider = form.provider(pair);
                    if !form.offers(operation) || seen.contains(&provider) {
                        continue;
                    }
                    let Ok(schemes) = schemes(form, &provider, providers) else { continue };
                    let named = if operation == "parse" { OWN.to_owned() } else { provider };
                    if seen.contains(&named) {
                        continue;
                    }
                    let mut case = case(form.name(), operation, &named, format!("certificate/{operation}"));
                    match operation {
                        "build" if authority::deterministic(&schemes) => {
                            case.parameters.push(Parameter::Flag("deterministic".into()));
                        }
                        "build" => case.facts.generator = generators(providers, &case.provider),
                        _ => {}
                    }
                    cases.push(case.in_block(&format!("certificate/{operation}")));
                    seen.push(named);
                }
            }
        }
        cases.extend(maker(&pairs).into_iter().flat_map(|pair| encodings::cases(&pair.classical)));
        cases
    }

    /// Returns the open questions about the composite signature. All certificate forms use the pair of providers that
    /// is fastest for this signature, because the forms are compared with one another. The composite signature needs
    /// the most algorithms.
    fn questions(&self, selected: &[Case], providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Question> {
        let of_pairs = |case: &Case| {
            let form = Form::named(&case.algorithm)?;
            let operation = if case.operation == "build" { "sign" } else { "verify" };
            let of_pair = case.provider != OWN && !matches!(form, Form::Classical | Form::Pure);
            of_pair.then(|| hybrid::deciding(DECIDING, operation, &case.provider))?
        };
        let open = fastest::questions(options, selected, of_pairs);
        if open.is_empty() && !selected.is_empty() {
            // No selected case calls two libraries, so none can choose the pair. Choose it with the selected operations
            // on certificates with two signatures. If these operations call no library, use all operations.
            let all = self.cases(providers, options);
            let same = |case: &&Case| selected.iter().any(|one| one.operation == case.operation);
            let alike: Vec<Case> = all.iter().filter(same).cloned().collect();
            let open = fastest::questions(options, &alike, of_pairs);
            return if open.is_empty() { fastest::questions(options, &all, of_pairs) } else { open };
        }
        open
    }

    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        if case.provider == OWN {
            return Vec::new();
        }
        let pair = Pair::new(case);
        let classical = |name: &str| (pair.classical.clone(), name.to_owned());
        let post_quantum = (pair.post_quantum.clone(), "ML-DSA-65".to_owned());
        match Form::named(&case.algorithm) {
            Some(Form::Classical) => vec![classical("Ed25519")],
            Some(Form::Pure) => vec![post_quantum],
            Some(Form::Composite) => vec![classical("Ed25519"), classical("SHA-512"), post_quantum],
            Some(Form::Alternative | Form::Detached) => vec![classical("Ed25519"), post_quantum],
            None if case.operation == FINGERPRINT => vec![classical("SHA-256")],
            None => Vec::new(),
        }
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let Some(form) = Form::named(&case.algorithm) else {
            let key = KEYS.iter().find(|key| **key == case.algorithm).ok_or_else(|| missing(case))?;
            return encodings::trial(key, case, providers, seed);
        };
        // Leave the form out of the seed, so that all forms use the same keys.
        let shared = Case { algorithm: "certificate".into(), ..case.clone() };
        let mut generator = crate::inputs::generator(&shared, seed);
        let sha256 = providers.iter().find_map(|provider| provider.hash("SHA-256"));
        let sha256 =
            sha256.ok_or_else(|| Fault::Unsupported("no library offers SHA-256 for key identifiers".into()))?;
        let provider = match case.provider.as_str() {
            OWN => {
                let pairs = signature_pairs(providers, &CaseOptions::default());
                form.provider(maker(&pairs).ok_or_else(|| missing(case))?)
            }
            named => named.to_owned(),
        };
        let schemes = schemes(form, &provider, providers)?;
        let authority = Authority::new(form, schemes, sha256.as_ref(), &mut generator)?;
        Ok(match case.operation.as_str() {
            "build" => Box::new(Build::new(authority)),
            "parse" => Box::new(Parse::new(authority)?),
            "verify" => Box::new(Verify::new(authority, Checked::All)?),
            COSIGNATURE => Box::new(Verify::new(authority, Checked::Cosignature)?),
            "verify-chain" => Box::new(VerifyChain::new(authority)?),
            "verify-server" => Box::new(VerifyServer::new(authority)?),
            _ => return Err(missing(case)),
        })
    }
}

/// Returns the pair of providers that creates keys and signatures for operations that call no library. Prefers a pair
/// from one library, but any pair works.
fn maker(pairs: &[Pair]) -> Option<&Pair> {
    pairs.iter().find(|pair| pair.classical == pair.post_quantum).or(pairs.first())
}

/// Returns the signature schemes of a certificate form: a single scheme, or a classical and a post-quantum scheme.
fn schemes(form: Form, provider: &str, providers: &[Arc<Provider>]) -> Result<Vec<Arc<dyn SignatureScheme>>, Fault> {
    let (classical, post_quantum) = provider.split_once('+').unwrap_or((provider, provider));
    let get = |provider: &str, algorithm: &str| {
        let found = find(providers, provider)?.signature(algorithm).cloned();
        found.ok_or_else(|| Fault::Unsupported(format!("{provider} does not offer {algorithm}")))
    };
    Ok(match form {
        Form::Classical => vec![get(classical, "Ed25519")?],
        Form::Pure => vec![get(post_quantum, "ML-DSA-65")?],
        Form::Composite => {
            let pair = Pair { classical: classical.to_owned(), post_quantum: post_quantum.to_owned() };
            vec![hybrid_signature("MLDSA65-Ed25519-SHA512", &pair, providers)?]
        }
        Form::Alternative | Form::Detached => vec![get(classical, "Ed25519")?, get(post_quantum, "ML-DSA-65")?],
    })
}

/// Creates a case for a certificate form or a key algorithm, with its NIST security category.
fn case(algorithm: &str, operation: &str, provider: &str, block: String) -> Case {
    let scheme = Form::named(algorithm).map_or(algorithm, |form| form.strongest());
    let signature = SignatureParameters::find(scheme).and_then(|parameters| parameters.category);
    let category = signature.or_else(|| KemParameters::find(scheme).and_then(|parameters| parameters.category));
    Case {
        workload: "certificate".into(),
        algorithm: algorithm.to_owned(),
        operation: operation.to_owned(),
        provider: provider.to_owned(),
        form: None,
        parameters: Vec::new(),
        block,
        facts: Facts { category, ..Facts::default() },
    }
}

/// Converts a certificate error to a fault.
fn broken(error: impl std::fmt::Display) -> Fault {
    Fault::WrongAnswer(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fastest::FASTEST;
    use crate::testing::{is_void, prepared, sample};
    use std::collections::BTreeSet;

    fn asking() -> CaseOptions {
        CaseOptions { classical: Some(FASTEST.into()), post_quantum: Some(FASTEST.into()), ..CaseOptions::default() }
    }

    #[test]
    fn certificates_and_keys_have_the_category_of_their_protection() {
        let cases = CertificateWorkload.cases(&pqlab_providers::providers(), &CaseOptions::default());
        let category = |algorithm: &'static str| {
            let mut of = cases.iter().filter(|case| case.algorithm == algorithm).map(|case| case.facts.category);
            let first = of.next().unwrap_or_else(|| panic!("no case for {algorithm}"));
            assert!(of.all(|other| other == first), "{algorithm}");
            first
        };
        for classical in ["X.509-Ed25519", "Ed25519", "X25519"] {
            assert_eq!(category(classical), None, "{classical}");
        }
        for form in Form::ALL.into_iter().filter(|form| *form != Form::Classical) {
            assert_eq!(category(form.name()), Some(3), "{}", form.name());
        }
        for key in KEYS.iter().filter(|key| !["X25519", "Ed25519"].contains(key)) {
            assert_eq!(category(key), Some(3), "{key}");
        }
    }

    #[test]
    fn every_case_runs_and_is_right() {
        let providers = pqlab_providers::providers();
        let cases = CertificateWorkload.cases(&providers, &CaseOptions::default());
        assert!(cases.len() > 40, "{} cases", cases.len());
        for case in &cases {
            let mut trial = prepared(&CertificateWorkload, case, &providers);
            assert!(is_void(trial.as_mut(), 2), "{}: missing operations must be detected", case.id());
            sample(trial.as_mut(), 2).unwrap_or_else(|error| panic!("{}: {error}", case.id()));
        }
    }

    #[test]
    fn verifies_the_second_signature_alone_if_there_is_one() {
        let cases = CertificateWorkload.cases(&pqlab_providers::providers(), &CaseOptions::default());
        let forms: BTreeSet<&str> =
            cases.iter().filter(|case| case.operation == COSIGNATURE).map(|case| case.algorithm.as_str()).collect();
        assert_eq!(forms, BTreeSet::from(["X.509-alternative", "X.509-detached"]));
    }

    #[test]
    fn operations_without_a_library_have_one_row() {
        let providers = pqlab_providers::providers();
        let own = |case: &&Case| case.operation == "parse" || case.operation.contains("code-");
        for options in [CaseOptions::default(), asking()] {
            let cases = CertificateWorkload.cases(&providers, &options);
            let rows: Vec<(&str, String)> =
                cases.iter().filter(own).map(|case| (case.provider.as_str(), case.name())).collect();
            assert!(rows.len() > Form::ALL.len() && rows.iter().all(|(provider, _)| *provider == OWN), "{rows:?}");
            let different: BTreeSet<&String> = rows.iter().map(|(_, name)| name).collect();
            assert_eq!(different.len(), rows.len(), "{rows:?}");
        }
        // Rows that measure pqlab's own code must not become candidates, because they call no library.
        let cases = CertificateWorkload.cases(&providers, &asking());
        for question in CertificateWorkload.questions(&cases, &providers, &asking()) {
            assert!(!question.candidates.is_empty() && question.candidates.iter().all(|one| one != OWN));
        }
    }

    #[test]
    fn the_selected_operation_decides_the_pair_of_a_half() {
        let providers = pqlab_providers::providers();
        let all = CertificateWorkload.cases(&providers, &asking());
        for (operation, decides) in [("verify", "verify"), ("build", "sign")] {
            let halves = |case: &&Case| case.algorithm == "X.509-ML-DSA-65" && case.operation == operation;
            let selected: Vec<Case> = all.iter().filter(halves).cloned().collect();
            let questions = CertificateWorkload.questions(&selected, &providers, &asking());
            assert!(
                !questions.is_empty() && questions.iter().all(|one| one.operations() == [decides]),
                "{questions:?}"
            );
        }
    }

    #[test]
    fn checks_known_answers_of_the_providers_that_do_the_work() {
        let providers = pqlab_providers::providers();
        for case in CertificateWorkload.cases(&providers, &CaseOptions::default()) {
            for (provider, algorithm) in CertificateWorkload.primitives(&case) {
                let found = providers.iter().find(|candidate| candidate.id() == provider).unwrap();
                assert!(found.algorithms().contains(&algorithm), "{}: {provider} has no {algorithm}", case.id());
            }
        }
    }
}
