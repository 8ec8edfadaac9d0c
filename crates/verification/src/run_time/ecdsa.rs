//! ECDSA: recomputes a library's nonces from the private key. Also checks that verification rejects values of `r` and
//! `s` that are out of range, and keys that are not on the curve.

use super::bytes;
use crate::checks::signature::{Input, encoded_secret, sign, takes_coins};
use crate::checks::{differ, equal, refused, rejected, step};
use crate::suites::{Ran, Run, Suite};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use k256::ecdsa::signature::Signer;
use k256::elliptic_curve::PrimeField;
use k256::elliptic_curve::scalar::IsHigh;
use pqlab_primitives::{Coins, KeyEncoding, SignatureScheme, SigningKey};
use sha2::{Digest, Sha256, Sha384};

pub(super) static SUITES: &[Suite] =
    &[Suite::built_in("run time: ECDSA", |algorithm| Curve::of(algorithm).is_some(), Run::Signature(ecdsa))];

/// Number of signatures whose nonces are recomputed.
const SIGNATURES: usize = 64;

/// Computes a nonce from a private key, a digest and a signature.
type Nonce = fn(&[u8], &[u8], &[u8]) -> Option<Vec<u8>>;
/// A message and its signature.
type Signed = (Vec<u8>, Vec<u8>);

/// Operations on a curve that the checks need. Arguments and results are encoded values.
struct Curve {
    /// Length of a scalar in bytes.
    length: usize,
    /// Computes a signature's nonce from the private key and the digest. Returns the smaller of the nonce and its
    /// negative.
    nonce: Nonce,
    /// Signs a message with a private key and a deterministic nonce (RFC 6979).
    sign: fn(&[u8], &[u8]) -> Option<Vec<u8>>,
    digest: fn(&[u8]) -> Vec<u8>,
    /// Group order, big-endian.
    order: &'static str,
}

macro_rules! curve {
    ($curve:ident, $length:expr, $digest:ident, $order:literal) => {{
        fn scalar(bytes: &[u8]) -> Option<$curve::Scalar> {
            let bytes = <&$curve::FieldBytes>::try_from(bytes).ok()?;
            Option::from($curve::Scalar::from_repr(*bytes))
        }
        fn nonce(key: &[u8], digest: &[u8], signature: &[u8]) -> Option<Vec<u8>> {
            let (r, s) = signature.split_at($length);
            let digest = <$curve::Scalar as k256::elliptic_curve::ops::Reduce<$curve::FieldBytes>>::reduce(
                <&$curve::FieldBytes>::try_from(digest).ok()?,
            );
            let inverse: $curve::Scalar = Option::from(scalar(s)?.invert())?;
            let nonce = inverse * (digest + scalar(r)? * scalar(key)?);
            let nonce = if bool::from(nonce.is_high()) { -nonce } else { nonce };
            Some(nonce.to_repr().to_vec())
        }
        fn sign(key: &[u8], message: &[u8]) -> Option<Vec<u8>> {
            let key = $curve::ecdsa::SigningKey::from_slice(key).ok()?;
            let signature: $curve::ecdsa::Signature = key.sign(message);
            Some(signature.to_bytes().to_vec())
        }
        Curve { length: $length, nonce, sign, digest: |message| $digest::digest(message).to_vec(), order: $order }
    }};
}

impl Curve {
    fn of(algorithm: &str) -> Option<Curve> {
        match algorithm {
            "ECDSA-P-256" => {
                Some(curve!(p256, 32, Sha256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
            }
            "ECDSA-P-384" => Some(curve!(
                p384,
                48,
                Sha384,
                "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973"
            )),
            "ECDSA-secp256k1" => {
                Some(curve!(k256, 32, Sha256, "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"))
            }
            _ => None,
        }
    }
}

fn ecdsa(scheme: &dyn SignatureScheme, _: &Vectors, tally: &mut Tally) -> Ran {
    let Some(curve) = Curve::of(&scheme.info().parameters.algorithm) else { return Ok(()) };
    match step("generate", scheme.generate(Coins::Internal)) {
        Ok(key) => nonces(scheme, &curve, key.as_ref(), tally),
        Err(fault) => tally.check("generate", || Err(fault)),
    }
    ranges(scheme, &curve, tally);
    Ok(())
}

fn nonces(scheme: &dyn SignatureScheme, curve: &Curve, key: &dyn SigningKey, tally: &mut Tally) {
    let signatures: Result<Vec<Signed>, Fault> = (0..SIGNATURES)
        .map(|number| {
            let message = bytes("message", number, 20 + number);
            let signature = sign(scheme, key, Input::Pure(&[], &message), Coins::Internal)?;
            Ok((message, signature))
        })
        .collect();
    let signatures = match signatures {
        Ok(signatures) => signatures,
        Err(fault) => return tally.check("sign", || Err(fault)),
    };
    tally.check("the nonces of different messages differ", || {
        for (number, (_, one)) in signatures.iter().enumerate() {
            signatures[..number]
                .iter()
                .try_for_each(|(_, other)| differ("r", &one[..curve.length], &other[..curve.length]))?;
        }
        Ok(())
    });
    let secret = encoded_secret(scheme, key, KeyEncoding::Scalar);
    let Ok(secret) = secret else {
        return tally.unsupported("the library does not export private keys as scalars");
    };
    tally.check(format_args!("every bit of the nonce varies over {SIGNATURES} signatures"), || {
        let (mut ones, mut zeros) = (vec![0_u8; curve.length], vec![0_u8; curve.length]);
        for (message, signature) in &signatures {
            let nonce = (curve.nonce)(&secret, &(curve.digest)(message), signature);
            let nonce = nonce.ok_or_else(|| Fault::Wrong("r or s is out of range".to_owned()))?;
            for (place, byte) in nonce.into_iter().enumerate() {
                ones[place] |= byte;
                zeros[place] |= !byte;
            }
        }
        // The highest bit of the smaller of a nonce and its negative is always 0.
        (ones[0], zeros[0]) = (ones[0] | 0x80, zeros[0] | 0x80);
        match (0..curve.length).find(|&place| ones[place] != 0xff || zeros[place] != 0xff) {
            Some(place) => Err(Fault::Wrong(format!("some bits of byte {place} are the same in every nonce"))),
            None => Ok(()),
        }
    });
    if takes_coins(scheme).is_ok() {
        for (number, length) in [0, 1, 55, 56, 64, 111, 112, 128, 65_537].into_iter().enumerate() {
            tally.check(format_args!("the deterministic signature of a message of {length} bytes"), || {
                let message = bytes("deterministic", number, length);
                let got = sign(scheme, key, Input::Pure(&[], &message), Coins::Exact(&[]))?;
                let expected = (curve.sign)(&secret, &message);
                equal("signature", &expected.ok_or_else(|| Fault::Wrong("invalid key".to_owned()))?, &got)
            });
        }
    }
}

/// Checks that verification accepts a signature from the second implementation. Also checks that it rejects values of
/// `r` and `s` that are out of range, and keys that are not on the curve.
fn ranges(scheme: &dyn SignatureScheme, curve: &Curve, tally: &mut Tally) {
    let length = curve.length;
    let (Ok(order), message) = (hex::decode(curve.order), b"ranges") else { return };
    let key = [&[1][..], &bytes("scalar", 0, length - 1)].concat();
    let signed = (|| -> Result<_, Fault> {
        let key = step("load signing key", scheme.load_signing_key(KeyEncoding::Scalar, &key))?;
        crate::checks::signature::encoded(scheme, step("verifying key", key.verifying_key())?.as_ref())
    })();
    let (Ok(public), Some(signature)) = (signed, (curve.sign)(&key, message)) else {
        return tally.unsupported("the library does not load private keys from scalars");
    };
    let verify = |public: &[u8], signature: &[u8]| scheme.load_verifying_key(public)?.verify(&[], message, signature);
    tally.check("the second implementation's signature", || step("verify", verify(&public, &signature)));
    let zero = vec![0; length];
    let mut above = order.clone();
    let last = above.len() - 1;
    above[last] += 1;
    let (ones, mut one) = (vec![0xff; length], zero.clone());
    one[last] = 1;
    let parts = [("r", &signature[..length]), ("s", &signature[length..])];
    for (what, value) in [("0", &zero), ("n", &order), ("n + 1", &above), ("0xff...ff", &ones)] {
        for (place, (name, _)) in parts.iter().enumerate() {
            tally.check(format_args!("{name} = {value}", value = what), || {
                let mut halves = [parts[0].1, parts[1].1];
                halves[place] = value;
                rejected("signature", verify(&public, &halves.concat()))
            });
        }
        tally.check(format_args!("r = s = {what}"), || {
            rejected("signature", verify(&public, &[&value[..]; 2].concat()))
        });
        tally.check(format_args!("r = 1, s = {what}"), || {
            rejected("signature", verify(&public, &[one.as_slice(), value].concat()))
        });
    }
    // Points that are not on the curve: every byte of either coordinate modified, all-zero or all-one coordinates, and
    // infinity.
    for place in 1..public.len() {
        tally.check(format_args!("byte {place} of the point modified"), || {
            let mut modified = public.clone();
            modified[place] ^= 1 << (place % 8);
            refused("verifying key", verify(&modified, &signature))
        });
    }
    let point = |x: &[u8], y: &[u8]| [&[4], x, y].concat();
    for (what, key) in [
        ("(0, 0)", point(&zero, &zero)),
        ("a point with all-one coordinates", point(&ones, &ones)),
        ("infinity", vec![0]),
        ("infinity, padded", vec![0; public.len()]),
    ] {
        tally.check(format_args!("the verifying key is {what}"), || -> Checked {
            refused("verifying key", verify(&key, &signature))
        });
    }
}
