//! Text grid, split into blocks that fit a given width.

/// Spaces between two columns.
const GAP: usize = 2;

/// Labeled rows of cells under named columns.
#[derive(Debug, Default)]
pub(super) struct Grid {
    pub(super) columns: Vec<String>,
    /// A label, and one cell for each column. Cells may be empty.
    pub(super) rows: Vec<(String, Vec<String>)>,
}

impl Grid {
    /// Formats the grid in lines of at most `width` characters, unless a single column is wider. Starts a new block at
    /// a row that shares too few columns with the rows above. If a block is too wide, its last columns continue below.
    pub(super) fn text(&self, width: usize) -> String {
        let mut blocks: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for (row, (_, cells)) in self.rows.iter().enumerate() {
            let filled: Vec<usize> = (0..self.columns.len()).filter(|&column| !cells[column].is_empty()).collect();
            let extended = blocks.last().and_then(|(rows, columns)| {
                let both: Vec<usize> = (0..self.columns.len())
                    .filter(|column| columns.contains(column) || filled.contains(column))
                    .collect();
                let rows: Vec<usize> = rows.iter().copied().chain([row]).collect();
                let shared = filled.iter().filter(|column| columns.contains(column)).count();
                let fits = shared > 0 && self.width(&rows, &both) <= width;
                (fits || 3 * shared > 2 * both.len()).then_some((rows, both))
            });
            match (extended, blocks.last_mut()) {
                (Some(extended), Some(block)) => *block = extended,
                _ => blocks.push((vec![row], filled)),
            }
        }
        let parts = blocks.iter().flat_map(|(rows, columns)| self.cut(rows, columns, width));
        parts.map(|(rows, columns)| self.block(&rows, &columns)).collect::<Vec<_>>().join("\n")
    }

    /// Splits the columns into as few parts as possible, with about the same number of columns in each. Leaves out rows
    /// that are empty in a part.
    fn cut(&self, rows: &[usize], columns: &[usize], width: usize) -> Vec<(Vec<usize>, Vec<usize>)> {
        let parts = self.packed(rows, columns, width, columns.len());
        let even = columns.len().div_ceil(parts.len().max(1));
        let evened = self.packed(rows, columns, width, even);
        let parts = if evened.len() == parts.len() { evened } else { parts };
        let with_rows = |part: Vec<usize>| {
            let filled = |row: &&usize| part.iter().any(|&column| !self.rows[**row].1[column].is_empty());
            (rows.iter().filter(filled).copied().collect(), part)
        };
        parts.into_iter().map(with_rows).collect()
    }

    /// Splits the columns, in order, into parts that fit the width and contain at most `most` columns.
    fn packed(&self, rows: &[usize], columns: &[usize], width: usize, most: usize) -> Vec<Vec<usize>> {
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for &column in columns {
            let fits = |part: &[usize]| part.len() < most && self.width(rows, &[part, &[column]].concat()) <= width;
            match parts.last_mut() {
                Some(part) if fits(part) => part.push(column),
                _ => parts.push(vec![column]),
            }
        }
        parts
    }

    fn width(&self, rows: &[usize], columns: &[usize]) -> usize {
        self.label_width(rows) + columns.iter().map(|&column| GAP + self.column_width(rows, column)).sum::<usize>()
    }

    fn label_width(&self, rows: &[usize]) -> usize {
        rows.iter().map(|&row| self.rows[row].0.chars().count()).max().unwrap_or_default()
    }

    fn column_width(&self, rows: &[usize], column: usize) -> usize {
        let heading = heading(&self.columns[column]).map(str::len).into_iter().max();
        let cells = rows.iter().map(|&row| self.rows[row].1[column].chars().count()).max();
        heading.max(cells).unwrap_or_default()
    }

    fn block(&self, rows: &[usize], columns: &[usize]) -> String {
        let labels = self.label_width(rows);
        let line = |label: &str, cell: &dyn Fn(usize) -> String| {
            let mut line = format!("{label:<labels$}");
            for &column in columns {
                let width = GAP + self.column_width(rows, column);
                line.push_str(&format!("{:>width$}", cell(column)));
            }
            line.truncate(line.trim_end().len());
            line.push('\n');
            line
        };
        let mut text = String::new();
        if columns.iter().any(|&column| !heading(&self.columns[column])[0].is_empty()) {
            text.push_str(&line("", &|column| heading(&self.columns[column])[0].to_owned()));
        }
        text.push_str(&line("", &|column| heading(&self.columns[column])[1].to_owned()));
        for &row in rows {
            text.push_str(&line(&self.rows[row].0, &|column| self.rows[row].1[column].clone()));
        }
        text
    }
}

/// Splits a provider's name into two lines: library and backend.
fn heading(name: &str) -> [&str; 2] {
    match name.split_once(':') {
        Some((library, backend)) => [library, backend],
        None => ["", name],
    }
}

/// Wraps a paragraph at `width` characters. Indents all lines but the first by `indent` spaces.
pub(super) fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let row = |label: &str, cells: [&str; 3]| (label.to_owned(), cells.map(str::to_owned).to_vec());
        Grid {
            columns: ["aws-lc", "libcrux:avx2", "rustcrypto"].map(str::to_owned).to_vec(),
            rows: vec![
                row("ML-KEM-768", ["5/5", "5/5", "4/5 a"]),
                row("X25519", ["3/3", "", "3/3"]),
                row("AES", ["", "", ""]),
            ],
        }
    }

    #[test]
    fn columns_that_fit_share_a_block() {
        let expected = "            \
            \u{20}       libcrux\n\
            \u{20}           aws-lc     avx2  rustcrypto\n\
            ML-KEM-768     5/5      5/5       4/5 a\n\
            X25519         3/3                  3/3\n";
        assert!(grid().text(80).starts_with(expected), "{}", grid().text(80));
    }

    #[test]
    fn no_line_exceeds_the_width() {
        for width in [22, 30, 40, 80] {
            let text = grid().text(width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
            for cell in ["5/5", "4/5 a", "3/3", "aws-lc", "rustcrypto"] {
                assert!(text.contains(cell), "{width}: {cell}\n{text}");
            }
        }
    }

    #[test]
    fn paragraphs_are_wrapped_between_words() {
        assert_eq!(wrapped("a  bc def gh", 80, 3), "a  bc def gh\n");
        assert_eq!(wrapped("a bc def gh", 6, 2), "a bc\n  def\n  gh\n");
    }
}
