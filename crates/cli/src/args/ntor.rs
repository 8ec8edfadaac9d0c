//! Arguments of `pqlab ntor-relay` and `pqlab ntor-client`.

use super::positive;
use clap::Args;
use pqlab_lab::RelayDescriptor;
use std::path::PathBuf;

/// Answer circuit handshakes over TCP.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab ntor-relay                                    on a free loopback port; prints the port
  pqlab ntor-relay --listen 0.0.0.0:9001 --provider aws-lc+liboqs
  pqlab ntor-relay --listen 127.0.0.1:9001 --keys relay.json
                                 then: pqlab ntor-client 127.0.0.1:9001 --keys relay.json

The relay is a test tool, not a Tor relay. It prints its address, identity and onion key, and the
messages that a client must send.

Exit codes: 0 ended by a signal; 1 the listening socket failed; 2 cannot listen on ADDR, no such
provider, or the key file cannot be written")]
pub(crate) struct RelayArgs {
    /// Address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(crate) listen: std::net::SocketAddr,

    /// Provider id, or two ids joined by a plus sign: one for X25519 and hashes, one for ML-KEM
    #[arg(long, value_name = "P", default_value = "aws-lc")]
    pub(crate) provider: String,

    /// Also write the identity and onion key to this file, for `pqlab ntor-client --keys`
    #[arg(long, value_name = "FILE.json")]
    pub(crate) keys: Option<PathBuf>,
}

/// Perform circuit handshakes with an ntor-relay.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab ntor-client 127.0.0.1:9001 --keys relay.json           with the key file of the relay
  pqlab ntor-client 127.0.0.1:9001 --handshake ntor --count 100 --provider rustcrypto
  pqlab ntor-client 127.0.0.1:9001 --handshake kem-only-mlkem512 --identity HEX --onion-key HEX

Handshakes:
  ntor                              classical ntor: ntor-v1
  kem-only, kem-only-mlkem512       ML-KEM alone; does not authenticate the relay
  hybrid, ntor-x25519-mlkem512      X25519 and ML-KEM
The handshakes with ML-KEM also exist as -mlkem768 (used by the short names) and -mlkem1024.
`pqlab ntor-relay` prints what each handshake sends.

Exit codes: 0 done; 1 an answer is missing or does not verify; 2 bad usage, or no relay answers at
ADDR")]
pub(crate) struct ClientArgs {
    /// Address and port of the relay
    #[arg(value_name = "ADDR")]
    pub(crate) address: String,

    /// Handshake to perform (see below)
    #[arg(long, value_name = "H", default_value = "hybrid")]
    pub(crate) handshake: String,

    /// Provider id, or two ids joined by a plus sign: one for X25519 and hashes, one for ML-KEM
    #[arg(long, value_name = "P", default_value = "aws-lc")]
    pub(crate) provider: String,

    /// Number of handshakes to perform one after another on one connection
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) count: u64,

    /// Key file that the relay wrote with --keys [default: ask the relay for its keys, and trust the answer]
    #[arg(long, value_name = "FILE.json", conflicts_with = "identity")]
    pub(crate) keys: Option<PathBuf>,

    /// Identity of the relay, 20 bytes in hexadecimal
    #[arg(long, value_name = "HEX", requires = "onion_key", value_parser = bytes::<20>)]
    pub(crate) identity: Option<[u8; 20]>,

    /// Onion key of the relay, 32 bytes in hexadecimal
    #[arg(long, value_name = "HEX", requires = "identity", value_parser = bytes::<32>)]
    pub(crate) onion_key: Option<[u8; 32]>,

    /// Time limit for the connection and for each answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds, allow_hyphen_values = true)]
    pub(crate) timeout: f64,
}

impl ClientArgs {
    /// Returns the relay's keys if the options set both.
    pub(crate) fn given(&self) -> Option<RelayDescriptor> {
        let (identity, onion_key) = self.identity.zip(self.onion_key)?;
        Some(RelayDescriptor { identity, onion_key })
    }
}

fn bytes<const N: usize>(text: &str) -> Result<[u8; N], String> {
    let mut bytes = [0; N];
    hex::decode_to_slice(text, &mut bytes).map_err(|_| format!("expected {N} bytes in hexadecimal"))?;
    Ok(bytes)
}

fn seconds(text: &str) -> Result<f64, String> {
    positive(text).and_then(|seconds| match seconds {
        0.001..=3600.0 => Ok(seconds),
        _ => Err("expected a number from 0.001 to 3600".into()),
    })
}
