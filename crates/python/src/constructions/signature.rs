//! Signatures: standard schemes and hybrids of two halves.

use super::keys::{KeyPair, Public, PublicKey, Secret, SecretKey, encoding_of};
use super::source::{Kind, Source};
use crate::errors::{Answer, Failure, detached};
use crate::input::Bytes;
use pqlab_lab::by_name::hybrid_names;
use pqlab_lab::primitives::Coins;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// Longest context in bytes (FIPS 204, section 5.2; RFC 8032, section 5.1).
const LONGEST_CONTEXT: usize = 255;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Sign>()
}

/// A signature scheme of a provider.
#[pyclass(frozen, subclass, module = "pqlab")]
pub(crate) struct Sign {
    source: Arc<Source>,
}

impl Sign {
    fn generate(&self, py: Python<'_>, coins: Coins<'_>) -> Answer<KeyPair> {
        let (public, secret) = detached(py, || {
            let secret = SecretKey::generated(&self.source, Secret::Signing(self.source.scheme()?.generate(coins)?));
            Ok((secret.public()?, secret))
        })?;
        KeyPair::new(py, public, secret)
    }

    fn check_context(&self, context: &[u8]) -> Answer<()> {
        if !context.is_empty() && !self.source.signature_info()?.context {
            let (algorithm, provider) = (&self.source.algorithm, &self.source.provider);
            return Err(Failure::argument("context", format!("{algorithm} of {provider} does not accept a context")));
        }
        if context.len() > LONGEST_CONTEXT {
            let reason = format!("at most {LONGEST_CONTEXT} bytes, not {}", context.len());
            return Err(Failure::argument("context", reason));
        }
        Ok(())
    }
}

#[pymethods]
impl Sign {
    #[new]
    #[pyo3(signature = (algorithm="ML-DSA-65", provider=None))]
    fn new(algorithm: &str, provider: Option<&str>) -> Answer<Sign> {
        Ok(Sign { source: Source::find(Kind::Signature, algorithm, provider)? })
    }

    /// The algorithm's name.
    #[getter]
    fn algorithm(&self) -> &str {
        &self.source.algorithm
    }

    /// The provider's id; of two with a plus, the classical one first.
    #[getter]
    fn provider(&self) -> &str {
        &self.source.provider
    }

    /// Whether it is put together of two halves.
    #[getter]
    fn is_hybrid(&self) -> bool {
        hybrid_names().any(|name| name == self.source.algorithm)
    }

    /// Whether two signatures of one message differ, unless `deterministic` is asked for.
    #[getter]
    fn is_hedged(&self) -> Answer<bool> {
        Ok(self.source.signature_info()?.hedged)
    }

    /// Length of a verifying key in bytes.
    #[getter]
    fn public_key_length(&self) -> Answer<usize> {
        Ok(self.source.signature_info()?.parameters.verifying_key)
    }

    /// Length of the longest signature in bytes.
    #[getter]
    fn signature_length(&self) -> Answer<usize> {
        Ok(self.source.signature_info()?.parameters.signature)
    }

    /// Draws a key pair.
    fn generate_keypair(&self, py: Python<'_>) -> Answer<KeyPair> {
        self.generate(py, Coins::Internal)
    }

    /// The key pair of the coins that the standard draws for it: ML-DSA and Ed25519 their seed.
    fn keypair_from_seed(&self, py: Python<'_>, seed: Bytes<'_>) -> Answer<KeyPair> {
        let expected = self.source.signature_info()?.parameters.keygen_coins;
        if expected == 0 {
            let reason = format!("no standard defines how {} derives a key from a seed", self.source.algorithm);
            return Err(Failure::argument("seed", reason));
        }
        if seed.len() != expected {
            return Err(Failure::argument("seed", format!("needs {expected} bytes, not {}", seed.len())));
        }
        self.generate(py, Coins::Exact(&seed))
    }

    /// The public key of these bytes.
    fn public_key(&self, py: Python<'_>, data: Bytes<'_>) -> Answer<PublicKey> {
        detached(py, || PublicKey::load(&self.source, &data))
    }

    /// The secret key of these bytes; their encoding follows from their length where it is not named.
    #[pyo3(signature = (data, encoding=None))]
    fn secret_key(&self, py: Python<'_>, data: Bytes<'_>, encoding: Option<&str>) -> Answer<SecretKey> {
        let encoding = encoding_of(&self.source, encoding, data.len())?;
        detached(py, || SecretKey::load(&self.source, encoding, &data))
    }

    /// Signs a message.
    #[pyo3(signature = (message, secret_key, context=None, deterministic=false))]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        message: Bytes<'_>,
        secret_key: &Bound<'py, SecretKey>,
        context: Option<Bytes<'_>>,
        deterministic: bool,
    ) -> Answer<Bound<'py, PyBytes>> {
        let (key, info) = (secret_key.get(), self.source.signature_info()?);
        self.source.check_same(&key.source, "secret_key")?;
        let context = context.as_deref().unwrap_or_default();
        self.check_context(context)?;
        let draws = info.parameters.signing_coins > 0;
        if deterministic && draws && !info.coins.operation {
            let (algorithm, provider) = (&self.source.algorithm, &self.source.provider);
            let reason = format!("{provider} does not offer deterministic {algorithm}");
            return Err(Failure::argument("deterministic", reason));
        }
        let coins = if deterministic && draws { Coins::Exact(&[]) } else { Coins::Internal };
        let mut signature = vec![0; info.parameters.signature];
        detached(py, || {
            let other;
            let key = if self.source.provider == key.source.provider {
                key
            } else {
                other = key.by(&self.source)?;
                &other
            };
            let Secret::Signing(key) = &key.prepared else {
                return Err(Failure::argument("secret_key", "a decapsulation key cannot sign"));
            };
            let length = key.sign(context, &message, coins, &mut signature)?;
            signature.truncate(length);
            Ok(())
        })?;
        Ok(PyBytes::new(py, &signature))
    }

    /// Raises VerificationFailed unless the signature is one of this key over this message and context.
    #[pyo3(signature = (message, signature, public_key, context=None))]
    fn verify(
        &self,
        py: Python<'_>,
        message: Bytes<'_>,
        signature: Bytes<'_>,
        public_key: &Bound<'_, PublicKey>,
        context: Option<Bytes<'_>>,
    ) -> Answer<()> {
        let key = public_key.get();
        self.source.check_same(&key.source, "public_key")?;
        let context = context.as_deref().unwrap_or_default();
        self.check_context(context)?;
        detached(py, || {
            let other;
            let key = if self.source.provider == key.source.provider {
                key
            } else {
                other = PublicKey::load(&self.source, key.bytes()?)?;
                &other
            };
            let Public::Verifying(key) = &key.prepared else {
                return Err(Failure::argument("public_key", "an encapsulation key cannot verify"));
            };
            Ok(key.verify(context, &message, &signature)?)
        })
    }

    fn __repr__(&self) -> String {
        format!("<Sign {} of {}>", self.source.algorithm, self.source.provider)
    }
}
