//! Detects this machine's counters, chooses one, and explains why other counters are unavailable.

use super::tsc::TscProbe;
use super::{CounterError, Pretended};
use nix::errno::Errno;
use pqlab_record::{CounterChoice, Metric};

/// Result of trying to count a hardware event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventProbe {
    /// The event can be counted, and programs may read the count with `rdpmc`, without a system call.
    User,
    /// The event can be counted, but programs must read the count with the `read` system call.
    Kernel,
    /// The counter opens but counts nothing.
    Silent,
    /// `perf_event_open` failed with this error number.
    Refused(i32),
    /// The operating system does not provide `perf_event_open`.
    Foreign,
}

/// Counters found on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probes {
    /// Result for core cycles.
    pub cycles: EventProbe,
    /// Result for retired instructions.
    pub instructions: EventProbe,
    /// Result for the time-stamp counter.
    pub tsc: TscProbe,
    /// `kernel.perf_event_paranoid`, if it can be read.
    pub paranoid: Option<i32>,
}

/// A counter that can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterSource {
    /// Core cycles or instructions, read with `rdpmc`.
    User(Metric),
    /// Core cycles or instructions, read with `read`.
    Kernel(Metric),
    /// The time-stamp counter.
    Tsc,
    /// The monotonic clock.
    Wall,
}

impl CounterSource {
    /// Returns the counted quantity.
    pub fn metric(self) -> Metric {
        match self {
            CounterSource::User(metric) | CounterSource::Kernel(metric) => metric,
            CounterSource::Tsc => Metric::Tsc,
            CounterSource::Wall => Metric::Wall,
        }
    }

    /// Returns the name of the instruction or call that reads the counter.
    pub fn method(self) -> &'static str {
        match self {
            CounterSource::User(_) => "rdpmc",
            CounterSource::Kernel(_) => "perf read",
            CounterSource::Tsc if cfg!(target_arch = "aarch64") => "cntvct_el0",
            CounterSource::Tsc => "rdtsc, rdtscp",
            CounterSource::Wall => "clock_gettime",
        }
    }
}

/// A counter that is not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Name on the command line, or `cycles by rdpmc` if programs can read cycles only with a system call.
    pub counter: &'static str,
    /// Reason for the unavailability.
    pub reason: String,
    /// Remedy that makes it available.
    pub remedy: String,
}

impl Probes {
    /// Returns the counter for `choice`. [`CounterChoice::Best`] prefers core cycles read with `rdpmc`, then core
    /// cycles read with `read`, then TSC ticks, then the monotonic clock.
    ///
    /// # Errors
    /// [`CounterError::Unavailable`] if the chosen counter is not available.
    pub fn choose(&self, choice: CounterChoice) -> Result<CounterSource, CounterError> {
        let found = match choice {
            CounterChoice::Best => {
                Ok(self.event(Metric::Cycles).or_else(|_| self.tsc_source()).unwrap_or(CounterSource::Wall))
            }
            CounterChoice::Wall => Ok(CounterSource::Wall),
            CounterChoice::Tsc => self.tsc_source(),
            CounterChoice::Cycles => self.event(Metric::Cycles),
            CounterChoice::Instructions => self.event(Metric::Instructions),
        };
        found.map_err(|Missing { counter, reason, remedy }| CounterError::Unavailable { counter, reason, remedy })
    }

    /// Returns the counters of a simulated machine instead, for tests.
    pub(super) fn pretending(self, machine: &Pretended) -> Probes {
        let errno = if machine.forbidden { Errno::EACCES } else { Errno::ENOENT };
        let refused = EventProbe::Refused(errno as i32);
        Probes { cycles: refused, instructions: refused, tsc: TscProbe::Invariant, paranoid: machine.paranoid }
    }

    /// Returns every available counter, best first.
    pub fn available(&self) -> Vec<CounterSource> {
        [self.event(Metric::Cycles), self.event(Metric::Instructions), self.tsc_source(), Ok(CounterSource::Wall)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Returns every unavailable counter.
    pub fn missing(&self) -> Vec<Missing> {
        let without_user = (self.cycles == EventProbe::Kernel).then(|| Missing {
            counter: "cycles by rdpmc",
            reason: "the kernel does not let programs read the counter's register on this processor".to_owned(),
            remedy: "none needed, because pqlab reads cycles with system calls, which take longer; on x86, \
                     `echo 1 | sudo tee /sys/bus/event_source/devices/cpu/rdpmc` allows rdpmc if the kernel forbids it"
                .to_owned(),
        });
        [
            self.event(Metric::Cycles).err(),
            without_user,
            self.event(Metric::Instructions).err(),
            self.tsc_source().err(),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn event(&self, metric: Metric) -> Result<CounterSource, Missing> {
        let probe = if metric == Metric::Instructions { self.instructions } else { self.cycles };
        let (reason, remedy) = match probe {
            EventProbe::User => return Ok(CounterSource::User(metric)),
            EventProbe::Kernel => return Ok(CounterSource::Kernel(metric)),
            EventProbe::Silent => (
                "performance counters can be opened but count nothing: the hypervisor does not emulate them, or \
                 another program uses all counter registers"
                    .to_owned(),
                PASS_THROUGH.to_owned(),
            ),
            EventProbe::Foreign => ("perf_event_open exists only on Linux".to_owned(), "measure on Linux".to_owned()),
            EventProbe::Refused(errno) => refusal(Errno::from_raw(errno), self.paranoid),
        };
        Err(Missing { counter: metric.name(), reason, remedy })
    }

    fn tsc_source(&self) -> Result<CounterSource, Missing> {
        let (reason, remedy) = match self.tsc {
            TscProbe::Invariant => return Ok(CounterSource::Tsc),
            TscProbe::Variable => (
                "the processor does not guarantee a constant rate for its time-stamp counter (according to CPUID, it \
                 lacks an invariant TSC or rdtscp)",
                "in a virtual machine, make the host expose an invariant TSC (KVM: `-cpu host,migratable=off,+invtsc`)",
            ),
            TscProbe::Absent => (
                "this architecture has no time-stamp counter that programs may read",
                "none needed, because pqlab uses the monotonic clock instead",
            ),
        };
        Err(Missing { counter: Metric::Tsc.name(), reason: reason.to_owned(), remedy: remedy.to_owned() })
    }
}

const PASS_THROUGH: &str = "measure on bare metal, or on a virtual machine whose host exposes its \
                            performance-monitoring unit (KVM: `-cpu host,pmu=on`)";

/// Highest `kernel.perf_event_paranoid` level at which a program may count its own work in user mode. It is also the
/// highest level in mainline kernels; Debian and Ubuntu add higher levels and use them by default.
const PARANOID_LIMIT: i32 = 2;

fn refusal(errno: Errno, paranoid: Option<i32>) -> (String, String) {
    match errno {
        Errno::ENOENT | Errno::ENODEV | Errno::EOPNOTSUPP => {
            let reason = format!("this machine exposes no performance-monitoring unit (perf_event_open: {errno:?})");
            (reason, PASS_THROUGH.into())
        }
        Errno::EACCES | Errno::EPERM => match paranoid {
            Some(level) if level <= PARANOID_LIMIT => (
                format!(
                    "a container's system-call filter forbids perf_event_open ({errno:?}), although \
                     kernel.perf_event_paranoid is {level}, which allows it"
                ),
                "start the container with `--cap-add PERFMON` or `--security-opt seccomp=unconfined`; if \
                 that does not help, run `sudo sysctl kernel.perf_event_paranoid=1` on the host, or run pqlab as root"
                    .to_owned(),
            ),
            level => (
                format!(
                    "performance counters are forbidden ({errno:?}): kernel.perf_event_paranoid is {}",
                    level.map_or_else(|| "not readable".to_owned(), |level| level.to_string())
                ),
                "`sudo sysctl kernel.perf_event_paranoid=1`, or run as root or with CAP_PERFMON".to_owned(),
            ),
        },
        Errno::ENOSYS => (
            "this kernel was built without performance events (perf_event_open: ENOSYS)".to_owned(),
            "use a kernel with CONFIG_PERF_EVENTS, or a container whose system-call filter lets perf_event_open through"
                .to_owned(),
        ),
        Errno::EMFILE | Errno::ENFILE => (
            format!("too many open files (perf_event_open: {errno:?})"),
            "raise the limit with `ulimit -n`".to_owned(),
        ),
        other => (
            format!("perf_event_open failed: {other}"),
            "use another counter: `--counter tsc` or `--counter wall`".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYTHING: Probes = Probes {
        cycles: EventProbe::User,
        instructions: EventProbe::User,
        tsc: TscProbe::Invariant,
        paranoid: Some(1),
    };

    fn refused(errno: Errno, paranoid: Option<i32>) -> Probes {
        let refused = EventProbe::Refused(errno as i32);
        Probes { cycles: refused, instructions: refused, paranoid, ..EVERYTHING }
    }

    fn message(probes: Probes, choice: CounterChoice) -> String {
        probes.choose(choice).unwrap_err().to_string()
    }

    #[test]
    fn prefers_cycles_by_rdpmc() {
        assert_eq!(EVERYTHING.choose(CounterChoice::Best).unwrap(), CounterSource::User(Metric::Cycles));
        assert!(EVERYTHING.missing().is_empty());
        let by_call = Probes { cycles: EventProbe::Kernel, ..EVERYTHING };
        assert_eq!(by_call.choose(CounterChoice::Best).unwrap(), CounterSource::Kernel(Metric::Cycles));
        assert_eq!(by_call.missing()[0].counter, "cycles by rdpmc");
    }

    #[test]
    fn counts_tsc_ticks_without_a_monitoring_unit() {
        for errno in [Errno::ENOENT, Errno::ENODEV, Errno::EOPNOTSUPP] {
            let probes = refused(errno, Some(2));
            let source = probes.choose(CounterChoice::Best).unwrap();
            assert_eq!(source, CounterSource::Tsc);
            assert_eq!(source.metric().unit(), "TSC ticks");
            let names: Vec<&str> = probes.missing().iter().map(|missing| missing.counter).collect();
            assert_eq!(names, ["cycles", "instructions"]);
            assert!(probes.missing()[0].reason.contains("no performance-monitoring unit"));
        }
    }

    #[test]
    fn reports_the_paranoid_level_with_the_remedy() {
        for errno in [Errno::EACCES, Errno::EPERM] {
            let text = message(refused(errno, Some(4)), CounterChoice::Cycles);
            assert!(text.contains("kernel.perf_event_paranoid is 4"), "{text}");
            assert!(text.contains("sysctl kernel.perf_event_paranoid=1"), "{text}");
        }
        let text = message(refused(Errno::EACCES, None), CounterChoice::Instructions);
        assert!(text.starts_with("counter `instructions`") && text.contains("not readable"), "{text}");
    }

    #[test]
    fn blames_the_container_for_refusals_that_the_paranoid_level_does_not_explain() {
        let text = message(refused(Errno::EPERM, Some(2)), CounterChoice::Cycles);
        assert!(text.contains("container") && text.contains("--cap-add PERFMON"), "{text}");
    }

    #[test]
    fn rejects_a_unit_that_counts_nothing() {
        let probes = Probes { cycles: EventProbe::Silent, ..EVERYTHING };
        assert_eq!(probes.choose(CounterChoice::Best).unwrap(), CounterSource::Tsc);
        assert!(message(probes, CounterChoice::Cycles).contains("count nothing"));
    }

    #[test]
    fn prefers_the_clock_to_a_variable_tsc() {
        for tsc in [TscProbe::Variable, TscProbe::Absent] {
            let probes = Probes { tsc, ..refused(Errno::ENOENT, None) };
            assert_eq!(probes.choose(CounterChoice::Best).unwrap(), CounterSource::Wall);
            assert!(message(probes, CounterChoice::Tsc).starts_with("counter `tsc` is not available"));
            assert_eq!(probes.available(), [CounterSource::Wall]);
        }
    }

    #[test]
    fn names_other_refusals() {
        assert!(message(refused(Errno::ENOSYS, None), CounterChoice::Cycles).contains("ENOSYS"));
        assert!(message(refused(Errno::EMFILE, None), CounterChoice::Cycles).contains("ulimit"));
        assert!(message(refused(Errno::EBUSY, None), CounterChoice::Cycles).contains("use another counter"));
        let foreign = Probes { cycles: EventProbe::Foreign, ..EVERYTHING };
        assert!(message(foreign, CounterChoice::Cycles).contains("Linux"));
    }

    #[test]
    fn the_wall_clock_is_always_there() {
        let nothing = Probes { tsc: TscProbe::Absent, ..refused(Errno::ENOENT, None) };
        assert_eq!(nothing.choose(CounterChoice::Wall).unwrap(), CounterSource::Wall);
        assert_eq!(EVERYTHING.available().last(), Some(&CounterSource::Wall));
    }
}
