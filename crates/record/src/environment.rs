use serde::{Deserialize, Serialize};

/// What must be known of the machine, the build and the counters for a figure to be believed. `None` where it cannot be
/// told.
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
    /// Every provider in the build, and every library that was loaded beside them.
    pub providers: Vec<ProviderBuild>,
    /// What counts time, and how it was calibrated.
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
    /// Pressure of tasks on the processors when the run began (PSI).
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

/// Share of time in which some task waited for a processor, in percent.
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
    /// Instruction-set extensions that matter to cryptography, without those that were hidden.
    pub features: Vec<String>,
    /// Features that `PQLAB_HIDE_CPU_FEATURES` hid: code paths that need them did not run.
    pub hidden_features: Vec<String>,
    /// Revision of the microcode.
    pub microcode: Option<String>,
    /// Caches, from the nearest to the farthest.
    pub caches: Vec<Cache>,
    /// Frequency governor.
    pub governor: Option<String>,
    /// Whether the clock may rise above its nominal rate.
    pub turbo: Option<bool>,
    /// Whether cores share their execution units between hardware threads.
    pub smt: Option<bool>,
    /// Whether it is a guest of a hypervisor.
    pub virtualized: Option<bool>,
    /// Details of the virtualization.
    pub virtualization: Option<Virtualization>,
}

/// A level of cache.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// 1, 2, 3, ...
    pub level: u8,
    /// `Data`, `Instruction`, `Unified`.
    pub kind: String,
    /// Bytes.
    pub size: u64,
    /// Bytes in a line.
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
    /// Why the run's processes were not kept on one core; `None` where they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpinned: Option<String>,
    /// Who else measured on the run's core when it began, where no other core was free.
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
    /// Flags given to the compilers by the environment.
    pub flags: Option<String>,
    /// The commit, with `+` behind it if the tree was changed.
    pub commit: Option<String>,
}

/// A provider in the build, or one that was loaded at run time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderBuild {
    /// Its id.
    pub id: String,
    /// The library's version.
    pub version: String,
    /// Flags, features, code paths.
    pub build: String,
    /// The language of what is not linked in, in a word of lower case (`go`); `None` for what is.
    pub language: Option<String>,
    /// What runs it, with its version as found at run time: `go1.26.8`; `None` where nothing does.
    pub runtime: Option<String>,
    /// The shared library or the program that it is, its id being the label that the user gave it; `None` where it was linked in.
    pub library: Option<LoadedLibrary>,
}

/// A shared library that was loaded at run time, or a program that was started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedLibrary {
    /// By which interface it is called: `liboqs`, `openssl`, `nist`, `worker`.
    pub kind: String,
    /// Its file.
    pub path: String,
    /// All that was asked for, as a command line says it: the run is gone on with by the same.
    pub spec: String,
}

impl ProviderBuild {
    /// Its build, and the file of one that was loaded.
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
    /// The library that a case's provider is, or that one of a pair is, with its label; `None` where all were linked in.
    pub fn loaded(&self, provider: &str) -> Option<(&str, &LoadedLibrary)> {
        provider.split('+').find_map(|part| {
            let build = self.providers.iter().find(|build| build.id == part)?;
            Some((build.id.as_str(), build.library.as_ref()?))
        })
    }
}

/// What counts time on this machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    /// The counter of this run: `wall`, `tsc`, `cycles`, `instructions`.
    pub primary: String,
    /// Its ticks in a second, where it runs at a constant rate: measured against the monotonic clock.
    pub ticks_per_second: Option<f64>,
    /// Estimated rate of the core clock when the run began, in Hz: measured by a chain of dependent additions.
    pub core_clock_estimate_hz: Option<f64>,
    /// The smallest step between two readings, in ns.
    pub resolution_ns: f64,
    /// What a pair of readings with nothing between them shows, in ns.
    pub overhead_ns: f64,
    /// Counters that are not available, each with the reason and the remedy.
    pub unavailable: Vec<(String, String)>,
}
