//! Verification: known answers, published vectors, every library against every other, known defects.

pub(crate) mod defects;
pub(crate) mod found;
pub(crate) mod parts;
pub(crate) mod verify;
