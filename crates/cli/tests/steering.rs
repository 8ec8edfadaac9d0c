//! Checks that text from files and stores cannot control the terminal.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text, write};
use serde_json::Value;

/// Text that clears the screen, sets the title, opens a link, moves the cursor back, begins a sequence with a C1
/// character, and changes the writing direction.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;title\u{7}\u{1b}]8;;http://x/\u{1b}\\x\r\u{8}\u{9b}2J\u{7f}\u{202e}\u{2066}";

/// Runs the program and checks that neither stream contains a character that could control the terminal. Accepts any
/// exit code.
fn steady(pqlab: &Pqlab, arguments: &[&str]) -> (Option<i32>, String) {
    let output = pqlab.run(arguments);
    let both = text(&output.stdout) + &text(&output.stderr);
    let steers = |character: char| {
        (character.is_control() && character != '\n')
            || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert_eq!(both.chars().find(|character| steers(*character)), None, "{arguments:?}: {both:?}");
    assert!(!both.is_empty(), "{arguments:?}");
    (output.status.code(), both)
}

/// Measures a run and exports it with its samples.
fn exported(pqlab: &Pqlab) -> Value {
    let what = ["run", "hash", "--filter", "hash/SHA3-256/digest*@rustcrypto", "--lengths", "64", "--iterations", "20"];
    pqlab.expect(0, &[&what[..], &["--processes", "2", "--warmup", "1", "--no-progress", "-q"]].concat());
    serde_json::from_str(&pqlab.expect(0, &["export", "last", "--format", "json-samples"])).unwrap()
}

/// Returns the document with hostile text in its free-text fields, and with an additional failed case.
fn hostile(mut document: Value, id: &str) -> Value {
    document["run"]["id"] = id.into();
    for field in ["suite", "command", "started_at"] {
        document["run"][field] = HOSTILE.into();
    }
    document["environment"]["host"]["name"] = HOSTILE.into();
    document["environment"]["cpu"]["model"] = HOSTILE.into();
    let rows = document["results"]["hash"].as_array_mut().unwrap();
    let mut failed = rows[0].clone();
    let algorithm = format!("SHA3-256{HOSTILE}");
    failed["id"] = failed["id"].as_str().unwrap().replace("SHA3-256", &algorithm).into();
    failed["algorithm"] = algorithm.into();
    (failed["status"], failed["error"]) = ("failed".into(), HOSTILE.into());
    rows.push(failed);
    document
}

#[test]
fn imported_text_reaches_the_terminal_escaped() {
    let pqlab = Pqlab::new();
    let document = exported(&pqlab);
    let file = write(&pqlab.path("run.json"), &hostile(document, "20200101T000000Z-abcdef").to_string());
    assert_eq!(steady(&pqlab, &["import", &file]).0, Some(0));
    assert_eq!(steady(&pqlab, &["import", &file]).0, Some(0), "importing a stored run again must succeed");
    let id = "20200101T000000Z-abcdef";
    for arguments in [
        &["runs"][..],
        &["runs", "--json"],
        &["show", id],
        &["show", id, "*"],
        &["show", id, HOSTILE],
        &["show", HOSTILE],
        &["compare", id, "last"],
        &["compare", id, "last", "--json"],
        &["compare", "*", "*", "--run", id],
        &["export", id, "--format", "markdown"],
        &["export", id, "--format", "latex"],
        &["export", id, "--format", HOSTILE],
        &["run", HOSTILE],
        &["gate", id, "--max-time", "0.01"],
        &["ledger", "verify", HOSTILE],
        &["import", HOSTILE],
    ] {
        steady(&pqlab, arguments);
    }
    let report = pqlab.path("report").to_str().unwrap().to_owned();
    assert_eq!(steady(&pqlab, &["report", id, "--out", &report]).0, Some(0));
    let json: Value = serde_json::from_str(&pqlab.expect(0, &["runs", "--json"])).unwrap();
    let suites: Vec<&str> = json.as_array().unwrap().iter().map(|run| run["suite"].as_str().unwrap()).collect();
    assert!(suites.contains(&HOSTILE), "JSON must preserve the original text: {suites:?}");
}

#[test]
fn invalid_run_ids_are_refused_on_import_and_escaped_from_a_store() {
    let pqlab = Pqlab::new();
    let document = exported(&pqlab);
    for id in [HOSTILE, "", "last", "a b", "../x", &"a".repeat(65)] {
        let file = write(&pqlab.path("run.json"), &hostile(document.clone(), id).to_string());
        let (code, said) = steady(&pqlab, &["import", &file]);
        assert!(code == Some(2) && said.contains("invalid run id") && said.lines().count() == 1, "{said}");
    }
    // Simulate an id that an older version or another program stored.
    let connection = rusqlite::Connection::open(pqlab.database()).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    connection.execute("UPDATE runs SET id = ?1", [HOSTILE]).unwrap();
    for table in ["plan", "cases", "samples"] {
        connection.execute(&format!("UPDATE {table} SET run = ?1"), [HOSTILE]).unwrap();
    }
    for arguments in [&["runs"][..], &["show", "last"], &["show", "last", "nothing"], &["compare", "last", "last"]] {
        steady(&pqlab, arguments);
    }
    let report = pqlab.path("report").to_str().unwrap().to_owned();
    assert_eq!(steady(&pqlab, &["report", "last", "--out", &report]).0, Some(0), "stored ids must be escaped");
    connection.execute("UPDATE runs SET environment = '{}'", []).unwrap();
    let (code, said) = steady(&pqlab, &["show", "last"]);
    assert!(code == Some(2) && said.contains("damaged") && said.contains(r"\u{1b}[2J"), "{said}");
}
