//! Tests `scripts/results` with one short suite. The script must write a complete record, must not measure a suite
//! twice, must keep the records of other machines, and must refuse to write a record that contains this machine's name.

#![allow(clippy::unwrap_used)]

mod common;

use common::{PROGRAM, Pqlab, text};
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::report::document::describe_run;
use pqlab_testing::{Need, program, require};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PYTHON: Need = Need::Installed("python3");

/// List of the runs in the record of another machine.
const ANOTHER: &str =
    r#"[{"suite": "smoke", "machine": "a machine", "commit": "0123456789ab", "started_at": "2026-11-26T18:00:00Z"}]"#;

/// Runs the script with a separate cache.
fn results(python: &Path, folder: &Pqlab, arguments: &[&str], home: &str) -> Output {
    let script = "../../scripts/results";
    let mut command = Command::new(python);
    command.arg(script).args(["--program", PROGRAM, "--quick", "--busy", "--out"]).arg(folder.path("record"));
    command.args(arguments).env("PQLAB_CACHE", folder.path("cache")).env("HOME", home).env_remove("NO_COLOR");
    command.output().unwrap()
}

fn read(path: PathBuf) -> String {
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the folder of this machine, the only new one.
fn machine(records: &Path) -> PathBuf {
    let entries = std::fs::read_dir(records).unwrap().map(|entry| entry.unwrap().path());
    let folders: Vec<PathBuf> = entries.filter(|path| path.is_dir() && !path.ends_with("another")).collect();
    let [folder] = &folders[..] else { panic!("{folders:?}") };
    folder.clone()
}

/// Returns the local links of a page, except those to pages outside its folder.
fn links(page: &str) -> Vec<&str> {
    let links = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    links.filter(|link| !link.starts_with("..")).collect()
}

#[test]
fn the_record_is_complete_measured_once_and_names_no_folder_of_the_machine() {
    let python = require!(program("python3"), PYTHON);
    let folder = Pqlab::new();
    let home = folder.path("home").display().to_string();
    let records = folder.path("record");
    std::fs::create_dir_all(records.join("another")).unwrap();
    std::fs::write(records.join("another/runs.json"), ANOTHER).unwrap();
    let output = results(&python, &folder, &["smoke"], &home);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let record = machine(&records);
    let runs: Value = serde_json::from_str(&read(record.join("runs.json"))).unwrap();
    let command = "pqlab run smoke --quick --patience 0s";
    assert_eq!((&runs[0]["suite"], &runs[0]["command"]), (&"smoke".into(), &command.into()));
    let benchmarks = read(record.join("smoke/BENCHMARKS.md"));
    assert!(benchmarks.contains(runs[0]["run"].as_str().unwrap()), "{benchmarks}");
    let readme = read(record.join("README.md"));
    let found = links(&readme);
    assert!(found.len() >= 4 && found.iter().all(|link| record.join(link).exists()), "{found:?}");
    assert!(readme.contains("- Suites: 1 of ") && readme.contains("; not measured: standard, kem, "), "{readme}");
    assert_eq!(read(records.join("another/runs.json")), ANOTHER, "the records of other machines must be kept");
    let index = read(records.join("README.md"));
    let kind = record.file_name().unwrap().to_str().unwrap();
    assert!(links(&index).contains(&format!("{kind}/README.md").as_str()), "{index}");
    assert!(
        index.contains("| [another](another/README.md) | a machine | smoke | 2026-11-26 | `0123456789ab` |"),
        "{index}"
    );
    assert!(!record.join("smoke/charts").exists(), "an area's charts must be in the suite of that area");
    let unpack = "import gzip, sys; print(gzip.open(sys.argv[1], 'rt').read())";
    let table = Command::new(&python).args(["-c", unpack]).arg(record.join("smoke/tables/libraries.tex.gz")).output();
    assert!(text(&table.unwrap().stdout).contains("\\begin{"));

    let again = results(&python, &folder, &["smoke"], &home);
    assert!(again.status.success());
    assert!(text(&again.stderr).contains("smoke is already measured"), "{}", text(&again.stderr));
    assert_eq!(read(record.join("README.md")), readme, "equal runs must produce equal records");

    // With this home folder, the link `smoke/BENCHMARKS.md` in the page looks like a path on this
    // machine.
    std::fs::remove_dir_all(&record).unwrap();
    let refused = results(&python, &folder, &["smoke"], "/BENCHMARKS.md");
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        text(&refused.stderr).contains("README.md names this machine or one of its folders"),
        "{}",
        text(&refused.stderr)
    );
    assert!(!record.exists());
}

#[test]
fn the_first_page_draws_what_a_reference_shows() {
    let python = require!(program("python3"), PYTHON);
    let folder = Pqlab::new();
    let home = folder.path("home").display().to_string();
    let output = results(&python, &folder, &["ledger-reference"], &home);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let readme = read(machine(&folder.path("record")).join("README.md"));
    let section = readme.split("### Blocks of transactions").nth(1).unwrap_or_else(|| panic!("{readme}"));
    // The chart shows ranked libraries, and a busy machine disturbs all of them.
    let is_ranked = |line: &str| !line.contains("disturbed") && !line.contains("(own)");
    let mut rows = section.lines().filter(|line| line.starts_with("| TXv1-"));
    assert!(!rows.any(is_ranked) || section.contains("](ledger-reference/charts/block_verify.svg)"), "{section}");
    assert!(
        section.contains("#### Ledger: cost per transaction") && section.contains("| TXv1-ML-DSA-65 | "),
        "{section}"
    );
    assert!(section.contains("[ledger-codec](ledger-reference/tables/ledger-codec.csv)"), "{section}");
    assert!(!readme.contains("latency-"), "a better chart must be preferred: {readme}");
}

#[test]
fn a_contributed_run_is_listed_with_its_kind_of_machine() {
    let python = require!(program("python3"), PYTHON);
    let folder = Pqlab::new();
    let mut run = pqlab_fixtures::sound_run();
    run.header.command = "pqlab run standard".to_owned();
    run.header.protocol.precision_pct = 1.0;
    let document = describe_run(&RunAnalysis::new(&run), true, &[]);
    let file = common::write(&folder.path("run.json"), &serde_json::to_string(&document).unwrap());
    folder.expect(0, &["import", &file]);
    let database = folder.database().display().to_string();
    let output = results(&python, &folder, &["--contribute", "last", "--db", &database], "/nowhere");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).starts_with("removed: host name bench-1\n"), "{}", text(&output.stderr));
    let name = format!("contributed/example-cpu-2-10ghz/{}.json.gz", run.header.id);
    assert!(folder.path("record").join(&name).exists());
    let index = read(folder.path("record").join("README.md"));
    let line = format!(
        "| example-cpu-2-10ghz | [{}]({name}) | standard | 6 | estimated | 2026-11-21T18:58:00Z |",
        run.header.id
    );
    assert!(index.contains(&line), "{index}");
}

#[test]
fn an_unknown_suite_is_refused() {
    let python = require!(program("python3"), PYTHON);
    let output = results(&python, &Pqlab::new(), &["smok"], "/nowhere");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("unknown suite smok"), "{}", text(&output.stderr));
}
