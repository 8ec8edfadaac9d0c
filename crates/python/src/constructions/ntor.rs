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
/// Most bytes that HKDF-SHA256 gives (RFC 5869, section 2.3).
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

/// A circuit handshake. `kem-only` does NOT authenticate the relay: whoever knows its identity can answer.
#[pyclass(frozen, module = "pqlab")]
pub(crate) struct Ntor {
    name: String,
    protocol: Arc<Protocol>,
}

/// So many bytes, by the name of an argument.
fn exactly<const N: usize>(name: &str, bytes: &[u8]) -> Answer<[u8; N]> {
    bytes.try_into().map_err(|_| Failure::argument(name, format!("needs {N} bytes, not {}", bytes.len())))
}

/// Room for the keys of a circuit: so many bytes, or as many as the handshake gives by default.
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

    /// The handshake's name: `ntor-v1`, `kem-only-mlkem768`, `ntor-x25519-mlkem768`.
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

    /// Length of the keys that a circuit is given by default, in bytes.
    #[getter]
    fn keys_length(&self) -> usize {
        self.protocol.keys()
    }

    /// A relay of this identity (20 bytes), with a new onion key, or with the private one that is given (32 bytes).
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

    /// A client that wants to speak to the relay of this identity and public onion key: its message is `onionskin`.
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

/// A relay that answers a handshake.
#[pyclass(frozen, module = "pqlab")]
pub(crate) struct NtorRelay {
    protocol: Arc<Protocol>,
    responder: Responder,
}

#[pymethods]
impl NtorRelay {
    /// Its identity.
    #[getter]
    fn identity<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.responder.descriptor().identity)
    }

    /// Its public onion key.
    #[getter]
    fn onion_key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.responder.descriptor().onion_key)
    }

    /// Answers an onionskin: the reply, and the keys of the circuit.
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

/// A client between its onionskin and the relay's reply.
#[pyclass(frozen, module = "pqlab")]
pub(crate) struct NtorClient {
    protocol: Arc<Protocol>,
    onionskin: Vec<u8>,
    pending: Mutex<Option<Pending>>,
}

#[pymethods]
impl NtorClient {
    /// The message to the relay.
    #[getter]
    fn onionskin<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.onionskin)
    }

    /// Checks the relay's reply and gives the keys of the circuit: once, whatever comes of it.
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
