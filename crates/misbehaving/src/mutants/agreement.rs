//! Bugs in X25519.

use super::{Libraries, Mutant, mutant};
use curve25519_dalek::{MontgomeryPoint, Scalar};
use pqlab_primitives::{Coins, KeyAgreement, KeyAgreementInfo, PrivateKey, Provider, Result};
use std::sync::Arc;

/// Replacement for an agreement. Receives the key, its encoding, and the other side's public key.
type Agree = fn(&dyn PrivateKey, &[u8; 32], &[u8], &mut [u8]) -> Result<()>;

struct Mutated {
    agreement: Arc<dyn KeyAgreement>,
    info: KeyAgreementInfo,
    agree: Agree,
    seed: Option<[u8; 32]>,
}

struct Key {
    key: Box<dyn PrivateKey>,
    bytes: [u8; 32],
    agree: Agree,
}

impl Mutated {
    fn key(&self, key: Box<dyn PrivateKey>) -> Result<Box<dyn PrivateKey>> {
        let mut bytes = [0; 32];
        key.encode(&mut bytes)?;
        Ok(Box::new(Key { key, bytes, agree: self.agree }))
    }
}

impl KeyAgreement for Mutated {
    fn info(&self) -> &KeyAgreementInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, public_key: &mut [u8], private_key: &mut [u8]) -> Result<()> {
        self.agreement.generate_encoded(coins, public_key, private_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn PrivateKey>> {
        let coins = self.seed.as_ref().map_or(coins, |seed| Coins::Exact(seed));
        self.key(self.agreement.generate(coins)?)
    }

    fn load_private_key(&self, bytes: &[u8]) -> Result<Box<dyn PrivateKey>> {
        self.key(self.agreement.load_private_key(bytes)?)
    }
}

impl PrivateKey for Key {
    fn agree(&self, peer: &[u8], secret: &mut [u8]) -> Result<()> {
        (self.agree)(self.key.as_ref(), &self.bytes, peer, secret)
    }

    fn public_key(&self, out: &mut [u8]) -> Result<()> {
        self.key.public_key(out)
    }

    fn encode(&self, out: &mut [u8]) -> Result<()> {
        self.key.encode(out)
    }
}

fn add(provider: &mut Provider, libraries: &Libraries, agree: Agree, seed: Option<[u8; 32]>) {
    let agreement = libraries.rustcrypto().and_then(|library| library.key_agreement("X25519"));
    if let Some(agreement) = agreement {
        let mut info = agreement.info().clone();
        info.exact_coins = false;
        provider.key_agreements.push(Arc::new(Mutated { agreement: Arc::clone(agreement), info, agree, seed }));
    }
}

/// Applies `change` to the peer's point, and computes the shared secret with the result.
fn multiplied(bytes: &[u8; 32], peer: &[u8], secret: &mut [u8], change: fn(&mut [u8; 32])) -> Result<()> {
    let mut point = [0; 32];
    point.copy_from_slice(peer.get(..32).unwrap_or(&[0; 32]));
    change(&mut point);
    secret.copy_from_slice(&MontgomeryPoint(point).mul_clamped(*bytes).to_bytes());
    Ok(())
}

pub(super) fn mutants() -> Vec<Mutant> {
    let of = |name, source, agree: Agree| {
        mutant(name, source, move |provider: &mut Provider, libraries: &Libraries| {
            add(provider, libraries, agree, None)
        })
    };
    vec![
        of("x25519: all-zero secret is not rejected", "RFC 7748, section 6.1", |_, bytes, peer, secret| {
            multiplied(bytes, peer, secret, |_| {})
        }),
        of("x25519: the scalar is not clamped", "RFC 7748, section 5", |key, bytes, peer, secret| {
            key.agree(peer, secret)?;
            let mut point = [0; 32];
            point.copy_from_slice(peer);
            let product = MontgomeryPoint(point) * Scalar::from_bytes_mod_order(*bytes);
            secret.copy_from_slice(&product.to_bytes());
            Ok(())
        }),
        of("x25519: top bit of a point is not masked", "RFC 7748, section 5", |key, _, peer, secret| {
            key.agree(peer, secret)?;
            if peer.last().is_some_and(|last| last >> 7 == 1) {
                secret[0] ^= 1;
            }
            Ok(())
        }),
        of("x25519: points above the modulus are rejected", "RFC 7748, section 5", |key, _, peer, secret| {
            if peer[31] & 0x7f == 0x7f && peer[1..31].iter().all(|&byte| byte == 0xff) && peer[0] >= 0xed {
                return Err(pqlab_primitives::Error::Malformed("public key"));
            }
            key.agree(peer, secret)
        }),
        of("x25519: points above the modulus are not reduced", "RFC 7748, section 5", |key, _, peer, secret| {
            key.agree(peer, secret)?;
            if peer[31] & 0x7f == 0x7f && peer[1..31].iter().all(|&byte| byte == 0xff) && peer[0] >= 0xef {
                secret[5] ^= 1;
            }
            Ok(())
        }),
        mutant(
            "x25519: keys are generated from constant coins",
            "CVE-2008-0166",
            |provider: &mut Provider, libraries: &Libraries| {
                add(provider, libraries, |key, _, peer, secret| key.agree(peer, secret), Some([9; 32]));
            },
        ),
    ]
}
