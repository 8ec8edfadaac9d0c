//! The arguments of `pqlab ntor-relay` and `pqlab ntor-client`.

use super::positive;
use clap::Args;
use pqlab_lab::RelayDescriptor;
use std::path::PathBuf;

/// Answer circuit handshakes over TCP until a signal ends it: classical ntor, KEM-only, authenticated hybrid. An instrument,
/// not a relay of Tor. It prints where it listens, its identity and onion key, and what a client must send.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab ntor-relay                                    on a free port of loopback, which it prints
  pqlab ntor-relay --listen 0.0.0.0:9001 --provider aws-lc+liboqs
  pqlab ntor-relay --listen 127.0.0.1:9001 --keys relay.json
                                 then: pqlab ntor-client 127.0.0.1:9001 --keys relay.json

Exit codes: 0 a signal ended it; 1 the listening socket failed; 2 it cannot listen there, no such
provider, or the file of keys cannot be written")]
pub(crate) struct RelayArgs {
    /// Where to listen; port 0 for any that is free
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(crate) listen: std::net::SocketAddr,

    /// The provider, or two: of X25519 and hashes, and of ML-KEM
    #[arg(long, value_name = "P", default_value = "aws-lc")]
    pub(crate) provider: String,

    /// Also write the identity and the onion key to this file, for `pqlab ntor-client --keys`
    #[arg(long, value_name = "FILE.json")]
    pub(crate) keys: Option<PathBuf>,
}

/// Do circuit handshakes with a relay over TCP, and check that both ends have the same keys.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab ntor-client 127.0.0.1:9001 --keys relay.json           with the keys that the relay wrote
  pqlab ntor-client 127.0.0.1:9001 --handshake ntor --count 100 --provider rustcrypto
  pqlab ntor-client 127.0.0.1:9001 --handshake kem-only-mlkem512 --identity HEX --onion-key HEX

Handshakes:
  ntor                              classical ntor: ntor-v1
  kem-only, kem-only-mlkem512       ML-KEM alone, which does not prove who answers
  hybrid, ntor-x25519-mlkem512      X25519 and ML-KEM
also with -mlkem768, for which the short names stand, and -mlkem1024. `pqlab ntor-relay` prints
what they send.

Exit codes: 0 done; 1 an answer did not come or does not verify; 2 bad usage, or nobody answers at
ADDR")]
pub(crate) struct ClientArgs {
    /// The relay's address and port
    #[arg(value_name = "ADDR")]
    pub(crate) address: String,

    /// Which handshake
    #[arg(long, value_name = "H", default_value = "hybrid")]
    pub(crate) handshake: String,

    /// The provider, or two: of X25519 and hashes, and of ML-KEM
    #[arg(long, value_name = "P", default_value = "aws-lc")]
    pub(crate) provider: String,

    /// How many handshakes, one after the other on one connection
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) count: u64,

    /// A file that the relay wrote with --keys [default: the relay is asked who it is, and believed]
    #[arg(long, value_name = "FILE.json", conflicts_with = "identity")]
    pub(crate) keys: Option<PathBuf>,

    /// The relay's identity, 20 bytes in hexadecimal
    #[arg(long, value_name = "HEX", requires = "onion_key", value_parser = bytes::<20>)]
    pub(crate) identity: Option<[u8; 20]>,

    /// The relay's onion key, 32 bytes in hexadecimal
    #[arg(long, value_name = "HEX", requires = "identity", value_parser = bytes::<32>)]
    pub(crate) onion_key: Option<[u8; 32]>,

    /// Most seconds for the connection, and for each answer
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds, allow_hyphen_values = true)]
    pub(crate) timeout: f64,
}

impl ClientArgs {
    /// The relay as its keys were given.
    pub(crate) fn given(&self) -> Option<RelayDescriptor> {
        let (identity, onion_key) = self.identity.zip(self.onion_key)?;
        Some(RelayDescriptor { identity, onion_key })
    }
}

fn bytes<const N: usize>(text: &str) -> Result<[u8; N], String> {
    let mut bytes = [0; N];
    hex::decode_to_slice(text, &mut bytes).map_err(|_| format!("it must be {N} bytes in hexadecimal"))?;
    Ok(bytes)
}

fn seconds(text: &str) -> Result<f64, String> {
    positive(text).and_then(|seconds| match seconds {
        0.001..=3600.0 => Ok(seconds),
        _ => Err("it must be from 0.001 to 3600".into()),
    })
}
