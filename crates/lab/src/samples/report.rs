//! Evaluates one sample file, or compares two.

use super::reading::listed;
use super::unit;
use crate::{LabError, SampleFile, Samples, read_samples};
use pqlab_analysis::series::{LoadCurve, Series, SeriesComparison, SeriesRequest, SeriesSummary};
use serde_json::{Value, json};
use std::collections::HashMap;
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
        let SampleFile { samples, mut notes } = read_samples(file, column)?;
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
        let SampleFile { samples, notes } = read_samples(file, column)?;
        match samples {
            Samples::Series(series) => Ok((series, notes)),
            Samples::Loads(_) => {
                let reason = "throughput curves cannot be compared; evaluate one file at a time";
                Err(LabError::invalid("other", format!("{}: {reason}", file.display())))
            }
        }
    };
    let [(first, first_notes), (second, second_notes)] = [read(files[0])?, read(files[1])?];
    let shown = files.map(|file| file.display().to_string());
    let mut notes: Vec<String> = Vec::new();
    for (file, found) in [(&shown[0], first_notes), (&shown[1], second_notes)] {
        notes.extend(found.into_iter().map(|note| format!("{file}: {note}")));
    }
    // If each file contains only one series, compare the two even if their names differ.
    let pairs: Vec<(&Series, &Series)> = match (&first[..], &second[..]) {
        ([one], [other]) if !has_other_parameters(&one.name, &other.name) => vec![(one, other)],
        _ => {
            let others: HashMap<&str, &Series> = second.iter().map(|other| (other.name.as_str(), other)).collect();
            first.iter().filter_map(|one| Some((one, *others.get(one.name.as_str())?))).collect()
        }
    };
    if let [(one, other)] = &pairs[..]
        && one.name != other.name
    {
        notes.push(format!(
            "{:?} and {:?} have different names, but are compared because each file has only one \
                            series",
            one.name, other.name
        ));
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
        let reason =
            format!("{first} and {second} have no series with the same name and parameters ({one} and {other})");
        return Err(LabError::invalid("column", reason));
    }
    for (file, names) in [(&shown[0], &only_first), (&shown[1], &only_second)] {
        if !names.is_empty() {
            notes.push(format!("series found only in {file}: {}", names.join(", ")));
        }
    }
    let mut comparisons = Vec::new();
    let mut different = Vec::new();
    for (one, other) in &pairs {
        match in_unit_of(one, other) {
            Ok(converted) => {
                if one.unit.is_empty() != other.unit.is_empty() {
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

/// Converts `other` to the unit of `one`. Leaves the samples unchanged if either series has no unit.
fn in_unit_of(one: &Series, other: &Series) -> Result<Series, String> {
    let mut converted = other.clone();
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
}
