//! Times an operation whose input is of one of two classes, call by call, for `pqlab leak`.
//!
//! Four groups of calls are measured side by side: the first class, the first class again (the null), the first class with
//! a known delay (the positive control), and the second class. Each has a pool of its own of as many inputs of the same length. Within blocks of
//! a few calls the order of the groups is shuffled; the input is drawn from its group's pool and copied to the one buffer
//! that all groups share before the call, so that neither addresses nor warm caches tell the groups apart. The call alone
//! is timed.

use crate::counter::{self, Selected};
use crate::trial::Fault;
use crate::{affinity, clock, residue};
use pqlab_record::CounterChoice;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::hint::black_box;

/// Groups of calls.
pub const GROUPS: usize = 4;
/// The group of the first class.
pub const FIRST: usize = 0;
/// The group of the first class once more (the null).
pub const FIRST_AGAIN: usize = 1;
/// The first class with a known delay (the positive control).
pub const POSITIVE: usize = 2;
/// The second class.
pub const SECOND: usize = 3;

/// Calls of each group in a block.
const BLOCK: u64 = 8;
/// Links of the chain that precedes the call in every group; the known delay adds to them.
const LINKS: u64 = 16;
/// Calls before the first that counts.
const WARM_UP: usize = 64;
/// Time that the warm-up takes at least, in ns: from it the cost of a call is estimated.
const WARM_UP_NS: u64 = 20_000_000;

/// An operation whose time is looked at.
pub trait Target {
    /// Takes the input of the next call. Not timed.
    ///
    /// # Errors
    /// What the library reports.
    fn load(&mut self, input: &[u8]) -> Result<(), Fault>;

    /// The operation, with the input that was loaded. This, and nothing else, is timed.
    ///
    /// # Errors
    /// What the library reports.
    fn call(&mut self) -> Result<(), Fault>;
}

/// How long is measured.
#[derive(Clone, Copy, Debug)]
pub struct LeakPlan {
    /// Samples of a comparison: half of them are of each class.
    pub samples: u64,
    /// Fewest samples of a class, however long they take.
    pub least: u64,
    /// Time after which no more is measured, in ns; it is planned beforehand how many samples fit.
    pub longest_ns: u64,
    /// The known delay, in ns.
    pub control_delay_ns: f64,
    /// Seed of the order.
    pub seed: u64,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct LeakTimes {
    /// Times in ns by group, in the order of measuring; of the same number.
    pub groups: [Vec<f64>; GROUPS],
    /// The counter's name.
    pub counter: &'static str,
    /// The processor that the thread was kept on, if it could be.
    pub pinned: Option<u32>,
    /// The smallest step of the counter, in ns.
    pub resolution_ns: f64,
}

/// Measures, on the calling thread, which is kept on one processor until this returns. `progress` is told the share that is
/// done, now and then.
///
/// # Errors
/// What the target reports; and if the pools are empty, of different sizes, or their inputs of different lengths.
pub fn measure(
    target: &mut dyn Target,
    pools: &[Vec<Vec<u8>>; GROUPS],
    plan: &LeakPlan,
    progress: &mut dyn FnMut(f64),
) -> Result<LeakTimes, Fault> {
    let pool = pools[FIRST].len();
    let length = pools[FIRST].first().map_or(0, Vec::len);
    if pool == 0 || pools.iter().any(|other| other.len() != pool || other.iter().any(|input| input.len() != length)) {
        return Err(Fault::Library("the classes have pools of different shapes".into()));
    }
    let home = affinity::allowed();
    let pinned = home.last().copied().filter(|&cpu| affinity::pin(&[cpu]).is_ok());
    let times = measure_here(target, pools, plan, progress, pinned);
    if pinned.is_some() {
        // The processors that it came from; a thread that cannot go back is no worse off than before.
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

/// A counter of time: cycles and instructions are not what an attacker sees.
fn open() -> Result<Selected, Fault> {
    counter::open(CounterChoice::Tsc)
        .or_else(|_| counter::open(CounterChoice::Wall))
        .map_err(|error| Fault::Library(error.to_string()))
}

/// Links of the chain that take so many ns more than [`LINKS`].
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
    /// Ticks of one call.
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

    /// Warms up, and says how many blocks are to be measured: as many as were asked for, or as fit into the time.
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

    /// Notes what it is handed.
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
    fn every_input_passes_through_one_buffer_and_all_groups_are_alike() {
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
            assert_eq!(affinity::allowed(), home, "the caller's thread is left on one processor");
        })
        .join()
        .unwrap();
    }

    #[test]
    fn classes_of_different_shape_are_refused() {
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
        // Between 0.5 and 10 GHz.
        let links = links(1_000.0);
        assert!(links.is_multiple_of(LINKS) && (500..10_100).contains(&links), "{links}");
    }
}
