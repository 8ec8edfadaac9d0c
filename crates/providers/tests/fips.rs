//! Tests the `fips` provider, which is off by default: known answers, comparisons with every other library, and the
//! crates' peculiarities. `scripts/test` builds the provider for these tests, and runs the conformance tests with it.

#![allow(clippy::unwrap_used, reason = "test helpers")]

use pqlab_primitives::{Coins, Error, KeyEncoding, Provider};
use pqlab_verification::{Line, interop, verify_known_answers};
use std::slice;
use std::sync::Arc;

fn provider() -> Arc<Provider> {
    pqlab_providers::providers().into_iter().find(|provider| provider.library == "fips").unwrap()
}

#[test]
fn offers_everything_in_scope() {
    let provider = provider();
    assert_eq!((provider.kems.len(), provider.signatures.len(), provider.unsupported.len()), (3, 15, 0));
    assert!(provider.build_info.version.starts_with("fips203 0."), "{:?}", provider.build_info);
}

#[test]
fn gives_the_known_answers() {
    let mut count = 0;
    verify_known_answers(slice::from_ref(&provider()), &|_, _, _| true, &mut |line| {
        assert!(line.failed() == 0 && line.passed > 0, "{line:#?}");
        count += 1;
    });
    assert_eq!(count, 18);
}

/// Compares the crates with every other library. The crates support every check except the export of a key's seed.
/// Leaves out the small SLH-DSA sets, which take seconds per signature.
#[test]
fn agrees_with_every_other_library() {
    let mut lines: Vec<Line> = Vec::new();
    let select = |id: &str, algorithm: &str, _: &str| id == "fips" && !algorithm.ends_with('s');
    interop(&pqlab_providers::providers(), &select, &mut |line| lines.push(line));
    assert!(lines.len() >= 12, "{} pairs", lines.len());
    for line in &lines {
        assert!(line.failed() == 0 && line.unsupported <= 1, "{line:#?}");
    }
}

#[test]
fn rejects_damaged_signing_keys() {
    let provider = provider();
    // The changed byte belongs to the first coefficients of `s1` (ML-DSA) or to the root (SLH-DSA).
    // The crates check both.
    for (algorithm, position) in [("ML-DSA-44", 128), ("ML-DSA-65", 128), ("SLH-DSA-SHA2-128f", 48)] {
        let scheme = provider.signature(algorithm).unwrap();
        let mut private = vec![0; scheme.info().signing_key(KeyEncoding::Expanded).unwrap()];
        scheme.generate(Coins::Internal).unwrap().encode(KeyEncoding::Expanded, &mut private).unwrap();
        private[position] = if private[position] == 0xff { 0xfe } else { 0xff };
        let loaded = scheme.load_signing_key(KeyEncoding::Expanded, &private);
        assert!(matches!(loaded, Err(Error::Malformed(_))), "{algorithm}");
    }
}
