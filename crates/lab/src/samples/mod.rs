//! Reads and evaluates samples from other tools.

pub(crate) mod encoding;
pub(crate) mod files;
pub(crate) mod json;
mod number;
#[cfg(test)]
mod planted;
mod reading;
pub(crate) mod report;
mod table;
mod tools;
mod unit;
