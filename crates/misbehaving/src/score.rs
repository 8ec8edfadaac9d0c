//! The `pqlab-mutants` program: verifies every entry in the catalog of bugs, and prints which checks find which bug. If
//! there are arguments, verifies only bugs with a name that contains one of the arguments.

#![allow(clippy::print_stdout, reason = "the table is the output")]

use pqlab_misbehaving::mutants::{Finding, Libraries, Mutant, catalogue};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{env, thread};

fn main() -> ExitCode {
    let wanted: Vec<String> = env::args().skip(1).collect();
    let is_wanted = |mutant: &Mutant| wanted.is_empty() || wanted.iter().any(|part| mutant.name.contains(part));
    let mutants: Vec<Mutant> = catalogue().into_iter().filter(is_wanted).collect();
    // Print no messages for panics, because a library with a bug may panic. A panic counts as a finding.
    std::panic::set_hook(Box::new(|_| {}));
    let findings = verify(&mutants);
    println!("| bug | source | found by | further checks | ms |\n|---|---|---|---:|---:|");
    let (mut found, mut missed) = (0, 0);
    for (mutant, finding) in mutants.iter().zip(&findings) {
        let by = match (finding.checks.as_slice(), mutant.hidden) {
            ([(suite, first), ..], _) => format!("{suite}: {first}"),
            ([], Some(reason)) => format!("no black-box test can find it: {reason}"),
            ([], None) => "**not found**".to_owned(),
        };
        match (finding.checks.is_empty(), mutant.hidden) {
            (false, _) => found += 1,
            (true, None) => missed += 1,
            (true, Some(_)) => {}
        }
        let further = finding.checks.len().saturating_sub(1);
        println!("| {} | {} | {by} | {further} | {} |", mutant.name, mutant.source, finding.ms);
    }
    println!("\n{} bugs: {found} found, {missed} not found", mutants.len());
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Verifies the mutants on all processors, and returns the findings in the order of the mutants.
fn verify(mutants: &[Mutant]) -> Vec<Finding> {
    let (libraries, next) = (Libraries::linked(), AtomicUsize::new(0));
    let findings: Mutex<Vec<(usize, Finding)>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((place, mutant)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|place| Some((place, mutants.get(place)?)))
                {
                    let finding = mutant.verify(&libraries);
                    findings.lock().unwrap_or_else(PoisonError::into_inner).push((place, finding));
                }
            });
        }
    });
    let mut findings = findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    findings.sort_by_key(|(place, _)| *place);
    findings.into_iter().map(|(_, finding)| finding).collect()
}
