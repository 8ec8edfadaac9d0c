//! Pre-hashed variants of ML-DSA and SLH-DSA. The crates offer `Sign_internal` and `Verify_internal`, which take the
//! formatted message `M'`. This module computes `M'` with digests from the `sha2` and `shake` crates.

use crate::shared::bytes::check_context;
use pqlab_primitives::{Prehash, Result};
use sha2::{Digest, Sha256, Sha512};
use shake::{ExtendableOutput, Shake128, Shake256, Update, XofReader};

/// Domain separator for the pre-hashed variants.
const PREHASHED: u8 = 1;
/// Maximum length of a context string in bytes.
const CONTEXT: usize = 255;
/// Length of a hash function's object identifier in DER, in bytes.
const IDENTIFIER: usize = 11;
/// Maximum length of a digest in bytes.
const DIGEST: usize = 64;

/// Formatted message of the pre-hashed variants, `M' = 1 || |ctx| || ctx || OID || PH(M)` (FIPS 204, algorithm 4, line
/// 23; FIPS 205, algorithm 23, line 24).
pub(super) struct Formatted {
    bytes: [u8; 2 + CONTEXT + IDENTIFIER + DIGEST],
    length: usize,
}

impl Formatted {
    pub(super) fn new(prehash: Prehash, context: &[u8], message: &[u8]) -> Result<Formatted> {
        check_context(context)?;
        let mut formatted = Formatted { bytes: [0; _], length: 0 };
        formatted.push(&[PREHASHED, context.len() as u8]);
        formatted.push(context);
        formatted.push(&prehash.object_identifier());
        match prehash {
            Prehash::Sha256 => formatted.push(&Sha256::digest(message)),
            Prehash::Sha512 => formatted.push(&Sha512::digest(message)),
            Prehash::Shake128 => formatted.push(&extended::<Shake128, 32>(message)),
            Prehash::Shake256 => formatted.push(&extended::<Shake256, 64>(message)),
        }
        Ok(formatted)
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn push(&mut self, part: &[u8]) {
        self.bytes[self.length..self.length + part.len()].copy_from_slice(part);
        self.length += part.len();
    }
}

fn extended<X: Default + Update + ExtendableOutput, const LENGTH: usize>(message: &[u8]) -> [u8; LENGTH] {
    let mut function = X::default();
    function.update(message);
    let mut out = [0; LENGTH];
    function.finalize_xof().read(&mut out);
    out
}

/// Implements pre-hashed signing with the key's `sign_internal`.
macro_rules! signs_formatted {
    () => {
        fn sign_prehashed(
            &self,
            prehash: Prehash,
            context: &[u8],
            message: &[u8],
            coins: Coins,
            out: &mut [u8],
        ) -> Result<usize> {
            let formatted = super::prehash::Formatted::new(prehash, context, message)?;
            self.sign_internal(formatted.as_slice(), coins, out)
        }
    };
}

/// Implements pre-hashed verification with the key's `verify_internal`.
macro_rules! verifies_formatted {
    () => {
        fn verify_prehashed(&self, prehash: Prehash, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
            let formatted = super::prehash::Formatted::new(prehash, context, message)?;
            self.verify_internal(formatted.as_slice(), signature)
        }
    };
}

pub(super) use {signs_formatted, verifies_formatted};
