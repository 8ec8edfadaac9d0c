//! Generates the matrices of verifying keys.

use crate::hashing::Hasher;
use crate::parameters::{MOST_COLUMNS, Parameters};
use crate::polynomial::{Arithmetic, Polynomial, SAMPLED, Sampled};
use crate::portable;
use core::ops::Range;
use pqlab_keccak::{Backend, Function, LANES};

/// Seed for a polynomial: `rho`, the column and the row.
type Seed = [u8; 34];

/// Buffers for sampling: the hash output for a group of eight polynomials, the polynomials of this group, and earlier
/// polynomials that belong to an incomplete row.
pub(crate) struct Drawn {
    sampled: [Sampled; LANES],
    polynomials: [Polynomial; LANES + MOST_COLUMNS - 1],
}

impl Drawn {
    pub(crate) const EMPTY: Drawn =
        Drawn { sampled: [[0; _]; LANES], polynomials: [Polynomial::ZERO; LANES + MOST_COLUMNS - 1] };
}

/// Yields the rows of the matrices of several keys, one matrix after another (ExpandA; FIPS 204, algorithm 32).
/// Generates polynomials eight at a time across rows and matrices, so that only the last group has idle lanes.
/// Callers use each row while it is in the cache.
pub(crate) struct Rows<'a, A> {
    arithmetic: A,
    hasher: Hasher,
    set: Parameters,
    /// `rho` of each key, in the order of the matrices.
    rhos: &'a [&'a [u8; 32]],
    /// Number of polynomials generated so far, over all matrices.
    count: usize,
    drawn: &'a mut Drawn,
    /// Generated polynomials that have not been used yet.
    waiting: Range<usize>,
}

impl<'a, A: Arithmetic> Rows<'a, A> {
    pub(crate) fn new(
        arithmetic: A,
        hasher: Hasher,
        set: Parameters,
        rhos: &'a [&'a [u8; 32]],
        drawn: &'a mut Drawn,
    ) -> Rows<'a, A> {
        Rows { arithmetic, hasher, set, rhos, count: 0, drawn, waiting: 0..0 }
    }

    /// Returns the next row. Call this method at most once per row of the matrices.
    pub(crate) fn next(&mut self) -> &[Polynomial] {
        while self.waiting.len() < self.set.columns {
            self.drawn.polynomials.copy_within(self.waiting.clone(), 0);
            self.waiting = 0..self.waiting.len();
            self.group();
        }
        let row = self.waiting.start..self.waiting.start + self.set.columns;
        self.waiting.start = row.end;
        &self.drawn.polynomials[row]
    }

    /// Returns the seed for the polynomial at `index`, counted over all matrices.
    fn seed(&self, index: usize) -> Seed {
        let (matrix, index) = (index / self.each(), index % self.each());
        let mut seed = [0; 34];
        seed[..32].copy_from_slice(self.rhos[matrix]);
        seed[32] = (index % self.set.columns) as u8;
        seed[33] = (index / self.set.columns) as u8;
        seed
    }

    /// Returns the number of polynomials per matrix.
    fn each(&self) -> usize {
        self.set.rows * self.set.columns
    }

    /// Generates the next eight polynomials, or fewer if fewer remain.
    fn group(&mut self) {
        let left = self.rhos.len() * self.each() - self.count;
        let count = left.min(LANES);
        // Fill unused lanes with the first polynomial.
        let seeds: [Seed; LANES] =
            core::array::from_fn(|lane| self.seed(self.count + if lane < count { lane } else { 0 }));
        draw(self.hasher, &seeds, count, &mut self.drawn.sampled);
        let places = &mut self.drawn.polynomials[self.waiting.end..][..count];
        for ((seed, bytes), polynomial) in seeds.iter().zip(&self.drawn.sampled).zip(places) {
            if self.arithmetic.sample(bytes, polynomial) < polynomial.0.len() {
                sample_further(self.hasher, seed, polynomial);
            }
        }
        self.count += count;
        self.waiting.end += count;
    }
}

/// Writes the first [`SAMPLED`] bytes of SHAKE128 output for the first `count` seeds.
fn draw(hasher: Hasher, seeds: &[Seed; LANES], count: usize, sampled: &mut [Sampled; LANES]) {
    if hasher.lanes.backend() == Backend::Portable {
        for (seed, bytes) in seeds.iter().zip(sampled).take(count) {
            hasher.single.absorb(Function::Shake128, seed).squeeze(&mut bytes[..SAMPLED]);
        }
        return;
    }
    let seeds = seeds.each_ref().map(|seed| seed.as_slice());
    let mut outs = sampled.each_mut().map(|bytes| &mut bytes[..SAMPLED]);
    hasher.lanes.digest(Function::Shake128, &seeds, &mut outs).expect("lengths must be equal");
}

/// Samples a polynomial from SHAKE128 output of unlimited length. Called if five blocks were not enough, which happens
/// for about one in 2^132 polynomials.
fn sample_further(hasher: Hasher, seed: &Seed, polynomial: &mut Polynomial) {
    let mut output = hasher.single.absorb(Function::Shake128, seed);
    let mut taken = 0;
    while taken < polynomial.0.len() {
        // A block contains a whole number of candidates.
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
    fn further_sampling_yields_the_same_polynomial() {
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
