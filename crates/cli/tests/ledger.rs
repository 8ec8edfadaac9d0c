//! Tests the files, figures and exit codes of `pqlab ledger`. A limit on the file size simulates a full disk.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text, write};
use serde_json::Value;
use std::process::Command;

fn generate(pqlab: &Pqlab, name: &str, more: &[&str]) -> String {
    let path = pqlab.path(name).to_str().unwrap().to_owned();
    let arguments = [&["ledger", "generate", "--scheme", "Ed25519", "--out", &path], more].concat();
    let printed = pqlab.expect(0, &arguments);
    assert!(printed.contains("Ed25519 transactions ("), "{printed}");
    path
}

#[test]
fn a_good_block_exits_with_0_and_a_bad_one_with_1() {
    let pqlab = Pqlab::new();
    for (name, format) in [("good", "block"), ("good.parquet", "parquet")] {
        let good = generate(&pqlab, name, &["--count", "300", "--format", format]);
        let printed = pqlab.expect(0, &["ledger", "verify", &good]);
        assert!(printed.contains("300 of 300 transactions accepted, 0 rejected"), "{printed}");
        let json: Value = serde_json::from_str(&pqlab.expect(0, &["ledger", "verify", &good, "--json"])).unwrap();
        let provider = json["providers"]["Ed25519"].as_str().unwrap();
        let version = json["versions"][provider].as_str().unwrap();
        assert!(printed.contains(&format!("{provider} {version} (")), "the provider is missing: {printed}");
        let batches = json["batch_providers"][0].as_str().unwrap();
        assert!(
            printed.contains("to verify in batches (--at-once), select one of these providers with --provider")
                && printed.contains(batches),
            "{printed}"
        );
        let at_once = pqlab.expect(0, &["ledger", "verify", &good, "--provider", batches, "--at-once", "8"]);
        assert!(!at_once.contains("to verify in batches"), "{at_once}");
        let bad = generate(&pqlab, "bad", &["--count", "300", "--invalid", "2%", "--senders", "7", "--format", format]);
        for threads in ["1", "2"] {
            let printed = pqlab.expect(1, &["ledger", "verify", &bad, "--threads", threads, "--keep-keys"]);
            assert!(printed.contains("294 of 300 transactions accepted, 6 rejected"), "{printed}");
            assert!(printed.contains("truncated") && printed.contains("transaction "), "{printed}");
        }
        let json: Value = serde_json::from_str(&pqlab.expect(1, &["ledger", "verify", &bad, "--json"])).unwrap();
        assert_eq!(
            (&json["transactions"], &json["rejected"], &json["accepted"]),
            (&300.into(), &6.into(), &294.into())
        );
        assert_eq!(json["rejections"].as_array().unwrap().len(), 6);
        assert_eq!((json["format"].as_str(), json["complete"].as_bool()), (Some(format), Some(true)));
        let kinds = json["rejected_by_kind"].as_object().unwrap().values().map(|count| count.as_u64().unwrap());
        assert_eq!(kinds.sum::<u64>(), 6);
        assert!(json["rejections"][0]["reason"].is_string() && json["transactions_per_s"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn another_chain_rejects_everything() {
    let pqlab = Pqlab::new();
    let block = generate(&pqlab, "block", &["--count", "30", "--chain-id", "5"]);
    pqlab.expect(0, &["ledger", "verify", &block, "--chain-id", "5"]);
    let printed = pqlab.expect(1, &["ledger", "verify", &block]);
    assert!(
        printed.contains("30 rejected") && printed.contains("wrong-chain") && printed.contains("and 10 more"),
        "{printed}"
    );
}

#[test]
fn bad_input_is_one_line_and_exits_with_2() {
    let pqlab = Pqlab::new();
    let block = generate(&pqlab, "block", &["--count", "30"]);
    let whole = std::fs::read(&block).unwrap();
    std::fs::write(pqlab.path("truncated"), &whole[..whole.len() / 2]).unwrap();
    let truncated = pqlab.path("truncated").to_str().unwrap().to_owned();
    let (empty, foreign) = (write(&pqlab.path("empty"), ""), write(&pqlab.path("foreign"), "transactions: 3\n"));
    let generating = |more: &[&'static str]| {
        let arguments = ["ledger", "generate", "--out", "/nowhere/block"];
        arguments.iter().chain(more).map(|argument| (*argument).to_owned()).collect::<Vec<_>>()
    };
    let verifying = |file: &str| vec!["ledger".to_owned(), "verify".to_owned(), file.to_owned()];
    let cases = [
        (verifying(&truncated), "truncated"),
        (verifying(&empty), "empty"),
        (verifying(&foreign), "not a block file"),
        (verifying("/nowhere/block"), "No such file"),
        ([verifying(&block), vec!["--form".into(), "txv1".into()]].concat(), "TXv2"),
        ([verifying(&block), vec!["--threads".into(), "0".into()]].concat(), "--threads"),
        ([verifying(&block), vec!["--provider".into(), "nobody".into()]].concat(), "nobody"),
        ([verifying(&block), vec!["--at-once".into(), "10001".into()]].concat(), "from 1 to 10000"),
        ([verifying(&block), vec!["--at-once".into(), "8".into()]].concat(), "mldsa-batch:portable"),
        ([verifying(&block), vec!["--journal".into(), "j".into()]].concat(), "--cluster"),
        (["ledger", "scaling", "--bandwidth", "inf"].map(str::to_owned).to_vec(), "--bandwidth"),
        (generating(&["--count", "0"]), "--count"),
        (generating(&["--count", "5", "--scheme", "Ed448"]), "Ed448"),
        (generating(&["--count", "5", "--senders", "6"]), "--senders"),
        (generating(&["--count", "5", "--invalid", "101"]), "percentage"),
        (generating(&["--count", "5", "--scheme", "Ed25519", "--provider", "fn-dsa"]), "fn-dsa"),
        (generating(&["--count", "5"]), "cannot be written"),
    ];
    for (arguments, word) in cases {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = pqlab.run(&arguments);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(err.contains(word) && err.lines().count() == 1, "{arguments:?}: {err}");
    }
}

#[cfg(unix)]
#[test]
fn a_package_of_another_version_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let pqlab = Pqlab::new();
    let python = write(&pqlab.path("python"), "#!/bin/sh\necho 0.0.1\n");
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    for (python, problem) in
        [(python.as_str(), "version 0.0.1"), ("/nowhere/python", "does not have the pqlab package")]
    {
        let output = pqlab.command(&["ledger", "scaling"]).env("PQLAB_PYTHON", python).output().unwrap();
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains(problem) && err.contains("pip install") && err.lines().count() == 1, "{err}");
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_file() {
    let pqlab = Pqlab::new();
    let folder = pqlab.path("full");
    std::fs::create_dir(&folder).unwrap();
    for format in ["block", "parquet"] {
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 200; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_pqlab")])
            .args(["ledger", "generate", "--count", "20000", "--scheme", "Ed25519", "--format", format, "--out"])
            .arg(folder.join("block"))
            .output()
            .unwrap();
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains("cannot be written") && err.lines().count() == 1, "{err}");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    }
}

#[test]
fn an_interrupted_generation_leaves_no_file() {
    let pqlab = Pqlab::new();
    let folder = pqlab.path("stopped");
    std::fs::create_dir(&folder).unwrap();
    let path = folder.join("block").to_str().unwrap().to_owned();
    let arguments =
        ["ledger", "generate", "--count", "100000000", "--senders", "1", "--scheme", "Ed25519", "--out", &path];
    let mut child = pqlab.command(&arguments).stderr(std::process::Stdio::null()).spawn().unwrap();
    while std::fs::read_dir(&folder).unwrap().count() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "the program must still be running");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn blocks_are_measured_shown_and_exported() {
    let pqlab = Pqlab::new();
    let quick = ["--iterations", "4", "--processes", "2", "--warmup", "1", "--no-progress", "-q"];
    let chosen = ["--algorithm", "Ed25519", "--provider", "rustcrypto", "--filter", "*verify-block*"];
    let parameters = ["--blocks", "1,20", "--senders", "50%", "--invalid", "5"];
    let run = [&["run", "ledger"][..], &quick, &chosen, &parameters].concat();
    pqlab.expect(0, &run);
    let shown = pqlab.expect(0, &["show"]);
    assert!(shown.contains("ledger"), "{shown}");
    let exported: Value = serde_json::from_str(&pqlab.expect(0, &["export", "--format", "json"])).unwrap();
    let results = exported["results"]["ledger"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        assert_eq!((&result["status"], &result["verified"]), (&"ok".into(), &true.into()), "{result}");
        assert_eq!(result["parameters"]["invalid"], "5%", "{result}");
    }
    let csv = pqlab.expect(0, &["export", "--format", "google-benchmark-csv"]);
    assert!(csv.starts_with("name,iterations,real_time,cpu_time,time_unit,"), "{csv}");
    let json: Value = serde_json::from_str(&pqlab.expect(0, &["export", "--format", "google-benchmark"])).unwrap();
    assert!(json["benchmarks"].as_array().unwrap().iter().any(|row| row["txs_per_second"].as_f64() > Some(0.0)));
    for wrong in [["--senders", "none"], ["--senders", "0"], ["--blocks", "0"], ["--invalid", "200"]] {
        let output = pqlab.run(&[&run[..2], &wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}
