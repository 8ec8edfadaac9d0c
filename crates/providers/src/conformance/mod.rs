//! Tests that every library must pass. They run for every registered provider except `null`, and check the contract of
//! the traits: round trips in all encodings, caller-supplied coins, rejected inputs, and use from several threads.
//! Tests in a library's own folder cover only what is peculiar to that library. The `verification` crate checks the
//! results against known answers, published vectors and other libraries.

mod agreement;
mod kem;
mod signature;
mod symmetric;

use crate::shared::testing::*;
use pqlab_primitives::{Coins, KeyEncoding, NULL, Provider, Standardization};
use std::fs;
use std::sync::Arc;
use std::thread;

const ENCODINGS: [KeyEncoding; 5] =
    [KeyEncoding::Seed, KeyEncoding::Expanded, KeyEncoding::Scalar, KeyEncoding::Der, KeyEncoding::Cbor];

/// Returns the providers for the library that `PQLAB_PROVIDER` names. If the variable is not set, returns all providers
/// in this build except `null`.
fn selected() -> Vec<Arc<Provider>> {
    let name = std::env::var("PQLAB_PROVIDER").ok();
    let is_named = |provider: &Arc<Provider>| name.as_ref().is_none_or(|name| provider.library == *name);
    let all: Vec<_> =
        crate::providers().into_iter().filter(|provider| provider.library != NULL).filter(is_named).collect();
    assert!(!all.is_empty(), "PQLAB_PROVIDER must name a library in this build: {:?}", crate::LIBRARIES);
    all
}

#[test]
fn every_library_of_this_build_has_a_provider() {
    let providers = crate::providers();
    for library in crate::LIBRARIES {
        assert!(providers.iter().any(|provider| provider.library == *library), "{library}");
    }
    for provider in providers {
        assert!(!provider.build_info.version.contains("unknown"), "{}: {:?}", provider.id(), provider.build_info);
        assert!(!provider.build_info.build.contains('\n'), "{}: {:?}", provider.id(), provider.build_info);
    }
}

/// Checks that every provider either offers algorithms, or lists algorithms as unsupported with the reasons. For
/// example, a provider offers nothing if this CPU cannot run its code path.
#[test]
fn providers_offer_algorithms_or_give_reasons() {
    for provider in selected() {
        let offered = provider.algorithms();
        assert!(!offered.is_empty() || !provider.unsupported.is_empty(), "{}", provider.id());
        for missing in &provider.unsupported {
            assert!(!missing.reason.is_empty(), "{}: {}", provider.id(), missing.algorithm);
            assert!(!offered.contains(&missing.algorithm), "{}: {}", provider.id(), missing.algorithm);
        }
    }
}

/// Readers must learn whether an algorithm is a standard, so the table of the stages must know every algorithm.
#[test]
fn every_algorithm_has_a_standardization() {
    for provider in selected() {
        for algorithm in provider.algorithms() {
            assert!(Standardization::find(&algorithm).is_some(), "{}: {algorithm}", provider.id());
        }
    }
}

/// Checks that the table in docs/explanation/timed-region.md consists of the rows in the `timed.md` files. With
/// `PQLAB_RENEW_SNAPSHOTS=1`, writes the rows to that page instead.
#[test]
fn timed_region_page_has_the_rows_of_every_library() {
    const PAGE: &str = "../../docs/explanation/timed-region.md";
    macro_rules! folders {
        ($($feature:literal => $module:ident,)*) => { [$(stringify!($module),)* "null"] };
    }
    let read = |path: &str| fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let rows: String =
        crate::with_libraries!(folders).iter().map(|folder| read(&format!("src/{folder}/timed.md"))).collect();
    let text = read(PAGE);
    let begin = "\n|---|---|---|---|---|---|---|---|\n";
    let start = text.find(begin).expect("the table must have eight columns") + begin.len();
    let end = start + text[start..].find("\n\n").expect("a paragraph must follow the table") + 1;
    if std::env::var_os("PQLAB_RENEW_SNAPSHOTS").is_some() {
        fs::write(PAGE, [&text[..start], rows.as_str(), &text[end..]].concat()).unwrap();
    } else {
        assert!(text[start..end] == rows, "{PAGE} differs from timed.md; update it with PQLAB_RENEW_SNAPSHOTS=1");
    }
}

/// Uses each key from four threads concurrently. Half of the threads set a context string, which must not reach the
/// other threads.
#[test]
fn keys_serve_several_threads() {
    const CALLS: u8 = 8;
    for provider in selected() {
        for kem in &provider.kems {
            let key = kem.generate(Coins::Internal).unwrap();
            let public = key.encapsulation_key().unwrap();
            let exchange = |_| {
                let sent = encapsulate(&**kem, &*public, Coins::Internal);
                assert_eq!(decapsulate(&*key, &sent.ciphertext).unwrap(), sent.secret, "{}", provider.id());
            };
            in_threads(|_| (0..CALLS).for_each(exchange));
        }
        let quick = |algorithm: &str| !algorithm.starts_with("SLH-DSA") && !algorithm.starts_with("SPHINCS+");
        for scheme in provider.signatures.iter().filter(|scheme| quick(&scheme.info().parameters.algorithm)) {
            let info = scheme.info();
            let key = scheme.generate(Coins::Internal).unwrap();
            let verifying = key.verifying_key().unwrap();
            in_threads(|thread| {
                let context: &[u8] = if info.context && thread % 2 == 0 { b"context" } else { b"" };
                for call in 0..CALLS {
                    let signature = sign(info, &*key, context, &[thread, call], Coins::Internal);
                    assert_eq!(verifying.verify(context, &[thread, call], &signature), Ok(()), "{}", provider.id());
                }
            });
        }
        for mac in &provider.macs {
            let key = mac.load_key(b"key").unwrap();
            let tag = |message: &[u8]| {
                let mut tag = vec![0; mac.tag_len()];
                key.tag(message, &mut tag).unwrap();
                tag
            };
            let expected = tag(b"message");
            in_threads(|_| assert!((0..CALLS).all(|_| tag(b"message") == expected), "{}", provider.id()));
        }
    }
}

fn in_threads(work: impl Fn(u8) + Sync) {
    thread::scope(|scope| {
        for thread in 0..4 {
            let work = &work;
            scope.spawn(move || work(thread));
        }
    });
}
