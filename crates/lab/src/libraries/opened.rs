//! Opens the libraries that the coordinator names, in a worker process.

use pqlab_foreign::LibrarySpec;
use pqlab_foreign::process::Listing;
use pqlab_harness::clock;
use pqlab_primitives::{BuildInfo, Provider};
use serde::{Deserialize, Serialize};
use std::env;
use std::io;

/// Environment variable with the libraries that a worker must open, as JSON.
pub(crate) const LIBRARIES: &str = "PQLAB_LIBRARIES";

/// Environment variable that prevents a worker from opening the libraries. Its value is the reason to report.
pub(crate) const NOT_OPENED: &str = "PQLAB_NOT_OPENED";

/// Library that workers must open, as the coordinator describes it to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Loaded {
    /// Library to open.
    pub(crate) library: LibrarySpec,
    /// Description of the library. A worker that cannot open the library reports this description instead.
    pub(super) build: BuildInfo,
    /// Listing of a program's cases, so that a worker need not start the program to describe it.
    pub(super) listing: Option<Listing>,
}

/// Libraries that a worker process has opened or failed to open.
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
