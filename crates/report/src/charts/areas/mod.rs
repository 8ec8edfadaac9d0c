//! Charts for single areas.

pub(super) mod hybrid;
pub(super) mod ledger;
pub(super) mod ntor;
pub(super) mod signature;
pub(super) mod tls;
