//! Tests that verification finds every bug in the catalog with only the embedded vectors.

#![allow(clippy::print_stdout)]

use pqlab_misbehaving::mutants::{Libraries, catalogue};
use std::collections::BTreeSet;

/// Tests that verification finds every mutant with a name that begins with `family`.
fn finds_all_of(family: &str) {
    let libraries = Libraries::linked();
    let (mut tried, mut wrong) = (0, Vec::new());
    for mutant in catalogue().into_iter().filter(|mutant| mutant.name.starts_with(family)) {
        let finding = mutant.verify(&libraries);
        println!("{}: {} ms, {:?}", mutant.name, finding.ms, finding.checks.first());
        tried += 1;
        if finding.checks.is_empty() != mutant.hidden.is_some() {
            wrong.push(mutant.name);
        }
    }
    assert!(wrong.is_empty(), "not found, or found although the catalog marks them as undetectable: {wrong:#?}");
    assert!(tried > 3, "{family}: only {tried} bugs");
}

macro_rules! families {
    ($($test:ident: $($family:literal),+;)*) => { $(
        #[test]
        fn $test() {
            $(finds_all_of($family);)+
        }
    )* };
}

families! {
    finds_every_bug_of_ml_kem: "kem: ";
    finds_every_bug_of_ml_dsa: "dsa: ";
    finds_every_bug_of_hash_based_and_falcon_signatures: "slh-dsa: ", "falcon: ";
    finds_every_bug_of_classical_signatures: "ed25519: ", "ecdsa: ";
    finds_every_bug_of_x25519: "x25519: ";
    finds_every_bug_of_hashes: "sha3: ", "shake: ";
    finds_every_bug_of_macs_and_ciphers: "hmac: ", "gcm: ";
}

#[test]
fn the_catalogue_has_at_least_sixty_bugs_with_distinct_names() {
    let mutants = catalogue();
    let names: BTreeSet<&str> = mutants.iter().map(|mutant| mutant.name).collect();
    assert!(
        names.len() >= 60 && names.len() == mutants.len(),
        "{} distinct names for {} bugs",
        names.len(),
        mutants.len()
    );
    assert!(mutants.iter().all(|mutant| !mutant.source.is_empty()));
    let libraries = Libraries::linked();
    assert!(mutants.iter().all(|mutant| mutant.provider(&libraries).primitives().next().is_some()));
}
