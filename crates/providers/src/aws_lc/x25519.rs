//! X25519 (RFC 7748), as plain Diffie-Hellman and as a KEM. The library's functions need no context object.

use super::error::malformed;
use crate::shared::bytes::{front_of, sized, sized_mut};
use aws_lc_sys as aws;
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyAgreement,
    KeyAgreementInfo, KeyAgreementParameters, KeyEncoding, PrivateKey, Result, Wiped,
};
use std::sync::Arc;

/// Returns X25519 as a KEM. The ciphertext is an ephemeral public key, and the secret is the plain Diffie-Hellman
/// value.
pub(super) fn kem() -> Option<Arc<dyn Kem>> {
    let parameters = KemParameters::find("X25519")?;
    let coins = CoinSupport { keygen: true, operation: true };
    Some(Arc::new(X25519Kem { info: KemInfo { parameters, encodings: vec![KeyEncoding::Scalar], coins } }))
}

/// Returns X25519 as a key agreement.
pub(super) fn key_agreement() -> Arc<dyn KeyAgreement> {
    let info = KeyAgreementInfo { parameters: KeyAgreementParameters::X25519, exact_coins: true };
    Arc::new(X25519Agreement { info })
}

/// Length of public keys, private keys, shared secrets and coins in bytes (RFC 7748, section 5).
const LENGTH: usize = 32;

const ENCODING: Error = Error::Unsupported("X25519 private keys must be encoded as a scalar");

struct X25519Kem {
    info: KemInfo,
}

impl Kem for X25519Kem {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        let public = sized_mut("encapsulation key", encapsulation_key)?;
        key_pair(coins, public, sized_mut("decapsulation key", decapsulation_key)?)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(Secret::generate(coins)?))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(Public(*sized("encapsulation key", bytes)?)))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        if encoding != KeyEncoding::Scalar {
            return Err(ENCODING);
        }
        Ok(Box::new(Secret::load(sized("decapsulation key", bytes)?)))
    }
}

struct X25519Agreement {
    info: KeyAgreementInfo,
}

impl KeyAgreement for X25519Agreement {
    fn info(&self) -> &KeyAgreementInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, public_key: &mut [u8], private_key: &mut [u8]) -> Result<()> {
        key_pair(coins, sized_mut("public key", public_key)?, sized_mut("private key", private_key)?)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn PrivateKey>> {
        Ok(Box::new(Secret::generate(coins)?))
    }

    fn load_private_key(&self, bytes: &[u8]) -> Result<Box<dyn PrivateKey>> {
        Ok(Box::new(Secret::load(sized("private key", bytes)?)))
    }
}

struct Public([u8; LENGTH]);

impl EncapsulationKey for Public {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        let ephemeral = sized_mut("ciphertext", ciphertext)?;
        let secret = sized_mut("shared secret", secret)?;
        let mut private = Wiped::new([0; LENGTH]);
        key_pair(coins, ephemeral, &mut private)?;
        agree("X25519 encapsulation key", &private, &self.0, secret)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        front_of("encapsulation key", out, LENGTH)?.copy_from_slice(&self.0);
        Ok(LENGTH)
    }
}

struct Secret {
    private: Wiped<[u8; LENGTH]>,
    /// The public key, if this key was generated. A loaded key computes its public key on request,
    /// because no private-key operation needs it.
    public: Option<[u8; LENGTH]>,
}

impl Secret {
    fn generate(coins: Coins) -> Result<Secret> {
        let mut private = Wiped::new([0; LENGTH]);
        let mut public = [0; LENGTH];
        key_pair(coins, &mut public, &mut private)?;
        Ok(Secret { private, public: Some(public) })
    }

    fn load(bytes: &[u8; LENGTH]) -> Secret {
        Secret { private: Wiped::new(*bytes), public: None }
    }

    fn public(&self) -> [u8; LENGTH] {
        self.public.unwrap_or_else(|| {
            let mut public = [0; LENGTH];
            public_from_private(&mut public, &self.private);
            public
        })
    }
}

impl DecapsulationKey for Secret {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        let ephemeral = sized("ciphertext", ciphertext)?;
        agree("X25519 ciphertext", &self.private, ephemeral, sized_mut("shared secret", secret)?)
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(Public(self.public())))
    }

    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        front_of("encapsulation key", out, LENGTH)?.copy_from_slice(&self.public());
        Ok(LENGTH)
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Scalar {
            return Err(ENCODING);
        }
        front_of("decapsulation key", out, LENGTH)?.copy_from_slice(self.private.as_slice());
        Ok(LENGTH)
    }
}

impl PrivateKey for Secret {
    fn agree(&self, peer_public_key: &[u8], secret: &mut [u8]) -> Result<()> {
        let peer = sized("peer public key", peer_public_key)?;
        agree("X25519 public key", &self.private, peer, sized_mut("shared secret", secret)?)
    }

    fn public_key(&self, out: &mut [u8]) -> Result<()> {
        *sized_mut("public key", out)? = self.public();
        Ok(())
    }

    fn encode(&self, out: &mut [u8]) -> Result<()> {
        sized_mut::<LENGTH>("private key", out)?.copy_from_slice(self.private.as_slice());
        Ok(())
    }
}

fn key_pair(coins: Coins, public: &mut [u8; LENGTH], private: &mut [u8; LENGTH]) -> Result<()> {
    match coins.exact::<LENGTH>()? {
        Some(given) => {
            private.copy_from_slice(given);
            public_from_private(public, private);
        }
        // SAFETY: both arrays are 32 bytes long, as the call requires.
        None => unsafe { aws::X25519_keypair(public.as_mut_ptr(), private.as_mut_ptr()) },
    }
    Ok(())
}

fn public_from_private(public: &mut [u8; LENGTH], private: &[u8; LENGTH]) {
    // SAFETY: both arrays are 32 bytes long, as the call requires.
    unsafe { aws::X25519_public_from_private(public.as_mut_ptr(), private.as_ptr()) };
}

/// Computes the shared secret. The library rejects an all-zero result (RFC 7748, section 6.1), which occurs if `peer`
/// has small order.
fn agree(what: &'static str, private: &[u8; LENGTH], peer: &[u8; LENGTH], secret: &mut [u8; LENGTH]) -> Result<()> {
    // SAFETY: all three arrays are 32 bytes long, as the call requires.
    if unsafe { aws::X25519(secret.as_mut_ptr(), private.as_ptr(), peer.as_ptr()) } == 1 {
        Ok(())
    } else {
        Err(malformed(what))
    }
}
