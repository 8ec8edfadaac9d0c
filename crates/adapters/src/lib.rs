//! Adapters that call a library through a table of its functions, so that the same code serves linked and loaded
//! libraries. Also contains code that all adapters share.
//!
//! - [`openssl`]: the adapter for OpenSSL. If the library is linked, its functions are still called directly.
//! - [`Contexts`]: library contexts that each key stores.
//! - [`SecretBytes`], [`PublicBytes`]: keys for libraries without key objects.
//! - [`OqsGenerator`]: replaces liboqs's random generator with given bytes, for verification.
//! - [`front_of`], [`write()`], [`messages`]: buffer checks.

mod contexts;
mod keys;
pub mod messages;
pub mod openssl;
mod oqs_generator;
mod room;

pub use contexts::Contexts;
pub use keys::{PublicBytes, SecretBytes};
pub use oqs_generator::{FillRandom, OqsGenerator};
pub use room::{front_of, write};
