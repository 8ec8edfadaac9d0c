//! Runs plans and tasks in worker processes.

pub(crate) mod core_locks;
pub(crate) mod errand;
pub(crate) mod laboratory;
pub(crate) mod processors;
pub(crate) mod program;
pub(crate) mod sink;
pub(crate) mod worker;
