//! Checks that the `adapter` benchmark covers every operation that a library offers, and that both sides of each
//! comparison run.

#![allow(clippy::unwrap_used, clippy::print_stdout)]
#![allow(dead_code, unused_imports, reason = "some items are used only by the benchmark")]

#[path = "../benches/interleaved/mod.rs"]
mod interleaved;
#[path = "../benches/adapter/libraries/mod.rs"]
mod libraries;
#[path = "../benches/adapter/operations/mod.rs"]
mod operations;

use operations::Coverage;

#[test]
fn every_operation_has_a_working_comparison_or_a_reason() {
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
