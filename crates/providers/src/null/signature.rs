use super::{Key, NULL, Private, Public, STANDARD, coins_head, expanded_only, head, summary, write_head, xor};
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureParameters, SignatureScheme,
    SigningKey, VerifyingKey,
};
use std::borrow::Cow;

/// Lengths of ML-DSA-65 keys and signatures in bytes (FIPS 204, table 2).
const VERIFYING_KEY: usize = 1952;
const SIGNING_KEY: usize = 4032;
pub(super) const SIGNATURE: usize = 3309;

pub(super) struct NullSignature(SignatureInfo);

impl NullSignature {
    pub(super) fn new() -> NullSignature {
        NullSignature(SignatureInfo {
            parameters: SignatureParameters {
                algorithm: NULL.into(),
                standard: STANDARD,
                category: None,
                verifying_key: VERIFYING_KEY,
                signing_keys: Cow::Borrowed(&[(KeyEncoding::Expanded, SIGNING_KEY)]),
                signature: SIGNATURE,
                variable_length: false,
                keygen_coins: 32,
                signing_coins: 0,
            },
            encodings: vec![KeyEncoding::Expanded],
            coins: CoinSupport { keygen: true, operation: true },
            context: false,
            hedged: false,
        })
    }
}

fn no_context(context: &[u8]) -> Result<()> {
    if context.is_empty() { Ok(()) } else { Err(Error::Unsupported("the scheme does not take a context string")) }
}

impl SignatureScheme for NullSignature {
    fn info(&self) -> &SignatureInfo {
        &self.0
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        Error::check_length("verifying key", VERIFYING_KEY, verifying_key.len())?;
        Error::check_length("signing key", SIGNING_KEY, signing_key.len())?;
        let word = coins_head(coins, 32)?;
        write_head(verifying_key, word);
        write_head(signing_key, word);
        Ok((VERIFYING_KEY, SIGNING_KEY))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        Ok(Box::new(Private(Key::new(coins_head(coins, 32)?, SIGNING_KEY))))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        expanded_only(encoding)?;
        Ok(Box::new(Private(Key::load("signing key", SIGNING_KEY, bytes)?)))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(Public(Key::load("verifying key", VERIFYING_KEY, bytes)?)))
    }
}

impl SigningKey for Private {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        no_context(context)?;
        coins_head(coins, 0)?;
        let (expected, actual) = (SIGNATURE, out.len());
        let out = out.get_mut(..expected).ok_or(Error::Length { what: "signature", expected, actual })?;
        write_head(out, xor(self.0.head(), summary(message)));
        Ok(SIGNATURE)
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        Ok(Box::new(Public(Key::new(self.0.head(), VERIFYING_KEY))))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        expanded_only(encoding)?;
        self.0.encode("signing key", out)
    }
}

impl VerifyingKey for Public {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        no_context(context)?;
        let valid = signature.len() == SIGNATURE && head(signature) == xor(self.0.head(), summary(message));
        if valid { Ok(()) } else { Err(Error::VerificationFailed) }
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        self.0.encode("verifying key", out)
    }
}
