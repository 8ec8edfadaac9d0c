//! Adapters over a table of a library's calls, and what adapters have in common whether their library is linked or loaded.
//!
//! - [`openssl`]: all of it, generic in the table, so that for the linked library each call is a direct one.
//! - [`Contexts`]: contexts of a library beside a key.
//! - [`SecretBytes`], [`PublicBytes`]: keys of a library without key objects.
//! - [`front_of`], [`write()`], [`messages`]: checked buffers.

mod contexts;
mod keys;
pub mod messages;
pub mod openssl;
mod room;

pub use contexts::Contexts;
pub use keys::{PublicBytes, SecretBytes};
pub use room::{front_of, write};
