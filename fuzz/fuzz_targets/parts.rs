//! Primitives for handshakes. They come from AWS-LC if possible, because instrumented Rust code is several times
//! slower, and only the handshakes are under test.

use pqlab_primitives::Provider;
use std::sync::Arc;

/// Returns a primitive from AWS-LC, else from RustCrypto.
pub fn part<T: ?Sized>(find: impl Fn(&Provider) -> Option<&Arc<T>>) -> Arc<T> {
    let providers = pqlab_providers::providers();
    let find_in = |library: &str| {
        providers.iter().find(|provider| provider.library == library).and_then(|found| find(found).cloned())
    };
    find_in("aws-lc").or_else(|| find_in("rustcrypto")).expect("AWS-LC or RustCrypto must offer the primitive")
}
