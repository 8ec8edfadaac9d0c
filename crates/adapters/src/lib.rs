//! Adapters that are generic over a table of library functions, so that they work for linked and for loaded libraries.
//! Also contains parts that these and other adapters share.
//!
//! - [`openssl`]: the adapter for OpenSSL. If the library is linked, its functions are still called directly.
//! - [`Contexts`]: library contexts that each key stores.
//! - [`SecretBytes`], [`PublicBytes`]: keys for libraries without key objects.
//! - [`front_of`], [`write()`], [`messages`]: checks of buffers.

mod contexts;
mod keys;
pub mod messages;
pub mod openssl;
mod room;

pub use contexts::Contexts;
pub use keys::{PublicBytes, SecretBytes};
pub use room::{front_of, write};
