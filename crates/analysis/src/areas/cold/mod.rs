//! Operations in other states than the usual one, whatever their area.

pub(super) mod findings;
