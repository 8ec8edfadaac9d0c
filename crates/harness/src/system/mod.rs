//! What not every system can do: the one place that asks which system this is.
//!
//! Everything else of the workspace is POSIX. [`System`] is what goes beyond it, [`Here`] this system's answer: Linux has its
//! own, and every other one the portable answer, which does without. Files below `/proc` and `/sys` that are not there are
//! answered with `None` by those who read them.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) mod peaks;
// On Linux for its tests.
#[cfg(any(test, not(target_os = "linux")))]
mod portable;

#[cfg(not(unix))]
compile_error!("this system is not supported: pqlab needs Linux, macOS or FreeBSD");

use crate::affinity::AffinityError;
use crate::counter::{Counter, EventProbe};
use nix::time::ClockId;
use pqlab_record::{Environment, Metric};
use std::fs::File;
use std::io;
use std::process::Command;

/// The system for which this is compiled.
#[cfg(target_os = "linux")]
pub(crate) type Here = linux::Linux;
/// The system for which this is compiled.
#[cfg(not(target_os = "linux"))]
pub(crate) type Here = portable::Portable;

/// What goes beyond POSIX.
pub(crate) trait System {
    /// The numbers of the processors that the calling thread may use, in rising order. `None` where the system cannot tell.
    fn allowed_processors() -> Option<Vec<u32>>;

    /// Number of the processors that are at work in this machine, whoever may use them. `None` where it is no other than that of
    /// those which run in parallel.
    fn online_processors() -> Option<usize>;

    /// Keeps the calling thread, and the threads that it starts from now on, on these processors, of which there is at least one.
    ///
    /// # Errors
    /// [`AffinityError`] where the system refuses, or lets nobody pin.
    fn pin(cpus: &[u32]) -> Result<(), AffinityError>;

    /// The processor on which the calling thread runs at this moment.
    fn current_processor() -> Option<u32>;

    /// The clock of the CPU time of all threads of a process. `None` where there is no such process, or no such clock.
    fn process_cpu_clock(process: u32) -> Option<ClockId>;

    /// How often a processor was taken from the calling thread; from any thread of the process where the system keeps no
    /// account of each.
    fn involuntary_switches() -> u64;

    /// Bounds the address space of this process, so that a library that asks for all memory ends its worker and not the
    /// machine. Nothing happens where that cannot be done.
    fn limit_memory(bytes: u64);

    /// Resident memory of this process in bytes.
    fn resident_bytes() -> Option<i64>;

    /// Has the process that the command starts killed when the calling thread ends, from before its program begins. Where the
    /// system cannot, the program itself must [see to it](System::tie_to_parent).
    fn tie(command: &mut Command);

    /// The worker's part: ties this process to the one that started it, and has the system end this one first if memory runs out.
    ///
    /// # Errors
    /// What the system reports.
    fn tie_to_parent() -> io::Result<()>;

    /// Asks the system to read the file from its disk again. Advice only: a file system in memory has nowhere else to read from.
    fn drop_cached_pages(file: &File);

    /// Tries how far an event can be counted.
    fn probe_event(metric: Metric) -> EventProbe;

    /// Opens a counter of core cycles or instructions, for the calling thread; `user` says whether it is read without a system
    /// call.
    ///
    /// # Errors
    /// The system's answer.
    fn open_event(metric: Metric, user: bool) -> io::Result<Box<dyn Counter>>;

    /// `kernel.perf_event_paranoid`, where there is such a thing.
    fn perf_event_paranoid() -> Option<i32>;

    /// Adds what the files of the system do not say and a call does.
    fn complete(environment: &mut Environment);
}

/// Peaks of memory, where they cannot be had.
#[cfg(not(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(crate) mod peaks {
    use crate::memory::Peaks;
    use crate::trial::Fault;

    const REASON: &str = "peaks of memory need Linux with the GNU C library on x86-64 or AArch64";

    pub(crate) fn supported() -> Result<(), &'static str> {
        Err(REASON)
    }

    pub(crate) fn peaks(_operation: &mut (dyn FnMut() -> Result<(), Fault> + Send)) -> Result<Peaks, Fault> {
        Err(Fault::Unsupported(REASON.to_owned()))
    }
}
