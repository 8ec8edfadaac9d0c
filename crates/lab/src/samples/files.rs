//! Reads samples from other tools: CSV, JSON lists, and the output of hyperfine, Google Benchmark and pyperf.

use crate::LabError;
use pqlab_analysis::gathered;
use pqlab_analysis::series::Series;
use pqlab_stats::Load;
use serde_json::{Map, Value};
use std::fs;
use std::path::Path;

/// Columns of a CSV file with throughput under load.
const LOAD_COLUMNS: [&str; 3] = ["concurrency", "operations", "seconds"];

/// Contents of a sample file.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// Samples, one series per operation, in the order of the file.
    Series(Vec<Series>),
    /// Throughput under growing load: CSV with the columns `concurrency`, `operations` and `seconds`.
    Loads(Vec<Load>),
}

/// Reads a sample file. The contents determine the format:
///
/// - hyperfine's `--export-json`: the `times` of each command, in seconds;
/// - Google Benchmark's JSON: `real_time` of each repetition, in its `time_unit`;
/// - pyperf's JSON: the `values` of each benchmark, in seconds;
/// - any other JSON: a list of numbers, or an object of such lists;
/// - CSV, with or without a header row: each column of numbers, or only the column that is named.
///
/// # Errors
/// [`LabError::File`] if the file cannot be read, contains no samples, or contains a sample that is not a finite
/// number. The error says where.
pub fn read_samples(path: &Path, column: Option<&str>) -> Result<Samples, LabError> {
    let wrong = |reason: String| LabError::File { path: path.to_owned(), reason };
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let text = text.trim_start_matches('\u{feff}');
    let found = match text.trim_start().starts_with(['{', '[']) {
        true => serde_json::from_str(text)
            .map_err(|error| error.to_string())
            .and_then(|document| of_json(&document, path))
            .and_then(|series| chosen(series, column))
            .map(Samples::Series),
        false => of_csv(text, column, path),
    };
    match found.map_err(wrong)? {
        Samples::Series(series) if series.is_empty() => Err(wrong("contains no samples".to_owned())),
        samples => Ok(samples),
    }
}

/// Returns the series called `name`, or all series if `name` is `None`.
fn chosen(series: Vec<Series>, name: Option<&str>) -> Result<Vec<Series>, String> {
    let Some(name) = name else { return Ok(series) };
    let names: Vec<String> = series.iter().map(|one| one.name.clone()).collect();
    let chosen: Vec<Series> = series.into_iter().filter(|one| one.name == name).collect();
    if chosen.is_empty() {
        Err(format!("contains no series {name:?}; available: {}", names.join(", ")))
    } else {
        Ok(chosen)
    }
}

fn of_json(document: &Value, path: &Path) -> Result<Vec<Series>, String> {
    let stem = path.file_stem().map_or_else(|| "samples".to_owned(), |stem| stem.to_string_lossy().into_owned());
    match document {
        Value::Array(values) => Ok(vec![series(&stem, "", numbers(values, &stem)?)]),
        Value::Object(fields) => {
            if let Some(Value::Array(results)) = fields.get("results") {
                return hyperfine(results);
            }
            match fields.get("benchmarks") {
                Some(Value::Array(benchmarks)) if benchmarks.iter().any(|entry| entry.get("runs").is_some()) => {
                    pyperf(benchmarks, fields, &stem)
                }
                Some(Value::Array(benchmarks)) => google_benchmark(benchmarks),
                _ => lists(fields),
            }
        }
        _ => Err("expected a list of numbers or an object of such lists".to_owned()),
    }
}

fn series(name: &str, unit: &str, samples: Vec<f64>) -> Series {
    Series { name: name.to_owned(), unit: unit.to_owned(), samples }
}

fn numbers(values: &[Value], what: &str) -> Result<Vec<f64>, String> {
    let number = |(index, value): (usize, &Value)| {
        let found = value.as_f64().filter(|number| number.is_finite());
        found.ok_or_else(|| format!("{what}: value {} is not a number: {value}", index + 1))
    };
    values.iter().enumerate().map(number).collect()
}

fn list<'a>(value: &'a Value, field: &str, what: &str) -> Result<&'a [Value], String> {
    value.get(field).and_then(Value::as_array).map(Vec::as_slice).ok_or_else(|| format!("{what} has no list {field:?}"))
}

fn lists(fields: &Map<String, Value>) -> Result<Vec<Series>, String> {
    let arrays = fields.iter().filter_map(|(name, value)| Some((name, value.as_array()?)));
    arrays.map(|(name, values)| Ok(series(name, "", numbers(values, name)?))).collect()
}

fn hyperfine(results: &[Value]) -> Result<Vec<Series>, String> {
    let one = |result: &Value| {
        let name = result.get("command").and_then(Value::as_str).unwrap_or("command");
        Ok(series(name, "s", numbers(list(result, "times", name)?, name)?))
    };
    results.iter().map(one).collect()
}

/// Reads Google Benchmark's JSON. Repetitions are entries with the same `run_name`; aggregates are left out.
fn google_benchmark(benchmarks: &[Value]) -> Result<Vec<Series>, String> {
    let mut times: Vec<(&str, (&str, f64))> = Vec::new();
    for entry in benchmarks {
        let text = |field: &str| entry.get(field).and_then(Value::as_str);
        if text("run_type") == Some("aggregate") || entry.get("error_occurred") == Some(&Value::Bool(true)) {
            continue;
        }
        let name = text("run_name").or_else(|| text("name")).ok_or("an entry of \"benchmarks\" has no name")?;
        let time = entry.get("real_time").and_then(Value::as_f64).filter(|time| time.is_finite());
        let time = time.ok_or_else(|| format!("{name} has no number \"real_time\""))?;
        times.push((name, (text("time_unit").unwrap_or("ns"), time)));
    }
    let one = |(name, repetitions): (&str, Vec<(&str, f64)>)| {
        let unit = repetitions.first().map_or("ns", |(unit, _)| *unit);
        series(name, unit, repetitions.iter().map(|(_, time)| *time).collect())
    };
    Ok(gathered(times).into_iter().map(one).collect())
}

fn pyperf(benchmarks: &[Value], suite: &Map<String, Value>, stem: &str) -> Result<Vec<Series>, String> {
    let named = |benchmark: &Value| Some(benchmark.get("metadata")?.get("name")?.as_str()?.to_owned());
    // In a file with only one benchmark, the common metadata contains its name.
    let common = suite.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Value::as_str);
    let one = |benchmark: &Value| {
        let name = named(benchmark).unwrap_or_else(|| common.unwrap_or(stem).to_owned());
        let mut samples = Vec::new();
        for run in list(benchmark, "runs", &name)? {
            // A calibration run has no values.
            if run.get("values").is_some() {
                samples.extend(numbers(list(run, "values", &name)?, &name)?);
            }
        }
        Ok(series(&name, "s", samples))
    };
    let all: Result<Vec<Series>, String> = benchmarks.iter().map(one).collect();
    all.map(|all| all.into_iter().filter(|one| !one.samples.is_empty()).collect())
}

fn of_csv(text: &str, column: Option<&str>, path: &Path) -> Result<Samples, String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> =
        reader.records().collect::<Result<_, _>>().map_err(|error| format!("not CSV: {error}"))?;
    let Some(first) = rows.first() else { return Ok(Samples::Series(Vec::new())) };
    let headed = first.iter().any(|cell| cell.parse::<f64>().is_err());
    let stem = path.file_stem().map_or_else(|| "samples".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let names: Vec<String> = match (headed, first.len()) {
        (true, _) => first.iter().map(str::to_owned).collect(),
        (false, 1) => vec![stem],
        (false, columns) => (1..=columns).map(|index| format!("column {index}")).collect(),
    };
    let body = &rows[usize::from(headed)..];
    let cell = |row: usize, index: usize| {
        let text = body[row].get(index).unwrap_or("");
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| {
            format!("row {}, column {:?}: {text:?} is not a number", row + 1 + usize::from(headed), names[index])
        })
    };
    let whole = |index: usize| (0..body.len()).map(|row| cell(row, index)).collect::<Result<Vec<f64>, String>>();
    let place = |name: &str| names.iter().position(|known| known == name);
    if let (None, [Some(concurrency), Some(operations), Some(seconds)]) = (column, LOAD_COLUMNS.map(place)) {
        let count = |row, index| {
            let number = cell(row, index)?;
            let sound = number >= 1.0 && number.fract() == 0.0 && number < 1e15;
            if sound {
                Ok(number as u64)
            } else {
                Err(format!("row {}: {number} is not a positive whole number", row + 2))
            }
        };
        let load = |row| {
            let (concurrency, operations) = (count(row, concurrency)?, count(row, operations)?);
            let seconds = cell(row, seconds).ok().filter(|seconds| *seconds > 0.0);
            let seconds = seconds.ok_or_else(|| format!("row {}: the seconds are not positive", row + 2))?;
            Ok(Load { concurrency, operations, seconds })
        };
        return (0..body.len()).map(load).collect::<Result<_, String>>().map(Samples::Loads);
    }
    if let Some(name) = column {
        let index =
            place(name).ok_or_else(|| format!("contains no column {name:?}; available: {}", names.join(", ")))?;
        return Ok(Samples::Series(vec![series(name, "", whole(index)?)]));
    }
    // If a column begins with a number, all of its cells must be numbers. Skip other columns, such as names and notes.
    let numeric = |index: &usize| !body.is_empty() && cell(0, *index).is_ok();
    let columns = (0..names.len()).filter(numeric);
    columns
        .map(|index| Ok(series(&names[index], "", whole(index)?)))
        .collect::<Result<_, String>>()
        .map(Samples::Series)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str, column: Option<&str>) -> Result<Samples, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        read_samples(&path, column).map_err(|error| error.to_string())
    }

    fn all(name: &str, text: &str) -> Vec<(String, String, Vec<f64>)> {
        let Ok(Samples::Series(found)) = read(name, text, None) else { panic!("{text}") };
        found.into_iter().map(|one| (one.name, one.unit, one.samples)).collect()
    }

    fn one(name: &str, unit: &str, samples: &[f64]) -> (String, String, Vec<f64>) {
        (name.into(), unit.into(), samples.to_vec())
    }

    #[test]
    fn reads_five_kinds_of_files() {
        assert_eq!(all("x.csv", "name,ns\na,1\nb,2.5\n"), [one("ns", "", &[1.0, 2.5])]);
        assert_eq!(all("x.txt", "1\n2\n"), [one("x", "", &[1.0, 2.0])]);
        assert_eq!(all("x.json", "[1, 2e0]"), [one("x", "", &[1.0, 2.0])]);
        assert_eq!(
            all("x.json", r#"{"a":[1],"b":[2,3],"note":"n"}"#),
            [one("a", "", &[1.0]), one("b", "", &[2.0, 3.0])]
        );
        let hyperfine = r#"{"results":[{"command":"sleep 1","mean":1.0,"times":[1.0,1.1]}]}"#;
        assert_eq!(all("x.json", hyperfine), [one("sleep 1", "s", &[1.0, 1.1])]);
        let google = r#"{"context":{},"benchmarks":[
            {"name":"BM_a/repeats:2","run_name":"BM_a","run_type":"iteration","real_time":3.0,"time_unit":"us"},
            {"name":"BM_a/repeats:2","run_name":"BM_a","run_type":"iteration","real_time":4.0,"time_unit":"us"},
            {"name":"BM_a_mean","run_name":"BM_a","run_type":"aggregate","real_time":3.5,"time_unit":"us"}]}"#;
        assert_eq!(all("x.json", google), [one("BM_a", "us", &[3.0, 4.0])]);
        let pyperf = r#"{"benchmarks":[{"runs":[{"warmups":[[1,2.0]]},{"values":[0.5,0.25]},{"values":[1.0]}]}],
            "metadata":{"name":"bench"},"version":"1.0"}"#;
        assert_eq!(all("x.json", pyperf), [one("bench", "s", &[0.5, 0.25, 1.0])]);
    }

    /// Reading must take linear time, because a file may contain any number of names.
    #[test]
    fn keeps_a_hundred_thousand_names_apart_in_order() {
        let entry = |number: u32| format!(r#"{{"name":"BM_{number}","real_time":{number}.5,"time_unit":"us"}}"#);
        let entries: Vec<String> = (0..100_000).chain([7]).map(entry).collect();
        let found = all("x.json", &format!(r#"{{"benchmarks":[{}]}}"#, entries.join(",")));
        assert_eq!(found.len(), 100_000);
        assert_eq!(found[7], one("BM_7", "us", &[7.5, 7.5]));
        assert_eq!(found[99_999], one("BM_99999", "us", &[99_999.5]));
    }

    #[test]
    fn recognises_loads_by_their_columns() {
        let text = "concurrency,operations,seconds\n1,100,1.0\n2,150,1\n";
        let Ok(Samples::Loads(found)) = read("x.csv", text, None) else { panic!() };
        assert_eq!(found[1], Load { concurrency: 2, operations: 150, seconds: 1.0 });
        assert!(matches!(read("x.csv", text, Some("seconds")), Ok(Samples::Series(_))));
        assert!(read("x.csv", "concurrency,operations,seconds\n1.5,100,1.0\n", None).unwrap_err().contains("row 2"));
        assert!(read("x.csv", "concurrency,operations,seconds\n1,100,0\n", None).unwrap_err().contains("not positive"));
    }

    #[test]
    fn errors_name_the_place() {
        for (text, wanted) in [
            ("", "no samples"),
            ("ns\n", "no samples"),
            ("ns\n1\nx\n", "row 3, column \"ns\": \"x\" is not a number"),
            ("ns\n1\nNaN\n", "is not a number"),
            ("a,b\n1\n", "not CSV"),
            ("[1, \"2\"]", "value 2 is not a number"),
            ("[1,", "EOF"),
            ("{}", "no samples"),
            (r#"{"results":[{"command":"c"}]}"#, "no list \"times\""),
            (r#"{"benchmarks":[{"name":"b"}]}"#, "real_time"),
        ] {
            let error = read("x.dat", text, None).unwrap_err();
            assert!(error.contains(wanted) && error.contains("x.dat"), "{text:?}: {error}");
        }
        assert!(read("x.csv", "a,b\n1,2\n", Some("c")).unwrap_err().contains("available: a, b"));
        assert!(read("x.json", r#"{"a":[1]}"#, Some("c")).unwrap_err().contains("available: a"));
        assert!(read_samples(Path::new("/no/such/file"), None).is_err());
    }
}
