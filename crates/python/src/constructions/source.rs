//! KEMs and signature schemes from providers, looked up once and then cached.

use crate::errors::{Answer, Failure};
use pqlab_lab::by_name::{self, Offered};
use pqlab_lab::primitives::{Kem, KeyEncoding, SignatureInfo, SignatureScheme};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Implementation of an algorithm.
pub(crate) enum Use {
    Kem(Arc<dyn Kem>),
    Signature(Arc<dyn SignatureScheme>),
}

/// An algorithm from one provider.
pub(crate) struct Source {
    pub(crate) algorithm: String,
    pub(crate) provider: String,
    pub(crate) of: Use,
}

/// Kind of algorithm to look up. X25519 counts as a KEM.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Kem,
    Signature,
}

type Name = (Kind, String, Option<String>);
static SOURCES: LazyLock<Mutex<HashMap<Name, Arc<Source>>>> = LazyLock::new(Mutex::default);

impl Source {
    /// Finds an algorithm by name, from the given provider or from the first one that offers the algorithm. Failed
    /// lookups are not cached.
    pub(crate) fn find(kind: Kind, algorithm: &str, provider: Option<&str>) -> Answer<Arc<Source>> {
        let name = (kind, algorithm.to_owned(), provider.map(str::to_owned));
        let sources = || SOURCES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = sources().get(&name) {
            return Ok(Arc::clone(found));
        }
        let (provider, of) = match kind {
            Kind::Kem => {
                let Offered { provider, implementation } = by_name::kem(algorithm, provider)?;
                (provider, Use::Kem(implementation))
            }
            Kind::Signature => {
                let Offered { provider, implementation } = by_name::signature(algorithm, provider)?;
                (provider, Use::Signature(implementation))
            }
        };
        let found = Arc::new(Source { algorithm: algorithm.to_owned(), provider, of });
        // A pattern such as `l*` can also select a provider. Only full names are cached, so that the map stays small.
        if name.2.as_deref().is_none_or(|asked| asked == found.provider) {
            sources().insert(name, Arc::clone(&found));
        }
        Ok(found)
    }

    /// Finds an algorithm by name among the KEMs and then among the signature schemes.
    pub(crate) fn of_either(algorithm: &str, provider: Option<&str>) -> Answer<Arc<Source>> {
        let signature = Source::find(Kind::Signature, algorithm, provider);
        Source::find(Kind::Kem, algorithm, provider).or(signature)
    }

    /// Returns the KEM. Fails for a signature scheme.
    pub(crate) fn kem(&self) -> Answer<&dyn Kem> {
        match &self.of {
            Use::Kem(kem) => Ok(kem.as_ref()),
            Use::Signature(_) => {
                Err(Failure::argument("key", format!("{} is a signature scheme, not a KEM", self.algorithm)))
            }
        }
    }

    /// Returns the signature scheme. Fails for a KEM.
    pub(crate) fn scheme(&self) -> Answer<&dyn SignatureScheme> {
        match &self.of {
            Use::Signature(scheme) => Ok(scheme.as_ref()),
            Use::Kem(_) => {
                Err(Failure::argument("key", format!("{} is a KEM, not a signature scheme", self.algorithm)))
            }
        }
    }

    /// Returns the properties of the signature scheme.
    pub(crate) fn signature_info(&self) -> Answer<&SignatureInfo> {
        Ok(self.scheme()?.info())
    }

    /// Returns the length of an encoded public key in bytes, or the maximum if the length varies.
    pub(crate) fn public_length(&self) -> usize {
        match &self.of {
            Use::Kem(kem) => kem.info().parameters.encapsulation_key,
            Use::Signature(scheme) => scheme.info().parameters.verifying_key,
        }
    }

    /// Returns the length of an encoded secret key in bytes, or the maximum if the length varies.
    pub(crate) fn secret_length(&self, encoding: KeyEncoding) -> Option<usize> {
        match &self.of {
            Use::Kem(kem) => kem.info().decapsulation_key(encoding),
            Use::Signature(scheme) => scheme.info().signing_key(encoding),
        }
    }

    /// Returns the secret key encodings that the provider loads.
    pub(crate) fn encodings(&self) -> &[KeyEncoding] {
        match &self.of {
            Use::Kem(kem) => &kem.info().encodings,
            Use::Signature(scheme) => &scheme.info().encodings,
        }
    }

    /// Fails if a key is for a different algorithm. The provider may differ, because keys are exchanged as bytes.
    pub(crate) fn check_same(&self, other: &Source, argument: &str) -> Answer<()> {
        if self.algorithm == other.algorithm {
            return Ok(());
        }
        Err(Failure::argument(argument, format!("needs a key for {}, not for {}", self.algorithm, other.algorithm)))
    }
}
