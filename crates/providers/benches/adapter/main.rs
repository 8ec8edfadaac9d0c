//! Measures the overhead of the adapters. Each operation runs in two ways: through the traits, as in the workloads, and
//! as direct calls to the library. Both run interleaved in the same process with the same inputs.
//!
//! The benchmark covers each path through an adapter once: generating a key, using a prepared key, loading a key in
//! each encoding, and signing a pre-hashed message. Among algorithms that share a path, it measures the one with the
//! fastest operations, because the adapter's overhead weighs most there. It skips caller-supplied coins, because an
//! adapter only passes them on.
//!
//! Prints the time per operation and the adapter's overhead, with a 95% interval over processes. The limit for the
//! overhead is 1% of the operation or 20 ns, whichever is larger. An operation is marked `above` if the overhead
//! exceeds the limit, and `unclear` if only the upper end of the interval does.
//!
//! Then prints how many operations were not compared and why: either another parameter set covers their adapter code,
//! or `libraries/reasons.rs` gives a reason. If any other operation was not compared, the benchmark names it and fails.
//!
//! Arguments select the comparisons whose names contain every argument. `--list` prints the names without measuring.

#![allow(clippy::print_stdout)]

#[path = "../interleaved/mod.rs"]
mod interleaved;
mod libraries;
mod operations;

use interleaved::{Found, PROCESSES};
use operations::{Case, Coverage};
use std::process::ExitCode;

/// Maximum overhead of an adapter: this fraction of the operation's time, or [`FLOOR`] ns, whichever is larger.
const SHARE: f64 = 0.01;
const FLOOR: f64 = 20.0;

fn main() -> ExitCode {
    let cases = operations::offered();
    if let Some(name) = interleaved::requested() {
        let case = cases.iter().find(|case| case.name() == name).expect("unknown operation");
        interleaved::answer(libraries::comparison(case).expect("this operation has no comparison"));
        return ExitCode::SUCCESS;
    }
    let words = interleaved::words();
    let list = words.iter().any(|word| word == "--list");
    let coverage = operations::coverage(&cases);
    let measured = cases.iter().zip(&coverage).filter(|(_, coverage)| **coverage == Coverage::Measured);
    let wanted = |case: &Case| words.iter().filter(|word| *word != "--list").all(|word| case.name().contains(word));
    println!("{:<56} {:>14} {:>11}   95% interval, {PROCESSES} processes or more", "", "operation", "adapter");
    for (case, _) in measured.filter(|(case, _)| wanted(case)) {
        match list {
            true => println!("{}", case.name()),
            false => print_found(&case.name(), &found(&case.name())),
        }
    }
    print_coverage(&cases, &coverage)
}

/// Runs a comparison. If the result is not clearly below the limit, runs the comparison again in four times as many
/// processes.
fn found(name: &str) -> Found {
    let found = interleaved::find(name, PROCESSES);
    if mark(&found).is_empty() { found } else { interleaved::find(name, 4 * PROCESSES) }
}

fn mark(found: &Found) -> &'static str {
    let (own, limit) = (found.difference, FLOOR.max(SHARE * found.second));
    match () {
        () if own.estimate > limit => "above",
        () if own.high > limit => "unclear",
        () => "",
    }
}

fn print_found(name: &str, found: &Found) {
    let (own, mark) = (found.difference, mark(found));
    let share = 100.0 * (found.ratio.estimate - 1.0);
    let (operation, part) = (found.first, own.estimate);
    println!("{name:<56} {operation:>11.1} ns {part:>8.1} ns   [{:.1}, {:.1}] {share:>6.2}% {mark}", own.low, own.high);
}

/// Prints which operations were not compared and why. Returns failure if an operation has no reason.
fn print_coverage(cases: &[Case], coverage: &[Coverage]) -> ExitCode {
    let count = |wanted: fn(&Coverage) -> bool| coverage.iter().filter(|one| wanted(one)).count();
    println!();
    println!("{} operations: {} compared", cases.len(), count(|one| *one == Coverage::Measured));
    println!("{} run the same adapter code as a compared operation", count(|one| *one == Coverage::Alike));
    for reason in libraries::reasons() {
        let count = coverage.iter().filter(|one| **one == Coverage::Reason(reason)).count();
        if count > 0 {
            println!("{count} not comparable: {reason}");
        }
    }
    let missing = cases.iter().zip(coverage).filter(|(_, coverage)| **coverage == Coverage::Missing);
    let missing: Vec<&Case> = missing.map(|(case, _)| case).collect();
    println!("{} have neither a comparison nor a reason; one example per kind:", missing.len());
    for (index, case) in missing.iter().enumerate() {
        if !missing[..index].iter().any(|before| before.is_like(case)) {
            println!("    {}", case.name());
        }
    }
    if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
