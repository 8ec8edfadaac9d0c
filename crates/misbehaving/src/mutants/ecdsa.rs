//! Bugs in ECDSA, implemented with `p256`.

use super::signature::{Changes, Sign, add};
use super::{Libraries, Mutant, mutant, random};
use p256::elliptic_curve::PrimeField;
use p256::elliptic_curve::ops::Reduce;
use p256::elliptic_curve::point::AffineCoordinates;
use p256::{FieldBytes, ProjectivePoint, Scalar};
use pqlab_primitives::{Error, KeyEncoding, Provider, Result, SigningKey};
use sha2::{Digest, Sha256};

fn reduced(bytes: &[u8; 32]) -> Scalar {
    <Scalar as Reduce<FieldBytes>>::reduce(&FieldBytes::from(*bytes))
}

/// Signs with the nonce that `nonce` computes from the private key and the digest.
fn sign_with(
    key: &dyn SigningKey,
    message: &[u8],
    out: &mut [u8],
    nonce: fn(&[u8; 32], &[u8; 32]) -> [u8; 32],
) -> Result<usize> {
    let mut private = [0; 32];
    key.encode(KeyEncoding::Scalar, &mut private)?;
    let digest: [u8; 32] = Sha256::digest(message).into();
    let wrong = || Error::Library { call: "sign", detail: "unlucky nonce".into() };
    let nonce = reduced(&nonce(&private, &digest));
    let r = reduced(&(ProjectivePoint::GENERATOR * nonce).to_affine().x().into());
    let inverse = Option::<Scalar>::from(nonce.invert()).ok_or_else(wrong)?;
    let s = inverse * (reduced(&digest) + r * reduced(&private));
    out[..32].copy_from_slice(&r.to_repr());
    out[32..64].copy_from_slice(&s.to_repr());
    Ok(64)
}

pub(super) fn mutants() -> Vec<Mutant> {
    let of = |name, source, changes: Changes| {
        mutant(name, source, move |provider: &mut Provider, libraries: &Libraries| {
            // The mutants change AWS-LC, which draws a random nonce for each signature.
            add(provider, libraries, ("aws-lc", "ECDSA-P-256"), changes);
        })
    };
    let none = Changes::default();
    let signing = |name, source, sign: Sign| of(name, source, Changes { sign: Some(sign), ..none });
    vec![
        signing("ecdsa: nonce is constant", "Sony PlayStation 3, 2010", |key, _, message, out| {
            sign_with(key, message, out, |_, _| [7; 32])
        }),
        signing("ecdsa: nonce does not depend on the message", "RFC 6979, section 1", |key, _, message, out| {
            sign_with(key, message, out, |key, _| Sha256::digest(key).into())
        }),
        signing("ecdsa: nonce does not depend on the key", "RFC 6979, section 1", |key, _, message, out| {
            sign_with(key, message, out, |_, digest| Sha256::digest(digest).into())
        }),
        signing("ecdsa: 128 bits of the nonce are 0", "Breitner and Heninger 2019", |key, _, message, out| {
            sign_with(key, message, out, |_, _| {
                let mut nonce = random();
                nonce[..16].fill(0);
                nonce
            })
        }),
        signing("ecdsa: 9 bits of the nonce are 0", "CVE-2024-31497", |key, _, message, out| {
            sign_with(key, message, out, |_, _| {
                let mut nonce: [u8; 32] = random();
                nonce[0] = 0;
                nonce[1] &= 0x7f;
                nonce
            })
        }),
        signing("ecdsa: lowest 2 bits of the nonce are 0", "Howgrave-Graham and Smart 2001", |key, _, message, out| {
            sign_with(key, message, out, |_, _| {
                let mut nonce: [u8; 32] = random();
                nonce[31] &= 0xfc;
                nonce
            })
        }),
        of(
            "ecdsa: r = s = 0 is accepted",
            "CVE-2022-21449",
            Changes {
                verify: Some(
                    |key, context, message, signature| {
                        if signature == [0; 64] { Ok(()) } else { key.verify(context, message, signature) }
                    },
                ),
                ..none
            },
        ),
        of(
            "ecdsa: r and s are reduced modulo the order",
            "CVE-2024-48949 class: Wycheproof",
            Changes {
                verify: Some(|key, context, message, signature| {
                    let reduce = |half: &[u8]| <[u8; 32]>::try_from(half).map(|half| reduced(&half).to_repr().to_vec());
                    match (signature.get(..32).map(reduce), signature.get(32..).map(reduce)) {
                        (Some(Ok(r)), Some(Ok(s))) if signature.len() == 64 => {
                            key.verify(context, message, &[r, s].concat())
                        }
                        _ => key.verify(context, message, signature),
                    }
                }),
                ..none
            },
        ),
        of(
            "ecdsa: message is truncated to 64 bytes",
            "truncated hash input",
            Changes {
                sign: Some(|key, context, message, out| {
                    key.sign(context, message.get(..64).unwrap_or(message), pqlab_primitives::Coins::Internal, out)
                }),
                verify: Some(|key, context, message, signature| {
                    key.verify(context, message.get(..64).unwrap_or(message), signature)
                }),
                ..none
            },
        ),
    ]
}
