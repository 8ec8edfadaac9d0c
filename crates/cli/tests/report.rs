//! Tests reports, exports and imports on the command line, with a run of the `smoke` suite.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::report::document::describe_run;
use serde_json::Value;
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
fn a_run_for_the_record_qualifies_and_names_no_machine() {
    let pqlab = Pqlab::new();
    let mut run = pqlab_fixtures::sound_run();
    let import = |run: &pqlab_lab::record::Run| {
        let document = describe_run(&RunAnalysis::new(run), true, &[]);
        let file = common::write(&pqlab.path("run.json"), &serde_json::to_string(&document).unwrap());
        pqlab.expect(0, &["import", &file]);
    };
    import(&run);
    let refused = pqlab.run(&["export", "last", "--format", "json", "--for-record"]);
    let said = text(&refused.stderr);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{said}");
    assert!(said.contains("does not qualify for the record: it was measured with --quick"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");

    run.header.id = "20261122T185800-k3f9".to_owned();
    run.header.started_at = "2026-11-22T18:58:00Z".to_owned();
    run.header.command = "pqlab run standard --db /home/alice/runs/pqlab.db".to_owned();
    run.header.protocol.precision_pct = 1.0;
    import(&run);
    let written = pqlab.run(&["export", &run.header.id, "--format", "json", "--for-record"]);
    let said = text(&written.stderr);
    assert_eq!(written.status.code(), Some(0), "{said}");
    assert_eq!(said, "removed: host name bench-1\nremoved: folder /home/alice/runs\n");
    let found: Value = serde_json::from_slice(&written.stdout).unwrap();
    assert_eq!(found["environment"]["host"]["name"], Value::Null);
    assert_eq!(found["run"]["command"], "pqlab run standard --db pqlab.db");
    let file = pqlab.path("record.json");
    let file = file.to_str().unwrap();
    pqlab.expect(0, &["export", &run.header.id, "--format", "json", "--for-record", "--out", file]);
    assert_eq!(fs::read(file).unwrap(), written.stdout);

    let wrong = pqlab.run(&["export", "last", "--format", "csv", "--for-record"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("--for-record needs --format json, not csv"));
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
