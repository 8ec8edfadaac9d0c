//! Tests that a library with one wrong answer in 10,000 passes the default vectors and fails the long ones.

#![allow(clippy::unwrap_used)]

#[path = "../../cli/tests/common/mod.rs"]
mod common;

use common::{Pqlab, text};

const ASKED: [&str; 6] = ["verify", "--no-interop", "--algorithm", "ML-KEM-768", "--provider", "erring"];

#[test]
fn finds_and_names_one_wrong_answer_in_ten_thousand() {
    let pqlab = Pqlab::new();
    let page = pqlab.expect(0, &ASKED);
    assert!(page.contains("Accumulated answers") && !page.contains("Failures"), "{page}");

    let output = pqlab.run(&[&ASKED[..], &["--long"]].concat());
    let (page, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{page}\n{err}");
    let (_, failures) = page.split_once("Failures").unwrap();
    assert!(failures.contains("erring, ML-KEM-768, accumulated answers: 1 of 2"), "{page}");
    assert!(failures.contains("answers 101 to 10,000"), "{page}");
    assert!(err.contains("(ACVP release 1.1.0."), "{err}");
    // `--long` announces the expected duration.
    assert!(err.contains("accumulated vectors: 1,000,000 more answers, which take about"), "{err}");
}

#[test]
fn accepts_only_published_numbers() {
    let output = Pqlab::new().run(&[&ASKED[..], &["--accumulated", "12"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("100, 10000, 1000000, 60000000"), "{}", text(&output.stderr));
}
