use super::palette::{Palette, TextStyle};
use crate::width::display_width;
use pqlab_analysis::text::neutral;

/// Number of spaces between two columns.
pub(super) const GAP: usize = 2;

/// A table cell: escaped text with its alignment and role.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cell {
    text: String,
    right: bool,
    /// Rank of the cell's column. If the terminal is narrow, columns with the highest rank are omitted first. Columns
    /// with rank 0 are never omitted.
    spare: u8,
    role: Option<TextStyle>,
}

impl Cell {
    /// Creates a left-aligned cell.
    pub(super) fn left(text: &str) -> Cell {
        Cell { text: neutral(text), ..Cell::default() }
    }

    /// Creates a right-aligned cell, usually for a number.
    pub(super) fn right(text: &str) -> Cell {
        Cell { text: neutral(text), right: true, ..Cell::default() }
    }

    /// Allows a narrow terminal to omit the column. Columns with higher ranks are omitted first; `rank` must be above
    /// zero. Do not use this for columns that identify rows, or for a median and its interval.
    pub(super) fn spare(self, rank: u8) -> Cell {
        Cell { spare: rank, ..self }
    }

    /// Sets the role of the cell's text.
    pub(super) fn role(self, role: TextStyle) -> Cell {
        Cell { role: Some(role), ..self }
    }
}

/// Returns the total width of the rows, in columns of the terminal.
pub(super) fn total_width(rows: &[Vec<Cell>]) -> usize {
    sum(&widths(rows))
}

/// Formats the rows like [`fitted`], without the list of omitted columns.
pub(super) fn lines(rows: &[Vec<Cell>], width: usize, palette: Palette) -> Vec<String> {
    fitted(rows, width, palette).0
}

/// Formats the rows as aligned lines, and returns the indices of omitted columns. If the lines would be wider than
/// `width`, omits spare columns. Truncates nothing. A row with a single cell is a heading that spans all columns.
pub(super) fn fitted(rows: &[Vec<Cell>], width: usize, palette: Palette) -> (Vec<String>, Vec<usize>) {
    let mut left_out = Vec::new();
    let mut widths = widths(rows);
    let rank = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.spare).max().unwrap_or(0);
    let mut spare: Vec<(u8, usize)> = (0..widths.len()).map(|column| (rank(column), column)).collect();
    spare.retain(|(rank, _)| *rank > 0);
    spare.sort_unstable();
    while sum(&widths) > width
        && let Some((_, column)) = spare.pop()
    {
        if widths[column] > 0 {
            left_out.push(column);
        }
        widths[column] = 0;
    }
    left_out.sort_unstable();
    (rows.iter().map(|row| line(row, &widths, palette)).collect(), left_out)
}

fn line(row: &[Cell], widths: &[usize], palette: Palette) -> String {
    let unlimited = [usize::MAX];
    let widths = if is_heading(row) { unlimited.as_slice() } else { widths };
    let cells = row.iter().zip(widths).filter(|(_, width)| **width > 0).map(|(cell, &width)| {
        let fill = if is_heading(row) { 0 } else { width - display_width(&cell.text) };
        let fill = " ".repeat(fill);
        let text = cell.role.map_or_else(|| cell.text.clone(), |role| palette.paint(role, &cell.text));
        if cell.right { fill + &text } else { text + &fill }
    });
    cells.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_owned()
}

fn widths(rows: &[Vec<Cell>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths = vec![0; columns];
    for row in rows.iter().filter(|row| !is_heading(row)) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(display_width(&cell.text));
        }
    }
    widths
}

fn is_heading(row: &[Cell]) -> bool {
    row.len() == 1
}

fn sum(widths: &[usize]) -> usize {
    // A column without text takes no space.
    let shown = widths.iter().filter(|width| **width > 0).count();
    widths.iter().sum::<usize>() + GAP * shown.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::super::palette::tests::{COLOUR, stripped};
    use super::*;

    fn table() -> Vec<Vec<Cell>> {
        vec![
            vec![Cell::left("name").role(TextStyle::Strong), Cell::right("time"), Cell::left("note")],
            vec![Cell::left("漢字"), Cell::right("9 µs"), Cell::left("")],
            vec![Cell::left("a"), Cell::right("10 µs"), Cell::left("fastest").role(TextStyle::Good)],
        ]
    }

    #[test]
    fn columns_are_aligned_by_display_width() {
        let plain = lines(&table(), 80, Palette::PLAIN);
        assert_eq!(plain, ["name   time  note", "漢字   9 µs", "a     10 µs  fastest"]);
        let coloured = lines(&table(), 80, COLOUR);
        assert_ne!(coloured, plain);
        assert_eq!(coloured.iter().map(|line| stripped(line)).collect::<Vec<_>>(), plain);
        assert_eq!(total_width(&table()), 20);
    }

    #[test]
    fn narrow_terminals_omit_spare_columns_and_truncate_nothing() {
        let cells = || vec![Cell::left("name"), Cell::right("10 µs"), Cell::left("p95 11 µs").spare(1)];
        let rows = vec![[cells(), vec![Cell::left("CoV 3.0%").spare(2)]].concat(), cells()];
        assert_eq!(lines(&rows, 80, Palette::PLAIN)[0], "name  10 µs  p95 11 µs  CoV 3.0%");
        assert_eq!(lines(&rows, 25, Palette::PLAIN), ["name  10 µs  p95 11 µs"; 2]);
        assert_eq!(lines(&rows, 21, Palette::PLAIN), ["name  10 µs"; 2]);
        assert_eq!(lines(&rows, 1, Palette::PLAIN), ["name  10 µs"; 2]);
    }

    #[test]
    fn columns_without_text_take_no_space() {
        let rows = vec![vec![Cell::left("a"), Cell::left(""), Cell::left("b")]; 2];
        assert_eq!(lines(&rows, 80, Palette::PLAIN), ["a  b", "a  b"]);
        assert_eq!(total_width(&rows), 4);
    }

    #[test]
    fn headings_span_all_columns() {
        let rows = [vec![Cell::left("a long heading")], vec![Cell::left("  a"), Cell::right("1 µs")]];
        assert_eq!(lines(&rows, 10, Palette::PLAIN), ["a long heading", "  a  1 µs"]);
    }

    #[test]
    fn cells_are_neutral() {
        assert_eq!(lines(&[vec![Cell::left("a\u{1b}[2Jb")]], 80, Palette::PLAIN), [r"a\u{1b}[2Jb"]);
    }
}
