//! SHA-2 (FIPS 180-4), and the part of FIPS 202 that the crate implements: two digests and both XOFs. The XOFs take the
//! whole message in one call.

use crate::shared::bytes::sized_mut;
use graviola::hashing::sha2::{Sha256Context, Sha512Context};
use graviola::hashing::sha3::{Sha3_256Context, Sha3_512Context, Shake128, Shake256};
use pqlab_adapters::messages;
use pqlab_primitives::{Hash, HashParameters, Result, Xof, XofParameters, XofReader};
use std::hint::black_box;
use std::sync::Arc;

macro_rules! fixed_length {
    ($name:ident, $algorithm:literal, $context:ident, $length:literal) => {
        struct $name(HashParameters);

        impl $name {
            #[allow(clippy::new_ret_no_self, reason = "callers use this type only through the trait")]
            fn new() -> Arc<dyn Hash> {
                Arc::new($name(HashParameters::find($algorithm).expect("missing from the parameter table")))
            }

            fn digest_into(message: &[u8], out: &mut [u8; $length]) {
                let mut state = $context::new();
                state.update(message);
                *out = state.finish();
            }
        }

        impl Hash for $name {
            fn info(&self) -> &HashParameters {
                &self.0
            }

            fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
                Self::digest_into(message, sized_mut("digest", out)?);
                Ok(())
            }

            fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
                let out = sized_mut("digest", out)?;
                for message in messages::in_turn(messages, count)? {
                    Self::digest_into(message, black_box(&mut *out));
                }
                Ok(())
            }
        }
    };
}

fixed_length!(Sha256, "SHA-256", Sha256Context, 32);
fixed_length!(Sha512, "SHA-512", Sha512Context, 64);
fixed_length!(Sha3256, "SHA3-256", Sha3_256Context, 32);
fixed_length!(Sha3512, "SHA3-512", Sha3_512Context, 64);

pub(super) fn hashes() -> Vec<Arc<dyn Hash>> {
    vec![Sha3256::new(), Sha3512::new(), Sha256::new(), Sha512::new()]
}

macro_rules! extendable {
    ($name:ident, $algorithm:literal, $shake:ident) => {
        struct $name(XofParameters);

        impl $name {
            #[allow(clippy::new_ret_no_self, reason = "callers use this type only through the trait")]
            fn new() -> Arc<dyn Xof> {
                Arc::new($name(XofParameters::find($algorithm).expect("missing from the parameter table")))
            }
        }

        impl Xof for $name {
            fn info(&self) -> &XofParameters {
                &self.0
            }

            fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
                $shake::new(&[message]).read(out);
                Ok(())
            }

            fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
                for message in messages::in_turn(messages, count)? {
                    $shake::new(&[message]).read(black_box(&mut *out));
                }
                Ok(())
            }

            fn absorb(&self, message: &[u8]) -> Result<Box<dyn XofReader>> {
                Ok(Box::new(Squeezing($shake::new(&[message]))))
            }
        }

        impl XofReader for Squeezing<$shake> {
            fn squeeze(&mut self, out: &mut [u8]) -> Result<()> {
                self.0.read(out);
                Ok(())
            }
        }
    };
}

struct Squeezing<S>(S);

extendable!(ExtendableShake128, "SHAKE128", Shake128);
extendable!(ExtendableShake256, "SHAKE256", Shake256);

pub(super) fn xofs() -> Vec<Arc<dyn Xof>> {
    vec![ExtendableShake128::new(), ExtendableShake256::new()]
}
