//! Tests whether operations leak secrets through their time, or through branches and memory addresses.

pub(crate) mod series;
pub(crate) mod taint;
pub(crate) mod timing;
