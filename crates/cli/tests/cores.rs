//! Checks that simultaneous runs avoid each other's cores.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use std::fs::File;
use std::io::Write;

/// Number of cores: more than any test machine has.
const CORES: usize = 256;

const RUN: [&str; 10] =
    ["run", "kem", "--filter", "kem/X25519/keygen@*", "--processes", "1", "--max-time", "0.05", "--provider", "aws-lc"];

#[test]
fn a_run_takes_a_free_core_or_names_the_process_on_its_core() {
    let pqlab = Pqlab::avoiding_last(0);
    // Lock cores in the folder of another user.
    let folder = pqlab.path("pqlab-4294967294");
    std::fs::create_dir(&folder).unwrap();
    let lock = |core: usize| {
        let mut file = File::create(folder.join(format!("core-{core}.lock"))).unwrap();
        file.lock().unwrap();
        writeln!(file, "4711").unwrap();
        file
    };
    let locked: Vec<File> = (0..CORES).map(lock).collect();
    let output = pqlab.run(&RUN);
    let warnings: Vec<String> =
        text(&output.stderr).lines().filter(|line| line.contains("another pqlab")).map(str::to_owned).collect();
    assert_eq!((output.status.code(), warnings.len()), (Some(0), 1), "{}", text(&output.stderr));
    assert!(warnings[0].contains("another pqlab (process 4711) is also measuring on core "), "{warnings:?}");
    let noted = || {
        let document: serde_json::Value =
            serde_json::from_str(&pqlab.expect(0, &["export", "last", "--format", "json"])).unwrap();
        document["environment"]["os"]["crowded"].as_str().map(str::to_owned)
    };
    assert!(noted().is_some_and(|noted| noted.contains("4711")), "{:?}", noted());
    drop(locked);
    let output = pqlab.run(&RUN);
    assert!(!text(&output.stderr).contains("another pqlab"), "{}", text(&output.stderr));
    assert_eq!(noted(), None);
}
