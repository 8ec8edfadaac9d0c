//! TLS handshakes: what they take and send, what they are made of, how long clients wait for them, what a server holds.

mod connections;
mod decomposition;
mod handshakes;
mod server;
mod steps;

use crate::areas::tls::{AREA, Configuration};
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

/// The tables of a run, those without rows left out.
pub(crate) fn tables(analysis: &RunAnalysis<'_>) -> Vec<Table> {
    vec![
        handshakes::handshakes(analysis),
        steps::steps(analysis),
        decomposition::decomposition(analysis),
        connections::connections(analysis),
        server::server(analysis),
    ]
}

/// A table whose rows are of configurations.
fn table(name: &'static str, title: &str) -> Table {
    Table::new(name, AREA, title)
        .names("key_exchange", "key exchange")
        .names("auth", "authentication")
        .names("chain", "chain")
        .names("mode", "mode")
        .names("provider", "provider")
        .stacked(4)
}

/// What names such a row; a full handshake has no mode.
fn names(of: &Configuration) -> [Cell; 5] {
    let chain = of.intermediates.to_string();
    let mode = of.mode.as_deref().unwrap_or_default();
    [&of.exchange, &of.authentication, &chain, mode, &of.provider].map(Cell::text)
}
