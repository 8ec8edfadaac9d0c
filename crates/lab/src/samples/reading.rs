//! Functions that all readers of sample files share.

use super::unit;
use pqlab_analysis::series::Series;
use pqlab_analysis::text::neutral;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Column or series that the user chose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column<'a> {
    pub(super) name: &'a str,
    /// Whether a name that differs only in the unit is accepted if the file does not contain `name`.
    pub(super) in_any_unit: bool,
}

impl Column<'_> {
    /// Returns the position of the chosen name in a list. Returns `None` if it does not occur, or if several names differ
    /// from it only in the unit.
    pub(super) fn place<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Option<usize> {
        let names: Vec<&String> = names.into_iter().collect();
        let is_same = |name: &&String| self.in_any_unit && unit::differ_only_in_unit(self.name, name);
        let same: Vec<usize> = (0..names.len()).filter(|place| is_same(&names[*place])).collect();
        names.iter().position(|name| *name == self.name).or(if let [place] = same[..] { Some(place) } else { None })
    }
}

/// Series in a file, before `--column` selects one, and notes for the user.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) series: Vec<Series>,
    pub(super) notes: Vec<String>,
    /// Names of series whose unit is not understood, each with the text in the place of the unit.
    pub(super) unknown_units: Vec<(String, String)>,
}

impl Reading {
    /// Adds a series, or a note if it has no samples.
    pub(super) fn add(&mut self, name: &str, unit: &str, samples: Vec<f64>) {
        if samples.is_empty() {
            self.notes.push(format!("{name:?} has no samples"));
        } else {
            self.series.push(series(name, unit, samples));
        }
    }

    /// Keeps only the series with the given name, if one is given. The error lists the names of all series.
    pub(super) fn select(&mut self, column: Option<Column<'_>>) -> Result<(), String> {
        let Some(column) = column else { return Ok(()) };
        let names: Vec<String> = self.series.iter().map(|one| one.name.clone()).collect();
        let Some(place) = column.place(&names) else {
            return Err(format!("contains no series {:?}; available: {}", column.name, names.join(", ")));
        };
        self.series.retain(|one| one.name == names[place]);
        Ok(())
    }

    /// Appends numbers to repeated names (`name #2`), so that every series has a unique name.
    pub(super) fn number_repeated_names(&mut self) {
        let mut used: HashSet<String> = self.series.iter().map(|one| one.name.clone()).collect();
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut repeated: Vec<String> = Vec::new();
        for one in &mut self.series {
            let count = seen.entry(one.name.clone()).or_default();
            *count += 1;
            if *count == 1 {
                continue;
            }
            if *count == 2 {
                repeated.push(one.name.clone());
            }
            let mut name = format!("{} #{count}", one.name);
            while !used.insert(name.clone()) {
                *count += 1;
                name = format!("{} #{count}", one.name);
            }
            one.name = name;
        }
        for name in repeated {
            self.notes.push(format!(
                "{} series are called {name:?}; pqlab numbers them in the order of the file",
                seen[&name]
            ));
        }
    }
}

pub(super) fn series(name: &str, unit: &str, samples: Vec<f64>) -> Series {
    Series { name: neutral(name), unit: unit.to_owned(), samples }
}

/// Joins items for a message. Lists the first five and counts the others.
pub(super) fn listed<S: AsRef<str>>(items: impl IntoIterator<Item = S>) -> String {
    const MOST: usize = 5;
    let all: Vec<String> = items.into_iter().map(|item| item.as_ref().to_owned()).collect();
    let shown = all.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if all.len() > MOST { format!("{shown} and {} more", all.len() - MOST) } else { shown }
}

/// Converts JSON values to numbers. The error contains `what`, which names the list, and the position of the first
/// value that is not a finite number.
pub(super) fn numbers(values: &[Value], what: &str) -> Result<Vec<f64>, String> {
    let number = |(index, value): (usize, &Value)| {
        let found = value.as_f64().filter(|number| number.is_finite());
        found.ok_or_else(|| format!("{what}: value {} is not a number: {}", index + 1, shortened(value)))
    };
    values.iter().enumerate().map(number).collect()
}

fn shortened(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 60 { text.chars().take(57).collect::<String>() + "..." } else { text }
}

/// Returns the list in the field called `field`. The error calls the JSON value `what`.
pub(super) fn list<'a>(value: &'a Value, field: &str, what: &str) -> Result<&'a [Value], String> {
    value.get(field).and_then(Value::as_array).map(Vec::as_slice).ok_or_else(|| format!("{what} has no list {field:?}"))
}
