//! The benchmark of adapters knows every operation of every library, and both sides of each of its comparisons work.

#![allow(clippy::unwrap_used, clippy::print_stdout)]
#![allow(dead_code, unused_imports, reason = "what only the benchmark itself needs")]

#[path = "../benches/interleaved/mod.rs"]
mod interleaved;
#[path = "../benches/adapter/libraries/mod.rs"]
mod libraries;
#[path = "../benches/adapter/operations/mod.rs"]
mod operations;

use operations::Coverage;

#[test]
fn every_operation_is_compared_or_has_a_reason_and_both_sides_work() {
    let cases = operations::offered();
    let coverage = operations::coverage(&cases);
    let missing = cases.iter().zip(&coverage).filter(|(_, coverage)| **coverage == Coverage::Missing);
    let missing: Vec<String> = missing.map(|(case, _)| case.name()).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    let mut compared = 0;
    for (case, _) in cases.iter().zip(&coverage).filter(|(_, coverage)| **coverage == Coverage::Measured) {
        let mut comparison = libraries::comparison(case).unwrap();
        for side in [&mut comparison.first, &mut comparison.second] {
            side.ready(2);
            side.run(2);
        }
        compared += 1;
    }
    assert!(compared > 0);
}
