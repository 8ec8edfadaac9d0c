//! Signatures: standard schemes and hybrids.

use super::keys::{KeyPair, Public, PublicKey, Secret, SecretKey, encoding_of};
use super::source::{Kind, Source};
use crate::errors::{Answer, Failure, detached};
use crate::input::Bytes;
use pqlab_lab::by_name::hybrid_names;
use pqlab_lab::primitives::Coins;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// Maximum length of a context in bytes (FIPS 204, section 5.2; RFC 8032, section 5.1).
const LONGEST_CONTEXT: usize = 255;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Sign>()
}

/// A signature scheme, plain or hybrid.
///
/// The default provider is the first one that offers the algorithm. A hybrid can combine two providers:
/// ``aws-lc+liboqs`` takes the classical half from ``aws-lc`` and the post-quantum half from ``liboqs``.
///
/// :raises pqlab.UnknownName: No provider offers the algorithm.
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
            return Err(Failure::argument("context", format!("{provider} does not accept a context for {algorithm}")));
        }
        if context.len() > LONGEST_CONTEXT {
            let reason = format!("must be at most {LONGEST_CONTEXT} bytes, not {}", context.len());
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

    /// Name of the algorithm.
    #[getter]
    fn algorithm(&self) -> &str {
        &self.source.algorithm
    }

    /// Provider id. For a hybrid from two providers, both ids joined by a plus, the classical one first.
    #[getter]
    fn provider(&self) -> &str {
        &self.source.provider
    }

    /// Whether the scheme combines a classical and a post-quantum half.
    #[getter]
    fn is_hybrid(&self) -> bool {
        hybrid_names().any(|name| name == self.source.algorithm)
    }

    /// Whether signing is randomized unless ``deterministic`` is set, so that two signatures of one message differ.
    #[getter]
    fn is_hedged(&self) -> Answer<bool> {
        Ok(self.source.signature_info()?.hedged)
    }

    /// Length of a public key (verifying key) in bytes.
    #[getter]
    fn public_key_length(&self) -> Answer<usize> {
        Ok(self.source.signature_info()?.parameters.verifying_key)
    }

    /// Maximum length of a signature in bytes.
    #[getter]
    fn signature_length(&self) -> Answer<usize> {
        Ok(self.source.signature_info()?.parameters.signature)
    }

    /// Generates a random key pair.
    fn generate_keypair(&self, py: Python<'_>) -> Answer<KeyPair> {
        self.generate(py, Coins::Internal)
    }

    /// Generates a key pair from a seed, which replaces the standard's random bytes.
    ///
    /// :raises pqlab.InvalidArgument: The seed has the wrong length, or the algorithm has no standard seed.
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

    /// Loads a public key from its bytes.
    ///
    /// :raises pqlab.InvalidArgument: The bytes are not a public key for this algorithm.
    fn public_key(&self, py: Python<'_>, data: Bytes<'_>) -> Answer<PublicKey> {
        detached(py, || PublicKey::load(&self.source, &data))
    }

    /// Loads a secret key from its bytes. Without ``encoding``, the length of ``data`` determines the encoding.
    ///
    /// :raises pqlab.InvalidArgument: The bytes are not a secret key for this algorithm.
    #[pyo3(signature = (data, encoding=None))]
    fn secret_key(&self, py: Python<'_>, data: Bytes<'_>, encoding: Option<&str>) -> Answer<SecretKey> {
        let encoding = encoding_of(&self.source, encoding, data.len())?;
        detached(py, || SecretKey::load(&self.source, encoding, &data))
    }

    /// Signs a message.
    ///
    /// :param message: The message.
    /// :param secret_key: A signing key for this algorithm, from any provider.
    /// :param context: Context to sign with the message, at most 255 bytes (default empty).
    /// :param deterministic: Whether to sign without randomness (default false).
    /// :return: The signature.
    /// :raises pqlab.InvalidArgument: The key is for a different algorithm, or the provider does not support an option.
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
        let randomized = info.parameters.signing_coins > 0;
        if deterministic && randomized && !info.coins.operation {
            let (algorithm, provider) = (&self.source.algorithm, &self.source.provider);
            let reason = format!("{provider} does not offer deterministic {algorithm}");
            return Err(Failure::argument("deterministic", reason));
        }
        let coins = if deterministic && randomized { Coins::Exact(&[]) } else { Coins::Internal };
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

    /// Verifies a signature.
    ///
    /// :param message: The message.
    /// :param signature: The signature.
    /// :param public_key: A verifying key for this algorithm, from any provider.
    /// :param context: Context that was signed with the message, at most 255 bytes (default empty).
    /// :raises pqlab.VerificationFailed: The signature is not valid for this key, message and context.
    /// :raises pqlab.InvalidArgument: The key is for a different algorithm, or the scheme does not accept a context.
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
        format!("<Sign {} from {}>", self.source.algorithm, self.source.provider)
    }
}
