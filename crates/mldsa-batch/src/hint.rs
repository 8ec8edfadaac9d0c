//! Decodes the hint in a signature.

use crate::parameters::{MOST_ROWS, Parameters};
use crate::polynomial::Hint;

/// Decodes the polynomials of the hint (FIPS 204, algorithm 21) from `omega + rows` bytes. Returns `None` unless the
/// encoding is canonical: counts never decrease or exceed `omega`, positions increase within a polynomial, and only
/// zeros follow the last position.
pub(crate) fn unpack(set: &Parameters, bytes: &[u8]) -> Option<[Hint; MOST_ROWS]> {
    let mut hints = [[0; 16]; MOST_ROWS];
    let (positions, ends) = bytes.split_at(set.omega);
    let mut begin = 0;
    for (hint, end) in hints.iter_mut().zip(ends) {
        let row = positions.get(begin..usize::from(*end))?;
        if !row.is_sorted_by(|one, next| one < next) {
            return None;
        }
        for position in row {
            hint[usize::from(position >> 4)] |= 1 << (position & 15);
        }
        begin = usize::from(*end);
    }
    positions[begin..].iter().all(|byte| *byte == 0).then_some(hints)
}
