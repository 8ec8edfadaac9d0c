//! Circuit handshakes: classical ntor, KEM-only, and the authenticated hybrid.

use crate::errors::{Answer, Failure, Kind, detached};
use crate::input::{Bytes, Whole};
use pqlab_constructions::ntor::{
    HandshakeError, IDENTITY, Initiator, Pending, Protocol, RelayDescriptor, Responder, Variant,
};
use pqlab_lab::by_name;
use pqlab_lab::primitives::{Coins, Wiped};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, PoisonError};

/// Length of a public or private onion key in bytes.
const ONION_KEY: usize = 32;
/// Maximum output of HKDF-SHA256 in bytes (RFC 5869, section 2.3).
const MOST_KEYS: usize = 8160;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Ntor>()?;
    module.add_class::<NtorRelay>()?;
    module.add_class::<NtorClient>()
}

impl From<HandshakeError> for Failure {
    fn from(error: HandshakeError) -> Failure {
        let kind = match error {
            HandshakeError::Primitive(error) => return error.into(),
            HandshakeError::Length { .. } | HandshakeError::EncapsulationKey | HandshakeError::LowOrder => {
                Kind::InvalidArgument
            }
            HandshakeError::Identity
            | HandshakeError::KeyId
            | HandshakeError::Authenticator
            | HandshakeError::Introduction => Kind::VerificationFailed,
        };
        Failure::new(kind, error.to_string())
    }
}

/// A circuit handshake: ``ntor``, ``kem-only``, ``hybrid``, or a full name such as ``ntor-x25519-mlkem512``.
///
/// ``kem-only`` does NOT authenticate the relay: anyone who knows its identity can answer. Two providers are joined by
/// a plus, as in ``aws-lc+liboqs``. Raises :class:`pqlab.UnknownName` for an unknown handshake or provider.
#[pyclass(frozen, module = "pqlab")]
pub(crate) struct Ntor {
    name: String,
    protocol: Arc<Protocol>,
}

/// Checks that the argument `name` has `N` bytes.
fn exactly<const N: usize>(name: &str, bytes: &[u8]) -> Answer<[u8; N]> {
    bytes.try_into().map_err(|_| Failure::argument(name, format!("needs {N} bytes, not {}", bytes.len())))
}

/// Returns a buffer for the keys of a circuit: `length` bytes, or the handshake's default length.
fn room(protocol: &Protocol, length: Option<Whole<usize>>) -> Answer<Wiped<Vec<u8>>> {
    let length = length.map_or(protocol.keys(), |length| length.0);
    let most = if protocol.variant() == Variant::KemOnly { protocol.keys() } else { MOST_KEYS };
    if length > most {
        return Err(Failure::argument("length", format!("at most {most} bytes, not {length}")));
    }
    Ok(Wiped::new(vec![0; length]))
}

#[pymethods]
impl Ntor {
    #[new]
    #[pyo3(signature = (handshake="hybrid", provider=None))]
    fn new(handshake: &str, provider: Option<&str>) -> Answer<Ntor> {
        let name = pqlab_lab::circuit_handshake(handshake)?.name();
        Ok(Ntor { name, protocol: by_name::circuit_protocol(handshake, provider)? })
    }

    /// Full name of the handshake: ``ntor-v1``, ``kem-only-mlkem768``, ``ntor-x25519-mlkem768``.
    #[getter]
    fn handshake(&self) -> &str {
        &self.name
    }

    /// Whether the relay proves that it holds its onion key.
    #[getter]
    fn authenticates_relay(&self) -> bool {
        self.protocol.variant() != Variant::KemOnly
    }

    /// Length of the client's message in bytes.
    #[getter]
    fn onionskin_length(&self) -> usize {
        self.protocol.onionskin()
    }

    /// Length of the relay's message in bytes.
    #[getter]
    fn reply_length(&self) -> usize {
        self.protocol.reply()
    }

    /// Default length of a circuit's keys in bytes.
    #[getter]
    fn keys_length(&self) -> usize {
        self.protocol.keys()
    }

    /// Creates a relay with this identity (20 bytes) and private onion key (32 bytes; default a new one).
    ///
    /// :raises pqlab.InvalidArgument: An argument has the wrong length.
    #[pyo3(signature = (identity, onion_key=None))]
    fn relay(&self, py: Python<'_>, identity: Bytes<'_>, onion_key: Option<Bytes<'_>>) -> Answer<NtorRelay> {
        let identity = exactly::<IDENTITY>("identity", &identity)?;
        let key = onion_key.map(|key| exactly::<ONION_KEY>("onion_key", &key).map(Wiped::new)).transpose()?;
        detached(py, || {
            let coins = key.as_ref().map_or(Coins::Internal, |key| Coins::Exact(key.as_slice()));
            let responder = Responder::new(Arc::clone(&self.protocol), identity, coins)?;
            Ok(NtorRelay { protocol: Arc::clone(&self.protocol), responder })
        })
    }

    /// Creates a client for the relay with this identity (20 bytes) and public onion key (32 bytes).
    ///
    /// :raises pqlab.InvalidArgument: An argument has the wrong length.
    fn client(&self, py: Python<'_>, identity: Bytes<'_>, onion_key: Bytes<'_>) -> Answer<NtorClient> {
        let relay = RelayDescriptor {
            identity: exactly::<IDENTITY>("identity", &identity)?,
            onion_key: exactly::<ONION_KEY>("onion_key", &onion_key)?,
        };
        detached(py, || {
            let mut onionskin = vec![0; self.protocol.onionskin()];
            let pending = Initiator::new(Arc::clone(&self.protocol), relay).start(Coins::Internal, &mut onionskin)?;
            Ok(NtorClient { protocol: Arc::clone(&self.protocol), onionskin, pending: Mutex::new(Some(pending)) })
        })
    }

    fn __repr__(&self) -> String {
        format!("<Ntor {}>", self.name)
    }
}

/// The relay's side of a circuit handshake. It can answer any number of clients.
#[pyclass(frozen, module = "pqlab")]
pub(crate) struct NtorRelay {
    protocol: Arc<Protocol>,
    responder: Responder,
}

#[pymethods]
impl NtorRelay {
    /// Identity of the relay, 20 bytes.
    #[getter]
    fn identity<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.responder.descriptor().identity)
    }

    /// Public onion key of the relay, 32 bytes.
    #[getter]
    fn onion_key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.responder.descriptor().onion_key)
    }

    /// Answers an onionskin. ``length`` is the length of the keys in bytes (default ``Ntor.keys_length``).
    ///
    /// :return: The reply to the client, and the keys of the circuit.
    /// :raises pqlab.VerificationFailed: The onionskin is for another relay.
    #[pyo3(signature = (onionskin, length=None))]
    fn respond<'py>(
        &self,
        py: Python<'py>,
        onionskin: Bytes<'_>,
        length: Option<Whole<usize>>,
    ) -> Answer<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let (mut reply, mut keys) = (vec![0; self.protocol.reply()], room(&self.protocol, length)?);
        detached(py, || Ok(self.responder.respond(&onionskin, Coins::Internal, &mut reply, &mut keys)?))?;
        Ok((PyBytes::new(py, &reply), PyBytes::new(py, &keys)))
    }

    fn __repr__(&self) -> String {
        format!("<NtorRelay {:?}>", self.protocol)
    }
}

/// The client's side of one circuit handshake, between its onionskin and the relay's reply.
#[pyclass(frozen, module = "pqlab")]
pub(crate) struct NtorClient {
    protocol: Arc<Protocol>,
    onionskin: Vec<u8>,
    pending: Mutex<Option<Pending>>,
}

#[pymethods]
impl NtorClient {
    /// Message to the relay.
    #[getter]
    fn onionskin<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.onionskin)
    }

    /// Checks the relay's reply and returns the keys of the circuit. Can be called once only, even if it fails.
    ///
    /// ``length`` is the length of the keys in bytes (default ``Ntor.keys_length``).
    ///
    /// :raises pqlab.VerificationFailed: The reply is not from the relay, or was changed.
    #[pyo3(signature = (reply, length=None))]
    fn finish<'py>(
        &self,
        py: Python<'py>,
        reply: Bytes<'_>,
        length: Option<Whole<usize>>,
    ) -> Answer<Bound<'py, PyBytes>> {
        let mut keys = room(&self.protocol, length)?;
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner).take();
        let used = || Failure::argument("client", "its ephemeral keys can be used only once");
        let pending = pending.ok_or_else(used)?;
        detached(py, || Ok(pending.finish(&reply, &mut keys)?))?;
        Ok(PyBytes::new(py, &keys))
    }

    fn __repr__(&self) -> String {
        format!("<NtorClient {:?}>", self.protocol)
    }
}
