//! Machine settings that disturb measurements, and their remedies.

use super::root::Root;
use crate::counter::REMEDY;
use pqlab_record::{Counters, Cpu, Environment, Host};
use std::path::Path;

/// Importance of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing needs to change.
    Ok,
    /// Useful to know when reading the results.
    Note,
    /// Makes the results worse, and can be fixed.
    Warning,
}

/// One finding about the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Importance of the finding.
    pub severity: Severity,
    /// Subject of the check, in one or two words.
    pub subject: &'static str,
    /// Observed state, with its effect on measurements.
    pub finding: String,
    /// Remedy. `None` if nothing needs to change, or if the user cannot change it on this machine.
    pub remedy: Option<String>,
}

impl Advice {
    fn ok(subject: &'static str, finding: impl Into<String>) -> Advice {
        Advice { severity: Severity::Ok, subject, finding: finding.into(), remedy: None }
    }

    fn note(subject: &'static str, finding: impl Into<String>) -> Advice {
        Advice { severity: Severity::Note, subject, finding: finding.into(), remedy: None }
    }

    fn warning(subject: &'static str, finding: impl Into<String>) -> Advice {
        Advice { severity: Severity::Warning, subject, finding: finding.into(), remedy: None }
    }

    fn remedy(self, remedy: &str) -> Advice {
        Advice { remedy: Some(remedy.to_owned()), ..self }
    }
}

const SUBJECT_LOAD: &str = "load";
const SUBJECT_MEMORY: &str = "memory";

const MIB: u64 = 1 << 20;

/// Returns advice on every recorded property of the machine, most important first.
pub fn advise(environment: &Environment) -> Vec<Advice> {
    let Environment { host, cpu, os, build, counters, .. } = environment;
    let mut advice = vec![cores(cpu)];
    advice.extend(hidden_features(cpu));
    advice.extend(governor(cpu));
    advice.extend(turbo(cpu));
    advice.extend(smt(cpu));
    advice.extend(virtualization(cpu));
    advice.extend(clocksource(cpu));
    advice.extend(host.container.as_ref().map(|container| container_note(container)));
    advice.extend(load(host, cpu));
    advice.extend(memory(host));
    advice.extend(self::counters(counters));
    advice.extend(paranoid(os.perf_event_paranoid, counters));
    advice.extend(os.aslr.map(aslr));
    advice.push(profile(&build.profile));
    advice.extend(commit(build.commit.as_deref()));
    advice
}

/// Returns advice on settings that are not recorded: isolated processors, CPU time limits, and the power supply.
pub fn advise_here() -> Vec<Advice> {
    advise_from(&Root::new(Path::new("/")))
}

/// Returns advice on the tightest CPU time limit for this process, if there is one.
pub fn quota_here() -> Option<Advice> {
    quota(&Root::new(Path::new("/")))
}

/// Returns a warning if other programs keep this machine busy now.
pub fn busy_here(cpu: &Cpu) -> Option<Advice> {
    let host = super::host::host(&Root::new(Path::new("/")));
    load(&host, cpu).filter(|advice| advice.severity == Severity::Warning)
}

fn advise_from(root: &Root) -> Vec<Advice> {
    [isolation(root), quota(root), battery(root)].into_iter().flatten().collect()
}

fn cores(cpu: &Cpu) -> Advice {
    match cpu.cores {
        0 | 1 => Advice::warning("cores", "one processor: every other program takes time from the measurement")
            .remedy("give the machine or the container at least two processors"),
        few @ 2..4 => Advice::note("cores", format!("{few} processors: other programs compete with the measurement")),
        cores => Advice::ok("cores", format!("{cores} processors")),
    }
}

fn hidden_features(cpu: &Cpu) -> Option<Advice> {
    let hidden = (!cpu.hidden_features.is_empty()).then(|| cpu.hidden_features.join(", "))?;
    let finding = format!("{} hides {hidden}: libraries run code for an older CPU", pqlab_cpu::VARIABLE);
    Some(Advice::warning("CPU features", finding).remedy(&format!("`unset {}`", pqlab_cpu::VARIABLE)))
}

fn governor(cpu: &Cpu) -> Option<Advice> {
    let governor = cpu.governor.as_deref()?;
    Some(if governor == "performance" {
        Advice::ok("governor", "performance")
    } else {
        Advice::warning(
            "governor",
            format!("{governor}: the clock rate follows the load, and rises during short measurements"),
        )
        .remedy("`echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor`")
    })
}

fn turbo(cpu: &Cpu) -> Option<Advice> {
    Some(match cpu.turbo? {
        true => Advice::warning("turbo", "on: the clock rate depends on temperature and on other cores").remedy(
            "`echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo` with Intel's driver, otherwise \
             `echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost`",
        ),
        false => Advice::ok("turbo", "off"),
    })
}

fn smt(cpu: &Cpu) -> Option<Advice> {
    Some(match cpu.smt? {
        true => Advice::note(
            "SMT",
            "on: another load on the same core slows a measurement; if pqlab detects that, it repeats the measurement",
        )
        .remedy(
            "`echo off | sudo tee /sys/devices/system/cpu/smt/control`, or keep the sibling of the measuring \
                 processor idle",
        ),
        false => Advice::ok("SMT", "off, or hidden by the hypervisor"),
    })
}

fn virtualization(cpu: &Cpu) -> Option<Advice> {
    let hypervisor = cpu.virtualization.as_ref().and_then(|virtualization| virtualization.hypervisor.as_deref());
    Some(match cpu.virtualized? {
        true => Advice::note(
            "virtualization",
            format!(
                "virtual machine on {}: other guests can take CPU time unnoticed, and the host controls the governor, \
                 turbo and SMT",
                hypervisor.unwrap_or("a hypervisor")
            ),
        )
        .remedy("to publish figures, measure on bare metal or on a machine with dedicated cores"),
        false => Advice::ok("virtualization", "bare metal"),
    })
}

fn clocksource(cpu: &Cpu) -> Option<Advice> {
    let source = cpu.virtualization.as_ref()?.clocksource.as_deref()?;
    // Reading these clock sources takes no system call. All others need one, and most also access a
    // device.
    const QUICK: [&str; 6] =
        ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "riscv_clocksource", "timebase"];
    Some(if QUICK.contains(&source) {
        Advice::ok("clock source", source)
    } else {
        Advice::warning(
            "clock source",
            format!(
                "{source}: reading the clock needs a system call, which often takes \
                                                 more than 1 µs"
            ),
        )
        .remedy("check `dmesg | grep -i tsc`; if the TSC is stable, boot the kernel with `tsc=reliable`")
    })
}

fn container_note(container: &str) -> Advice {
    Advice::note(
        "container",
        format!("{container}: the container's limits and other loads affect measurements, and counters may be hidden"),
    )
}

/// Limits above which the machine counts as busy: load average per processor, and percentage of time during which tasks
/// waited for a processor (PSI).
const BUSY_LOAD: f64 = 0.5;
const BUSY_PRESSURE_PCT: f64 = 5.0;

fn load(host: &Host, cpu: &Cpu) -> Option<Advice> {
    let cores = cpu.cores.max(1);
    let pressure = host.pressure.map_or(0.0, |pressure| pressure.avg10);
    let load = host.load?[0];
    let waited = host.pressure.map_or_else(String::new, |pressure| {
        format!("; in the last 10 s, tasks waited for a processor {:.0}% of the time", pressure.avg10)
    });
    let finding = format!("{load:.2} on {cores} processors{waited}");
    Some(if pressure > BUSY_PRESSURE_PCT {
        Advice::warning(SUBJECT_LOAD, finding).remedy("stop other programs (`top` lists them), or measure later")
    } else if load > BUSY_LOAD * f64::from(cores) {
        Advice::note(SUBJECT_LOAD, finding).remedy("wait until the load is lower")
    } else {
        Advice::ok(SUBJECT_LOAD, finding)
    })
}

fn memory(host: &Host) -> Option<Advice> {
    let available = host.memory.available?;
    let finding = format!("{} MiB available", available / MIB);
    Some(if available < 512 * MIB {
        Advice::warning(SUBJECT_MEMORY, format!("{finding}: swapping would invalidate every figure"))
            .remedy("stop other programs, or give the machine more memory")
    } else {
        Advice::ok(SUBJECT_MEMORY, finding)
    })
}

fn counters(counters: &Counters) -> Vec<Advice> {
    let primary = counters.primary.as_str();
    let mut advice = vec![match primary {
        "cycles" | "instructions" => Advice::ok("counter", primary),
        "tsc" => Advice::note("counter", "TSC ticks: time at a constant rate, not core cycles"),
        _ => Advice::note("counter", "the monotonic clock: time in nanoseconds, not core cycles"),
    }];
    // Several counters are often unavailable for one reason.
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, why) in &counters.unavailable {
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    advice.extend(reasons.into_iter().map(|(why, names)| {
        let (reason, remedy) = why.split_once(REMEDY).unwrap_or((why, ""));
        let note = Advice::note("counter", format!("no {}: {reason}", names.join(", ")));
        if remedy.is_empty() { note } else { note.remedy(remedy) }
    }));
    advice
}

/// Returns advice on `kernel.perf_event_paranoid`. `None` if the setting is unknown, or if [`counters`] already reports
/// that it forbids counters.
fn paranoid(level: Option<i32>, counters: &Counters) -> Option<Advice> {
    const HIGHEST: i32 = 2;
    let reported = counters.unavailable.iter().any(|(_, reason)| reason.contains("perf_event_paranoid"));
    Some(match level? {
        level if level <= HIGHEST => Advice::ok("perf_event_paranoid", level.to_string()),
        _ if reported => return None,
        level => Advice::note("perf_event_paranoid", format!("{level}: only root may use performance counters"))
            .remedy("`sudo sysctl kernel.perf_event_paranoid=1`"),
    })
}

fn aslr(level: u8) -> Advice {
    match level {
        0 => Advice::warning(
            "ASLR",
            "off: every process has the same memory layout, so effects of the layout do not average out",
        )
        .remedy("`sudo sysctl kernel.randomize_va_space=2`, and do not use `setarch -R`"),
        level => Advice::ok("ASLR", format!("on ({level}): layouts differ from process to process")),
    }
}

fn profile(profile: &str) -> Advice {
    match profile {
        "dev" | "test" => {
            Advice::warning("build", format!("profile {profile}: libraries written in Rust are not optimised"))
                .remedy("`cargo build --release`")
        }
        profile => Advice::ok("build", format!("profile {profile}")),
    }
}

fn commit(commit: Option<&str>) -> Option<Advice> {
    let commit = commit?;
    Some(if commit.ends_with('+') {
        Advice::note("commit", format!("{commit}: built with uncommitted changes, so the build is not reproducible"))
            .remedy("commit the changes and build again")
    } else {
        Advice::ok("commit", commit)
    })
}

fn isolation(root: &Root) -> Option<Advice> {
    // Kernels that cannot isolate processors do not have this file.
    if !root.exists("sys/devices/system/cpu/isolated") {
        return None;
    }
    Some(match root.text("sys/devices/system/cpu/isolated") {
        Some(cpus) => Advice::ok("isolation", format!("processors {cpus}"))
            .remedy(&format!("use `--affinity {cpus}` to measure on these processors")),
        None => Advice::note("isolation", "no processor is isolated from other tasks")
            .remedy("boot the kernel with `isolcpus=` or `nohz_full=` and measure with `--affinity`"),
    })
}

/// Returns advice on the tightest CPU time limit among this process's control groups (cgroups(7), versions 1 and 2).
/// `None` if no group has a limit.
fn quota(root: &Root) -> Option<Advice> {
    let membership = root.text("proc/self/cgroup")?;
    let narrowest = membership
        .lines()
        .filter_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next()?, parts.next()?);
            match controllers {
                "" => Some(("sys/fs/cgroup", path)),
                list if list.split(',').any(|name| name == "cpu") => Some(("sys/fs/cgroup/cpu", path)),
                _ => None,
            }
        })
        .flat_map(|(mount, path)| {
            // Try every ancestor, because limits are inherited. Inside a container, the lower folders do not exist, and
            // the container's control group is the root of the mount.
            Path::new(path.trim_start_matches('/'))
                .ancestors()
                .map(|folder| Path::new(mount).join(folder).to_string_lossy().into_owned())
                .collect::<Vec<_>>()
        })
        .filter_map(|folder| limit(root, folder.trim_end_matches('/')))
        .min_by(f64::total_cmp)?;
    Some(
        Advice::warning(
            "CPU limit",
            format!("{narrowest:.2} processors: the kernel pauses a measurement that exceeds this limit"),
        )
        .remedy("start the container without `--cpus`, the pod without `limits.cpu`, or the unit without `CPUQuota=`"),
    )
}

/// Returns a control group's CPU time limit, in processors. `None` if there is no limit.
fn limit(root: &Root, folder: &str) -> Option<f64> {
    let (quota, period) = match root.text(&format!("{folder}/cpu.max")) {
        Some(text) => {
            let (quota, period) = text.split_once(' ')?;
            (quota.parse::<f64>().ok()?, period.parse::<f64>().ok()?)
        }
        None => (
            root.number::<f64>(&format!("{folder}/cpu.cfs_quota_us"))?,
            root.number::<f64>(&format!("{folder}/cpu.cfs_period_us"))?,
        ),
    };
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

fn battery(root: &Root) -> Option<Advice> {
    let supplies = root.names("sys/class/power_supply");
    let attribute = |supply: &String, file: &str| root.text(&format!("sys/class/power_supply/{supply}/{file}"));
    let discharging = supplies.iter().any(|supply| {
        attribute(supply, "type").as_deref() == Some("Battery")
            && attribute(supply, "scope").as_deref() != Some("Device")
            && attribute(supply, "status").as_deref() == Some("Discharging")
    });
    discharging.then(|| {
        Advice::warning("power", "on battery: the firmware limits the clock rate").remedy("plug the machine in")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_record::{Build, Memory, OperatingSystem, Pressure, Virtualization};

    /// Returns a machine with nothing to fix.
    fn laboratory() -> Environment {
        Environment {
            host: Host {
                memory: Memory { total: Some(16_384 * MIB), available: Some(8_192 * MIB) },
                load: Some([0.1, 0.1, 0.1]),
                pressure: Some(Pressure::default()),
                ..Host::default()
            },
            cpu: Cpu {
                cores: 8,
                governor: Some("performance".into()),
                turbo: Some(false),
                smt: Some(false),
                virtualized: Some(false),
                virtualization: Some(Virtualization { hypervisor: None, clocksource: Some("tsc".into()) }),
                ..Cpu::default()
            },
            os: OperatingSystem { aslr: Some(2), perf_event_paranoid: Some(1), ..OperatingSystem::default() },
            build: Build { profile: "release".into(), commit: Some("0123456789ab".into()), ..Build::default() },
            counters: Counters { primary: "cycles".into(), ..Counters::default() },
            ..Environment::default()
        }
    }

    fn found(environment: &Environment, subject: &str) -> Advice {
        advise(environment).into_iter().rfind(|advice| advice.subject == subject).unwrap()
    }

    #[test]
    fn warns_of_hidden_features() {
        let mut environment = laboratory();
        environment.cpu.hidden_features = vec!["avx2".into(), "avx512".into()];
        let advice = found(&environment, "CPU features");
        assert_eq!(advice.severity, Severity::Warning);
        assert!(advice.finding.starts_with("PQLAB_HIDE_CPU_FEATURES hides avx2, avx512: "), "{}", advice.finding);
    }

    #[test]
    fn a_tuned_machine_gets_no_warnings() {
        let advice = advise(&laboratory());
        assert!(advice.iter().all(|advice| advice.severity == Severity::Ok), "{advice:#?}");
        assert_eq!(advice.len(), 13);
    }

    #[test]
    fn gives_no_advice_on_unknown_facts() {
        let advice = advise(&Environment::default());
        let subjects: Vec<&str> = advice.iter().map(|advice| advice.subject).collect();
        assert_eq!(subjects, ["cores", "counter", "build"]);
    }

    #[test]
    fn every_fault_is_found() {
        let change = |change: fn(&mut Environment)| {
            let mut environment = laboratory();
            change(&mut environment);
            environment
        };
        let cases: [(&str, Severity, Environment); 14] = [
            ("cores", Severity::Warning, change(|e| e.cpu.cores = 1)),
            ("cores", Severity::Note, change(|e| e.cpu.cores = 2)),
            ("governor", Severity::Warning, change(|e| e.cpu.governor = Some("powersave".into()))),
            ("turbo", Severity::Warning, change(|e| e.cpu.turbo = Some(true))),
            ("SMT", Severity::Note, change(|e| e.cpu.smt = Some(true))),
            ("virtualization", Severity::Note, change(|e| e.cpu.virtualized = Some(true))),
            ("container", Severity::Note, change(|e| e.host.container = Some("docker".into()))),
            ("load", Severity::Note, change(|e| e.host.load = Some([7.0, 0.0, 0.0]))),
            ("load", Severity::Warning, change(|e| e.host.pressure = Some(Pressure { avg10: 40.0, avg60: 0.0 }))),
            ("memory", Severity::Warning, change(|e| e.host.memory.available = Some(100 * MIB))),
            ("counter", Severity::Note, change(|e| e.counters.primary = "tsc".into())),
            ("ASLR", Severity::Warning, change(|e| e.os.aslr = Some(0))),
            ("build", Severity::Warning, change(|e| e.build.profile = "dev".into())),
            ("commit", Severity::Note, change(|e| e.build.commit = Some("0123456789ab+".into()))),
        ];
        for (subject, severity, environment) in cases {
            let advice = found(&environment, subject);
            assert_eq!(advice.severity, severity, "{advice:?}");
            assert!(severity != Severity::Warning || advice.remedy.is_some(), "{advice:?}");
        }
    }

    #[test]
    fn a_slow_clock_source_is_named() {
        let mut environment = laboratory();
        environment.cpu.virtualization = Some(Virtualization { hypervisor: None, clocksource: Some("hpet".into()) });
        let advice = found(&environment, "clock source");
        assert_eq!(advice.severity, Severity::Warning);
        assert!(advice.finding.starts_with("hpet"));
    }

    #[test]
    fn reports_a_refused_counter_once_with_its_remedy() {
        let mut environment = laboratory();
        environment.os.perf_event_paranoid = Some(4);
        assert_eq!(found(&environment, "perf_event_paranoid").severity, Severity::Note);
        environment.counters.primary = "tsc".into();
        let why = "kernel.perf_event_paranoid is 4. Remedy: sysctl";
        environment.counters.unavailable = ["cycles", "instructions"].map(|name| (name.into(), why.into())).into();
        assert!(advise(&environment).iter().all(|advice| advice.subject != "perf_event_paranoid"));
        let advice = found(&environment, "counter");
        assert_eq!(advice.finding, "no cycles, instructions: kernel.perf_event_paranoid is 4");
        assert_eq!(advice.remedy.as_deref(), Some("sysctl"));
    }

    #[test]
    fn finds_limits_in_both_versions_of_control_groups() {
        let of = |files: &[(&str, &str)]| {
            let (_folder, root) = Root::made_of(files);
            quota(&root).map(|advice| advice.finding)
        };
        let two = [
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
        ];
        assert!(of(&two).unwrap().starts_with("1.50 processors"));
        let one = [
            ("proc/self/cgroup", "4:cpu,cpuacct:/docker/x\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n"),
            ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
        ];
        assert!(of(&one).unwrap().starts_with("0.50 processors"));
        assert_eq!(of(&[("proc/self/cgroup", "1:cpu:/\n"), ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")]), None);
        assert_eq!(of(&[("proc/self/cgroup", "0::/\n"), ("sys/fs/cgroup/cpu.max", "max 100000\n")]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn detects_isolation_and_batteries() {
        let (_folder, root) = Root::made_of(&[("sys/devices/system/cpu/isolated", "2-3\n")]);
        assert_eq!(
            isolation(&root).unwrap().remedy.as_deref(),
            Some("use `--affinity 2-3` to measure on these processors")
        );
        let (_folder, root) = Root::made_of(&[("sys/devices/system/cpu/isolated", "\n")]);
        assert_eq!(isolation(&root).unwrap().severity, Severity::Note);
        let (_folder, root) = Root::made_of(&[
            ("sys/class/power_supply/BAT0/type", "Battery\n"),
            ("sys/class/power_supply/BAT0/status", "Discharging\n"),
            ("sys/class/power_supply/mouse/type", "Battery\n"),
        ]);
        assert_eq!(advise_from(&root).len(), 1);
        assert_eq!(battery(&root).unwrap().severity, Severity::Warning);
    }

    #[test]
    fn advises_on_this_machine() {
        for advice in advise_here() {
            assert!(!advice.finding.is_empty());
        }
    }
}
