//! Tests the script of the GitHub action without a runner. The script reads its inputs from the environment variables
//! that action.yml sets.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Suite with options that shorten the runs. The gate uses them too, because it repeats the run of the baseline.
const SUITE: (&str, &str) = ("SUITE", "smoke --seed 1 --max-time 0.02 --patience 0s");

fn act(pqlab: &Pqlab, inputs: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::path::absolute("../../scripts/action").unwrap());
    command.current_dir(pqlab.path("")).env("HOME", pqlab.path("")).env("TMPDIR", pqlab.path(""));
    command.env("RUNNER_TEMP", pqlab.path("temp")).env("PQLAB_ACTION_PROGRAM", env!("CARGO_BIN_EXE_pqlab"));
    command.env("GITHUB_OUTPUT", pqlab.path("output")).env("GITHUB_STEP_SUMMARY", pqlab.path("summary"));
    command.env_remove("PQLAB_DB");
    for (name, value) in inputs {
        command.env(format!("PQLAB_ACTION_{name}"), value);
    }
    fs::remove_file(pqlab.path("output")).ok();
    command.output().unwrap()
}

fn outputs(pqlab: &Pqlab) -> BTreeMap<String, String> {
    let text = fs::read_to_string(pqlab.path("output")).unwrap();
    text.lines().filter_map(|line| line.split_once('=')).map(|(name, value)| (name.into(), value.into())).collect()
}

#[test]
fn the_first_use_saves_a_baseline_for_the_next() {
    let pqlab = Pqlab::new();
    let done = act(&pqlab, &[SUITE, ("BASELINE", "nowhere.json")]);
    assert!(done.status.success(), "{}{}", text(&done.stdout), text(&done.stderr));
    assert!(text(&done.stdout).contains("::notice::pqlab: the baseline nowhere.json does not exist yet"));
    let first = outputs(&pqlab);
    assert_eq!(first["verdict"], "NONE");
    assert!(["run", "history", "comment"].iter().all(|file| Path::new(&first[*file]).is_file()), "{first:?}");

    let baseline = pqlab.path("baseline.json");
    fs::copy(&first["run"], &baseline).unwrap();
    // Each job of a runner starts with an empty temporary folder.
    fs::remove_dir_all(pqlab.path("temp")).unwrap();
    let inputs = [("BASELINE", baseline.to_str().unwrap()), ("FAIL_SLOWER", "1000")];
    let done = act(&pqlab, &inputs);
    assert!(done.status.success(), "{}{}", text(&done.stdout), text(&done.stderr));
    let second = outputs(&pqlab);
    assert!(["PASS", "UNDECIDED"].contains(&second["verdict"].as_str()), "{second:?}");
    let comment = fs::read_to_string(&second["comment"]).unwrap();
    assert!(comment.starts_with(&format!("**pqlab** `{}", second["verdict"])), "{comment}");
    assert!(comment.contains("\n### Run ") && comment.contains("| verdict |"), "{comment}");
    assert!(fs::read_to_string(pqlab.path("summary")).unwrap().ends_with(&comment));
}

#[test]
fn the_output_of_a_use_is_a_baseline_for_the_next_use_in_the_same_job() {
    let pqlab = Pqlab::new();
    let done = act(&pqlab, &[SUITE]);
    assert!(done.status.success(), "{}{}", text(&done.stdout), text(&done.stderr));
    let first = outputs(&pqlab);
    let done = act(&pqlab, &[("BASELINE", first["run"].as_str()), ("FAIL_SLOWER", "1000")]);
    assert!(done.status.success(), "{}{}", text(&done.stdout), text(&done.stderr));
    assert_ne!(outputs(&pqlab)["verdict"], "NONE");
}

#[test]
fn each_line_names_a_library() {
    let pqlab = Pqlab::new();
    for library in ["mine=liboqs:nowhere here.so", "\nmine=liboqs:nowhere here.so\n"] {
        let done = act(&pqlab, &[("SUITE", "smoke"), ("LIBRARIES", library)]);
        assert!(!done.status.success() && !pqlab.path("output").exists(), "{}", text(&done.stdout));
        assert!(text(&done.stdout).contains("`pqlab run` exited with code 2"), "{}", text(&done.stdout));
        assert!(text(&done.stderr).contains("nowhere here.so"), "{}", text(&done.stderr));
    }
}

#[test]
fn inputs_are_never_run_as_commands() {
    let pqlab = Pqlab::new();
    let wild = "smoke; touch here $(touch here) `touch here` && touch here";
    for inputs in [
        [("SUITE", wild), ("BASELINE", "")],
        [("SUITE", "smoke --dry-run"), ("BASELINE", "$(touch here)")],
        [("SUITE", "smoke --dry-run"), ("BASELINE", "--help; touch here")],
        [("SUITE", "smoke --dry-run"), ("LIBRARIES", "$(touch here)")],
    ] {
        let done = act(&pqlab, &inputs);
        assert!(!done.status.success() && !pqlab.path("output").exists(), "{inputs:?}: {}", text(&done.stdout));
        assert!(!pqlab.path("here").exists(), "{inputs:?}");
    }
}
