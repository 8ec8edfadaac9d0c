//! A baseline that something falls behind. Nothing here depends on how long anything takes, as long as twenty times as long
//! is seen.

#![allow(clippy::unwrap_used)]

#[path = "../../cli/tests/common/mod.rs"]
mod common;

use common::{Pqlab, text};
use serde_json::Value;

const FAST: &[&str] = &["--processes", "3", "--max-time", "0.05", "--no-progress", "-q"];

#[test]
fn what_takes_much_longer_raises_the_alarm_once_it_is_confirmed() {
    let pqlab = Pqlab::new();
    // Some twenty times as long: no machine is so busy that it would not be seen.
    let delayed = |arguments: &[&str], steps: &str| {
        let output = pqlab.command(arguments).env("PQLAB_DELAY_STEPS", steps).output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let mut base = vec!["run", "kem", "--filter", "kem/delayed/decapsulate@*", "--save-baseline", "prompt"];
    base.extend(FAST);
    assert_eq!(delayed(&base, "0").0, Some(0));
    let mut again = vec!["run", "--baseline", "prompt", "--fail-slower", "100", "--json"];
    again.extend(FAST);
    // A comparison that a busy machine makes doubtful raises no alarm, and says so.
    let (code, out, err) = delayed(&again, "150000");
    let events: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let find = |name: &str| events.iter().find(|event| event["event"] == name);
    let case = &find("comparison").unwrap()["cases"][0];
    assert!(case["ratio"].as_f64().unwrap() > 2.0, "{case}");
    match find("confirmation") {
        Some(confirmation) if code == Some(1) => {
            assert_eq!(confirmation["confirmed"][0], "kem/delayed/decapsulate@misbehaving");
            assert!(err.contains("slower, confirmed"), "{err}");
        }
        Some(confirmation) => assert_eq!(confirmation["cases"][0]["doubtful"], true, "{confirmation}"),
        None => assert_eq!((code, &case["doubtful"]), (Some(0), &Value::Bool(true)), "{case}"),
    }
}
