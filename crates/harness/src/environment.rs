//! environment
