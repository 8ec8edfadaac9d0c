//! Libraries of a worker process: which ones its coordinator names, and opening them.

use pqlab_foreign::LibrarySpec;
use pqlab_foreign::process::Listing;
use pqlab_harness::clock;
use pqlab_primitives::{BuildInfo, Provider};
use serde::{Deserialize, Serialize};
use std::env;
use std::io;

/// The variable that tells a worker which libraries to open.
pub(crate) const LIBRARIES: &str = "PQLAB_LIBRARIES";

/// The variable that tells a worker why it opens none of them.
pub(crate) const NOT_OPENED: &str = "PQLAB_NOT_OPENED";

/// A library as workers are told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Loaded {
    /// What to open.
    pub(crate) library: LibrarySpec,
    /// What it said of itself when it was described: the provider of a worker that cannot open it any more says the same.
    pub(super) build: BuildInfo,
    /// What a program listed, so that it need not be started to be known.
    pub(super) listing: Option<Listing>,
}

/// The libraries of a worker process.
#[derive(Default)]
pub(crate) struct Opened {
    /// A provider each, which offers nothing where it could not be opened.
    pub(crate) providers: Vec<Provider>,
    /// Labels of those that could not be, with the reason.
    pub(crate) failed: Vec<(String, String)>,
}

/// Opens the libraries that the coordinator wants, in this process.
///
/// # Errors
/// Where the variable that names them is not of this build.
pub(crate) fn open_libraries() -> io::Result<Opened> {
    let mut opened = Opened::default();
    let Some(told) = env::var_os(LIBRARIES) else { return Ok(opened) };
    let loaded: Vec<Loaded> = serde_json::from_slice(told.as_encoded_bytes()).map_err(io::Error::other)?;
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
