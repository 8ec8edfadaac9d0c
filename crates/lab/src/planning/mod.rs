//! From what people type to a plan: names, suites and filters, what `fastest` stands for, how long it takes.

pub(crate) mod duration;
pub(crate) mod fastest;
pub(crate) mod names;
pub(crate) mod outline;
pub(crate) mod plan;
pub(crate) mod suite;
pub(crate) mod suites_of_tables;
