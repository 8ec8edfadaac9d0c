//! Maps each table to the suites that measure its cases.

/// Tables, with the built-in suites that measure their cases.
const SUITES: &[(&[&str], &[&str])] = &[
    (&["decomposition"], &["hybrid", "standard", "certificate"]),
    (&["spread"], &["hybrid", "hybrid-reference"]),
    (&["cycles-per-byte"], &["sha3", "hash"]),
    (&["keccak-share"], &["standard"]),
    (&["scaling"], &["scaling", "ntor", "tls"]),
    (&["load"], &["scaling", "hybrid", "ntor"]),
    (&["signatures"], &["signatures"]),
    (&["kems"], &["kems"]),
    (&["sizes"], &["signature-sizes", "signatures", "tls"]),
    (&["batches"], &["batches"]),
    (&["tokens"], &["token"]),
    (&["tls-handshakes", "tls-steps", "tls-decomposition", "tls-connections", "tls-server"], &["tls"]),
    (&["ssh-handshakes", "ssh-connections"], &["ssh"]),
    (&["quic-handshakes", "quic-connections"], &["quic"]),
    (&["protocols"], &["protocols"]),
    (&["mtc-certificates", "mtc-issuing"], &["mtc"]),
    (&["cms-images"], &["cms"]),
    (&["ledger-schemes", "ledger-blocks", "ledger-codec"], &["ledger", "ledger-reference"]),
    (&["ntor-memory"], &["memory"]),
    (
        &[
            "ntor-variants",
            "ntor-lengths",
            "ntor-steps",
            "ntor-shares",
            "ntor-parts",
            "ntor-precomputation",
            "ntor-queue",
            "ntor-cores",
            "ntor-relay",
            "ntor-links",
            "ntor-exchange",
            "ntor-overhead",
            "ntor-literature",
        ],
        &["ntor"],
    ),
];

/// Returns the built-in suites that measure all of a table's cases, simplest first. Returns an empty list if no single
/// suite measures all of them, or if many suites do.
pub fn suites_with_table(table: &str) -> &'static [&'static str] {
    SUITES.iter().find(|(tables, _)| tables.contains(&table)).map_or(&[], |(_, suites)| suites)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin_suites;
    use pqlab_analysis::tables::NAMES;

    /// Tables that appear in runs of many suites, or that need more than one suite.
    const OF_ANY: [&str; 5] = ["headlines", "languages", "libraries", "library-facts", "claims"];

    #[test]
    fn every_table_has_existing_suites() {
        for table in NAMES {
            assert_eq!(suites_with_table(table).is_empty(), OF_ANY.contains(&table), "{table}");
        }
        let suites = builtin_suites().unwrap();
        for (tables, names) in SUITES {
            assert!(tables.iter().all(|table| NAMES.contains(table)), "{tables:?}");
            assert!(names.iter().all(|name| suites.iter().any(|suite| suite.name == *name)), "{names:?}");
        }
    }
}
