//! Direct calls to the RustCrypto and dalek crates. Coins come from the operating system, as with the crates' `SysRng`.

mod classical;
mod hash;
mod kem;
mod ml_dsa;
mod symmetric;

use crate::interleaved::Side;
use crate::libraries::Bare;
use crate::operations::{agreement, kem as kem_inputs, signature};
use pqlab_primitives::{Aead, Kdf, Mac};
use sha2::{Digest, Sha256};
use std::sync::Arc;

pub(crate) const BARE: &[&dyn Bare] = &[&RustCrypto];

struct RustCrypto;

impl Bare for RustCrypto {
    fn library(&self) -> &'static str {
        "rustcrypto"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &[]
    }

    fn is_general(&self) -> bool {
        true
    }

    fn kem(&self, inputs: &kem_inputs::Inputs, operation: &str) -> Option<Side> {
        kem::ml_kem(inputs, operation)
    }

    fn signature(&self, inputs: &signature::Inputs, operation: &str) -> Option<Side> {
        match inputs.scheme.info().parameters.algorithm.as_ref() {
            "ML-DSA-44" => ml_dsa::signature(inputs, operation),
            "Ed25519" => classical::ed25519(inputs, operation),
            _ => classical::secp256k1(inputs, operation),
        }
    }

    fn agreement(&self, inputs: &agreement::Inputs, operation: &str) -> Option<Side> {
        kem::agreement(inputs, operation)
    }

    fn hash(&self, _provider: &str, _algorithm: &str) -> Option<Side> {
        Some(hash::sha3_256())
    }

    fn xof(&self, _provider: &str, algorithm: &str, operation: &str) -> Option<Side> {
        hash::xof(algorithm, operation)
    }

    fn mac(&self, _mac: &Arc<dyn Mac>, operation: &str) -> Option<Side> {
        symmetric::tag(operation)
    }

    fn kdf(&self, _kdf: &Arc<dyn Kdf>) -> Option<Side> {
        Some(symmetric::derive())
    }

    fn aead(&self, aead: &Arc<dyn Aead>, operation: &str) -> Option<Side> {
        symmetric::cipher(aead, operation)
    }
}

/// Returns random bytes from the operating system.
fn drawn<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system returned no random bytes");
    bytes
}

/// Returns the formatted message `M'` for the pre-hashed variant of ML-DSA, with SHA-256 and an empty context string.
fn prehashed(message: &[u8]) -> [u8; 45] {
    let mut formatted = [0; 45];
    formatted[0] = 1;
    formatted[2..13].copy_from_slice(&pqlab_primitives::Prehash::Sha256.object_identifier());
    formatted[13..].copy_from_slice(&Sha256::digest(message));
    formatted
}
