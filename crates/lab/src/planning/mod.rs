//! Turns a user's request into a plan: resolves names, suites and filters, chooses the `fastest` libraries, and
//! estimates the duration.

pub(crate) mod duration;
pub(crate) mod fastest;
pub(crate) mod names;
pub(crate) mod outline;
pub(crate) mod plan;
pub(crate) mod suite;
pub(crate) mod suites_of_tables;
