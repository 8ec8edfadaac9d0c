use super::*;
use shake::Shake128;
use shake::digest::{ExtendableOutput, Update};
use std::fmt::Write;
use std::string::String;

/// Digest published by C2SP's CCTV: the first 32 bytes of SHAKE128 over the results of mod, norm, Power2Round, UseHint
/// and LowBits for all values modulo `q`.
const FIELD_OPERATIONS: &str = "f930663417278156ab05d940294a77210a809c924d8ab63ec72f4526247602c7";

#[test]
fn field_operations_match_the_published_digest() {
    let (mut hash, mut lines) = (Shake128::default(), String::new());
    for r in 0..Q {
        let centred = if r > Q / 2 { r - Q } else { r };
        // Power2Round is used only in key generation, so it is implemented here.
        let high = (r + (1 << 12) - 1) >> 13;
        let low = (r - (high << 13)).rem_euclid(Q);
        write!(lines, "{centred}\n{}\n{high}\n{low}\n", centred.abs()).unwrap();
        for gamma2 in [Gamma2::Q88, Gamma2::Q32] {
            let (without, with) = (use_hint(gamma2, false, r), use_hint(gamma2, true, r));
            let (_, low) = decompose(gamma2, r);
            write!(lines, "{without}\n{with}\n{low}\n{}\n", low.abs()).unwrap();
        }
        hash.update(lines.as_bytes());
        lines.clear();
    }
    let mut digest = [0; 32];
    hash.finalize_xof_into(&mut digest);
    assert_eq!(hex::encode(digest), FIELD_OPERATIONS);
}
