//! Samples the challenge polynomial.

use crate::hashing::Hasher;
use crate::polynomial::Polynomial;
use pqlab_keccak::Function;

/// Number of SHAKE256 output bytes for the first attempt to sample the challenge. This is one block, which almost
/// always suffices.
pub(crate) const DRAWN: usize = 136;

/// Computes SampleInBall (FIPS 204, algorithm 29). In the result, `tau` coefficients are 1 or -1, and the others are 0.
/// `drawn` contains the first bytes of the SHAKE256 output for `seed`.
pub(crate) fn sample(hasher: Hasher, tau: usize, seed: &[u8], drawn: &[u8; DRAWN]) -> Polynomial {
    place(tau, drawn.iter().copied()).unwrap_or_else(|| {
        let mut output = hasher.single.absorb(Function::Shake256, seed);
        let endless = core::iter::repeat_with(|| {
            let mut byte = [0];
            output.squeeze(&mut byte);
            byte[0]
        });
        place(tau, endless).expect("an endless stream must suffice")
    })
}

/// Samples the challenge from SHAKE256 output bytes. Returns `None` if `drawn` contains too few bytes.
fn place(tau: usize, mut drawn: impl Iterator<Item = u8>) -> Option<Polynomial> {
    let mut signs = [0; 8];
    for byte in &mut signs {
        *byte = drawn.next()?;
    }
    let mut signs = u64::from_le_bytes(signs);
    let mut challenge = Polynomial::ZERO;
    for last in 256 - tau..256 {
        let position = usize::from(drawn.find(|candidate| usize::from(*candidate) <= last)?);
        challenge.0[last] = challenge.0[position];
        challenge.0[position] = if signs & 1 == 1 { -1 } else { 1 };
        signs >>= 1;
    }
    Some(challenge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_keccak::{Lanes, Single};

    #[test]
    fn reads_more_blocks_if_one_is_not_enough() {
        let hasher = Hasher { lanes: Lanes::fastest(), single: Single::fastest() };
        for seed in 0..100_u8 {
            let mut drawn = [0; DRAWN];
            hasher.shake256(&[&[seed; 64]], &mut [&mut drawn]);
            let expected = sample(hasher, 60, &[seed; 64], &drawn);
            // The first position (196) rejects all of these bytes, so `sample` must start again
            // with the stream.
            assert_eq!(place(60, [0xff; 40].into_iter()), None);
            assert_eq!(sample(hasher, 60, &[seed; 64], &[0xff; DRAWN].map(|byte| byte & 0xfe)), expected);
            assert_eq!(expected.0.iter().filter(|coefficient| coefficient.abs() == 1).count(), 60);
            assert_eq!(expected.0.iter().filter(|coefficient| **coefficient == 0).count(), 196);
        }
    }
}
