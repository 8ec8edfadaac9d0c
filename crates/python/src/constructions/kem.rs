//! Key encapsulation: standard KEMs and hybrids.

use super::keys::{KeyPair, Public, PublicKey, Secret, SecretKey, encoding_of};
use super::source::{Kind, Source};
use crate::errors::{Answer, Failure, detached};
use crate::input::Bytes;
use pqlab_lab::by_name::hybrid_names;
use pqlab_lab::primitives::{Coins, Kem, KemParameters, Wiped};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<KemObject>()
}

/// A key-encapsulation mechanism (KEM), plain or hybrid.
///
/// The default provider is the first one that offers the algorithm. A hybrid can combine two providers:
/// ``aws-lc+liboqs`` takes the classical half from ``aws-lc`` and the post-quantum half from ``liboqs``.
///
/// :raises pqlab.UnknownName: No provider offers the algorithm.
#[pyclass(frozen, subclass, module = "pqlab", name = "KEM")]
pub(crate) struct KemObject {
    source: Arc<Source>,
}

impl KemObject {
    fn kem(&self) -> Answer<&dyn Kem> {
        self.source.kem()
    }

    fn parameters(&self) -> Answer<&KemParameters> {
        Ok(&self.kem()?.info().parameters)
    }

    fn generate(&self, py: Python<'_>, coins: Coins<'_>) -> Answer<KeyPair> {
        let (public, secret) = detached(py, || {
            let secret = SecretKey::generated(&self.source, Secret::Decapsulation(self.kem()?.generate(coins)?));
            Ok((secret.public()?, secret))
        })?;
        KeyPair::new(py, public, secret)
    }
}

#[pymethods]
impl KemObject {
    #[new]
    #[pyo3(signature = (algorithm="ML-KEM-768", provider=None))]
    fn new(algorithm: &str, provider: Option<&str>) -> Answer<KemObject> {
        Ok(KemObject { source: Source::find(Kind::Kem, algorithm, provider)? })
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

    /// Whether the KEM combines a classical and a post-quantum half.
    #[getter]
    fn is_hybrid(&self) -> bool {
        hybrid_names().any(|name| name == self.source.algorithm)
    }

    /// Length of a public key (encapsulation key) in bytes.
    #[getter]
    fn public_key_length(&self) -> Answer<usize> {
        Ok(self.parameters()?.encapsulation_key)
    }

    /// Length of a ciphertext in bytes.
    #[getter]
    fn ciphertext_length(&self) -> Answer<usize> {
        Ok(self.parameters()?.ciphertext)
    }

    /// Length of a shared secret in bytes.
    #[getter]
    fn secret_length(&self) -> Answer<usize> {
        Ok(self.parameters()?.shared_secret)
    }

    /// Generates a random key pair.
    fn generate_keypair(&self, py: Python<'_>) -> Answer<KeyPair> {
        self.generate(py, Coins::Internal)
    }

    /// Generates a key pair from a seed, which replaces the standard's random bytes (``d || z`` for ML-KEM).
    ///
    /// :raises pqlab.InvalidArgument: The seed has the wrong length.
    fn keypair_from_seed(&self, py: Python<'_>, seed: Bytes<'_>) -> Answer<KeyPair> {
        let expected = self.parameters()?.keygen_coins;
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

    /// Encapsulates a new shared secret to a public key.
    ///
    /// ``coins`` replaces the standard's random bytes, for tests.
    ///
    /// :return: The ciphertext and the shared secret.
    /// :raises pqlab.InvalidArgument: The key is for a different algorithm, or ``coins`` has the wrong length.
    #[pyo3(signature = (public_key, coins=None))]
    fn encapsulate<'py>(
        &self,
        py: Python<'py>,
        public_key: &Bound<'py, PublicKey>,
        coins: Option<Bytes<'_>>,
    ) -> Answer<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let (key, parameters) = (public_key.get(), self.parameters()?);
        self.source.check_same(&key.source, "public_key")?;
        if let Some(coins) = &coins
            && coins.len() != parameters.encapsulation_coins
        {
            let (actual, expected) = (coins.len(), parameters.encapsulation_coins);
            return Err(Failure::argument("coins", format!("needs {expected} bytes, not {actual}")));
        }
        let mut ciphertext = vec![0; parameters.ciphertext];
        let mut secret = Wiped::new(vec![0; parameters.shared_secret]);
        detached(py, || {
            let coins = coins.as_deref().map_or(Coins::Internal, Coins::Exact);
            let other;
            let key = if self.source.provider == key.source.provider {
                key
            } else {
                other = PublicKey::load(&self.source, key.bytes()?)?;
                &other
            };
            let Public::Encapsulation(key) = &key.prepared else {
                return Err(Failure::argument("public_key", "a verifying key cannot encapsulate"));
            };
            Ok(key.encapsulate(coins, &mut ciphertext, &mut secret)?)
        })?;
        Ok((PyBytes::new(py, &ciphertext), PyBytes::new(py, &secret)))
    }

    /// Recovers the shared secret from a ciphertext.
    ///
    /// A modified ciphertext of the right length yields a different secret (implicit rejection).
    ///
    /// :return: The shared secret.
    /// :raises pqlab.InvalidArgument: The key is for a different algorithm, or the ciphertext has the wrong length.
    fn decapsulate<'py>(
        &self,
        py: Python<'py>,
        secret_key: &Bound<'py, SecretKey>,
        ciphertext: Bytes<'_>,
    ) -> Answer<Bound<'py, PyBytes>> {
        let (key, parameters) = (secret_key.get(), self.parameters()?);
        self.source.check_same(&key.source, "secret_key")?;
        if ciphertext.len() != parameters.ciphertext {
            let (actual, expected) = (ciphertext.len(), parameters.ciphertext);
            return Err(Failure::argument("ciphertext", format!("needs {expected} bytes, not {actual}")));
        }
        let mut secret = Wiped::new(vec![0; parameters.shared_secret]);
        detached(py, || {
            let other;
            let key = if self.source.provider == key.source.provider {
                key
            } else {
                other = key.by(&self.source)?;
                &other
            };
            let Secret::Decapsulation(key) = &key.prepared else {
                return Err(Failure::argument("secret_key", "a signing key cannot decapsulate"));
            };
            Ok(key.decapsulate(&ciphertext, &mut secret)?)
        })?;
        Ok(PyBytes::new(py, &secret))
    }

    fn __repr__(&self) -> String {
        format!("<KEM {} from {}>", self.source.algorithm, self.source.provider)
    }
}
