use serde::{Deserialize, Serialize};

/// Machine, build and counters, as far as readers need them to judge the results. A field is `None` if its value cannot
/// be determined.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// The machine as a whole.
    pub host: Host,
    /// The processor.
    pub cpu: Cpu,
    /// The operating system.
    pub os: OperatingSystem,
    /// Build of this program.
    pub build: Build,
    /// All providers in the build, and all loaded libraries.
    pub providers: Vec<ProviderBuild>,
    /// Counter used for timing, and its calibration.
    pub counters: Counters,
}

/// The machine as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Name of the host.
    pub name: Option<String>,
    /// Main memory.
    pub memory: Memory,
    /// Load averages over 1, 5 and 15 minutes when the run began.
    pub load: Option<[f64; 3]>,
    /// Pressure on the processors when the run began (PSI).
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
    /// Memory available when the run began.
    pub available: Option<u64>,
}

/// Percentage of time during which a task waited for a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pressure {
    /// Over the last 10 seconds.
    pub avg10: f64,
    /// Average over the last minute.
    pub avg60: f64,
}

/// The processor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cpu {
    /// The model's name.
    pub model: String,
    /// The architecture: `x86_64`, `aarch64`.
    pub architecture: String,
    /// Number of cores on which this process may run.
    pub cores: u32,
    /// Instruction-set extensions that cryptographic code uses, except hidden ones.
    pub features: Vec<String>,
    /// Features hidden by `PQLAB_HIDE_CPU_FEATURES`. Code paths that need these features did not run.
    pub hidden_features: Vec<String>,
    /// Microcode revision.
    pub microcode: Option<String>,
    /// Caches, from the nearest to the farthest.
    pub caches: Vec<Cache>,
    /// Frequency governor.
    pub governor: Option<String>,
    /// Whether the clock may rise above its nominal rate.
    pub turbo: Option<bool>,
    /// Whether the hardware threads of a core share its execution units.
    pub smt: Option<bool>,
    /// Whether the machine is a guest of a hypervisor.
    pub virtualized: Option<bool>,
    /// Details of the virtualization.
    pub virtualization: Option<Virtualization>,
}

/// Cache level.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// Level of the cache: 1, 2, 3, ...
    pub level: u8,
    /// `Data`, `Instruction` or `Unified`.
    pub kind: String,
    /// Size in bytes.
    pub size: u64,
    /// Line size in bytes.
    pub line: Option<u64>,
}

/// The hypervisor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Virtualization {
    /// Name of the hypervisor: `KVM`, `Hyper-V`, ...
    pub hypervisor: Option<String>,
    /// The kernel's clock source.
    pub clocksource: Option<String>,
}

/// The operating system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatingSystem {
    /// The distribution and its version.
    pub name: String,
    /// The kernel's release.
    pub kernel: String,
    /// Whether addresses are randomised (`randomize_va_space`: 0, 1, 2).
    pub aslr: Option<u8>,
    /// The kernel's limit on performance counters (`perf_event_paranoid`).
    pub perf_event_paranoid: Option<i32>,
    /// Reason for not pinning the run's processes to one core; `None` if they were pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpinned: Option<String>,
    /// Another program that was measuring on the run's core when the run began. `None` unless all cores were taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crowded: Option<String>,
}

/// Build of this program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// This program's version.
    pub version: String,
    /// The Rust compiler.
    pub rustc: String,
    /// C compiler used for the vendored libraries.
    pub cc: Option<String>,
    /// Cargo's profile.
    pub profile: String,
    /// Target triple.
    pub target: String,
    /// Compiler flags from the environment.
    pub flags: Option<String>,
    /// Git commit, followed by `+` if the tree contained changes.
    pub commit: Option<String>,
}

/// A provider that is part of the build or was loaded at run time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderBuild {
    /// Id of the provider.
    pub id: String,
    /// The library's version.
    pub version: String,
    /// Flags, features and code paths of the library's build.
    pub build: String,
    /// Language of a loaded provider, in lower case (`go`); `None` if the provider is linked in.
    pub language: Option<String>,
    /// Runtime that executes the provider, with the version found at run time: `go1.26.8`. `None` if the provider needs
    /// no runtime.
    pub runtime: Option<String>,
    /// Shared library or program that the user loaded under a label; `None` if the provider was linked in.
    pub library: Option<LoadedLibrary>,
}

/// A shared library that was loaded at run time, or a program that was started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedLibrary {
    /// Interface through which it is called: `liboqs`, `openssl`, `nist`, `worker`.
    pub kind: String,
    /// Path of the file.
    pub path: String,
    /// Full specification from the command line, for resuming the run.
    pub spec: String,
}

impl ProviderBuild {
    /// Describes the provider's build, and its file if it was loaded.
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
    /// Returns the label and the library of a case's provider, if the provider was loaded. For a pair, returns the
    /// first loaded library. Returns `None` if all libraries were linked in.
    pub fn loaded(&self, provider: &str) -> Option<(&str, &LoadedLibrary)> {
        provider.split('+').find_map(|part| {
            let build = self.providers.iter().find(|build| build.id == part)?;
            Some((build.id.as_str(), build.library.as_ref()?))
        })
    }
}

/// Counter used for timing on this machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    /// Counter used for this run: `wall`, `tsc`, `cycles` or `instructions`.
    pub primary: String,
    /// Ticks per second, measured against the monotonic clock, if the counter runs at a constant rate.
    pub ticks_per_second: Option<f64>,
    /// Core clock in Hz when the run began, estimated with a chain of dependent additions.
    pub core_clock_estimate_hz: Option<f64>,
    /// Smallest step between two readings, in ns.
    pub resolution_ns: f64,
    /// Measured time in ns of a pair of readings with nothing between them.
    pub overhead_ns: f64,
    /// Counters that are not available, each with the reason and a remedy.
    pub unavailable: Vec<(String, String)>,
}
