//! JMH's JSON (`-rf json`).

use crate::samples::reading::{Reading, listed, numbers};
use crate::samples::unit;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

pub(in crate::samples) fn recognises(entries: &[Value]) -> bool {
    entries.iter().any(|entry| entry.get("primaryMetric").is_some())
}

pub(in crate::samples) fn read(entries: &[Value]) -> Result<Reading, String> {
    let mut reading = Reading::default();
    let (mut summaries, mut secondary) = (Vec::new(), Vec::new());
    let mut modes: HashMap<&str, HashSet<&str>> = HashMap::new();
    for entry in entries {
        if let [Some(name), Some(mode)] = ["benchmark", "mode"].map(|field| entry.get(field).and_then(Value::as_str)) {
            modes.entry(name).or_default().insert(mode);
        }
    }
    for entry in entries {
        let text = |field: &str| entry.get(field).and_then(Value::as_str);
        let mut name = text("benchmark").ok_or("an entry in JMH's file has no \"benchmark\"")?.to_owned();
        for (parameter, value) in entry.get("params").and_then(Value::as_object).into_iter().flatten() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            name.push_str(&format!(" [{parameter}={value}]"));
        }
        if let Some(threads) = entry.get("threads").and_then(Value::as_u64).filter(|threads| *threads > 1) {
            name.push_str(&format!(" [threads={threads}]"));
        }
        if let Some(mode) = text("mode").filter(|_| text("benchmark").is_some_and(|name| modes[name].len() > 1)) {
            name.push_str(&format!(" [mode={mode}]"));
        }
        let metric = entry.get("primaryMetric").ok_or_else(|| format!("{name} has no \"primaryMetric\""))?;
        let shown = metric.get("scoreUnit").and_then(Value::as_str).unwrap_or("");
        let unit = unit::canonical(shown).unwrap_or(shown);
        let Some(Value::Array(forks)) = metric.get("rawData") else {
            summaries.push(name);
            continue;
        };
        let mut samples = Vec::new();
        for fork in forks {
            let values = fork.as_array().ok_or_else(|| format!("{name}: \"rawData\" is not a list of lists"))?;
            samples.extend(numbers(values, &name)?);
        }
        reading.add(&name, unit, samples);
        let others = entry.get("secondaryMetrics").and_then(Value::as_object);
        secondary.extend(others.into_iter().flat_map(|others| others.keys().cloned()));
    }
    if !secondary.is_empty() {
        reading
            .notes
            .push(format!("left out JMH's secondary metrics: {}", listed(pqlab_analysis::distinct(secondary))));
    }
    if !summaries.is_empty() {
        reading.notes.push(format!(
            "left out JMH benchmarks without \"rawData\" ({} of {}): {}; measure them with `-bm avgt -rf json`",
            summaries.len(),
            entries.len(),
            listed(summaries)
        ));
    }
    Ok(reading)
}
