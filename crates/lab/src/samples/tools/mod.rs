//! Readers for the output files of other benchmark tools.

pub(super) mod criterion;
pub(super) mod go;
pub(super) mod google_benchmark;
pub(super) mod hyperfine;
pub(super) mod jmh;
pub(super) mod pyperf;
pub(super) mod pytest_benchmark;
pub(super) mod refused;
