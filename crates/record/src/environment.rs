use serde::{Deserialize, Serialize};

/// Machine, build and counters. Readers need these facts to judge the results of a run. A field is `None` if its value
/// cannot be determined.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// Host: name, memory, load.
    pub host: Host,
    /// The processor.
    pub cpu: Cpu,
    /// The operating system.
    pub os: OperatingSystem,
    /// Build of pqlab.
    pub build: Build,
    /// All providers in the build, and all loaded libraries.
    pub providers: Vec<ProviderBuild>,
    /// Counter used for timing, and its calibration.
    pub counters: Counters,
    /// Checks of the core used for measuring, made when the run began.
    pub core: Option<CoreChecks>,
}

/// Results of checking the core used for measuring.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoreChecks {
    /// Latencies of a few instructions, in links. A link is one addition in the chain of dependent additions from which
    /// the core clock is estimated. Empty if latencies cannot be measured.
    pub latencies: Vec<Latency>,
    /// Highest number of independent additions per cycle that the core reached. `None` if it cannot be measured.
    pub additions_per_cycle: Option<f64>,
    /// Number of independent additions per cycle that a core of this kind can reach. `None` if unknown.
    pub usual_additions_per_cycle: Option<f64>,
    /// Interruptions of the core. `None` if they cannot be measured.
    pub interruptions: Option<Interruptions>,
}

/// Latency of an instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Name of the instruction in its architecture's manuals.
    pub instruction: String,
    /// Latency in links of the chain of additions. It is a whole number if a link takes one core cycle.
    pub links: f64,
}

impl Latency {
    /// Maximum deviation of a latency from a whole number of links, in percent.
    pub const TOLERANCE_PCT: f64 = 0.3;

    /// Returns the deviation from the nearest whole number above zero, as a percentage of that number.
    pub fn deviation_pct(&self) -> f64 {
        100.0 * (self.links / self.links.round().max(1.0) - 1.0)
    }

    /// Returns whether the latency is a whole number within the tolerance.
    pub fn is_whole(&self) -> bool {
        self.deviation_pct().abs() <= Latency::TOLERANCE_PCT
    }
}

/// Minimum ratio of measured to usual additions per cycle on a core without another load. The measuring loop lowers the
/// ratio by about 4%. A load on the other hardware thread lowers it by 15% or more.
const LEAST_SHARE: f64 = 0.9;

impl CoreChecks {
    /// Returns whether a link takes one core cycle. This is the case if every latency is a whole number of links.
    /// `None` if no latency was measured.
    pub fn links_are_cycles(&self) -> Option<bool> {
        (!self.latencies.is_empty()).then(|| self.latencies.iter().all(Latency::is_whole))
    }

    /// Returns whether another load appears to use the core all the time. This is the case if the core never reached
    /// 90% of the additions per cycle that are usual for its kind. `None` if unknown.
    pub fn is_always_shared(&self) -> Option<bool> {
        Some(self.additions_per_cycle? < LEAST_SHARE * self.usual_additions_per_cycle?)
    }
}

/// Interruptions of a core that the operating system does not report, such as a hypervisor's timer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interruptions {
    /// Number of interruptions per millisecond.
    pub per_ms: f64,
    /// Median length of an interruption in µs.
    pub typical_us: f64,
    /// Percentage of the time that interruptions take.
    pub share_pct: f64,
}

/// The host: name, memory, load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Name of the host.
    pub name: Option<String>,
    /// Main memory.
    pub memory: Memory,
    /// Load averages over 1, 5 and 15 minutes when the run began.
    pub load: Option<[f64; 3]>,
    /// Percentage of the time before the run during which at least one task waited for a processor (pressure stall
    /// information, PSI).
    pub pressure: Option<Pressure>,
    /// Container runtime, if the run is inside a container: `docker`, `podman`, `lxc`, ...
    pub container: Option<String>,
    /// Time when the environment was captured (RFC 3339, UTC).
    pub captured_at: String,
}

/// Main memory, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Installed memory.
    pub total: Option<u64>,
    /// Memory that was available when the run began.
    pub available: Option<u64>,
}

/// Percentage of the time during which at least one task waited for a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pressure {
    /// Average over the last 10 seconds.
    pub avg10: f64,
    /// Average over the last minute.
    pub avg60: f64,
}

/// The processor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cpu {
    /// Name of the model. Hypervisors may replace it with the name of a series.
    pub model: String,
    /// Family, model and stepping of an x86 processor. `None`, and absent in JSON, for other processors and in older
    /// runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<CpuNumbers>,
    /// Architecture: `x86_64` or `aarch64`.
    pub architecture: String,
    /// Number of logical processors on which this process may run.
    pub cores: u32,
    /// Instruction-set extensions used by cryptographic code, except hidden ones.
    pub features: Vec<String>,
    /// Instruction-set extensions hidden by `PQLAB_HIDE_CPU_FEATURES`. Code paths that need them did not run.
    pub hidden_features: Vec<String>,
    /// Microcode revision.
    pub microcode: Option<String>,
    /// Caches, ordered by their distance from the core, closest first.
    pub caches: Vec<Cache>,
    /// Kernel's frequency governor, such as `performance`.
    pub governor: Option<String>,
    /// Whether the clock may rise above its nominal rate.
    pub turbo: Option<bool>,
    /// Whether simultaneous multithreading is on, so that several hardware threads share a core's execution units.
    pub smt: Option<bool>,
    /// Whether the machine is a guest of a hypervisor.
    pub virtualized: Option<bool>,
    /// Hypervisor and clock source; `None` if both are unknown.
    pub virtualization: Option<Virtualization>,
}

/// Numbers that identify an x86 processor, from CPUID.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuNumbers {
    /// Family, including the extended family.
    pub family: u32,
    /// Model, including the extended model.
    pub model: u32,
    /// Stepping.
    pub stepping: u32,
}

/// A cache of the processor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// Level of the cache: 1, 2, 3, ...
    pub level: u8,
    /// Kind of the cache: `Data`, `Instruction` or `Unified`.
    pub kind: String,
    /// Size in bytes.
    pub size: u64,
    /// Line size in bytes.
    pub line: Option<u64>,
}

/// Name of the hypervisor, and the kernel's clock source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Virtualization {
    /// Name of the hypervisor: `KVM`, `Hyper-V`, ...
    pub hypervisor: Option<String>,
    /// Kernel's clock source, such as `tsc`.
    pub clocksource: Option<String>,
}

/// The operating system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatingSystem {
    /// Distribution and its version.
    pub name: String,
    /// Release of the kernel.
    pub kernel: String,
    /// Address space layout randomization: the value of `randomize_va_space` (0, 1 or 2).
    pub aslr: Option<u8>,
    /// Kernel's limit on the use of performance counters: the value of `perf_event_paranoid`.
    pub perf_event_paranoid: Option<i32>,
    /// Reason why the run's processes were not pinned to one core. `None`, and absent in JSON, if they were pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpinned: Option<String>,
    /// Description of another pqlab process that was already measuring on one of the run's cores when the run began.
    /// `None`, and absent in JSON, if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crowded: Option<String>,
}

/// Build of pqlab.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// Version of pqlab.
    pub version: String,
    /// Version of the Rust compiler.
    pub rustc: String,
    /// Version of the C compiler used for the vendored libraries.
    pub cc: Option<String>,
    /// Cargo profile, such as `release`.
    pub profile: String,
    /// Target triple.
    pub target: String,
    /// Compiler flags from the environment.
    pub flags: Option<String>,
    /// Git commit, followed by `+` if the working tree had changes.
    pub commit: Option<String>,
}

/// A provider that is part of the build or was loaded at run time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderBuild {
    /// Id of the provider.
    pub id: String,
    /// The library's version.
    pub version: String,
    /// Compiler flags, features and code paths of the library's build.
    pub build: String,
    /// Programming language of a loaded provider, in lower case (`go`); `None` if the provider is linked in.
    pub language: Option<String>,
    /// Name and version of the runtime that executes the provider, detected at run time: `go1.26.8`. `None` if the
    /// provider needs no runtime.
    pub runtime: Option<String>,
    /// Shared library or program that the user loaded under a label; `None` if the provider is linked in.
    pub library: Option<LoadedLibrary>,
}

/// A shared library or program that the user loaded under a label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedLibrary {
    /// Interface through which the library is called: `liboqs`, `openssl`, `nist`, `worker`.
    pub kind: String,
    /// Path of the library or program.
    pub path: String,
    /// Complete specification of the library from the command line. Resuming the run uses it.
    pub spec: String,
}

impl ProviderBuild {
    /// Returns a description of the provider's build. If the provider was loaded, the description includes the path of
    /// the library or program.
    pub fn origin(&self) -> String {
        let loaded = self.library.as_ref().map(|library| format!("loaded from {}", library.path));
        [Some(self.build.clone()), loaded]
            .into_iter()
            .flatten()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("; ")
    }
}

impl Environment {
    /// Returns the label and the loaded library of a provider. For a pair of providers, returns the first of the two
    /// that was loaded. Returns `None` if all libraries were linked in.
    pub fn loaded(&self, provider: &str) -> Option<(&str, &LoadedLibrary)> {
        provider.split('+').find_map(|part| {
            let build = self.providers.iter().find(|build| build.id == part)?;
            Some((build.id.as_str(), build.library.as_ref()?))
        })
    }
}

/// Counters of this machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    /// Name of the counter used for timing: `wall`, `tsc`, `cycles` or `instructions`.
    pub primary: String,
    /// Ticks per second, measured against the monotonic clock. `None` if the counter does not run at a constant rate.
    pub ticks_per_second: Option<f64>,
    /// Core clock in Hz when the run began, estimated with a chain of dependent additions.
    pub core_clock_estimate_hz: Option<f64>,
    /// Smallest step between two readings, in ns.
    pub resolution_ns: f64,
    /// Time in ns between two back-to-back readings of the counter.
    pub overhead_ns: f64,
    /// Counters that are not available, each with the reason and what to do about it.
    pub unavailable: Vec<(String, String)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_must_be_whole_numbers_of_links() {
        let latency = |links: f64| Latency { instruction: "IMUL".into(), links };
        for (links, whole) in [(3.003, true), (2.992, true), (4.0, true), (3.0091, false), (0.3, false), (3.5, false)] {
            assert_eq!(latency(links).is_whole(), whole, "{links}");
        }
        let mut checks = CoreChecks::default();
        assert_eq!(checks.links_are_cycles(), None);
        checks.latencies = vec![latency(3.0), latency(4.01)];
        assert_eq!(checks.links_are_cycles(), Some(true));
        checks.latencies.push(latency(1.5));
        assert_eq!(checks.links_are_cycles(), Some(false));
    }

    #[test]
    fn a_core_that_never_reaches_its_width_is_always_shared() {
        let shared = |additions_per_cycle, usual_additions_per_cycle| {
            CoreChecks { additions_per_cycle, usual_additions_per_cycle, ..CoreChecks::default() }.is_always_shared()
        };
        assert_eq!(shared(Some(3.84), Some(4.0)), Some(false));
        assert_eq!(shared(Some(3.3), Some(4.0)), Some(true));
        assert_eq!(shared(None, Some(4.0)), None);
        assert_eq!(shared(Some(3.3), None), None);
    }
}
