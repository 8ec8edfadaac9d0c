//! Detects shared cores by comparing their throughput with the best throughput seen on the same cores.
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

/// Number of probes that establish the first baseline of a core.
pub(super) const FIRST_PROBES: usize = 16;

/// Stack size of a probing thread, in bytes.
const STACK: usize = 128 << 10;

/// Cores to which a throughput baseline applies.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cores {
    /// A worker's core. The list contains all processors with the core's type. It is empty if all cores are alike.
    Own(Vec<u32>),
    /// Processors that a multi-threaded trial uses at the same time. The baseline applies to the whole set, because
    /// several processors may be hardware threads of the same core.
    Together(Vec<u32>),
}

impl Cores {
    /// Returns the core of a worker pinned to `cpu`, given the machine's [core types](crate::environment). `None` if
    /// the types differ and the worker is not pinned, because a baseline applies to one type only.
    pub(super) fn find(cpu: Option<u32>, kinds: &[Vec<u32>]) -> Option<Cores> {
        if kinds.is_empty() {
            return Some(Cores::Own(Vec::new()));
        }
        let cpu = cpu?;
        let kind = kinds.iter().find(|kind| kind.contains(&cpu));
        Some(Cores::Own(kind.cloned().unwrap_or_else(|| vec![cpu])))
    }
}

/// Throughput baselines, in independent additions per cycle of unshared cores.
pub type AdditionsPerCycle = BTreeMap<Cores, f64>;

/// Merges `others` into `known`, keeping the higher baseline for each set of cores.
pub(crate) fn merge(known: &mut AdditionsPerCycle, others: &AdditionsPerCycle) {
    for (cores, additions) in others {
        let best = known.entry(cores.clone()).or_insert(*additions);
        *best = best.max(*additions);
    }
}

/// Observed throughput of a core, and the baseline derived from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct KnownAdditions {
    /// The three highest observed values, in descending order. The third is the baseline, because the two highest may
    /// come from errors in the clock estimate.
    pub(super) most: [f64; 3],
    /// Highest baseline found by other processes.
    expected: f64,
}

impl KnownAdditions {
    /// Returns whether no value has been recorded yet.
    pub(super) fn is_unseen(&self) -> bool {
        self.most[0] == 0.0
    }

    /// Records a value if it is one of the three highest.
    pub(super) fn see(&mut self, additions: f64) {
        if let Some(place) = self.most.iter().position(|known| additions > *known) {
            self.most[place..].rotate_right(1);
            self.most[place] = additions;
        }
    }

    /// Adopts another process's baseline if it is higher.
    pub(super) fn expect(&mut self, additions: f64) {
        self.expected = self.expected.max(additions);
    }

    /// Returns the baseline, if known.
    pub(super) fn known(&self) -> Option<f64> {
        let additions = self.most[2].max(self.expected);
        (additions > 0.0).then_some(additions)
    }

    /// Returns the throughput loss at `now` additions per cycle, as a percentage of the baseline. `None` if the
    /// baseline is unknown.
    pub(super) fn narrowed_pct(&self, now: f64) -> Option<f64> {
        Some(100.0 * (1.0 - now / self.known()?))
    }
}

/// Maximum number of times that a probe counts the runnable tasks. The probe reports the lowest count, which excludes
/// tasks that run only briefly.
const COUNTS: usize = 8;
/// Pause between counts. During the pause, threads of the trial that need this processor can finish and go to sleep.
const BETWEEN_COUNTS: Duration = Duration::from_micros(50);

/// Probes the processors of a multi-threaded trial, all at the same time. Shows whether each processor has its core to
/// itself, and whether other tasks are ready to run.
pub(crate) struct InterferenceMonitor {
    pub(super) sets: BTreeMap<Vec<u32>, KnownAdditions>,
    load: Option<KernelFile>,
}

/// Result of probing a set of processors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Probe {
    /// Throughput of the slowest core, in independent additions per cycle. `None` if the throughput cannot be measured
    /// or a thread could not be pinned.
    pub(crate) additions: Option<f64>,
    /// Number of tasks on the machine that are running or ready to run, excluding the calling thread. `None` if the
    /// kernel does not report it.
    pub(crate) others: Option<u64>,
}

impl InterferenceMonitor {
    pub(crate) fn new() -> InterferenceMonitor {
        InterferenceMonitor { sets: BTreeMap::new(), load: KernelFile::open(Path::new("/proc/loadavg"), 128) }
    }

    /// Probes the processors. Takes slightly over half a millisecond, or a few milliseconds the first time.
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

    /// Returns the larger throughput loss of the two probes, as a percentage of the baseline. A probe measures the
    /// slowest core. `None` if a probe failed or the baseline is unknown.
    pub(crate) fn narrowed_pct(&self, cpus: &[u32], before: Probe, after: Probe) -> Option<f64> {
        self.sets.get(cpus)?.narrowed_pct(before.additions?.min(after.additions?))
    }

    /// Adopts the baselines that other processes found.
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

/// Returns the number of tasks outside the trial for which no processor was free. Uses the larger count of the two
/// probes. The trial uses `taken` of the `processors`. `None` if a probe could not count the tasks.
pub(crate) fn runnable_tasks(processors: usize, taken: usize, before: Probe, after: Probe) -> Option<u64> {
    let free = processors.saturating_sub(taken) as u64;
    Some(before.others?.max(after.others?).saturating_sub(free))
}

/// Parses the number of runnable tasks in `/proc/loadavg` (proc_loadavg(5)).
pub(super) fn runnable(load: &str) -> Option<u64> {
    load.split_ascii_whitespace().nth(3)?.split_once('/')?.0.parse().ok()
}

/// Probes all processors at the same time, `probes` times. Returns the throughput of the slowest core in each probe, or
/// `None` if a processor could not be probed.
fn probe(cpus: &[u32], probes: usize) -> Option<Vec<f64>> {
    let (arrived, given_up) = (AtomicUsize::new(0), AtomicBool::new(false));
    let watch = |cpu: u32| {
        let placed = affinity::pin(&[cpu]).is_ok();
        let mut seen = Vec::with_capacity(probes);
        for turn in 1..=probes {
            arrived.fetch_add(1, Ordering::Relaxed);
            // Wait for the threads on the other processors, so that all probe at the same time.
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
