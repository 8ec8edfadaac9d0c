//! The libraries: one file each, one line each in [`providers`].

#[cfg(feature = "aws-lc")]
mod aws_lc;
mod null;
#[cfg(feature = "openssl")]
mod openssl;
#[cfg(feature = "rustcrypto")]
mod rustcrypto;

use pqlab_primitives::Provider;
use std::sync::Arc;

/// Every provider that this build contains, one line each; a library with several code paths contributes one a path.
pub fn providers() -> Vec<Arc<Provider>> {
    let all: Vec<Vec<Provider>> = vec![
        #[cfg(feature = "aws-lc")]
        aws_lc::providers(),
        #[cfg(feature = "openssl")]
        openssl::providers(),
        #[cfg(feature = "rustcrypto")]
        rustcrypto::providers(),
        null::providers(),
    ];
    all.into_iter().flatten().map(Arc::new).collect()
}
