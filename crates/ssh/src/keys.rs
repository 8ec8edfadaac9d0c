//! Keys of a server and a user.

use crate::{KeyType, Result};
use russh::keys::key::safe_rng;
use russh::keys::ssh_key::private::{KeypairData, RsaKeypair};
use russh::keys::{Algorithm, PrivateKey};
use std::sync::Arc;

/// A server's host key and a user's key, both of one type.
#[derive(Debug)]
pub struct Keys {
    /// The server's host key.
    pub host: PrivateKey,
    /// The user's key.
    pub user: Arc<PrivateKey>,
}

impl Keys {
    /// Generates both keys. RSA keys take a second or more.
    ///
    /// # Errors
    /// Errors from key generation.
    pub fn generate(key_type: KeyType) -> Result<Keys> {
        Ok(Keys { host: generate(key_type)?, user: Arc::new(generate(key_type)?) })
    }
}

fn generate(key_type: KeyType) -> Result<PrivateKey> {
    let mut random = safe_rng();
    Ok(match key_type.algorithm() {
        // `PrivateKey::random` would choose a different length.
        Algorithm::Rsa { .. } => {
            PrivateKey::new(KeypairData::from(RsaKeypair::random(&mut random, KeyType::RSA_BITS)?), "")?
        }
        algorithm => PrivateKey::random(&mut random, algorithm)?,
    })
}
