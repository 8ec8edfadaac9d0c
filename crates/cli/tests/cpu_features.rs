//! Tests the `PQLAB_HIDE_CPU_FEATURES` environment variable.

mod common;

use common::{Pqlab, text};
use serde_json::Value;

const VARIABLE: &str = "PQLAB_HIDE_CPU_FEATURES";

/// Runs the program with the given CPU features hidden, and returns standard output.
fn output(pqlab: &Pqlab, hidden: &str, arguments: &[&str]) -> String {
    let output = pqlab.command(arguments).env(VARIABLE, hidden).output().expect("cannot start the program");
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn hidden_features_leave_no_provider_that_needs_them() {
    for (hidden, absent) in [("avx512", &["avx512"][..]), ("avx2", &["avx2", "avx512"])] {
        let listed = output(&Pqlab::new(), hidden, &["list", "providers", "--json"]);
        let providers: Vec<Value> = serde_json::from_str(&listed).expect("the list must be JSON");
        assert!(providers.len() > 5, "{listed}");
        for provider in &providers {
            let (id, build) =
                (provider["id"].as_str().expect("no id"), provider["build"].as_str().expect("no build description"));
            if absent.iter().any(|feature| id.contains(feature)) {
                assert_eq!(provider["algorithms"], 0, "{hidden}: {id}");
                let reasons = provider["unsupported"].to_string();
                assert!(!cfg!(target_arch = "x86_64") || reasons.contains(VARIABLE), "{hidden}: {id}: {reasons}");
            }
            if id == "openssl" && cfg!(target_arch = "x86_64") {
                let leaf_7 = build.split("OPENSSL_ia32cap=").nth(1).and_then(|words| words.split(':').nth(1));
                let leaf_7 = leaf_7.and_then(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok());
                let leaf_7 = leaf_7.unwrap_or_else(|| panic!("OPENSSL_ia32cap is missing or malformed: {build}"));
                // The bits for AVX512F, AVX512BW and AVX512VL, and the bit for AVX2.
                let bits = 1 << 16 | 1 << 30 | 1 << 31 | if hidden == "avx2" { 1 << 5 } else { 0 };
                assert_eq!(leaf_7 & bits, 0, "{hidden}: {build}");
            }
            if id == "aws-lc" {
                assert!(!absent.iter().any(|feature| build.contains(feature)), "{hidden}: {build}");
            }
        }
    }
}

/// A coordinator and a worker reject each other if their providers differ. A successful run therefore proves that both
/// hide the same features.
#[test]
fn runs_record_hidden_features() {
    let pqlab = Pqlab::new();
    let run = ["run", "hash", "--algorithm", "SHA3-256", "--provider", "openssl", "--quick", "--no-progress"];
    output(&pqlab, "avx2", &run);
    let export: Value =
        serde_json::from_str(&output(&pqlab, "", &["export", "last", "--format", "json"])).expect("must be JSON");
    let cpu = &export["environment"]["cpu"];
    assert_eq!(cpu["hidden_features"], serde_json::json!(["avx2", "avx512"]));
    let features = cpu["features"].as_array().expect("features must be a list");
    let absent =
        |feature: &Value| feature.as_str().is_some_and(|name| name.starts_with("avx2") || name.starts_with("avx512"));
    assert!(!features.iter().any(absent), "{features:?}");
    assert!(output(&pqlab, "", &["show", "last"]).contains("hidden CPU features: avx2, avx512"));
}

#[test]
fn unknown_features_are_bad_usage() {
    let pqlab = Pqlab::new();
    let output = pqlab.command(&["list", "suites"]).env(VARIABLE, "avx512,sse9").output().expect("cannot start pqlab");
    assert_eq!(output.status.code(), Some(2));
    let expected = format!("{VARIABLE}: unknown CPU feature \"sse9\"; expected avx2 or avx512");
    assert!(text(&output.stderr).contains(&expected), "{}", text(&output.stderr));
}
