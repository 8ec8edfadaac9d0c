//! A library that is wrong once in 10,000 times passes what is asked by default, and is found out by the long vectors.

#![allow(clippy::unwrap_used)]

#[path = "../../cli/tests/common/mod.rs"]
mod common;

use common::{Pqlab, text};

const ASKED: [&str; 6] = ["verify", "--no-interop", "--algorithm", "ML-KEM-768", "--provider", "erring"];

#[test]
fn one_wrong_answer_of_ten_thousand_is_found_and_named() {
    let pqlab = Pqlab::new();
    let page = pqlab.expect(0, &ASKED);
    assert!(page.contains("Accumulated answers") && !page.contains("Failures"), "{page}");

    let output = pqlab.run(&[&ASKED[..], &["--long"]].concat());
    let (page, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{page}\n{said}");
    let (_, failures) = page.split_once("Failures").unwrap();
    assert!(failures.contains("erring, ML-KEM-768, accumulated answers: 1 of 2"), "{page}");
    assert!(failures.contains("answers 101 to 10,000"), "{page}");
    // How long it takes is said before anything else of it.
    assert!(said.contains("accumulated vectors: 1,000,000 answers, which take about"), "{said}");
}

#[test]
fn only_published_numbers_can_be_asked_for() {
    let output = Pqlab::new().run(&[&ASKED[..], &["--accumulated", "12"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("100, 10000, 1000000, 60000000"), "{}", text(&output.stderr));
}
