//! Tests the output that tutorials and guides show. A comment above each excerpt names the command that prints it and
//! patterns for its lines:
//!
//! ```text
//! <!-- excerpt of: pqlab show 'kem/*'
//! kem *
//!   ML-KEM-768 decapsulate
//! -->
//! ```
//!
//! ` | ` separates alternatives, such as the verdicts of a gate. `<!-- before: pqlab ... -->` is a command whose output
//! the page does not show. The commands of a page run in order and share a folder. An excerpt is stale if a pattern
//! matches no line of the output, or if a line of the excerpt matches no pattern.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, shell_words, text};
use pqlab_lab::matches;
use pqlab_testing::{Need, not_run};
use std::path::PathBuf;

/// Placeholder for lines that an excerpt leaves out.
const OMITTED: &str = "...";

/// Command of a page, from a comment.
struct Step {
    /// Arguments of pqlab.
    command: Vec<String>,
    /// Patterns for the lines of the excerpt. Empty if the page does not show the output.
    patterns: Vec<String>,
    /// Line numbers of the excerpt in the page.
    lines: std::ops::Range<usize>,
}

fn docs() -> PathBuf {
    std::path::absolute("../../docs").unwrap()
}

/// Returns the paths of the pages with excerpts that this test checks, sorted.
fn pages() -> Vec<PathBuf> {
    let folders = ["tutorials", "how-to"].map(|folder| std::fs::read_dir(docs().join(folder)).unwrap());
    let mut pages: Vec<PathBuf> = folders.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| std::fs::read_to_string(page).unwrap().contains("<!-- excerpt of: "));
    pages.sort();
    pages
}

/// Returns the steps of a page.
fn steps(page: &str) -> Vec<Step> {
    let lines: Vec<&str> = page.lines().collect();
    let mut steps = Vec::new();
    let mut number = 0;
    while number < lines.len() {
        let line = lines[number];
        number += 1;
        if let Some(command) = line.strip_prefix("<!-- before: ") {
            let command = arguments(command.strip_suffix(" -->").unwrap());
            steps.push(Step { command, patterns: Vec::new(), lines: 0..0 });
        } else if let Some(command) = line.strip_prefix("<!-- excerpt of: ") {
            let end = number + lines[number..].iter().position(|line| *line == "-->").unwrap();
            let patterns = lines[number..end].iter().map(|line| (*line).to_owned()).collect();
            assert_eq!(lines[end + 1], "```", "an excerpt must follow its comment: {line}");
            let mut first = end + 2;
            let last = first + lines[first..].iter().position(|line| *line == "```").unwrap();
            first += usize::from(lines[first].starts_with("$ "));
            steps.push(Step { command: arguments(command), patterns, lines: first..last });
            number = last + 1;
        }
    }
    steps
}

fn arguments(command: &str) -> Vec<String> {
    shell_words(command.strip_prefix("pqlab ").unwrap_or_else(|| panic!("not a command of pqlab: {command}")))
}

/// Runs a command and returns the lines that it prints. Returns `None` if the command needs networks that this machine
/// cannot create. `short` shortens measurements.
fn printed(pqlab: &Pqlab, command: &[String], short: bool) -> Option<Vec<String>> {
    let mut words: Vec<&str> = command.iter().map(String::as_str).collect();
    let is_dry = words.contains(&"--dry-run");
    if short && !is_dry {
        // Excerpts of the two largest suites show a single algorithm or a few.
        words.extend(match words[..] {
            ["run", "standard", ..] => &["--algorithm", "ML-KEM-768"][..],
            ["run", "tls", ..] => &["--algorithm", "X25519MLKEM768"],
            _ => &[],
        });
        words.extend(match words[0] {
            "run" => &["--processes", "2", "--max-time", "0.02", "--patience", "0s"][..],
            "leak" => &["--samples", "2000"],
            "calibrate" => &["--comparisons", "5", "--processes", "3", "--max-time", "0.02"],
            _ => &[],
        });
        if words.contains(&"--network") {
            words.extend(["--handshakes", "3"]);
        }
    }
    if matches!(words[0], "run" | "gate" | "leak") {
        words.push("--no-progress");
    }
    let output = pqlab.command(&words).current_dir(pqlab.path("")).output().unwrap();
    let errors = text(&output.stderr);
    if output.status.code() == Some(2) && errors.contains("namespace") {
        return None;
    }
    // Exit codes 1 and 3 report verdicts, not errors.
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{words:?}: {errors}");
    let all = text(&output.stdout) + &errors;
    Some(all.lines().map(|line| line.trim_end().to_owned()).collect())
}

/// Returns whether a line matches one of the alternatives of a pattern.
fn is_match(pattern: &str, line: &str) -> bool {
    pattern.split(" | ").any(|alternative| matches(alternative, line))
}

fn is_shown(step: &Step, line: &str) -> bool {
    step.patterns.iter().any(|pattern| is_match(pattern, line))
}

/// Returns the lines of the output that the excerpt shows. [`OMITTED`] replaces lines that are left out between them.
/// If the page shows the command, [`OMITTED`] also replaces lines that are left out before the first shown line.
fn excerpt(step: &Step, printed: &[String], shows_command: bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut is_gap = false;
    for line in printed {
        if is_shown(step, line) {
            if is_gap {
                lines.push(OMITTED.to_owned());
            }
            lines.push(line.clone());
            is_gap = false;
        } else {
            is_gap = shows_command || !lines.is_empty();
        }
    }
    lines
}

#[test]
fn excerpts_match_their_patterns() {
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for step in steps(&text) {
            for line in &lines[step.lines.clone()] {
                let known = *line == OMITTED || is_shown(&step, line.trim_end());
                assert!(known, "{}: no pattern matches the line: {line}", page.display());
            }
        }
    }
}

#[test]
fn commands_print_the_lines_of_excerpts() {
    for page in pages() {
        let pqlab = Pqlab::new();
        for step in steps(&std::fs::read_to_string(&page).unwrap()) {
            let Some(printed) = printed(&pqlab, &step.command, true) else {
                not_run(Need::Machine("network namespaces and TUN devices"));
                break;
            };
            for pattern in &step.patterns {
                let found = printed.iter().any(|line| is_match(pattern, line));
                assert!(found, "{}: {:?} prints no {pattern:?}:\n{}", page.display(), step.command, printed.join("\n"));
            }
        }
    }
}

/// Renews the excerpts of all pages. Takes minutes and needs an idle machine.
#[test]
#[ignore = "measures for minutes and writes docs"]
fn renews_the_excerpts() {
    for page in pages() {
        let pqlab = Pqlab::new();
        let mut content = std::fs::read_to_string(&page).unwrap();
        for number in 0..steps(&content).len() {
            let step = steps(&content).swap_remove(number);
            let printed = printed(&pqlab, &step.command, false).expect("networks must be possible here");
            if step.patterns.is_empty() {
                continue;
            }
            let mut lines: Vec<String> = content.lines().map(str::to_owned).collect();
            let is_transcript = lines[step.lines.start - 1].starts_with("$ ");
            lines.splice(step.lines.clone(), excerpt(&step, &printed, is_transcript));
            content = lines.join("\n") + "\n";
            std::fs::write(&page, &content).unwrap();
        }
    }
}
