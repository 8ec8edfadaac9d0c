//! pytest-benchmark's JSON, with the samples that `--benchmark-save-data` adds.

use crate::samples::reading::{Reading, listed, numbers};
use serde_json::Value;
use std::collections::HashMap;

pub(in crate::samples) fn read(benchmarks: &[Value]) -> Result<Reading, String> {
    let text = |entry: &Value, field: &str| entry.get(field).and_then(Value::as_str).map(str::to_owned);
    let mut counts: HashMap<Option<String>, usize> = HashMap::new();
    for entry in benchmarks {
        *counts.entry(text(entry, "name")).or_default() += 1;
    }
    let mut reading = Reading::default();
    let mut summaries = Vec::new();
    for entry in benchmarks {
        let name = text(entry, "name");
        // Tests with the same name in different files have different full names.
        let unique = counts[&name] == 1;
        let name = name.filter(|_| unique).or_else(|| text(entry, "fullname")).or_else(|| text(entry, "name"));
        let name = name.ok_or("an entry in \"benchmarks\" has no name")?;
        match entry.get("stats").and_then(|stats| stats.get("data")) {
            Some(Value::Array(data)) => reading.add(&name, "s", numbers(data, &name)?),
            None | Some(Value::Null) => summaries.push(name),
            Some(other) => return Err(format!("{name}: \"data\" is not a list: {other}")),
        }
    }
    if !summaries.is_empty() {
        reading.notes.push(format!(
            "left out pytest-benchmark results that have only a summary ({} of {}): {}; export the samples with \
             --benchmark-save-data",
            summaries.len(),
            benchmarks.len(),
            listed(summaries)
        ));
    }
    Ok(reading)
}
