//! Vectors of the internal interfaces (FIPS 204, algorithms 7 and 8; FIPS 205, algorithms 19 and 20).
//!
//! The traits offer the pure external interface. It hands `M' = 0x00 || len(ctx) || ctx || M` to the internal one
//! (FIPS 204, algorithm 2, line 10; FIPS 205, algorithm 22, line 8), so a vector whose `M'` happens to have that form
//! says something of both; the others cannot be asked.

use crate::tally::Fault;

/// Context and message of the external interface that lead to this `M'`.
pub(super) fn external(formatted: &[u8]) -> Result<(&[u8], &[u8]), Fault> {
    let parts = match formatted {
        [0, length, rest @ ..] => rest.split_at_checked(usize::from(*length)),
        _ => None,
    };
    parts.ok_or_else(|| Fault::Unsupported("internal interface: the traits offer the external one".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_external_interface_makes() {
        assert_eq!(external(b"\x00\x03ctxmessage"), Ok((&b"ctx"[..], &b"message"[..])));
        assert_eq!(external(b"\x00\x00"), Ok((&b""[..], &b""[..])));
        for other in [&b""[..], b"\x00", b"\x00\x03ct", b"\x01\x00message", b"message"] {
            assert!(matches!(external(other), Err(Fault::Unsupported(_))), "{other:?}");
        }
    }
}
