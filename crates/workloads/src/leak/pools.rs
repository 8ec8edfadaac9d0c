//! Creates pools of inputs for the groups of a measurement.

use pqlab_harness::clock::monotonic_ns;
use pqlab_harness::leak::GROUPS;
use rand_chacha::ChaCha8Rng;

/// Number of inputs per group.
const POOL: usize = 64;
/// Minimum number of inputs per group, even if generating them takes longer than the time limit.
const LEAST: usize = 8;
/// Time limit for generating inputs, in ns.
const LONGEST_NS: u64 = 3_000_000_000;

/// Creates pools of equal size: three for the first class, one for the second. Inputs for all pools are generated
/// alternately, so that the pools do not differ in age or memory location.
pub(super) fn pools<E>(
    draw: &mut ChaCha8Rng,
    mut first: impl FnMut(&mut ChaCha8Rng) -> Result<Vec<u8>, E>,
    mut second: impl FnMut(&mut ChaCha8Rng) -> Result<Vec<u8>, E>,
) -> Result<[Vec<Vec<u8>>; GROUPS], E> {
    let mut pools: [Vec<Vec<u8>>; GROUPS] = Default::default();
    let begin = monotonic_ns();
    while pools[0].len() < POOL && (pools[0].len() < LEAST || monotonic_ns() - begin < LONGEST_NS) {
        let [one, two, three, four] = &mut pools;
        for pool in [one, two, three] {
            pool.push(first(draw)?);
        }
        four.push(second(draw)?);
    }
    Ok(pools)
}
