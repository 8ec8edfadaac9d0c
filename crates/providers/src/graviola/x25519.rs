//! X25519 (RFC 7748).

use super::library;
use crate::shared::bytes::fill;
use crate::shared::x25519::{Library, SMALL_ORDER};
use graviola::key_agreement::x25519::{PublicKey, StaticPrivateKey};
use pqlab_primitives::{Coins, Result};

pub(super) struct Graviola;

impl Library for Graviola {
    type Secret = StaticPrivateKey;
    /// Encoded public key. The crate's own type is not `Copy`, and parsing the bytes for each use takes only four
    /// loads.
    type Public = [u8; 32];

    fn generate(coins: Coins) -> Result<StaticPrivateKey> {
        match coins.exact::<32>()? {
            Some(scalar) => Ok(StaticPrivateKey::from_array(scalar)),
            None => StaticPrivateKey::new_random().map_err(library("x25519 new_random")),
        }
    }

    fn load(scalar: &[u8; 32]) -> StaticPrivateKey {
        StaticPrivateKey::from_array(scalar)
    }

    fn encode(secret: &StaticPrivateKey) -> [u8; 32] {
        secret.as_bytes()
    }

    fn public(secret: &StaticPrivateKey) -> [u8; 32] {
        secret.public_key().as_bytes()
    }

    fn decode_public(bytes: &[u8; 32]) -> [u8; 32] {
        *bytes
    }

    fn encode_public(public: &[u8; 32]) -> [u8; 32] {
        *public
    }

    fn agree(secret: &StaticPrivateKey, peer: &[u8; 32], out: &mut [u8]) -> Result<()> {
        // The only possible error is an all-zero shared secret (RFC 7748, section 6.1).
        let shared = secret.diffie_hellman(&PublicKey::from_array(peer)).map_err(|_| SMALL_ORDER)?;
        fill("shared secret", out, &shared.0)
    }
}
