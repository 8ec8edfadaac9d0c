//! Tests reports, exports and imports on the command line, with a run of the `smoke` suite.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use std::fs;
use std::path::Path;

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_report_is_a_folder_and_a_run_can_be_imported_elsewhere() {
    let pqlab = Pqlab::new();
    pqlab.expect(0, &["run", "smoke", "--seed", "1", "--no-progress", "-q"]);
    let out = pqlab.path("out");
    let out = out.to_str().unwrap();
    let printed = pqlab.expect(0, &["report", "--out", out]);
    assert_eq!(printed.trim(), format!("{out}/index.html"));
    let page = fs::read_to_string(printed.trim()).unwrap();
    assert!(page.contains("<h2>Findings</h2>") && page.ends_with("</html>"));
    assert_eq!(
        files(&Path::new(out).join("tables")),
        [
            "BENCHMARKS.md",
            "claims.csv",
            "libraries.csv",
            "library-facts.csv",
            "performance_table.tex",
            "results.csv",
            "results.json",
            "sizes.csv"
        ]
    );
    let charts = files(&Path::new(out).join("charts"));
    assert!(charts.len() >= 9 && charts.len().is_multiple_of(3), "{charts:?}");
    assert!(charts.iter().all(|name| !name.ends_with(".partial")));
    // A second report in the same folder must consist of the same bytes.
    pqlab.expect(0, &["report", "last", "--out", out]);
    assert_eq!(fs::read_to_string(printed.trim()).unwrap(), page);

    let file = pqlab.path("run.json");
    let file = file.to_str().unwrap();
    pqlab.expect(0, &["export", "last", "--format", "json-samples", "--out", file]);
    let other = Pqlab::new();
    other.expect(0, &["import", file]);
    other.expect(0, &["import", file]);
    for format in ["json", "json-samples", "samples-csv", "csv", "pyperf"] {
        let here = pqlab.expect(0, &["export", "last", "--format", format]);
        assert_eq!(here, other.expect(0, &["export", "last", "--format", format]), "{format}");
    }
}

#[test]
fn a_store_can_be_written_as_a_site() {
    let pqlab = Pqlab::new();
    for seed in ["1", "2"] {
        pqlab.expect(0, &["run", "smoke", "--seed", seed, "--max-time", "0.02", "--no-progress", "-q"]);
    }
    let out = pqlab.path("site");
    let out = out.to_str().unwrap();
    let printed = pqlab.expect(0, &["report", "--site", out, "--base-url", "https://host.example/bench"]);
    assert_eq!(printed.trim(), format!("{out}/index.html"));
    assert_eq!(files(Path::new(out)), ["feed.xml", "index.html", "latest.html", "machines", "runs"]);
    let runs = files(&Path::new(out).join("runs"));
    let index = fs::read_to_string(printed.trim()).unwrap();
    assert!(runs.len() == 2 && runs.iter().all(|run| index.contains(&format!("href=\"runs/{run}\""))), "{runs:?}");
    assert!(index.contains(" cases, compared with <a href=\"runs/"), "the second run must be compared with the first");
    assert!(
        fs::read_to_string(Path::new(out).join("feed.xml")).unwrap().contains("https://host.example/bench/feed.xml")
    );
    for (arguments, words) in [
        (&["report", "--site", out, "--merge"][..], "cannot be used with"),
        (&["report", "last", "--site", out], "cannot be used with"),
        (&["report", "--site", "-"], "a site is a folder"),
        (&["report", "--base-url", "https://host.example/"], "--site"),
        (&["report", "--site", out, "--base-url", "here"], "invalid site URL"),
    ] {
        let output = pqlab.run(arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(words) && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn bad_input_is_named() {
    let pqlab = Pqlab::new();
    let wrong = common::write(&pqlab.path("wrong.json"), "{\"schema\": 1}");
    for (arguments, words) in [
        (vec!["import", wrong.as_str()], "not a pqlab run"),
        (vec!["import", "/nowhere/at/all.json"], "cannot import /nowhere/at/all.json"),
        (vec!["report"], "pqlab.db"),
        (vec!["serve"], "pqlab.db"),
    ] {
        let output = pqlab.run(&arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(words) && said.lines().count() == 1, "{said}");
    }
}
