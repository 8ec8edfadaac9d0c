//! ECDSA (FIPS 186-5, section 6) over secp256k1, P-256 and P-384. See EVP_PKEY-EC(7) and EVP_SIGNATURE-ECDSA(7).
//!
//! A public key is a point (SEC 1, section 2.3.3). Points on secp256k1 are written compressed, as in ledgers, and
//! points on NIST curves uncompressed, as in X.509. Both forms can be read. A private key is the big-endian scalar. A
//! signature is `r || s`, with a fixed length. OpenSSL's DER is used only inside this module.
//!
//! This module hashes the message and passes the digest to `EVP_PKEY_sign`. That function does not change its context,
//! so one context serves any number of calls. `EVP_DigestSign` would have to be initialized again for each message.

use super::der::{MAX_DER, from_der, to_der};
use super::hash::Algorithm;
use super::native::{Generator, Pkey, PkeyCtx, Setting, Signature};
use super::param::Param;
use super::point;
use super::signature::{sign, verify};
use super::{Calls, NO_CONTEXT, NO_SUCH_ENCODING};
use crate::{Contexts, front_of};
use pqlab_openssl_headers as sys;
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureParameters, SignatureScheme,
    SigningKey, VerifyingKey, Wiped,
};
use std::ffi::{CStr, c_int, c_uint};
use std::sync::Arc;

/// The curves and the digest that each curve uses.
pub(super) static CURVES: [Curve; 3] = [
    Curve {
        algorithm: "ECDSA-secp256k1",
        group: c"secp256k1",
        nid: 714,
        digest: "SHA-256",
        digest_name: c"SHA2-256",
        field: 32,
        compressed: true,
        order: Some(&SECP256K1_ORDER),
    },
    Curve {
        algorithm: "ECDSA-P-256",
        group: c"P-256",
        nid: 415,
        digest: "SHA-256",
        digest_name: c"SHA2-256",
        field: 32,
        compressed: false,
        order: None,
    },
    Curve {
        algorithm: "ECDSA-P-384",
        group: c"P-384",
        nid: 715,
        digest: "SHA-384",
        digest_name: c"SHA2-384",
        field: 48,
        compressed: false,
        order: None,
    },
];

/// Group order `n` of secp256k1 (SEC 2, section 2.4.1), big-endian.
const SECP256K1_ORDER: [u8; 32] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE, 0xBA, 0xAE, 0xDC,
    0xE6, 0xAF, 0x48, 0xA0, 0x3B, 0xBF, 0xD2, 0x5E, 0x8C, 0xD0, 0x36, 0x41, 0x41,
];

const EC: &CStr = c"EC";
const SCALAR: &str = "ECDSA scalar";
const POINT: &str = "point on the curve";
/// Maximum length in bytes of a coordinate or scalar (P-384).
const MAX_FIELD: usize = 48;
/// Value of the parameter "nonce-type" for a random nonce.
const NONCE_RANDOM: c_uint = 0;
/// Value of the parameter "nonce-type" for a nonce that is derived from the key and the digest (RFC 6979).
const NONCE_DETERMINISTIC: c_uint = 1;

/// Parameters of a curve. Lengths are in bytes.
pub(super) struct Curve {
    pub(super) algorithm: &'static str,
    group: &'static CStr,
    /// Number that OpenSSL assigns to the curve.
    nid: c_int,
    digest: &'static str,
    digest_name: &'static CStr,
    /// Length of a coordinate, and of a scalar.
    field: usize,
    /// Whether public keys are written in compressed form.
    compressed: bool,
    /// Group order, if signatures over the curve use the lower of the two valid values of `s`. `None` for other curves.
    order: Option<&'static [u8; 32]>,
}

/// ECDSA over one curve.
pub(super) struct Ecdsa<C: Calls>(Arc<Shared<C>>);

/// State that a scheme and its keys share.
struct Shared<C: Calls> {
    calls: C,
    info: SignatureInfo,
    curve: &'static Curve,
    digest: Algorithm<C>,
    algorithm: Signature<C>,
    generator: Generator<C>,
    /// Whether importing a scalar also computes the point, as OpenSSL does since 3.4.
    computes_points: bool,
}

struct Signer<C: Calls> {
    shared: Arc<Shared<C>>,
    key: Pkey<C>,
    idle: Contexts<Signing<C>>,
}

/// Context that is ready to sign, and the type of nonce that is set in it.
struct Signing<C: Calls> {
    ctx: PkeyCtx<C>,
    nonce: c_uint,
}

struct Verifier<C: Calls> {
    shared: Arc<Shared<C>>,
    key: Pkey<C>,
    idle: Contexts<PkeyCtx<C>>,
}

impl<C: Calls> Ecdsa<C> {
    pub(super) fn new(calls: C, curve: &'static Curve) -> Result<Ecdsa<C>> {
        let parameters = SignatureParameters::find(curve.algorithm).ok_or(Error::Unsupported("unknown parameters"))?;
        let info = SignatureInfo {
            parameters,
            encodings: vec![KeyEncoding::Scalar],
            coins: CoinSupport { keygen: true, operation: true },
            context: false,
            hedged: true,
        };
        let mut shared = Shared {
            calls,
            info,
            curve,
            digest: Algorithm::fetch(calls, curve.digest)?,
            algorithm: Signature::fetch(calls, c"ECDSA")?,
            generator: Generator::new(calls, EC, Setting::Group(curve.group)),
            computes_points: true,
        };
        if !C::COMPLETE {
            // Probe the library: it may lack the curve, and deterministic nonces require OpenSSL
            // 3.2.
            let key = shared.generator.generate()?;
            let signing = Signing::new(&shared, &key)?;
            shared.info.coins.operation = signing.ctx.knows(sys::OSSL_SIGNATURE_PARAM_NONCE_TYPE);
            shared.computes_points = shared.finds_point(&key)?;
        }
        Ok(Ecdsa(Arc::new(shared)))
    }
}

impl<C: Calls> SignatureScheme for Ecdsa<C> {
    fn info(&self) -> &SignatureInfo {
        &self.0.info
    }

    /// Returns `true`, because OpenSSL draws a random nonce unless the caller requests a deterministic one.
    fn draws_to_sign(&self) -> bool {
        true
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let shared = &self.0;
        let verifying_key = front_of("verifying key", verifying_key, shared.info.parameters.verifying_key)?;
        let signing_key = front_of("signing key", signing_key, shared.curve.field)?;
        let key = shared.generate(coins)?;
        shared.write_public(&key, verifying_key)?;
        shared.write_private(&key, signing_key)?;
        Ok((verifying_key.len(), signing_key.len()))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(Signer::new(&self.0, self.0.generate(coins)?)))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        if encoding != KeyEncoding::Scalar {
            return Err(NO_SUCH_ENCODING);
        }
        Ok(Box::new(Signer::new(&self.0, self.0.load_private(bytes)?)))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(Verifier::load(&self.0, bytes)?))
    }
}

impl<C: Calls> Shared<C> {
    fn generate(&self, coins: Coins) -> Result<Pkey<C>> {
        match coins {
            Coins::Internal => self.generator.generate(),
            // The caller-supplied bytes are the scalar.
            Coins::Exact(bytes) => {
                Error::check_length("coins", self.curve.field, bytes.len())?;
                self.load_private(bytes)
            }
        }
    }

    fn load_private(&self, scalar: &[u8]) -> Result<Pkey<C>> {
        Error::check_length("signing key", self.curve.field, scalar.len())?;
        let mut number = Wiped::new([0; MAX_FIELD]);
        let number = &mut number[..scalar.len()];
        number.copy_from_slice(scalar);
        swap_order(number);
        let mut parts = [
            Param::text(sys::OSSL_PKEY_PARAM_GROUP_NAME, self.curve.group),
            Param::number(sys::OSSL_PKEY_PARAM_PRIV_KEY, number),
            Param::END,
        ];
        let key = Pkey::import(self.calls, EC, sys::EVP_PKEY_KEYPAIR, &mut parts);
        let key = key.map_err(|_| self.calls.malformed(SCALAR))?;
        let ctx = PkeyCtx::of_key(&key)?;
        // The import accepts zero and scalars beyond the group order, so check the key.
        // SAFETY: no one else uses the context.
        let checked = unsafe { self.calls.EVP_PKEY_private_check(ctx.as_ptr()) };
        if checked <= 0 {
            return Err(self.calls.malformed(SCALAR));
        }
        if C::COMPLETE || self.computes_points {
            return Ok(key);
        }
        let mut point = [0; 1 + 2 * MAX_FIELD];
        let point = &mut point[..1 + 2 * self.curve.field];
        point::of_scalar(self.calls, self.curve.nid, scalar, point)?;
        let mut parts = [
            Param::text(sys::OSSL_PKEY_PARAM_GROUP_NAME, self.curve.group),
            Param::number(sys::OSSL_PKEY_PARAM_PRIV_KEY, number),
            Param::octets(sys::OSSL_PKEY_PARAM_PUB_KEY, point),
            Param::END,
        ];
        Pkey::import(self.calls, EC, sys::EVP_PKEY_KEYPAIR, &mut parts).map_err(|_| self.calls.malformed(SCALAR))
    }

    /// Returns whether importing this key's scalar also computes its point.
    fn finds_point(&self, key: &Pkey<C>) -> Result<bool> {
        let mut scalar = Wiped::new([0; MAX_FIELD]);
        let scalar = &mut scalar[..self.curve.field];
        self.write_private(key, scalar)?;
        let mut point = [0; 1 + 2 * MAX_FIELD];
        let found = self.load_private(scalar)?.write_octets(sys::OSSL_PKEY_PARAM_PUB_KEY, &mut point).is_ok();
        self.calls.clear();
        Ok(found)
    }

    fn load_public(&self, point: &[u8]) -> Result<Pkey<C>> {
        // Reject the point at infinity and the hybrid form. The library accepts them, but SEC 1 does not allow them for
        // keys.
        let proper = match point {
            [0x02 | 0x03, x @ ..] => x.len() == self.curve.field,
            [0x04, xy @ ..] => xy.len() == 2 * self.curve.field,
            _ => false,
        };
        if !proper {
            return Err(self.calls.malformed(POINT));
        }
        let mut parts = [
            Param::text(sys::OSSL_PKEY_PARAM_GROUP_NAME, self.curve.group),
            Param::octets(sys::OSSL_PKEY_PARAM_PUB_KEY, point),
            Param::END,
        ];
        Pkey::import(self.calls, EC, sys::EVP_PKEY_PUBLIC_KEY, &mut parts).map_err(|_| self.calls.malformed(POINT))
    }

    fn write_private(&self, key: &Pkey<C>, out: &mut [u8]) -> Result<()> {
        key.write_number(sys::OSSL_PKEY_PARAM_PRIV_KEY, out)?;
        swap_order(out);
        Ok(())
    }

    fn write_public(&self, key: &Pkey<C>, out: &mut [u8]) -> Result<()> {
        let mut point = [0; 1 + 2 * MAX_FIELD];
        let length = key.write_octets(sys::OSSL_PKEY_PARAM_PUB_KEY, &mut point)?;
        let point = &point[..length];
        // The library exports points uncompressed, even if it imported them compressed.
        if point.first() != Some(&0x04) || length != 1 + 2 * self.curve.field {
            return Err(self.calls.fault("EVP_PKEY_get_octet_string_param"));
        }
        if self.curve.compressed {
            out[0] = 0x02 | (point[length - 1] & 1);
            out[1..].copy_from_slice(&point[1..=self.curve.field]);
        } else {
            out.copy_from_slice(point);
        }
        Ok(())
    }

    /// Hashes the message and calls `work` with the digest.
    fn with_digest<R>(&self, message: &[u8], work: impl FnOnce(&[u8]) -> Result<R>) -> Result<R> {
        let mut digest = [0; MAX_FIELD];
        // For all three curves, the digest is as long as a scalar.
        let digest = &mut digest[..self.curve.field];
        self.digest.digest(message, digest)?;
        work(digest)
    }
}

impl<C: Calls> Signer<C> {
    fn new(shared: &Arc<Shared<C>>, key: Pkey<C>) -> Signer<C> {
        Signer { shared: shared.clone(), key, idle: Contexts::new() }
    }
}

impl<C: Calls> Signing<C> {
    fn new(shared: &Shared<C>, key: &Pkey<C>) -> Result<Signing<C>> {
        let ctx = PkeyCtx::of_key(key)?;
        let params = [Param::text(sys::OSSL_ALG_PARAM_DIGEST, shared.curve.digest_name), Param::END];
        shared.algorithm.begin_to_sign(&ctx, &params)?;
        Ok(Signing { ctx, nonce: NONCE_RANDOM })
    }

    /// Sets the type of nonce if it differs from the current one. The library keeps the type for
    /// later calls.
    fn set_nonce(&mut self, nonce: c_uint) -> Result<()> {
        if self.nonce != nonce {
            self.ctx.set(&[Param::uint(sys::OSSL_SIGNATURE_PARAM_NONCE_TYPE, &nonce), Param::END])?;
            self.nonce = nonce;
        }
        Ok(())
    }
}

impl<C: Calls> SigningKey for Signer<C> {
    /// Signs deterministically according to RFC 6979, if requested. Over secp256k1, uses the lower of the two valid
    /// values of `s`, because ledgers and libsecp256k1 reject the higher one.
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        if !context.is_empty() {
            return Err(NO_CONTEXT);
        }
        let nonce = match coins {
            Coins::Internal => NONCE_RANDOM,
            Coins::Exact(bytes) => {
                Error::check_length("coins", 0, bytes.len())?;
                if !C::COMPLETE && !self.shared.info.coins.operation {
                    return Err(Error::Unsupported("deterministic nonces require OpenSSL 3.2"));
                }
                NONCE_DETERMINISTIC
            }
        };
        let length = 2 * self.shared.curve.field;
        let out = front_of("signature", out, length)?;
        self.shared.with_digest(message, |digest| {
            self.idle.with(
                || Signing::new(&self.shared, &self.key),
                |signing| {
                    signing.set_nonce(nonce)?;
                    let mut der = [0; MAX_DER];
                    let der_length = sign(&signing.ctx, digest, &mut der)?;
                    from_der(&der[..der_length], out).ok_or_else(|| self.shared.calls.fault("EVP_PKEY_sign"))
                },
            )
        })?;
        if let Some(order) = self.shared.curve.order {
            lower(&mut out[32..], order);
        }
        Ok(length)
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        let mut bytes = vec![0; self.shared.info.parameters.verifying_key];
        self.shared.write_public(&self.key, &mut bytes)?;
        Ok(Box::new(Verifier::load(&self.shared, &bytes)?))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Scalar {
            return Err(NO_SUCH_ENCODING);
        }
        let length = self.shared.curve.field;
        self.shared.write_private(&self.key, front_of("signing key", out, length)?)?;
        Ok(length)
    }
}

impl<C: Calls> Verifier<C> {
    fn load(shared: &Arc<Shared<C>>, bytes: &[u8]) -> Result<Verifier<C>> {
        let key = shared.load_public(bytes)?;
        Ok(Verifier { shared: shared.clone(), key, idle: Contexts::new() })
    }

    fn context(shared: &Shared<C>, key: &Pkey<C>) -> Result<PkeyCtx<C>> {
        let ctx = PkeyCtx::of_key(key)?;
        let params = [Param::text(sys::OSSL_ALG_PARAM_DIGEST, shared.curve.digest_name), Param::END];
        shared.algorithm.begin_to_verify(&ctx, &params)?;
        Ok(ctx)
    }
}

impl<C: Calls> VerifyingKey for Verifier<C> {
    /// Accepts both valid values of `s`, as OpenSSL does.
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        if !context.is_empty() {
            return Err(NO_CONTEXT);
        }
        if signature.len() != 2 * self.shared.curve.field {
            return Err(self.shared.calls.refused());
        }
        let mut der = [0; MAX_DER];
        let length = to_der(signature, &mut der);
        self.shared
            .with_digest(message, |digest| {
                self.idle.with(|| Verifier::context(&self.shared, &self.key), |ctx| verify(ctx, digest, &der[..length]))
            })
            .map_err(|error| match error {
                // If the sum is the point at infinity, the signature is invalid (SEC 1, section 4.1.4, step 5). The
                // library reports this case as a separate error.
                Error::Library { detail, .. } if detail.contains("point at infinity") => self.shared.calls.refused(),
                other => other,
            })
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        let length = self.shared.info.parameters.verifying_key;
        self.shared.write_public(&self.key, front_of("verifying key", out, length)?)?;
        Ok(length)
    }
}

/// Converts between big-endian and native byte order. The library uses native order for integers.
#[inline]
fn swap_order(number: &mut [u8]) {
    if cfg!(target_endian = "little") {
        number.reverse();
    }
}

/// Replaces `s` with `n - s` if that is lower. Both numbers are public, so constant time is not required.
#[inline]
fn lower(s: &mut [u8], order: &[u8; 32]) {
    let mut negated = [0; 32];
    let mut borrow = false;
    for i in (0..32).rev() {
        let (difference, first) = order[i].overflowing_sub(s[i]);
        let (difference, second) = difference.overflowing_sub(u8::from(borrow));
        negated[i] = difference;
        borrow = first || second;
    }
    if negated[..] < *s {
        s.copy_from_slice(&negated);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_the_lower_s() {
        let mut one = [0; 32];
        one[31] = 1;
        let mut high = SECP256K1_ORDER;
        high[31] -= 1;
        for start in [one, high] {
            let mut s = start;
            lower(&mut s, &SECP256K1_ORDER);
            assert_eq!(s, one);
        }
        // (n - 1) / 2 and (n + 1) / 2 are negatives of each other.
        let mut half = [0xFF; 32];
        half[0] = 0x7F;
        half[15] = 0xFF;
        half[16..].copy_from_slice(&[
            0x5D, 0x57, 0x6E, 0x73, 0x57, 0xA4, 0x50, 0x1D, 0xDF, 0xE9, 0x2F, 0x46, 0x68, 0x1B, 0x20, 0xA0,
        ]);
        let mut above = half;
        above[31] += 1;
        for start in [half, above] {
            let mut s = start;
            lower(&mut s, &SECP256K1_ORDER);
            assert_eq!(s, half);
        }
    }
}
