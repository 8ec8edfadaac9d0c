//! Reasons why an adapter's overhead cannot be measured for some operations.

use crate::operations::Case;

const NULL: &str =
    "null: the cost of its calls beyond an empty loop is the harness's overhead, which every run measures";

const RSA_KEYS: &str =
    "RSA key generation: the search for primes takes a random 50 to 500 ms; no given randomness repeats it";

const STREAMS: &str = "AES-256-CTR: part of handshakes, where its few bytes do not matter; no case measures it alone";

/// Returns every reason once.
pub(crate) fn reasons() -> Vec<&'static str> {
    vec![NULL, RSA_KEYS, STREAMS]
}

/// Returns the reason why an operation has no comparison, if there is one.
pub(crate) fn reason(case: &Case) -> Option<&'static str> {
    match case.provider.library.as_str() {
        "null" => Some(NULL),
        _ if case.algorithm == "RSA-2048" && case.operation.starts_with("keygen") => Some(RSA_KEYS),
        _ if case.algorithm == "AES-256-CTR" => Some(STREAMS),
        _ => None,
    }
}
