//! Tests the user's shared libraries. Only workers open them, unusable libraries are rejected, and all others are
//! measured.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text, write};
use pqlab_testing::{Need, program, require};
use serde_json::Value;
use std::fs::read_to_string;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const QUICK: &[&str] =
    &["--processes", "2", "--max-time", "0.05", "--no-progress", "-q", "--filter", "*ML-KEM-768/encapsulate[]@*"];

const COMPILER: Need = Need::Installed("cc");

/// Compiles a library for ML-KEM-768 with these macros, and returns the argument for `--library`.
fn strange(pqlab: &Pqlab, compiler: &Path, label: &str, macros: &[&str]) -> String {
    let file = pqlab.path(&format!("{label}.so"));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../cli/tests/common/strange.c");
    let mut command = Command::new(compiler);
    command.args(["-shared", "-fPIC", "-o"]).arg(&file).arg(source).args(macros.iter().map(|name| format!("-D{name}")));
    let compiled = command.output().unwrap();
    assert!(compiled.status.success(), "{}", text(&compiled.stderr));
    format!("{label}=nist:{}?algorithm=ML-KEM-768", file.to_str().unwrap())
}

fn refused(output: &Output, words: &[&str]) {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((output.status.code(), out.as_str()), (Some(2), ""), "{err}");
    assert_eq!(err.trim_end().lines().count(), 1, "{err}");
    words.iter().for_each(|word| assert!(err.contains(word), "{word:?} is not in {err:?}"));
}

/// Returns the rows of the latest run.
fn rows(pqlab: &Pqlab) -> Vec<Value> {
    let document: Value = serde_json::from_str(&pqlab.expect(0, &["export", "last", "--format", "json"])).unwrap();
    document["results"]["kem"].as_array().unwrap().clone()
}

fn row<'a>(rows: &'a [Value], provider: &str) -> &'a Value {
    rows.iter().find(|row| row["provider"] == provider).unwrap_or_else(|| panic!("no row for {provider}"))
}

#[test]
fn unusable_libraries_are_refused_before_measuring() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let sound = strange(&pqlab, &compiler, "sound", &[]);
    let aborting = strange(&pqlab, &compiler, "aborting", &["ABORTS"]);
    let hanging = strange(&pqlab, &compiler, "hanging", &["HANGS"]);
    let empty = strange(&pqlab, &compiler, "empty", &["EMPTY"]);
    let prose = format!("prose=openssl:{}", write(&pqlab.path("prose.so"), "nothing that a loader reads\n"));
    let absent = "absent=liboqs:/nowhere/liboqs.so".to_owned();
    let mut arguments = vec!["run", "kem", "--time-limit", "5"];
    for library in [&sound, &aborting, &hanging, &empty, &prose, &absent] {
        arguments.extend(["--library", library]);
    }
    let words = [
        "SIGABRT",
        "its output: this library always aborts",
        "hanging=nist:",
        "took longer than 5 s",
        "crypto_kem_keypair",
        "prose: ",
        "prose.so is not a shared library",
        "absent: /nowhere/liboqs.so: ",
    ];
    let output = pqlab.run(&arguments);
    refused(&output, &words);
    assert!(!text(&output.stderr).contains("sound"), "the sound library must not be reported");
    assert!(!pqlab.database().exists(), "no run must be started");
    refused(&pqlab.run(&["list", &format!("library={aborting}")]), &["SIGABRT", "always aborts"]);
    refused(&pqlab.run(&["verify", "--library", &empty]), &["crypto_kem_keypair"]);
}

#[test]
fn taken_names_and_malformed_libraries_are_refused() {
    let pqlab = Pqlab::new();
    let run = |library: &str| pqlab.run(&["run", "kem", "--library", library]);
    refused(
        &run("rustcrypto=liboqs:/x.so"),
        &["\"rustcrypto\" is the name of a provider in this build", "LABEL=KIND:PATH"],
    );
    refused(&run("liboqs"), &["[LABEL=]KIND:PATH"]);
    let twice = pqlab.run(&["run", "kem", "--library", "a=liboqs:/x.so", "--library", "a=liboqs:/y.so"]);
    refused(&twice, &["\"a\" is used by another library"]);
    refused(&pqlab.run(&["list", "library=oqs:/x.so"]), &["expected one of liboqs, openssl, nist"]);
    refused(&pqlab.run(&["list", "libraries"]), &["libraries", "suites"]);
    refused(&pqlab.run(&["compare-libraries", "rustcrypto", "rustcrypto"]), &["is on both sides"]);
    refused(&pqlab.run(&["compare-libraries", "rustcrypto", "aws_lc"]), &["did you mean \"aws-lc\""]);
}

#[test]
fn only_workers_open_libraries() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let (library, witness) = (strange(&pqlab, &compiler, "own", &[]), pqlab.path("witness"));
    let listed = format!("library={library}");
    let given = ["--library", &library];
    let run = [&["run", "kem", "--provider", "own"], &given[..], QUICK].concat();
    for arguments in [
        vec!["list", &listed],
        [&["list", "algorithms"], &given[..]].concat(),
        [&["run", "kem", "--provider", "own", "--dry-run"], &given[..]].concat(),
        run,
        [&["verify", "--provider", "own", "--no-interop"], &given[..]].concat(),
        [&["inspect", "ML-KEM-768", "--provider", "own"], &given[..]].concat(),
        [&["leak", "--list", "kem/*@own"], &given[..]].concat(),
        [&["compare-libraries", "rustcrypto", &library], QUICK].concat(),
    ] {
        std::fs::remove_file(&witness).ok();
        let mut command = pqlab.command(&arguments);
        let child =
            command.env("PQLAB_TEST_WITNESS", &witness).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let coordinator = child.id().to_string();
        let output = child.wait_with_output().unwrap();
        assert_ne!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        let processes = read_to_string(&witness).unwrap();
        assert!(processes.lines().count() > 0, "{arguments:?}");
        assert!(processes.lines().all(|process| process != coordinator), "{arguments:?}: only workers may open it");
    }
}

#[test]
fn wrong_answers_fail_only_the_rows_of_their_library() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let library = strange(&pqlab, &compiler, "wrong", &[]);
    let wanted = ["run", "kem", "--provider", "wrong", "--provider", "rustcrypto", "--library", &library];
    pqlab.expect(1, &[&wanted[..], QUICK].concat());
    let rows = rows(&pqlab);
    let (wrong, right) = (row(&rows, "wrong"), row(&rows, "rustcrypto"));
    assert_eq!((&wrong["status"], &right["status"]), (&"failed".into(), &"ok".into()));
    assert!(wrong["error"].as_str().unwrap().starts_with("wrong answer"), "{wrong}");
    assert_eq!(wrong["library"], serde_json::json!({"kind": "nist", "label": "wrong"}));
    assert!(right["library"].is_null() && right["language"].is_null());
    assert_eq!(wrong["language"], "c", "every shared library must be listed as C");
    let path = pqlab.path("wrong.so");
    let shown = pqlab.expect(0, &["show", "last", "kem/ML-KEM-768/encapsulate@wrong"]);
    assert!(shown.contains(&format!("loaded from {}", path.display())), "{shown}");
    let report = pqlab.path("report");
    pqlab.expect(0, &["report", "last", "--out", report.to_str().unwrap()]);
    let page = read_to_string(report.join("index.html")).unwrap();
    assert!(page.contains(&format!("loaded from {}", path.display())));
    // `verify` compares the library's answers with those of all other libraries.
    let verified =
        ["verify", "--provider", "wrong", "--algorithm", "ML-KEM-768", "--library", &library, "--format", "json"];
    assert!(pqlab.expect(1, &verified).contains("wrong"));
    let inspected = pqlab.expect(1, &["inspect", "ML-KEM-768", "--provider", "wrong", "--library", &library]);
    assert!(inspected.contains("ML-KEM-768 by wrong") && inspected.contains("FAILED"), "{inspected}");
}

#[test]
fn a_library_that_fails_later_fails_its_own_cases() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let library = strange(&pqlab, &compiler, "later", &["ABORTS_LATER"]);
    let wanted = ["run", "kem", "--provider", "later", "--provider", "rustcrypto", "--library", &library];
    let mut command = pqlab.command(&[&wanted[..], QUICK].concat());
    let output = command.env("PQLAB_TEST_WITNESS", pqlab.path("witness")).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let rows = rows(&pqlab);
    assert_eq!(row(&rows, "rustcrypto")["status"], "ok");
    let said = row(&rows, "later")["error"].as_str().unwrap();
    assert!(
        said.contains("later was not opened: ") && said.contains("SIGABRT") && said.contains("only once"),
        "{said}"
    );
}

#[test]
fn a_suite_that_names_a_library_needs_allow_foreign() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let library = strange(&pqlab, &compiler, "own", &[]);
    let suite = "name = \"mine\"\nabout = \"\"\nlibraries = [\"own=nist:own.so?algorithm=ML-KEM-768\"]\n\
                 [[select]]\nworkload = \"kem\"\nalgorithms = [\"ML-KEM-768\"]\nproviders = [\"own\"]\n";
    let file = write(&pqlab.path("mine.toml"), suite);
    let witness = pqlab.path("witness");
    for arguments in [&["run", &file, "--dry-run"][..], &["run", &file], &["list", "cases", &file]] {
        let output = pqlab.command(arguments).env("PQLAB_TEST_WITNESS", &witness).output().unwrap();
        refused(&output, &["mine.toml", "own=nist:", "--allow-foreign", "--library"]);
    }
    assert!(!witness.exists(), "no code of the library must run");
    for leave in [&["--allow-foreign"][..], &["--library", &library]] {
        let ids = pqlab.expect(0, &[&["run", &file, "--dry-run"], leave].concat());
        assert!(ids.contains("kem/ML-KEM-768/encapsulate@own\n"), "{ids}");
        assert_eq!(pqlab.expect(0, &[&["list", "cases", &file], leave].concat()).trim(), ids.trim());
    }
    let wrong = write(&pqlab.path("wrong.toml"), &suite.replace("own=nist", "own=oqs"));
    refused(&pqlab.run(&["run", &wrong]), &["wrong.toml:3:", "expected one of liboqs"]);
}

#[test]
fn a_run_with_libraries_resumes_only_with_allow_foreign() {
    let compiler = require!(program("cc"), COMPILER);
    let pqlab = Pqlab::new();
    let library = strange(&pqlab, &compiler, "own", &[]);
    let wanted = ["run", "kem", "--provider", "own", "--provider", "rustcrypto", "--algorithm", "ML-KEM-768"];
    let manner = ["--library", &library, "--processes", "2", "--max-time", "0.3", "--no-progress", "--json"];
    let mut child = pqlab.command(&[&wanted[..], &manner].concat()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("\"event\":\"case\"")));
    child.kill().unwrap();
    child.wait().unwrap();
    for again in [&["run", "--resume"][..], &["gate", "last"]] {
        refused(&pqlab.run(again), &["own=nist:", "--allow-foreign"]);
    }
    pqlab.expect(1, &["run", "--resume", "--allow-foreign", "-q", "--no-progress"]);
    let rows = rows(&pqlab);
    assert!(rows.iter().filter(|row| row["provider"] == "own").all(|row| row["status"] == "failed"));
    assert!(rows.iter().filter(|row| row["provider"] == "rustcrypto").all(|row| row["status"] == "ok"));
    let again = pqlab.run(&[&["gate", "last", "--library", &library, "--fail-slower", "900"], QUICK].concat());
    assert_ne!(again.status.code(), Some(2), "{}", text(&again.stderr));
}

#[test]
fn two_libraries_are_compared_case_by_case() {
    let pqlab = Pqlab::new();
    let wanted =
        ["compare-libraries", "rustcrypto", "libcrux:portable", "--algorithm", "ML-KEM-512", "--margin", "1000"];
    let manner = ["--processes", "3", "--max-time", "0.05", "--no-progress", "-q"];
    let compare = |more: &[&str]| {
        let output = pqlab.run(&[&wanted[..], &manner, more].concat());
        // Timing does not matter, because no case is slower than such a wide margin.
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let json: Value = serde_json::from_str(&compare(&["--json"])).unwrap();
    let cases = json["cases"].as_array().unwrap();
    let mut firsts: Vec<&str> = cases.iter().map(|case| case["first"].as_str().unwrap()).collect();
    firsts.sort_unstable();
    let all = ["decapsulate", "encapsulate", "keygen"].map(|what| format!("kem/ML-KEM-512/{what}@rustcrypto"));
    assert_eq!(firsts, all);
    for case in cases {
        let (first, second) = (case["first"].as_str().unwrap(), case["second"].as_str().unwrap());
        assert_eq!(second, first.replace("rustcrypto", "libcrux:portable"));
        assert_eq!(case["paired"], true, "{case}");
    }
    assert_eq!((&json["first_run"], &json["margin_source"]), (&json["second_run"], &"--margin".into()));
    let run: Value = serde_json::from_str(&pqlab.expect(0, &["export", "last", "--format", "json"])).unwrap();
    assert_eq!((&run["run"]["id"], &run["run"]["suite"]), (&json["first_run"], &"libraries".into()));
    let libraries = json["libraries"].as_array().unwrap();
    let ids: Vec<&str> = libraries.iter().map(|library| library["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["rustcrypto", "libcrux:portable"]);
    let version = libraries[0]["version"].as_str().unwrap();
    assert!(version.contains("ml-kem "), "{version}");
    assert!(
        libraries[0]["known_defects"][0]
            .as_str()
            .unwrap()
            .starts_with("Ed25519 verify-x: batch verification decodes R")
    );
    assert_eq!(libraries[1]["known_defects"].as_array().unwrap().len(), 0);
    let shown = compare(&["--filter", "*encapsulate*"]);
    assert!(shown.starts_with(&format!("rustcrypto: {version}")), "{shown}");
    assert!(shown.contains("\nrustcrypto: known defect: Ed25519 verify-x: ") && shown.contains("\nlibcrux:portable: "));
    assert!(shown.lines().last().unwrap().starts_with("Answer: "), "{shown}");
    let markdown = compare(&["--filter", "*encapsulate*", "--format", "markdown"]);
    assert!(markdown.starts_with("### libcrux:portable against rustcrypto\n\nAnswer: "), "{markdown}");
    assert!(markdown.contains("\n| kem/ML-KEM-512/encapsulate | "), "{markdown}");
    refused(
        &pqlab.run(&["compare-libraries", "libsecp256k1", "libcrux:portable"]),
        &["libsecp256k1 and libcrux:portable have no selected case in common"],
    );
}

/// Returns the distribution's libcrypto, if there is one.
fn libcrypto() -> Option<PathBuf> {
    let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];
    folders.iter().map(|folder| Path::new(folder).join("libcrypto.so.3")).find(|path| path.is_file())
}

#[test]
fn the_distributions_library_is_measured_with_the_built_in_one() {
    let path = require!(libcrypto(), Need::Machine("the distribution's libcrypto.so.3"));
    let pqlab = Pqlab::new();
    let library = format!("system=openssl:{}", path.display());
    let listed: Value =
        serde_json::from_str(&pqlab.expect(0, &["list", &format!("library={library}"), "--json"])).unwrap();
    assert_eq!((&listed["label"], &listed["kind"]), (&"system".into(), &"openssl".into()));
    assert!(listed["version"].as_str().unwrap().contains("3."), "{listed}");
    let algorithms = listed["algorithms"].as_array().unwrap();
    let named = |name: &str| algorithms.iter().find(|entry| entry["algorithm"] == name);
    assert_eq!(named("X25519").unwrap()["public_key"], 32);
    let wanted = ["compare-libraries", "openssl", &library, "X25519", "--margin", "1000", "--json"];
    let manner = ["--processes", "3", "--max-time", "0.05", "--no-progress", "-q"];
    let output = pqlab.run(&[&wanted[..], &manner].concat());
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output.stderr));
    let rows = rows(&pqlab);
    assert!(rows.iter().all(|row| row["status"] == "ok" && row["verified"] == true), "{rows:?}");
    let loaded = rows.iter().filter(|row| row["library"]["label"] == "system").count();
    assert_eq!((loaded * 2, loaded >= 3), (rows.len(), true));
    let verified = ["verify", "--provider", "system", "--algorithm", "X25519", "--library", &library];
    pqlab.expect(0, &verified);
}
