//! Tables of key encapsulation.

use super::AREA;
use crate::run::RunAnalysis;
use crate::table::side_by_side::{filled, side_by_side};
use crate::table::{Cell, Table};

/// Builds a table that compares KEMs side by side.
pub(crate) fn kems(analysis: &RunAnalysis<'_>) -> Table {
    let operations = [("keygen", "Keygen/s"), ("encapsulate", "Encapsulate/s"), ("decapsulate", "Decapsulate/s")];
    let table = side_by_side("kems", AREA, "Key exchanges side by side", operations).figures(
        "ciphertext",
        "ciphertext",
        "B",
        0,
    );
    filled(analysis, table, operations, |side| vec![Cell::optional(side.case.facts.sizes.ciphertext, Cell::whole)])
}
