//! Tables of several cases, laid out for the terminal.

use super::columns::{Cell, fitted, total_width};
use super::palette::{Palette, TextStyle};
use super::text::{below, wrapped};
use pqlab_analysis::tables::{Holds, Row, Table};
use pqlab_analysis::text::neutral;

/// Formats tables with their titles, the caveats of their rows, and their notes. If a table is too wide, prose moves
/// below its row. If the table is still too wide, the names of rows become lines above their rows. As a last resort,
/// columns are omitted, and a line lists the omitted columns.
pub fn tables(tables: &[Table], width: usize, palette: Palette) -> String {
    tables.iter().map(|table| shown(table, width, palette)).collect()
}

fn shown(table: &Table, width: usize, palette: Palette) -> String {
    let columns = table.shown();
    let layouts = [Layout::Wide, Layout::Below, Layout::Stacked];
    let fits = |layout: &Layout| total_width(&rows(table, &columns, *layout, width)) <= width;
    let layout = layouts.into_iter().find(fits).unwrap_or(Layout::Stacked);
    let rows = rows(table, &columns, layout, width);
    let (lines, left_out) = fitted(&rows, width, palette);
    let mut out = format!("\n{}\n", palette.paint(TextStyle::Strong, &neutral(&table.title)));
    lines.iter().for_each(|line| out.push_str(&format!("{line}\n")));
    let faint = |text: &str| {
        wrapped(text, width).iter().map(|line| palette.paint(TextStyle::Faint, line) + "\n").collect::<String>()
    };
    if !left_out.is_empty() {
        let kept: Vec<usize> = cells_of(table, &columns, layout);
        let names: Vec<&str> =
            left_out.iter().filter_map(|place| kept.get(*place)).map(|place| heading(table, *place)).collect();
        out.push_str(&faint(&format!("no room for: {}", names.join(", "))));
    }
    table.notes.iter().for_each(|note| out.push_str(&faint(&neutral(note))));
    out
}

/// Layout of a table, from the widest to the narrowest.
#[derive(Clone, Copy, PartialEq)]
enum Layout {
    /// Each row in one line.
    Wide,
    /// Prose and caveats in separate lines below their row.
    Below,
    /// Like `Below`, with the names of rows in separate lines above their rows.
    Stacked,
}

/// Returns the columns with cells in the line of a row. Excludes columns with cells above or below this line.
fn cells_of(table: &Table, columns: &[usize], layout: Layout) -> Vec<usize> {
    let in_line = |place: &&usize| match layout {
        Layout::Wide => true,
        Layout::Below => table.columns[**place].holds != Holds::Prose,
        Layout::Stacked => table.columns[**place].holds != Holds::Prose && **place >= table.stacked,
    };
    columns.iter().filter(in_line).copied().collect()
}

/// Returns the heading of a column, or the column's name if it has no heading.
fn heading(table: &Table, place: usize) -> &str {
    match table.columns[place].heading.as_str() {
        "" => &table.columns[place].name,
        heading => heading,
    }
}

fn rows(table: &Table, columns: &[usize], layout: Layout, width: usize) -> Vec<Vec<Cell>> {
    let in_line = cells_of(table, columns, layout);
    let indent = if layout == Layout::Stacked { "    " } else { "  " };
    let cell = |place: usize, text: &str| {
        let text = if Some(&place) == in_line.first() { format!("{indent}{text}") } else { text.to_owned() };
        let cell = match table.columns[place].holds {
            Holds::Figures => Cell::right(&text),
            Holds::Text | Holds::Prose => Cell::left(&text),
        };
        cell.spare(table.columns[place].spare)
    };
    let heads = in_line.iter().map(|place| cell(*place, &table.columns[*place].heading).role(TextStyle::Faint));
    let mut out: Vec<Vec<Cell>> = vec![heads.collect()];
    let mut before: Option<&Row> = None;
    for row in &table.rows {
        // Show row names only if they differ from the row above.
        let changed = (0..table.columns.len())
            .find(|place| before.is_none_or(|before| before.cells[*place].text != row.cells[*place].text))
            .unwrap_or(table.columns.len());
        before = Some(row);
        if layout == Layout::Stacked && changed < table.stacked {
            let names: Vec<&str> = row.cells[..table.stacked].iter().map(|cell| cell.text.as_str()).collect();
            let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
            let lines = wrapped(&neutral(&names.join(" · ")), width.saturating_sub(2));
            out.extend(lines.iter().map(|line| vec![Cell::left(&format!("  {line}"))]));
        }
        let mut cells: Vec<Cell> = in_line
            .iter()
            .map(|place| {
                let repeated = *place < changed && *place < table.stacked;
                cell(*place, if repeated { "" } else { &row.cells[*place].text })
            })
            .collect();
        let note = row.caveats.notes_text();
        if layout == Layout::Wide {
            cells.push(Cell::left(&note).role(TextStyle::Warning));
            out.push(cells);
            continue;
        }
        out.push(cells);
        let prose = columns.iter().filter(|place| table.columns[**place].holds == Holds::Prose);
        for place in prose.filter(|place| !row.cells[**place].is_empty()) {
            let text = format!("{}: {}", heading(table, *place), row.cells[*place].text);
            out.extend(lines_below(&text, width, None));
        }
        out.extend(lines_below(&note, width, Some(TextStyle::Warning)));
    }
    out
}

/// Returns the lines of a text that is shown below a row, as rows with one cell.
fn lines_below(text: &str, width: usize, role: Option<TextStyle>) -> Vec<Vec<Cell>> {
    let cell = |line: &String| {
        let cell = Cell::left(line);
        vec![role.map_or_else(|| cell.clone(), |role| cell.clone().role(role))]
    };
    below(text, width).iter().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::super::palette::tests::{COLOUR, stripped};
    use super::*;
    use crate::fixtures;
    use crate::width::display_width;
    use pqlab_analysis::RunAnalysis;
    use pqlab_analysis::ntor::RelayScenario;
    use pqlab_record::Run;

    fn tables_of(run: &Run) -> Vec<Table> {
        pqlab_analysis::tables::tables(&RunAnalysis::new(run), &RelayScenario::default())
    }

    fn all() -> Vec<Table> {
        let runs = [fixtures::scaling_run(), fixtures::ntor_run(), fixtures::references_run(), fixtures::tls_run()];
        runs.iter().flat_map(tables_of).collect()
    }

    #[test]
    fn rows_and_notes_are_shown_at_every_width() {
        for table in all() {
            for width in [80, 120, 400] {
                let text = tables(std::slice::from_ref(&table), width, Palette::PLAIN);
                let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
                let found = words(&text).join(" ");
                assert!(found.contains(&words(&table.title).join(" ")), "{text}");
                for row in &table.rows {
                    assert!(found.contains(&words(&row.cells[0].text).join(" ")), "{:?} in\n{text}", row.cells[0]);
                    assert!(
                        found.contains(&words(&row.caveats.notes_text()).join(" ")),
                        "{:?} in\n{text}",
                        row.caveats
                    );
                }
                table
                    .notes
                    .iter()
                    .for_each(|note| assert!(found.contains(&words(note).join(" ")), "{note} in\n{text}"));
                let title = text.lines().nth(1).unwrap();
                let wide = text.lines().filter(|line| *line != title && display_width(line) > width);
                assert_eq!(wide.collect::<Vec<_>>(), Vec::<&str>::new(), "{} at {width}:\n{text}", table.name);
                let coloured = tables(std::slice::from_ref(&table), width, COLOUR);
                assert_eq!(stripped(&coloured), text);
            }
        }
    }

    #[test]
    fn omitted_columns_are_listed() {
        for table in all() {
            let text = tables(std::slice::from_ref(&table), 80, Palette::PLAIN);
            let (shown, named) = text.split_once("no room for: ").unwrap_or((&text, ""));
            for place in table.shown().into_iter().filter(|place| table.columns[*place].holds == Holds::Figures) {
                let heading = &table.columns[place].heading;
                assert!(shown.contains(heading) || named.replace('\n', " ").contains(heading), "{heading} in\n{text}");
            }
        }
    }

    #[test]
    fn losses_fit_eighty_columns() {
        let table = tables_of(&fixtures::scaling_run()).into_iter().find(|table| table.name == "load").unwrap();
        let text = tables(&[table], 80, Palette::PLAIN);
        assert!(text.contains("vs peak") && text.contains("vs smallest") && text.contains("-10.0% ±"), "{text}");
        assert!(text.contains("no room for: "), "{text}");
    }

    #[test]
    fn row_names_are_shown_only_where_they_change() {
        let text = tables(&tables_of(&fixtures::scaling_run())[..1], 200, Palette::PLAIN);
        assert_eq!(text.matches("ML-DSA-65 verify").count(), 1, "{text}");
        assert_eq!(text.matches("aws-lc").count(), 1, "{text}");
        let one: Vec<&str> = text.lines().find(|line| line.contains("aws-lc")).unwrap().split_whitespace().collect();
        assert_eq!(one[2..6], ["aws-lc", "1", "1", "11,100"], "{text}");
        assert!(text.contains("1.90× ±") && text.contains("oversubscribed\n"), "{text}");
    }
}
