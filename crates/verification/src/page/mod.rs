//! Text report of a verification: one grid per kind of check, failures, known defects, and a line with the sums.

mod grid;

use crate::edge_cases::EdgeCases;
use crate::render::distinct;
use crate::thousands::thousands;
use crate::{Compared, KNOWN_DEFECTS, Line, Totals};
use grid::{Grid, wrapped};
use serde::Serialize;
use std::collections::BTreeMap;

/// Kinds of checks. Each entry contains a heading and the prefixes of the suite names under it.
const KINDS: &[(&str, &[&str])] = &[
    ("Known answers", &["known answers"]),
    ("NIST ACVP", &["ACVP"]),
    ("NIST CAVP", &["CAVP"]),
    ("Wycheproof", &["Wycheproof"]),
    ("Inputs generated at run time, and checks of secret values", &["run time"]),
    ("Accumulated answers: digests over at least 100 answers each", &["accumulated"]),
    ("Other published vectors", &[""]),
];

/// Heading for the interoperability matrix.
const PAIRS: &str = "Interoperability: every library with every other, in both roles";

/// Prefixes of algorithm names, grouped by family, in the order of the rows.
const FAMILIES: &[&[&str]] = &[
    &["ML-KEM-", "X25519"],
    &["HQC-"],
    &["FrodoKEM", "eFrodoKEM"],
    &["sntrup"],
    &["ML-DSA-"],
    &["SLH-DSA-", "SPHINCS+"],
    &["Falcon", "FN-DSA-"],
    &["SQIsign"],
    &["LMS-", "XMSS-"],
    &["Ed25519", "ECDSA-", "RSA-"],
    &["SHA3-"],
    &["SHAKE"],
    &["SHA-", "HMAC-", "HKDF-", "AES-"],
];

/// Formats the results as a page of at most `width` columns.
pub fn page(vectors: &[Line], pairs: &[Line], edge_cases: &[EdgeCases], width: usize) -> String {
    let mut out = String::new();
    for (index, (heading, _)) in KINDS.iter().enumerate() {
        let of_kind: Vec<&Line> = vectors.iter().filter(|line| kind(line) == index).collect();
        section(&mut out, heading, &of_kind, width);
    }
    section(&mut out, PAIRS, &pairs.iter().collect::<Vec<_>>(), width);
    edge_case_section(&mut out, edge_cases, width);
    let all = || vectors.iter().chain(pairs);
    failures(&mut out, all(), width);
    defects(&mut out, all(), width);
    gaps(&mut out, &not_compared(vectors), width);
    out.push_str(&wrapped(&sum(&Totals::count(all())), width, 0));
    out
}

/// Formats the sums in one line.
pub fn sum(totals: &Totals) -> String {
    let Totals { lines, attempted, passed, failed, defects, unsupported, skipped } = *totals;
    let [lines, attempted, passed, failed, defects, unsupported, skipped] =
        [lines, attempted, passed, failed, defects, unsupported, skipped].map(thousands);
    format!(
        "{lines} lines: {attempted} attempted, {passed} passed, {failed} failed, {defects} known defects, \
         {unsupported} unsupported, {skipped} skipped"
    )
}

/// Operation for which some published answers could not be compared with the provider's answers. The provider does not
/// accept the random bytes or the key encoding of these answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotCompared {
    /// Id of the provider.
    pub provider: String,
    /// Name of the algorithm.
    pub algorithm: String,
    /// The operation, such as `signing`.
    pub operation: String,
    /// Number of published answers that were compared.
    pub asked: u64,
    /// Number of published answers.
    pub published: u64,
}

/// Returns each provider's operations for which some published answers were not compared.
pub fn not_compared(lines: &[Line]) -> Vec<NotCompared> {
    let mut all: Vec<NotCompared> = Vec::new();
    for line in lines {
        for Compared { operation, asked, published } in &line.compared {
            let (provider, algorithm) = (&line.provider, &line.algorithm);
            let same = |one: &&mut NotCompared| {
                (&one.provider, &one.algorithm, &one.operation) == (provider, algorithm, operation)
            };
            if let Some(one) = all.iter_mut().find(same) {
                one.asked += asked;
                one.published += published;
            } else {
                let (provider, algorithm, operation) = (provider.clone(), algorithm.clone(), operation.clone());
                all.push(NotCompared { provider, algorithm, operation, asked: *asked, published: *published });
            }
        }
    }
    all.retain(|one| one.asked < one.published);
    all
}

/// Writes one line for each combination of provider, operation and counts. The line lists the algorithms with this
/// combination.
fn gaps(out: &mut String, all: &[NotCompared], width: usize) {
    if all.is_empty() {
        return;
    }
    title(out, "Not compared with published answers");
    let key = |one: &NotCompared| (one.provider.clone(), one.operation.clone(), one.asked, one.published);
    let mut groups: Vec<(&NotCompared, Vec<&str>)> = Vec::new();
    for one in all {
        match groups.iter_mut().find(|(first, _)| key(first) == key(one)) {
            Some((_, algorithms)) => algorithms.push(&one.algorithm),
            None => groups.push((one, vec![&one.algorithm])),
        }
    }
    for (NotCompared { provider, operation, asked, published, .. }, algorithms) in groups {
        let (algorithms, asked, published) = (algorithms.join(", "), thousands(*asked), thousands(*published));
        let text = format!("{provider}, {algorithms}, {operation}: compared {asked} of {published} published answers");
        out.push_str(&wrapped(&text, width, 4));
    }
    out.push('\n');
}

fn kind(line: &Line) -> usize {
    let begins = |(_, beginnings): &(&str, &[&str])| beginnings.iter().any(|begins| line.suite.starts_with(begins));
    KINDS.iter().position(begins).unwrap_or(KINDS.len() - 1)
}

fn family(algorithm: &str) -> usize {
    let begins = |family: &&[&str]| family.iter().any(|begins| algorithm.starts_with(begins));
    FAMILIES.iter().position(begins).unwrap_or(FAMILIES.len())
}

fn section(out: &mut String, heading: &str, lines: &[&Line], width: usize) {
    if lines.is_empty() {
        return;
    }
    let mut notes = Notes::default();
    let columns = distinct(lines.iter().flat_map(|line| sides(line)));
    let mut algorithms = distinct(lines.iter().map(|line| line.algorithm.as_str()));
    algorithms.sort_by_key(|algorithm| family(algorithm));
    let row = |algorithm: &str| {
        let cells = columns.iter().map(|provider| {
            let here = |line: &&&Line| line.algorithm == algorithm && sides(line).any(|side| side == *provider);
            cell(&lines.iter().filter(here).copied().collect::<Vec<_>>(), &mut notes)
        });
        (algorithm.to_owned(), cells.collect())
    };
    let rows = together(algorithms.into_iter().map(row).collect());
    let columns = columns.iter().map(|&provider| provider.to_owned()).collect();
    title(out, heading);
    out.push_str(&Grid { columns, rows }.text(width));
    // A pair appears in the cells of both providers, but its reasons must count only once.
    for (letter, note) in notes.notes.iter().enumerate() {
        let count: u64 = lines.iter().map(|line| Notes::count(line).get(note).copied().unwrap_or_default()).sum();
        let text = format!("{}  {note} ({})", Notes::letter(letter), thousands(count));
        out.push_str(&wrapped(&text, width, 4));
    }
    out.push('\n');
}

/// Merges neighboring rows of one family if their cells are equal and show no attempted vector.
fn together(rows: Vec<(String, Vec<String>)>) -> Vec<(String, Vec<String>)> {
    let nothing = |cells: &[String]| cells.iter().all(|cell| cell.is_empty() || cell.starts_with('-'));
    let alike = |one: &(String, Vec<String>), other: &(String, Vec<String>)| {
        one.1 == other.1 && nothing(&one.1) && family(&one.0) == family(&other.0)
    };
    let one_row = |rows: &[(String, Vec<String>)]| {
        let (first, cells) = &rows[0];
        let shared =
            rows.iter().map(|(name, _)| name.bytes().zip(first.bytes()).take_while(|(a, b)| a == b).count()).min();
        let label = match rows.len() {
            1 => first.clone(),
            several => format!("{}* ({several})", &first[..shared.unwrap_or_default()]),
        };
        (label, cells.clone())
    };
    rows.chunk_by(alike).map(one_row).collect()
}

/// Returns the provider of a line, and the peer if it differs from the provider.
fn sides(line: &Line) -> impl Iterator<Item = &str> {
    let peer = line.peer.as_deref().filter(|peer| *peer != line.provider);
    [line.provider.as_str()].into_iter().chain(peer)
}

/// Formats a cell: `!` if a vector failed, the numbers of passed and attempted vectors, and the letters of the notes.
fn cell(lines: &[&Line], notes: &mut Notes) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let totals = Totals::count(lines.iter().copied());
    let mut letters: Vec<usize> =
        lines.iter().flat_map(|line| Notes::count(line).into_keys()).map(|note| notes.number(note)).collect();
    letters.sort_unstable();
    letters.dedup();
    let letters: Vec<String> = letters.into_iter().map(Notes::letter).collect();
    let figures = if totals.attempted == 0 {
        "-".to_owned()
    } else {
        let failed = if totals.failed > 0 { "!" } else { "" };
        format!("{failed}{}/{}", totals.passed, totals.attempted)
    };
    if letters.is_empty() { figures } else { format!("{figures} {}", letters.concat()) }
}

/// Notes on the cells of a grid. Each note is listed once, under a letter.
#[derive(Default)]
struct Notes {
    notes: Vec<String>,
}

impl Notes {
    /// Returns the notes on a line, each with the number of vectors to which it applies.
    fn count(line: &Line) -> BTreeMap<String, u64> {
        let mut notes = BTreeMap::new();
        for defect in &line.defects {
            *notes.entry("known defect, see below".to_owned()).or_default() += defect.count;
        }
        for reason in &line.reasons {
            // Remove text in parentheses, which differs between vectors, so that their notes are merged.
            let of_all = reason.reason.rsplit_once(" (").filter(|(_, last)| last.ends_with(')'));
            let of_all = of_all.map_or(reason.reason.as_str(), |(of_all, _)| of_all);
            *notes.entry(format!("unsupported: {of_all}")).or_default() += reason.count;
        }
        if let Some(skipped) = &line.skipped {
            *notes.entry(format!("skipped: {skipped}")).or_default() += 1;
        }
        notes
    }

    fn number(&mut self, note: String) -> usize {
        self.notes.iter().position(|known| *known == note).unwrap_or_else(|| {
            self.notes.push(note);
            self.notes.len() - 1
        })
    }

    /// Returns the letter of a note: `a` to `z`, `A` to `Z`, then numbers.
    fn letter(number: usize) -> String {
        match u32::try_from(number) {
            Ok(small @ 0..26) => char::from_u32(u32::from('a') + small).map_or_else(String::new, String::from),
            Ok(small @ 26..52) => char::from_u32(u32::from('A') + small - 26).map_or_else(String::new, String::from),
            _ => format!("[{number}]"),
        }
    }
}

fn title(out: &mut String, heading: &str) {
    out.push_str(heading);
    out.push('\n');
    out.push_str(&"-".repeat(heading.chars().count()));
    out.push('\n');
}

fn edge_case_section(out: &mut String, edge_cases: &[EdgeCases], width: usize) {
    let Some(first) = edge_cases.first() else { return };
    title(out, "Ed25519 edge cases that each library accepts");
    let cell = |of: &EdgeCases, row: usize| {
        of.classes.get(row).map_or_else(String::new, |class| format!("{}/{}", class.accepted, class.cases))
    };
    let row = |(row, class): (usize, &crate::EdgeClass)| {
        (class.class.clone(), edge_cases.iter().map(|of| cell(of, row)).collect())
    };
    let columns = edge_cases.iter().map(|of| of.provider.clone()).collect();
    let rows = first.classes.iter().enumerate().map(row).collect();
    out.push_str(&Grid { columns, rows }.text(width));
    let mut alike: Vec<(&str, Vec<&str>)> = Vec::new();
    for of in edge_cases {
        match alike.iter_mut().find(|(accepted, _)| *accepted == of.accepted) {
            Some((_, providers)) => providers.push(&of.provider),
            None => alike.push((&of.accepted, vec![&of.provider])),
        }
    }
    let text = match alike.as_slice() {
        [_] => "All libraries accept the same signatures.".to_owned(),
        several => {
            let groups: Vec<String> = several.iter().map(|(_, providers)| providers.join(" and ")).collect();
            let groups = groups.join("; ");
            format!(
                "The libraries disagree about which signatures are valid. Groups that agree: {groups}. In a system that mixes groups, one library may reject a signature that another accepts."
            )
        }
    };
    out.push_str(&wrapped(&text, width, 0));
    out.push('\n');
}

fn failures<'a>(out: &mut String, lines: impl Iterator<Item = &'a Line>, width: usize) {
    let failed: Vec<&Line> = lines.filter(|line| line.failed() > 0).collect();
    if failed.is_empty() {
        return;
    }
    title(out, "Failures");
    for line in failed {
        let peer = line.peer.as_ref().map(|peer| format!(" with {peer}")).unwrap_or_default();
        let (provider, algorithm, suite) = (&line.provider, &line.algorithm, &line.suite);
        let counts = format!("{} of {}", thousands(line.failed()), thousands(line.attempted));
        out.push_str(&wrapped(&format!("{provider}{peer}, {algorithm}, {suite}: {counts}"), width, 4));
        for failure in &line.failures {
            out.push_str("  ");
            out.push_str(&wrapped(&format!("- {failure}"), width - 2, 4));
        }
    }
    out.push('\n');
}

fn defects<'a>(out: &mut String, lines: impl Iterator<Item = &'a Line>, width: usize) {
    let mut found: BTreeMap<(&str, &str), (u64, Vec<&str>)> = BTreeMap::new();
    for line in lines {
        for defect in &line.defects {
            let entry = found.entry((&line.provider, &defect.reason)).or_default();
            entry.0 += defect.count;
            if !entry.1.contains(&line.algorithm.as_str()) {
                entry.1.push(&line.algorithm);
            }
        }
    }
    if found.is_empty() {
        return;
    }
    title(out, "Known defects: wrong answers expected from these versions");
    for ((provider, what), (count, algorithms)) in found {
        let version = KNOWN_DEFECTS.iter().find(|defect| defect.what == what).map_or("", |defect| defect.version);
        let version = version.trim_end_matches('.');
        let text = format!("{provider} {version}, {}: {what} (vectors: {})", algorithms.join(", "), thousands(count));
        out.push_str(&wrapped(&text, width, 4));
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EdgeClass, Reason};

    fn line(provider: &str, suite: &str, attempted: u64, passed: u64) -> Line {
        Line {
            provider: provider.to_owned(),
            algorithm: "ML-DSA-44".to_owned(),
            suite: suite.to_owned(),
            attempted,
            passed,
            ..Line::default()
        }
    }

    fn accepting(provider: &str, accepted: u64) -> EdgeCases {
        let classes = vec![EdgeClass { class: "A is of small order".to_owned(), cases: 4, accepted }];
        EdgeCases { provider: provider.to_owned(), classes, accepted: format!("{accepted:02x}") }
    }

    fn lines() -> (Vec<Line>, Vec<Line>) {
        let mut gap = line("a", "ACVP ML-DSA sigGen", 3, 3);
        gap.unsupported = 5;
        gap.reasons = ["SHA2-224", "SHA2-384"]
            .map(|function| Reason { reason: format!("no such function ({function})"), count: 2 })
            .to_vec();
        gap.compared = vec![Compared { operation: "signing".to_owned(), asked: 0, published: 5 }];
        let mut wrong = line("b", "ACVP ML-DSA keyGen", 2_000, 1_999);
        wrong.failures = vec!["7: wrong value".to_owned()];
        let mut defective = line("b", "Wycheproof ML-DSA verify", 9, 7);
        defective.defects = vec![Reason { reason: KNOWN_DEFECTS[0].what.to_owned(), count: 2 }];
        let mut skipped = line("a", "CAVP SHA-3 long messages", 0, 0);
        skipped.skipped = Some("not there".to_owned());
        let mut pair = line("a", "interoperability", 6, 6);
        pair.peer = Some("b".to_owned());
        (vec![gap, line("a", "ACVP ML-DSA keyGen", 25, 25), wrong, defective, skipped], vec![pair])
    }

    #[test]
    fn the_page_shows_everything_that_matters() {
        let (vectors, pairs) = lines();
        for width in [60, 80, 120] {
            let page = page(&vectors, &pairs, &[accepting("a", 4), accepting("b", 0)], width);
            for text in [
                "NIST ACVP\n---------\n",
                "ML-DSA-44  28/28 a  !1999/2000\n",
                "a  unsupported: no such function (4)\n",
                "a  known defect, see below (2)\n",
                "a  skipped: not there (1)\n",
                "ML-DSA-44  6/6  6/6\n",
                "A is of small order  4/4  0/4\nThe libraries disagree about which signatures are valid.",
                "b, ML-DSA-44, ACVP ML-DSA keyGen: 1 of 2,000\n  - 7: wrong value\n",
                "b 0.13, ML-DSA-44: verification on AVX2",
                "a, ML-DSA-44, signing: compared 0 of 5 published",
                "6 lines: 2,043 attempted,",
            ] {
                assert!(page.contains(text), "{width}: {text}\n{page}");
            }
            let widest = page.lines().filter(|line| !line.starts_with("---") && line.contains(' ')).map(str::len).max();
            assert!(widest <= Some(width.max(70)), "{page}");
        }
    }

    #[test]
    fn omits_failures_if_there_are_none() {
        let page = page(&[line("a", "RFC 1", 2, 2)], &[], &[accepting("a", 4), accepting("b", 4)], 80);
        assert!(page.contains("Other published vectors") && page.contains("All libraries accept the same signatures."));
        for text in ["Failures", "Known defects", "Wycheproof"] {
            assert!(!page.contains(text), "{page}");
        }
    }
}
