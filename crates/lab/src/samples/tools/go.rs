//! The output of `go test -bench`.

use crate::samples::reading::{Reading, listed};
use crate::samples::unit;
use pqlab_analysis::gathered;
use std::collections::HashSet;

const NAME: &str = "Benchmark";

pub(in crate::samples) fn recognises(text: &str) -> bool {
    text.lines().any(|line| {
        let mut words = line.split_whitespace();
        let result = words.next().is_some_and(is_name) && words.any(|word| word.ends_with("/op"));
        line.starts_with("goos: ") || line.starts_with("goarch: ") || result || outcome(line).is_some()
    })
}

/// Returns whether a line begins with the name of a benchmark.
pub(in crate::samples) fn has_results(text: &str) -> bool {
    text.lines().any(|line| line.split_whitespace().next().is_some_and(is_name))
}

fn is_name(word: &str) -> bool {
    word.starts_with(NAME) && word.len() > NAME.len()
}

/// Parses a line that reports a failed or skipped benchmark. Returns whether the benchmark failed (`true`) or was
/// skipped (`false`), and its name. The line may also begin with the name.
fn outcome(line: &str) -> Option<(bool, &str)> {
    [("--- FAIL: ", true), ("--- SKIP: ", false)].into_iter().find_map(|(mark, failed)| {
        let (before, after) = line.split_once(mark)?;
        let name = after.split_whitespace().next().filter(|name| is_name(name))?;
        before.split_whitespace().all(is_name).then_some((failed, name))
    })
}

/// Parses a configuration line, such as `pkg: example.org/kem` or `impl: avx2`, which applies to the results after it.
/// The key begins with a lower-case letter and contains no spaces and no upper-case letters. Returns `None` for other
/// lines and for lines about the machine.
fn configured(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ")?;
    let sound = key.starts_with(|letter: char| letter.is_ascii_lowercase())
        && !key.contains(|letter: char| letter.is_whitespace() || letter.is_uppercase());
    let machine = ["goos", "goarch", "cpu", "panic", "exit"].contains(&key);
    (sound && !machine).then(|| (key, value.trim()))
}

/// Returns the message if the line reports that the run panicked, failed or was killed.
fn failure(line: &str) -> Option<String> {
    let named = line.split_whitespace().next().is_some_and(is_name);
    let panic = line.find("panic: ").filter(|place| named || *place == 0);
    let failed = line == "FAIL" || line.starts_with("FAIL\t") || line.starts_with("*** Test killed");
    let text = if failed { line } else { &line[panic?..] };
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Configuration lines before a result (`key: value`, without those about the machine), and the name in the result.
/// Together, they identify a benchmark.
type Key = (Vec<(String, String)>, String);
/// Display name of the unit (empty if the unit is unknown), the unit as written in the file, and the value.
type Value = (&'static str, String, f64);

/// Reads one value from each result line: the first time or number of cycles. If there is none, reads the first number of
/// operations per time or, if there is none either, the first value.
pub(in crate::samples) fn read(text: &str) -> Result<Reading, String> {
    let mut times: Vec<(Key, Value)> = Vec::new();
    let (mut configuration, mut pending) = (Vec::new(), None);
    let (mut failed, mut skipped, mut unfinished, mut others) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut failures: Vec<String> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some((key, value)) = configured(line) {
            configuration.retain(|(known, _)| known != key);
            configuration.push((key.to_owned(), value.to_owned()));
            configuration.sort();
            continue;
        }
        if let Some((of_failure, name)) = outcome(line) {
            let list = if of_failure { &mut failed } else { &mut skipped };
            list.push(name.to_owned());
            pending.take_if(|pending| pending == name);
            continue;
        }
        failures.extend(failure(line));
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let named = words.first().is_some_and(|word| is_name(word));
        let name = if named {
            // With -v, the name is on a separate line, too.
            unfinished.extend(pending.take().filter(|pending| pending != words[0]));
            words.remove(0).to_owned()
        } else {
            // Output of the benchmark itself can separate the name from the result.
            let result = words.len() >= 3 && words.len() % 2 == 1 && words.iter().any(|word| word.ends_with("/op"));
            match pending.take_if(|_| result && words[0].parse::<u64>().is_ok()) {
                Some(name) => name,
                None => continue,
            }
        };
        if words.first().is_none_or(|word| word.parse::<u64>().is_err()) {
            pending = Some(name);
            continue;
        }
        if words.len() < 3 || words.len().is_multiple_of(2) {
            return Err(format!("line {number}: expected a count, then pairs of value and unit"));
        }
        let pairs: Vec<(&str, &str)> = words[1..].chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let first =
            |sound: fn(&str) -> bool| pairs.iter().position(|(_, unit)| unit::canonical(unit).is_some_and(sound));
        let place = first(unit::is_time).or_else(|| first(unit::is_rate_of_operations)).unwrap_or(0);
        let (value, shown) = pairs[place];
        let value = value.parse::<f64>().ok().filter(|value| value.is_finite());
        let value = value.ok_or_else(|| format!("line {number}: {:?} is not a number", pairs[place].0))?;
        others.extend(pairs.iter().map(|(_, unit)| *unit).filter(|unit| *unit != shown));
        let known = unit::canonical(shown);
        times.push(((configuration.clone(), name), (known.unwrap_or(""), shown.to_owned(), value)));
    }
    unfinished.extend(pending);
    // With -v, the first line of a benchmark lacks the number of processors, and a group has a line without a result.
    let names: HashSet<&str> = times.iter().map(|((_, name), _)| name.as_str()).collect();
    let announces = |start: &String| {
        !names.contains(start.as_str())
            && names.iter().any(|name| {
                let rest = name.strip_prefix(start.as_str()).unwrap_or("");
                let processors = rest.strip_prefix('-').unwrap_or("");
                rest.starts_with('/') || !processors.is_empty() && processors.bytes().all(|byte| byte.is_ascii_digit())
            })
    };
    unfinished.retain(|name| !announces(name));
    let all: HashSet<Vec<(String, String)>> = times.iter().map(|((all, _), _)| all.clone()).collect();
    let differs = |pair: &(String, String)| all.iter().any(|other| !other.contains(pair));
    let mut reading = Reading::default();
    for ((configuration, name), values) in gathered(times) {
        let (mut package, mut options) = (String::new(), String::new());
        for (key, value) in configuration.iter().filter(|pair| differs(pair)) {
            match key.as_str() {
                "pkg" => package = format!("{value}."),
                _ => options += &format!(" [{key}={value}]"),
            }
        }
        let name = format!("{package}{name}{options}");
        for ((unit, shown), samples) in gathered(values.into_iter().map(|(unit, shown, value)| ((unit, shown), value)))
        {
            reading.add(&name, if unit.is_empty() { &shown } else { unit }, samples);
        }
    }
    for (what, found) in [("failed", failed), ("skipped", skipped), ("unfinished", unfinished)] {
        if !found.is_empty() {
            reading.notes.push(format!("{what} benchmarks ({}): {}", found.len(), listed(found)));
        }
    }
    // A bare "FAIL" follows lines that say more.
    if failures.iter().any(|line| line != "FAIL") {
        failures.retain(|line| line != "FAIL");
    }
    if !failures.is_empty() {
        reading.notes.push(format!(
            "the run failed, so benchmarks can be missing: {}",
            listed(pqlab_analysis::distinct(failures))
        ));
    }
    if !others.is_empty() {
        reading.notes.push(format!("left out values in other units: {}", listed(pqlab_analysis::distinct(others))));
    }
    Ok(reading)
}
