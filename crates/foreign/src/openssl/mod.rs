//! A libcrypto of OpenSSL 3.0 or later, through `EVP`. Its algorithms are found by asking for them by name.
//!
//! It has its own library context, reads no configuration file and registers no exit handler. All else is the adapter
//! of the linked OpenSSL, over looked-up functions: [`pqlab_adapters::openssl`].

mod crypto;

use crate::open::{Library, OpenError};
use crypto::Loaded;
use pqlab_adapters::openssl;
use pqlab_primitives::Provider;

/// Returns a provider of every algorithm of ours that an opened libcrypto offers, under a label.
pub(crate) fn provider(library: Library, label: &str) -> Result<Provider, OpenError> {
    library.has_itself("OPENSSL_init_crypto")?;
    let loaded = Loaded::start(&library)?;
    Ok(openssl::provider(loaded, label, openssl::build_info(loaded, &library.file())))
}
