//! pyperf's JSON.

use crate::samples::reading::{Reading, list, numbers};
use crate::samples::unit;
use serde_json::{Map, Value};

pub(in crate::samples) fn read(
    benchmarks: &[Value],
    suite: &Map<String, Value>,
    stem: &str,
) -> Result<Reading, String> {
    let text = |metadata: Option<&Value>, field: &str| Some(metadata?.get(field)?.as_str()?.to_owned());
    // In a file with only one benchmark, the common metadata contains its name.
    let common = |field: &str| text(suite.get("metadata"), field);
    let mut reading = Reading::default();
    let (mut warmups, mut calibrations) = (0, 0);
    for benchmark in benchmarks {
        let own = |field: &str| text(benchmark.get("metadata"), field);
        let name = own("name").or_else(|| common("name")).unwrap_or_else(|| stem.to_owned());
        let unit = own("unit").or_else(|| common("unit")).unwrap_or_else(|| "second".to_owned());
        let unit = match unit.as_str() {
            "integer" => "",
            other => unit::canonical(other).ok_or_else(|| format!("{name} has the unknown unit {other:?}"))?,
        };
        let mut samples = Vec::new();
        for run in list(benchmark, "runs", &name)? {
            warmups += run.get("warmups").and_then(Value::as_array).map_or(0, Vec::len);
            // A calibration run has no values.
            match run.get("values") {
                Some(_) => samples.extend(numbers(list(run, "values", &name)?, &name)?),
                None => calibrations += 1,
            }
        }
        reading.add(&name, unit, samples);
    }
    if warmups > 0 {
        reading.notes.push(format!("left out warm-up values ({warmups})"));
    }
    if calibrations > 0 {
        reading.notes.push(format!("left out calibration runs without values ({calibrations})"));
    }
    Ok(reading)
}
