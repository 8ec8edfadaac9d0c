//! Tables that combine several cases of a run. Each table is computed once, as typed cells with the caveats of each
//! row. Terminal output, web pages, Markdown, LaTeX, CSV and JSON differ only in the layout.

pub use crate::table::{Cell, Column, Holds, Number, Row, Table};

use crate::areas::TABLES;
use crate::areas::ntor::RelayScenario;
use crate::run::RunAnalysis;

/// Names of all tables, in the order in which they are shown.
pub const NAMES: [&str; 46] = [
    "headlines",
    "languages",
    "libraries",
    "library-facts",
    "decomposition",
    "spread",
    "scaling",
    "load",
    "cycles-per-byte",
    "keccak-share",
    "signatures",
    "kems",
    "sizes",
    "batches",
    "tokens",
    "cms-images",
    "tls-handshakes",
    "tls-steps",
    "tls-decomposition",
    "tls-connections",
    "tls-server",
    "ssh-handshakes",
    "ssh-connections",
    "quic-handshakes",
    "quic-connections",
    "protocols",
    "mtc-certificates",
    "mtc-issuing",
    "ledger-schemes",
    "ledger-blocks",
    "ledger-codec",
    "ntor-variants",
    "ntor-lengths",
    "ntor-steps",
    "ntor-shares",
    "ntor-parts",
    "ntor-precomputation",
    "ntor-queue",
    "ntor-memory",
    "ntor-cores",
    "ntor-relay",
    "ntor-links",
    "ntor-exchange",
    "ntor-overhead",
    "ntor-literature",
    "claims",
];

/// Computes the tables of a run and leaves out tables without rows. `scenario` applies to the tables of circuit
/// handshakes.
pub fn tables(analysis: &RunAnalysis<'_>, scenario: &RelayScenario) -> Vec<Table> {
    let mut all: Vec<Table> = TABLES.iter().flat_map(|tables| tables(analysis, scenario)).collect();
    all.retain(|table| !table.rows.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn every_table_is_a_rectangle_with_unique_names() {
        let mut seen = Vec::new();
        for run in [
            fixtures::run(),
            fixtures::ntor_ahead_run(),
            fixtures::scaling_run(),
            fixtures::references_run(),
            fixtures::libraries_run(),
            fixtures::batches_run(),
            fixtures::workers_run(),
            fixtures::tls_run(),
            fixtures::ssh_run(),
            fixtures::quic_run(),
            fixtures::protocols_run(),
            fixtures::mtc_run(),
            fixtures::cms_run(),
        ] {
            let all = tables(&RunAnalysis::new(&run), &RelayScenario::default());
            let places: Vec<usize> =
                all.iter().map(|table| NAMES.iter().position(|name| *name == table.name).unwrap()).collect();
            assert!(places.is_sorted_by(|one, other| one < other), "{places:?}");
            for table in &all {
                assert!(table.rows.iter().all(|row| row.cells.len() == table.columns.len()), "{table:?}");
                let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
                for (index, name) in names.iter().enumerate() {
                    assert!(!names[..index].contains(name), "duplicate column {name} in {}", table.name);
                    let plain = |character: char| {
                        character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_'
                    };
                    assert!(!name.is_empty() && name.chars().all(plain), "{name}");
                }
                assert!(table.stacked <= table.columns.len());
                let figures = table.columns.iter().enumerate().filter(|(_, column)| column.holds != Holds::Figures);
                for (place, _) in figures {
                    assert!(table.rows.iter().all(|row| row.cells[place].number.is_none()), "{table:?}");
                }
            }
            seen.extend(all.into_iter().map(|table| table.name));
        }
        let missing: Vec<&&str> = NAMES.iter().filter(|name| !seen.contains(*name)).collect();
        assert!(missing.is_empty(), "no fixture covers the tables {missing:?}");
    }
}
