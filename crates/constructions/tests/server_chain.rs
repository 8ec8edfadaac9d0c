//! Tests how a client verifies a server's chain of three certificates: chains in every form, chains that break each
//! rule, and chains with corrupted bytes.

#![allow(clippy::unwrap_used)]

mod common;

use common::{hash, signatures};
use pqlab_constructions::CompositeSignature;
use pqlab_constructions::certificate::{
    Certificate, CertificateError, Profile, Schemes, SigningKeys, SubjectType, build, verify_server,
};
use pqlab_constructions::keys::{Identifier, PublicKey};
use pqlab_primitives::{Coins, SignatureScheme, SigningKey};
use std::sync::Arc;
use std::time::Duration;

const NOW: Duration = Duration::from_secs(1_800_000_000);
const DAY: Duration = Duration::from_secs(86_400);
const NAME: &str = "leaf.example";
/// Algorithms in each certificate form: classical, pure post-quantum, composite, and classical with an alternative
/// signature.
const FORMS: [&[&str]; 4] = [&["Ed25519"], &["ML-DSA-65"], &[CompositeSignature::ALGORITHM], &["Ed25519", "ML-DSA-65"]];

fn scheme(algorithm: &str) -> Arc<dyn SignatureScheme> {
    if algorithm != CompositeSignature::ALGORITHM {
        return signatures(algorithm).remove(0).1;
    }
    let halves = (signatures("Ed25519").remove(0).1, signatures("ML-DSA-65").remove(0).1);
    Arc::new(CompositeSignature::new(halves.0, halves.1, hash("SHA-512")).unwrap())
}

fn schemes() -> Schemes {
    Schemes::new(["Ed25519", "ML-DSA-65", CompositeSignature::ALGORITHM].map(scheme).to_vec())
}

/// Subject or issuer with one key, or with a classical and an alternative key.
struct Owner(&'static str, Vec<(&'static Identifier, Box<dyn SigningKey>, PublicKey)>);

impl Owner {
    fn new(name: &'static str, form: &[&str]) -> Owner {
        let keys = form.iter().map(|algorithm| {
            let scheme = scheme(algorithm);
            let key = scheme.generate(Coins::Internal).unwrap();
            let mut public = vec![0; scheme.info().parameters.verifying_key];
            key.verifying_key().unwrap().encode(&mut public).unwrap();
            let identifier = Identifier::named(algorithm).unwrap();
            (identifier, key, PublicKey::new(identifier, &public).unwrap())
        });
        Owner(name, keys.collect())
    }

    fn issue(&self, subject: &Owner, subject_type: SubjectType, change: impl FnOnce(&mut Profile)) -> Certificate {
        let identifier = |owner: &Owner| owner.1[0].2.key_identifier(hash("SHA-256").as_ref()).unwrap();
        let mut profile = Profile {
            serial_number: vec![1],
            issuer: format!("CN={}", self.0),
            subject: format!("CN={}", subject.0),
            subject_key_identifier: identifier(subject),
            authority_key_identifier: identifier(self),
            not_before: NOW - DAY,
            not_after: NOW + DAY,
            dns_names: if subject_type == SubjectType::Leaf { vec![NAME.into()] } else { Vec::new() },
            subject_type,
        };
        change(&mut profile);
        let keys = match self.1.as_slice() {
            [(identifier, key, _)] => SigningKeys::Single(identifier, key.as_ref()),
            [first, second, ..] => SigningKeys::Alternative {
                classical: (first.0, first.1.as_ref()),
                alternative: (second.0, second.1.as_ref()),
            },
            [] => unreachable!(),
        };
        let alternative = subject.1.get(1).map(|key| &key.2);
        let der = build(&profile, &subject.1[0].2, alternative, &keys, Coins::Internal).unwrap();
        Certificate::from_der(&der).unwrap()
    }
}

const fn authority(path_length: Option<u8>) -> SubjectType {
    SubjectType::Authority { path_length }
}

fn same(_: &mut Profile) {}

/// Returns the certificate owners (root, intermediate, leaf), the root certificate, and the chain below the root.
fn three(form: &[&str]) -> ([Owner; 3], Certificate, Vec<Certificate>) {
    let [root, middle, leaf] = ["root", "middle", "leaf"].map(|name| Owner::new(name, form));
    let anchor = root.issue(&root, authority(Some(1)), same);
    let chain = vec![middle.issue(&leaf, SubjectType::Leaf, same), root.issue(&middle, authority(Some(0)), same)];
    ([root, middle, leaf], anchor, chain)
}

#[test]
fn accepts_a_chain_only_for_its_server_name() {
    for form in FORMS {
        let (_, root, chain) = three(form);
        let roots = [root];
        let verified = |name| verify_server(&chain, &roots, name, NOW, &schemes());
        assert_eq!(verified(NAME), Ok(()), "{form:?}");
        assert_eq!(verified("LEAF.example"), Ok(()), "{form:?}");
        for other in ["example", "a.leaf.example", "leaf.example.", "leaf", "middle", "", "*.example"] {
            let found = verified(other);
            let problem = "does not match the server name";
            assert_eq!(found, Err(CertificateError::Chain { place: 0, problem }), "{other}");
        }
    }
}

#[test]
fn rejects_every_broken_rule_in_every_form() {
    for form in FORMS {
        let ([root, middle, leaf], anchor, chain) = three(form);
        let stranger = Owner::new("root", form);
        let schemes = schemes();
        let refused =
            |chain: &[Certificate], roots: &[Certificate], at| match verify_server(chain, roots, NAME, at, &schemes) {
                Ok(()) => "believed".to_owned(),
                Err(error) => error.to_string(),
            };
        let trusted = std::slice::from_ref(&anchor);
        let by_middle =
            |subject_type, change: &dyn Fn(&mut Profile)| [middle.issue(&leaf, subject_type, change), chain[1].clone()];
        let below = |middle_certificate| [chain[0].clone(), middle_certificate];
        let expect = |chain: &[Certificate], why: &str| {
            let found = refused(chain, trusted, NOW);
            assert!(found.contains(why), "{form:?}: found {found:?}, expected {why:?}");
        };
        assert_eq!(refused(&chain, trusted, NOW), "believed");
        // A root with the right name but a different key is skipped. Alone, it must not verify the chain.
        let other = stranger.issue(&stranger, authority(None), same);
        assert_eq!(refused(&chain, &[other.clone(), anchor.clone()], NOW), "believed");
        assert!(refused(&chain, &[other], NOW).contains("signature is invalid"));
        assert!(refused(&chain, &[], NOW).contains("untrusted issuer"));
        assert!(refused(&chain, &chain[..1], NOW).contains("untrusted issuer"));
        expect(&[], "is missing");
        expect(&chain[..1], "untrusted issuer");
        expect(&chain[1..], "does not match the server name");
        expect(&[chain[0].clone(), chain[0].clone()], "untrusted issuer");
        expect(&vec![chain[0].clone(); 9], "maximum chain length");

        // Validity period of the leaf, the intermediate certificate and the root.
        assert!(refused(&chain, trusted, NOW + 2 * DAY).contains("has expired"));
        assert!(refused(&chain, trusted, NOW - 2 * DAY).contains("not valid yet"));
        expect(&by_middle(SubjectType::Leaf, &|profile| profile.not_after = NOW - DAY / 2), "0 of the chain");
        expect(&by_middle(SubjectType::Leaf, &|profile| profile.not_before = NOW + DAY / 2), "not valid yet");
        expect(
            &below(root.issue(&middle, authority(Some(0)), |profile| profile.not_after = NOW - DAY / 2)),
            "has expired",
        );
        let old = root.issue(&root, authority(None), |profile| profile.not_after = NOW - DAY / 2);
        assert!(refused(&chain, &[old], NOW).contains("has expired"));

        // Permission to sign certificates.
        expect(&by_middle(authority(None), &|profile| profile.dns_names = vec![NAME.into()]), "is a CA certificate");
        expect(&below(root.issue(&middle, SubjectType::Leaf, same)), "not a CA certificate");
        // The path is too long: two intermediates below a root with pathLen 1, or one below an intermediate with
        // pathLen 0.
        let second = Owner::new("second", form);
        let long = |allowed| {
            let lowest = second.issue(&leaf, SubjectType::Leaf, same);
            [lowest, middle.issue(&second, authority(None), same), root.issue(&middle, authority(allowed), same)]
        };
        expect(&long(None), "has a path length constraint that the chain exceeds");
        expect(&long(Some(0)), "has a path length constraint that the chain exceeds");
        let generous = [root.issue(&root, authority(None), same)];
        assert_eq!(refused(&long(None), &generous, NOW), "believed");
        assert!(refused(&long(Some(0)), &generous, NOW).contains("a path length constraint that the chain exceeds"));

        // Names of issuers and servers.
        expect(&by_middle(SubjectType::Leaf, &|profile| profile.dns_names.clear()), "does not match the server name");
        expect(&by_middle(SubjectType::Leaf, &|profile| profile.issuer = "CN=somebody".into()), "a different issuer");
        let wild =
            by_middle(SubjectType::Leaf, &|profile| profile.dns_names = vec!["a.b".into(), "*.leaf.example".into()]);
        assert_eq!(verify_server(&wild, trusted, "any.leaf.example", NOW, &schemes), Ok(()));
        expect(&wild, "does not match the server name");
    }
}

#[test]
fn rejects_chains_without_the_alternative_signature() {
    let ([_, middle, leaf], anchor, chain) = three(&["Ed25519", "ML-DSA-65"]);
    // Sign only with the authority's classical key, for a leaf that holds only a classical key.
    let classical = Owner("middle", middle.1.into_iter().take(1).collect());
    let plain = Owner("leaf", leaf.1.into_iter().take(1).collect());
    let stripped = [classical.issue(&plain, SubjectType::Leaf, same), chain[1].clone()];
    let found = verify_server(&stripped, &[anchor], NAME, NOW, &schemes());
    assert_eq!(found, Err(CertificateError::Signature("alternative")));
}

#[test]
fn rejects_chains_with_a_changed_byte() {
    for form in FORMS {
        let (_, root, chain) = three(form);
        let (roots, schemes) = ([root], schemes());
        for (place, original) in chain.iter().enumerate() {
            let der = original.as_der();
            for at in 0..der.len() {
                let mut changed = der.to_vec();
                changed[at] ^= 1 << (at % 8);
                let believed = Certificate::from_der(&changed).is_ok_and(|certificate| {
                    let mut chain = chain.clone();
                    chain[place] = certificate;
                    verify_server(&chain, &roots, NAME, NOW, &schemes).is_ok()
                });
                assert!(!believed, "{form:?}: verification must depend on byte {at} of certificate {place}");
            }
        }
    }
}
