//! hyperfine's JSON (`--export-json`).

use crate::samples::reading::{Reading, list, listed, numbers};
use serde_json::Value;

pub(in crate::samples) fn read(results: &[Value]) -> Result<Reading, String> {
    let mut reading = Reading::default();
    for result in results {
        let name = name(result);
        let times = numbers(list(result, "times", &name)?, &name)?;
        let codes = match result.get("exit_codes") {
            None | Some(Value::Null) => Vec::new(),
            Some(_) => list(result, "exit_codes", &name)?.iter().collect(),
        };
        if !codes.is_empty() && codes.len() != times.len() {
            return Err(format!("{name} has {} times but {} exit codes", times.len(), codes.len()));
        }
        let failed = |place: usize| codes.get(place).is_some_and(|code| code.as_i64() != Some(0));
        let kept: Vec<f64> =
            times.iter().enumerate().filter(|(place, _)| !failed(*place)).map(|(_, time)| *time).collect();
        let lost = times.len() - kept.len();
        if lost > 0 {
            let mut found: Vec<String> =
                codes.iter().enumerate().filter(|(place, _)| failed(*place)).map(|(_, code)| word(code)).collect();
            found.sort();
            found.dedup();
            let codes = listed(found);
            let all = times.len();
            reading.notes.push(format!("left out failed runs of {name:?} ({lost} of {all}): exit code {codes}"));
            if kept.is_empty() {
                continue;
            }
        }
        reading.add(&name, "s", kept);
    }
    Ok(reading)
}

fn word(code: &Value) -> String {
    if code.is_null() { "none (ended by a signal)".to_owned() } else { code.to_string() }
}

/// Returns the name of a series. It consists of the command, followed by each parameter whose value does not occur as a
/// word in the command.
fn name(result: &Value) -> String {
    let command = result.get("command").and_then(Value::as_str).unwrap_or("command");
    let mut name = command.to_owned();
    let parameters = result.get("parameters").and_then(Value::as_object);
    for (parameter, value) in parameters.into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if !command.split(|letter: char| !letter.is_alphanumeric() && !"._".contains(letter)).any(|word| word == value)
        {
            name.push_str(&format!(" [{parameter}={value}]"));
        }
    }
    if let Some(value) = result.get("parameter").filter(|value| !value.is_null()) {
        name.push_str(&format!(" [{}]", value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
    }
    name
}
