//! Code that is not linked, as providers behind the traits of `pqlab-primitives`: shared libraries that are opened at run time, and
//! programs in any language, which speak the protocol of `docs/workers.md` ([`process`]).
//!
//! - [`LibrarySpec`]: how one is named.
//! - [`open`], [`describe`]: opens it in this process, runs its code, and hands out a provider. A library may crash, hang or abort in its
//!   constructor: only worker processes call this.
//! - [`Description`]: what a provider offers, without its code, for processes that only plan and list.
//!
//! One folder a kind of interface. What a timed operation does beside the library's own call is what the adapters of the
//! linked libraries do, so that a library that is loaded and the same one linked take the same time.

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
