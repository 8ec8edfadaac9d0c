use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// A table derived from several cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableEntry {
    /// Title of the table.
    pub title: String,
    /// Area of the cases from which the table is derived.
    pub area: String,
    /// Columns, from left to right.
    pub columns: Vec<ColumnEntry>,
    /// Rows, from top to bottom.
    pub rows: Vec<RowEntry>,
    /// Notes that explain the table.
    pub notes: Vec<String>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnEntry {
    /// Name of the column, which is also the key of its cells in [`RowEntry::cells`].
    pub name: String,
    /// Heading of the column, as shown to readers.
    pub heading: String,
    /// Unit of the column's numbers; null if they have none.
    pub unit: Option<String>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowEntry {
    /// Cells, by column name.
    pub cells: IndexMap<String, CellEntry>,
    /// Caveats about the cases in the row: messages, by the name of the caveat.
    pub caveats: IndexMap<String, String>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellEntry {
    /// Text of the cell, as shown to readers.
    pub text: String,
    /// Number in the column's unit; null for a name or a missing figure.
    pub value: Option<f64>,
    /// 95% interval of the number; null if there is none.
    pub interval: Option<[f64; 2]>,
}
