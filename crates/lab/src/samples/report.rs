//! Results for one sample file, or for a comparison of two.

use crate::{LabError, Samples, read_samples};
use pqlab_analysis::series::{LoadCurve, Series, SeriesComparison, SeriesRequest, SeriesSummary};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;

/// Results for one or two sample files.
#[derive(Clone, Debug)]
pub enum SeriesReport {
    /// Each series of one file.
    Series(Vec<SeriesSummary>),
    /// Throughput under growing load; `None` if the loads do not form a curve.
    Throughput(Option<LoadCurve>),
    /// Every series of two files, and comparisons of the second file's series with those of the first.
    Compared {
        /// Series of the first file. Their names begin with the path of the file.
        first: Vec<SeriesSummary>,
        /// Series of the second file. Their names begin with the path of the file.
        second: Vec<SeriesSummary>,
        /// Comparisons of series with the same name, or of the only series in each file.
        comparisons: Vec<SeriesComparison>,
    },
}

impl SeriesReport {
    /// Evaluates one file. If `other` is given, compares it with `file`.
    ///
    /// # Errors
    /// [`LabError::File`] if [`read_samples`] cannot read a file, [`LabError::Invalid`] if nothing can be compared or
    /// the confidence is out of range.
    pub fn of(
        file: &Path,
        other: Option<&Path>,
        column: Option<&str>,
        request: &SeriesRequest,
    ) -> Result<SeriesReport, LabError> {
        if !(request.confidence > 0.0 && request.confidence < 1.0) {
            return Err(LabError::invalid("confidence", "confidence must be between 0 and 100 percent, such as 95"));
        }
        if let Some(other) = other {
            return compared([file, other], column, request);
        }
        Ok(match read_samples(file, column)? {
            Samples::Series(series) => SeriesReport::Series(summaries(&series, request)),
            Samples::Loads(loads) => SeriesReport::Throughput(LoadCurve::of(&loads, request)),
        })
    }

    /// Returns the results as JSON.
    pub fn to_json(&self) -> Value {
        let all = |summaries: &[SeriesSummary]| summaries.iter().map(SeriesSummary::to_json).collect::<Vec<_>>();
        match self {
            SeriesReport::Series(summaries) => json!({ "series": all(summaries) }),
            SeriesReport::Throughput(curve) => json!({ "throughput": curve.as_ref().map(LoadCurve::to_json) }),
            SeriesReport::Compared { first, second, comparisons } => json!({
                "first": all(first),
                "second": all(second),
                "comparisons": comparisons.iter().map(SeriesComparison::to_json).collect::<Vec<_>>(),
            }),
        }
    }
}

fn compared(files: [&Path; 2], column: Option<&str>, request: &SeriesRequest) -> Result<SeriesReport, LabError> {
    let read = |file: &Path| match read_samples(file, column)? {
        Samples::Series(series) => Ok(series),
        Samples::Loads(_) => {
            Err(LabError::invalid("column", format!("{}: throughput curves cannot be compared", file.display())))
        }
    };
    let [first, second] = [read(files[0])?, read(files[1])?];
    // If each file contains only one series, compare the two whatever their names.
    let pairs: Vec<(&Series, &Series)> = match (&first[..], &second[..]) {
        ([one], [other]) => vec![(one, other)],
        _ => {
            // If several series have the same name, use the first.
            let others: HashMap<&str, &Series> =
                second.iter().rev().map(|other| (other.name.as_str(), other)).collect();
            first.iter().filter_map(|one| Some((one, *others.get(one.name.as_str())?))).collect()
        }
    };
    if pairs.is_empty() {
        let [first, second] = files.map(|file| file.display().to_string());
        let reason = format!("{first} and {second} have no series with the same name");
        return Err(LabError::invalid("column", reason));
    }
    let comparisons = pairs.iter().map(|(one, other)| SeriesComparison::of(one, other, request)).collect();
    let [first, second] = [(files[0], first), (files[1], second)].map(|(file, series)| {
        let mut summaries = summaries(&series, request);
        for summary in &mut summaries {
            summary.name = format!("{}: {}", file.display(), summary.name);
        }
        summaries
    });
    Ok(SeriesReport::Compared { first, second, comparisons })
}

fn summaries(series: &[Series], request: &SeriesRequest) -> Vec<SeriesSummary> {
    series.iter().filter_map(|one| SeriesSummary::of(one, request)).collect()
}
