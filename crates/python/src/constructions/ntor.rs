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
/// ``kem-only`` does NOT authenticate the relay: anyone who knows the relay's identity can answer.
///
/// A handshake can combine two providers: ``aws-lc+liboqs`` takes X25519 and hashes from ``aws-lc`` and ML-KEM from
/// ``liboqs``.
///
/// :raises pqlab.UnknownName: The handshake or the provider is unknown.
#[pyclass(frozen, module = "pqlab")]
pub(crate) struct Ntor {
    name: String,
    protocol: Arc<Protocol>,
}

/// Converts the bytes of the `name` argument to an array. Fails unless there are `N` bytes.
fn exactly<const N: usize>(name: &str, bytes: &[u8]) -> Answer<[u8; N]> {
    bytes.try_into().map_err(|_| Failure::argument(name, format!("needs {N} bytes, not {}", bytes.len())))
}

/// Returns a buffer for the keys of a circuit: `length` bytes, or the handshake's default length.
fn room(protocol: &Protocol, length: Option<Whole<usize>>) -> Answer<Wiped<Vec<u8>>> {
    let length = length.map_or(protocol.keys(), |length| length.0);
    let most = if protocol.variant() == Variant::KemOnly { protocol.keys() } else { MOST_KEYS };
    if length > most {
        return Err(Failure::argument("length", format!("must be at most {most} bytes, not {length}")));
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

    /// Full name of the handshake, such as ``ntor-v1``, ``kem-only-mlkem768`` or ``ntor-x25519-mlkem768``.
    #[getter]
    fn handshake(&self) -> &str {
        &self.name
    }

    /// Whether the handshake proves that the relay has the private onion key.
    #[getter]
    fn authenticates_relay(&self) -> bool {
        self.protocol.variant() != Variant::KemOnly
    }

    /// Length of the client's message, the onionskin, in bytes.
    #[getter]
    fn onionskin_length(&self) -> usize {
        self.protocol.onionskin()
    }

    /// Length of the relay's reply in bytes.
    #[getter]
    fn reply_length(&self) -> usize {
        self.protocol.reply()
    }

    /// Default length of a circuit's keys in bytes.
    #[getter]
    fn keys_length(&self) -> usize {
        self.protocol.keys()
    }

    /// Creates a relay.
    ///
    /// :param identity: Identity of the relay, 20 bytes.
    /// :param onion_key: Private onion key of the relay, 32 bytes (default a new random key).
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

    /// Creates a client, which starts a handshake with a relay.
    ///
    /// :param identity: Identity of the relay, 20 bytes.
    /// :param onion_key: Public onion key of the relay, 32 bytes.
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

/// Relay side of circuit handshakes. One relay can answer any number of clients.
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

    /// Answers a client's onionskin.
    ///
    /// :param onionskin: Message from the client.
    /// :param length: Length of the keys to derive, in bytes (default ``Ntor.keys_length``).
    /// :return: The reply to the client, and the keys of the circuit.
    /// :raises pqlab.VerificationFailed: The onionskin is for a different relay.
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

/// Client side of one circuit handshake, which waits for the relay's reply.
#[pyclass(frozen, module = "pqlab")]
pub(crate) struct NtorClient {
    protocol: Arc<Protocol>,
    onionskin: Vec<u8>,
    pending: Mutex<Option<Pending>>,
}

#[pymethods]
impl NtorClient {
    /// Message to send to the relay.
    #[getter]
    fn onionskin<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.onionskin)
    }

    /// Checks the relay's reply and returns the keys of the circuit. Can be called only once, even if the call fails.
    ///
    /// :param reply: Message from the relay.
    /// :param length: Length of the keys to derive, in bytes (default ``Ntor.keys_length``).
    /// :raises pqlab.VerificationFailed: The reply is not from the relay, or was modified.
    #[pyo3(signature = (reply, length=None))]
    fn finish<'py>(
        &self,
        py: Python<'py>,
        reply: Bytes<'_>,
        length: Option<Whole<usize>>,
    ) -> Answer<Bound<'py, PyBytes>> {
        let mut keys = room(&self.protocol, length)?;
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner).take();
        let used = || Failure::argument("client", "finish() can be called only once for each client");
        let pending = pending.ok_or_else(used)?;
        detached(py, || Ok(pending.finish(&reply, &mut keys)?))?;
        Ok(PyBytes::new(py, &keys))
    }

    fn __repr__(&self) -> String {
        format!("<NtorClient {:?}>", self.protocol)
    }
}
