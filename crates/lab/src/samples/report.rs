//! Evaluates one sample file, or compares two.

use super::files::read_column;
use super::reading::{Column, listed};
use super::unit;
use crate::{LabError, SampleFile, Samples, read_samples};
use pqlab_analysis::series::{LoadCurve, Series, SeriesComparison, SeriesRequest, SeriesSummary};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Figures and notes for one sample file, or for a comparison of two.
#[derive(Clone, Debug)]
pub struct SeriesReport {
    /// Figures of the samples.
    pub figures: SeriesFigures,
    /// Notes for the user, one line each: entries of the files that were left out, and assumptions.
    pub notes: Vec<String>,
}

/// Figures of one or two sample files.
#[derive(Clone, Debug)]
pub enum SeriesFigures {
    /// Each series of one file.
    Series(Vec<SeriesSummary>),
    /// Throughput under increasing load; `None` if the loads do not form a curve.
    Throughput(Option<LoadCurve>),
    /// Every series of two files, and comparisons of the second file's series with those of the first.
    Compared {
        /// Series of the first file. Their names begin with the path of the file.
        first: Vec<SeriesSummary>,
        /// Series of the second file. Their names begin with the path of the file.
        second: Vec<SeriesSummary>,
        /// Comparisons of series with the same name, or of the only series in each file.
        comparisons: Vec<SeriesComparison>,
        /// Names of series that only the first file has.
        only_first: Vec<String>,
        /// Names of series that only the second file has.
        only_second: Vec<String>,
    },
}

impl SeriesReport {
    /// Evaluates `file`. If `other` is given, compares `other` with `file`. If `column` is given, uses only the column
    /// or series with this name.
    ///
    /// # Errors
    /// [`LabError::File`] if [`read_samples`] cannot read a file, [`LabError::Invalid`] if nothing can be compared or
    /// the confidence is out of range.
    pub fn new(
        file: &Path,
        other: Option<&Path>,
        column: Option<&str>,
        request: &SeriesRequest,
    ) -> Result<SeriesReport, LabError> {
        if !(request.confidence > 0.0 && request.confidence < 1.0) {
            return Err(LabError::invalid(
                "confidence",
                "confidence must be between 0 and 100 percent, for example 95",
            ));
        }
        if let Some(other) = other {
            return compared([file, other], column, request);
        }
        let SampleFile { samples, mut notes, .. } = read_samples(file, column)?;
        let figures = match samples {
            Samples::Series(series) => {
                let summaries = summaries(&series, request);
                notes.extend(remarks(&summaries));
                SeriesFigures::Series(summaries)
            }
            Samples::Loads(loads) => SeriesFigures::Throughput(LoadCurve::new(&loads, request)),
        };
        Ok(SeriesReport { figures, notes })
    }

    /// Returns the results as JSON.
    pub fn to_json(&self) -> Value {
        let all = |summaries: &[SeriesSummary]| summaries.iter().map(SeriesSummary::to_json).collect::<Vec<_>>();
        let mut document = match &self.figures {
            SeriesFigures::Series(summaries) => json!({ "series": all(summaries) }),
            SeriesFigures::Throughput(curve) => json!({ "throughput": curve.as_ref().map(LoadCurve::to_json) }),
            SeriesFigures::Compared { first, second, comparisons, only_first, only_second } => json!({
                "first": all(first),
                "second": all(second),
                "comparisons": comparisons.iter().map(comparison).collect::<Vec<_>>(),
                "only_first": only_first,
                "only_second": only_second,
            }),
        };
        document["notes"] = json!(self.notes);
        document
    }
}

fn comparison(comparison: &SeriesComparison) -> Value {
    let mut document = comparison.to_json();
    let medians = comparison.median_overhead_pct;
    document["median_overhead_pct"] = json!(medians.map(|interval| interval.estimate));
    document["median_overhead_ci_pct"] = json!(medians.map(|interval| [interval.low, interval.high]));
    document["within_step"] = json!(comparison.within_step);
    document["notes"] = json!(comparison.notes);
    document
}

fn compared(files: [&Path; 2], column: Option<&str>, request: &SeriesRequest) -> Result<SeriesReport, LabError> {
    let read = |file: &Path| {
        let column = column.map(|name| Column { name, in_any_unit: true });
        let SampleFile { samples, notes, unknown_units } = read_column(file, column)?;
        match samples {
            Samples::Series(series) => Ok((series, notes, unknown_units)),
            Samples::Loads(_) => {
                let reason = "throughput curves cannot be compared; evaluate one file at a time";
                Err(LabError::invalid("other", format!("{}: {reason}", file.display())))
            }
        }
    };
    let [(first, first_notes, first_unknown), (second, second_notes, second_unknown)] =
        [read(files[0])?, read(files[1])?];
    let shown = files.map(|file| file.display().to_string());
    let mut notes: Vec<String> = Vec::new();
    for (file, found) in [(&shown[0], first_notes), (&shown[1], second_notes)] {
        notes.extend(found.into_iter().map(|note| format!("{file}: {note}")));
    }
    let pairs = paired(&first, &second);
    for (one, other) in pairs.iter().filter(|(one, other)| one.name != other.name) {
        let (one_name, other_name) = (&one.name, &other.name);
        notes.push(if name_without_unit(one).is_some_and(|name| Some(name) == name_without_unit(other)) {
            format!("{one_name:?} and {other_name:?} are compared, because their names differ only in the unit")
        } else {
            format!(
                "{one_name:?} and {other_name:?} have different names, but are compared because each file has only \
                 one series"
            )
        });
    }
    let alone = |all: &[Series], paired: &dyn Fn(&Series) -> bool| -> Vec<String> {
        all.iter().filter(|one| !paired(one)).map(|one| one.name.clone()).collect()
    };
    let names: HashMap<&str, ()> = pairs.iter().map(|(one, _)| (one.name.as_str(), ())).collect();
    let others: HashMap<&str, ()> = pairs.iter().map(|(_, other)| (other.name.as_str(), ())).collect();
    let only_first = alone(&first, &|one| names.contains_key(one.name.as_str()));
    let only_second = alone(&second, &|one| others.contains_key(one.name.as_str()));
    if pairs.is_empty() {
        let [first, second] = shown;
        let [one, other] = [&only_first, &only_second].map(listed);
        let reason = format!(
            "{first} and {second} have no series with the same name and parameters ({one} and {other}); rename the \
             columns or operations in one of them"
        );
        return Err(LabError::invalid("other", reason));
    }
    for (file, names) in [(&shown[0], &only_first), (&shown[1], &only_second)] {
        if !names.is_empty() {
            notes.push(format!("series found only in {file}: {}", names.join(", ")));
        }
    }
    let mut comparisons = Vec::new();
    let mut different = Vec::new();
    for (one, other) in &pairs {
        let unknown = |all: &[(String, String)], name: &str| {
            all.iter().find(|(series, _)| series == name).map(|(_, text)| text.clone())
        };
        let texts = [unknown(&first_unknown, &one.name), unknown(&second_unknown, &other.name)];
        match in_unit_of(one, other, &texts) {
            Ok(converted) => {
                if let [Some(text), None] | [None, Some(text)] = &texts {
                    let file = if texts[0].is_none() { &shown[0] } else { &shown[1] };
                    notes.push(format!(
                        "{}: {file} states no unit, and {text:?} is not understood as a unit, so the values are \
                         compared without conversion",
                        one.name
                    ));
                } else if one.unit.is_empty() != other.unit.is_empty() {
                    let (known, file) = match one.unit.is_empty() {
                        true => (&other.unit, &shown[0]),
                        false => (&one.unit, &shown[1]),
                    };
                    notes.push(format!("{}: {file} states no unit, so {known} is assumed", one.name));
                }
                let found = SeriesComparison::new(one, &converted, request);
                notes.extend(found.notes.iter().map(|note| format!("{}: {note}", one.name)));
                comparisons.push(found);
            }
            Err(reason) => different.push(reason),
        }
    }
    if comparisons.is_empty() {
        return Err(LabError::invalid("other", different.join("; ")));
    }
    notes.extend(different);
    let [first, second] = [(files[0], first), (files[1], second)].map(|(file, series)| {
        let mut summaries = summaries(&series, request);
        for summary in &mut summaries {
            summary.name = format!("{}: {}", file.display(), summary.name);
        }
        summaries
    });
    notes.extend(remarks(&first));
    notes.extend(remarks(&second));
    let figures = SeriesFigures::Compared { first, second, comparisons, only_first, only_second };
    Ok(SeriesReport { figures, notes })
}

/// Returns whether two names differ only in parameters: in numbers after a slash, or in parts in brackets.
fn has_other_parameters(one: &str, other: &str) -> bool {
    let split = |name: &str, marks: &[char]| {
        let place = name.find(marks).unwrap_or(name.len());
        (name[..place].to_owned(), name[place..].to_owned())
    };
    let without_digits = |text: &str| text.split(|letter: char| letter.is_ascii_digit()).collect::<Vec<_>>().concat();
    let numbers = {
        let [(base, one), (same, other)] = [one, other].map(|name| split(name, &['/']));
        base == same && one != other && !one.is_empty() && without_digits(&one) == without_digits(&other)
    };
    let [(base, one), (same, other)] = [one, other].map(|name| split(name, &['[', '(', '{']));
    numbers || base == same && one != other && !base.is_empty()
}

/// Pairs the series of two files: those with the same name, then those whose names differ only in the unit. If each file
/// contains only one series, pairs the two even if their names differ.
fn paired<'a>(first: &'a [Series], second: &'a [Series]) -> Vec<(&'a Series, &'a Series)> {
    if let ([one], [other]) = (first, second) {
        let [one_name, other_name] = [one, other].map(|one| name_without_unit(one).unwrap_or_else(|| one.name.clone()));
        if !has_other_parameters(&one_name, &other_name) {
            return vec![(one, other)];
        }
    }
    let named: HashMap<&str, &Series> = second.iter().map(|other| (other.name.as_str(), other)).collect();
    let in_first: HashSet<&str> = first.iter().map(|one| one.name.as_str()).collect();
    let key = |one: &Series| Some((name_without_unit(one)?, unit::quantity(&one.unit)?));
    let unpaired = second.iter().filter(|other| !in_first.contains(other.name.as_str()));
    let mut without_unit: HashMap<_, Vec<&Series>> = HashMap::new();
    for other in unpaired {
        if let Some(key) = key(other) {
            without_unit.entry(key).or_default().push(other);
        }
    }
    let mut keys: HashMap<_, usize> = HashMap::new();
    for key in first.iter().filter(|one| !named.contains_key(one.name.as_str())).filter_map(key) {
        *keys.entry(key).or_default() += 1;
    }
    let other = |one: &Series| {
        let same = named.get(one.name.as_str()).copied();
        same.or_else(|| {
            let key = key(one)?;
            match without_unit.get(&key).map(Vec::as_slice) {
                Some([other]) if keys[&key] == 1 => Some(*other),
                _ => None,
            }
        })
    };
    first.iter().filter_map(|one| Some((one, other(one)?))).collect()
}

/// Returns the name of a series without the unit of its column. Returns `None` if the name does not contain the unit of
/// the samples.
fn name_without_unit(series: &Series) -> Option<String> {
    let (operation, column) = series.name.rsplit_once(": ").unwrap_or(("", &series.name));
    let contained = !series.unit.is_empty() && unit::in_name(column) == Some(series.unit.as_str());
    let rest = contained.then(|| unit::without(column))?;
    Some(if operation.is_empty() { rest } else { format!("{operation}: {rest}") })
}

/// Converts `other` to the unit of `one`. Leaves the samples unchanged if either series has no unit. `unknown` contains
/// the text in the place of a unit that is not understood, for each series.
fn in_unit_of(one: &Series, other: &Series, unknown: &[Option<String>; 2]) -> Result<Series, String> {
    let mut converted = other.clone();
    let stated = |series: &Series, text: &Option<String>| text.clone().unwrap_or_else(|| series.unit.clone());
    let [first, second] = [stated(one, &unknown[0]), stated(other, &unknown[1])];
    if let Some(text) = unknown.iter().flatten().next()
        && first != second
        && !first.is_empty()
        && !second.is_empty()
    {
        return Err(format!(
            "{}: cannot compare the units {first} (first file) and {second} (second file), because {text:?} is not \
             understood as a unit",
            one.name
        ));
    }
    if one.unit == other.unit || one.unit.is_empty() || other.unit.is_empty() {
        return Ok(converted);
    }
    for sample in &mut converted.samples {
        *sample = unit::convert(*sample, &other.unit, &one.unit).ok_or_else(|| {
            format!("{}: cannot compare the units {} (first file) and {} (second file)", one.name, one.unit, other.unit)
        })?;
    }
    converted.unit.clone_from(&one.unit);
    Ok(converted)
}

fn summaries(series: &[Series], request: &SeriesRequest) -> Vec<SeriesSummary> {
    series.iter().filter_map(|one| SeriesSummary::new(one, request)).collect()
}

fn remarks(summaries: &[SeriesSummary]) -> Vec<String> {
    let of = |summary: &SeriesSummary| {
        let name = summary.name.clone();
        summary.notes().into_iter().map(move |note| format!("{name}: {note}"))
    };
    summaries.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_other_parameters_are_told_from_other_names() {
        for (one, other, parameters) in [
            ("BM_kem/64", "BM_kem/128", true),
            ("kem [size=64]: t", "kem [size=128]: t", true),
            ("test_sign(a)", "test_sign(b)", true),
            ("sha3/openssl", "sha3/rustcrypto", false),
            ("run1", "run2", false),
            ("ML-KEM-512", "ML-KEM-768", false),
            ("a", "b", false),
            ("kem/64", "kem/64", false),
        ] {
            assert_eq!(has_other_parameters(one, other), parameters, "{one}, {other}");
        }
    }

    /// Returns the notes of a comparison and the increase of each median in percent, rounded.
    fn compare(first: &str, second: &str) -> Result<(Vec<f64>, String), String> {
        compare_column(first, second, None)
    }

    fn compare_column(first: &str, second: &str, column: Option<&str>) -> Result<(Vec<f64>, String), String> {
        let folder = tempfile::tempdir().unwrap();
        let paths = [("a", first), ("b", second)].map(|(stem, text)| {
            let ending = if text.starts_with('{') { "json" } else { "csv" };
            let path = folder.path().join(format!("{stem}.{ending}"));
            std::fs::write(&path, text).unwrap();
            path
        });
        let request = SeriesRequest { resamples: 50, ..SeriesRequest::default() };
        let report =
            SeriesReport::new(&paths[0], Some(&paths[1]), column, &request).map_err(|error| error.to_string())?;
        let SeriesFigures::Compared { comparisons, .. } = &report.figures else { panic!() };
        let medians = comparisons.iter().filter_map(|pair| pair.median_overhead_pct);
        Ok((medians.map(|interval| interval.estimate.round()).collect(), report.notes.join("\n")))
    }

    #[test]
    fn series_whose_names_differ_only_in_the_unit_are_compared() {
        for (first, second) in [
            ("time (us)\n1\n2\n3\n", "time (ns)\n1000\n2000\n3000\n"),
            ("enc_us,dec_us\n1,4\n2,5\n3,6\n", "dec_ns,enc_ns\n4000,1000\n5000,2000\n6000,3000\n"),
            ("alg,us\nA,1\nA,2\nA,3\nB,1\nB,2\nB,3\n", "alg,ms\nA,.001\nA,.002\nA,.003\nB,.001\nB,.002\nB,.003\n"),
            ("MB/s\n1\n2\n3\n", "KB/s\n1000\n2000\n3000\n"),
        ] {
            let (medians, notes) = compare(first, second).unwrap();
            assert!(medians.iter().all(|median| *median == 0.0), "{first}: {medians:?}");
            assert_eq!(medians.len(), notes.matches("because their names differ only in the unit").count(), "{notes}");
        }
        let json = |unit: &str, factor: f64| format!(r#"{{"unit":"{unit}","a":[{},{}]}}"#, factor, 2.0 * factor);
        assert_eq!(compare(&json("us", 1.0), &json("ns", 1000.0)).unwrap().0, [0.0]);
    }

    #[test]
    fn a_chosen_column_is_compared_with_the_same_column_in_another_unit() {
        let (one, other) = ("enc_us,dec_us\n1,4\n2,5\n3,6\n", "dec_ns,enc_ns\n4000,1000\n5000,2000\n6000,3000\n");
        let named = |column: &str| {
            let (medians, notes) = compare_column(one, other, Some(column)).unwrap();
            assert_eq!(medians, [0.0], "{column}");
            notes.matches("because their names differ only in the unit").count()
        };
        assert_eq!(named("enc_us"), 1);
        assert_eq!(named("enc_ns"), 1);
        let json = r#"{"enc_ns":[1000,2000,3000],"dec_ns":[1,2,3]}"#;
        assert_eq!(compare_column(one, json, Some("enc_us")).unwrap().0, [0.0]);
        let series = |unit: &str| format!("alg,{unit}\nA,1\nA,2\nB,7\nB,8\n");
        assert_eq!(compare_column(&series("us"), &series("ns"), Some("A: us")).unwrap().0, [-100.0]);
        for (column, other) in
            [("enc_us", "enc_cycles,dec\n1,2\n2,3\n"), ("enc_us", "enc_ns,enc_ms\n1,2\n2,3\n"), ("enc", other)]
        {
            let error = compare_column(one, other, Some(column)).unwrap_err();
            assert!(error.contains(&format!("contains no column {column:?}")), "{error}");
        }
    }

    #[test]
    fn units_of_other_quantities_and_unknown_units_are_not_compared() {
        for (first, second) in [
            ("MB/s\n1\n2\n", "ms\n1\n2\n"),
            ("cycles/byte\n1\n2\n", "ns/byte\n1\n2\n"),
            ("cycles/byte\n1\n2\n", "size (KiB)\n1\n2\n"),
            ("t (10^3 ns)\n1\n2\n", "ns\n1\n2\n"),
            ("cycles\n1\n2\n", "ns/100 ops\n1\n2\n"),
            ("us_per_sign\n1\n2\n", "cycles\n1\n2\n"),
        ] {
            let error = compare(first, second).unwrap_err();
            assert!(error.contains("cannot compare the units"), "{first}: {error}");
        }
        let unknown = "t (10^3 ns)\n1\n2\n4\n";
        assert!(!compare(unknown, unknown).unwrap().1.contains("is assumed"));
        let (_, notes) = compare(unknown, "t\n1\n2\n4\n").unwrap();
        assert!(notes.contains("compared without conversion") && !notes.contains("is assumed"), "{notes}");
        assert_eq!(compare("t (kcycles)\n1\n2\n4\n", "cycles\n1000\n2000\n4000\n").unwrap().0, [0.0]);
    }
}
