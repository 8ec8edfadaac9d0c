//! Tables: columns, and rows of typed cells with their caveats. Each folder of [areas](crate::areas) builds its own
//! tables.

pub(crate) mod side_by_side;

use crate::caveats::Caveats;
use crate::number::{
    self, NONE, decimals_of, factor, factor_within, grouped, percent, plus_minus, rate, rate_within, significant, time,
    time_within,
};
use pqlab_stats::Interval;

/// Number of nanoseconds in a microsecond.
pub(crate) const NS_PER_US: f64 = 1000.0;

/// Kind of content in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Names or other short text.
    Text,
    /// Figures.
    Figures,
    /// Sentences, which may need several lines.
    Prose,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name in files: lower case, and unique in the table.
    pub name: String,
    /// Heading for readers.
    pub heading: String,
    /// Unit of the numbers in the column; empty if they have none.
    pub unit: &'static str,
    /// Kind of content.
    pub holds: Holds,
    /// Rank for omission if space is short. The columns with the highest rank are omitted first, and columns with rank
    /// zero are never omitted.
    pub spare: u8,
}

/// A number in the unit of its column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// Estimate in full precision.
    pub estimate: f64,
    /// Ends of the 95% interval; `None` if there is no interval.
    pub interval: Option<[f64; 2]>,
}

/// A cell: its text, and its number if it has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Rounded text with its unit.
    pub text: String,
    /// Number in full precision; `None` for names and missing figures.
    pub number: Option<Number>,
}

/// A row, with one cell for each column.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Cells, in the order of the columns.
    pub cells: Vec<Cell>,
    /// Merged caveats of the cases in the row.
    pub caveats: Caveats,
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Unique identifier of the table.
    pub name: &'static str,
    /// Area of the cases.
    pub area: String,
    /// Title of the table.
    pub title: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Notes that explain the table.
    pub notes: Vec<String>,
    /// Number of leading columns that identify rows. If space is short, the terminal prints them as a line above their
    /// rows.
    pub stacked: usize,
}

impl Table {
    /// Creates a table without columns or rows.
    pub(crate) fn new(name: &'static str, area: &str, title: impl Into<String>) -> Table {
        Table {
            name,
            area: area.to_owned(),
            title: title.into(),
            columns: Vec::new(),
            rows: Vec::new(),
            notes: Vec::new(),
            stacked: 1,
        }
    }

    /// Adds a column of names.
    pub(crate) fn names(self, name: &str, heading: &str) -> Table {
        self.column(name, heading, "", Holds::Text, 0)
    }

    /// Adds a column of figures with a unit and a rank for [omission](Column::spare).
    pub(crate) fn figures(self, name: &str, heading: &str, unit: &'static str, spare: u8) -> Table {
        self.column(name, heading, unit, Holds::Figures, spare)
    }

    /// Adds a column of sentences.
    pub(crate) fn prose(self, name: &str, heading: &str, spare: u8) -> Table {
        self.column(name, heading, "", Holds::Prose, spare)
    }

    pub(crate) fn column(mut self, name: &str, heading: &str, unit: &'static str, holds: Holds, spare: u8) -> Table {
        self.columns.push(Column { name: name.to_owned(), heading: heading.to_owned(), unit, holds, spare });
        self
    }

    /// Sets the number of leading columns that are printed as a line above their rows if space is short.
    pub(crate) fn stacked(self, columns: usize) -> Table {
        Table { stacked: columns, ..self }
    }

    /// Adds a note below the table.
    pub(crate) fn note(mut self, note: impl Into<String>) -> Table {
        self.notes.push(note.into());
        self
    }

    /// Adds a row. `caveats` are the caveats of all cases from which the row is computed.
    pub(crate) fn row<'c>(
        &mut self,
        caveats: impl IntoIterator<Item = &'c Caveats>,
        cells: impl IntoIterator<Item = Cell>,
    ) {
        let cells: Vec<Cell> = cells.into_iter().collect();
        debug_assert_eq!(cells.len(), self.columns.len(), "{}", self.name);
        self.rows.push(Row { cells, caveats: Caveats::merged(caveats) });
    }
}

impl Table {
    /// Returns the indices of the columns that contain a value in some row. Readers see only these columns.
    pub fn shown(&self) -> Vec<usize> {
        let has_value = |place: &usize| self.rows.iter().any(|row| !row.cells[*place].is_empty());
        (0..self.columns.len()).filter(has_value).collect()
    }
}

impl Cell {
    /// Returns whether the cell contains neither a name nor a figure.
    pub fn is_empty(&self) -> bool {
        self.number.is_none() && (self.text.is_empty() || self.text == NONE)
    }

    pub(crate) fn text(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), number: None }
    }

    /// Creates a cell for a missing figure.
    pub(crate) fn none() -> Cell {
        Cell::text(NONE)
    }

    pub(crate) fn number(text: String, estimate: f64) -> Cell {
        Cell { text, number: estimate.is_finite().then_some(Number { estimate, interval: None }) }
    }

    /// Creates a cell for a value, or a cell for a missing figure if there is none.
    pub(crate) fn optional<T>(value: Option<T>, cell: impl FnOnce(T) -> Cell) -> Cell {
        value.map_or_else(Cell::none, cell)
    }

    /// Creates a cell with a time given in ns, for a column in µs.
    pub(crate) fn time(ns: f64) -> Cell {
        Cell::number(time(ns), ns / NS_PER_US)
    }

    /// Creates a cell with a time and its interval given in ns, for a column in µs.
    pub(crate) fn time_within(ns: &Interval) -> Cell {
        Cell::time(ns.estimate).within(time_within(ns), ns, NS_PER_US)
    }

    /// Creates a cell with a calculated number of operations per second, which has no interval.
    pub(crate) fn rate(per_second: f64) -> Cell {
        Cell::number(rate(per_second), per_second)
    }

    /// Creates a cell with a number of operations per second and its interval.
    pub(crate) fn rate_within(per_second: &Interval) -> Cell {
        Cell::rate(per_second.estimate).within(rate_within(per_second), per_second, 1.0)
    }

    /// Creates a cell with a whole number, such as a length in bytes.
    pub(crate) fn whole(value: u64) -> Cell {
        Cell::number(grouped(value), value as f64)
    }

    /// Creates a cell with a number, rounded to three significant digits.
    pub(crate) fn significant(value: f64) -> Cell {
        Cell::number(significant(value), value)
    }

    /// Creates a cell with a percentage.
    pub(crate) fn percent(value: f64) -> Cell {
        Cell::number(percent(value), value)
    }

    /// Creates a cell with a ratio.
    pub(crate) fn factor(value: f64) -> Cell {
        Cell::number(factor(value), value)
    }

    /// Creates a cell with a ratio and its interval. An interval of zero width is not shown.
    pub(crate) fn factor_within(ratio: &Interval) -> Cell {
        let text = if ratio.low == ratio.high { factor(ratio.estimate) } else { factor_within(ratio) };
        Cell::factor(ratio.estimate).within(text, ratio, 1.0)
    }

    /// Creates a cell with a percentage and its interval: `20.7% ±0.4`. An interval of zero width is not shown.
    pub(crate) fn share_within(share: &Interval) -> Cell {
        let decimals = decimals_of(share);
        let estimate = format!("{:.decimals$}%", share.estimate);
        let text =
            if share.low == share.high { estimate } else { format!("{estimate} {}", plus_minus(share, decimals)) };
        Cell::percent(share.estimate).within(text, share, 1.0)
    }

    /// Creates a cell with a difference in percent and its interval: `+1.3% ±0.2`. An interval of zero width is not
    /// shown.
    pub(crate) fn difference_within(difference: &Interval) -> Cell {
        Cell::percent(difference.estimate).within(number::difference(difference), difference, 1.0)
    }

    /// Converts the cell's number to another unit by multiplying it by `factor`.
    pub(crate) fn scaled(mut self, factor: f64) -> Cell {
        if let Some(Number { estimate, interval }) = &mut self.number {
            *estimate *= factor;
            interval.iter_mut().flatten().for_each(|end| *end *= factor);
        }
        self
    }

    /// Sets the text and the interval of the cell. Divides the bounds by `unit` to convert them to the unit of the
    /// column.
    pub(crate) fn within(mut self, text: String, interval: &Interval, unit: f64) -> Cell {
        self.text = text;
        if let Some(number) = &mut self.number
            && interval.low.is_finite()
            && interval.high.is_finite()
        {
            number.interval = Some([interval.low / unit, interval.high / unit]);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_stats::IntervalMethod;

    fn interval(estimate: f64, low: f64, high: f64) -> Interval {
        Interval { estimate, low, high, confidence: 0.95, method: IntervalMethod::CrossedT }
    }

    #[test]
    fn cell_figures_are_in_the_unit_of_their_column() {
        let cell = Cell::time_within(&interval(31_200.0, 31_000.0, 31_400.0));
        assert_eq!(cell.number, Some(Number { estimate: 31.2, interval: Some([31.0, 31.4]) }));
        assert_eq!(cell.text, "31.2 µs ±0.6%");
        assert_eq!(Cell::time(f64::NAN), Cell { text: "- s".into(), number: None });
        assert_eq!(Cell::difference_within(&interval(-10.0, -10.3, -9.8)).text, "-10.0% ±0.3");
        assert_eq!(Cell::difference_within(&interval(0.0, 0.0, 0.0)).text, "+0.0%");
    }
}
