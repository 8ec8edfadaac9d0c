//! Adapters that are generic over a table of library calls, for linked and for loaded libraries, and their shared
//! parts.
//!
//! - [`openssl`]: the adapter for OpenSSL. Calls to a linked library stay direct.
//! - [`Contexts`]: library contexts that are kept with a key.
//! - [`SecretBytes`], [`PublicBytes`]: keys for libraries without key objects.
//! - [`front_of`], [`write()`], [`messages`]: checked buffers.

mod contexts;
mod keys;
pub mod messages;
pub mod openssl;
mod room;

pub use contexts::Contexts;
pub use keys::{PublicBytes, SecretBytes};
pub use room::{front_of, write};
