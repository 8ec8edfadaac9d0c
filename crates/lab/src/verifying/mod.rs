//! Verifies libraries with known answers, with published vectors and against each other, and lists their known defects.

pub(crate) mod defects;
pub(crate) mod found;
pub(crate) mod parts;
pub(crate) mod verify;
