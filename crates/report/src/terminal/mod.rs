//! Terminal output: pure functions that return text. They print nothing.
//!
//! - Text from other sources (names, reasons, hosts) cannot control the terminal. Control characters, and characters
//!   that change the direction of writing, are escaped.
//! - Columns are aligned by display width.
//! - All output is readable without color.
//! - `width` is the width of the terminal in columns.
//! - A result of several lines ends in a line feed; a single line does not.

mod case;
mod changes;
mod chosen;
mod closing;
mod columns;
mod comparison;
mod histogram;
mod line;
mod palette;
mod published;
mod runs;
mod summary;
mod table;
mod tables;
mod text;

pub use case::show_case;
pub use changes::comparison_summary;
pub use chosen::{Detail, chosen_cases, show_run};
pub use comparison::comparison_table;
pub use line::{LineWidths, case_line};
pub use palette::{Palette, TextStyle};
pub(crate) use published::figure as published_figure;
pub use published::published_table;
pub use runs::runs_table;
pub use summary::run_summary;
pub use table::run_table;
pub use tables::tables;
pub use text::{hanging, steady};
