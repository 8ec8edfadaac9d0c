//! Choice of the providers to verify if a CPU feature is hidden. `make test` then repeats tests that already ran with
//! all features.

use pqlab_cpu::hidden;
use pqlab_primitives::Provider;

/// Libraries that query the CPU themselves, so that pqlab cannot hide features from them (docs/platforms.md).
const QUERY_THE_CPU: [&str; 3] = ["fn-dsa", "liboqs", "rustcrypto"];

/// Returns whether a CPU feature is hidden.
pub(crate) fn hides_features() -> bool {
    hidden().is_ok_and(|features| !features.is_empty())
}

/// Returns whether to verify a provider. If a feature is hidden, leaves out the libraries whose code stays the same.
pub(crate) fn is_verified(provider: &Provider) -> bool {
    !hides_features() || !QUERY_THE_CPU.contains(&provider.library.as_str())
}
