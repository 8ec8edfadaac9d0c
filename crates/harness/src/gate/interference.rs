//! What cores do at once when nobody shares them: learned by looking, and the measure of whether somebody does.
//!
//! A [`InterferenceMonitor`] looks at all processors of a trial with several threads while that trial rests.

use super::KernelFile;
use crate::affinity;
use crate::clock::core_state;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hint::spin_loop;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, Builder};
use std::time::Duration;

/// Looks at cores that were never looked at before, so that it is known what they do alone.
pub(super) const FIRST_PROBES: usize = 16;

/// Stack of a thread that looks at a core, in bytes.
const STACK: usize = 128 << 10;

/// Of which cores it is known what they do at once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cores {
    /// The one core on which a worker is, by the processors of its kind; none where all cores are alike.
    Own(Vec<u32>),
    /// Processors that were at work together. Some may be hardware threads of one core for good: what such a set does at its
    /// best is what it is held against.
    Together(Vec<u32>),
}

impl Cores {
    /// The own core of a worker that is kept on that processor, on a machine of these [kinds](crate::environment) of cores.
    /// `None` where the kinds differ and the worker may be on any: what one kind does is no yardstick for another.
    pub(super) fn own(cpu: Option<u32>, kinds: &[Vec<u32>]) -> Option<Cores> {
        if kinds.is_empty() {
            return Some(Cores::Own(Vec::new()));
        }
        let cpu = cpu?;
        let kind = kinds.iter().find(|kind| kind.contains(&cpu));
        Some(Cores::Own(kind.cloned().unwrap_or_else(|| vec![cpu])))
    }
}

/// Independent additions a cycle.
pub type AdditionsPerCycle = BTreeMap<Cores, f64>;

/// Takes over what others know.
pub(crate) fn merge(known: &mut AdditionsPerCycle, others: &AdditionsPerCycle) {
    for (cores, additions) in others {
        let best = known.entry(cores.clone()).or_insert(*additions);
        *best = best.max(*additions);
    }
}

/// Independent additions a cycle that were seen, and what follows for those that a core carries out alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct KnownAdditions {
    /// The most that were seen, in falling order. The last of them is what the core does alone: the first may be slips of
    /// the clock's estimate.
    pub(super) most: [f64; 3],
    /// What other processes know of that.
    expected: f64,
}

impl KnownAdditions {
    /// Whether nothing was seen yet.
    pub(super) fn is_unseen(&self) -> bool {
        self.most[0] == 0.0
    }

    /// Remembers what was seldom more.
    pub(super) fn see(&mut self, additions: f64) {
        if let Some(place) = self.most.iter().position(|known| additions > *known) {
            self.most[place..].rotate_right(1);
            self.most[place] = additions;
        }
    }

    /// Takes over what others know.
    pub(super) fn expect(&mut self, additions: f64) {
        self.expected = self.expected.max(additions);
    }

    /// What the core does alone, as far as is known.
    pub(super) fn known(&self) -> Option<f64> {
        let additions = self.most[2].max(self.expected);
        (additions > 0.0).then_some(additions)
    }

    /// By how many percent less than that it does now.
    pub(super) fn narrowed_pct(&self, now: f64) -> Option<f64> {
        Some(100.0 * (1.0 - now / self.known()?))
    }
}

/// How often tasks are counted in a probe at most: who runs for a moment only is gone in one of the counts.
const COUNTS: usize = 8;
/// Time from one count to the next, asleep: a thread of the trial's that shares this processor may need it to go to sleep itself.
const BETWEEN_COUNTS: Duration = Duration::from_micros(50);

/// Probes several processors at once, as the threads of a trial use them: whether each has a core to itself while the others
/// are at work too, and whether other tasks want the processors.
pub(crate) struct InterferenceMonitor {
    pub(super) sets: BTreeMap<Vec<u32>, KnownAdditions>,
    load: Option<KernelFile>,
}

/// What was seen of some processors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Probe {
    /// Independent additions a cycle of the narrowest core. `None` where there is no measuring it, or a thread cannot be placed.
    pub(crate) additions: Option<f64>,
    /// Tasks beside the calling thread that run or are ready to, on the whole machine.
    pub(crate) others: Option<u64>,
}

impl InterferenceMonitor {
    pub(crate) fn new() -> InterferenceMonitor {
        InterferenceMonitor { sets: BTreeMap::new(), load: KernelFile::open(Path::new("/proc/loadavg"), 128) }
    }

    /// Takes half a millisecond or a little more, and a few milliseconds the first time.
    pub(crate) fn probe(&mut self, cpus: &[u32]) -> Probe {
        let others = self.others();
        let additions = self.sets.entry(cpus.to_vec()).or_default();
        let probes = if additions.is_unseen() { FIRST_PROBES } else { 1 };
        let seen = probe(cpus, probes).unwrap_or_default();
        seen.iter().for_each(|now| additions.see(*now));
        Probe { additions: seen.last().copied(), others }
    }

    fn others(&mut self) -> Option<u64> {
        let load = self.load.as_mut()?;
        let mut fewest = u64::MAX;
        for _ in 0..COUNTS {
            fewest = fewest.min(runnable(load.read()?)?.saturating_sub(1));
            if fewest == 0 {
                break;
            }
            thread::sleep(BETWEEN_COUNTS);
        }
        Some(fewest)
    }

    /// By how many percent the narrowest core was narrower than when none is shared, in the worse of two probes.
    pub(crate) fn narrowed_pct(&self, cpus: &[u32], before: Probe, after: Probe) -> Option<f64> {
        self.sets.get(cpus)?.narrowed_pct(before.additions?.min(after.additions?))
    }

    /// Takes over what other processes know.
    pub(crate) fn expect(&mut self, additions_per_cycle: &AdditionsPerCycle) {
        for (cores, additions) in additions_per_cycle {
            if let Cores::Together(cpus) = cores {
                self.sets.entry(cpus.clone()).or_default().expect(*additions);
            }
        }
    }

    /// What is known.
    pub(crate) fn additions_per_cycle(&self) -> AdditionsPerCycle {
        self.sets
            .iter()
            .filter_map(|(cpus, additions)| Some((Cores::Together(cpus.clone()), additions.known()?)))
            .collect()
    }
}

/// Other tasks that had none of the machine's processors left, beside those of a trial, in the worse of two probes.
pub(crate) fn runnable_tasks(processors: usize, taken: usize, before: Probe, after: Probe) -> Option<u64> {
    let free = processors.saturating_sub(taken) as u64;
    Some(before.others?.max(after.others?).saturating_sub(free))
}

/// Tasks that run or are ready to, of `/proc/loadavg` (proc_loadavg(5)).
pub(super) fn runnable(load: &str) -> Option<u64> {
    load.split_ascii_whitespace().nth(3)?.split_once('/')?.0.parse().ok()
}

/// So many probes, each at all processors at the same time; of each the narrowest.
fn probe(cpus: &[u32], probes: usize) -> Option<Vec<f64>> {
    let (arrived, given_up) = (AtomicUsize::new(0), AtomicBool::new(false));
    let watch = |cpu: u32| {
        let placed = affinity::pin(&[cpu]).is_ok();
        let mut seen = Vec::with_capacity(probes);
        for turn in 1..=probes {
            arrived.fetch_add(1, Ordering::Relaxed);
            // Nobody begins while another one's processor still wakes up.
            while arrived.load(Ordering::Relaxed) < cpus.len() * turn && !given_up.load(Ordering::Relaxed) {
                spin_loop();
            }
            seen.extend(core_state().additions_a_cycle.filter(|_| placed));
        }
        seen
    };
    let each: Vec<Vec<f64>> = thread::scope(|scope| {
        let start = |&cpu: &u32| Builder::new().stack_size(STACK).spawn_scoped(scope, move || watch(cpu));
        let threads: Vec<_> = cpus.iter().map(start).collect();
        given_up.store(threads.iter().any(Result::is_err), Ordering::Relaxed);
        threads
            .into_iter()
            .map(|thread| thread.map(|thread| thread.join().unwrap_or_default()).unwrap_or_default())
            .collect()
    });
    let narrowest = |turn: usize| each.iter().map(|seen| seen.get(turn).copied()).collect::<Option<Vec<f64>>>();
    (0..probes).map(|turn| narrowest(turn)?.into_iter().reduce(f64::min)).collect()
}
