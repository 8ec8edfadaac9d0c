//! Catalog of bugs that occurred in libraries or that papers describe. Each entry is a correct library with one change.
//! Tests use the catalog to show which bugs verification finds.

#![allow(clippy::type_complexity, reason = "the fields of a table of changes are functions")]

mod agreement;
mod ecdsa;
mod ed25519;
mod falcon;
mod ml_dsa;
mod ml_kem;
mod signature;
mod symmetric;

use pqlab_harness::clock::monotonic_ns;
use pqlab_primitives::{BuildInfo, Provider};
use pqlab_verification::{Line, Vectors, everything, interop, verify, verify_known_answers};
use std::sync::Arc;

/// An algorithm with one bug.
pub struct Mutant {
    /// Short name of the bug, unique in the catalog.
    pub name: &'static str,
    /// Reference that describes the bug: a paper, an advisory, an issue or a standard.
    pub source: &'static str,
    /// Reason why no black-box test can find the bug. `None` if the verification must find it.
    pub hidden: Option<&'static str>,
    /// Adds the defective algorithm to a provider.
    add: Box<dyn Fn(&mut Provider, &Libraries) + Send + Sync>,
}

/// Libraries that the mutants change, and the vectors in this program, which are parsed only once.
pub struct Libraries {
    providers: Vec<Arc<Provider>>,
    vectors: Vectors<'static>,
}

impl Libraries {
    /// Returns the linked libraries.
    pub fn linked() -> Libraries {
        Libraries { providers: pqlab_providers::providers(), vectors: Vectors::new(None) }
    }

    /// Returns the linked library with this name.
    fn library(&self, name: &str) -> Option<&Arc<Provider>> {
        self.providers.iter().find(|provider| provider.library == name)
    }

    fn rustcrypto(&self) -> Option<&Arc<Provider>> {
        self.library("rustcrypto")
    }
}

fn mutant(
    name: &'static str,
    source: &'static str,
    add: impl Fn(&mut Provider, &Libraries) + Send + Sync + 'static,
) -> Mutant {
    Mutant { name, source, hidden: None, add: Box::new(add) }
}

/// Result of verifying an algorithm with a bug.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Names of the checks that found the bug, each with its first failure. Empty if no check found it.
    pub checks: Vec<(String, String)>,
    /// Duration of the verification in ms.
    pub ms: u64,
}

impl Mutant {
    /// Returns a provider that contains only the defective algorithm.
    pub fn provider(&self, libraries: &Libraries) -> Provider {
        let mut provider = Provider::new("mutant", BuildInfo { version: "0".into(), build: "for tests only".into() });
        (self.add)(&mut provider, libraries);
        provider
    }

    /// Verifies the defective algorithm with known answers, with the vectors in this program, and with inputs generated
    /// at run time. If all of these pass, also tests it against the linked libraries.
    pub fn verify(&self, libraries: &Libraries) -> Finding {
        let begun = monotonic_ns();
        let provider = Arc::new(self.provider(libraries));
        let mut checks = Vec::new();
        let mut take = |line: Line| {
            if line.failed() > 0 {
                checks.push((line.suite.clone(), line.failures.first().cloned().unwrap_or_default()));
            }
        };
        let alone = std::slice::from_ref(&provider);
        verify_known_answers(alone, &everything, &mut take);
        verify(alone, &libraries.vectors, &everything, &mut take);
        if checks.is_empty() {
            let mut all = libraries.providers.clone();
            all.push(Arc::clone(&provider));
            let select = |id: &str, _: &str, _: &str| id == "mutant";
            interop(&all, &select, &mut |line| {
                if line.failed() > 0 && (line.provider == "mutant" || line.peer.as_deref() == Some("mutant")) {
                    checks.push((line.suite.clone(), line.failures.first().cloned().unwrap_or_default()));
                }
            });
        }
        Finding { checks, ms: (monotonic_ns() - begun) / 1_000_000 }
    }
}

/// Returns all mutants.
pub fn catalogue() -> Vec<Mutant> {
    [
        ml_kem::mutants(),
        ml_dsa::mutants(),
        signature::mutants(),
        falcon::mutants(),
        ed25519::mutants(),
        ecdsa::mutants(),
        agreement::mutants(),
        symmetric::mutants(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns random bytes from the operating system.
fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system must provide random bytes");
    bytes
}
