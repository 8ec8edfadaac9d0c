//! Charts of hash functions: core cycles per byte by message length, for each library and code path.

use crate::charts::areas::subject;
use crate::charts::canvas::Quantity;
use crate::charts::curves::{Plot, draw, series, statistic_of};
use crate::charts::ratios::{ESTIMATED, is_estimated};
use crate::charts::{Chart, slug};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct, grouped};
use pqlab_record::Parameter;

/// Name of the area.
const AREA: &str = "hash";
/// Operation that hashes one message in a single call.
const OPERATION: &str = "digest";
/// Maximum number of hash functions, each with its own picture.
const MOST: usize = 4;

/// Draws one picture per hash function, at most [`MOST`]. Prefers functions that more libraries implement.
pub(crate) fn cycles_per_byte(analysis: &RunAnalysis<'_>, area: &str) -> Vec<Chart> {
    if area != AREA {
        return Vec::new();
    }
    let digest = |row: &&CaseAnalysis<'_>| {
        let case = row.case();
        case.operation == OPERATION
            && case.has_only(&[Parameter::LENGTH, Parameter::OUTPUT])
            && row.cycles_per_byte().is_some()
    };
    let libraries = |rows: &[&CaseAnalysis<'_>]| distinct(rows.iter().map(|row| row.case().provider.as_str())).len();
    let function = |row: &CaseAnalysis<'_>| (row.case().algorithm.clone(), row.case().output_length());
    let mut functions = grouped(analysis.area(AREA).filter(digest), function);
    functions.retain(|(_, rows)| libraries(rows) > 1);
    functions.sort_by_key(|(_, rows)| std::cmp::Reverse(libraries(rows)));
    let picture = |((algorithm, output), rows): &((String, Option<u64>), Vec<&CaseAnalysis<'_>>)| {
        let all = series(rows.iter().copied(), Parameter::LENGTH, |row| row.cycles_per_byte(), statistic_of);
        let named = output.map_or_else(String::new, |bytes| format!(" with {bytes} bytes of output"));
        let output = output.map_or_else(String::new, |bytes| format!(", {bytes}-byte output"));
        let plot = Plot {
            name: format!("cycles-per-byte-{}", slug(&format!("{algorithm}{named}"))),
            title: format!("{}: core cycles per byte by message length{output}", subject(area)),
            across: ("message length", Quantity::Bytes),
            up: ("core cycles per byte of message", Quantity::Plain),
            log: true,
            ideal: false,
            note: if rows.iter().any(|row| is_estimated(row)) { ESTIMATED } else { "" },
        };
        draw(analysis, &plot, all)
    };
    functions.iter().filter_map(picture).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn functions_of_several_libraries_have_a_picture_by_length() {
        let run = fixtures::references_run();
        let charts = cycles_per_byte(&RunAnalysis::new(&run), AREA);
        for chart in &charts {
            assert!(chart.svg.contains("core cycles per byte of message"), "{}", chart.svg);
        }
        assert!(cycles_per_byte(&RunAnalysis::new(&run), "kem").is_empty());
    }
}
