//! System-specific features: the only place that asks which system this is.
//!
//! Everything else in the workspace is POSIX. [`System`] is what goes beyond it, and [`Here`] its implementation for
//! this system: one for Linux, and a portable one that does without for all others. Callers that read files below
//! `/proc` and `/sys` return `None` if they are missing.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) mod peaks;
// On Linux for the tests.
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

/// Implementation for the target system.
#[cfg(target_os = "linux")]
pub(crate) type Here = linux::Linux;
/// Implementation for the target system.
#[cfg(not(target_os = "linux"))]
pub(crate) type Here = portable::Portable;

/// Features beyond POSIX.
pub(crate) trait System {
    /// Returns the processors that the calling thread may use, in ascending order. `None` if the system cannot tell.
    fn allowed_processors() -> Option<Vec<u32>>;

    /// Returns the number of online processors, including those that this process may not use. `None` if it is the same
    /// as the available parallelism.
    fn online_processors() -> Option<usize>;

    /// Pins the calling thread, and the threads it starts from now on, to these processors. The list is not empty.
    ///
    /// # Errors
    /// [`AffinityError`] if the system refuses or does not support pinning.
    fn pin(cpus: &[u32]) -> Result<(), AffinityError>;

    /// Returns the processor on which the calling thread is running.
    fn current_processor() -> Option<u32>;

    /// Returns the CPU-time clock of a process, over all its threads. `None` if the process or the clock does not
    /// exist.
    fn process_cpu_clock(process: u32) -> Option<ClockId>;

    /// Returns the number of involuntary context switches of the calling thread, or of the process if the system does
    /// not count them per thread.
    fn involuntary_switches() -> u64;

    /// Limits the address space of this process, so that a library that requests all memory ends its worker instead of
    /// the machine. Does nothing if that is not possible.
    fn limit_memory(bytes: u64);

    /// Returns the resident memory of this process in bytes.
    fn resident_bytes() -> Option<i64>;

    /// Makes the system kill the command's process when the calling thread ends, from before its program begins. If the
    /// system cannot, the program itself must [do it](System::tie_to_parent).
    fn tie(command: &mut Command);

    /// Worker's part: ties this process to its parent, and makes it the first to be killed if memory runs out.
    ///
    /// # Errors
    /// The system's errors.
    fn tie_to_parent() -> io::Result<()>;

    /// Drops the file's cached pages, so that the next read comes from disk. Advice only; a file system in memory has
    /// no disk.
    fn drop_cached_pages(file: &File);

    /// Tests how an event can be counted.
    fn probe_event(metric: Metric) -> EventProbe;

    /// Opens a counter of core cycles or instructions for the calling thread; with `user`, it is read without a system
    /// call.
    ///
    /// # Errors
    /// The system's error.
    fn open_event(metric: Metric, user: bool) -> io::Result<Box<dyn Counter>>;

    /// Returns `kernel.perf_event_paranoid`, if it exists.
    fn perf_event_paranoid() -> Option<i32>;

    /// Adds properties that system calls report and files do not.
    fn complete(environment: &mut Environment);
}

/// Peaks of memory on systems where they cannot be measured.
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
