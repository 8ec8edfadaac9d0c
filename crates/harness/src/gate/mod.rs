//! Contention gates: whether a visit to a case had its core to itself.
//!
//! A [`Gate`] looks at what the kernel and the core say before and after a visit; [`judge`] holds the difference against
//! [`Thresholds`]. A visit that something disturbed is measured again, and if it stays disturbed its samples say so.
//!
//! What a gate does not see: another load on the memory bus or in the shared cache, and one on the other hardware thread of
//! the same core who comes after the visit's beginning and is gone before its end.

mod interference;

pub use interference::{AdditionsPerCycle, Cores};
pub(crate) use interference::{InterferenceMonitor, merge, runnable_tasks};

use crate::clock::{CoreState, core_state, glance, monotonic_ns, thread_cpu_ns};
use crate::environment;
use crate::system::{Here, System};
use interference::{FIRST_PROBES, KnownAdditions};
use pqlab_record::Disturbance;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::OnceLock;

/// Watches the calling thread between two moments. It belongs to the thread that made it.
pub struct Gate {
    /// What a line of `/proc/stat` must begin with to be that of the watched processor.
    label: String,
    stat: Option<KernelFile>,
    pressure: Option<KernelFile>,
    schedstat: Option<KernelFile>,
    tick_ns: u64,
    /// Of which cores additions a cycle are known; `None` where the thread may be on cores of several kinds, and how narrow one is
    /// cannot be said.
    cores: Option<Cores>,
    /// Additions a cycle of the core.
    width: KnownAdditions,
}

/// The kinds of this machine's cores: each worker asks once.
static KINDS: OnceLock<Vec<Vec<u32>>> = OnceLock::new();

/// What was seen when a visit began.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    core: CoreState,
    steal_ticks: Option<u64>,
    pressure_us: Option<u64>,
    waited_ns: Option<u64>,
    switches: u64,
    cpu_ns: u64,
    wall_ns: u64,
}

/// What a core does at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Estimated rate of its clock, in Hz.
    pub clock_hz: f64,
    /// By how many percent [narrower](Observation::narrowed_pct) it is than alone. `None` where there is no measuring it.
    pub narrowed_pct: Option<f64>,
}

/// What happened during a visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Length of the visit.
    pub wall_ns: u64,
    /// CPU time of the thread.
    pub cpu_ns: u64,
    /// Time for which the thread was ready to run and was kept waiting for a processor. `None` where the kernel keeps no
    /// account of it.
    pub waited_ns: Option<u64>,
    /// Time for which the hypervisor ran something else on the processor, in whole ticks of `/proc/stat` (10 ms as a
    /// rule): for a short visit it is zero or more than the visit.
    pub steal_ns: Option<u64>,
    /// How often the kernel took the processor from the thread.
    pub involuntary_switches: u64,
    /// Time for which any task on the machine waited for any processor, weighted over the processors (PSI, `some`).
    pub pressure_ns: Option<u64>,
    /// Estimated rate of the core's clock before the visit, in Hz.
    pub clock_before_hz: f64,
    /// And after it.
    pub clock_after_hz: f64,
    /// By how many percent fewer independent additions in a cycle the core carried out than when it is alone, before the
    /// visit or after it, whichever is more; of several cores the one with the most. `None` where there is no measuring it.
    pub narrowed_pct: Option<f64>,
    /// The same, after the visit alone.
    pub narrowed_after_pct: Option<f64>,
    /// Other tasks that were ready to run, before the visit or after it, beyond those for which the machine has processors that
    /// the trial's threads leave alone. `None` where nobody looked.
    pub runnable_tasks: Option<u64>,
}

/// From where on something counts as a disturbance. `None` switches a rule off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Least share of the visit's wall time for which the thread had a processor, in percent. 98: an interrupt takes
    /// some µs of a visit of 10 ms, another task that is given a turn takes a millisecond or more.
    ///
    /// Where the workload itself [waits](Self::workload_waits), the share is taken of the time for which the thread
    /// was running or ready to run.
    pub min_cpu_share_pct: Option<f64>,
    /// Whether the workload sleeps, or waits for other threads or the disk: then time without a processor is its own
    /// doing unless it was ready to run.
    pub workload_waits: bool,
    /// Most share of the wall time that may be stolen, in percent. 1: in a visit below a second any tick of
    /// `/proc/stat` is more than that.
    pub max_steal_pct: Option<f64>,
    /// How often the kernel may take the processor away. Kernel threads do so on a quiet machine too, for some µs.
    pub switches: Option<SwitchLimit>,
    /// Most pressure in percent of the wall time, in a visit in which the processor was taken away at all. 10.
    ///
    /// PSI counts tasks that wait on any processor, and a task that waits for another one than ours is none of our
    /// business. One that waits while ours is taken from us is.
    pub max_pressure_pct: Option<f64>,
    /// Most that the core's clock may differ after from before, in percent. 10: the steps in which a boosted clock moves
    /// by itself are narrower, and so are the errors of the estimate.
    pub max_clock_drift_pct: Option<f64>,
    /// Most that the core may be [narrower](Observation::narrowed_pct) than alone, in percent. 5: alone it varies by less
    /// than 1, and another load on its other hardware thread takes 15 and more.
    pub max_narrowed_pct: Option<f64>,
    /// Most [tasks of others](Observation::runnable_tasks). 0: each takes a processor from a thread for half of its time.
    pub max_runnable_tasks: Option<u64>,
}

/// How many involuntary context switches a visit may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwitchLimit {
    /// In any visit, however short.
    pub free: u64,
    /// Beyond those, for each second of the visit.
    pub per_second: f64,
    /// Time lost to other tasks, in percent of the wall time, from which on a single switch is one too many.
    pub max_lost_pct: f64,
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds {
            min_cpu_share_pct: Some(98.0),
            workload_waits: false,
            max_steal_pct: Some(1.0),
            switches: Some(SwitchLimit { free: 1, per_second: 20.0, max_lost_pct: 1.0 }),
            max_pressure_pct: Some(10.0),
            max_clock_drift_pct: Some(10.0),
            max_narrowed_pct: Some(5.0),
            max_runnable_tasks: None,
        }
    }
}

impl Thresholds {
    /// For the thread that waits while a trial works on threads of its own, which that trial watches: what counts is time that
    /// was stolen from any processor, and whether the threads share their cores or processors.
    pub fn for_several_threads() -> Thresholds {
        Thresholds {
            min_cpu_share_pct: None,
            switches: None,
            max_pressure_pct: None,
            max_clock_drift_pct: None,
            max_runnable_tasks: Some(0),
            ..Thresholds::default()
        }
    }

    /// For threads that wait for a network for most of the time: how wide their cores are is the least of it, and they may be the ones
    /// that share them. Whether others want the processors counts, and time that was stolen.
    pub fn for_threads_that_wait() -> Thresholds {
        Thresholds { max_narrowed_pct: None, ..Thresholds::for_several_threads() }
    }

    /// For one of several threads that work at once: the harness looks at all their cores together.
    pub fn for_one_of_several_threads() -> Thresholds {
        Thresholds { max_narrowed_pct: None, ..Thresholds::default() }
    }

    /// For a thread that hands the work to another process on its processor, with the CPU time of both: what counts is whether
    /// somebody else had the processor. That the two take turns there is neither a loss nor a switch that others make.
    pub fn for_another_process(its_time_is_known: bool) -> Thresholds {
        Thresholds {
            min_cpu_share_pct: its_time_is_known.then_some(97.0),
            switches: None,
            max_pressure_pct: None,
            ..Thresholds::default()
        }
    }

    /// For a workload that sleeps or waits by itself.
    pub fn for_waiting_workload() -> Thresholds {
        Thresholds { workload_waits: true, ..Thresholds::default() }
    }
}

impl Gate {
    /// A gate on the processor to which the calling thread is pinned; `None` if it is pinned to no single one, in which
    /// case the steal time of all of them counts.
    pub fn new(cpu: Option<u32>) -> Gate {
        let root = Path::new("/");
        Gate::on(root, cpu, KINDS.get_or_init(|| environment::kinds(root)))
    }

    /// As [`Gate::new`], reading `proc` and `sys` below another root.
    pub fn at(root: &Path, cpu: Option<u32>) -> Gate {
        Gate::on(root, cpu, &environment::kinds(root))
    }

    fn on(root: &Path, cpu: Option<u32>, kinds: &[Vec<u32>]) -> Gate {
        Gate {
            label: cpu.map_or_else(|| "cpu ".to_owned(), |cpu| format!("cpu{cpu} ")),
            // A line holds ten numbers; before the line of a processor come those of the processors below it, and one
            // for all.
            stat: KernelFile::open(&root.join("proc/stat"), 224 * (cpu.unwrap_or(0) as usize + 2)),
            pressure: KernelFile::open(&root.join("proc/pressure/cpu"), 256),
            schedstat: KernelFile::open(&root.join("proc/thread-self/schedstat"), 128),
            tick_ns: tick_ns(),
            cores: Cores::own(cpu, kinds),
            width: KnownAdditions::default(),
        }
    }

    /// Probes, and begins the visit: its time runs from the end of this call. Takes a fraction of a millisecond.
    pub fn open(&mut self) -> Before {
        if self.cores.is_some() && self.width.is_unseen() {
            (0..FIRST_PROBES).for_each(|_| {
                self.core();
            });
        }
        Before {
            core: self.core(),
            steal_ticks: self.steal_ticks(),
            pressure_us: self.pressure_us(),
            waited_ns: self.waited_ns(),
            switches: Here::involuntary_switches(),
            cpu_ns: thread_cpu_ns(),
            wall_ns: monotonic_ns(),
        }
    }

    /// Ends the visit, whose time runs up to the beginning of this call, and probes again.
    pub fn close(&mut self, before: Before) -> Observation {
        let wall_ns = monotonic_ns() - before.wall_ns;
        let cpu_ns = thread_cpu_ns() - before.cpu_ns;
        let waited_ns = since(before.waited_ns, self.waited_ns()).map(|waited_ns| waited_ns.min(wall_ns));
        let involuntary_switches = Here::involuntary_switches() - before.switches;
        let pressure_ns = since(before.pressure_us, self.pressure_us()).map(|us| us * 1_000);
        let steal_ns = since(before.steal_ticks, self.steal_ticks()).map(|ticks| ticks * self.tick_ns);
        let after = self.core();
        let narrowed = |core: CoreState| self.width.narrowed_pct(core.additions_a_cycle?);
        Observation {
            wall_ns,
            // These are read outside the two readings of the wall clock, and the thread may be kept waiting in between.
            cpu_ns: cpu_ns.min(wall_ns),
            waited_ns,
            involuntary_switches,
            pressure_ns,
            steal_ns,
            clock_before_hz: before.core.clock_hz,
            clock_after_hz: after.clock_hz,
            narrowed_pct: narrowed(before.core).zip(narrowed(after)).map(|(before, after)| before.max(after)),
            narrowed_after_pct: narrowed(after),
            runnable_tasks: None,
        }
    }

    /// What is known of the core alone: nothing before the gate was opened, and where there is no measuring it.
    pub fn additions_per_cycle(&self) -> AdditionsPerCycle {
        self.cores.clone().zip(self.width.known()).into_iter().collect()
    }

    /// Takes over what another gate on a core of the same kind knows.
    pub fn expect(&mut self, additions_per_cycle: &AdditionsPerCycle) {
        let known = self.cores.as_ref().and_then(|cores| additions_per_cycle.get(cores));
        known.iter().for_each(|width| self.width.expect(**width));
    }

    /// Probes between two samples of a visit, in some hundredths of a millisecond.
    pub fn glance(&mut self) -> Probe {
        let core = self.see(glance());
        self.probe_of(core)
    }

    /// What was seen when the visit began, by what is known of the core since.
    pub fn first_probe(&self, before: &Before) -> Probe {
        self.probe_of(before.core)
    }

    /// What was seen when the visit ended.
    pub fn last_probe(&self, observation: &Observation) -> Probe {
        Probe { clock_hz: observation.clock_after_hz, narrowed_pct: observation.narrowed_after_pct }
    }

    fn probe_of(&self, core: CoreState) -> Probe {
        let narrowed_pct = core.additions_a_cycle.and_then(|width| self.width.narrowed_pct(width));
        Probe { clock_hz: core.clock_hz, narrowed_pct }
    }

    fn core(&mut self) -> CoreState {
        self.see(core_state())
    }

    /// Remembers how wide the core is, where that can be held against what it does alone; else forgets it.
    fn see(&mut self, seen: CoreState) -> CoreState {
        let additions_a_cycle = seen.additions_a_cycle.filter(|_| self.cores.is_some());
        additions_a_cycle.iter().for_each(|width| self.width.see(*width));
        CoreState { additions_a_cycle, ..seen }
    }

    fn steal_ticks(&mut self) -> Option<u64> {
        steal_ticks(self.stat.as_mut()?.read()?, &self.label)
    }

    fn pressure_us(&mut self) -> Option<u64> {
        pressure_us(self.pressure.as_mut()?.read()?)
    }

    fn waited_ns(&mut self) -> Option<u64> {
        waited_ns(self.schedstat.as_mut()?.read()?)
    }
}

impl Observation {
    /// The estimated rate of the core's clock during the visit, in Hz: the mean of before and after.
    pub fn clock_hz(&self) -> f64 {
        f64::midpoint(self.clock_before_hz, self.clock_after_hz)
    }

    /// By how many percent the core's clock was faster after the visit than before, or slower if negative.
    pub fn clock_drift_pct(&self) -> f64 {
        100.0 * (self.clock_after_hz / self.clock_before_hz - 1.0)
    }

    /// Time for which the thread wanted a processor and had none. Where a workload waits by itself, this is known from the
    /// kernel's account alone, and zero without one.
    fn lost_ns(&self, workload_waits: bool) -> u64 {
        if workload_waits { self.waited_ns.unwrap_or(0) } else { self.wall_ns - self.cpu_ns }
    }

    fn percent_of_wall(&self, ns: u64) -> f64 {
        100.0 * ns as f64 / self.wall_ns.max(1) as f64
    }
}

/// What of an observation crosses the thresholds. An empty answer is a clean visit.
pub fn judge(seen: &Observation, thresholds: &Thresholds) -> Vec<Disturbance> {
    let mut found = Vec::new();
    let lost_ns = seen.lost_ns(thresholds.workload_waits);
    if let Some(limit) = thresholds.min_cpu_share_pct {
        let wanted_ns = if thresholds.workload_waits { seen.cpu_ns + lost_ns } else { seen.wall_ns };
        let pct = if wanted_ns == 0 { 100.0 } else { 100.0 * (wanted_ns - lost_ns) as f64 / wanted_ns as f64 };
        if pct < limit {
            found.push(Disturbance::CpuShare { pct });
        }
    }
    if let (Some(limit), Some(steal_ns)) = (thresholds.max_steal_pct, seen.steal_ns) {
        let pct = seen.percent_of_wall(steal_ns);
        if pct > limit {
            // A tick may reach back before the visit.
            found.push(Disturbance::Steal { pct: pct.min(100.0) });
        }
    }
    let count = seen.involuntary_switches;
    if let Some(limit) = thresholds.switches {
        let allowed = limit.free as f64 + limit.per_second * seen.wall_ns as f64 / 1e9;
        let costly = count > 0 && seen.percent_of_wall(lost_ns) > limit.max_lost_pct;
        if count as f64 > allowed || costly {
            found.push(Disturbance::InvoluntarySwitches { count });
        }
    }
    if let (Some(limit), Some(pressure_ns)) = (thresholds.max_pressure_pct, seen.pressure_ns) {
        let pct = seen.percent_of_wall(pressure_ns);
        if pct > limit && count > 0 {
            found.push(Disturbance::Pressure { pct: pct.min(100.0) });
        }
    }
    if let Some(limit) = thresholds.max_clock_drift_pct {
        let pct = seen.clock_drift_pct();
        if pct.abs() > limit {
            found.push(Disturbance::ClockDrift { pct });
        }
    }
    if let (Some(limit), Some(pct)) = (thresholds.max_narrowed_pct, seen.narrowed_pct)
        && pct > limit
    {
        found.push(Disturbance::SharedCore { pct, kept: false });
    }
    if let (Some(limit), Some(count)) = (thresholds.max_runnable_tasks, seen.runnable_tasks)
        && count > limit
    {
        found.push(Disturbance::OtherTasks { count });
    }
    found
}

/// A file of the kernel's that is opened once and read from its beginning again and again, without allocating.
struct KernelFile {
    file: File,
    buffer: Box<[u8]>,
}

impl KernelFile {
    fn open(path: &Path, longest: usize) -> Option<KernelFile> {
        let file = File::open(path).ok()?;
        Some(KernelFile { file, buffer: vec![0; longest].into_boxed_slice() })
    }

    /// The beginning of the file, as far as the buffer reaches.
    fn read(&mut self) -> Option<&str> {
        let length = self.file.read_at(&mut self.buffer, 0).ok()?;
        std::str::from_utf8(&self.buffer[..length]).ok()
    }
}

fn since(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    Some(after?.saturating_sub(before?))
}

/// Stolen ticks of the processor whose line begins with `label`: the eighth number (proc_stat(5)).
fn steal_ticks(stat: &str, label: &str) -> Option<u64> {
    // A line without its end was cut off, perhaps within a number.
    let line = stat.split_inclusive('\n').find(|line| line.starts_with(label) && line.ends_with('\n'))?;
    line.split_ascii_whitespace().nth(8)?.parse().ok()
}

/// The account of `some` in `/proc/pressure/cpu`, in µs.
fn pressure_us(pressure: &str) -> Option<u64> {
    let line = pressure.lines().find(|line| line.starts_with("some "))?;
    line.rsplit_once("total=")?.1.trim_end().parse().ok()
}

/// The second number of `/proc/<pid>/schedstat`: ns spent ready to run, but waiting.
fn waited_ns(schedstat: &str) -> Option<u64> {
    schedstat.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Length of a tick in `/proc/stat`, in ns.
fn tick_ns() -> u64 {
    let per_second = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).ok().flatten().unwrap_or(100);
    1_000_000_000 / per_second.max(1) as u64
}

#[cfg(test)]
mod tests;
