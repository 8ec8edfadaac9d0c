//! Operations in states other than the usual one, in any area.

pub(super) mod findings;
