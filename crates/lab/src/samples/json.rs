//! Reads JSON sample files. Recognizes their formats by their fields.

use super::reading::{Reading, listed, numbers};
use super::tools;
use super::unit::{self, Stated};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Words that some programs write for non-finite numbers, although JSON does not allow them.
const NOT_FINITE: [&str; 20] = [
    "-Infinity",
    "+Infinity",
    "Infinity",
    "-inf",
    "+inf",
    "inf",
    "-INF",
    "+INF",
    "INF",
    "-nan",
    "+nan",
    "nan",
    "-NaN",
    "NaN",
    "-1.#IND",
    "1.#IND",
    "-1.#INF",
    "1.#INF",
    "-1.#QNAN",
    "1.#QNAN",
];

pub(super) fn read(text: &str, stem: &str) -> Result<Reading, String> {
    let document = parse(text).map_err(|error| tools::refused::text(text).unwrap_or(error))?;
    if let Some(reason) = tools::refused::json(&document, stem) {
        return Err(reason);
    }
    match &document {
        Value::Array(values) if tools::jmh::recognises(values) => tools::jmh::read(values),
        Value::Array(values) => match tools::criterion::old_lists(values) {
            Some((iterations, times))
                if values.len() == 3
                    || tools::criterion::are_iterations(iterations)
                        && (stem == "sample" || tools::criterion::are_proportional(iterations, times)) =>
            {
                tools::criterion::read(iterations, times, stem)
            }
            _ if !values.is_empty() && values.iter().all(Value::is_array) => Err(format!(
                "a list of lists ({}) without names; name them: {{\"a\": [1.2, 1.3], \"b\": [1.4, 1.5]}}",
                values.len()
            )),
            _ if !values.is_empty() && values.iter().all(Value::is_object) => Err(list_of_objects(values)),
            _ => {
                let mut reading = Reading::default();
                reading.add(stem, "", numbers(values, stem)?);
                Ok(reading)
            }
        },
        Value::Object(fields) => object(fields, stem),
        _ => Err("expected a list of numbers or an object of such lists".to_owned()),
    }
}

fn object(fields: &Map<String, Value>, stem: &str) -> Result<Reading, String> {
    if let (Some(Value::Array(iterations)), Some(Value::Array(times))) = (fields.get("iters"), fields.get("times")) {
        return tools::criterion::read(iterations, times, stem);
    }
    if let Some(Value::Array(results)) = fields.get("results") {
        return tools::hyperfine::read(results);
    }
    match fields.get("benchmarks") {
        Some(Value::Array(benchmarks)) if benchmarks.iter().any(|entry| entry.get("runs").is_some()) => {
            tools::pyperf::read(benchmarks, fields, stem)
        }
        Some(Value::Array(benchmarks)) if benchmarks.iter().any(|entry| entry.get("stats").is_some()) => {
            tools::pytest_benchmark::read(benchmarks)
        }
        Some(Value::Array(benchmarks)) => tools::google_benchmark::read(benchmarks),
        _ => lists(fields, stem),
    }
}

/// Names of fields with the unit of the lists in the same object.
const UNITS: [&str; 6] = ["unit", "units", "time_unit", "timeUnit", "scoreUnit", "measure"];

/// Names of lists whose object can have a field `name` with the name of the operation.
const SAMPLES: [&str; 8] = ["samples", "values", "data", "times", "measurements", "results", "timings", "raw"];

/// Reads an object of lists. A unit comes from the name of the list, or from a field such as `unit`: text for all lists,
/// or an object with the unit of each list.
fn lists(fields: &Map<String, Value>, stem: &str) -> Result<Reading, String> {
    let mut reading = Reading::default();
    let mut others = Vec::new();
    let lists: Vec<&String> = fields.iter().filter(|(_, value)| value.is_array()).map(|(name, _)| name).collect();
    let units = UNITS.iter().find_map(|name| fields.get_key_value(*name));
    let units = units.filter(|(_, value)| value.is_string() || value.is_object());
    let operation = fields.get_key_value("name").and_then(|(name, value)| Some((name, value.as_str()?)));
    let operation = operation.filter(|_| matches!(lists[..], [list] if SAMPLES.contains(&list.as_str())));
    let used = |name: &String| {
        units.is_some_and(|(unit, _)| unit == name) || operation.is_some_and(|(operation, _)| operation == name)
    };
    for (name, value) in fields {
        match value {
            Value::Array(values) => {
                if !values.is_empty() && values.iter().all(Value::is_object) {
                    return Err(format!("{name}: {}", list_of_objects(values)));
                }
                let text = units.and_then(|(_, units)| units.as_str().or_else(|| units.get(name)?.as_str()));
                let known = text.and_then(unit::canonical);
                let own = unit::in_name(name);
                if let (Some(own), Some(text), Some(known)) = (own, text, known)
                    && own != known
                    && unit::quantity(own) == unit::quantity(known)
                {
                    return Err(format!("{name}: the name contains the unit {own}, but the file states {text:?}"));
                }
                let shown = operation.map_or(name.as_str(), |(_, operation)| operation);
                reading.add(shown, own.or(known).unwrap_or(""), numbers(values, name)?);
                let text = match (unit::stated(name), text) {
                    (Stated::Nothing, Some(text)) if known.is_none() => text.to_owned(),
                    (Stated::Unknown(text), _) if known.is_none() => text,
                    _ => continue,
                };
                reading
                    .notes
                    .push(format!("{name:?}: {text:?} is not understood as a unit, so the samples have no unit"));
                if let Some(added) = reading.series.last() {
                    reading.unknown_units.push((added.name.clone(), text));
                }
            }
            _ if used(name) => {}
            _ => others.push(name),
        }
    }
    if reading.series.is_empty()
        && let Some((name, _)) = fields.iter().find(|(_, value)| {
            value.as_object().is_some_and(|inner| {
                inner.values().any(|list| list.as_array().is_some_and(|list| list.iter().any(Value::is_number)))
            })
        })
    {
        return Err(format!(
            "the lists are inside the field {name:?}; extract it, for example with `jq '.[\"{name}\"]' {stem}.json`"
        ));
    }
    if !others.is_empty() {
        reading.notes.push(format!("left out fields that are not lists ({}): {}", others.len(), listed(others)));
    }
    Ok(reading)
}

/// Returns the error for a list of objects. Its hint names a field that contains numbers or lists of numbers.
fn list_of_objects(values: &[Value]) -> String {
    let fields = values.first().and_then(Value::as_object);
    let field = |sound: fn(&Value) -> bool| {
        let plain = |name: &String| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let mut found = fields.into_iter().flatten().filter(|(name, value)| plain(name) && sound(value));
        found.next().map(|(name, _)| name.clone())
    };
    let numbers = |value: &Value| value.as_array().is_some_and(|list| list.iter().any(Value::is_number));
    let usual = ["real_time", "ns", "us", "ms", "time", "latency", "duration", "value", "cycles"];
    let usual = usual.into_iter().find(|name| values[0].get(name).is_some_and(Value::is_number)).map(str::to_owned);
    let filter = match field(numbers) {
        Some(list) => Some(format!("map(.{list}[])")),
        None => usual.or_else(|| field(Value::is_number)).map(|name| format!("map(.{name})")),
    };
    let hint = match filter {
        Some(filter) => format!("collect the times into one list, for example with `jq '{filter}'`"),
        None => "write the samples as a list: [1.2, 1.3]".to_owned(),
    };
    format!("a list of objects ({}), which pqlab does not read: {hint}", values.len())
}

/// Parses JSON. Rejects duplicate fields, because one would hide the other.
pub(crate) fn parse_unique(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).map(|Unique(document)| document)
}

/// Parses JSON like [`parse_unique`]. Words such as NaN become strings, so they
/// cause an error only if a number is expected.
fn parse(text: &str) -> Result<Value, String> {
    let error = match parse_unique(text) {
        Ok(document) => return Ok(document),
        Err(error) => error,
    };
    if let Some(repaired) = quoted_words(text)
        && let Ok(document) = parse_unique(&repaired)
    {
        return Ok(document);
    }
    Err(json_lines(text).unwrap_or_else(|| format!("not JSON: {error}")))
}

/// Puts quotes around the words for non-finite numbers that occur outside strings. Returns `None` if there are no such
/// words.
fn quoted_words(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() + 16);
    let (mut rest, mut inside, mut found) = (text, false, false);
    while let Some(first) = rest.chars().next() {
        if let Some(word) = not_finite(rest).filter(|_| !inside) {
            let after = rest[word.len()..].chars().next();
            let before = out.chars().next_back();
            let ends = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_');
            if ends(after) && ends(before) {
                out.push_str(&format!("\"{word}\""));
                rest = &rest[word.len()..];
                found = true;
                continue;
            }
        }
        let mut taken = first.len_utf8();
        match first {
            '"' => inside = !inside,
            '\\' if inside => taken += rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => {}
        }
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    found.then_some(out)
}

/// Returns the word for a non-finite number at the start of a text; `None` if there is none. The word includes the
/// suffix in parentheses that some C libraries append: `-nan(ind)`.
fn not_finite(text: &str) -> Option<&str> {
    let word = NOT_FINITE.iter().find(|word| text.starts_with(**word))?;
    let kind = text[word.len()..].strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(kind, _)| kind);
    let kind = kind.filter(|kind| kind.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    Some(&text[..word.len() + kind.map_or(0, |kind| kind.len() + 2)])
}

/// Returns whether the text is a JSON document.
pub(super) fn is_document(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Returns the error for a file with one JSON document per line; `None` if the file has a different format.
fn json_lines(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let documents: Vec<Value> = lines.iter().map_while(|line| serde_json::from_str(line).ok()).collect();
    // The last line may be cut off.
    if documents.len() < 2 || documents.len() + 1 < lines.len() {
        return None;
    }
    let first = &documents[0];
    let hint = if first.get("Action").is_some() {
        "the output of `go test -json`; run `go test -bench` without -json"
    } else if documents.iter().any(|document| document.get("reason").is_some()) {
        tools::refused::CARGO_CRITERION
    } else if first.get("counter-value").is_some() {
        tools::refused::PERF
    } else {
        "collect the times into one list, for example with `jq -s 'map(.ns)'`"
    };
    Some(format!("JSON lines ({} lines, one JSON document per line), which pqlab does not read: {hint}", lines.len()))
}

/// A JSON document without duplicate fields.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unique, D::Error> {
        struct Values;
        impl<'de> Visitor<'de> for Values {
            type Value = Value;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("JSON")
            }
            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(Value::Bool(value))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(value.into())
            }
            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(value.into())
            }
            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
            }
            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(Value::String(value.to_owned()))
            }
            fn visit_string<E>(self, value: String) -> Result<Value, E> {
                Ok(Value::String(value))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
                let mut values = Vec::new();
                while let Some(Unique(value)) = items.next_element()? {
                    values.push(value);
                }
                Ok(Value::Array(values))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
                let mut fields = Map::new();
                while let Some((name, Unique(value))) = entries.next_entry::<String, Unique>()? {
                    if fields.contains_key(&name) {
                        return Err(A::Error::custom(format!("duplicate field {name:?}")));
                    }
                    fields.insert(name, value);
                }
                Ok(Value::Object(fields))
            }
        }
        deserializer.deserialize_any(Values).map(Unique)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_strings_are_kept() {
        let text = r#"{"NaN \" NaN": NaN, "a": [-inf, "inf"], "b": Infinity}"#;
        let expected = r#"{"NaN \" NaN": "NaN", "a": ["-inf", "inf"], "b": "Infinity"}"#;
        assert_eq!(quoted_words(text).as_deref(), Some(expected));
        assert_eq!(quoted_words(r#"{"a": nano, "b": "NaN"}"#), None);
    }

    #[test]
    fn rejects_duplicate_fields_and_names_the_place() {
        let error = parse("{\"a\": [1],\n \"a\": [2]}").unwrap_err();
        assert!(error.contains("duplicate field \"a\"") && error.contains("line 2"), "{error}");
        assert!(parse("[1, 2").unwrap_err().contains("EOF"));
        assert!(parse("{\"a\": 1}\n{\"a\": 2}\n").unwrap_err().contains("JSON lines"));
        assert!(parse("{\"reason\": \"x\"}\n{\"a\": 2}\n{\"a\"").unwrap_err().contains("cargo-criterion"));
        assert!(parse("[1] x").unwrap_err().contains("line 1 column 5"));
    }
}
