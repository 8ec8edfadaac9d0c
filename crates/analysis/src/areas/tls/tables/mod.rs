//! Tables of TLS handshakes: their time and bytes, their parts, the waiting time of clients, and a server's rate.

mod connections;
mod decomposition;
mod handshakes;
mod server;
mod steps;

use crate::areas::tls::{AREA, Configuration, Flights};
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

/// Builds all TLS tables for a run.
pub(crate) fn tables(analysis: &RunAnalysis<'_>) -> Vec<Table> {
    vec![
        handshakes::handshakes(analysis),
        steps::steps(analysis),
        decomposition::decomposition(analysis),
        connections::connections(analysis),
        server::server(analysis),
    ]
}

/// Creates a table with one row per configuration.
fn table(name: &'static str, title: &str) -> Table {
    Table::new(name, AREA, title)
        .names("key_exchange", "key exchange")
        .names("auth", "authentication")
        .names("chain", "chain")
        .names("mode", "mode")
        .names("provider", "provider")
        .stacked(4)
}

/// Returns the cells that name a configuration. A full handshake has no mode.
fn names(configuration: &Configuration) -> [Cell; 5] {
    let chain = configuration.intermediates.to_string();
    let mode = configuration.mode.as_deref().unwrap_or_default();
    [&configuration.exchange, &configuration.authentication, &chain, mode, &configuration.provider].map(Cell::text)
}

/// Returns the cell for whether the server's flight fits into the first window.
fn first_window(flights: Option<&Flights>) -> Cell {
    Cell::text(flights.map_or("", |flights| if flights.fits_the_initial_window() { "yes" } else { "no" }))
}
