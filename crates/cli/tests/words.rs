//! What a user types where cases are named, and what is said where nothing is called so.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use serde_json::Value;

#[test]
fn cases_are_listed_by_whatever_a_run_takes() {
    let pqlab = Pqlab::new();
    let listed = pqlab.expect(0, &["list", "cases", "kem", "--provider", "liboqs", "--filter", "*decaps*"]);
    assert!(listed.lines().count() > 3, "{listed}");
    for id in listed.lines() {
        assert!(id.starts_with("kem/") && id.contains("decaps") && id.ends_with("@liboqs"), "{id}");
    }
    let narrowed = ["cases", "kyber768", "liboqs", "--filter", "*/decapsulate@*"];
    let one = pqlab.expect(0, &[&["list"][..], &narrowed, &["--json"]].concat());
    assert_eq!(serde_json::from_str::<Vec<String>>(&one).unwrap(), ["kem/ML-KEM-768/decapsulate@liboqs"]);
    // What is listed is what would be measured.
    let planned =
        pqlab.expect(0, &["run", "kem", "--provider", "liboqs", "--filter", "*decaps*", "--dry-run", "--json"]);
    let planned: Value = serde_json::from_str(&planned).unwrap();
    assert_eq!(planned["cases"].as_array().unwrap().len(), listed.lines().count());
    let all = pqlab.expect(0, &["list", "cases"]);
    assert!(all.lines().count() > 10 * listed.lines().count() && all.contains("@null"));
    let filtered = pqlab.expect(0, &["list", "cases", "--filter", "signature/*/verify[len=32]@liboqs"]);
    assert!(filtered.lines().all(|id| id.ends_with("/verify[len=32]@liboqs")), "of all areas, not of one suite");
}

#[test]
fn other_lists_take_no_cases() {
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
fn brackets_stand_for_themselves_and_a_question_mark_for_a_character() {
    let pqlab = Pqlab::new();
    let of = |pattern: &str| -> Vec<String> {
        let listed = pqlab.expect(0, &["list", "cases", "--filter", pattern]);
        listed.lines().map(str::to_owned).collect()
    };
    let exact = of("signature/ML-DSA-65/verify[len=32]@*");
    assert!(exact.len() > 1);
    assert!(exact.iter().all(|id| id.starts_with("signature/ML-DSA-65/verify[len=32]@")), "{exact:?}");
    assert_eq!(of("signature/ML-DSA-65/verify[len=??]@*").len(), exact.len(), "two characters");
    assert!(of("signature/ML-DSA-65/verify[*").len() > exact.len());
}

#[test]
fn a_pattern_that_matches_nothing_is_told_the_nearest_ids() {
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
        (&["doctor", "--aa", "--case", "kem/ML-KEM-768/decapsulate"], "kem/ML-KEM-768/decapsulate@"),
    ] {
        let output = pqlab.run(arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("nearest there is: ") || said.contains("did you mean"), "{arguments:?}: {said}");
        assert!(said.split_once(": ").is_some_and(|(_, hint)| hint.contains(near)), "{arguments:?}: {said}");
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
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("nearest there is: hash/SHA3-256/digest[len=64]@openssl"), "{said}");
    }
    let shown = pqlab.expect(0, &["show", "last", "hash/SHA3-256/digest[len=64]@*"]);
    assert!(shown.contains("openssl"), "brackets are no class of characters: {shown}");
}
