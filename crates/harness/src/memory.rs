//! How much memory one operation takes at most: of the stack by painting it, of the heap by counting.
//!
//! The operation runs on a thread of its own with [`STACK`] bytes of stack. It is performed once before, so that what a
//! library keeps for each thread is there already, once for the stack and once for the heap.
//!
//! **Stack**: everything below the frame that calls the operation is painted, and afterwards searched from the far end for
//! the first word that is no longer as it was painted. A frame that is made and not written to the end is seen as far as
//! it was written. Less than [`UNSEEN`] bytes reads as 0.
//!
//! **Heap**: the slots through which this program calls the C library's allocator (Rust's allocator calls it too) are
//! pointed at functions that count before they pass the call on. This happens in a process that asks for it and at no
//! other time: where nobody asks, nothing is added to any call. Blocks count with their usable size
//! (`malloc_usable_size`), without the allocator's own header; a block that is made larger counts as the larger one, even
//! while it is being copied. Not seen are memory from `mmap` directly, what shared libraries (the C library itself among
//! them) allocate for themselves, and what other threads do.

use crate::system::peaks;
use crate::trial::Fault;

/// Bytes of stack that an operation has: what a program's first thread usually has. One that wants more ends its worker.
pub const STACK: usize = 8 << 20;
/// How often [`peaks`] performs its operation.
pub const CALLS: usize = 3;
/// Bytes of stack below the calling frame that painting leaves out, because the painter stands there.
pub const UNSEEN: usize = 1024;

/// What an operation took at most, beyond what was taken when it began. In bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peaks {
    /// Of the stack, from the frame that calls the operation; 0 below [`UNSEEN`].
    pub stack: usize,
    /// Of the heap.
    pub heap: usize,
}

/// Whether peaks can be had in this process.
///
/// # Errors
/// [`Fault::Unsupported`], with the reason, where they cannot.
pub fn supported() -> Result<(), Fault> {
    peaks::supported().map_err(|reason| Fault::Unsupported(reason.to_owned()))
}

/// Performs the operation [`CALLS`] times on a thread of its own, and tells what one of them takes. One call at a time
/// measures; others wait.
///
/// # Errors
/// The operation's own, or [`Fault::Unsupported`] where peaks cannot be had.
pub fn peaks(operation: &mut (dyn FnMut() -> Result<(), Fault> + Send)) -> Result<Peaks, Fault> {
    supported()?;
    peaks::peaks(operation)
}
