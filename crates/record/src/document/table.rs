use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// A table that several cases make together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableEntry {
    /// What it shows.
    pub title: String,
    /// The area whose cases it is made of.
    pub area: String,
    /// The columns.
    pub columns: Vec<ColumnEntry>,
    /// The rows.
    pub rows: Vec<RowEntry>,
    /// What must be known when it is read.
    pub notes: Vec<String>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnEntry {
    /// Its name, by which rows have its cells.
    pub name: String,
    /// What people read above it.
    pub heading: String,
    /// The unit of its numbers; null for what has none.
    pub unit: Option<String>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowEntry {
    /// The cells, by the names of their columns.
    pub cells: IndexMap<String, CellEntry>,
    /// What must be known of the cases that it is made of, by word.
    pub caveats: IndexMap<String, String>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellEntry {
    /// What people read.
    pub text: String,
    /// The number in the unit of the column; null for names, and where there is no figure.
    pub value: Option<f64>,
    /// The ends of its 95% interval; null where there is none.
    pub interval: Option<[f64; 2]>,
}
