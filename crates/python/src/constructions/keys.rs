//! Key objects. Public keys can be compared, hashed and pickled. Secret keys are wiped when they are freed, and reveal
//! their bytes only on request.

use super::source::{Source, Use};
use crate::errors::{Answer, Failure, Kind, detached};
use crate::input::Bytes;
use pqlab_constructions::keys::{DecodeError, Identifier, PrivateKey, PublicKey as Encoded};
use pqlab_lab::by_name;
use pqlab_lab::primitives::{
    DecapsulationKey, EncapsulationKey, Error, KeyEncoding, Result, SigningKey, VerifyingKey, Wiped,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyType};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PublicKey>()?;
    module.add_class::<SecretKey>()?;
    module.add_class::<KeyPair>()
}

impl From<DecodeError> for Failure {
    fn from(error: DecodeError) -> Failure {
        match error {
            DecodeError::Primitive(error) => error.into(),
            other => Failure::new(Kind::InvalidArgument, other.to_string()),
        }
    }
}

/// A prepared public key.
pub(crate) enum Public {
    Encapsulation(Box<dyn EncapsulationKey>),
    Verifying(Box<dyn VerifyingKey>),
}

/// A prepared secret key.
pub(crate) enum Secret {
    Decapsulation(Box<dyn DecapsulationKey>),
    Signing(Box<dyn SigningKey>),
}

/// Constructor that restores a pickled public key, and its arguments: algorithm and bytes.
type Reduced<'py> = (Bound<'py, PyAny>, (String, Bound<'py, PyBytes>));

/// A public key: an encapsulation key or a verifying key.
///
/// Two public keys are equal if they have the same algorithm and the same bytes. They can be hashed and pickled.
#[pyclass(frozen, module = "pqlab")]
pub(crate) struct PublicKey {
    pub(crate) source: Arc<Source>,
    pub(crate) prepared: Public,
    bytes: OnceLock<Vec<u8>>,
}

impl PublicKey {
    pub(crate) fn new(source: &Arc<Source>, prepared: Public) -> PublicKey {
        PublicKey { source: Arc::clone(source), prepared, bytes: OnceLock::new() }
    }

    pub(crate) fn load(source: &Arc<Source>, bytes: &[u8]) -> Answer<PublicKey> {
        let prepared = match &source.of {
            Use::Kem(kem) => Public::Encapsulation(kem.load_encapsulation_key(bytes)?),
            Use::Signature(scheme) => Public::Verifying(scheme.load_verifying_key(bytes)?),
        };
        Ok(PublicKey::new(source, prepared))
    }

    /// Returns the wire encoding of the key.
    pub(crate) fn bytes(&self) -> Answer<&[u8]> {
        if let Some(bytes) = self.bytes.get() {
            return Ok(bytes);
        }
        let mut bytes = vec![0; self.source.public_length()];
        let length = match &self.prepared {
            Public::Encapsulation(key) => key.encode(&mut bytes)?,
            Public::Verifying(key) => key.encode(&mut bytes)?,
        };
        bytes.truncate(length);
        Ok(self.bytes.get_or_init(|| bytes))
    }

    /// Returns the key with its object identifier, for DER and PEM.
    pub(crate) fn encoded(&self) -> Answer<Encoded> {
        Ok(Encoded::new(identifier(&self.source.algorithm)?, self.bytes()?)?)
    }
}

/// Returns the object identifier for the keys of an algorithm.
pub(crate) fn identifier(algorithm: &str) -> Answer<&'static Identifier> {
    Identifier::named(algorithm).ok_or_else(|| {
        let reason = format!("{algorithm} keys have no standard object identifier, which DER and PEM require");
        Failure::argument("key", reason).advising("use the raw key bytes")
    })
}

/// Fails unless keys of the algorithm have a CBOR encoding. Only hybrid keys in the reference form, which an earlier
/// system defined, have this encoding.
fn check_cbor(source: &Source) -> Answer<()> {
    if source.encodings().contains(&KeyEncoding::Cbor) {
        return Ok(());
    }
    let reason = format!("{} keys have no CBOR encoding; only the reference forms have one", source.algorithm);
    Err(Failure::argument("key", reason).advising("use to_der() or to_pem()"))
}

#[pymethods]
impl PublicKey {
    /// Loads a public key from its wire encoding.
    ///
    /// :param algorithm: Name of a KEM or a signature scheme.
    /// :param data: The bytes of the key.
    /// :param provider: Provider to use the key with (default is the first one that offers the algorithm).
    /// :raises pqlab.InvalidArgument: The bytes are not a public key for this algorithm.
    /// :raises pqlab.UnknownName: No provider with this id offers the algorithm.
    #[classmethod]
    #[pyo3(signature = (algorithm, data, provider=None))]
    fn from_bytes(
        _: &Bound<'_, PyType>,
        py: Python<'_>,
        algorithm: &str,
        data: Bytes<'_>,
        provider: Option<&str>,
    ) -> Answer<PublicKey> {
        detached(py, || PublicKey::load(&Source::of_either(algorithm, provider)?, &data))
    }

    /// Loads a public key from a SubjectPublicKeyInfo in PEM.
    ///
    /// :raises pqlab.InvalidArgument: ``pem`` is not a public key for a known algorithm.
    #[classmethod]
    #[pyo3(signature = (pem, provider=None))]
    fn from_pem(_: &Bound<'_, PyType>, py: Python<'_>, pem: &str, provider: Option<&str>) -> Answer<PublicKey> {
        detached(py, || PublicKey::of_encoded(&Encoded::from_pem(pem)?, provider))
    }

    /// Loads a public key from a SubjectPublicKeyInfo in DER.
    ///
    /// :raises pqlab.InvalidArgument: ``der`` is not a public key for a known algorithm.
    #[classmethod]
    #[pyo3(signature = (der, provider=None))]
    fn from_der(_: &Bound<'_, PyType>, py: Python<'_>, der: Bytes<'_>, provider: Option<&str>) -> Answer<PublicKey> {
        detached(py, || PublicKey::of_encoded(&Encoded::from_der(&der)?, provider))
    }

    /// Name of the algorithm.
    #[getter]
    fn algorithm(&self) -> &str {
        &self.source.algorithm
    }

    /// Id of the provider that loaded the key.
    #[getter]
    fn provider(&self) -> &str {
        &self.source.provider
    }

    /// Returns the wire encoding of the key.
    fn public_bytes<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.bytes()?))
    }

    /// Returns the SHA-256 digest of the DER SubjectPublicKeyInfo, in hexadecimal.
    ///
    /// :raises pqlab.InvalidArgument: Keys of this algorithm have no object identifier.
    fn fingerprint(&self, py: Python<'_>) -> Answer<String> {
        detached(py, || {
            let digest = self.encoded()?.fingerprint(by_name::hash("SHA-256", None)?.implementation.as_ref())?;
            Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
        })
    }

    /// Returns the SubjectPublicKeyInfo in PEM.
    ///
    /// :raises pqlab.InvalidArgument: Keys of this algorithm have no object identifier.
    fn to_pem(&self) -> Answer<String> {
        Ok(self.encoded()?.to_pem()?)
    }

    /// Returns the SubjectPublicKeyInfo in DER.
    ///
    /// :raises pqlab.InvalidArgument: Keys of this algorithm have no object identifier.
    fn to_der<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.encoded()?.to_der()?))
    }

    /// Returns both halves of the key as a CBOR array. Only hybrids in the reference form support this encoding.
    ///
    /// :raises pqlab.InvalidArgument: The algorithm is not a hybrid in the reference form.
    fn to_cbor<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyBytes>> {
        check_cbor(&self.source)?;
        self.public_bytes(py)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> Answer<bool> {
        let Ok(other) = other.cast::<PublicKey>() else { return Ok(false) };
        let other = other.get();
        Ok(self.source.algorithm == other.source.algorithm && self.bytes()? == other.bytes()?)
    }

    fn __hash__(&self) -> Answer<u64> {
        let mut hasher = DefaultHasher::new();
        (&self.source.algorithm, self.bytes()?).hash(&mut hasher);
        Ok(hasher.finish())
    }

    fn __repr__(&self) -> Answer<String> {
        let bytes = self.bytes()?;
        let begin: String = bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Ok(format!("<PublicKey {}, {} bytes, {begin}...>", self.source.algorithm, bytes.len()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, PublicKey>) -> Answer<Reduced<'py>> {
        let (py, key) = (slf.py(), slf.get());
        let constructor = py.get_type::<PublicKey>().getattr("from_bytes")?;
        Ok((constructor, (key.source.algorithm.clone(), key.public_bytes(py)?)))
    }
}

impl PublicKey {
    pub(crate) fn of_encoded(encoded: &Encoded, provider: Option<&str>) -> Answer<PublicKey> {
        PublicKey::load(&Source::of_either(encoded.identifier().algorithm, provider)?, encoded.as_bytes())
    }
}

/// A secret key: a decapsulation key or a signing key.
///
/// ``repr()`` and ``str()`` do not show the secret. Secret keys cannot be pickled or copied. Their memory is wiped when
/// they are freed.
#[pyclass(frozen, module = "pqlab")]
pub(crate) struct SecretKey {
    pub(crate) source: Arc<Source>,
    pub(crate) prepared: Secret,
    /// Encodings that the key can be exported in, shortest first.
    written: Vec<KeyEncoding>,
}

impl SecretKey {
    /// Wraps a newly generated key.
    pub(crate) fn generated(source: &Arc<Source>, prepared: Secret) -> SecretKey {
        let written = match &source.of {
            Use::Kem(kem) => kem.written(),
            Use::Signature(scheme) => scheme.written(),
        };
        SecretKey::new(source, prepared, written.to_vec())
    }

    fn new(source: &Arc<Source>, prepared: Secret, mut written: Vec<KeyEncoding>) -> SecretKey {
        written.sort_by_key(|&encoding| source.secret_length(encoding));
        SecretKey { source: Arc::clone(source), prepared, written }
    }

    pub(crate) fn load(source: &Arc<Source>, encoding: KeyEncoding, bytes: &[u8]) -> Answer<SecretKey> {
        let prepared = match &source.of {
            Use::Kem(kem) => Secret::Decapsulation(kem.load_decapsulation_key(encoding, bytes)?),
            Use::Signature(scheme) => Secret::Signing(scheme.load_signing_key(encoding, bytes)?),
        };
        Ok(SecretKey::new(source, prepared, vec![encoding]))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match &self.prepared {
            Secret::Decapsulation(key) => key.encode(encoding, out),
            Secret::Signing(key) => key.encode(encoding, out),
        }
    }

    /// Returns the key in the given encoding, or in its shortest available encoding.
    pub(crate) fn bytes(&self, encoding: Option<KeyEncoding>) -> Answer<(KeyEncoding, Wiped<Vec<u8>>)> {
        let encoding = encoding.or_else(|| self.written.first().copied());
        let encoding = encoding.ok_or(Error::Unsupported("the library does not export secret keys"))?;
        let length = self.source.secret_length(encoding);
        let length = length.ok_or(Error::Unsupported("the algorithm does not define this secret key encoding"))?;
        let mut bytes = Wiped::new(vec![0; length]);
        let written = self.encode(encoding, &mut bytes)?;
        bytes.truncate(written);
        Ok((encoding, bytes))
    }

    /// Loads the same key with the provider of `source`.
    pub(crate) fn by(&self, source: &Arc<Source>) -> Answer<SecretKey> {
        let shared = self.written.iter().find(|encoding| source.encodings().contains(encoding));
        let reason = || format!("{} exports no encoding that {} can load", self.source.provider, source.provider);
        let shared = shared.ok_or_else(|| Failure::argument("secret_key", reason()))?;
        let (encoding, bytes) = self.bytes(Some(*shared))?;
        SecretKey::load(source, encoding, &bytes)
    }

    /// Returns the public key that belongs to this key.
    pub(crate) fn public(&self) -> Answer<PublicKey> {
        let prepared = match &self.prepared {
            Secret::Decapsulation(key) => Public::Encapsulation(key.encapsulation_key()?),
            Secret::Signing(key) => Public::Verifying(key.verifying_key()?),
        };
        Ok(PublicKey::new(&self.source, prepared))
    }

    fn encoded(&self) -> Answer<PrivateKey> {
        let identifier = identifier(&self.source.algorithm)?;
        let (encoding, bytes) = self.bytes(None)?;
        let (seed, expanded) =
            if encoding == KeyEncoding::Expanded { (None, Some(&**bytes)) } else { (Some(&**bytes), None) };
        Ok(PrivateKey::new(identifier, seed, expanded)?)
    }

    fn of_encoded(encoded: &PrivateKey, provider: Option<&str>) -> Answer<SecretKey> {
        let source = Source::of_either(encoded.identifier().algorithm, provider)?;
        let prepared = match &source.of {
            Use::Kem(kem) => Secret::Decapsulation(encoded.decapsulation_key(kem.as_ref())?),
            Use::Signature(scheme) => Secret::Signing(encoded.signing_key(scheme.as_ref())?),
        };
        let expanded = encoded.form() == pqlab_constructions::keys::PrivateKeyForm::Expanded;
        let has_form = |encoding: &KeyEncoding| (*encoding == KeyEncoding::Expanded) == expanded;
        let written = source.encodings().iter().copied().filter(has_form).collect();
        Ok(SecretKey::new(&source, prepared, written))
    }
}

/// Returns the secret key encoding with this name.
fn encoding_named(name: &str) -> Answer<KeyEncoding> {
    use KeyEncoding::{Cbor, Der, Expanded, Scalar, Seed};
    let all = [Seed, Expanded, Scalar, Der, Cbor];
    let found = all.into_iter().find(|encoding| encoding.name() == name);
    let names = all.map(KeyEncoding::name).join(", ");
    found.ok_or_else(|| Failure::argument("encoding", format!("{name:?} is not one of {names}")))
}

/// Returns the encoding with this name. Without a name, returns the encoding whose secret keys are `length` bytes long,
/// or else DER if the provider loads DER.
pub(crate) fn encoding_of(source: &Source, name: Option<&str>, length: usize) -> Answer<KeyEncoding> {
    if let Some(name) = name {
        return encoding_named(name);
    }
    let encodings = source.encodings();
    let exact = encodings.iter().find(|encoding| source.secret_length(**encoding) == Some(length));
    let der = || encodings.iter().find(|encoding| **encoding == KeyEncoding::Der);
    exact.or_else(der).copied().ok_or_else(|| {
        let lengths: Vec<String> = encodings
            .iter()
            .filter_map(|&encoding| Some(format!("{} ({})", source.secret_length(encoding)?, encoding.name())))
            .collect();
        let (provider, algorithm) = (&source.provider, &source.algorithm);
        let lengths = lengths.join(" or ");
        let reason = format!("{provider} loads {algorithm} keys of {lengths} bytes, not {length}");
        Failure::argument("data", reason)
    })
}

#[pymethods]
impl SecretKey {
    /// Loads a secret key from its bytes.
    ///
    /// :param algorithm: Name of a KEM or a signature scheme.
    /// :param data: The bytes of the key.
    /// :param encoding: Encoding of the bytes, such as ``seed`` or ``expanded`` (default determined by the length).
    /// :param provider: Provider to use the key with (default is the first one that offers the algorithm).
    /// :raises pqlab.InvalidArgument: The bytes are not a secret key for this algorithm.
    /// :raises pqlab.UnknownName: No provider with this id offers the algorithm.
    #[classmethod]
    #[pyo3(signature = (algorithm, data, encoding=None, provider=None))]
    fn from_bytes(
        _: &Bound<'_, PyType>,
        py: Python<'_>,
        algorithm: &str,
        data: Bytes<'_>,
        encoding: Option<&str>,
        provider: Option<&str>,
    ) -> Answer<SecretKey> {
        detached(py, || {
            let source = Source::of_either(algorithm, provider)?;
            SecretKey::load(&source, encoding_of(&source, encoding, data.len())?, &data)
        })
    }

    /// Loads a secret key from a PKCS #8 document in PEM.
    ///
    /// :raises pqlab.InvalidArgument: ``pem`` is not a secret key for a known algorithm.
    #[classmethod]
    #[pyo3(signature = (pem, provider=None))]
    fn from_pem(_: &Bound<'_, PyType>, py: Python<'_>, pem: &str, provider: Option<&str>) -> Answer<SecretKey> {
        detached(py, || SecretKey::of_encoded(&PrivateKey::from_pem(pem)?, provider))
    }

    /// Loads a secret key from a PKCS #8 document in DER.
    ///
    /// :raises pqlab.InvalidArgument: ``der`` is not a secret key for a known algorithm.
    #[classmethod]
    #[pyo3(signature = (der, provider=None))]
    fn from_der(_: &Bound<'_, PyType>, py: Python<'_>, der: Bytes<'_>, provider: Option<&str>) -> Answer<SecretKey> {
        detached(py, || SecretKey::of_encoded(&PrivateKey::from_der(&der)?, provider))
    }

    /// Name of the algorithm.
    #[getter]
    fn algorithm(&self) -> &str {
        &self.source.algorithm
    }

    /// Id of the provider that generated or loaded the key.
    #[getter]
    fn provider(&self) -> &str {
        &self.source.provider
    }

    /// Encodings that the key can be exported in, shortest first.
    #[getter]
    fn encodings(&self) -> Vec<&'static str> {
        self.written.iter().map(|encoding| encoding.name()).collect()
    }

    /// Returns the public key that belongs to this key.
    fn public_key(&self, py: Python<'_>) -> Answer<PublicKey> {
        detached(py, || self.public())
    }

    /// Returns the secret key in the given encoding, or in the shortest of ``encodings``. Python does not wipe the
    /// returned bytes.
    #[pyo3(signature = (encoding=None))]
    fn secret_bytes<'py>(&self, py: Python<'py>, encoding: Option<&str>) -> Answer<Bound<'py, PyBytes>> {
        let encoding = encoding.map(encoding_named).transpose()?;
        let (_, bytes) = detached(py, || self.bytes(encoding))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Returns the secret key as a PKCS #8 document in PEM.
    ///
    /// :raises pqlab.InvalidArgument: Keys of this algorithm have no object identifier.
    fn to_pem<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyString>> {
        let pem = detached(py, || Ok(self.encoded()?.to_pem()?))?;
        Ok(PyString::new(py, &pem))
    }

    /// Returns the secret key as a PKCS #8 document in DER.
    ///
    /// :raises pqlab.InvalidArgument: Keys of this algorithm have no object identifier.
    fn to_der<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyBytes>> {
        let der = detached(py, || Ok(self.encoded()?.to_der()?))?;
        Ok(PyBytes::new(py, &der))
    }

    /// Returns both halves of the secret key as a CBOR array. Only hybrids in the reference form support this encoding.
    ///
    /// :raises pqlab.InvalidArgument: The algorithm is not a hybrid in the reference form.
    fn to_cbor<'py>(&self, py: Python<'py>) -> Answer<Bound<'py, PyBytes>> {
        check_cbor(&self.source)?;
        self.secret_bytes(py, Some(KeyEncoding::Cbor.name()))
    }

    fn __repr__(&self) -> String {
        format!("<SecretKey {}>", self.source.algorithm)
    }

    fn __reduce_ex__(&self, _protocol: &Bound<'_, PyAny>) -> Answer<()> {
        let refused = Failure::new(Kind::InvalidArgument, "secret keys cannot be pickled or copied");
        Err(refused.advising("export the key with to_pem() or secret_bytes() if it must leave the process"))
    }
}

/// A secret key and its public key.
#[pyclass(frozen, module = "pqlab")]
pub(crate) struct KeyPair {
    #[pyo3(get)]
    public: Py<PublicKey>,
    #[pyo3(get)]
    secret: Py<SecretKey>,
}

impl KeyPair {
    pub(crate) fn new(py: Python<'_>, public: PublicKey, secret: SecretKey) -> Answer<KeyPair> {
        Ok(KeyPair { public: Py::new(py, public)?, secret: Py::new(py, secret)? })
    }
}

#[pymethods]
impl KeyPair {
    /// Name of the algorithm.
    #[getter]
    fn algorithm(&self) -> &str {
        &self.public.get().source.algorithm
    }

    fn __repr__(&self) -> String {
        format!("<KeyPair {}>", self.algorithm())
    }

    fn __reduce_ex__(&self, protocol: &Bound<'_, PyAny>) -> Answer<()> {
        self.secret.get().__reduce_ex__(protocol)
    }
}
