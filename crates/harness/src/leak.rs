//! Times single calls of an operation on inputs from two classes, for `pqlab leak`.
//!
//! The harness interleaves four groups of calls:
//!
//! - the first class
//! - the first class again (the null)
//! - the first class with a known delay (the positive control)
//! - the second class
//!
//! Each group has its own pool of inputs. All pools have the same size, and all inputs have the same length. The order
//! of the groups is shuffled within blocks of a few calls. Before each call, the harness chooses an input at random
//! from the group's pool and copies it to a shared buffer. Addresses and warm caches therefore do not distinguish the
//! groups. Only the call and a short delay before it are timed.

use crate::counter::{self, Selected};
use crate::trial::Fault;
use crate::{affinity, clock, residue};
use pqlab_record::CounterChoice;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::hint::black_box;

/// Number of groups.
pub const GROUPS: usize = 4;
/// Index of the group for the first class.
pub const FIRST: usize = 0;
/// Index of the group that repeats the first class (the null).
pub const FIRST_AGAIN: usize = 1;
/// Index of the group for the first class with a known delay (the positive control).
pub const POSITIVE: usize = 2;
/// Index of the group for the second class.
pub const SECOND: usize = 3;

/// Calls per group in each block.
const BLOCK: u64 = 8;
/// Links in the chain of dependent additions that runs before every call. The known delay consists of additional links.
const LINKS: u64 = 16;
/// Minimum number of calls, over all groups, before the measurement starts.
const WARM_UP: usize = 64;
/// Minimum duration of the warm-up in ns. The warm-up also shows how many calls fit into the time limit.
const WARM_UP_NS: u64 = 20_000_000;

/// Operation whose timing is tested.
pub trait Target {
    /// Prepares the input for the next call. Not timed.
    ///
    /// # Errors
    /// Errors from the library.
    fn load(&mut self, input: &[u8]) -> Result<(), Fault>;

    /// Performs the operation on the loaded input. Timed.
    ///
    /// # Errors
    /// Errors from the library.
    fn call(&mut self) -> Result<(), Fault>;
}

/// Number of samples, limits and seed of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct LeakPlan {
    /// Number of samples per comparison, half of them for each class.
    pub samples: u64,
    /// Minimum number of samples per class, which overrides the time limit.
    pub least: u64,
    /// Time limit in ns. The harness chooses the number of samples in advance so that the measurement fits this limit.
    pub longest_ns: u64,
    /// Delay of the positive control, in ns.
    pub control_delay_ns: f64,
    /// Seed for the order of the calls and the choice of inputs.
    pub seed: u64,
}

/// Result of a measurement.
#[derive(Clone, Debug)]
pub struct LeakTimes {
    /// Times in ns by group, in order of measurement. All groups have the same number of times.
    pub groups: [Vec<f64>; GROUPS],
    /// Name of the counter.
    pub counter: &'static str,
    /// Processor to which the thread was pinned. `None` if the thread could not be pinned.
    pub pinned: Option<u32>,
    /// Resolution of the counter, in ns.
    pub resolution_ns: f64,
}

/// Measures on the calling thread. If possible, pins the thread to one processor until this function returns.
/// Periodically reports the finished fraction (0 to 1) to `progress`.
///
/// # Errors
/// Errors from the target, and an error if the pools are empty, differ in size, or contain inputs of different lengths.
pub fn measure(
    target: &mut dyn Target,
    pools: &[Vec<Vec<u8>>; GROUPS],
    plan: &LeakPlan,
    progress: &mut dyn FnMut(f64),
) -> Result<LeakTimes, Fault> {
    let pool = pools[FIRST].len();
    let length = pools[FIRST].first().map_or(0, Vec::len);
    if pool == 0 || pools.iter().any(|other| other.len() != pool || other.iter().any(|input| input.len() != length)) {
        let text = "an input class is empty, or the classes differ in the number or length of their inputs";
        return Err(Fault::Library(text.into()));
    }
    let home = affinity::allowed();
    let pinned = home.last().copied().filter(|&cpu| affinity::pin(&[cpu]).is_ok());
    let times = measure_here(target, pools, plan, progress, pinned);
    if pinned.is_some() {
        // Ignore errors, because a thread that stays on one processor does no harm.
        affinity::pin(&home).ok();
    }
    times
}

fn measure_here(
    target: &mut dyn Target,
    pools: &[Vec<Vec<u8>>; GROUPS],
    plan: &LeakPlan,
    progress: &mut dyn FnMut(f64),
    pinned: Option<u32>,
) -> Result<LeakTimes, Fault> {
    let pool = pools[FIRST].len();
    let length = pools[FIRST].first().map_or(0, Vec::len);
    let mut counter = open()?;
    let ns = counter.ns_per_tick.unwrap_or(1.0);
    let mut draw = ChaCha8Rng::seed_from_u64(plan.seed);
    let mut bench = Bench { target, pools, buffer: vec![0; length], positive: links(plan.control_delay_ns) };
    let rounds = bench.rounds(plan, &mut counter, &mut draw)?;
    let mut groups: [Vec<f64>; GROUPS] =
        std::array::from_fn(|_| Vec::with_capacity(usize::try_from(rounds * BLOCK).unwrap_or(0)));
    let mut order: Vec<usize> = (0..GROUPS * BLOCK as usize).map(|call| call % GROUPS).collect();
    let step = (rounds / 100).max(1);
    for round in 0..rounds {
        order.shuffle(&mut draw);
        for &group in &order {
            let ticks = bench.call(group, draw.random_range(0..pool), &mut counter)?;
            groups[group].push(ticks as f64 * ns);
        }
        if round % step == 0 {
            progress(round as f64 / rounds as f64);
        }
    }
    Ok(LeakTimes { groups, counter: counter.source.metric().name(), pinned, resolution_ns: counter.resolution_ns })
}

/// Opens a counter that measures time, because attackers cannot observe cycles or instructions.
fn open() -> Result<Selected, Fault> {
    counter::open(CounterChoice::Tsc)
        .or_else(|_| counter::open(CounterChoice::Wall))
        .map_err(|error| Fault::Library(error.to_string()))
}

/// Returns the number of links in a chain that takes about `control_delay_ns` longer than a chain of [`LINKS`] links.
fn links(control_delay_ns: f64) -> u64 {
    let links = (control_delay_ns * 1e-9 * clock::core_clock_hz() / LINKS as f64).round() as u64;
    LINKS + links * LINKS
}

struct Bench<'a> {
    target: &'a mut dyn Target,
    pools: &'a [Vec<Vec<u8>>; GROUPS],
    buffer: Vec<u8>,
    positive: u64,
}

impl Bench<'_> {
    /// Returns the time of one call, in ticks.
    #[inline]
    fn call(&mut self, group: usize, input: usize, counter: &mut Selected) -> Result<u64, Fault> {
        self.buffer.copy_from_slice(&self.pools[group][input]);
        let links = black_box(if group == POSITIVE { self.positive } else { LINKS });
        self.target.load(black_box(&self.buffer))?;
        residue::put_back_registers();
        counter.counter.start();
        black_box(clock::chain(links));
        clock::drain();
        let outcome = self.target.call();
        let ticks = counter.counter.stop();
        outcome.map(|()| ticks)
    }

    /// Warms up, and returns the number of blocks to measure: as many as requested, or fewer if the time limit is too
    /// short. There are always enough blocks for at least [`LeakPlan::least`] samples per class.
    fn rounds(&mut self, plan: &LeakPlan, counter: &mut Selected, draw: &mut ChaCha8Rng) -> Result<u64, Fault> {
        let (begin, mut calls) = (clock::monotonic_ns(), 0);
        let spent = loop {
            for group in 0..GROUPS {
                self.call(group, draw.random_range(0..self.pools[group].len()), counter)?;
                calls += 1;
            }
            let spent = clock::monotonic_ns() - begin;
            if calls >= WARM_UP && spent >= WARM_UP_NS {
                break spent;
            }
        };
        let cost_ns = (spent / calls as u64).max(1);
        let fit = plan.longest_ns / cost_ns / GROUPS as u64;
        Ok((plan.samples / 2).min(fit).max(plan.least).div_ceil(BLOCK))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Target that counts its calls and how often each input was loaded, and collects the addresses of the inputs.
    #[derive(Default)]
    struct Listener {
        addresses: std::collections::BTreeSet<usize>,
        loaded: std::collections::BTreeMap<Vec<u8>, usize>,
        calls: usize,
    }

    impl Target for Listener {
        fn load(&mut self, input: &[u8]) -> Result<(), Fault> {
            self.addresses.insert(input.as_ptr() as usize);
            *self.loaded.entry(input.to_vec()).or_default() += 1;
            Ok(())
        }

        fn call(&mut self) -> Result<(), Fault> {
            self.calls += 1;
            Ok(())
        }
    }

    fn plan() -> LeakPlan {
        LeakPlan { samples: 4_000, least: 100, longest_ns: u64::MAX, control_delay_ns: 50.0, seed: 1 }
    }

    fn pools() -> [Vec<Vec<u8>>; GROUPS] {
        std::array::from_fn(|group| (0..5).map(|input| vec![group as u8, input]).collect())
    }

    #[test]
    fn all_groups_use_one_buffer_and_as_many_calls() {
        std::thread::spawn(|| {
            let home = affinity::allowed();
            let mut listener = Listener::default();
            let mut shares = Vec::new();
            let times = measure(&mut listener, &pools(), &plan(), &mut |share| shares.push(share)).unwrap();
            assert!(times.groups.iter().all(|group| group.len() == 2_000));
            assert_eq!((listener.addresses.len(), listener.loaded.len()), (1, 20));
            assert_eq!(listener.loaded.values().sum::<usize>(), listener.calls);
            assert!(shares.is_sorted() && shares.len() >= 100);
            assert!(times.groups.iter().flatten().all(|time| time.is_finite() && *time >= 0.0));
            assert_eq!(affinity::allowed(), home, "the caller's affinity must be restored");
        })
        .join()
        .unwrap();
    }

    #[test]
    fn refuses_pools_of_different_shapes() {
        for spoil in [0, 1] {
            let mut pools = pools();
            if spoil == 0 {
                pools[SECOND].pop();
            } else {
                pools[SECOND][0].push(0);
            }
            assert!(measure(&mut Listener::default(), &pools, &plan(), &mut |_| {}).is_err());
        }
    }

    #[test]
    fn a_delay_is_a_longer_chain() {
        assert_eq!(links(0.0), LINKS);
        // These limits hold for any core clock between 0.5 and 10 GHz.
        let links = links(1_000.0);
        assert!(links.is_multiple_of(LINKS) && (500..10_100).contains(&links), "{links}");
    }
}
