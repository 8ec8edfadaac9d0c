//! Reasons why the overhead of an adapter cannot be measured for some operations.

use crate::operations::Case;

const NULL: &str = "null: does no work, so every run already measures these calls as the harness's overhead";

const RSA_KEYS: &str = "RSA key generation: the search for primes takes a random 50 to 500 ms and cannot be repeated";

const STREAMS: &str = "AES-256-CTR: not measured alone; in handshakes it encrypts too few bytes to matter";

/// Returns every reason, without duplicates.
pub(crate) fn reasons() -> Vec<&'static str> {
    vec![NULL, RSA_KEYS, STREAMS]
}

/// Returns the reason why an operation cannot be compared, or `None` if it can be.
pub(crate) fn reason(case: &Case) -> Option<&'static str> {
    match case.provider.library.as_str() {
        "null" => Some(NULL),
        _ if case.algorithm == "RSA-2048" && case.operation.starts_with("keygen") => Some(RSA_KEYS),
        _ if case.algorithm == "AES-256-CTR" => Some(STREAMS),
        _ => None,
    }
}
