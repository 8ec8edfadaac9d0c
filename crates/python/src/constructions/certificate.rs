//! X.509 certificates with post-quantum and hybrid signatures.

use super::keys::{PublicKey, Secret, SecretKey, identifier};
use super::source::{Kind as UsedAs, Source, Use};
use crate::errors::{Answer, Failure, Kind, detached};
use crate::input::{Bytes, Whole, field};
use pqlab_constructions::certificate::detached::Bundle;
use pqlab_constructions::certificate::{
    Certificate, CertificateError, Profile, Schemes, SigningKeys, SubjectType, build, verify_chain,
};
use pqlab_constructions::keys::Identifier;
use pqlab_lab::by_name;
use pqlab_lab::primitives::{Coins, SigningKey};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// Signature algorithms that certificates can use.
const ALGORITHMS: [&str; 5] = ["Ed25519", "ML-DSA-44", "ML-DSA-65", "ML-DSA-87", "MLDSA65-Ed25519-SHA512"];

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<CertificateObject>()?;
    module.add_function(wrap_pyfunction!(build_certificate, module)?)?;
    module.add_function(wrap_pyfunction!(verify_certificate_chain, module)?)?;
    module.add_function(wrap_pyfunction!(cosign, module)?)?;
    module.add_function(wrap_pyfunction!(verify_cosig, module)?)
}

impl From<CertificateError> for Failure {
    fn from(error: CertificateError) -> Failure {
        match error {
            CertificateError::Decode(error) => error.into(),
            CertificateError::Primitive(error) => error.into(),
            CertificateError::NoScheme(_) => Failure::new(Kind::UnknownName, error.to_string()),
            refused => Failure::new(Kind::VerificationFailed, refused.to_string()),
        }
    }
}

/// A parsed certificate.
#[pyclass(frozen, module = "pqlab", name = "Certificate")]
pub(crate) struct CertificateObject(Certificate);

/// Returns the signature schemes that `provider` offers. Without a provider, takes each scheme from the first provider
/// that offers it. Fails if no scheme is available. Otherwise, a missing scheme causes an error only if a verification
/// needs the scheme.
fn schemes(provider: Option<&str>) -> Answer<Schemes> {
    let mut found = Vec::new();
    for algorithm in ALGORITHMS {
        if let Ok(source) = Source::find(UsedAs::Signature, algorithm, provider)
            && let Use::Signature(scheme) = &source.of
        {
            found.push(scheme.clone());
        }
    }
    if found.is_empty() {
        // Repeat one lookup to get its error, which names the provider.
        Source::find(UsedAs::Signature, ALGORITHMS[0], provider)?;
    }
    Ok(Schemes::new(found))
}

#[pymethods]
impl CertificateObject {
    /// Parses a DER certificate. Trailing bytes are an error.
    #[classmethod]
    fn from_der(_: &Bound<'_, PyType>, py: Python<'_>, der: Bytes<'_>) -> Answer<CertificateObject> {
        detached(py, || Ok(CertificateObject(Certificate::from_der(&der)?)))
    }

    /// Parses a PEM certificate.
    #[classmethod]
    fn from_pem(_: &Bound<'_, PyType>, py: Python<'_>, pem: &str) -> Answer<CertificateObject> {
        detached(py, || Ok(CertificateObject(Certificate::from_pem(pem)?)))
    }

    /// Returns the original DER bytes.
    fn to_der<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.as_der())
    }

    /// Returns the certificate as PEM.
    fn to_pem(&self) -> Answer<String> {
        Ok(self.0.to_pem()?)
    }

    /// Distinguished name of the subject (RFC 4514).
    #[getter]
    fn subject(&self) -> String {
        self.0.parsed().tbs_certificate().subject().to_string()
    }

    /// Distinguished name of the issuer (RFC 4514).
    #[getter]
    fn issuer(&self) -> String {
        self.0.parsed().tbs_certificate().issuer().to_string()
    }

    /// Serial number as big-endian bytes.
    #[getter]
    fn serial_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.parsed().tbs_certificate().serial_number().as_bytes())
    }

    /// Start and end of the validity period, in seconds since 1970.
    #[getter]
    fn validity(&self) -> (u64, u64) {
        let validity = self.0.parsed().tbs_certificate().validity();
        (validity.not_before.to_unix_duration().as_secs(), validity.not_after.to_unix_duration().as_secs())
    }

    /// Signature algorithm. For a certificate that also has an alternative signature, the classical algorithm.
    #[getter]
    fn signature_algorithm(&self) -> &'static str {
        self.0.signature_algorithm().algorithm
    }

    /// Whether the certificate has an alternative signature.
    #[getter]
    fn has_alternative_signature(&self) -> bool {
        self.0.has_alternative_signature()
    }

    /// Public key of the subject. For a certificate that also has an alternative key, the classical key.
    #[getter]
    fn public_key(&self, py: Python<'_>) -> Answer<PublicKey> {
        detached(py, || PublicKey::of_encoded(self.0.subject_key(), None))
    }

    /// Alternative public key of the subject, if any.
    #[getter]
    fn alternative_public_key(&self, py: Python<'_>) -> Answer<Option<PublicKey>> {
        detached(py, || self.0.alternative_key().map(|key| PublicKey::of_encoded(key, None)).transpose())
    }

    /// Verifies every signature with the issuer's keys and returns the number of signatures. Does not check names or
    /// validity.
    #[pyo3(signature = (issuer, provider=None))]
    fn verify(&self, py: Python<'_>, issuer: &Bound<'_, CertificateObject>, provider: Option<&str>) -> Answer<usize> {
        use pqlab_constructions::certificate::Signatures;
        let issuer = issuer.get();
        detached(py, || {
            Ok(match self.0.verify(&issuer.0, &schemes(provider)?)? {
                Signatures::One => 1,
                Signatures::Both => 2,
            })
        })
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<CertificateObject>().is_ok_and(|other| self.0.as_der() == other.get().0.as_der())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.as_der().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let alternative = if self.0.has_alternative_signature() { " plus an alternative signature" } else { "" };
        format!("<Certificate {}, signed with {}{alternative}>", self.subject(), self.signature_algorithm())
    }

    fn __reduce__<'py>(slf: &Bound<'py, CertificateObject>) -> Answer<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let py = slf.py();
        Ok((py.get_type::<CertificateObject>().getattr("from_der")?, (slf.get().to_der(py),)))
    }
}

/// Fields of a certificate to build, except for the keys. The validity period is in seconds since 1970.
struct Wanted {
    subject: String,
    dns_names: Vec<String>,
    not_before: Whole<u64>,
    not_after: Whole<u64>,
    authority: bool,
    path_length: Option<Whole<u8>>,
    serial_number: Vec<u8>,
}

impl Wanted {
    fn read(fields: &Bound<'_, PyAny>) -> Answer<Wanted> {
        Ok(Wanted {
            subject: field(fields, "subject")?,
            dns_names: field(fields, "dns_names")?,
            not_before: field(fields, "not_before")?,
            not_after: field(fields, "not_after")?,
            authority: field(fields, "authority")?,
            path_length: field(fields, "path_length")?,
            serial_number: field(fields, "serial_number")?,
        })
    }
}

/// Keys for a certificate: the subject's public keys to certify and the issuer's secret keys to sign with.
struct Keys<'py> {
    public_key: Bound<'py, PublicKey>,
    alternative_public_key: Option<Bound<'py, PublicKey>>,
    secret_key: Bound<'py, SecretKey>,
    alternative_secret_key: Option<Bound<'py, SecretKey>>,
}

impl<'py> Keys<'py> {
    fn read(fields: &Bound<'py, PyAny>) -> Answer<Keys<'py>> {
        Ok(Keys {
            public_key: field(fields, "public_key")?,
            alternative_public_key: field(fields, "alternative_public_key")?,
            secret_key: field(fields, "secret_key")?,
            alternative_secret_key: field(fields, "alternative_secret_key")?,
        })
    }
}

fn signer(key: &SecretKey) -> Answer<(&'static Identifier, &dyn SigningKey)> {
    match &key.prepared {
        Secret::Signing(prepared) => Ok((identifier(&key.source.algorithm)?, prepared.as_ref())),
        Secret::Decapsulation(_) => Err(Failure::argument("secret_key", "a decapsulation key cannot sign")),
    }
}

/// Fails if a signing key does not match the issuer's public key.
fn check_issuer(name: &str, key: &SecretKey, public: &[u8]) -> Answer<()> {
    if key.public()?.bytes()? == public {
        return Ok(());
    }
    Err(Failure::argument(name, "does not match the issuer's public key"))
}

/// Builds a certificate. Without an issuer, the certificate is self-signed.
#[pyfunction]
#[pyo3(signature = (wanted, keys, issuer))]
fn build_certificate(
    py: Python<'_>,
    wanted: &Bound<'_, PyAny>,
    keys: &Bound<'_, PyAny>,
    issuer: Option<&Bound<'_, CertificateObject>>,
) -> Answer<CertificateObject> {
    let (wanted, keys) = (Wanted::read(wanted)?, Keys::read(keys)?);
    let (public, secret) = (keys.public_key.get(), keys.secret_key.get());
    let alternative = keys.alternative_public_key.as_ref().map(Bound::get);
    let alternative_secret = keys.alternative_secret_key.as_ref().map(Bound::get);
    let issuer = issuer.map(|issuer| &issuer.get().0);
    if alternative.is_some() != alternative_secret.is_some() {
        let reason = "pass it together with alternative_secret_key, or pass neither";
        return Err(Failure::argument("alternative_public_key", reason));
    }
    detached(py, || {
        let sha256 = by_name::hash("SHA-256", None)?.implementation;
        let subject_key = public.encoded()?;
        let alternative_key = alternative.map(PublicKey::encoded).transpose()?;
        let identify = |key: &pqlab_constructions::keys::PublicKey| key.key_identifier(sha256.as_ref());
        let subject_key_identifier = identify(&subject_key)?;
        let issuer_key = issuer.map_or(&subject_key, Certificate::subject_key);
        let issuer_alternative = issuer.map_or(alternative_key.as_ref(), Certificate::alternative_key);
        check_issuer("secret_key", secret, issuer_key.as_bytes())?;
        match (alternative_secret, issuer_alternative) {
            (Some(secret), Some(key)) => check_issuer("alternative_secret_key", secret, key.as_bytes())?,
            (None, None) => {}
            _ => {
                let reason = "required if the issuer has an alternative key, and not allowed otherwise";
                return Err(Failure::argument("alternative_secret_key", reason));
            }
        }
        let profile = Profile {
            serial_number: wanted.serial_number,
            issuer: issuer.map_or_else(
                || wanted.subject.clone(),
                |issuer| issuer.parsed().tbs_certificate().subject().to_string(),
            ),
            subject: wanted.subject,
            not_before: Duration::from_secs(wanted.not_before.0),
            not_after: Duration::from_secs(wanted.not_after.0),
            subject_key_identifier,
            authority_key_identifier: identify(issuer_key)?,
            dns_names: wanted.dns_names,
            subject_type: if wanted.authority {
                SubjectType::Authority { path_length: wanted.path_length.map(|length| length.0) }
            } else {
                SubjectType::Leaf
            },
        };
        let classical = signer(secret)?;
        let signers = match alternative_secret {
            None => SigningKeys::Single(classical.0, classical.1),
            Some(key) => SigningKeys::Alternative { classical, alternative: signer(key)? },
        };
        let der = build(&profile, &subject_key, alternative_key.as_ref(), &signers, Coins::Internal)?;
        Ok(CertificateObject(Certificate::from_der(&der)?))
    })
}

/// Verifies a chain, leaf first, up to a trusted root. `at` is the time of verification, in seconds since 1970.
#[pyfunction]
#[pyo3(signature = (chain, root, at, provider))]
fn verify_certificate_chain(
    py: Python<'_>,
    chain: Vec<Bound<'_, CertificateObject>>,
    root: &Bound<'_, CertificateObject>,
    at: Whole<u64>,
    provider: Option<&str>,
) -> Answer<()> {
    let chain: Vec<Certificate> = chain.iter().map(|certificate| certificate.get().0.clone()).collect();
    let root = &root.get().0;
    detached(py, || Ok(verify_chain(&chain, root, Duration::from_secs(at.0), &schemes(provider)?)?))
}

/// Signs a certificate with ML-DSA-65. Returns a CBOR array of the certificate and the detached signature. An earlier
/// system defined this reference form of a hybrid certificate.
#[pyfunction]
#[pyo3(signature = (certificate, secret_key))]
fn cosign<'py>(
    py: Python<'py>,
    certificate: &Bound<'_, CertificateObject>,
    secret_key: &Bound<'_, SecretKey>,
) -> Answer<Bound<'py, PyBytes>> {
    let (certificate, key) = (&certificate.get().0, secret_key.get());
    if key.source.algorithm != "ML-DSA-65" {
        return Err(Failure::argument("secret_key", format!("needs an ML-DSA-65 key, not {}", key.source.algorithm)));
    }
    let bundle = detached(py, || {
        let (_, key) = signer(key)?;
        Ok(Bundle::sign(certificate.as_der(), key, Coins::Internal)?.encode()?)
    })?;
    Ok(PyBytes::new(py, &bundle))
}

/// Verifies the detached signature in an array from [`cosign`] and returns the certificate. Does not verify the
/// certificate itself.
#[pyfunction]
#[pyo3(signature = (bundle, public_key))]
fn verify_cosig(py: Python<'_>, bundle: Bytes<'_>, public_key: &Bound<'_, PublicKey>) -> Answer<CertificateObject> {
    use super::keys::Public;
    let key = public_key.get();
    if key.source.algorithm != "ML-DSA-65" {
        return Err(Failure::argument("public_key", format!("needs an ML-DSA-65 key, not {}", key.source.algorithm)));
    }
    detached(py, || {
        let bundle = Bundle::decode(&bundle)?;
        let Public::Verifying(key) = &key.prepared else {
            return Err(Failure::argument("public_key", "an encapsulation key cannot verify"));
        };
        bundle.verify(key.as_ref())?;
        Ok(CertificateObject(Certificate::from_der(&bundle.certificate)?))
    })
}
