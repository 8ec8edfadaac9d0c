//! Why an adapter's own part cannot be told for some operations: the one place where that stands.

use crate::operations::Case;

const NULL: &str =
    "null: what its calls cost beyond an empty loop is the harness's own floor, which every run measures";

/// Every reason, once each.
pub(crate) fn reasons() -> Vec<&'static str> {
    vec![NULL]
}

/// The reason why an operation has no comparison, if there is one.
pub(crate) fn reason(case: &Case) -> Option<&'static str> {
    match case.provider.library.as_str() {
        "null" => Some(NULL),
        _ => None,
    }
}
