//! Figures that others published, and their comparison with the figures of a run.
//!
//! [`collection`] returns the published figures. [`compare_published`] pairs them with the cases of a run: same
//! operation, same library (or a library that contains its code), same code path and form of keys. Only figures for the
//! run's kind of core are judged, because the same code takes a different number of cycles on other cores.

mod collection;
mod comparison;
mod json;
mod reasons;

pub use collection::{
    Collection, Core, PublishedCaveat, PublishedCpu, PublishedFigure, PublishedSource, PublishedStatistic,
    PublishedUnit, Series, collection,
};
pub use comparison::{Agreement, PublishedComparison, PublishedPair, VersionMatch, compare_published};
