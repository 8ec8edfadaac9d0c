//! A table of several cases as CSV.

use super::ExportError;
use pqlab_analysis::tables::{Cell, Column, Holds, Table};
use std::io::Write;

/// Writes a table of several cases as CSV.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn table_csv(table: &Table, out: &mut dyn Write) -> Result<(), ExportError> {
    let within = |place: usize| table.rows.iter().any(|row| ends(&row.cells[place]).is_some());
    let mut writer = csv::Writer::from_writer(out);
    let heads = table.columns.iter().enumerate().flat_map(|(place, column)| {
        let name = heading(column);
        let ends = if within(place) { vec![format!("{name}_low"), format!("{name}_high")] } else { Vec::new() };
        std::iter::once(name).chain(ends)
    });
    writer.write_record(heads.chain(["caveats".to_owned()]))?;
    for row in &table.rows {
        let mut cells = Vec::new();
        for (place, column) in table.columns.iter().enumerate() {
            let cell = &row.cells[place];
            cells.push(match (column.holds, cell.number) {
                (Holds::Figures, Some(number)) => number.estimate.to_string(),
                _ if cell.is_empty() => String::new(),
                _ => super::csv::cell(&cell.text),
            });
            if within(place) {
                let ends = ends(cell);
                cells.extend([0, 1].map(|end| ends.map(|ends| ends[end].to_string()).unwrap_or_default()));
            }
        }
        cells.push(super::csv::cell(&row.caveats.text()));
        writer.write_record(cells)?;
    }
    writer.flush()?;
    Ok(())
}

fn ends(cell: &Cell) -> Option<[f64; 2]> {
    cell.number.and_then(|number| number.interval)
}

/// Returns the heading of a column: its name, followed by its unit in ASCII: `time_us`.
fn heading(column: &Column) -> String {
    let unit = match column.unit {
        "" => return column.name.clone(),
        "µs" => "us",
        "%" => "pct",
        "1/s" => "per_s",
        "B" => "bytes",
        "Mbit/s" => "mbit_per_s",
        "cycles/B" => "cycles_per_byte",
        "ms" => "ms",
        "s" => "s",
        "GB" => "gb",
        other => other,
    };
    // The name already contains the unit.
    if column.name == unit || column.name.ends_with(&format!("_{unit}")) {
        column.name.clone()
    } else {
        format!("{}_{unit}", column.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_contain_a_unit_once() {
        let column = |name: &str, unit| Column {
            name: name.to_owned(),
            heading: String::new(),
            unit,
            holds: Holds::Figures,
            spare: 0,
        };
        assert_eq!(heading(&column("bytes", "B")), "bytes");
        assert_eq!(heading(&column("reply", "B")), "reply_bytes");
        assert_eq!(heading(&column("len_64", "cycles/B")), "len_64_cycles_per_byte");
    }
}
