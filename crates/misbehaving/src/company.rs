//! KEMs that depend on the process they run in. `dirty` leaves vector registers in use and changes the rounding mode.
//! `witness` fails if it finds this leftover state. `slow-start` initializes itself in its first call.

use crate::altered::altered;
use pqlab_harness::residue;
use pqlab_primitives::{Error, Kem, Result};
use std::sync::Arc;
use std::sync::Once;
use std::thread;
use std::time::Duration;

/// Duration of the first call of `slow-start` in a process.
const SET_UP: Duration = Duration::from_millis(50);

/// Returns the KEMs `dirty`, `witness` and `slow-start`. In all other respects, they behave like the null provider's
/// KEM.
pub(super) fn kems(null: &Arc<dyn Kem>) -> [Arc<dyn Kem>; 3] {
    [
        altered(null, Some("dirty"), |key, ciphertext, secret| {
            key.decapsulate(ciphertext, secret)?;
            residue::leave_dirty();
            Ok(())
        }),
        altered(null, Some("witness"), |key, ciphertext, secret| {
            find_nothing()?;
            key.decapsulate(ciphertext, secret)
        }),
        altered(null, Some("slow-start"), |key, ciphertext, secret| {
            static SET_UP_DONE: Once = Once::new();
            SET_UP_DONE.call_once(|| thread::sleep(SET_UP));
            key.decapsulate(ciphertext, secret)
        }),
    ]
}

fn find_nothing() -> Result<()> {
    match residue::read() {
        Some(left) if !left.is_empty() => {
            let detail = left.iter().map(|residue| residue.name()).collect::<Vec<_>>().join(", ");
            Err(Error::Library { call: "witness_decapsulate", detail: format!("found {detail}") })
        }
        _ => Ok(()),
    }
}
