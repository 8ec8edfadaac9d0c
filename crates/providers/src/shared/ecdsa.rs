//! ECDSA (FIPS 186-5, section 6; SEC 1) for libraries in Rust. A signing key is encoded as a scalar, a verifying key as
//! a point, and a signature as `r || s`.

use super::bytes::no_context;
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureParameters, SignatureScheme,
    SigningKey, VerifyingKey,
};
use std::marker::PhantomData;
use std::sync::Arc;

/// A library's types and functions for a curve.
pub(crate) trait Curve: Send + Sync + 'static {
    /// Name of the algorithm in the table of signature schemes, such as `ECDSA-P-256`.
    const ALGORITHM: &'static str;
    /// Length of a scalar in bytes.
    const SCALAR: usize;
    /// Whether nonces are deterministic (RFC 6979). If `false`, the library mixes random bytes into each nonce (RFC
    /// 6979, section 3.6).
    const DETERMINISTIC: bool;
    /// Whether the library also decodes compressed points (SEC 1, section 2.3.4).
    const COMPRESSED: bool;
    /// Signing key: the scalar and any data that the library stores with it. Must wipe itself on drop.
    type Signing: Send + Sync;
    /// Verifying key, as a decompressed point.
    type Verifying: Send + Sync;

    fn generate() -> Result<Self::Signing>;
    /// Creates a key pair from a caller-supplied scalar and computes the public point.
    fn generate_from(scalar: &[u8]) -> Result<Self::Signing> {
        Self::decode_signing_key(scalar)
    }
    fn decode_signing_key(scalar: &[u8]) -> Result<Self::Signing>;
    fn encode_signing_key(key: &Self::Signing, out: &mut [u8]) -> Result<usize>;
    fn verifying_key(key: &Self::Signing) -> Result<Self::Verifying>;
    /// Writes the public point for a signing key.
    fn encode_public_half(key: &Self::Signing, out: &mut [u8]) -> Result<usize>;
    fn decode_verifying_key(bytes: &[u8]) -> Result<Self::Verifying>;
    fn encode_verifying_key(key: &Self::Verifying, out: &mut [u8]) -> Result<usize>;
    fn sign(key: &Self::Signing, message: &[u8], out: &mut [u8]) -> Result<usize>;
    fn verify(key: &Self::Verifying, message: &[u8], signature: &[u8]) -> Result<()>;
}

struct Ecdsa<C> {
    info: SignatureInfo,
    curve: PhantomData<C>,
}

/// Returns ECDSA over the curve `C`.
pub(crate) fn ecdsa<C: Curve>() -> Arc<dyn SignatureScheme> {
    let info = SignatureInfo {
        parameters: SignatureParameters::find(C::ALGORITHM).expect("missing from the parameter table"),
        encodings: vec![KeyEncoding::Scalar],
        coins: CoinSupport { keygen: true, operation: C::DETERMINISTIC },
        context: false,
        hedged: !C::DETERMINISTIC,
    };
    Arc::new(Ecdsa::<C> { info, curve: PhantomData })
}

impl<C: Curve> Ecdsa<C> {
    /// Generates a key. Exact coins are the big-endian scalar.
    fn generate_key(coins: Coins) -> Result<C::Signing> {
        match coins {
            Coins::Internal => C::generate(),
            Coins::Exact(scalar) => {
                Error::check_length("coins", C::SCALAR, scalar.len())?;
                C::generate_from(scalar)
            }
        }
    }
}

impl<C: Curve> SignatureScheme for Ecdsa<C> {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let key = Self::generate_key(coins)?;
        let verifying = C::encode_public_half(&key, verifying_key)?;
        Ok((verifying, C::encode_signing_key(&key, signing_key)?))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(PreparedSigningKey::<C>(Self::generate_key(coins)?)))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        if encoding != KeyEncoding::Scalar {
            return Err(Error::Unsupported("ECDSA signing keys must be encoded as a scalar"));
        }
        Error::check_length("signing key", C::SCALAR, bytes.len())?;
        Ok(Box::new(PreparedSigningKey::<C>(C::decode_signing_key(bytes)?)))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        let (compressed, uncompressed) = (1 + C::SCALAR, 1 + 2 * C::SCALAR);
        if bytes.len() != uncompressed && !(C::COMPRESSED && bytes.len() == compressed) {
            Error::check_length("verifying key", self.info.parameters.verifying_key, bytes.len())?;
        }
        Ok(Box::new(PreparedVerifyingKey::<C>(C::decode_verifying_key(bytes)?)))
    }
}

/// Signing key: the scalar and the public point.
struct PreparedSigningKey<C: Curve>(C::Signing);

impl<C: Curve> SigningKey for PreparedSigningKey<C> {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        no_context(context)?;
        no_signing_coins::<C>(coins)?;
        C::sign(&self.0, message, out)
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(PreparedVerifyingKey::<C>(C::verifying_key(&self.0)?)))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Scalar => C::encode_signing_key(&self.0, out),
            _ => Err(Error::Unsupported("ECDSA signing keys must be encoded as a scalar")),
        }
    }
}

/// Verifying key as a decompressed point.
struct PreparedVerifyingKey<C: Curve>(C::Verifying);

impl<C: Curve> VerifyingKey for PreparedVerifyingKey<C> {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        no_context(context)?;
        C::verify(&self.0, message, signature)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        C::encode_verifying_key(&self.0, out)
    }
}

fn no_signing_coins<C: Curve>(coins: Coins) -> Result<()> {
    match coins {
        Coins::Exact(_) if !C::DETERMINISTIC => {
            Err(Error::Unsupported("the library does not accept caller-supplied randomness for nonces"))
        }
        coins => coins.exact::<0>().map(|_| ()),
    }
}
