//! Tests the ten questions in docs/questions.md: each command must print the answer in its last lines, as the document
//! shows. On a busy machine, a run may recommend nothing; the test accepts this as an answer.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, shell_words, text};
use pqlab_lab::matches;
use std::path::PathBuf;

/// Number of lines at the end of the output that must contain the answer.
const LAST: usize = 10;
/// Patterns of lines that a busy machine prints instead of recommendations, or in addition to them.
const BUSY: [&str; 2] = ["Nothing is recommended, because *", "Quality: * disturbed*"];

/// A question in the document.
struct Question {
    /// Arguments of pqlab.
    command: Vec<String>,
    /// Output that the document shows.
    transcript: Vec<String>,
    /// Patterns for the answer; one of them must match.
    answers: Vec<String>,
}

fn document() -> PathBuf {
    "../../docs/questions.md".into()
}

fn questions() -> Vec<Question> {
    let document = std::fs::read_to_string(document()).unwrap();
    let mut found = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        if line != "```" {
            continue;
        }
        let mut block: Vec<String> = lines.by_ref().take_while(|line| *line != "```").map(str::to_owned).collect();
        let command = block.remove(0);
        let words = shell_words(command.strip_prefix("$ pqlab ").unwrap());
        let answer = lines.next().unwrap();
        let answer = answer.strip_prefix("<!-- answer: ").and_then(|text| text.strip_suffix(" -->")).unwrap();
        let answers = answer.split('|').map(str::to_owned).collect();
        found.push(Question { command: words, transcript: block, answers });
    }
    assert_eq!(found.len(), 10);
    found
}

/// Returns the last [`LAST`] lines that are not empty.
fn last_lines(printed: &str) -> Vec<String> {
    let mut lines: Vec<&str> = printed.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.split_off(lines.len().saturating_sub(LAST)).into_iter().map(str::to_owned).collect()
}

/// Prepares the store and files for a question. `short` contains arguments that shorten runs.
fn prepare(pqlab: &Pqlab, number: usize, short: &[&str]) {
    let elsewhere = |change: &dyn Fn(&mut serde_json::Value)| {
        let file = pqlab.path("there.json");
        let name = file.to_str().unwrap();
        pqlab.expect(0, &["export", "last", "--format", "json-samples", "--out", name]);
        let mut run: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        change(&mut run);
        std::fs::write(&file, run.to_string()).unwrap();
        pqlab.expect(0, &["import", name]);
        std::fs::remove_file(&file).unwrap();
    };
    match number {
        3 => {
            let before = ["run", "kem", "--algorithm", "ML-KEM-768", "--save-baseline", "main", "--no-progress"];
            pqlab.expect(0, &[&before, short].concat());
        }
        6 => elsewhere(&|run| {
            // If two runs began at the same time, the run stored later is the latest.
            run["run"]["id"] = "20000101T000000-there".into();
            run["environment"]["host"]["name"] = "there".into();
        }),
        7 => {
            pqlab.expect(0, &["runs", "rm", "20000101T000000-there"]);
        }
        8 => {
            let block = pqlab.path("block.tx");
            pqlab.expect(
                0,
                &["ledger", "generate", "--count", "1000", "--out", block.to_str().unwrap(), "--no-progress"],
            );
        }
        10 => elsewhere(&|run| {
            run["run"]["id"] = "20260101T000000-before".into();
            run["run"]["started_at"] = "2026-01-01T00:00:00Z".into();
        }),
        _ => {}
    }
}

/// Runs a question's command and returns the last lines of its output.
fn answer_lines(pqlab: &Pqlab, question: &Question, more: &[&str]) -> Vec<String> {
    let mut words: Vec<&str> = question.command.iter().map(String::as_str).collect();
    if matches!(words[0], "run" | "gate") {
        words.extend(more);
        words.push("--no-progress");
    }
    let output = pqlab.command(&words).current_dir(pqlab.path("")).output().unwrap();
    let code = output.status.code();
    // Exit codes 1 and 3 report verdicts, not errors.
    assert!(matches!(code, Some(0 | 1 | 3)), "{words:?}: {code:?} {}", text(&output.stderr));
    last_lines(&text(&output.stdout))
}

fn answered(question: &Question, lines: &[String]) -> bool {
    lines.iter().any(|line| question.answers.iter().any(|pattern| matches(pattern, line)))
}

#[test]
fn each_transcript_has_the_answer() {
    for (number, question) in (1..).zip(questions()) {
        let lines = &question.transcript;
        assert!(!lines.is_empty() && lines.len() <= LAST, "question {number} has {} lines", lines.len());
        assert!(answered(&question, lines), "question {number}: {lines:#?}");
    }
}

#[test]
fn each_command_answers_in_its_last_lines() {
    let pqlab = Pqlab::new();
    let short = ["--quick", "--processes", "2", "--max-time", "0.02"];
    let few = ["--provider", "aws-lc", "--provider", "rustcrypto", "--provider", "null"];
    let kem = ["--algorithm", "ML-KEM-768"];
    for (number, question) in (1..).zip(questions()) {
        prepare(&pqlab, number, &[&short[..], &few].concat());
        let more = match number {
            1 => [&short[..], &few, &kem].concat(),
            // Filters for single libraries would exclude the pairs of libraries in this question.
            2 => short.to_vec(),
            // This command measures the cases of the baseline.
            3 => Vec::new(),
            _ => [&short[..], &few].concat(),
        };
        let lines = answer_lines(&pqlab, &question, &more);
        let busy = lines.iter().any(|line| BUSY.iter().any(|pattern| matches(pattern, line)));
        assert!(busy || answered(&question, &lines), "question {number}: {:?}\n{lines:#?}", question.answers);
    }
}

/// Renews the transcripts in the document. Takes minutes and needs an idle machine.
#[test]
#[ignore = "measures for minutes and writes docs/questions.md"]
fn renews_the_transcripts() {
    let pqlab = Pqlab::new();
    let mut document = std::fs::read_to_string(document()).unwrap();
    for (number, question) in (1..).zip(questions()) {
        prepare(&pqlab, number, &[]);
        let lines = answer_lines(&pqlab, &question, &[]);
        assert!(answered(&question, &lines), "question {number}: {lines:#?}");
        let heading = document.find(&format!("\n## {number}. ")).unwrap();
        let start = heading + document[heading..].find("$ pqlab ").unwrap();
        let start = start + document[start..].find('\n').unwrap() + 1;
        let end = start + document[start..].find("```").unwrap();
        document.replace_range(start..end, &format!("{}\n", lines.join("\n")));
        std::fs::write(self::document(), &document).unwrap();
    }
}
