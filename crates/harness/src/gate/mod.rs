//! Contention gates, which detect whether another load disturbed a visit.
//!
//! A [`Gate`] reads the state of the kernel and the core before and after a visit. [`judge`] compares the difference
//! with [`Thresholds`]. A disturbed visit is measured again; if it stays disturbed, its samples are marked.
//!
//! A gate does not detect other loads on the memory bus or the shared cache. It also misses a load on the core's other
//! hardware thread that starts and ends between two probes.

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

/// Gate that watches the thread that created it, from [`open`](Gate::open) to [`close`](Gate::close).
pub struct Gate {
    /// Prefix of the watched processor's line in `/proc/stat`.
    label: String,
    stat: Option<KernelFile>,
    pressure: Option<KernelFile>,
    schedstat: Option<KernelFile>,
    tick_ns: u64,
    /// Cores to which the throughput baseline applies. `None` if the thread may run on several core types, because
    /// their baselines differ.
    cores: Option<Cores>,
    /// Throughput baseline of the core, in additions per cycle.
    width: KnownAdditions,
}

/// Core types of this machine, read once per worker.
static KINDS: OnceLock<Vec<Vec<u32>>> = OnceLock::new();

/// State at the start of a visit.
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

/// State of a core at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Estimated clock rate in Hz.
    pub clock_hz: f64,
    /// Throughput loss compared with an unshared core, in percent (see [`Observation::narrowed_pct`]). `None` if it
    /// cannot be measured.
    pub narrowed_pct: Option<f64>,
}

/// Observations during a visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Duration of the visit in ns.
    pub wall_ns: u64,
    /// CPU time of the thread, in ns.
    pub cpu_ns: u64,
    /// Time in ns during which the thread was ready to run but waited for a processor. `None` if the kernel does not
    /// report it.
    pub waited_ns: Option<u64>,
    /// Time in ns during which the hypervisor ran another virtual machine on the processor. The kernel reports whole
    /// ticks (usually 10 ms), so for a short visit this is either zero or longer than the visit. `None` if the kernel
    /// does not report it.
    pub steal_ns: Option<u64>,
    /// Number of times the kernel took the processor from the thread.
    pub involuntary_switches: u64,
    /// Time in ns during which at least one task on the machine waited for a processor, as a weighted average over the
    /// processors (PSI, `some`). `None` if the kernel does not report it.
    pub pressure_ns: Option<u64>,
    /// Estimated clock rate of the core before the visit, in Hz.
    pub clock_before_hz: f64,
    /// Estimated clock rate of the core after the visit, in Hz.
    pub clock_after_hz: f64,
    /// Throughput loss in percent: the drop in the core's independent additions per cycle, compared with an unshared
    /// core. This is the larger loss in the probes before and after the visit. For several cores, it is the largest
    /// loss of any core. `None` if it cannot be measured.
    pub narrowed_pct: Option<f64>,
    /// Throughput loss in the probe after the visit, in percent. `None` if it cannot be measured.
    pub narrowed_after_pct: Option<f64>,
    /// Number of tasks outside the trial for which no processor was free. This is the larger of the numbers before and
    /// after the visit. `None` if the tasks were not counted.
    pub runnable_tasks: Option<u64>,
}

/// Limits for an undisturbed visit. `None` disables a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Minimum percentage of the visit's wall time during which the thread had a processor. Default 98, because an
    /// interrupt takes only a few µs of a 10 ms visit, but another task takes 1 ms or more.
    ///
    /// If [`workload_waits`](Self::workload_waits) is set, this is a percentage of the time during which the thread ran
    /// or was ready to run.
    pub min_cpu_share_pct: Option<f64>,
    /// Whether the workload sleeps, or waits for other threads or the disk. If so, time without a processor counts as
    /// lost only while the thread is ready to run.
    pub workload_waits: bool,
    /// Maximum percentage of the wall time that the hypervisor may steal. Default 1. In a visit shorter than one
    /// second, a single tick of `/proc/stat` exceeds this limit.
    pub max_steal_pct: Option<f64>,
    /// Limits on involuntary context switches. Even on a quiet machine, kernel threads take the processor for a few µs.
    pub switches: Option<SwitchLimit>,
    /// Maximum CPU pressure, as a percentage of the wall time. Applies only to visits with an involuntary switch.
    /// Default 10.
    ///
    /// The switch is required because PSI counts tasks that wait for any processor. A waiting task matters only if this
    /// thread also lost its processor.
    pub max_pressure_pct: Option<f64>,
    /// Maximum change in the core's clock rate from before to after the visit, in percent. Default 10, which exceeds
    /// the steps of a boosted clock and the errors in the estimate.
    pub max_clock_drift_pct: Option<f64>,
    /// Maximum [throughput loss](Observation::narrowed_pct) of the core, in percent. Default 5. The throughput of an
    /// unshared core varies by less than 1%, and a load on the core's other hardware thread costs 15% or more.
    pub max_narrowed_pct: Option<f64>,
    /// Maximum number of [other tasks](Observation::runnable_tasks). Trials with several threads allow none, because
    /// each other task takes half of a processor's time from one thread.
    pub max_runnable_tasks: Option<u64>,
}

/// Limit on the involuntary context switches in a visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwitchLimit {
    /// Switches allowed in any visit, however short.
    pub free: u64,
    /// Additional switches allowed per second of the visit.
    pub per_second: f64,
    /// Maximum time lost to other tasks, as a percentage of the wall time. If more is lost, even one switch is too
    /// many.
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
    /// Returns thresholds for a thread that waits while other threads of its trial work. They limit stolen time on any
    /// processor, the throughput loss of the threads' cores, and the number of other runnable tasks. The trial itself
    /// watches its threads.
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

    /// Returns thresholds for threads that mostly wait for a network. They limit stolen time and other runnable tasks,
    /// but not the throughput loss, because the threads may share cores among themselves.
    pub fn for_threads_that_wait() -> Thresholds {
        Thresholds { max_narrowed_pct: None, ..Thresholds::for_several_threads() }
    }

    /// Returns thresholds for one of several threads that work concurrently. They do not limit the throughput loss,
    /// because the harness probes the cores of all threads together.
    pub fn for_one_of_several_threads() -> Thresholds {
        Thresholds { max_narrowed_pct: None, ..Thresholds::default() }
    }

    /// Returns thresholds for a thread that hands work to another process on the same processor. `its_time_is_known`
    /// says whether the observed CPU time includes both processes. If it is `false`, lost time is not limited.
    /// Involuntary switches are never limited, because a handover between the processes may count as one.
    pub fn for_another_process(its_time_is_known: bool) -> Thresholds {
        Thresholds {
            min_cpu_share_pct: its_time_is_known.then_some(97.0),
            switches: None,
            max_pressure_pct: None,
            ..Thresholds::default()
        }
    }

    /// Returns thresholds for a workload that sleeps or waits.
    pub fn for_waiting_workload() -> Thresholds {
        Thresholds { workload_waits: true, ..Thresholds::default() }
    }
}

impl Gate {
    /// Creates a gate for the processor `cpu`, to which the calling thread is pinned. If `cpu` is `None`, the gate
    /// watches the steal time of all processors.
    pub fn new(cpu: Option<u32>) -> Gate {
        let root = Path::new("/");
        Gate::on(root, cpu, KINDS.get_or_init(|| environment::kinds(root)))
    }

    /// Creates a gate that reads `proc` and `sys` below `root`.
    pub fn at(root: &Path, cpu: Option<u32>) -> Gate {
        Gate::on(root, cpu, &environment::kinds(root))
    }

    fn on(root: &Path, cpu: Option<u32>, kinds: &[Vec<u32>]) -> Gate {
        Gate {
            label: cpu.map_or_else(|| "cpu ".to_owned(), |cpu| format!("cpu{cpu} ")),
            // Large enough to reach this processor's line, which follows the total and all
            // lower-numbered processors. A line has ten numbers and at most 224 bytes.
            stat: KernelFile::open(&root.join("proc/stat"), 224 * (cpu.unwrap_or(0) as usize + 2)),
            pressure: KernelFile::open(&root.join("proc/pressure/cpu"), 256),
            schedstat: KernelFile::open(&root.join("proc/thread-self/schedstat"), 128),
            tick_ns: tick_ns(),
            cores: Cores::find(cpu, kinds),
            width: KnownAdditions::default(),
        }
    }

    /// Probes the core and begins the visit. The visit's time starts when this call ends. Takes a fraction of a
    /// millisecond.
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

    /// Ends the visit and probes the core again. The visit's time stops when this call starts.
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
            // The CPU time may exceed the wall time, because its two readings enclose those of the
            // wall clock.
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

    /// Returns the core's throughput baseline. Empty before the gate is first opened, or if the throughput cannot be
    /// measured.
    pub fn additions_per_cycle(&self) -> AdditionsPerCycle {
        self.cores.clone().zip(self.width.known()).into_iter().collect()
    }

    /// Adopts the baseline that another gate found on a core of the same type.
    pub fn expect(&mut self, additions_per_cycle: &AdditionsPerCycle) {
        let known = self.cores.as_ref().and_then(|cores| additions_per_cycle.get(cores));
        known.iter().for_each(|width| self.width.expect(**width));
    }

    /// Probes the core between two samples of a visit. Takes a few hundredths of a millisecond.
    pub fn glance(&mut self) -> Probe {
        let core = self.see(glance());
        self.probe_of(core)
    }

    /// Returns the probe at the start of the visit. Its throughput loss is relative to the current baseline.
    pub fn first_probe(&self, before: &Before) -> Probe {
        self.probe_of(before.core)
    }

    /// Returns the probe at the end of the visit.
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

    /// Records the core's throughput if a baseline applies to the core. Otherwise sets the throughput to `None`.
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
    /// Returns the estimated clock rate during the visit in Hz: the mean of the rates before and after the visit.
    pub fn clock_hz(&self) -> f64 {
        f64::midpoint(self.clock_before_hz, self.clock_after_hz)
    }

    /// Returns the change in the core's clock rate during the visit, in percent. Negative if the clock slowed down.
    pub fn clock_drift_pct(&self) -> f64 {
        100.0 * (self.clock_after_hz / self.clock_before_hz - 1.0)
    }

    /// Returns the time in ns during which the thread wanted a processor but had none. For workloads that wait, only
    /// the kernel knows this time; returns zero if the kernel does not report it.
    fn lost_ns(&self, workload_waits: bool) -> u64 {
        if workload_waits { self.waited_ns.unwrap_or(0) } else { self.wall_ns - self.cpu_ns }
    }

    fn percent_of_wall(&self, ns: u64) -> f64 {
        100.0 * ns as f64 / self.wall_ns.max(1) as f64
    }
}

/// Returns a disturbance for each threshold that the observation violates; empty for an undisturbed visit.
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
            // Cap the percentage, because the stolen tick may have begun before the visit.
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

/// File of the kernel that is opened once and read repeatedly from its start, without allocating.
struct KernelFile {
    file: File,
    buffer: Box<[u8]>,
}

impl KernelFile {
    fn open(path: &Path, longest: usize) -> Option<KernelFile> {
        let file = File::open(path).ok()?;
        Some(KernelFile { file, buffer: vec![0; longest].into_boxed_slice() })
    }

    /// Reads the start of the file, up to the length of the buffer.
    fn read(&mut self) -> Option<&str> {
        let length = self.file.read_at(&mut self.buffer, 0).ok()?;
        std::str::from_utf8(&self.buffer[..length]).ok()
    }
}

fn since(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    Some(after?.saturating_sub(before?))
}

/// Returns the number of stolen ticks from the line in `/proc/stat` that begins with `label`: the eighth number in the
/// line (proc_stat(5)).
fn steal_ticks(stat: &str, label: &str) -> Option<u64> {
    // Ignore a line without a line feed, because the buffer may have cut off the line's last number.
    let line = stat.split_inclusive('\n').find(|line| line.starts_with(label) && line.ends_with('\n'))?;
    line.split_ascii_whitespace().nth(8)?.parse().ok()
}

/// Parses the `total` of the line `some` in `/proc/pressure/cpu`, in µs.
fn pressure_us(pressure: &str) -> Option<u64> {
    let line = pressure.lines().find(|line| line.starts_with("some "))?;
    line.rsplit_once("total=")?.1.trim_end().parse().ok()
}

/// Parses the second number of `/proc/<pid>/schedstat`: the time in ns during which the thread was ready to run but
/// waited.
fn waited_ns(schedstat: &str) -> Option<u64> {
    schedstat.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Returns the duration of a tick in `/proc/stat`, in ns.
fn tick_ns() -> u64 {
    let per_second = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).ok().flatten().unwrap_or(100);
    1_000_000_000 / per_second.max(1) as u64
}

#[cfg(test)]
mod tests;
