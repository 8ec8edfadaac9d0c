//! Circuit handshakes over TCP: a relay, a client, and the relay key file.

use crate::{LabError, Thing};
use pqlab_providers::providers;
use pqlab_workloads::ntor::client::{Client, ClientError, handshake_named, handshake_names};
use pqlab_workloads::ntor::relay::{Relay, RelayError};
use pqlab_workloads::ntor::{Handshake, RelayDescriptor};
use serde::{Deserialize, Serialize};
use std::fs;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Schema of a relay key file.
const SCHEMA: &str = "pqlab-relay/1";
/// Maximum length of a relay key file in bytes.
const LONGEST: u64 = 64 << 10;

/// Identity of the relay that pqlab runs.
pub const RELAY_IDENTITY: [u8; 20] = *b"pqlab's own relay...";

/// Parses the address of a relay: a host name or IP address, with its port.
///
/// # Errors
/// [`LabError::Invalid`] if `text` is not an address or the host is unknown.
pub fn relay_address(text: &str) -> Result<SocketAddr, LabError> {
    let wrong = |reason: String| {
        let reason = format!("invalid address {text:?}: {reason}; expected HOST:PORT such as 127.0.0.1:9001");
        LabError::invalid("address", reason)
    };
    let mut found = text.to_socket_addrs().map_err(|error| wrong(error.to_string()))?;
    found.next().ok_or_else(|| wrong("no such host".into()))
}

/// Creates a relay that answers circuit handshakes. The relay uses the primitives of `pair`, which is one provider
/// (`aws-lc`) or two (`aws-lc+liboqs`).
///
/// # Errors
/// [`RelayError::Provider`] if a provider is unknown or lacks a primitive.
pub fn relay(pair: &str, identity: [u8; 20]) -> Result<Arc<Relay>, RelayError> {
    Relay::new(&providers(), pair, identity)
}

/// Returns the circuit handshake called `name`. This can be its name in case ids, or a short name (`ntor`, `kem-only`,
/// `hybrid`).
///
/// # Errors
/// [`LabError::Unknown`] for an unknown handshake.
pub fn circuit_handshake(name: &str) -> Result<Handshake, LabError> {
    let names = handshake_names();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    handshake_named(name).ok_or_else(|| LabError::unknown_of_few(Thing::Handshake, name, &known))
}

/// Connects a client to a relay. The client uses the `known` keys if given; otherwise it requests the relay's keys and
/// trusts the answer. `pair` is one provider or a pair, as for [`relay`]. `limit` is the time limit for the connection
/// and for each answer.
///
/// # Errors
/// [`ClientError`] if a provider lacks an algorithm, the relay does not answer, or its answer is malformed.
pub fn relay_client(
    handshake: Handshake,
    pair: &str,
    address: SocketAddr,
    known: Option<RelayDescriptor>,
    limit: Duration,
) -> Result<Client, ClientError> {
    Client::connect(&providers(), handshake, pair, (address, known), limit)
}

/// Contents of a relay key file, which a relay gives to clients. The identity (20 bytes) and the onion key (32 bytes)
/// are in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelayKeys {
    schema: String,
    /// Address at which the relay listens.
    pub address: SocketAddr,
    identity: Bytes<20>,
    onion_key: Bytes<32>,
}

/// Exactly `N` bytes, written in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Bytes<const N: usize>([u8; N]);

impl<const N: usize> TryFrom<String> for Bytes<N> {
    type Error = String;

    fn try_from(text: String) -> Result<Bytes<N>, String> {
        let mut bytes = [0; N];
        hex::decode_to_slice(&text, &mut bytes).map_err(|_| format!("{text:?} is not {N} bytes in hexadecimal"))?;
        Ok(Bytes(bytes))
    }
}

impl<const N: usize> From<Bytes<N>> for String {
    fn from(bytes: Bytes<N>) -> String {
        hex::encode(bytes.0)
    }
}

impl RelayKeys {
    /// Creates the contents of the key file for a relay that listens at `address`.
    pub fn new(address: SocketAddr, relay: RelayDescriptor) -> RelayKeys {
        let (identity, onion_key) = (Bytes(relay.identity), Bytes(relay.onion_key));
        RelayKeys { schema: SCHEMA.into(), address, identity, onion_key }
    }

    /// Returns the contents of the key file, as JSON.
    pub fn to_json(&self) -> String {
        // This cannot fail, because all fields become JSON strings.
        format!("{}\n", serde_json::to_string_pretty(self).unwrap_or_default())
    }

    /// Reads a relay key file.
    ///
    /// # Errors
    /// [`LabError::File`] if the file cannot be read or is not a relay key file.
    pub fn read(path: &Path) -> Result<RelayKeys, LabError> {
        let wrong = |reason: String| LabError::File { path: path.to_owned(), reason };
        let length = fs::metadata(path).map_err(|error| wrong(error.to_string()))?.len();
        if length > LONGEST {
            return Err(wrong(format!("not a relay key file: too long ({length} bytes)")));
        }
        let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let keys: RelayKeys =
            serde_json::from_str(&text).map_err(|error| wrong(format!("not a relay key file: {error}")))?;
        match keys.schema == SCHEMA {
            true => Ok(keys),
            false => Err(wrong(format!("the schema is {:?}, not {SCHEMA:?}", keys.schema))),
        }
    }

    /// Returns the relay's identity and onion key, which clients need for handshakes.
    pub fn descriptor(&self) -> RelayDescriptor {
        RelayDescriptor { identity: self.identity.0, onion_key: self.onion_key.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_keys_as_written_and_rejects_everything_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("relay.json");
        let relay = RelayDescriptor { identity: [1; 20], onion_key: [2; 32] };
        let keys = RelayKeys::new("127.0.0.1:9001".parse().unwrap(), relay);
        let text = keys.to_json();
        fs::write(&path, &text).unwrap();
        let read = RelayKeys::read(&path).unwrap();
        assert_eq!((read.descriptor(), &read), (relay, &keys));
        for wrong in [
            text.replace("0101", "01"),
            text.replace("relay/1", "relay/2"),
            text.replace("\"address\"", "\"addressee\""),
            String::new(),
            " ".repeat(1 << 17),
        ] {
            fs::write(&path, wrong).unwrap();
            let error = RelayKeys::read(&path).unwrap_err();
            assert!(error.is_request() && error.to_string().contains("relay.json: "), "{error}");
        }
    }

    #[test]
    fn handshakes_have_short_names_and_case_names() {
        let name =
            |name: &str| circuit_handshake(name).map(|handshake| handshake.name()).map_err(|error| error.to_string());
        assert_eq!(name("ntor").as_deref(), Ok("ntor-v1"));
        assert_eq!(name("hybrid").as_deref(), Ok("ntor-x25519-mlkem768"));
        assert_eq!(name("kem-only-mlkem512").as_deref(), Ok("kem-only-mlkem512"));
        let unknown = name("ntor-v2").unwrap_err();
        assert!(unknown.contains("did you mean \"ntor-v1\"?); expected one of ntor, kem-only, hybrid"), "{unknown}");
    }
}
