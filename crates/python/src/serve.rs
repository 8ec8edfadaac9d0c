//! Servers on background threads: one for report pages, and a relay for circuit handshakes.

use crate::errors::{Answer, Failure, Kind, detached};
use crate::input::Whole;
use crate::store::path;
use pqlab_lab::{ClientError, RELAY_IDENTITY, Relay, RelayDescriptor, RelayKeys, circuit_handshake, relay_address};
use pqlab_server::{Server, ServerError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Interval between checks for Ctrl-C.
const TICK: Duration = Duration::from_millis(100);
/// Maximum number of handshakes in one call.
const MOST: u64 = 1_000_000;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PageServer>()?;
    module.add_class::<RelayServer>()?;
    module.add_function(wrap_pyfunction!(serve, module)?)?;
    module.add_function(wrap_pyfunction!(ntor_relay, module)?)?;
    module.add_function(wrap_pyfunction!(ntor_client, module)?)
}

impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Failure {
        match error {
            ServerError::Store(error) => error.into(),
            ServerError::Address { .. } => {
                Failure::new(Kind::InvalidArgument, error.to_string()).advising("choose another host or port")
            }
            ServerError::Threads(_) => Failure::new(Kind::Internal, error.to_string()),
        }
    }
}

/// Waits until `over` returns true, and regularly checks for signals.
fn wait(py: Python<'_>, over: impl Fn() -> bool + Send + Sync) -> Answer<()> {
    while !over() {
        py.detach(|| thread::sleep(TICK));
        py.check_signals()?;
    }
    Ok(())
}

/// A running page server.
#[pyclass(frozen, module = "pqlab._pqlab")]
pub(crate) struct PageServer {
    /// `None` once stopped.
    server: Mutex<Option<Server>>,
    url: String,
    port: u16,
    /// Whether other machines can reach the server.
    open: bool,
}

/// Starts a server for the report pages of a database.
#[pyfunction]
fn serve(py: Python<'_>, listen: &str, database: Option<&str>, allow_hosts: Vec<String>) -> Answer<PageServer> {
    detached(py, || {
        let server = Server::start(relay_address(listen)?, path(database)?, allow_hosts)?;
        let address = server.address();
        Ok(PageServer {
            url: server.url(),
            port: address.port(),
            open: !address.ip().is_loopback(),
            server: Mutex::new(Some(server)),
        })
    })
}

#[pymethods]
impl PageServer {
    /// URL to open in a browser.
    #[getter]
    fn url(&self) -> &str {
        &self.url
    }

    #[getter]
    fn port(&self) -> u16 {
        self.port
    }

    #[getter]
    fn open(&self) -> bool {
        self.open
    }

    /// Stops the server. Further calls do nothing.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| self.server.lock().unwrap_or_else(PoisonError::into_inner).take().map(drop));
    }

    /// Waits until the server stops.
    fn wait(&self, py: Python<'_>) -> Answer<()> {
        wait(py, || self.server.lock().unwrap_or_else(PoisonError::into_inner).is_none())
    }
}

/// A running relay.
#[pyclass(frozen, module = "pqlab._pqlab")]
pub(crate) struct RelayServer {
    relay: Arc<Relay>,
    address: SocketAddr,
    serving: Mutex<Option<JoinHandle<()>>>,
}

/// Starts a relay that answers circuit handshakes.
#[pyfunction]
fn ntor_relay(py: Python<'_>, listen: &str, provider: &str) -> Answer<RelayServer> {
    detached(py, || {
        let relay = pqlab_lab::relay(provider, RELAY_IDENTITY).map_err(|error| {
            Failure::new(Kind::UnknownName, format!("cannot start a relay with {provider:?}: {error}"))
                .advising("pqlab.providers() lists all providers")
        })?;
        let listen = relay_address(listen)?;
        let wrong = |error| Failure::new(Kind::InvalidArgument, format!("cannot listen on {listen}: {error}"));
        let listener = TcpListener::bind(listen).map_err(wrong)?;
        let address = listener.local_addr().map_err(wrong)?;
        let serving = Arc::clone(&relay);
        // An error on the listening socket stops the relay. Then `wait` returns, because the thread has finished.
        let serving = thread::Builder::new().name("relay".into()).spawn(move || serving.serve(&listener).unwrap_or(()));
        let serving = serving.map_err(|error| Failure::new(Kind::Internal, error.to_string()))?;
        Ok(RelayServer { relay, address, serving: Mutex::new(Some(serving)) })
    })
}

#[pymethods]
impl RelayServer {
    /// Address and port of the relay.
    #[getter]
    fn address(&self) -> String {
        self.address.to_string()
    }

    /// Identity of the relay, 20 bytes.
    #[getter]
    fn identity<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.relay.descriptor().identity)
    }

    /// Public onion key, 32 bytes.
    #[getter]
    fn onion_key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.relay.descriptor().onion_key)
    }

    /// Returns the content of the key file that clients read.
    fn keys(&self) -> String {
        RelayKeys::new(self.address, self.relay.descriptor()).to_json()
    }

    /// Returns the types of request that the relay answers, as a JSON list.
    fn answers(&self) -> String {
        let answers = self.relay.answers().into_iter().map(|entry| {
            json!({"request": entry.name, "type": entry.number, "request_bytes": entry.request,
                "request_parts": entry.request_parts, "answer_bytes": entry.answer, "answer_parts": entry.answer_parts,
                "key_bytes": entry.keys})
        });
        json!(answers.collect::<Vec<_>>()).to_string()
    }

    /// Returns the number of answered handshakes and the number of refused connections.
    fn served(&self) -> (u64, u64) {
        let served = self.relay.served();
        (served.handshakes, served.refused)
    }

    /// Stops the relay. Further calls do nothing.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| {
            if let Some(serving) = self.serving.lock().unwrap_or_else(PoisonError::into_inner).take() {
                self.relay.stop(self.address);
                serving.join().ok();
            }
        });
    }

    /// Waits until the relay stops.
    fn wait(&self, py: Python<'_>) -> Answer<()> {
        wait(py, || {
            let serving = self.serving.lock().unwrap_or_else(PoisonError::into_inner);
            serving.as_ref().is_none_or(JoinHandle::is_finished)
        })
    }
}

impl Drop for RelayServer {
    fn drop(&mut self) {
        let serving = self.serving.get_mut().unwrap_or_else(PoisonError::into_inner);
        if serving.take().is_some() {
            self.relay.stop(self.address);
        }
    }
}

/// Returns the relay's descriptor, from the key file or from the identity and the onion key. Returns `None` if the
/// client should ask the relay itself.
fn known(keys: Option<PathBuf>, given: Option<(Vec<u8>, Vec<u8>)>) -> Answer<Option<RelayDescriptor>> {
    match (keys, given) {
        (Some(_), Some(_)) => Err(Failure::argument("keys", "cannot be combined with identity and onion_key")),
        (Some(path), None) => Ok(Some(RelayKeys::read(&path)?.descriptor())),
        (None, Some((identity, onion_key))) => {
            let wrong = |name: &str, found: usize, wanted: usize| {
                Failure::argument(name, format!("needs {wanted} bytes, not {found}"))
            };
            let identity = identity.try_into().map_err(|bytes: Vec<u8>| wrong("identity", bytes.len(), 20))?;
            let onion_key = onion_key.try_into().map_err(|bytes: Vec<u8>| wrong("onion_key", bytes.len(), 32))?;
            Ok(Some(RelayDescriptor { identity, onion_key }))
        }
        (None, None) => Ok(None),
    }
}

/// Performs circuit handshakes with a relay. Returns a JSON object with the result.
#[pyfunction]
#[pyo3(signature = (address, handshake, provider, count, keys, given, timeout_s))]
#[expect(clippy::too_many_arguments, reason = "they mirror the options of the command line")]
fn ntor_client(
    py: Python<'_>,
    address: &str,
    handshake: &str,
    provider: &str,
    count: Whole<u64>,
    keys: Option<PathBuf>,
    given: Option<(Vec<u8>, Vec<u8>)>,
    timeout_s: f64,
) -> Answer<String> {
    let count = count.0;
    if !(0.001..=3600.0).contains(&timeout_s) {
        return Err(Failure::argument("timeout", format!("must be from 0.001 to 3600 s, not {timeout_s}")));
    }
    if !(1..=MOST).contains(&count) {
        return Err(Failure::argument("count", format!("must be from 1 to {MOST}, not {count}")));
    }
    detached(py, || {
        let named = circuit_handshake(handshake)?;
        let known = known(keys, given)?;
        let address = relay_address(address)?;
        let limit = Duration::from_secs_f64(timeout_s);
        let failed = |error: &ClientError, at: String| {
            let kind = match error {
                ClientError::Provider(_) => Kind::UnknownName,
                ClientError::Handshake(_) => Kind::VerificationFailed,
                ClientError::Unreachable(_) => Kind::InvalidArgument,
                _ => Kind::Internal,
            };
            Failure::new(kind, format!("{address}: {at}{error}"))
        };
        let mut client = pqlab_lab::relay_client(named, provider, address, known, limit)
            .map_err(|error| failed(&error, String::new()))?;
        let mut length = 0;
        for done in 0..count {
            Python::attach(|py| py.check_signals())?;
            let keys = client.handshake();
            length = keys.map_err(|error| failed(&error, format!("handshake {} failed: ", done + 1)))?.len();
        }
        let [sent, received] = client.lengths();
        let RelayDescriptor { identity, onion_key } = client.relay();
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        Ok(json!({
            "handshake": named.name(), "relay": address.to_string(), "handshakes": count,
            "sent_bytes": sent, "received_bytes": received, "key_bytes": length,
            "identity": hex(&identity), "onion_key": hex(&onion_key),
            "authenticated": client.authenticates() && known.is_some(),
        })
        .to_string())
    })
}
