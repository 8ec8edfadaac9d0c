//! Implementation of [`System`] for systems other than Linux. Uses only POSIX, and reports all other features as
//! missing.

use super::System;
use crate::affinity::AffinityError;
use crate::counter::{Counter, EventProbe};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::time::ClockId;
use nix::unistd::{Pid, getppid};
use pqlab_record::{Environment, Metric};
use std::fs::File;
use std::io;
use std::process::Command;
use std::time::Duration;

/// Interval between a worker's checks that its coordinator is still running. The worker's stream does not show this,
/// because `poll` on macOS and FreeBSD does not report a hang-up without data.
const LOOK: Duration = Duration::from_millis(500);

pub(crate) struct Portable;

impl System for Portable {
    fn allowed_processors() -> Option<Vec<u32>> {
        None
    }

    fn online_processors() -> Option<usize> {
        None
    }

    fn pin(_cpus: &[u32]) -> Result<(), AffinityError> {
        Err(AffinityError::Unsupported)
    }

    fn current_processor() -> Option<u32> {
        None
    }

    fn process_cpu_clock(_process: u32) -> Option<ClockId> {
        None
    }

    fn involuntary_switches() -> u64 {
        getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| usage.involuntary_context_switches().max(0) as u64)
    }

    /// Sets no limit. Systems count memory differently, so a limit could end a worker because of memory that it is
    /// already using.
    fn limit_memory(_bytes: u64) {}

    fn resident_bytes() -> Option<i64> {
        None
    }

    fn tie(_command: &mut Command) {}

    fn tie_to_parent() -> io::Result<()> {
        let coordinator = getppid();
        let watching = std::thread::Builder::new().name("tether".into()).spawn(move || {
            wait_until_orphaned(coordinator);
            // Kill the process instead of exiting: exit handlers could block, because a hanging
            // library may hold any lock.
            kill(Pid::this(), Signal::SIGKILL).ok();
        })?;
        drop(watching);
        Ok(())
    }

    fn drop_cached_pages(_file: &File) {}

    fn probe_event(_metric: Metric) -> EventProbe {
        EventProbe::Foreign
    }

    fn open_event(_metric: Metric, _user: bool) -> io::Result<Box<dyn Counter>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn perf_event_paranoid() -> Option<i32> {
        None
    }

    fn complete(environment: &mut Environment) {
        let Ok(name) = nix::sys::utsname::uname() else { return };
        let word = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
        environment.host.name = Some(word(name.nodename()));
        environment.os.kernel = word(name.release());
        #[cfg(target_arch = "x86_64")]
        if let Some(brand) = raw_cpuid::CpuId::new().get_processor_brand_string() {
            environment.cpu.model = brand.as_str().trim().to_owned();
        }
    }
}

/// Sleeps until this process has a different parent, because `parent` has ended.
fn wait_until_orphaned(parent: Pid) {
    while getppid() == parent {
        std::thread::sleep(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_process_with_its_parent_is_no_orphan() {
        let (tell, told) = mpsc::channel();
        let watch = |parent: Pid| {
            let tell = tell.clone();
            std::thread::spawn(move || {
                wait_until_orphaned(parent);
                tell.send(parent).ok();
            })
        };
        // This thread waits forever and ends with the process.
        drop(watch(getppid()));
        watch(Pid::this()).join().unwrap();
        assert_eq!(told.recv().unwrap(), Pid::this());
        assert!(
            told.recv_timeout(LOOK + LOOK / 2).is_err(),
            "a process whose parent is running must not count as an orphan"
        );
    }

    #[test]
    fn reports_missing_features() {
        assert_eq!(Portable::pin(&[0]), Err(AffinityError::Unsupported));
        assert_eq!(Portable::allowed_processors().or(Portable::current_processor().map(|cpu| vec![cpu])), None);
        assert_eq!(Portable::probe_event(Metric::Cycles), EventProbe::Foreign);
        let refused = Portable::open_event(Metric::Cycles, true).err().unwrap();
        assert_eq!(refused.kind(), io::ErrorKind::Unsupported);
    }

    #[test]
    fn asks_the_kernel_for_its_name_without_files() {
        let nothing = pqlab_record::Counters::default();
        let mut environment = crate::environment::capture(Vec::new(), nothing);
        let read = environment.clone();
        environment.os.kernel.clear();
        environment.host.name = None;
        Portable::complete(&mut environment);
        assert_eq!((environment.os.kernel, environment.host.name), (read.os.kernel, read.host.name));
    }
}
