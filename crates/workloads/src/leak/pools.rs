//! Equal pools of inputs for the groups of a measurement.

use pqlab_harness::clock::monotonic_ns;
use pqlab_harness::leak::GROUPS;
use rand_chacha::ChaCha8Rng;

/// Inputs per group.
const POOL: usize = 64;
/// Minimum number of inputs per group, if making them is slow.
const LEAST: usize = 8;
/// Time after which no more inputs are made, in ns.
const LONGEST_NS: u64 = 3_000_000_000;

/// Makes pools of equal size: three of the first class, one of the second. Their inputs are made alternately, so that
/// neither age nor place in memory distinguishes the pools.
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
