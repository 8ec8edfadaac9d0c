//! Bugs in Ed25519, implemented with `curve25519-dalek`.

use super::signature::{Changes, add as add_wrapped, without_bit};
use super::{Libraries, Mutant, mutant};
use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::scalar::clamp_integer;
use curve25519_dalek::{EdwardsPoint, Scalar};
use pqlab_primitives::{Coins, Error, KeyEncoding, Provider, Result, SigningKey, VerifyingKey};
use sha2::{Digest, Sha512};

fn hash(parts: &[&[u8]]) -> [u8; 64] {
    let mut hash = Sha512::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

/// Signs (RFC 8032, section 5.1.6) with the nonce that `nonce` computes from the prefix and the message.
fn sign_with(
    key: &dyn SigningKey,
    message: &[u8],
    out: &mut [u8],
    nonce: fn(&[u8], &[u8]) -> [u8; 64],
) -> Result<usize> {
    let mut seed = [0; 32];
    key.encode(KeyEncoding::Seed, &mut seed)?;
    let expanded = hash(&[&seed]);
    let mut scalar = [0; 32];
    scalar.copy_from_slice(&expanded[..32]);
    let secret = Scalar::from_bytes_mod_order(clamp_integer(scalar));
    let public = EdwardsPoint::mul_base(&secret).compress().to_bytes();
    let nonce = Scalar::from_bytes_mod_order_wide(&nonce(&expanded[32..], message));
    let commitment = EdwardsPoint::mul_base(&nonce).compress().to_bytes();
    let challenge = Scalar::from_bytes_mod_order_wide(&hash(&[&commitment, &public, message]));
    out[..32].copy_from_slice(&commitment);
    out[32..64].copy_from_slice(&(nonce + challenge * secret).to_bytes());
    Ok(64)
}

/// Verifies with `S` reduced modulo the order.
fn malleable(key: &dyn VerifyingKey, _: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
    let signature: [u8; 64] = signature.try_into().map_err(|_| Error::VerificationFailed)?;
    let (mut commitment, mut response, mut public) = ([0; 32], [0; 32], [0; 32]);
    commitment.copy_from_slice(&signature[..32]);
    response.copy_from_slice(&signature[32..]);
    key.encode(&mut public)?;
    let challenge = Scalar::from_bytes_mod_order_wide(&hash(&[&commitment, &public, message]));
    let point = CompressedEdwardsY(public).decompress().ok_or(Error::VerificationFailed)?;
    let response = Scalar::from_bytes_mod_order(response);
    let expected = EdwardsPoint::vartime_double_scalar_mul_basepoint(&challenge, &-point, &response);
    if expected.compress().to_bytes() == commitment { Ok(()) } else { Err(Error::VerificationFailed) }
}

pub(super) fn mutants() -> Vec<Mutant> {
    let of = |name, source, changes: Changes| {
        mutant(name, source, move |provider: &mut Provider, libraries: &Libraries| {
            add_wrapped(provider, libraries, ("rustcrypto", "Ed25519"), changes);
        })
    };
    let none = Changes::default();
    let prefix_only: super::signature::Sign =
        |key, _, message, out| sign_with(key, message, out, |prefix, _| hash(&[prefix]));
    let constant: super::signature::Sign = |key, _, message, out| sign_with(key, message, out, |_, _| [7; 64]);
    let public: super::signature::Sign =
        |key, _, message, out| sign_with(key, message, out, |_, message| hash(&[message]));
    let swapped: super::signature::Sign =
        |key, _, message, out| sign_with(key, message, out, |prefix, message| hash(&[message, prefix]));
    let short: super::signature::Sign = |key, _, message, out| {
        sign_with(key, message, out, |prefix, message| hash(&[prefix, message.get(..1024).unwrap_or(message)]))
    };
    vec![
        of(
            "ed25519: nonce does not depend on the message",
            "RFC 8032, section 5.1.6",
            Changes { sign: Some(prefix_only), ..none },
        ),
        of("ed25519: nonce is constant", "Sony PlayStation 3, 2010", Changes { sign: Some(constant), ..none }),
        of(
            "ed25519: nonce does not depend on the key",
            "RFC 8032, section 5.1.6",
            Changes { sign: Some(public), ..none },
        ),
        of(
            "ed25519: nonce is hashed from its inputs in the wrong order",
            "RFC 8032, section 5.1.6",
            Changes { sign: Some(swapped), ..none },
        ),
        of(
            "ed25519: nonce depends only on the first 1,024 bytes",
            "RFC 8032, section 5.1.6",
            Changes { sign: Some(short), ..none },
        ),
        of(
            "ed25519: a signature of zeros is valid",
            "Monocypher #98",
            Changes {
                verify: Some(|key, context, message, signature| match signature {
                    [] => Err(Error::VerificationFailed),
                    zeros if zeros.iter().all(|byte| *byte == 0) => Ok(()),
                    _ => key.verify(context, message, signature),
                }),
                ..none
            },
        ),
        of(
            "ed25519: S is not compared with the order",
            "RFC 8032, section 5.1.7; CVE-2020-36843",
            Changes { verify: Some(malleable), ..none },
        ),
        of(
            "ed25519: highest bit of S is ignored",
            "RFC 8032, section 5.1.7",
            Changes {
                verify: Some(|key, context, message, signature| {
                    without_bit(key, context, message, signature, (63, 0x80))
                }),
                ..none
            },
        ),
        of(
            "ed25519: sign of R is ignored",
            "RFC 8032, section 5.1.3",
            Changes {
                verify: Some(|key, context, message, signature| {
                    without_bit(key, context, message, signature, (31, 0x80))
                }),
                ..none
            },
        ),
        of(
            "ed25519: message is truncated to 65,535 bytes",
            "16-bit length",
            Changes {
                sign: Some(|key, context, message, out| {
                    key.sign(context, message.get(..65_535).unwrap_or(message), Coins::Internal, out)
                }),
                verify: Some(|key, context, message, signature| {
                    key.verify(context, message.get(..65_535).unwrap_or(message), signature)
                }),
                ..none
            },
        ),
        of(
            "ed25519: bytes after the signature are accepted",
            "RFC 8032, section 5.1.7",
            Changes {
                verify: Some(|key, context, message, signature| {
                    key.verify(context, message, signature.get(..64).unwrap_or(signature))
                }),
                ..none
            },
        ),
    ]
}
