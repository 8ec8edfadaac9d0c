//! Detects whether cores are shared by comparing their throughput with the best seen on them.
//!
//! An [`InterferenceMonitor`] probes all processors of a multi-threaded trial while that trial is idle.

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

/// Probes of cores that were never probed before, to establish their baseline.
pub(super) const FIRST_PROBES: usize = 16;

/// Stack of a probing thread, in bytes.
const STACK: usize = 128 << 10;

/// Set of cores that a baseline applies to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cores {
    /// The single core of a worker, identified by the processors of its type; empty if all cores are alike.
    Own(Vec<u32>),
    /// Processors that work at the same time. Some may be hardware threads of one core; the baseline is the best that
    /// the set as a whole achieves.
    Together(Vec<u32>),
}

impl Cores {
    /// Returns the core of a worker pinned to `cpu`, on a machine with these [core types](crate::environment). `None`
    /// if the types differ and the worker may run on any, because a baseline holds for one type only.
    pub(super) fn own(cpu: Option<u32>, kinds: &[Vec<u32>]) -> Option<Cores> {
        if kinds.is_empty() {
            return Some(Cores::Own(Vec::new()));
        }
        let cpu = cpu?;
        let kind = kinds.iter().find(|kind| kind.contains(&cpu));
        Some(Cores::Own(kind.cloned().unwrap_or_else(|| vec![cpu])))
    }
}

/// Throughput baselines: independent additions per cycle.
pub type AdditionsPerCycle = BTreeMap<Cores, f64>;

/// Merges the baselines of others, keeping the higher value.
pub(crate) fn merge(known: &mut AdditionsPerCycle, others: &AdditionsPerCycle) {
    for (cores, additions) in others {
        let best = known.entry(cores.clone()).or_insert(*additions);
        *best = best.max(*additions);
    }
}

/// Observed throughput of a core, and the baseline derived from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct KnownAdditions {
    /// The highest values seen, in descending order. The last is the baseline, because the first two may be errors of
    /// the clock estimate.
    pub(super) most: [f64; 3],
    /// Baseline that other processes found.
    expected: f64,
}

impl KnownAdditions {
    /// Whether nothing has been seen yet.
    pub(super) fn is_unseen(&self) -> bool {
        self.most[0] == 0.0
    }

    /// Records a value if it is among the highest.
    pub(super) fn see(&mut self, additions: f64) {
        if let Some(place) = self.most.iter().position(|known| additions > *known) {
            self.most[place..].rotate_right(1);
            self.most[place] = additions;
        }
    }

    /// Takes over another process's baseline.
    pub(super) fn expect(&mut self, additions: f64) {
        self.expected = self.expected.max(additions);
    }

    /// Returns the baseline, if known.
    pub(super) fn known(&self) -> Option<f64> {
        let additions = self.most[2].max(self.expected);
        (additions > 0.0).then_some(additions)
    }

    /// Returns the loss of throughput in percent of the baseline.
    pub(super) fn narrowed_pct(&self, now: f64) -> Option<f64> {
        Some(100.0 * (1.0 - now / self.known()?))
    }
}

/// Maximum number of task counts per probe. A task that runs only briefly is missing from one of them.
const COUNTS: usize = 8;
/// Time to sleep between counts. One of the trial's threads may need this processor to go to sleep itself.
const BETWEEN_COUNTS: Duration = Duration::from_micros(50);

/// Probes several processors at once, as a trial's threads use them: whether each has a core to itself while the others
/// work, and whether other tasks want the processors.
pub(crate) struct InterferenceMonitor {
    pub(super) sets: BTreeMap<Vec<u32>, KnownAdditions>,
    load: Option<KernelFile>,
}

/// Result of probing a set of processors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Probe {
    /// Independent additions per cycle of the slowest core. `None` if they cannot be measured, or a thread could not be
    /// pinned.
    pub(crate) additions: Option<f64>,
    /// Tasks on the whole machine that run or are ready to, without the calling thread.
    pub(crate) others: Option<u64>,
}

impl InterferenceMonitor {
    pub(crate) fn new() -> InterferenceMonitor {
        InterferenceMonitor { sets: BTreeMap::new(), load: KernelFile::open(Path::new("/proc/loadavg"), 128) }
    }

    /// Probes the processors. Takes slightly over half a millisecond, and a few milliseconds the first time.
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

    /// Returns the loss of throughput of the slowest core in percent of the baseline, in the worse of two probes.
    pub(crate) fn narrowed_pct(&self, cpus: &[u32], before: Probe, after: Probe) -> Option<f64> {
        self.sets.get(cpus)?.narrowed_pct(before.additions?.min(after.additions?))
    }

    /// Takes over the baselines of other processes.
    pub(crate) fn expect(&mut self, additions_per_cycle: &AdditionsPerCycle) {
        for (cores, additions) in additions_per_cycle {
            if let Cores::Together(cpus) = cores {
                self.sets.entry(cpus.clone()).or_default().expect(*additions);
            }
        }
    }

    /// Returns the known baselines.
    pub(crate) fn additions_per_cycle(&self) -> AdditionsPerCycle {
        self.sets
            .iter()
            .filter_map(|(cpus, additions)| Some((Cores::Together(cpus.clone()), additions.known()?)))
            .collect()
    }
}

/// Returns how many tasks outside the trial had no free processor, in the worse of two probes.
pub(crate) fn runnable_tasks(processors: usize, taken: usize, before: Probe, after: Probe) -> Option<u64> {
    let free = processors.saturating_sub(taken) as u64;
    Some(before.others?.max(after.others?).saturating_sub(free))
}

/// Parses the number of runnable tasks in `/proc/loadavg` (proc_loadavg(5)).
pub(super) fn runnable(load: &str) -> Option<u64> {
    load.split_ascii_whitespace().nth(3)?.split_once('/')?.0.parse().ok()
}

/// Probes all processors at the same time, `probes` times. Returns the throughput of the slowest core each time.
fn probe(cpus: &[u32], probes: usize) -> Option<Vec<f64>> {
    let (arrived, given_up) = (AtomicUsize::new(0), AtomicBool::new(false));
    let watch = |cpu: u32| {
        let placed = affinity::pin(&[cpu]).is_ok();
        let mut seen = Vec::with_capacity(probes);
        for turn in 1..=probes {
            arrived.fetch_add(1, Ordering::Relaxed);
            // Wait until all processors have woken up.
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
