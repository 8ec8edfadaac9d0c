//! What is found of hybrids.

use super::{AREA, Decomposition, decompositions};
use crate::estimates::scaled;
use crate::number::decimals_of;
use crate::recommendation::{Against, UseCase};
use crate::run::RunAnalysis;

/// Hybrid key exchanges that are set against each other.
const HYBRIDS: [&str; 4] = ["X-Wing", "MLKEM768-X25519-SHA3-256", "X25519MLKEM768", "X25519+ML-KEM-768"];
/// Constructions of one of the reference systems, which no standard names.
pub(crate) const OF_REFERENCE: [&str; 2] = ["X25519+ML-KEM-768", "Ed25519+ML-DSA-65"];
/// Hybrid signatures that are.
const HYBRID_SIGNATURES: [&str; 2] = ["MLDSA65-Ed25519-SHA512", "Ed25519+ML-DSA-65"];

/// The use cases of the area.
pub(crate) const USE_CASES: &[UseCase] = &[
    UseCase {
        name: "Hybrid key exchange",
        area: AREA,
        operations: &["handshake"],
        what: "a whole exchange, both halves",
        algorithms: |name| HYBRIDS.contains(&name),
        ..UseCase::USUAL
    },
    UseCase {
        name: "Hybrid signing",
        area: AREA,
        operations: &["sign"],
        what: "one signature of both halves",
        algorithms: |name| HYBRID_SIGNATURES.contains(&name),
        ..UseCase::USUAL
    },
    UseCase {
        name: "Hybrid verifying",
        area: AREA,
        operations: &["verify"],
        what: "one verification of both halves",
        algorithms: |name| HYBRID_SIGNATURES.contains(&name),
        ..UseCase::USUAL
    },
    UseCase {
        name: "Hybrid signature cycle",
        area: AREA,
        operations: &["cycle"],
        what: "keys made, one signature made and verified, both halves",
        algorithms: |name| HYBRID_SIGNATURES.contains(&name),
        ..UseCase::USUAL
    },
];

/// What is set against what is in use today.
pub(crate) const AGAINST: &[Against] = &[
    ("Hybrid key exchange", AREA, &["handshake"], "X-Wing", "X25519"),
    ("Hybrid signature cycle", AREA, &["cycle"], "MLDSA65-Ed25519-SHA512", "Ed25519"),
    ("Hybrid signature cycle", AREA, &["cycle"], "Ed25519+ML-DSA-65", "Ed25519"),
    ("Hybrid verifying", AREA, &["verify"], "MLDSA65-Ed25519-SHA512", "Ed25519"),
];

/// The hybrids of which an answer speaks, the most used first.
const SPOKEN_OF: [&str; 3] = ["X25519MLKEM768", "X-Wing", "MLKEM768-X25519-SHA3-256"];

/// What a whole exchange of a hybrid takes with the fastest pair of libraries, of what parts; `None` where none was measured beside
/// its halves.
pub(crate) fn in_parts(analysis: &RunAnalysis<'_>) -> Option<String> {
    let all = decompositions(analysis);
    let sound =
        |of: &&Decomposition<'_>| of.caveats.notes().next().is_none() && of.hybrid.case.operation == "handshake";
    let of = SPOKEN_OF.iter().find_map(|name| {
        let same = all.iter().filter(sound).filter(|of| of.hybrid.case.algorithm == *name);
        same.min_by(|one, other| one.hybrid_ns.total_cmp(&other.hybrid_ns))
    })?;
    let decimals = decimals_of(&scaled(&of.combiner_ns(), 1e-3)).min(2);
    let us = |ns: f64| format!("{:.decimals$}", ns / 1e3);
    let combiner = of.combiner_ns().estimate;
    Some(format!(
        "Hybrid in parts: {} by {}, mean {} µs for a whole exchange with given randomness = {} {} + {} {} {} {} combining them.",
        of.hybrid.case.algorithm,
        of.hybrid.case.provider,
        us(of.hybrid_ns),
        us(of.classical_ns),
        of.classical.case.algorithm,
        us(of.post_quantum_ns),
        of.post_quantum.case.algorithm,
        if combiner < 0.0 { "-" } else { "+" },
        us(combiner.abs()),
    ))
}
