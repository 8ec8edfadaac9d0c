//! The matrix of a verifying key.

use crate::hashing::Hasher;
use crate::parameters::Parameters;
use crate::polynomial::{Arithmetic, Polynomial, SAMPLED, Sampled};
use crate::portable;
use pqlab_keccak::{Backend, Function, LANES};

/// What a polynomial is sampled from: `rho`, its column, its row.
type Seed = [u8; 34];

/// ExpandA (FIPS 204, algorithm 32): the rows of the matrix, one after the other, eight polynomials at a time.
pub(crate) fn expand(
    arithmetic: impl Arithmetic,
    hasher: Hasher,
    set: &Parameters,
    rho: &[u8; 32],
    out: &mut [Polynomial],
) {
    let seed = |index: usize| {
        let mut seed = [0; 34];
        seed[..32].copy_from_slice(rho);
        seed[32] = (index % set.columns) as u8;
        seed[33] = (index / set.columns) as u8;
        seed
    };
    let mut sampled: [Sampled; LANES] = [[0; _]; LANES];
    for (group, polynomials) in out[..set.rows * set.columns].chunks_mut(LANES).enumerate() {
        let seeds: [Seed; LANES] = core::array::from_fn(|lane| seed(LANES * group + lane));
        draw(hasher, &seeds, polynomials.len(), &mut sampled);
        for ((seed, bytes), polynomial) in seeds.iter().zip(&sampled).zip(polynomials) {
            if arithmetic.sample(bytes, polynomial) < polynomial.0.len() {
                sample_further(hasher, seed, polynomial);
            }
        }
    }
}

/// The beginnings of SHAKE128 of the first `count` seeds.
fn draw(hasher: Hasher, seeds: &[Seed; LANES], count: usize, sampled: &mut [Sampled; LANES]) {
    if hasher.lanes.backend() == Backend::Portable {
        for (seed, bytes) in seeds.iter().zip(sampled).take(count) {
            hasher.single.absorb(Function::Shake128, seed).squeeze(&mut bytes[..SAMPLED]);
        }
        return;
    }
    let seeds = seeds.each_ref().map(|seed| seed.as_slice());
    let mut outs = sampled.each_mut().map(|bytes| &mut bytes[..SAMPLED]);
    hasher.lanes.digest(Function::Shake128, &seeds, &mut outs).expect("seeds are of one length, outputs too");
}

/// The polynomial of the seed, from as much output as it takes. That five blocks do not suffice happens once in about 2^120.
fn sample_further(hasher: Hasher, seed: &Seed, polynomial: &mut Polynomial) {
    let mut output = hasher.single.absorb(Function::Shake128, seed);
    let mut taken = 0;
    while taken < polynomial.0.len() {
        // A block holds a whole number of candidates.
        let mut block = [0; 168];
        output.squeeze(&mut block);
        taken += portable::take(&block, &mut polynomial.0[taken..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portable::Portable;
    use pqlab_keccak::{Lanes, Single};

    #[test]
    fn what_is_sampled_further_is_the_same() {
        let hasher = Hasher { lanes: Lanes::fastest(), single: Single::fastest() };
        for byte in 0..100 {
            let seeds = [[byte; 34]; LANES];
            let mut sampled = [[0; _]; LANES];
            draw(hasher, &seeds, 1, &mut sampled);
            let (mut expected, mut polynomial) = (Polynomial::ZERO, Polynomial::ZERO);
            assert_eq!(Portable.sample(&sampled[0], &mut expected), 256);
            sample_further(hasher, &seeds[0], &mut polynomial);
            assert_eq!(polynomial, expected);
        }
    }
}
