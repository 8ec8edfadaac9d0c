//! A libcrypto of OpenSSL 3.0 or later, called through `EVP`. Algorithms are looked up by name.
//!
//! Each opened libcrypto gets a separate library context, reads no configuration file and registers no exit handler.
//! In all other respects, this provider is the adapter of the linked OpenSSL ([`pqlab_adapters::openssl`]), with
//! functions looked up at run time.

mod crypto;

use crate::open::{Library, OpenError};
use crypto::Loaded;
use pqlab_adapters::openssl;
use pqlab_primitives::Provider;

/// Returns a provider named `label` with every algorithm that both pqlab and the opened libcrypto support.
pub(crate) fn provider(library: Library, label: &str) -> Result<Provider, OpenError> {
    // libssl and provider modules usually depend on libcrypto, so the loader finds the symbol in that dependency.
    if let Err(error) = library.has_itself("OPENSSL_init_crypto") {
        return Err(match (library.other_kind(), error) {
            (Some(kind), OpenError::Unusable { reason, .. }) => library.unusable(format!("{reason} ({kind})")),
            (_, error) => error,
        });
    }
    let loaded = Loaded::start(&library)?;
    Ok(openssl::provider(loaded, label, openssl::build_info(loaded, &library.file())))
}
