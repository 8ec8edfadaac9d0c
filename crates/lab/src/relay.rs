use pqlab_providers::providers;
use pqlab_workloads::ntor::relay::{Relay, RelayError};
use std::sync::Arc;

/// A relay that answers circuit handshakes with the primitives of one provider (`aws-lc`) or two (`aws-lc+liboqs`).
///
/// # Errors
/// [`RelayError::Provider`] if there is no such provider, or it lacks a part.
pub fn relay(pair: &str, identity: [u8; 20]) -> Result<Arc<Relay>, RelayError> {
    Relay::new(&providers(), pair, identity)
}
