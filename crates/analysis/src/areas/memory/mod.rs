//! Peaks of stack and heap.

pub(super) mod findings;

/// The area.
pub(crate) const AREA: &str = "memory";
/// Names under which the workload notes the peaks of each call in bytes: of the stack, of the heap.
pub(crate) const PEAKS: [&str; 2] = ["peak_stack_bytes", "peak_heap_bytes"];
