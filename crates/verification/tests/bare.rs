//! Runs two verifications: one without a folder of vectors, and one with the vectors that `make vectors` downloads.
//! Compares their lines with recorded ones. After an intended change, `PQLAB_RENEW_SNAPSHOTS=1` records the lines
//! again. In the checks with inputs generated at run time, the linked libraries must show only known defects.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "test helpers")]

#[path = "counts/hidden.rs"]
mod hidden;

use hidden::is_verified;
use pqlab_primitives::Provider;
use pqlab_testing::{Need, require};
use pqlab_verification::{Line, Vectors, fetched_vectors, verify};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn providers() -> Vec<Arc<Provider>> {
    pqlab_providers::providers().into_iter().filter(|provider| is_verified(provider)).collect()
}

/// Verifies every algorithm of every provider.
fn verified(vectors: &Vectors) -> Vec<Line> {
    let providers = providers();
    let algorithms: BTreeSet<String> = providers.iter().flat_map(|provider| provider.algorithms()).collect();
    let algorithms: Vec<String> = algorithms.into_iter().collect();
    let lines_of = |algorithm: &String| {
        let mut lines = Vec::new();
        let select = |_: &str, name: &str, _: &str| name == algorithm;
        verify(&providers, vectors, &select, &mut |line| lines.push(line));
        lines
    };
    algorithms.par_iter().with_max_len(1).flat_map_iter(lines_of).collect()
}

/// Returns one line of text for each provider, algorithm and suite. A line contains the numbers of attempted and passed
/// vectors, known defects and unsupported vectors, or the reason for skipping the suite.
fn counted(lines: &[Line]) -> BTreeSet<String> {
    lines.iter().map(summary).collect()
}

fn summary(line: &Line) -> String {
    let Line { provider, algorithm, suite, attempted, passed, unsupported, skipped, .. } = line;
    let figures = match skipped {
        Some(reason) => format!("skipped: {reason}"),
        None => format!("{attempted} attempted, {passed} passed, {} defects, {unsupported} unsupported", line.known()),
    };
    format!("{provider}\t{algorithm}\t{suite}\t{figures}")
}

/// Compares the lines of the providers that offer algorithms on this CPU. A code path that needs a newer CPU offers no
/// algorithms. `offers_exactly_the_code_paths_of_this_cpu` in `counts.rs` checks such code paths.
fn compare(name: &str, actual: &BTreeSet<String>) {
    let file = Path::new("tests/counts").join(name);
    if std::env::var_os("PQLAB_RENEW_SNAPSHOTS").is_some() {
        let text = actual.iter().fold(String::new(), |mut text, line| {
            writeln!(text, "{line}").unwrap();
            text
        });
        fs::write(&file, text).unwrap();
    }
    let provider = |line: &str| line.split('\t').next().unwrap_or_default().to_owned();
    let here: BTreeSet<String> =
        providers().iter().filter(|provider| !provider.algorithms().is_empty()).map(|provider| provider.id()).collect();
    let known = fs::read_to_string(&file).unwrap();
    let known: BTreeSet<String> = known.lines().map(str::to_owned).collect();
    let providers: BTreeSet<String> = known.iter().map(|line| provider(line)).filter(|id| here.contains(id)).collect();
    let relevant = |lines: &BTreeSet<String>| -> BTreeSet<String> {
        lines.iter().filter(|line| providers.contains(&provider(line)) && !elsewhere(line)).cloned().collect()
    };
    let (known, actual) = (relevant(&known), relevant(actual));
    let gone: Vec<&String> = known.difference(&actual).collect();
    let new: Vec<&String> = actual.difference(&known).collect();
    assert!(gone.is_empty() && new.is_empty(), "{name}: missing {gone:#?}, unexpected {new:#?}");
    assert!(known.len() > 300, "{name} contains only {} lines", known.len());
}

/// Returns whether a line differs because liboqs does not run its AVX2 code, which contains the known defects. liboqs
/// queries the CPU itself, so pqlab cannot hide AVX2 from it.
fn elsewhere(line: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    let avx2 = std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let avx2 = false;
    !avx2 && line.starts_with("liboqs\tML-DSA-") && line.contains("\tWycheproof ML-DSA verify\t")
}

/// Checks the suites whose inputs are generated at run time: each must run, and show only known defects.
fn check_run_time(lines: &[Line]) {
    let lines: Vec<&Line> = lines.iter().filter(|line| line.suite.starts_with("run time")).collect();
    let mut suites: BTreeMap<&str, u64> = BTreeMap::new();
    for line in &lines {
        *suites.entry(&line.suite).or_default() += line.attempted;
    }
    println!("{suites:#?}");
    assert!(suites.values().all(|attempted| *attempted > 20), "every suite must run");
    for line in lines.iter().filter(|line| line.failed() > 0 || line.known() > 0) {
        println!("{}, {}, {}: {} of {}", line.provider, line.algorithm, line.suite, line.failed(), line.attempted);
        line.failures.iter().for_each(|failure| println!("  {failure}"));
        line.defects.iter().for_each(|defect| println!("  {} known: {}", defect.count, defect.reason));
    }
    assert!(lines.iter().all(|line| line.failed() == 0));
}

#[test]
fn without_a_folder_every_line_matches_the_record_and_defects_are_known() {
    let lines = verified(&Vectors::new(None));
    check_run_time(&lines);
    compare("bare.txt", &counted(&lines));
}

#[test]
fn with_fetched_files_every_line_matches_the_record() {
    let fetched = require!(fetched_vectors(), Need::Fetched);
    assert!(fetched.join("kat").is_dir(), "{}: incomplete, run `make vectors` again", fetched.display());
    compare("fetched.txt", &counted(&verified(&Vectors::new(None).with_fetched(Some(fetched)))));
}

/// Checks that the recorded lines skip neither embedded nor fetched vectors.
#[test]
fn skips_nothing_that_is_in_the_program() {
    let folder = Path::new("tests/counts");
    let bare = fs::read_to_string(folder.join("bare.txt")).unwrap();
    let with = |words: &[&str]| bare.lines().filter(|line| words.iter().all(|word| line.contains(word))).count();
    for suite in
        ["ACVP ML-KEM", "ACVP ML-DSA", "Wycheproof", "accumulated answers", "Monte Carlo", "liboqs known-answer"]
    {
        // The chains for SHA-2 are fetched, not embedded.
        let skipped = with(&[suite, "skipped"]) - with(&[suite, "CAVP SHA-2", "skipped"]);
        assert!(with(&[suite]) > 5 && skipped == 0, "{suite}: {skipped} skipped");
    }
    assert!(with(&["ACVP SLH-DSA", "skipped: not included in this build"]) > 10);
    let fetched = fs::read_to_string(folder.join("fetched.txt")).unwrap();
    assert!(!fetched.contains("make vectors"));
}
