//! Checks that a signal ends a long-running verb with exit code 130, and ends all processes that the verb started.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Interrupts the program after its first line of output. Checks that the program does not report a failure.
fn interrupted(arguments: &[&str]) {
    let pqlab = Pqlab::new();
    let mut command = pqlab.command(arguments);
    let mut child = command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut printed = String::new();
    out.read_line(&mut printed).unwrap();
    // Send the signal to the whole process group, as a terminal does.
    let group = format!("-{}", child.id());
    let sent = Command::new("sh").args(["-c", r#"kill -s INT -- "$1""#, "sh", &group]).status().unwrap();
    assert!(sent.success());
    out.read_to_string(&mut printed).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{arguments:?}\n{printed}\n{}", text(&ended.stderr));
    assert!(!printed.contains("FAILED") && !printed.contains("the process itself"), "{printed}");
}

#[test]
fn an_interrupt_ends_a_verification() {
    interrupted(&["verify", "--all"]);
}

#[test]
fn an_interrupt_ends_a_leak_test() {
    interrupted(&["leak", "compare/*", "--samples", "4000", "--repeat", "1000", "--no-progress"]);
}
