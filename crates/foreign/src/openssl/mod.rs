//! A libcrypto of OpenSSL 3.0 or later, through `EVP`: what it has is found out by asking for it by name.
//!
//! It has a library context of its own, reads no configuration file and leaves no handler for the end of the process. All
//! else is the adapter of the linked OpenSSL, over functions that are looked up: [`pqlab_adapters::openssl`].

mod crypto;

use crate::open::{Library, OpenError};
use crypto::Loaded;
use pqlab_adapters::openssl;
use pqlab_primitives::Provider;

/// Everything that an opened libcrypto offers of our algorithms, under a label.
pub(crate) fn provider(library: Library, label: &str) -> Result<Provider, OpenError> {
    library.has_itself("OPENSSL_init_crypto")?;
    let loaded = Loaded::start(&library)?;
    Ok(openssl::provider(loaded, label, openssl::build_info(loaded, &library.file())))
}
