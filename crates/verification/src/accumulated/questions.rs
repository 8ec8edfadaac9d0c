//! Computation of one accumulated answer.

use super::stream::Stream;
use crate::checks::kem::{self, decapsulate, encapsulate};
use crate::checks::signature::{self, Input, sign, takes_coins};
use crate::checks::{equal, step};
use crate::suites::{is_ml_dsa, is_ml_kem};
use crate::tally::{Checked, Fault};
use pqlab_primitives::{Coins, Kem, KeyEncoding, Primitive, SignatureScheme};

/// Primitive under test.
pub(super) enum Asked<'a> {
    Kem(&'a dyn Kem),
    Signature(&'a dyn SignatureScheme),
}

impl<'a> Asked<'a> {
    /// Creates the computation for a primitive, or returns `None` if no accumulated vectors are defined for it.
    pub(super) fn new(primitive: Primitive<'a>) -> Option<Asked<'a>> {
        match primitive {
            Primitive::Kem(kem) if is_ml_kem(primitive.algorithm()) => Some(Asked::Kem(kem.as_ref())),
            Primitive::Signature(scheme) if is_ml_dsa(primitive.algorithm()) => Some(Asked::Signature(scheme.as_ref())),
            _ => None,
        }
    }

    pub(super) fn is_kem(&self) -> bool {
        matches!(self, Asked::Kem(_))
    }

    /// Computes the next answer and writes it to the stream.
    pub(super) fn answer(&self, stream: &mut Stream) -> Checked {
        match self {
            Asked::Kem(kem) => kem_answer(*kem, stream),
            Asked::Signature(scheme) => signature_answer(*scheme, stream),
        }
    }
}

/// Reads a seed (`d || z`) from the stream and derives the key pair. Encapsulates with randomness from the stream, and
/// decapsulates the result. Also decapsulates a random ciphertext from the stream, which gives the implicit-rejection
/// secret.
fn kem_answer(kem: &dyn Kem, stream: &mut Stream) -> Checked {
    if !kem.info().coins.operation {
        return Err(Fault::Unsupported("encapsulation does not accept caller-supplied randomness".to_owned()));
    }
    let key = step("load seed", kem::load(kem, KeyEncoding::Seed, &stream.draw::<64>())?)?;
    let public = step("encapsulation key", key.encapsulation_key())?;
    stream.write(&kem::encoded(kem, public.as_ref())?);
    let (ciphertext, secret) = encapsulate(kem, public.as_ref(), Coins::Exact(&stream.draw::<32>()))?;
    stream.write(&ciphertext);
    stream.write(&secret);
    equal("shared secret", &secret, &decapsulate(kem, key.as_ref(), &ciphertext)?)?;
    let mut random = ciphertext;
    stream.fill(&mut random);
    stream.write(&decapsulate(kem, key.as_ref(), &random)?);
    Ok(())
}

/// Reads a seed from the stream, derives the verifying key, and signs an empty message deterministically. The signature
/// must verify.
fn signature_answer(scheme: &dyn SignatureScheme, stream: &mut Stream) -> Checked {
    takes_coins(scheme)?;
    let key = step("load seed", signature::load(scheme, KeyEncoding::Seed, &stream.draw::<32>())?)?;
    let public = step("verifying key", key.verifying_key())?;
    stream.write(&signature::encoded(scheme, public.as_ref())?);
    let signature = sign(scheme, key.as_ref(), Input::Pure(&[], &[]), Coins::Exact(&[]))?;
    stream.write(&signature);
    step("verify", public.verify(&[], &[], &signature))
}
