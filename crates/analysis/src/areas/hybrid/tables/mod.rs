//! Tables of hybrids: at a glance, beside their halves, and how widely single operations spread.

mod decomposition;
mod headlines;
mod spread;

pub(crate) use decomposition::decomposition;
pub(crate) use headlines::headlines;
pub(crate) use spread::spread;
