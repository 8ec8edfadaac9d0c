//! Plain tables for lists, without frames. Each row is one line if the terminal is wide enough.

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};

/// Returns a table with a heading, wrapped to the terminal's width.
pub(crate) fn table(heads: &[&str], rows: Vec<Vec<String>>, width: usize) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width.max(40)).unwrap_or(u16::MAX));
    table.set_header(heads);
    table.add_rows(rows);
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}
