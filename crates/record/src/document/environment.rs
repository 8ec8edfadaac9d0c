use crate::{Build, CoreChecks, Counters, Cpu, Environment, Host, OperatingSystem, ProviderBuild};
use serde::{Deserialize, Serialize};

/// Machine, build and counters of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnvironmentEntry {
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
    pub counters: CountersEntry,
    /// Checks of the core used for measuring, made when the run began; null if there were none.
    pub core: Option<CoreChecks>,
}

/// Counter used for timing, and its calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountersEntry {
    /// Name of the counter: `wall`, `tsc`, `cycles` or `instructions`.
    pub primary: String,
    /// Ticks per second; null if the counter does not run at a constant rate.
    pub ticks_per_second: Option<f64>,
    /// Estimated core clock in Hz when the run began. A TSC tick is not a cycle of this clock.
    pub core_clock_estimate_hz: Option<f64>,
    /// Smallest step between two readings, in ns.
    pub resolution_ns: Option<f64>,
    /// Time in ns between two back-to-back readings of the counter.
    pub overhead_ns: Option<f64>,
    /// Counters that are not available on the machine.
    pub unavailable: Vec<UnavailableEntry>,
}

/// A counter that is not available.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnavailableEntry {
    /// Name of the counter.
    pub counter: String,
    /// Reason why the counter is not available, and what to do about it.
    pub reason: String,
}

impl From<&Environment> for EnvironmentEntry {
    fn from(environment: &Environment) -> EnvironmentEntry {
        EnvironmentEntry {
            host: environment.host.clone(),
            cpu: environment.cpu.clone(),
            os: environment.os.clone(),
            build: environment.build.clone(),
            providers: environment.providers.clone(),
            counters: CountersEntry::from(&environment.counters),
            core: environment.core.clone(),
        }
    }
}

impl From<EnvironmentEntry> for Environment {
    fn from(entry: EnvironmentEntry) -> Environment {
        let EnvironmentEntry { host, cpu, os, build, providers, counters, core } = entry;
        Environment { host, cpu, os, build, providers, counters: counters.into(), core }
    }
}

impl From<&Counters> for CountersEntry {
    /// Converts infinity and NaN to null, because JSON cannot represent them.
    fn from(counters: &Counters) -> CountersEntry {
        let finite = |value: f64| value.is_finite().then_some(value);
        let unavailable = |(counter, reason): &(String, String)| UnavailableEntry {
            counter: counter.clone(),
            reason: reason.clone(),
        };
        CountersEntry {
            primary: counters.primary.clone(),
            ticks_per_second: counters.ticks_per_second.and_then(finite),
            core_clock_estimate_hz: counters.core_clock_estimate_hz.and_then(finite),
            resolution_ns: finite(counters.resolution_ns),
            overhead_ns: finite(counters.overhead_ns),
            unavailable: counters.unavailable.iter().map(unavailable).collect(),
        }
    }
}

impl From<CountersEntry> for Counters {
    fn from(entry: CountersEntry) -> Counters {
        Counters {
            primary: entry.primary,
            ticks_per_second: entry.ticks_per_second,
            core_clock_estimate_hz: entry.core_clock_estimate_hz,
            resolution_ns: entry.resolution_ns.unwrap_or(f64::NAN),
            overhead_ns: entry.overhead_ns.unwrap_or(f64::NAN),
            unavailable: entry.unavailable.into_iter().map(|entry| (entry.counter, entry.reason)).collect(),
        }
    }
}
