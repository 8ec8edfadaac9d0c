//! Tables of hybrids: an overview, their cost in addition to their halves, and the spread of single operations.

mod decomposition;
mod headlines;
mod spread;

pub(crate) use decomposition::decomposition;
pub(crate) use headlines::headlines;
pub(crate) use spread::spread;
