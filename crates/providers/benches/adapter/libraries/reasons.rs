//! Reasons why the overhead of an adapter is not measured for some operations.

use crate::operations::Case;
use pqlab_primitives::PrimitiveKind;

const NULL: &str = "null: does no work, so every run already measures these calls as the harness's overhead";

const SLOW: &str = "RSA, SLH-DSA, SPHINCS+: an operation takes from 10 microseconds to several seconds, and their \
adapters make no more calls than the adapters of ECDSA and ML-DSA";

const X25519: &str = "X25519 as a KEM: the same calls as the key agreement";

const STREAMS: &str = "AES-256-CTR: not measured alone; in handshakes it encrypts too few bytes to matter";

/// Returns every reason, without duplicates.
pub(crate) fn reasons() -> Vec<&'static str> {
    vec![NULL, SLOW, X25519, STREAMS]
}

/// Returns the reason why the overhead of an operation is not measured, or `None` if no such reason applies.
pub(crate) fn reason(case: &Case) -> Option<&'static str> {
    let is_slow = ["RSA-", "SLH-DSA-", "SPHINCS+-"].iter().any(|family| case.algorithm.starts_with(family));
    let is_kem = case.primitive().is_some_and(|primitive| primitive.kind() == PrimitiveKind::Kem);
    match case.algorithm.as_str() {
        _ if case.provider.library == "null" => Some(NULL),
        _ if is_slow => Some(SLOW),
        "X25519" if is_kem => Some(X25519),
        "AES-256-CTR" => Some(STREAMS),
        _ => None,
    }
}
