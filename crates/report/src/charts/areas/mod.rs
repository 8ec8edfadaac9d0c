//! Pictures of one area of work each.

pub(super) mod hybrid;
pub(super) mod ledger;
pub(super) mod ntor;
pub(super) mod signature;
pub(super) mod tls;
