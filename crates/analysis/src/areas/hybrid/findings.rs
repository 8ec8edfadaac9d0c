//! Findings about hybrids.

use super::{AREA, Decomposition, decompositions};
use crate::estimates::scaled;
use crate::number::decimals_of;
use crate::recommendation::{Against, UseCase};
use crate::run::RunAnalysis;

/// Hybrid key exchanges that are compared with each other.
const HYBRIDS: [&str; 4] = ["X-Wing", "MLKEM768-X25519-SHA3-256", "X25519MLKEM768", "X25519+ML-KEM-768"];
/// Hybrids that only a reference system uses. No standard defines them.
pub(crate) const OF_REFERENCE: [&str; 2] = ["X25519+ML-KEM-768", "Ed25519+ML-DSA-65"];
/// Hybrid signatures that are compared with each other.
const HYBRID_SIGNATURES: [&str; 2] = ["MLDSA65-Ed25519-SHA512", "Ed25519+ML-DSA-65"];

/// Use cases in this area.
pub(crate) const USE_CASES: &[UseCase] = &[
    UseCase {
        name: "Hybrid key exchange",
        area: AREA,
        operations: &["handshake"],
        what: "a complete exchange with both halves",
        algorithms: |name| HYBRIDS.contains(&name),
        ..UseCase::USUAL
    },
    UseCase {
        name: "Hybrid signing",
        area: AREA,
        operations: &["sign"],
        what: "signing one message with both halves",
        algorithms: |name| HYBRID_SIGNATURES.contains(&name),
        ..UseCase::USUAL
    },
    UseCase {
        name: "Hybrid verification",
        area: AREA,
        operations: &["verify"],
        what: "verifying both halves of one signature",
        algorithms: |name| HYBRID_SIGNATURES.contains(&name),
        ..UseCase::USUAL
    },
    UseCase {
        name: "Hybrid signature cycle",
        area: AREA,
        operations: &["cycle"],
        what: "generating a key pair, signing and verifying with both halves",
        algorithms: |name| HYBRID_SIGNATURES.contains(&name),
        ..UseCase::USUAL
    },
];

/// Comparisons with classical algorithms.
pub(crate) const AGAINST: &[Against] = &[
    ("Hybrid key exchange", AREA, &["handshake"], "X-Wing", "X25519"),
    ("Hybrid signature cycle", AREA, &["cycle"], "MLDSA65-Ed25519-SHA512", "Ed25519"),
    ("Hybrid signature cycle", AREA, &["cycle"], "Ed25519+ML-DSA-65", "Ed25519"),
    ("Hybrid verification", AREA, &["verify"], "MLDSA65-Ed25519-SHA512", "Ed25519"),
];

/// Hybrid key exchanges that [`in_parts`] may describe, most widely used first.
const DESCRIBED: [&str; 3] = ["X25519MLKEM768", "X-Wing", "MLKEM768-X25519-SHA3-256"];

/// Describes the time of a complete hybrid key exchange with the fastest pair of libraries, and the times of its parts.
/// Returns `None` unless the run measured a hybrid key exchange together with its halves, all without caveats.
pub(crate) fn in_parts(analysis: &RunAnalysis<'_>) -> Option<String> {
    let all = decompositions(analysis);
    let sound = |parts: &&Decomposition<'_>| {
        parts.caveats.notes().next().is_none() && parts.hybrid.case.operation == "handshake"
    };
    let parts = DESCRIBED.iter().find_map(|name| {
        let same = all.iter().filter(sound).filter(|parts| parts.hybrid.case.algorithm == *name);
        same.min_by(|one, other| one.hybrid_ns.total_cmp(&other.hybrid_ns))
    })?;
    let decimals = decimals_of(&scaled(&parts.combiner_ns(), 1e-3)).min(2);
    let us = |ns: f64| format!("{:.decimals$}", ns / 1e3);
    let combiner = parts.combiner_ns().estimate;
    Some(format!(
        "Hybrid in parts: {} by {}, mean {} µs for a complete exchange with caller-supplied randomness ({} µs {} + {} \
         µs {} {} {} µs combiner).",
        parts.hybrid.case.algorithm,
        parts.hybrid.case.provider,
        us(parts.hybrid_ns),
        us(parts.classical_ns),
        parts.classical.case.algorithm,
        us(parts.post_quantum_ns),
        parts.post_quantum.case.algorithm,
        if combiner < 0.0 { "-" } else { "+" },
        us(combiner.abs()),
    ))
}
