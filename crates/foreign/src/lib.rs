//! Providers whose code is not linked: shared libraries opened at run time, and programs in any language that speak the
//! protocol of `docs/workers.md` ([`process`]). They implement the traits of `pqlab-primitives`.
//!
//! - [`LibrarySpec`] names a library or program.
//! - [`open`] and [`describe`] open it in this process and run its code. A library may crash, hang or abort in its
//!   constructor, so only worker processes call them.
//! - [`Description`] lists what a provider offers, for processes that only plan and list.
//!
//! Each kind of interface has a folder. A timed operation does the same work around the library's call as the adapters
//! of the linked libraries, so a library takes the same time whether it is opened or linked.

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
