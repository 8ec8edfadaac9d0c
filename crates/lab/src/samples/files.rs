//! Reads sample files from other tools: CSV, JSON lists, and the output of well-known benchmark programs.

use super::reading::{Column, Reading};
use super::{encoding, json, table, tools};
use crate::LabError;
use pqlab_analysis::series::Series;
use pqlab_analysis::text::neutral;
use pqlab_stats::Load;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

/// Contents of a sample file.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// Samples, one series per operation, in the order of the file.
    Series(Vec<Series>),
    /// Throughput under increasing load, from CSV with the columns `concurrency`, `operations` and `seconds`.
    Loads(Vec<Load>),
}

/// Samples from a file, with notes.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleFile {
    /// The samples.
    pub samples: Samples,
    /// Notes for the user, one line each: entries that were left out because they are not samples, and assumptions.
    pub notes: Vec<String>,
    /// Names of series whose unit is not understood, each with the text in the place of the unit.
    pub unknown_units: Vec<(String, String)>,
}

/// Reads a sample file. The contents determine the format:
///
/// - hyperfine's JSON (`--export-json`): the `times` of each command, in seconds, without failed runs;
/// - Google Benchmark's JSON and CSV: the `real_time` of each repetition, in its `time_unit`, without aggregates and
///   without skipped or failed repetitions;
/// - pyperf's JSON: the `values` of each benchmark, in its unit, without warm-ups;
/// - pytest-benchmark's JSON with `--benchmark-save-data`: the times of each test, in seconds;
/// - criterion's `sample.json` and `raw.csv`: the time per iteration of each batch;
/// - JMH's JSON: the `rawData` of each benchmark, in its `scoreUnit`;
/// - the output of `go test -bench`: normally the time per operation of each repetition;
/// - any other JSON: a list of numbers, or an object of such lists;
/// - CSV with commas, semicolons, tabs or spaces, with or without a header row: each column of numbers. Columns with
///   names or parameters of operations divide the rows into series.
///
/// If `column` is given, reads only the column or series with this name. The text may be UTF-8 or UTF-16. The reader
/// recognizes and rejects summaries, and the files of some other tools.
///
/// # Errors
/// [`LabError::File`] if the file cannot be read, contains no samples, or contains a sample that is not a finite
/// number. The error states its position.
pub fn read_samples(path: &Path, column: Option<&str>) -> Result<SampleFile, LabError> {
    read_column(path, column.map(|name| Column { name, in_any_unit: false }))
}

/// Reads a sample file like [`read_samples`].
pub(super) fn read_column(path: &Path, column: Option<Column<'_>>) -> Result<SampleFile, LabError> {
    // Names and cells can contain line breaks.
    let wrong = |reason: String| LabError::File { path: path.to_owned(), reason: neutral(&reason) };
    let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let text = encoding::decode(&bytes).map_err(wrong)?;
    let stem = path.file_stem().map_or_else(|| "samples".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let file = read_text(&text, &stem, column).map_err(wrong)?;
    let notes = file.notes.iter().map(|note| neutral(note)).collect();
    Ok(SampleFile { notes, ..file })
}

fn read_text(text: &str, stem: &str, column: Option<Column<'_>>) -> Result<SampleFile, String> {
    let mut reading = if text.trim_start().starts_with(['{', '[']) {
        json::read(text, stem)?
    } else if tools::go::recognises(text) {
        // benchstat's table can begin with the same lines.
        if let Some(reason) = tools::refused::text(text).filter(|_| !tools::go::has_results(text)) {
            return Err(reason);
        }
        tools::go::read(text)?
    } else {
        if let Some(reason) = tools::refused::text(text) {
            return Err(reason.to_owned());
        }
        if let Some(line) = json_after_text(text) {
            return Err(format!("text before the JSON; remove the lines before line {line}, where the JSON begins"));
        }
        match table::read(text, column, stem)? {
            table::Table::Loads(loads, notes) => {
                return Ok(SampleFile { samples: Samples::Loads(loads), notes, unknown_units: Vec::new() });
            }
            // The column is already selected.
            table::Table::Series(reading) => return finished(reading),
        }
    };
    reading.number_repeated_names();
    reading.select(column)?;
    finished(reading)
}

/// Finds a JSON document at the end of a text, after other lines. Returns the number of the document's first line, from
/// 1.
fn json_after_text(text: &str) -> Option<usize> {
    let mut start = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if line.starts_with(['{', '[']) && json::is_document(&text[start..]) {
            return Some(number);
        }
        start += line.len();
    }
    None
}

/// Range of absolute values whose square neither overflows nor becomes zero.
const COMPUTABLE: RangeInclusive<f64> = 1e-150..=1e150;

fn finished(mut reading: Reading) -> Result<SampleFile, String> {
    reading.number_repeated_names();
    for one in &reading.series {
        let computable = |sample: f64| sample == 0.0 || COMPUTABLE.contains(&sample.abs());
        if let Some(place) = one.samples.iter().position(|sample| !computable(*sample)) {
            let (name, sample) = (&one.name, one.samples[place]);
            return Err(format!(
                "{name:?}: value {} is {sample:e}; pqlab computes with values from 1e-150 to 1e150",
                place + 1
            ));
        }
        let negative = one.samples.iter().filter(|sample| **sample < 0.0).count();
        if negative > 0 {
            reading.notes.push(format!("negative samples of {:?}: {negative} of {}", one.name, one.samples.len()));
        }
    }
    if reading.series.is_empty() {
        let why = reading.notes.join("; ");
        let reason = if why.is_empty() { String::new() } else { format!(": {why}") };
        return Err(format!("contains no samples{reason}"));
    }
    let Reading { series, notes, unknown_units } = reading;
    Ok(SampleFile { samples: Samples::Series(series), notes, unknown_units })
}

#[cfg(test)]
mod tests;
