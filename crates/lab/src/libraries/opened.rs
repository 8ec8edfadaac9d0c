//! Opens the libraries that the coordinator names, in a worker process.

use pqlab_foreign::LibrarySpec;
use pqlab_foreign::process::Listing;
use pqlab_harness::clock;
use pqlab_primitives::{BuildInfo, Provider};
use serde::{Deserialize, Serialize};
use std::env;
use std::io;

/// Environment variable with the libraries that a worker must open.
pub(crate) const LIBRARIES: &str = "PQLAB_LIBRARIES";

/// Environment variable that forbids a worker to open the libraries; the value is the reason.
pub(crate) const NOT_OPENED: &str = "PQLAB_NOT_OPENED";

/// Library as described to workers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Loaded {
    /// Library to open.
    pub(crate) library: LibrarySpec,
    /// Description of the library. A worker that can no longer open the library reports this description instead.
    pub(super) build: BuildInfo,
    /// Listing of a program's cases, which saves a worker from starting the program to describe it.
    pub(super) listing: Option<Listing>,
}

/// The libraries of a worker process.
#[derive(Default)]
pub(crate) struct Opened {
    /// One provider for each library. The provider for a library that could not be opened offers nothing.
    pub(crate) providers: Vec<Provider>,
    /// Labels of the libraries that could not be opened, with the reasons.
    pub(crate) failed: Vec<(String, String)>,
}

/// Opens the libraries that the coordinator requests, in the current process.
///
/// # Errors
/// Fails if a different build wrote the value of [`LIBRARIES`].
pub(crate) fn open_libraries() -> io::Result<Opened> {
    let mut opened = Opened::default();
    let Some(value) = env::var_os(LIBRARIES) else { return Ok(opened) };
    let loaded: Vec<Loaded> = serde_json::from_slice(value.as_encoded_bytes()).map_err(io::Error::other)?;
    let none = env::var(NOT_OPENED).ok();
    for Loaded { library, build, listing } in loaded {
        let open =
            || pqlab_foreign::open(&library, listing.as_ref(), clock::awake_ns).map_err(|error| error.to_string());
        match none.clone().map_or_else(open, Err) {
            Ok(provider) => opened.providers.push(provider),
            Err(reason) => {
                opened.failed.push((library.label.clone(), reason));
                opened.providers.push(Provider::new(&library.label, build));
            }
        }
    }
    Ok(opened)
}
