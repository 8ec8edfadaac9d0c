//! Combines the shared secrets of the two halves into one.

use super::length::{CIPHERTEXT, SECRET, X25519};
use pqlab_primitives::{Error, Hash, Kdf, Result, Wiped};
use std::sync::Arc;

/// X-Wing's label, the ASCII art `\.//^\`. It comes last in the hashed input.
const LABEL: &[u8; 6] = b"\\.//^\\";
const INFO: &[u8] = b"quantum-safe hybrid KEM v1\x00X25519+ML-KEM-768";

#[derive(Clone)]
pub(super) enum Combiner {
    /// `SHA3-256(ssM || ssX || ctX || pkX || label)`.
    Universal(Arc<dyn Hash>),
    /// `ssM || ssX`.
    Concatenation,
    /// `HKDF-SHA256(ikm = ssX || ssM, salt = ctX || ctM, info)`.
    Hkdf(Arc<dyn Kdf>),
}

/// Inputs available to a combiner.
pub(super) struct Inputs<'a> {
    /// ML-KEM's shared secret.
    pub(super) secret_m: &'a [u8; SECRET],
    /// X25519's shared secret.
    pub(super) secret_x: &'a [u8; SECRET],
    /// X25519 part of the ciphertext.
    pub(super) ciphertext_x: &'a [u8],
    /// X25519 part of the recipient's encapsulation key.
    pub(super) public_x: &'a [u8; X25519],
    /// Complete ciphertext of the hybrid, as sent.
    pub(super) ciphertext: &'a [u8],
}

impl Combiner {
    pub(super) fn universal(sha3_256: Arc<dyn Hash>) -> Result<Combiner> {
        match sha3_256.info().algorithm.as_ref() {
            "SHA3-256" => Ok(Combiner::Universal(sha3_256)),
            _ => Err(Error::Unsupported("the combiner requires SHA3-256")),
        }
    }

    pub(super) fn hkdf(hkdf: Arc<dyn Kdf>) -> Result<Combiner> {
        match hkdf.algorithm() {
            "HKDF-SHA256" => Ok(Combiner::Hkdf(hkdf)),
            _ => Err(Error::Unsupported("the reference form requires HKDF-SHA256")),
        }
    }

    /// Computes the hybrid's shared secret and writes it to `out`.
    pub(super) fn combine(&self, inputs: &Inputs, out: &mut [u8]) -> Result<()> {
        match self {
            Combiner::Universal(sha3_256) => {
                let parts: [&[u8]; 5] = [inputs.secret_m, inputs.secret_x, inputs.ciphertext_x, inputs.public_x, LABEL];
                let mut message = Wiped::new([0; 4 * 32 + LABEL.len()]);
                let mut at = 0;
                for part in parts {
                    message[at..at + part.len()].copy_from_slice(part);
                    at += part.len();
                }
                sha3_256.digest(message.as_slice(), out)
            }
            Combiner::Concatenation => {
                Error::check_length("shared secret", 2 * SECRET, out.len())?;
                out[..SECRET].copy_from_slice(inputs.secret_m);
                out[SECRET..].copy_from_slice(inputs.secret_x);
                Ok(())
            }
            Combiner::Hkdf(hkdf) => {
                Error::check_length("shared secret", SECRET, out.len())?;
                debug_assert_eq!(inputs.ciphertext.len(), CIPHERTEXT);
                let mut material = Wiped::new([0; 2 * SECRET]);
                material[..SECRET].copy_from_slice(inputs.secret_x);
                material[SECRET..].copy_from_slice(inputs.secret_m);
                hkdf.derive(inputs.ciphertext, material.as_slice(), INFO, out)
            }
        }
    }
}
