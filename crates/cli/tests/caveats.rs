//! Checks that every export format marks the figures of a library with a known defect. The example is a liboqs that
//! skips a check in ML-DSA verification.

#![allow(clippy::unwrap_used)]

mod common;

use common::Pqlab;
use pqlab_testing::{Need, require};
use serde_json::Value;

/// The only format that cannot contain signatures.
const WITHOUT: &str = "sha3-csv";

#[test]
fn a_defective_row_is_marked_in_every_format() {
    let pqlab = Pqlab::new();
    let case = "signature/ML-DSA-65/verify*@liboqs*";
    let run = ["run", "signature", "--filter", case, "--lengths", "32", "--iterations", "8", "--processes", "2"];
    pqlab.expect(0, &[&run[..], &["--warmup", "1", "--no-progress", "-q"]].concat());
    let json: Value = serde_json::from_str(&pqlab.expect(0, &["export", "last", "--format", "json"])).unwrap();
    let rows = json["results"]["signature"].as_array().unwrap();
    let defective = rows.iter().find(|row| row["defect"].is_string());
    let defective = require!(defective, Need::Machine("a processor on which liboqs runs code with a known defect"));
    let defect = defective["defect"].as_str().unwrap();
    assert_eq!(defective["caveats"]["defect"], defect);
    // No export format escapes these characters.
    let plain = |character: char| character.is_ascii_alphanumeric() || character == ' ';
    let words = defect.split(|character| !plain(character)).max_by_key(|part| part.len()).unwrap().trim();
    assert!(words.len() > 10, "{defect}");

    let exporters: Value = serde_json::from_str(&pqlab.expect(0, &["list", "exporters", "--json"])).unwrap();
    let names = exporters.as_array().unwrap().iter().map(|exporter| exporter["name"].as_str().unwrap());
    let mut tried = 0;
    for format in names.filter(|name| *name != WITHOUT) {
        let file = pqlab.path(format);
        pqlab.expect(0, &["export", "last", "--format", format, "--out", file.to_str().unwrap()]);
        let written = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(written.contains(words), "{format} must contain {words:?}");
        tried += 1;
    }
    assert!(tried >= 13, "only {tried} formats were tried");
}
