//! Charts of hybrids: the time of each operation, divided into its classical and its post-quantum half.

use crate::charts::areas::subject;
use crate::charts::stack::{
    BARS, Bar, HALVES, MOST, any_approximate, doubt_of, fastest_of_each, lower_sentence, stacked,
};
use crate::charts::{Chart, slug};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::estimates::scaled;
use pqlab_analysis::hybrid::{Decomposition, decompositions};
use pqlab_record::Record;

/// Ledger operations without cryptography: they neither sign nor verify.
const UNCRYPTOGRAPHIC: [&str; 2] = ["encode", "decode"];

/// Operation that covers a complete key exchange.
const HANDSHAKE: &str = "handshake";
const PARTS: [&str; 3] = ["classical half", "post-quantum half", "overhead"];
const NOTE: &str = "Means over the same rounds. Overhead: the time of the hybrid minus the times of both \
                    halves, drawn only if it is positive. Diamond: the time of the hybrid.";

fn bar(analysis: &RunAnalysis<'_>, one: &Decomposition<'_>) -> Bar {
    let case = &one.hybrid.case;
    let figure = |record: &Record| analysis.cases().iter().find(|row| std::ptr::eq(row.record, record))?.time();
    let figures = [one.hybrid, one.classical, one.post_quantum].map(figure);
    Bar {
        name: case.name(),
        provider: case.provider.clone(),
        algorithm: case.algorithm.clone(),
        parts: vec![one.classical_ns, one.post_quantum_ns, one.combiner_ns().estimate.max(0.0)],
        whole: figures[0].map(|figure| scaled(&figure, one.hybrid_ns / figure.estimate)),
        approximate: any_approximate(&figures),
        doubt: doubt_of(&one.caveats),
        faster: Vec::new(),
        tied: Vec::new(),
    }
}

/// Draws the time of a complete key exchange for each hybrid. Divides the time into the two halves and the overhead.
pub(crate) fn handshakes(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let handshakes =
        |one: &Decomposition<'_>| one.hybrid.case.workload == area && one.hybrid.case.operation == HANDSHAKE;
    let all: Vec<Decomposition<'_>> = decompositions(analysis).into_iter().filter(handshakes).collect();
    let short = |one: &Decomposition<'_>| Bar { name: one.hybrid.case.algorithm.clone(), ..bar(analysis, one) };
    let bars = all.iter().map(short).collect();
    let note = format!("Key exchange: keygen, encapsulate and decapsulate. {NOTE}");
    let title = format!("{}: time of a whole key exchange, split into halves", subject(area));
    stacked(analysis, &format!("handshake-{}", slug(area)), &title, &PARTS, bars, MOST, [&note, HALVES])
}

/// Draws the times of each hybrid's other operations, divided into the two halves. The halves were measured in the same
/// rounds as the hybrid. Operations on blocks and operations without cryptography need a different scale. The chart
/// omits them if the run contains operations on single items.
pub(crate) fn halves(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let mut of_area = decompositions(analysis);
    of_area.retain(|one| one.hybrid.case.workload == area && one.hybrid.case.operation != HANDSHAKE);
    let cryptography = |one: &Decomposition<'_>| {
        let case = &one.hybrid.case;
        case.transactions().is_none() && !UNCRYPTOGRAPHIC.contains(&case.operation.as_str())
    };
    if of_area.iter().any(cryptography) {
        of_area.retain(cryptography);
    }
    let title = format!("{}: time of each operation with its fastest ranked pair, split into halves", subject(area));
    let (bars, lower) = fastest_of_each(of_area.iter().map(|one| bar(analysis, one)).collect());
    let note = format!("{NOTE}{}", lower_sentence(BARS, &lower));
    stacked(analysis, &format!("halves-{}", slug(area)), &title, &PARTS, bars, MOST, [&note, HALVES])
}
