//! SLH-DSA (FIPS 205) from the `slh-dsa` crate, with all twelve parameter sets.

use super::prehash::{signs_formatted, verifies_formatted};
use crate::shared::bytes::{check_context, write};
use crate::shared::draw::draw;
use ::slh_dsa::{ParameterSet, Signature, SigningKey, VerifyingKey};
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Prehash, Result, SignatureInfo, SignatureParameters,
    SignatureScheme, SigningKey as SigningKeyTrait, VerifyingKey as VerifyingKeyTrait, Wiped,
};
use std::marker::PhantomData;
use std::sync::Arc;

pub(super) fn signatures() -> Vec<Arc<dyn SignatureScheme>> {
    vec![
        SlhDsa::<::slh_dsa::Sha2_128s>::new(),
        SlhDsa::<::slh_dsa::Shake128s>::new(),
        SlhDsa::<::slh_dsa::Sha2_128f>::new(),
        SlhDsa::<::slh_dsa::Shake128f>::new(),
        SlhDsa::<::slh_dsa::Sha2_192s>::new(),
        SlhDsa::<::slh_dsa::Shake192s>::new(),
        SlhDsa::<::slh_dsa::Sha2_192f>::new(),
        SlhDsa::<::slh_dsa::Shake192f>::new(),
        SlhDsa::<::slh_dsa::Sha2_256s>::new(),
        SlhDsa::<::slh_dsa::Shake256s>::new(),
        SlhDsa::<::slh_dsa::Sha2_256f>::new(),
        SlhDsa::<::slh_dsa::Shake256f>::new(),
    ]
}

/// Largest security parameter `n` in bytes (FIPS 205, table 2).
const MAX_N: usize = 32;

struct SlhDsa<P> {
    info: SignatureInfo,
    set: PhantomData<P>,
}

impl<P: ParameterSet + Send + Sync + 'static> SlhDsa<P> {
    #[allow(clippy::new_ret_no_self, reason = "callers use this type only through the trait")]
    fn new() -> Arc<dyn SignatureScheme> {
        let info = SignatureInfo {
            parameters: SignatureParameters::find(P::NAME).expect("missing from the parameter table"),
            encodings: vec![KeyEncoding::Expanded],
            coins: CoinSupport { keygen: true, operation: true },
            context: true,
            hedged: true,
        };
        Arc::new(SlhDsa::<P> { info, set: PhantomData })
    }

    /// Generates a key from caller-supplied or random `SK.seed || SK.prf || PK.seed` (FIPS 205, algorithm 21).
    fn generate_key(&self, coins: Coins) -> Result<SigningKey<P>> {
        let length = self.info.parameters.keygen_coins;
        let mut drawn = Wiped::new([0; 3 * MAX_N]);
        let seeds = match coins {
            Coins::Exact(seeds) => seeds,
            Coins::Internal => {
                draw(&mut drawn[..length])?;
                &drawn[..length]
            }
        };
        Error::check_length("coins", length, seeds.len())?;
        let (sk_seed, rest) = seeds.split_at(length / 3);
        let (sk_prf, pk_seed) = rest.split_at(length / 3);
        Ok(SigningKey::slh_keygen_internal(sk_seed, sk_prf, pk_seed))
    }
}

impl<P: ParameterSet + Send + Sync + 'static> SignatureScheme for SlhDsa<P> {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn prehashes(&self) -> &[Prehash] {
        &Prehash::ALL
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let key = self.generate_key(coins)?;
        let verifying = write("verifying key", verifying_key, &key.as_ref().to_bytes())?;
        Ok((verifying, write("signing key", signing_key, &Wiped::new(key.to_bytes()))?))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKeyTrait>> {
        let n = self.info.parameters.signing_coins;
        Ok(Box::new(PreparedSigningKey { key: self.generate_key(coins)?, n }))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKeyTrait>> {
        if encoding != KeyEncoding::Expanded {
            return Err(Error::Unsupported("SLH-DSA keys have only one encoding"));
        }
        let n = self.info.parameters.signing_coins;
        Error::check_length("signing key", 4 * n, bytes.len())?;
        let key = SigningKey::<P>::try_from(bytes).map_err(|_| Error::Malformed("signing key"))?;
        Ok(Box::new(PreparedSigningKey { key, n }))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKeyTrait>> {
        Error::check_length("verifying key", self.info.parameters.verifying_key, bytes.len())?;
        let key = VerifyingKey::<P>::try_from(bytes).map_err(|_| Error::Malformed("verifying key"))?;
        Ok(Box::new(PreparedVerifyingKey(key)))
    }
}

/// Signing key in encoded form, because the crate does not expand keys.
struct PreparedSigningKey<P: ParameterSet> {
    key: SigningKey<P>,
    /// Security parameter in bytes, which is the length of `addrnd` (FIPS 205, algorithm 22).
    n: usize,
}

impl<P: ParameterSet> PreparedSigningKey<P> {
    /// Returns a caller-supplied or random `addrnd`, or `None` for the deterministic variant.
    fn addrnd<'a>(&self, coins: Coins<'a>, drawn: &'a mut [u8; MAX_N]) -> Result<Option<&'a [u8]>> {
        match coins {
            Coins::Exact([]) => Ok(None),
            Coins::Exact(addrnd) => {
                Error::check_length("coins", self.n, addrnd.len())?;
                Ok(Some(addrnd))
            }
            Coins::Internal => {
                let drawn = &mut drawn[..self.n];
                draw(drawn)?;
                Ok(Some(drawn))
            }
        }
    }
}

impl<P: ParameterSet + Send + Sync + 'static> SigningKeyTrait for PreparedSigningKey<P> {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        check_context(context)?;
        let mut drawn = [0; MAX_N];
        let signature = self
            .key
            .try_sign_with_context(message, context, self.addrnd(coins, &mut drawn)?)
            .map_err(|error| Error::Library { call: "slh_dsa sign", detail: error.to_string() })?;
        write("signature", out, &signature.to_bytes())
    }

    fn sign_internal(&self, formatted: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        let mut drawn = [0; MAX_N];
        let signature = self.key.slh_sign_internal(&[formatted], self.addrnd(coins, &mut drawn)?);
        write("signature", out, &signature.to_bytes())
    }

    signs_formatted!();

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKeyTrait>> {
        Ok(Box::new(PreparedVerifyingKey(self.key.as_ref().clone())))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Expanded => write("signing key", out, &Wiped::new(self.key.to_bytes())),
            _ => Err(Error::Unsupported("SLH-DSA keys have only one encoding")),
        }
    }
}

struct PreparedVerifyingKey<P: ParameterSet>(VerifyingKey<P>);

impl<P: ParameterSet + Send + Sync + 'static> VerifyingKeyTrait for PreparedVerifyingKey<P> {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        check_context(context)?;
        let signature = Signature::<P>::try_from(signature).map_err(|_| Error::VerificationFailed)?;
        self.0.try_verify_with_context(message, context, &signature).map_err(|_| Error::VerificationFailed)
    }

    verifies_formatted!();

    fn verify_internal(&self, formatted: &[u8], signature: &[u8]) -> Result<()> {
        let signature = Signature::<P>::try_from(signature).map_err(|_| Error::VerificationFailed)?;
        self.0.slh_verify_internal(&[formatted], &signature).map_err(|_| Error::VerificationFailed)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write("verifying key", out, &self.0.to_bytes())
    }
}
