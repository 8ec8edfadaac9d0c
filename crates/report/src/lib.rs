//! Renders a run as an export format ([`Exporter`]), [`terminal`] output, pictures ([`charts`]), or a page
//! ([`templates`]). Also creates a folder with the page, its pictures and its tables ([`bundle`]). Renders a store as a
//! [`site`].
//!
//! All renderers take a [`RunAnalysis`](pqlab_analysis::RunAnalysis), which computes each figure only once. The crate
//! depends on neither the harness nor a cryptographic library. It does not read a clock, so rendering an old run again
//! gives the same bytes.

pub mod bundle;
pub mod charts;
mod command;
#[cfg(test)]
mod consistency;
pub mod document;
pub mod exporters;
mod for_record;
mod latex;
pub mod site;
#[cfg(test)]
mod six_forms;
pub mod templates;
pub mod terminal;
mod width;

pub use command::{command, shell_line};
pub use exporters::{
    ExportError, ExportOptions, Exporter, Format, Names, exporter, exporter_with, exporters, exporters_with,
};
pub use for_record::{ForRecord, for_record};
pub use latex::{LatexCell, LatexSide, LatexTable, latex_table};

#[cfg(test)]
use pqlab_fixtures as fixtures;
