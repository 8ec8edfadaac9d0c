//! X25519 (RFC 7748) from the `x25519-dalek` crate.

use crate::shared::bytes::fill;
use crate::shared::draw::drawn;
use crate::shared::x25519::{Library, SMALL_ORDER};
use pqlab_primitives::{Coins, Result};
use x25519_dalek::{PublicKey, StaticSecret};

pub(super) struct Dalek;

impl Library for Dalek {
    type Secret = StaticSecret;
    type Public = PublicKey;

    fn generate(coins: Coins) -> Result<StaticSecret> {
        Ok(StaticSecret::from(*drawn::<32>(coins)?))
    }

    fn load(scalar: &[u8; 32]) -> StaticSecret {
        StaticSecret::from(*scalar)
    }

    fn encode(secret: &StaticSecret) -> [u8; 32] {
        secret.to_bytes()
    }

    fn public(secret: &StaticSecret) -> PublicKey {
        PublicKey::from(secret)
    }

    fn decode_public(bytes: &[u8; 32]) -> PublicKey {
        PublicKey::from(*bytes)
    }

    fn encode_public(public: &PublicKey) -> [u8; 32] {
        public.to_bytes()
    }

    fn agree(secret: &StaticSecret, peer: &PublicKey, out: &mut [u8]) -> Result<()> {
        let shared = secret.diffie_hellman(peer);
        if !shared.was_contributory() {
            return Err(SMALL_ORDER);
        }
        fill("shared secret", out, shared.as_bytes())
    }
}
