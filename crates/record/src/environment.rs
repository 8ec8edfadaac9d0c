use serde::{Deserialize, Serialize};

/// Facts about the machine, the build and the counters that a reader needs to trust a figure. A field is `None` if its
/// value cannot be determined.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// The machine as a whole.
    pub host: Host,
    /// The processor.
    pub cpu: Cpu,
    /// The operating system.
    pub os: OperatingSystem,
    /// How this program was built.
    pub build: Build,
    /// Every provider in the build, and every library that was loaded as well.
    pub providers: Vec<ProviderBuild>,
    /// Counter used for timing, and its calibration.
    pub counters: Counters,
}

/// The machine as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// The host's name.
    pub name: Option<String>,
    /// Main memory.
    pub memory: Memory,
    /// Load averages over 1, 5 and 15 minutes when the run began.
    pub load: Option<[f64; 3]>,
    /// Pressure on the processors when the run began (PSI).
    pub pressure: Option<Pressure>,
    /// The container runtime, if the run is inside one: `docker`, `podman`, `lxc`, ...
    pub container: Option<String>,
    /// When this was captured: RFC 3339, UTC.
    pub captured_at: String,
}

/// Main memory, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Installed.
    pub total: Option<u64>,
    /// Available when the run began.
    pub available: Option<u64>,
}

/// Share of time in which a task waited for a processor, in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pressure {
    /// Over the last 10 seconds.
    pub avg10: f64,
    /// Over the last minute.
    pub avg60: f64,
}

/// The processor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cpu {
    /// The model's name.
    pub model: String,
    /// The architecture: `x86_64`, `aarch64`.
    pub architecture: String,
    /// Cores on which this process may run.
    pub cores: u32,
    /// Instruction-set extensions that matter to cryptography, without hidden ones.
    pub features: Vec<String>,
    /// Features that `PQLAB_HIDE_CPU_FEATURES` hid: code paths that need them did not run.
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
    /// Whether it is a guest of a hypervisor.
    pub virtualized: Option<bool>,
    /// Details of the virtualization.
    pub virtualization: Option<Virtualization>,
}

/// Cache level.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// 1, 2, 3, ...
    pub level: u8,
    /// `Data`, `Instruction`, `Unified`.
    pub kind: String,
    /// Bytes.
    pub size: u64,
    /// Line size in bytes.
    pub line: Option<u64>,
}

/// The hypervisor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Virtualization {
    /// Its name: `KVM`, `Hyper-V`, ...
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
    /// Why the run's processes were not pinned to one core; `None` if they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpinned: Option<String>,
    /// Another program that was measuring on the run's core when it began, if no other core was free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crowded: Option<String>,
}

/// How this program was built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// This program's version.
    pub version: String,
    /// The Rust compiler.
    pub rustc: String,
    /// The C compiler of the vendored libraries.
    pub cc: Option<String>,
    /// Cargo's profile.
    pub profile: String,
    /// Target triple.
    pub target: String,
    /// Compiler flags from the environment.
    pub flags: Option<String>,
    /// Commit, followed by `+` if the tree had changes.
    pub commit: Option<String>,
}

/// Provider in the build, or loaded at run time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderBuild {
    /// Its id.
    pub id: String,
    /// The library's version.
    pub version: String,
    /// Flags, features, code paths.
    pub build: String,
    /// Language of a provider that is not linked in, as one lower-case word (`go`); `None` if it is linked in.
    pub language: Option<String>,
    /// Runtime that executes it, with its version as found at run time: `go1.26.8`; `None` if there is none.
    pub runtime: Option<String>,
    /// The shared library or program of a provider whose id is a label given by the user; `None` if it was linked in.
    pub library: Option<LoadedLibrary>,
}

/// A shared library that was loaded at run time, or a program that was started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedLibrary {
    /// Interface by which it is called: `liboqs`, `openssl`, `nist`, `worker`.
    pub kind: String,
    /// Its file.
    pub path: String,
    /// Full specification as on the command line. Resuming the run uses it again.
    pub spec: String,
}

impl ProviderBuild {
    /// Returns its build, and its file if it was loaded.
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
    /// Returns the loaded library of a case's provider, or the first one of a pair, with its label; `None` if all were
    /// linked in.
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
    /// Counter of this run: `wall`, `tsc`, `cycles`, `instructions`.
    pub primary: String,
    /// Ticks per second, if it runs at a constant rate; measured against the monotonic clock.
    pub ticks_per_second: Option<f64>,
    /// Estimated core clock when the run began, in Hz; measured by a chain of dependent additions.
    pub core_clock_estimate_hz: Option<f64>,
    /// Smallest step between two readings, in ns.
    pub resolution_ns: f64,
    /// Time in ns that a pair of readings shows with nothing between them.
    pub overhead_ns: f64,
    /// Counters that are not available, each with the reason and the remedy.
    pub unavailable: Vec<(String, String)>,
}
