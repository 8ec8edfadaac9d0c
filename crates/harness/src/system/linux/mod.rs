//! Implementation of [`System`] for Linux.

mod perf;

use super::System;
use crate::affinity::{self, AffinityError};
use crate::counter::{Counter, EventProbe};
use nix::errno::Errno;
use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use nix::sys::prctl;
use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use nix::sys::signal::Signal;
use nix::time::{ClockId, clock_getcpuclockid};
use nix::unistd::{Pid, SysconfVar, getpid, getppid, sysconf};
use pqlab_record::{Environment, Metric};
use std::fs::{File, read_to_string};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Thread id 0, which means the calling thread (not its process) in the scheduler's system calls.
const THIS_THREAD: Pid = Pid::from_raw(0);

pub(crate) struct Linux;

impl System for Linux {
    fn allowed_processors() -> Option<Vec<u32>> {
        let set = sched_getaffinity(THIS_THREAD).ok()?;
        let cpus: Vec<u32> =
            (0..CpuSet::count()).filter(|&cpu| set.is_set(cpu) == Ok(true)).map(|cpu| cpu as u32).collect();
        (!cpus.is_empty()).then_some(cpus)
    }

    fn online_processors() -> Option<usize> {
        usize::try_from(sysconf(SysconfVar::_NPROCESSORS_ONLN).ok()??).ok()
    }

    /// Pins the thread, then reads its affinity back, because the kernel silently drops processors that the container
    /// does not grant.
    fn pin(cpus: &[u32]) -> Result<(), AffinityError> {
        let before = sched_getaffinity(THIS_THREAD).map_err(AffinityError::Refused)?;
        let mut wanted = CpuSet::new();
        let countable = cpus.iter().all(|&cpu| wanted.set(cpu as usize).is_ok());
        let outcome = if countable { sched_setaffinity(THIS_THREAD, &wanted) } else { Err(Errno::EINVAL) };
        let granted = affinity::allowed();
        let missing = cpus.iter().find(|cpu| !granted.contains(cpu));
        match (outcome, missing) {
            (Ok(()), None) => Ok(()),
            (Ok(()) | Err(Errno::EINVAL), Some(&cpu)) => {
                let allowed = grantable();
                sched_setaffinity(THIS_THREAD, &before).map_err(AffinityError::Refused)?;
                Err(AffinityError::NotAllowed { cpu, allowed })
            }
            (Err(errno), _) => Err(AffinityError::Refused(errno)),
        }
    }

    fn current_processor() -> Option<u32> {
        sched_getcpu().ok().map(|cpu| cpu as u32)
    }

    fn process_cpu_clock(process: u32) -> Option<ClockId> {
        clock_getcpuclockid(Pid::from_raw(i32::try_from(process).ok()?)).ok()
    }

    fn involuntary_switches() -> u64 {
        getrusage(UsageWho::RUSAGE_THREAD).map_or(0, |usage| usage.involuntary_context_switches().max(0) as u64)
    }

    fn limit_memory(bytes: u64) {
        // Ignore errors, because the coordinator also watches the worker's resident memory. Set only the soft limit, so
        // that a worker program in another language can raise it.
        let most = getrlimit(Resource::RLIMIT_AS).map_or(bytes, |(_, most)| most);
        setrlimit(Resource::RLIMIT_AS, bytes.min(most), most).ok();
    }

    /// Reads the resident pages from the second field of `/proc/self/statm`.
    fn resident_bytes() -> Option<i64> {
        let statm = read_to_string("/proc/self/statm").ok()?;
        let pages: i64 = statm.split_whitespace().nth(1)?.parse().ok()?;
        Some(pages * sysconf(SysconfVar::PAGE_SIZE).ok()??)
    }

    fn tie(command: &mut Command) {
        let coordinator = getpid();
        let tie = move || {
            prctl::set_pdeathsig(Signal::SIGKILL)?;
            // If the coordinator ended before `prctl`, the signal never arrives. Therefore check the parent.
            if getppid() == coordinator { Ok(()) } else { Err(Errno::ESRCH.into()) }
        };
        // SAFETY: between fork and exec, the closure makes two system calls, does not allocate and takes no lock.
        unsafe { command.pre_exec(tie) };
    }

    fn tie_to_parent() -> io::Result<()> {
        // Set the signal again, because executing a program with file capabilities clears it. If the coordinator has
        // already ended, the first read fails before the worker calls any library.
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // If memory runs out, make the kernel kill workers first. Otherwise, it might kill the coordinator. Errors are
        // harmless, so ignore them.
        std::fs::write("/proc/self/oom_score_adj", "1000").ok();
        Ok(())
    }

    fn drop_cached_pages(file: &File) {
        posix_fadvise(file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED).ok();
    }

    fn probe_event(metric: Metric) -> EventProbe {
        perf::probe(metric)
    }

    fn open_event(metric: Metric, user: bool) -> io::Result<Box<dyn Counter>> {
        Ok(Box::new(perf::Perf::open(metric, user)?))
    }

    fn perf_event_paranoid() -> Option<i32> {
        read_to_string("/proc/sys/kernel/perf_event_paranoid").ok()?.trim().parse().ok()
    }

    /// Adds nothing, because on Linux files describe every property.
    fn complete(_environment: &mut Environment) {}
}

/// Returns every processor to which the thread could be pinned, whatever its current affinity. Unpins the thread.
fn grantable() -> Vec<u32> {
    let mut all = CpuSet::new();
    let filled = (0..CpuSet::count()).all(|cpu| all.set(cpu).is_ok());
    if filled && sched_setaffinity(THIS_THREAD, &all).is_ok() { affinity::allowed() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_end_with_the_thread_that_started_them() {
        let mut child = std::thread::spawn(|| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", "exec sleep 1000"]);
            Linux::tie(&mut command);
            command.spawn().unwrap()
        })
        .join()
        .unwrap();
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(child.wait().unwrap().signal(), Some(9));
    }
}
