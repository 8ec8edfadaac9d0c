//! Tests for leaked secrets: through the time of an operation, or through branches and addresses.

pub(crate) mod series;
pub(crate) mod taint;
pub(crate) mod timing;
