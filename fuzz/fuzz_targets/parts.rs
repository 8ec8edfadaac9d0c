//! Primitives of handshakes. They come from AWS-LC if it has them, because it is several times as fast as instrumented
//! Rust code, and only the handshakes are under test.

use pqlab_primitives::Provider;
use std::sync::Arc;

/// Returns a primitive that one of the two libraries has.
pub fn part<T: ?Sized>(find: impl Fn(&Provider) -> Option<&Arc<T>>) -> Arc<T> {
    let providers = pqlab_providers::providers();
    let of = |library: &str| {
        providers.iter().find(|provider| provider.library == library).and_then(|found| find(found).cloned())
    };
    of("aws-lc").or_else(|| of("rustcrypto")).expect("one of them has it")
}
