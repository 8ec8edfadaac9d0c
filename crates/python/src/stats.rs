//! Statistics of numbers from Python: lists, arrays and table columns.

use crate::errors::{Answer, Failure, Kind, detached};
use crate::input::Whole;
use pqlab_lab::report::{LatexCell, LatexSide, LatexTable, latex_table};
use pqlab_lab::stats::{
    Description, Load, bootstrap_ci, cohens_d, cov_stability_report, describe_samples, throughput_curve, welch_t_test,
};
use pqlab_lab::{SeriesReport, analysis::series::SeriesRequest};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMapping, PyString};
use std::path::PathBuf;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(stats_bootstrap_ci, module)?)?;
    module.add_function(wrap_pyfunction!(stats_welch_t_test, module)?)?;
    module.add_function(wrap_pyfunction!(stats_cohens_d, module)?)?;
    module.add_function(wrap_pyfunction!(stats_throughput_curve, module)?)?;
    module.add_function(wrap_pyfunction!(stats_cov_stability_report, module)?)?;
    module.add_function(wrap_pyfunction!(stats_describe_samples, module)?)?;
    module.add_function(wrap_pyfunction!(stats_latex_table, module)?)?;
    module.add_function(wrap_pyfunction!(stats_files, module)?)
}

/// Maximum number of values that a bootstrap draws: resamples times samples. Drawing this many takes a few minutes.
const MOST_DRAWS: usize = 100_000_000_000;
/// Maximum number of bootstrap resamples. The median of each resample is kept in memory.
const MOST_RESAMPLES: usize = 10_000_000;

/// Reads finite numbers from a buffer of doubles, an object with `to_numpy`, or a sequence.
fn numbers(object: &Bound<'_, PyAny>, name: &str) -> Answer<Vec<f64>> {
    let found = read(object, name, true)?;
    match found.iter().position(|number| !number.is_finite()) {
        Some(place) => Err(Failure::argument(name, format!("item {place} must be finite, not {}", found[place]))),
        None => Ok(found),
    }
}

fn read(object: &Bound<'_, PyAny>, name: &str, converts: bool) -> Answer<Vec<f64>> {
    let py = object.py();
    let type_of = || object.get_type().name().map_or_else(|_| "this".to_owned(), |name| name.to_string());
    let none = || Failure::from(PyTypeError::new_err(format!("{name}: expected numbers, not '{}'", type_of())));
    let text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
    let named = object.cast::<PyMapping>().is_ok() && !has(object, "to_numpy");
    if text || named || object.is_instance_of::<PyByteArray>() {
        return Err(none());
    }
    if let Ok(buffer) = PyBuffer::<f64>::get(object) {
        if buffer.dimensions() != 1 {
            let dimensions = buffer.dimensions();
            return Err(Failure::argument(name, format!("needs one dimension, not {dimensions}")));
        }
        return Ok(buffer.to_vec(py)?);
    }
    if converts && has(object, "to_numpy") {
        return read(&object.call_method0("to_numpy")?, name, false);
    }
    if !has(object, "__len__") || !has(object, "__getitem__") {
        return Err(none());
    }
    let mut found = Vec::new();
    for (place, number) in object.try_iter()?.enumerate() {
        let number = number?;
        let number = number.extract::<f64>().map_err(|_| {
            let shown = number.get_type().name().map_or_else(|_| "it".to_owned(), |name| name.to_string());
            Failure::argument(name, format!("item {place} must be a number, not '{shown}'"))
        })?;
        found.push(number);
    }
    Ok(found)
}

fn has(object: &Bound<'_, PyAny>, method: &str) -> bool {
    object.hasattr(method).unwrap_or(false)
}

/// Checks that a fraction is above 0 and below 1.
fn share(value: f64, name: &str) -> Answer<f64> {
    if value > 0.0 && value < 1.0 {
        Ok(value)
    } else {
        Err(Failure::argument(name, format!("must be between 0 and 1, not {value}")))
    }
}

fn few(name: &str, least: &str) -> Failure {
    Failure::argument(name, least)
}

/// Returns the low end of the median's bootstrap interval, the median, and the high end of the interval.
#[pyfunction]
fn stats_bootstrap_ci(
    py: Python<'_>,
    samples: &Bound<'_, PyAny>,
    confidence: f64,
    n_resamples: Whole<usize>,
    seed: Whole<u64>,
) -> Answer<(f64, f64, f64)> {
    let (samples, confidence) = (numbers(samples, "samples")?, share(confidence, "confidence")?);
    let resamples = n_resamples.0;
    if resamples == 0 || resamples > MOST_RESAMPLES || resamples.saturating_mul(samples.len()) > MOST_DRAWS {
        let most = MOST_RESAMPLES.min(MOST_DRAWS / samples.len().max(1));
        return Err(Failure::argument("n_resamples", format!("must be from 1 to {most}, not {resamples}")));
    }
    detached(py, || {
        let found = bootstrap_ci(&samples, confidence, resamples, seed.0);
        let found = found.ok_or_else(|| few("samples", "the list is empty"))?;
        Ok((found.low, found.estimate, found.high))
    })
}

/// Returns the result of Welch's t-test: statistic, degrees of freedom, p-value, significance, and overhead in percent.
#[pyfunction]
fn stats_welch_t_test(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    alpha: f64,
) -> Answer<(f64, f64, f64, bool, f64)> {
    let (first, second, alpha) = (numbers(a, "a")?, numbers(b, "b")?, share(alpha, "alpha")?);
    detached(py, || {
        let test = welch_t_test(&first, &second, alpha).ok_or_else(|| no_spread(&first, &second))?;
        Ok((test.t, test.degrees_of_freedom, test.p_value, test.significant, test.overhead_pct))
    })
}

#[pyfunction]
fn stats_cohens_d(py: Python<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> Answer<f64> {
    let (first, second) = (numbers(a, "a")?, numbers(b, "b")?);
    detached(py, || cohens_d(&first, &second).ok_or_else(|| no_spread(&first, &second)))
}

fn no_spread(first: &[f64], second: &[f64]) -> Failure {
    let short = [("a", first), ("b", second)].into_iter().find(|(_, samples)| samples.len() < 2);
    match short {
        Some((name, samples)) => Failure::argument(name, format!("needs at least two numbers, not {}", samples.len())),
        None => {
            Failure::new(Kind::InvalidArgument, "a, b: all numbers are equal, so there is no spread to compare with")
        }
    }
}

/// Point of a throughput curve: concurrency, operations per second, speedup, efficiency, loss in percent relative to
/// the peak, and loss in percent relative to the smallest concurrency.
type Point = (u64, f64, f64, f64, f64, f64);

/// Returns the points of a throughput curve in ascending order of concurrency, and the index of the peak.
#[pyfunction]
fn stats_throughput_curve(py: Python<'_>, points: Vec<(Whole<u64>, Whole<u64>, f64)>) -> Answer<(Vec<Point>, usize)> {
    let load = |(concurrency, operations, seconds): (Whole<u64>, Whole<u64>, f64)| Load {
        concurrency: concurrency.0,
        operations: operations.0,
        seconds,
    };
    let loads: Vec<Load> = points.into_iter().map(load).collect();
    detached(py, || {
        let curve = throughput_curve(&loads);
        let curve = curve.ok_or_else(|| {
            Failure::argument("points", "each point needs a concurrency, a number of operations and seconds above zero")
        })?;
        let points = curve.points.iter().map(|point| {
            let losses = (point.loss_from_peak_pct, point.loss_from_smallest_pct);
            (point.concurrency, point.operations_per_second, point.speedup, point.efficiency, losses.0, losses.1)
        });
        Ok((points.collect(), curve.peak))
    })
}

/// Returns the name of each series, its coefficient of variation in percent, and whether the coefficient exceeds the
/// threshold. The most variable series comes first.
#[pyfunction]
fn stats_cov_stability_report(
    py: Python<'_>,
    results: Vec<(String, Bound<'_, PyAny>)>,
    threshold: f64,
) -> Answer<Vec<(String, Option<f64>, bool)>> {
    if !(threshold >= 0.0 && threshold.is_finite()) {
        return Err(Failure::argument("threshold", format!("must be a percentage of at least 0, not {threshold}")));
    }
    let results = results.iter().map(|(name, samples)| Ok((name.as_str(), numbers(samples, name)?)));
    let results = results.collect::<Answer<Vec<_>>>()?;
    detached(py, || {
        let report = cov_stability_report(results.iter().map(|(name, samples)| (*name, samples.as_slice())), threshold);
        Ok(report.into_iter().map(|row| (row.name, row.cov_pct, row.unstable)).collect())
    })
}

/// Statistics by name. The value is `None` if the statistic is undefined for the samples.
type Fields = Vec<(&'static str, Option<f64>)>;

/// Returns the number of samples and their statistics.
#[pyfunction]
fn stats_describe_samples(py: Python<'_>, samples: &Bound<'_, PyAny>) -> Answer<(usize, Fields)> {
    let samples = numbers(samples, "samples")?;
    detached(py, || {
        let Description { n, mean, stdev, cov_pct, min, p5, p25, median, p75, p95, p99, max, iqm, mad } =
            describe_samples(&samples).ok_or_else(|| few("samples", "the list is empty"))?;
        let sure = [
            ("mean", mean),
            ("min", min),
            ("p5", p5),
            ("p25", p25),
            ("median", median),
            ("p75", p75),
            ("p95", p95),
            ("p99", p99),
            ("max", max),
            ("iqm", iqm),
            ("mad", mad),
        ];
        let fields = sure.into_iter().map(|(name, value)| (name, Some(value)));
        Ok((n, fields.chain([("stdev", stdev), ("cov_pct", cov_pct)]).collect()))
    })
}

/// Returns a LaTeX table with the first column left-aligned and all others right-aligned.
#[pyfunction]
fn stats_latex_table(
    py: Python<'_>,
    rows: Vec<Vec<String>>,
    columns: Vec<String>,
    caption: &str,
    label: &str,
) -> Answer<String> {
    if columns.is_empty() {
        return Err(Failure::argument("columns", "the list is empty"));
    }
    if let Some(place) = rows.iter().position(|row| row.len() > columns.len()) {
        let (cells, most) = (rows[place].len(), columns.len());
        return Err(Failure::argument("rows", format!("row {place} has {cells} cells, but there are {most} columns")));
    }
    detached(py, || {
        let side = |place| if place == 0 { LatexSide::Left } else { LatexSide::Right };
        let columns: Vec<_> = columns.iter().enumerate().map(|(place, name)| (name.as_str(), side(place))).collect();
        let rows: Vec<Vec<_>> = rows.into_iter().map(|row| row.into_iter().map(LatexCell::Text).collect()).collect();
        Ok(latex_table(&LatexTable { caption, label, columns: &columns, rows: &rows, notes: &[] }))
    })
}

/// Describes a file of samples, or compares two files. Returns the output of `pqlab stats --json`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they mirror the options of the command line")]
fn stats_files(
    py: Python<'_>,
    file: PathBuf,
    other: Option<PathBuf>,
    column: Option<&str>,
    confidence: f64,
    resamples: Whole<u32>,
    seed: Whole<u64>,
    limit_pct: f64,
) -> Answer<String> {
    if resamples.0 == 0 || resamples.0 as usize > MOST_RESAMPLES {
        return Err(Failure::argument("resamples", format!("must be from 1 to {MOST_RESAMPLES}, not {}", resamples.0)));
    }
    detached(py, || {
        let request =
            SeriesRequest { confidence, resamples: resamples.0 as usize, seed: seed.0, stability_limit_pct: limit_pct };
        Ok(SeriesReport::new(&file, other.as_deref(), column, &request)?.to_json().to_string())
    })
}
