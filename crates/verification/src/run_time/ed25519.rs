//! Ed25519 (RFC 8032): compares signatures with a second implementation, for messages of many lengths. Also checks that
//! verification rejects every other 32-byte value that is congruent to `S` modulo the group order.

use super::bytes;
use crate::checks::signature::{Input, encoded, encoded_secret, sign};
use crate::checks::{equal, rejected, step};
use crate::suites::{Ran, Run, Suite};
use crate::tally::{Checked, Tally};
use crate::vectors::Vectors;
use curve25519_dalek::{EdwardsPoint, Scalar};
use pqlab_primitives::{Coins, KeyEncoding, SignatureScheme};
use sha2::{Digest, Sha512};

pub(super) static SUITES: &[Suite] =
    &[Suite::built_in("run time: Ed25519", |algorithm| algorithm == "Ed25519", Run::Signature(ed25519))];

/// Message lengths, including those around SHA-512's block boundaries after the 32-byte prefix.
const LENGTHS: [usize; 21] =
    [0, 1, 2, 31, 32, 33, 47, 48, 63, 64, 65, 79, 80, 95, 96, 97, 127, 128, 1000, 65_535, 65_537];

/// The group order, little-endian.
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

fn hash(parts: &[&[u8]]) -> [u8; 64] {
    let mut hash = Sha512::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

/// Computes the verifying key for a seed and the signature of a message (RFC 8032, sections 5.1.5 and 5.1.6).
fn expected(seed: &[u8], message: &[u8]) -> ([u8; 32], Vec<u8>) {
    let (mut scalar, mut prefix) = ([0; 32], [0; 32]);
    let expanded = hash(&[seed]);
    scalar.copy_from_slice(&expanded[..32]);
    prefix.copy_from_slice(&expanded[32..]);
    let secret = Scalar::from_bytes_mod_order(curve25519_dalek::scalar::clamp_integer(scalar));
    let public = EdwardsPoint::mul_base(&secret).compress().to_bytes();
    let nonce = Scalar::from_bytes_mod_order_wide(&hash(&[&prefix, message]));
    let commitment = EdwardsPoint::mul_base(&nonce).compress().to_bytes();
    let challenge = Scalar::from_bytes_mod_order_wide(&hash(&[&commitment, &public, message]));
    let response = (nonce + challenge * secret).to_bytes();
    (public, [commitment, response].concat())
}

fn ed25519(scheme: &dyn SignatureScheme, _: &Vectors, tally: &mut Tally) -> Ran {
    if scheme.info().encodings.contains(&KeyEncoding::Seed) {
        for (number, length) in LENGTHS.into_iter().enumerate() {
            tally.check(format_args!("the signature of a message of {length} bytes"), || {
                let (seed, message) = (bytes("seed", number, 32), bytes("message", number, length));
                let key = step("load signing key", scheme.load_signing_key(KeyEncoding::Seed, &seed))?;
                let (public, signature) = expected(&seed, &message);
                equal("verifying key", &public, &encoded(scheme, step("key", key.verifying_key())?.as_ref())?)?;
                let got = sign(scheme, key.as_ref(), Input::Pure(&[], &message), Coins::Internal)?;
                equal("signature", &signature, &got)
            });
        }
    }
    tally.check("a signature by a generated key", || {
        let key = step("generate", scheme.generate(Coins::Internal))?;
        let seed = encoded_secret(scheme, key.as_ref(), KeyEncoding::Seed)?;
        let got = sign(scheme, key.as_ref(), Input::Pure(&[], b"generated"), Coins::Internal)?;
        equal("signature", &expected(&seed, b"generated").1, &got)
    });
    responses(scheme, tally);
    Ok(())
}

/// Adds multiples of the group order to `S` as long as the sum fits in 32 bytes. Checks that verification rejects all
/// sums, although they are congruent to `S`. Also checks that verification rejects the signature after a flip of any
/// bit.
fn responses(scheme: &dyn SignatureScheme, tally: &mut Tally) {
    let (public, signature) = expected(&bytes("seed", 0, 32), b"malleable");
    let verify = |signature: &[u8]| scheme.load_verifying_key(&public)?.verify(&[], b"malleable", signature);
    tally.check("the second implementation's signature", || step("verify", verify(&signature)));
    let mut sum = signature.clone();
    for multiple in 1..16 {
        let mut carry = 0;
        for (byte, order) in sum[32..].iter_mut().zip(ORDER) {
            let value = u16::from(*byte) + u16::from(order) + carry;
            [*byte, _] = value.to_le_bytes();
            carry = value >> 8;
        }
        if carry > 0 {
            break;
        }
        tally.check(format_args!("S + {multiple} * L"), || -> Checked { rejected("signature", verify(&sum)) });
    }
    for bit in 0..512 {
        tally.check(format_args!("bit {bit} of the signature flipped"), || {
            let mut modified = signature.clone();
            modified[bit / 8] ^= 1 << (bit % 8);
            rejected("signature", verify(&modified))
        });
    }
}
