//! Tests arguments that name cases, and the suggestions for names that match nothing.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use serde_json::Value;

#[test]
fn list_cases_takes_the_arguments_of_run() {
    let pqlab = Pqlab::new();
    let listed = pqlab.expect(0, &["list", "cases", "kem", "--provider", "liboqs", "--filter", "*decaps*"]);
    assert!(listed.lines().count() > 3, "{listed}");
    for id in listed.lines() {
        assert!(id.starts_with("kem/") && id.contains("decaps") && id.ends_with("@liboqs"), "{id}");
    }
    let narrowed = ["cases", "kyber768", "liboqs", "--filter", "*/decapsulate[]@*"];
    let one = pqlab.expect(0, &[&["list"][..], &narrowed, &["--json"]].concat());
    assert_eq!(serde_json::from_str::<Vec<String>>(&one).unwrap(), ["kem/ML-KEM-768/decapsulate@liboqs"]);
    // A run must measure exactly the listed cases.
    let planned =
        pqlab.expect(0, &["run", "kem", "--provider", "liboqs", "--filter", "*decaps*", "--dry-run", "--json"]);
    let planned: Value = serde_json::from_str(&planned).unwrap();
    assert_eq!(planned["cases"].as_array().unwrap().len(), listed.lines().count());
    let dry = pqlab.run(&["run", "kem", "--provider", "liboqs", "--filter", "*decaps*", "--dry-run", "--quiet"]);
    assert_eq!((text(&dry.stdout), text(&dry.stderr)), (listed.clone(), String::new()));
    let all = pqlab.expect(0, &["list", "cases"]);
    assert!(all.lines().count() > 10 * listed.lines().count() && all.contains("@null"));
    let filtered = pqlab.expect(0, &["list", "cases", "--filter", "signature/*/verify[len=32]@liboqs"]);
    assert!(filtered.lines().all(|id| id.ends_with("/verify[len=32]@liboqs")), "filters must select from all areas");
}

#[test]
fn other_lists_refuse_filters() {
    let pqlab = Pqlab::new();
    for arguments in
        [&["list", "algorithms", "kem"][..], &["list", "--filter", "*"], &["list", "suites", "--provider", "x"]]
    {
        let output = pqlab.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains("`pqlab list cases`"), "{arguments:?}");
    }
}

#[test]
fn brackets_match_themselves_and_a_question_mark_any_character() {
    let pqlab = Pqlab::new();
    let matching = |pattern: &str| -> Vec<String> {
        let listed = pqlab.expect(0, &["list", "cases", "--filter", pattern]);
        listed.lines().map(str::to_owned).collect()
    };
    let exact = matching("signature/ML-DSA-65/verify[len=32]@*");
    assert!(exact.len() > 1);
    assert!(exact.iter().all(|id| id.starts_with("signature/ML-DSA-65/verify[len=32]@")), "{exact:?}");
    assert_eq!(matching("signature/ML-DSA-65/verify[len=??]@*").len(), exact.len(), "`?` must match one character");
    assert!(matching("signature/ML-DSA-65/verify[*").len() > exact.len());
}

#[test]
fn a_pattern_without_a_match_suggests_the_nearest_ids() {
    let pqlab = Pqlab::new();
    for (arguments, near) in [
        (&["list", "cases", "--filter", "kem/ML-KEM-768/decapsulate"][..], "kem/ML-KEM-768/decapsulate@"),
        (&["run", "kem", "--filter", "kem/ML-KEM-768/decapsulate", "--dry-run"], "kem/ML-KEM-768/decapsulate@"),
        (&["run", "signature", "--filter", "signature/ML-DSA-65/verify@liboqs"], "signature/ML-DSA-65/verify["),
        (
            &["list", "cases", "signature", "--filter", "signature/ML-DSA-65/verify[len=31]@*"],
            "signature/ML-DSA-65/verify[",
        ),
        (&["leak", "kem/ML-KEM-768/decapsulate@libokes"], "kem/ML-KEM-768/decapsulate"),
        (&["list", "cases", "--filter", "kem/ML-KEM-768/decapsulate@libqos"], "kem/ML-KEM-768/decapsulate@liboqs,"),
        (&["calibrate", "--case", "kem/ML-KEM-768/decapsulate"], "kem/ML-KEM-768/decapsulate@"),
    ] {
        let output = pqlab.run(arguments);
        let printed = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {printed}");
        assert!(printed.contains("closest matches: ") || printed.contains("did you mean"), "{arguments:?}: {printed}");
        assert!(printed.split_once(": ").is_some_and(|(_, hint)| hint.contains(near)), "{arguments:?}: {printed}");
    }
    let run =
        ["run", "hash", "--filter", "hash/SHA3-256/digest[len=64]@openssl", "--processes", "2", "--max-time", "0.02"];
    pqlab.expect(0, &[&run[..], &["--no-progress"]].concat());
    for arguments in [
        &["show", "last", "hash/SHA3-256/digest@openssl"][..],
        &["compare", "hash/SHA3-256/digest@openssl", "*", "--run", "last"],
        &["compare", "hash/SHA3-256/digest[len=64]", "*", "--run", "last"],
    ] {
        let output = pqlab.run(arguments);
        let printed = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {printed}");
        assert!(printed.contains("closest matches: hash/SHA3-256/digest[len=64]@openssl"), "{printed}");
    }
    let shown = pqlab.expect(0, &["show", "last", "hash/SHA3-256/digest[len=64]@*"]);
    assert!(shown.contains("openssl"), "brackets must match themselves: {shown}");
    let named = pqlab.expect(0, &["show", "SHA3-256"]);
    assert!(named.contains("openssl"), "a name must mean the cases of the last run: {named}");
    let unknown = pqlab.run(&["show", "SHA3-257"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("no run is named \"SHA3-257\""), "{}", text(&unknown.stderr));
    let partly = pqlab.run(&["run", "hash", "-a", "SHA3-256", "-a", "ML-KEM-768", "--dry-run"]);
    assert!(text(&partly.stderr).contains("no selected case matches ML-KEM-768"), "{}", text(&partly.stderr));
    assert!(!text(&partly.stderr).contains("matches SHA3-256"), "{}", text(&partly.stderr));
    let no_digests = pqlab.run(&["export", "last", "--format", "sha3-csv", "--provider", "nothing"]);
    assert!(no_digests.status.code() == Some(2), "{}", text(&no_digests.stderr));
}

#[test]
fn a_misspelt_verb_or_option_gets_the_similar_one_as_a_clause() {
    let pqlab = Pqlab::new();
    for (arguments, near) in [
        (&["showw"][..], "; a similar subcommand exists: 'show' ("),
        (&["show", "--wid"], "; a similar argument exists: '--wide' ("),
    ] {
        let output = pqlab.run(arguments);
        assert!(output.status.code() == Some(2) && text(&output.stderr).contains(near), "{}", text(&output.stderr));
    }
    assert!(pqlab.expect(0, &["list", "libraries"]).contains("liboqs"));
}

#[test]
fn a_missing_table_is_rejected_with_the_suite_that_measures_it() {
    let pqlab = Pqlab::new();
    pqlab.expect(
        0,
        &[
            "run",
            "signature",
            "--algorithm",
            "Ed25519",
            "--provider",
            "rustcrypto",
            "--filter",
            "*/verify[len=32]@*",
            "--processes",
            "2",
            "--max-time",
            "0.02",
            "--no-progress",
            "-q",
        ],
    );
    let output = pqlab.run(&["export", "last", "--format", "csv", "--table", "signatures"]);
    let printed = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(
        printed.contains("measure it with `pqlab run signatures`") && printed.contains("tables of this run: "),
        "{printed}"
    );
}

#[test]
fn missing_published_messages_are_left_out_with_the_reason() {
    let pqlab = Pqlab::new();
    let dry = |vectors: &std::path::Path| {
        let mut command = pqlab.command(&["run", "signing", "--provider", "rustcrypto", "--dry-run"]);
        let output = command.env("PQLAB_VECTORS", vectors).env("PQLAB_CACHE", pqlab.path("")).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    };
    let empty = pqlab.path("empty");
    std::fs::create_dir_all(&empty).unwrap();
    let (ids, printed) = dry(&empty);
    assert!(!ids.contains("messages=") && ids.contains("/sign["), "{ids}");
    assert!(printed.contains("published messages (6), because") && printed.contains("`make vectors`"), "{printed}");
    let folder = pqlab.path("vectors/cctv/ML-DSA/benchmark");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("ML-DSA-44.json"), "[\"A\"]").unwrap();
    // pqlab also finds vectors in the cache, where `make vectors` puts them.
    let (ids, printed) = dry(&empty);
    assert!(ids.contains("signature/ML-DSA-44/sign[messages=cctv]@rustcrypto"), "{ids}");
    assert!(printed.contains("published messages (5), because"), "{printed}");
}
