//! Tests the commands in docs/programs.md, which replace programs of other projects. Checks the ids of the measured
//! cases against a snapshot. `PQLAB_RENEW_SNAPSHOTS=1` renews the snapshot; review the changes before you commit them.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, commands_of, shell_words};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Libraries that run on every processor.
const EVERYWHERE: [&str; 4] = ["aws-lc", "liboqs", "openssl", "rustcrypto"];

fn in_crate(name: &str) -> PathBuf {
    std::path::absolute(name).unwrap()
}

/// Returns the `pqlab run` commands in the tables. Each command has a name: the program that it replaces, or the
/// command itself if the row names no program.
fn commands() -> Vec<(String, Vec<String>)> {
    let document = std::fs::read_to_string(in_crate("../../docs/programs.md")).unwrap();
    let mut found = Vec::new();
    for line in document.lines().filter(|line| line.starts_with('|')) {
        for command in commands_of(line).into_iter().filter(|text| text.starts_with("pqlab run ")) {
            let words = shell_words(command);
            let program = line.split('`').nth(1).filter(|text| !text.starts_with("pqlab")).unwrap_or(command);
            found.push((program.to_owned(), words[1..].to_vec()));
        }
    }
    found
}

fn without_workers(id: &str) -> String {
    let Some((before, after)) = id.split_once("workers=") else { return id.to_owned() };
    format!("{before}workers=*{}", after.trim_start_matches(|character: char| character.is_ascii_digit()))
}

#[test]
fn each_command_measures_the_recorded_cases() {
    let pqlab = Pqlab::new();
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (program, words) in commands() {
        let arguments: Vec<&str> = words.iter().map(String::as_str).chain(["--dry-run", "--quiet"]).collect();
        let ids = pqlab.expect(0, &arguments);
        let everywhere = |id: &&str| {
            let provider = id.rsplit_once('@').map_or("", |(_, provider)| provider);
            provider.split('+').all(|half| EVERYWHERE.contains(&half))
        };
        // Without --pool-threads, the size of the pool depends on the machine.
        let machine_decides = !words.iter().any(|word| word == "--pool-threads");
        let plain = |id: &str| if machine_decides { without_workers(id) } else { id.to_owned() };
        let ids: Vec<String> = ids.lines().filter(everywhere).map(plain).collect();
        assert!(!ids.is_empty(), "{program}: {arguments:?}");
        found.entry(program).or_default().extend(ids);
    }
    let programs = ["verify_benchmark", "statistical_benchmark", "sign_benchmark", "comprehensive_comparison"];
    assert!(programs.iter().all(|program| found.contains_key(*program)), "{:?}", found.keys());
    let mut text = String::new();
    for (program, ids) in &found {
        text.push_str(&format!("{program}\n"));
        ids.iter().for_each(|id| text.push_str(&format!("  {id}\n")));
    }
    let kept = in_crate("tests/programs.txt");
    if std::env::var_os("PQLAB_RENEW_SNAPSHOTS").is_some() {
        std::fs::write(&kept, &text).unwrap();
    }
    let wanted = std::fs::read_to_string(&kept).unwrap_or_default();
    let differs = text.lines().zip(wanted.lines()).find(|(now, before)| now != before);
    assert!(
        text == wanted,
        "the cases of docs/programs.md changed: {differs:?}; PQLAB_RENEW_SNAPSHOTS=1 renews the snapshot"
    );
}

/// The commands that replace an earlier system's programs must sign and verify messages of the same length.
#[test]
fn messages_have_the_length_of_the_reference() {
    let kept = std::fs::read_to_string(in_crate("tests/programs.txt")).unwrap();
    let (mut program, mut seen) = ("", 0);
    for line in kept.lines() {
        if !line.starts_with(' ') {
            program = line;
        }
        let of_reference = program.ends_with("_benchmark") || program == "comprehensive_comparison";
        let with_messages =
            ["/sign[", "/sign-load[", "/verify[", "/verify-load["].iter().any(|part| line.contains(part));
        if of_reference && with_messages {
            assert!(line.contains("len=256"), "{program}: {line}");
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}
