//! Tests that worker processes determine which library `fastest` names. If a library crashes in a worker, pqlab does
//! not select that library, and measures the others as usual.

#![allow(clippy::unwrap_used)]

#[path = "../../cli/tests/common/mod.rs"]
mod common;

use common::Pqlab;
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn fastest_skips_libraries_that_crash() {
    let pqlab = Pqlab::new();
    let mut arguments = vec!["run", "hybrid", "--classical", "fastest", "--post-quantum", "fastest", "--no-progress"];
    arguments.extend(["--filter", "hybrid/X-Wing/handshake[]@*", "--processes", "2", "--max-time", "0.05"]);
    let dry: Value =
        serde_json::from_str(&pqlab.expect(0, &[&arguments[..], &["--dry-run", "--json"]].concat())).unwrap();
    pqlab.expect(0, &arguments);
    let export: Value = serde_json::from_str(&pqlab.expect(0, &["export", "last", "--format", "json"])).unwrap();

    let found = export["harness"]["fastest"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    let found = &found[0];
    assert_eq!((&found["construction"], &found["operations"][0]), (&"X-Wing".into(), &"handshake".into()));
    let chosen = found["provider"].as_str().unwrap();
    let failed = found["failed"].as_array().unwrap();
    assert!(!failed.is_empty(), "{found}");
    for one in failed {
        assert!(one["provider"].as_str().unwrap().ends_with("+crashing"), "{one}");
        assert!(one["reason"].as_str().unwrap().contains("SIGABRT"), "{one}");
    }
    assert!(!chosen.contains("crashing"));
    assert!(found["candidates"].as_u64().unwrap() as usize > failed.len() + 1);
    let next = &found["runner_up"];
    assert!(next["provider"].as_str().unwrap() != chosen && next["ns"].as_f64() >= found["ns"].as_f64(), "{found}");

    let measured = export["results"]["hybrid"].as_array().unwrap().iter();
    let measured: BTreeSet<&str> = measured.map(|result| result["provider"].as_str().unwrap()).collect();
    assert_eq!(measured, BTreeSet::from([chosen]), "only the chosen pair must be measured");
    assert_eq!(dry["measured"], export["results"]["hybrid"].as_array().unwrap().len(), "wrong number in the dry run");
    assert_eq!(dry["cases"].as_array().unwrap().len() as u64, found["candidates"], "all candidates must be listed");
    let shown = pqlab.expect(0, &["show", "last"]);
    assert!(shown.contains(&format!("fastest for X-Wing, judged by handshake: {chosen}, ")), "{shown}");
}
