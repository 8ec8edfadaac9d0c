//! Runs the checks with inputs generated at run time. The linked libraries must show only known defects.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use pqlab_verification::{Line, Vectors, verify};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn linked_libraries_show_only_known_defects() {
    let providers = pqlab_providers::providers();
    let algorithms: BTreeSet<String> = providers.iter().flat_map(|provider| provider.algorithms()).collect();
    let algorithms: Vec<String> = algorithms.into_iter().collect();
    let lines_of = |algorithm: &String| {
        let mut lines = Vec::new();
        let select = |_: &str, name: &str, suite: &str| name == algorithm && suite.starts_with("run time");
        verify(&providers, &Vectors::new(None), &select, &mut |line: Line| lines.push(line));
        lines
    };
    let lines: Vec<Line> = algorithms.par_iter().with_max_len(1).flat_map_iter(lines_of).collect();
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
