//! Measures the peak memory of one operation: stack use by painting the stack, heap use by counting allocations.
//!
//! The operation runs on a separate thread with [`STACK`] bytes of stack. The first run creates the library's
//! per-thread data, the second measures the stack, and the third measures the heap.
//!
//! **Stack**: before the operation, the harness fills the stack below the calling frame with a pattern. Afterwards, it
//! searches the stack from the far end for the first changed word. Unwritten stack at the far end of the last frame is
//! not counted. Results below [`UNSEEN`] bytes are reported as 0.
//!
//! **Heap**: this program, including Rust's allocator, calls the C library's allocator through function pointers
//! (slots). The harness redirects the slots to functions that count and forward each call. It does so only in processes
//! that measure memory, so other measurements have no extra cost. A block contributes its usable size
//! (`malloc_usable_size`), without the allocator's header. A reallocation contributes the larger of the two sizes, not
//! their sum, even if the block is copied. Memory from direct `mmap` calls, allocations inside shared libraries
//! (including the C library), and allocations in other threads are not counted.

use crate::system::peaks;
use crate::trial::Fault;

/// Stack size for the operation, in bytes: the usual stack size of a main thread. If an operation needs more, its
/// worker crashes.
pub const STACK: usize = 8 << 20;
/// Number of times that [`peaks`] performs the operation.
pub const CALLS: usize = 3;
/// Bytes of stack below the calling frame that stay unpainted, because the painting function itself uses them.
pub const UNSEEN: usize = 1024;

/// Peak memory of an operation in bytes, in addition to the memory in use at its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peaks {
    /// Stack used below the frame that calls the operation; 0 if less than [`UNSEEN`].
    pub stack: usize,
    /// Heap memory allocated at its peak.
    pub heap: usize,
}

/// Checks that peaks can be measured in this process.
///
/// # Errors
/// [`Fault::Unsupported`], with the reason, if they cannot be measured.
pub fn supported() -> Result<(), Fault> {
    peaks::supported().map_err(|reason| Fault::Unsupported(reason.to_owned()))
}

/// Performs the operation [`CALLS`] times on a separate thread and returns its peaks. Only one measurement runs at a
/// time; concurrent calls wait.
///
/// # Errors
/// The operation's errors, or [`Fault::Unsupported`] if peaks cannot be measured.
pub fn peaks(operation: &mut (dyn FnMut() -> Result<(), Fault> + Send)) -> Result<Peaks, Fault> {
    supported()?;
    peaks::peaks(operation)
}
