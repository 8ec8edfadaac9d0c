//! Tests that pqlab detects a slowdown relative to a baseline. The delay makes an operation about twenty times slower,
//! so the test does not depend on timing.

#![allow(clippy::unwrap_used)]

#[path = "../../cli/tests/common/mod.rs"]
mod common;

use common::{Pqlab, text};
use serde_json::Value;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

const FAST: &[&str] = &["--processes", "3", "--max-time", "0.05", "--no-progress", "-q"];

#[test]
fn large_slowdowns_fail_even_on_a_busy_machine() {
    let pqlab = Pqlab::new();
    let delayed = |arguments: &[&str], steps: &str| {
        let output = pqlab.command(arguments).env("PQLAB_DELAY_STEPS", steps).output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let mut base = vec!["run", "kem", "--filter", "kem/delayed/decapsulate[]@*", "--save-baseline", "prompt"];
    base.extend(FAST);
    assert_eq!(delayed(&base, "0").0, Some(0));
    let mut again = vec!["gate", "prompt", "--fail-slower", "100", "--format", "events"];
    again.extend(FAST);
    let case = "kem/delayed/decapsulate@misbehaving";
    for busy in [false, true] {
        let done = Arc::new(AtomicBool::new(false));
        let processors = std::thread::available_parallelism().unwrap().get();
        let tasks: Vec<_> = (0..if busy { processors } else { 0 })
            .map(|_| {
                let done = Arc::clone(&done);
                std::thread::spawn(move || while !done.load(Ordering::Relaxed) {})
            })
            .collect();
        let (code, out, err) = delayed(&again, "150000");
        done.store(true, Ordering::Relaxed);
        tasks.into_iter().for_each(|task| task.join().unwrap());
        let events: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let find = |name: &str| events.iter().rfind(|event| event["event"] == name).unwrap();
        let compared = &find("comparison")["cases"][0];
        assert!(compared["ratio"].as_f64().unwrap() > 2.0, "{compared}");
        assert_eq!(code, Some(1), "busy: {busy}: {out}\n{err}");
        assert_eq!(find("confirmation")["confirmed"][0], case);
        let gate = serde_json::json!({"word": "FAIL", "cases": {case: "FAIL"}, "different_machines": null});
        assert_eq!(find("end")["gate"], gate);
        assert!(
            err.contains("slower, confirmed") && err.lines().last().unwrap().starts_with("FAIL slower than"),
            "{err}"
        );
    }
}
