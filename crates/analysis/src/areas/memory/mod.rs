//! Peak stack and heap use.

pub(super) mod findings;

pub(crate) const AREA: &str = "memory";
/// Names under which the workload records the peak stack and heap use of each call, in bytes.
pub(crate) const PEAKS: [&str; 2] = ["peak_stack_bytes", "peak_heap_bytes"];
