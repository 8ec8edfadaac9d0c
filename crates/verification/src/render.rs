//! Formats lines: Markdown for people, JSON for programs.

use crate::edge_cases::EdgeCases;
use crate::page::{NotCompared, not_compared};
use crate::{KNOWN_DEFECTS, KnownDefect, Line, NOT_APPLICABLE, NotApplicable, Totals};
use serde::Serialize;
use std::fmt::{Display, Write};

/// Formats the lines and their sums as a Markdown table, followed by the quoted failures.
pub fn table(lines: &[Line]) -> String {
    let mut out = String::from(
        "| provider | algorithm | suite | attempted | passed | failed | known defects | unsupported | why |\n\
         |---|---|---|---:|---:|---:|---:|---:|---|\n",
    );
    for line in lines {
        let (provider, algorithm, suite) = (who(line), cell(&line.algorithm), cell(&line.suite));
        let counts = counts(&Totals::count([line]));
        put(&mut out, format_args!("| {provider} | {algorithm} | {suite} | {counts} | {} |\n", cell(&why(line))));
    }
    let totals = Totals::count(lines);
    let counts = counts(&totals);
    let skipped = if totals.skipped == 0 { String::new() } else { format!("{} skipped", totals.skipped) };
    put(&mut out, format_args!("| **all** | | {} lines | {counts} | {skipped} |\n", totals.lines));
    failures(&mut out, lines);
    out
}

/// Formats the lines of pairs as one Markdown table per algorithm. Each row is a provider that generates keys and
/// signs. Each column is a provider that encapsulates and verifies. A cell shows the numbers of passed and attempted
/// checks. Unsupported checks follow each table, and failures follow the last table.
pub fn matrix(lines: &[Line]) -> String {
    let mut out = String::new();
    for algorithm in distinct(lines.iter().map(|line| line.algorithm.as_str())) {
        let pairs: Vec<&Line> =
            lines.iter().filter(|line| line.algorithm == algorithm && line.peer.is_some()).collect();
        let peers = distinct(pairs.iter().filter_map(|line| line.peer.as_deref()));
        put(&mut out, format_args!("### {algorithm}\n\n| |"));
        peers.iter().for_each(|peer| put(&mut out, format_args!(" {} |", cell(peer))));
        put(&mut out, format_args!("\n|---|{}\n", "---:|".repeat(peers.len())));
        for provider in distinct(pairs.iter().map(|line| line.provider.as_str())) {
            put(&mut out, format_args!("| {} |", cell(provider)));
            for peer in &peers {
                // An algorithm can be two kinds of primitive, with a line for each kind, so add up
                // the lines.
                let pair = pairs.iter().filter(|line| line.provider == provider && line.peer.as_deref() == Some(peer));
                let Totals { lines, attempted, passed, failed, .. } = Totals::count(pair.copied());
                match lines {
                    0 => out.push_str(" missing |"),
                    _ => put(&mut out, format_args!(" {} |", bold(failed > 0, format_args!("{passed}/{attempted}")))),
                }
            }
            out.push('\n');
        }
        out.push('\n');
        for line in pairs.into_iter().filter(|line| line.unsupported > 0) {
            put(&mut out, format_args!("- {}: {}\n", who(line), why(line)));
        }
    }
    failures(&mut out, lines);
    out
}

/// Returns all results as JSON:
///
/// - the lines and sums for vectors and for pairs
/// - published answers that were not compared, and published vectors that no suite covers
/// - known defects, and the edge cases that each provider accepts
/// - `acvp_releases`, the result of [`acvp_releases`](crate::acvp_releases)
///
/// # Errors
/// Propagates serialization errors, which no known line causes.
pub fn json(
    vectors: &[Line],
    pairs: &[Line],
    edge_cases: &[EdgeCases],
    acvp_releases: &[&str],
) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Report<'a> {
        totals: Totals,
        acvp_releases: &'a [&'a str],
        vectors: &'a [Line],
        interoperability: &'a [Line],
        not_compared: Vec<NotCompared>,
        not_applicable: &'a [NotApplicable],
        known_defects: &'a [KnownDefect],
        ed25519_edge_cases: &'a [EdgeCases],
    }
    serde_json::to_string_pretty(&Report {
        totals: Totals::count(vectors.iter().chain(pairs)),
        acvp_releases,
        vectors,
        interoperability: pairs,
        not_compared: not_compared(vectors),
        not_applicable: NOT_APPLICABLE,
        known_defects: KNOWN_DEFECTS,
        ed25519_edge_cases: edge_cases,
    })
}

fn counts(totals: &Totals) -> String {
    let Totals { attempted, passed, failed, defects, unsupported, .. } = totals;
    format!("{attempted} | {passed} | {} | {defects} | {unsupported}", bold(*failed > 0, failed))
}

fn bold(wrong: bool, text: impl Display) -> String {
    if wrong { format!("**{text}**") } else { text.to_string() }
}

fn who(line: &Line) -> String {
    match &line.peer {
        Some(peer) => format!("{} → {}", cell(&line.provider), cell(peer)),
        None => cell(&line.provider),
    }
}

fn why(line: &Line) -> String {
    match &line.skipped {
        Some(reason) => format!("skipped: {reason}"),
        None => {
            let all = line.defects.iter().chain(&line.reasons);
            all.map(|reason| format!("{}: {}", reason.count, reason.reason)).collect::<Vec<String>>().join("; ")
        }
    }
}

fn failures(out: &mut String, lines: &[Line]) {
    let mut failed = lines.iter().filter(|line| line.failed() > 0).peekable();
    if failed.peek().is_some() {
        out.push_str("\nFailures:\n\n");
    }
    for line in failed {
        put(
            out,
            format_args!(
                "- {}, {}, {}: {} of {}\n",
                who(line),
                line.algorithm,
                line.suite,
                line.failed(),
                line.attempted
            ),
        );
        line.failures.iter().for_each(|failure| put(out, format_args!("  - {failure}\n")));
        let rest = line.failed().saturating_sub(line.failures.len() as u64);
        if rest > 0 {
            put(out, format_args!("  - and {rest} more\n"));
        }
    }
}

/// Escapes characters that would end a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// Returns each name once, in order of first appearance.
pub(crate) fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}

fn put(out: &mut String, text: std::fmt::Arguments) {
    // Ignore the result, because writing to a string cannot fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reason;

    fn line(provider: &str, peer: Option<&str>, attempted: u64, passed: u64) -> Line {
        let failures = (passed..attempted).take(1).map(|id| format!("{id}: wrong")).collect();
        Line {
            provider: provider.to_owned(),
            peer: peer.map(str::to_owned),
            algorithm: "ECDSA-P-256".to_owned(),
            suite: "r || s".to_owned(),
            attempted,
            passed,
            failures,
            ..Line::default()
        }
    }

    #[test]
    fn the_table_has_every_line_and_the_sums() {
        let mut unsupported = line("a", None, 4, 2);
        unsupported.defects = vec![Reason { reason: "accepts".to_owned(), count: 2 }];
        unsupported.unsupported = 3;
        unsupported.reasons = vec![Reason { reason: "no|such".to_owned(), count: 3 }];
        let skipped = Line { skipped: Some("no folder".to_owned()), ..line("b", None, 0, 0) };
        let text = table(&[unsupported, line("b", None, 9, 6), skipped]);
        let expected = "\
            | provider | algorithm | suite | attempted | passed | failed | known defects | unsupported | why |\n\
            |---|---|---|---:|---:|---:|---:|---:|---|\n\
            | a | ECDSA-P-256 | r \\|\\| s | 4 | 2 | 0 | 2 | 3 | 2: accepts; 3: no\\|such |\n\
            | b | ECDSA-P-256 | r \\|\\| s | 9 | 6 | **3** | 0 | 0 |  |\n\
            | b | ECDSA-P-256 | r \\|\\| s | 0 | 0 | 0 | 0 | 0 | skipped: no folder |\n\
            | **all** | | 3 lines | 13 | 8 | **3** | 2 | 3 | 1 skipped |\n\
            \nFailures:\n\n\
            - b, ECDSA-P-256, r || s: 3 of 9\n  - 6: wrong\n  - and 2 more\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_matrix_shows_missing_pairs() {
        let lines = [
            line("a", Some("a"), 5, 5),
            line("a", Some("b"), 5, 4),
            line("b", Some("a"), 2, 2),
            line("b", Some("a"), 3, 3),
        ];
        let text = matrix(&lines);
        let expected = "\
            ### ECDSA-P-256\n\n\
            | | a | b |\n|---|---:|---:|\n| a | 5/5 | **4/5** |\n| b | 5/5 | missing |\n\n\
            \nFailures:\n\n- a → b, ECDSA-P-256, r || s: 1 of 5\n  - 4: wrong\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn json_contains_everything() {
        let text = json(&[line("a", None, 2, 1)], &[line("a", Some("b"), 3, 3)], &[], &["1.2"]).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["acvp_releases"], serde_json::json!(["1.2"]));
        assert_eq!(value["totals"]["failed"], 1);
        assert_eq!(value["totals"]["attempted"], 5);
        assert_eq!(value["interoperability"][0]["peer"], "b");
        assert_eq!(value["vectors"][0]["failures"][0], "1: wrong");
        assert_eq!(value["not_applicable"].as_array().map(Vec::len), Some(NOT_APPLICABLE.len()));
        let line: Line = serde_json::from_value(value["vectors"][0].clone()).unwrap();
        assert_eq!(line.attempted, 2);
    }
}
