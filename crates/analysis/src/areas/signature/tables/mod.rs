//! Tables of signatures.

mod batches;
mod sizes;

pub(crate) use batches::batches;
pub(crate) use sizes::sizes;

use super::{AREA, SIGNATURE_BYTES};
use crate::run::RunAnalysis;
use crate::table::side_by_side::{Side, filled, side_by_side};
use crate::table::{Cell, Table};

/// Builds a table that compares signature schemes side by side.
pub(crate) fn signatures(analysis: &RunAnalysis<'_>) -> Table {
    let operations = [("keygen", "Keygen/s"), ("sign", "Sign/s"), ("verify", "Verify/s")];
    let table = side_by_side("signatures", AREA, "Signatures side by side", operations)
        .figures("signature_max", "signature, max", "B", 0)
        .figures("signature_mean", "mean", "B", 0);
    filled(analysis, table, operations, |side| {
        let sizes = &side.case.facts.sizes;
        vec![Cell::optional(sizes.signature, Cell::whole), Cell::optional(mean_length(side), length)]
    })
}

fn mean_length(side: &Side<'_, '_>) -> Option<f64> {
    let lengths = side.cases.iter().rev().find_map(|case| case.estimates.as_ref()?.extra(SIGNATURE_BYTES))?;
    Some(lengths.mean)
}

/// Formats a mean length in bytes.
fn length(mean: f64) -> Cell {
    Cell::number(crate::number::digits(mean, 4), mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn secret_keys_are_marked_as_seed_or_expanded() {
        let mut run = fixtures::references_run();
        let mut seeds: Vec<_> =
            run.records.iter().filter(|record| record.case.algorithm == "ML-DSA-44").cloned().collect();
        for record in &mut seeds {
            record.case.provider = "openssl".into();
            record.case.facts.sizes.secret_key = Some(32);
        }
        run.records.extend(seeds);
        let table = signatures(&RunAnalysis::new(&run));
        let form = table.columns.iter().position(|column| column.name == "secret_key_form").unwrap();
        let found: Vec<[&str; 3]> =
            table.rows.iter().map(|row| [0, 1, form].map(|place| row.cells[place].text.as_str())).collect();
        assert!(found.contains(&["ML-DSA-44", "liboqs", "expanded"]), "{found:?}");
        assert!(found.contains(&["ML-DSA-44", "openssl", "seed"]), "{found:?}");
        assert!(found.contains(&["Ed25519", "liboqs", ""]), "{found:?}");
    }
}
