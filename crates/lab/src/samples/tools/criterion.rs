//! criterion's `sample.json`: the number of iterations and the total time of each sample.

use crate::samples::reading::{Reading, numbers};
use serde_json::Value;

/// Returns the lists of iterations and times from a file by criterion before version 0.3.5. The file is a list of both,
/// with or without the sampling mode in front (`["Linear", [1, 2], [8.5, 17.1]]`).
pub(in crate::samples) fn old_lists(values: &[Value]) -> Option<(&[Value], &[Value])> {
    match values {
        [Value::String(_), Value::Array(iterations), Value::Array(times)]
        | [Value::Array(iterations), Value::Array(times)] => Some((iterations, times)),
        _ => None,
    }
}

/// Returns whether a list may contain criterion's iteration counts: positive whole numbers that are multiples of the
/// first.
pub(in crate::samples) fn are_iterations(values: &[Value]) -> bool {
    let counts: Option<Vec<f64>> = values.iter().map(Value::as_f64).collect();
    let Some(counts) = counts else { return false };
    counts.iter().all(|count| *count >= 1.0 && count.fract() == 0.0 && count % counts[0] == 0.0)
}

/// Returns whether the numbers of iterations increase and the times increase with them, so that the meaning of the two
/// lists is plain.
pub(in crate::samples) fn are_proportional(iterations: &[Value], times: &[Value]) -> bool {
    /// Maximum ratio of the largest time per iteration to the smallest.
    const LARGEST_RATIO: f64 = 1.5;
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let increasing = iterations.windows(2).all(|pair| number(&pair[0]) < number(&pair[1]));
    let ratios: Vec<f64> = times.iter().zip(iterations).map(|(time, count)| number(time) / number(count)).collect();
    let (low, high) =
        ratios.iter().fold((f64::MAX, 0.0), |(low, high): (f64, f64), one| (low.min(*one), high.max(*one)));
    increasing && iterations.len() == times.len() && times.len() > 2 && low > 0.0 && high <= LARGEST_RATIO * low
}

/// Divides the total time of each sample, in nanoseconds, by its number of iterations.
pub(in crate::samples) fn read(iterations: &[Value], times: &[Value], name: &str) -> Result<Reading, String> {
    let (iterations, times) = (numbers(iterations, "iters")?, numbers(times, "times")?);
    if iterations.len() != times.len() {
        let (iterations, times) = (iterations.len(), times.len());
        return Err(format!("\"iters\" has {iterations} entries and \"times\" {times}; expected equal numbers"));
    }
    if let Some(place) = iterations.iter().position(|count| *count <= 0.0) {
        return Err(format!("iters: value {} is not positive", place + 1));
    }
    let mut reading = Reading::default();
    let per_iteration: Vec<f64> = times.iter().zip(&iterations).map(|(time, count)| time / count).collect();
    if let Some(place) = per_iteration.iter().position(|time| !time.is_finite()) {
        return Err(format!("times: value {} is out of range", place + 1));
    }
    reading.add(name, "ns", per_iteration);
    let batches = times.len();
    reading.notes.push(format!(
        "each of the {batches} samples is the time of a criterion batch, divided by the iterations of the batch"
    ));
    Ok(reading)
}
