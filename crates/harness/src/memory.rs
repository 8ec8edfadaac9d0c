//! Peak memory of one operation: the stack by painting it, the heap by counting.
//!
//! The operation runs on its own thread with [`STACK`] bytes of stack. It runs once beforehand, so that a library's
//! per-thread data exists already, then once for the stack and once for the heap.
//!
//! **Stack**: everything below the frame that calls the operation is painted, and afterwards searched from the far end
//! for the first changed word. A frame counts only as far as it was written. Less than [`UNSEEN`] bytes reads as 0.
//!
//! **Heap**: the slots through which this program calls the C library's allocator (as Rust's allocator does too) are
//! redirected to functions that count and forward each call. This happens only in a process that requests it, so other
//! measurements have no extra cost. Blocks count with their usable size (`malloc_usable_size`), without the allocator's
//! own header. A reallocated block counts with its larger size, even while it is being copied. Not counted are memory
//! from direct `mmap` calls, allocations inside shared libraries (including the C library), and those of other threads.

use crate::system::peaks;
use crate::trial::Fault;

/// Bytes of stack for the operation: the usual stack of a program's first thread. An operation that needs more crashes
/// its worker.
pub const STACK: usize = 8 << 20;
/// Number of times that [`peaks`] performs the operation.
pub const CALLS: usize = 3;
/// Bytes of stack below the calling frame that are not painted, because the painting function uses them.
pub const UNSEEN: usize = 1024;

/// Peak memory of an operation in bytes, beyond what was in use when it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peaks {
    /// Stack below the frame that calls the operation; 0 below [`UNSEEN`].
    pub stack: usize,
    /// Heap.
    pub heap: usize,
}

/// Checks that peaks can be measured in this process.
///
/// # Errors
/// [`Fault::Unsupported`], with the reason, if they cannot.
pub fn supported() -> Result<(), Fault> {
    peaks::supported().map_err(|reason| Fault::Unsupported(reason.to_owned()))
}

/// Performs the operation [`CALLS`] times on its own thread and returns its peaks. Concurrent calls wait for each
/// other.
///
/// # Errors
/// The operation's errors, or [`Fault::Unsupported`] if peaks cannot be measured.
pub fn peaks(operation: &mut (dyn FnMut() -> Result<(), Fault> + Send)) -> Result<Peaks, Fault> {
    supported()?;
    peaks::peaks(operation)
}
