//! Finding on libraries that are far slower than figures published for the same kind of core.

use crate::published::compare_published;
use crate::run::RunAnalysis;

/// Describes the finding.
pub(super) const WHAT: &str = "far slower than published for this kind of core: the library probably runs portable code (see `pqlab compare \
     --published`)";

/// Lists the libraries and algorithms.
pub(super) fn details(analysis: &RunAnalysis<'_>) -> Vec<String> {
    compare_published(analysis, false).far_slower()
}
