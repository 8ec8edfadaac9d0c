//! Providers that are not linked into this program: shared libraries opened at run time, and programs in any language
//! that speak the protocol in `docs/workers.md` ([`process`]). Both implement the traits of `pqlab-primitives`.
//!
//! - [`LibrarySpec`] names a library or program.
//! - [`open`] and [`describe`] open the library or program in this process and run its code. A library may crash, hang
//!   or abort in its constructor, so only worker processes call these functions.
//! - [`Description`] lists a provider's algorithms and functions, for processes that only plan runs or list algorithms.
//!
//! Each kind of interface has its own folder. The adapters add the same work to a timed call as the adapters for linked
//! libraries, so times of opened and linked libraries are comparable.

mod description;
mod encoded;
mod liboqs;
mod nist;
mod open;
mod openssl;
pub mod process;
mod spec;
mod symbols;

pub use description::Description;
pub use open::{OpenError, describe, open};
pub use spec::{LibraryKind, LibrarySpec, WrongSpec};
