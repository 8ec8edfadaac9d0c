//! ECDSA (FIPS 186-5, SEC 1) over secp256k1, P-256 and P-384. The library uses random nonces and mixes a hash of the
//! key and the message into each nonce. No public function signs according to RFC 6979, so signing does not accept
//! coins.

use super::error::{check, library, malformed, verification_failed};
use super::ffi::OneShotHash;
use super::handle::Owned;
use crate::shared::bytes::{front_of, no_context};
use aws_lc_sys as aws;
use pqlab_adapters::Contexts;
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureParameters, SignatureScheme,
    SigningKey, VerifyingKey,
};
use std::ptr::{null, null_mut};
use std::sync::Arc;

/// Returns the signature schemes for the three curves.
pub(super) fn schemes() -> impl Iterator<Item = Arc<dyn SignatureScheme>> {
    CURVES.iter().filter_map(|curve| {
        let info = SignatureInfo {
            parameters: SignatureParameters::find(curve.algorithm)?,
            encodings: vec![KeyEncoding::Scalar],
            coins: CoinSupport { keygen: true, operation: false },
            context: false,
            hedged: true,
        };
        let half_order =
            if curve.ledger { Some(Arc::new(half_order(curve).expect("cannot halve the group order"))) } else { None };
        Some(Arc::new(Ecdsa { info, curve, half_order }) as Arc<dyn SignatureScheme>)
    })
}

/// A curve with a hash function and encodings. Lengths are in bytes.
struct Curve {
    algorithm: &'static str,
    group: unsafe extern "C" fn() -> *const aws::EC_GROUP,
    /// Length of a scalar. Field elements on these curves have the same length.
    scalar: usize,
    hash: OneShotHash,
    digest: usize,
    /// Whether to follow ledger conventions: public keys are compressed, and signatures contain the
    /// smaller of `s` and `n - s`. Both values verify, so without this rule a third party could
    /// turn a signature into another valid one. Verification accepts both values, as the standards
    /// require.
    ledger: bool,
}

static CURVES: [Curve; 3] = [
    Curve {
        algorithm: "ECDSA-secp256k1",
        group: aws::EC_group_secp256k1,
        scalar: 32,
        hash: aws::SHA256,
        digest: 32,
        ledger: true,
    },
    Curve {
        algorithm: "ECDSA-P-256",
        group: aws::EC_group_p256,
        scalar: 32,
        hash: aws::SHA256,
        digest: 32,
        ledger: false,
    },
    Curve {
        algorithm: "ECDSA-P-384",
        group: aws::EC_group_p384,
        scalar: 48,
        hash: aws::SHA384,
        digest: 48,
        ledger: false,
    },
];

/// Length in bytes of the longest digest that a curve in [`CURVES`] uses.
const DIGEST: usize = 48;

const ENCODING: Error = Error::Unsupported("ECDSA signing keys must be encoded as a scalar");

impl Curve {
    fn group(&self) -> *const aws::EC_GROUP {
        // SAFETY: the function takes no arguments and returns a static object.
        unsafe { (self.group)() }
    }

    fn compressed(&self) -> usize {
        1 + self.scalar
    }

    fn uncompressed(&self) -> usize {
        1 + 2 * self.scalar
    }

    fn verifying_key(&self) -> usize {
        if self.ledger { self.compressed() } else { self.uncompressed() }
    }

    fn signature(&self) -> usize {
        2 * self.scalar
    }

    fn hash(&self, message: &[u8]) -> Result<[u8; DIGEST]> {
        let mut digest = [0; DIGEST];
        // SAFETY: the message is passed with its length. The call writes `self.digest` bytes, at
        // most `DIGEST`.
        let returned = unsafe { (self.hash)(message.as_ptr(), message.len(), digest.as_mut_ptr()) };
        if returned.is_null() { Err(library("SHA-2")) } else { Ok(digest) }
    }

    fn empty_key(&self) -> Result<Owned<aws::EC_KEY>> {
        // SAFETY: the call returns null or a new key that we own.
        let key = unsafe { Owned::from_raw(aws::EC_KEY_new()) }.ok_or_else(|| library("EC_KEY_new"))?;
        // SAFETY: nothing else uses the key.
        check("EC_KEY_set_group", unsafe { aws::EC_KEY_set_group(key.as_ptr(), self.group()) })?;
        Ok(key)
    }

    fn empty_point(&self) -> Result<Owned<aws::EC_POINT>> {
        // SAFETY: the call returns null or a new point that we own.
        unsafe { Owned::from_raw(aws::EC_POINT_new(self.group())) }.ok_or_else(|| library("EC_POINT_new"))
    }

    fn generate(&self, coins: Coins) -> Result<Owned<aws::EC_KEY>> {
        if let Coins::Exact(scalar) = coins {
            Error::check_length("coins", self.scalar, scalar.len())?;
            return self.load_private(scalar);
        }
        let key = self.empty_key()?;
        // SAFETY: nothing else uses the key.
        check("EC_KEY_generate_key", unsafe { aws::EC_KEY_generate_key(key.as_ptr()) })?;
        Ok(key)
    }

    /// Loads a key pair from a big-endian scalar.
    fn load_private(&self, scalar: &[u8]) -> Result<Owned<aws::EC_KEY>> {
        let key = self.empty_key()?;
        let public = self.empty_point()?;
        // SAFETY: the pointer and length describe `scalar`. The call returns null or a number that
        // we own.
        let number = unsafe { Owned::from_raw(aws::BN_bin2bn(scalar.as_ptr(), scalar.len(), null_mut())) };
        let number = number.ok_or_else(|| library("BN_bin2bn"))?;
        // The library rejects zero and scalars greater than or equal to the group order.
        // SAFETY: nothing else uses the key, which copies the number.
        if unsafe { aws::EC_KEY_set_private_key(key.as_ptr(), number.as_ptr()) } != 1 {
            return Err(malformed("ECDSA signing key"));
        }
        // SAFETY: the first call writes to a point that we own. The second call copies the point
        // into the key.
        unsafe {
            let returned =
                aws::EC_POINT_mul(self.group(), public.as_ptr(), number.as_ptr(), null(), null(), null_mut());
            check("EC_POINT_mul", returned)?;
            check("EC_KEY_set_public_key", aws::EC_KEY_set_public_key(key.as_ptr(), public.as_ptr()))?;
        }
        Ok(key)
    }

    /// Loads a compressed or uncompressed public key (SEC 1, section 2.3.4).
    fn load_public(&self, bytes: &[u8]) -> Result<Owned<aws::EC_KEY>> {
        let expected_form = match bytes.len() {
            length if length == self.compressed() => matches!(bytes[0], 2 | 3),
            length if length == self.uncompressed() => bytes[0] == 4,
            actual => return Err(Error::Length { what: "verifying key", expected: self.verifying_key(), actual }),
        };
        let key = self.empty_key()?;
        let point = self.empty_point()?;
        // The library rejects points that are not on the curve. Every point on the curve except infinity is a valid
        // key because the cofactor is 1, and these encodings cannot represent infinity.
        // SAFETY: the pointer and length describe `bytes`, and we own the point that the call
        // writes.
        let decoded = expected_form
            && unsafe {
                aws::EC_POINT_oct2point(self.group(), point.as_ptr(), bytes.as_ptr(), bytes.len(), null_mut())
            } == 1;
        if !decoded {
            return Err(malformed("ECDSA verifying key"));
        }
        // SAFETY: nothing else uses the key, which copies the point.
        check("EC_KEY_set_public_key", unsafe { aws::EC_KEY_set_public_key(key.as_ptr(), point.as_ptr()) })?;
        Ok(key)
    }

    fn write_public(&self, key: &Owned<aws::EC_KEY>, out: &mut [u8]) -> Result<usize> {
        let out = front_of("verifying key", out, self.verifying_key())?;
        let form = if self.ledger {
            aws::point_conversion_form_t::POINT_CONVERSION_COMPRESSED
        } else {
            aws::point_conversion_form_t::POINT_CONVERSION_UNCOMPRESSED
        };
        // SAFETY: the call writes at most `out.len()` bytes, and the point belongs to the key.
        let written = unsafe {
            let point = aws::EC_KEY_get0_public_key(key.as_ptr());
            aws::EC_POINT_point2oct(self.group(), point, form, out.as_mut_ptr(), out.len(), null_mut())
        };
        if written == out.len() { Ok(written) } else { Err(library("EC_POINT_point2oct")) }
    }

    fn write_private(&self, key: &Owned<aws::EC_KEY>, out: &mut [u8]) -> Result<usize> {
        let out = front_of("signing key", out, self.scalar)?;
        // SAFETY: the call writes exactly `out.len()` bytes, and the number belongs to the key.
        let returned = unsafe {
            let number = aws::EC_KEY_get0_private_key(key.as_ptr());
            aws::BN_bn2bin_padded(out.as_mut_ptr(), out.len(), number)
        };
        check("BN_bn2bin_padded", returned)?;
        Ok(self.scalar)
    }
}

struct Ecdsa {
    info: SignatureInfo,
    curve: &'static Curve,
    /// Half of the group order. `None` if signatures are not normalized.
    half_order: Option<Arc<Owned<aws::BIGNUM>>>,
}

impl Ecdsa {
    fn prepared(&self, key: Owned<aws::EC_KEY>) -> PrivateKey {
        PrivateKey { key, half_order: self.half_order.clone(), curve: self.curve }
    }
}

impl SignatureScheme for Ecdsa {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    /// Returns true, because the library generates a random nonce.
    fn draws_to_sign(&self) -> bool {
        true
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        Error::check_length("verifying key", self.curve.verifying_key(), verifying_key.len())?;
        Error::check_length("signing key", self.curve.scalar, signing_key.len())?;
        let key = self.curve.generate(coins)?;
        Ok((self.curve.write_public(&key, verifying_key)?, self.curve.write_private(&key, signing_key)?))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(self.prepared(self.curve.generate(coins)?)))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        if encoding != KeyEncoding::Scalar {
            return Err(ENCODING);
        }
        Error::check_length("signing key", self.curve.scalar, bytes.len())?;
        Ok(Box::new(self.prepared(self.curve.load_private(bytes)?)))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(PublicKey::new(self.curve.load_public(bytes)?, self.curve)))
    }
}

struct PrivateKey {
    key: Owned<aws::EC_KEY>,
    half_order: Option<Arc<Owned<aws::BIGNUM>>>,
    curve: &'static Curve,
}

fn half_order(curve: &Curve) -> Result<Owned<aws::BIGNUM>> {
    // SAFETY: the call returns null or a new number that we own.
    let half = unsafe { Owned::from_raw(aws::BN_new()) }.ok_or_else(|| library("BN_new"))?;
    // SAFETY: the call reads the order, which belongs to the static group, and writes to a number that we own.
    check("BN_rshift1", unsafe { aws::BN_rshift1(half.as_ptr(), aws::EC_GROUP_get0_order(curve.group())) })?;
    Ok(half)
}

impl SigningKey for PrivateKey {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        no_context(context)?;
        if let Coins::Exact(_) = coins {
            return Err(Error::Unsupported("aws-lc signs ECDSA only with random nonces"));
        }
        let out = front_of("signature", out, self.curve.signature())?;
        let digest = self.curve.hash(message)?;
        // SAFETY: the digest is passed with its length. The call returns null or a signature that
        // we own.
        let signature =
            unsafe { Owned::from_raw(aws::ECDSA_do_sign(digest.as_ptr(), self.curve.digest, self.key.as_ptr())) };
        let signature = signature.ok_or_else(|| library("ECDSA_do_sign"))?;
        // SAFETY: the signature is valid, and `ECDSA_do_sign` set its `r` and `s`.
        let (r, s) = unsafe { ((*signature.as_ptr()).r, (*signature.as_ptr()).s) };
        if let Some(half_order) = &self.half_order {
            // SAFETY: nothing else uses `s`, and `BN_sub` may write its result to one of its
            // operands.
            unsafe {
                if aws::BN_ucmp(s, half_order.as_ptr()) > 0 {
                    check("BN_sub", aws::BN_sub(s, aws::EC_GROUP_get0_order(self.curve.group()), s))?;
                }
            }
        }
        let (r_out, s_out) = out.split_at_mut(self.curve.scalar);
        // SAFETY: each call writes exactly as many bytes as its buffer holds.
        unsafe {
            check("BN_bn2bin_padded", aws::BN_bn2bin_padded(r_out.as_mut_ptr(), r_out.len(), r))?;
            check("BN_bn2bin_padded", aws::BN_bn2bin_padded(s_out.as_mut_ptr(), s_out.len(), s))?;
        }
        Ok(self.curve.signature())
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        // SAFETY: the first call adds the reference that the new owner releases. It cannot fail for
        // a live key.
        let key = unsafe {
            aws::EC_KEY_up_ref(self.key.as_ptr());
            Owned::from_raw(self.key.as_ptr())
        };
        Ok(Box::new(PublicKey::new(key.ok_or_else(|| library("EC_KEY_up_ref"))?, self.curve)))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Scalar {
            return Err(ENCODING);
        }
        self.curve.write_private(&self.key, out)
    }
}

struct PublicKey {
    key: Owned<aws::EC_KEY>,
    /// Reusable objects for decoded signatures.
    signatures: Contexts<Owned<aws::ECDSA_SIG>>,
    curve: &'static Curve,
}

impl PublicKey {
    fn new(key: Owned<aws::EC_KEY>, curve: &'static Curve) -> PublicKey {
        PublicKey { key, signatures: Contexts::new(), curve }
    }
}

impl VerifyingKey for PublicKey {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        no_context(context)?;
        if signature.len() != self.curve.signature() {
            return Err(Error::VerificationFailed);
        }
        let (r, s) = signature.split_at(self.curve.scalar);
        let digest = self.curve.hash(message)?;
        self.signatures.with(empty_signature, |numbers| {
            let numbers = numbers.as_ptr();
            // SAFETY: only this thread uses `numbers`, and `ECDSA_SIG_new` allocated its `r` and
            // `s`. The halves of the signature and the digest are passed with their lengths.
            unsafe {
                if aws::BN_bin2bn(r.as_ptr(), r.len(), (*numbers).r).is_null()
                    || aws::BN_bin2bn(s.as_ptr(), s.len(), (*numbers).s).is_null()
                {
                    return Err(library("BN_bin2bn"));
                }
                if aws::ECDSA_do_verify(digest.as_ptr(), self.curve.digest, numbers, self.key.as_ptr()) == 1 {
                    Ok(())
                } else {
                    Err(verification_failed())
                }
            }
        })
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        self.curve.write_public(&self.key, out)
    }
}

fn empty_signature() -> Result<Owned<aws::ECDSA_SIG>> {
    // SAFETY: the call returns null or a new object that we own.
    unsafe { Owned::from_raw(aws::ECDSA_SIG_new()) }.ok_or_else(|| library("ECDSA_SIG_new"))
}
