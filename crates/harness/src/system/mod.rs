//! Features that depend on the operating system.
//!
//! [`System`] covers the features beyond POSIX; all other code in the workspace needs only POSIX. [`Here`] is the
//! implementation for the target system. Linux has its own implementation. All other systems use a portable one, which
//! lacks these features. Callers that read files below `/proc` and `/sys` return `None` if the files are missing.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) mod peaks;
// Linux builds compile this module only for the tests.
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
    /// Returns the processors that the calling thread may use, in ascending order. `None` if the system does not report
    /// them.
    fn allowed_processors() -> Option<Vec<u32>>;

    /// Returns the number of online processors, including those that this process may not use. `None` if the system
    /// does not report it.
    fn online_processors() -> Option<usize>;

    /// Pins the calling thread, and the threads it starts from now on, to these processors. The list must not be empty.
    ///
    /// # Errors
    /// [`AffinityError`] if the system rejects the request or does not support pinning.
    fn pin(cpus: &[u32]) -> Result<(), AffinityError>;

    /// Returns the processor on which the calling thread is running. `None` if the system does not report it.
    fn current_processor() -> Option<u32>;

    /// Returns the CPU-time clock for all threads of a process. `None` if the process or the clock does not exist.
    fn process_cpu_clock(process: u32) -> Option<ClockId>;

    /// Returns the calling thread's number of involuntary context switches. If the system does not count them per
    /// thread, returns the number for the whole process.
    fn involuntary_switches() -> u64;

    /// Limits the address space of this process, so that a library that requests all memory crashes only its worker.
    /// Does nothing if the limit cannot be set.
    fn limit_memory(bytes: u64);

    /// Returns the resident memory of this process in bytes. `None` if the system does not report it.
    fn resident_bytes() -> Option<i64>;

    /// Makes the system kill the command's process when the calling thread ends, even before the process executes its
    /// program. If the system cannot do this, the program must call [`tie_to_parent`](System::tie_to_parent).
    fn tie(command: &mut Command);

    /// Makes this process, a worker, end with its parent. Also makes the system kill this process first if memory runs
    /// out.
    ///
    /// # Errors
    /// Errors from the system.
    fn tie_to_parent() -> io::Result<()>;

    /// Asks the system to drop the file's cached pages, so that the next read comes from disk. Has no effect in an
    /// in-memory file system.
    fn drop_cached_pages(file: &File);

    /// Tests whether and how an event can be counted.
    fn probe_event(metric: Metric) -> EventProbe;

    /// Opens a counter of core cycles or instructions for the calling thread. If `user` is set, the counter is read
    /// without a system call.
    ///
    /// # Errors
    /// The error from the system.
    fn open_event(metric: Metric, user: bool) -> io::Result<Box<dyn Counter>>;

    /// Returns `kernel.perf_event_paranoid`, if it exists.
    fn perf_event_paranoid() -> Option<i32>;

    /// Adds properties that system calls report but files do not.
    fn complete(environment: &mut Environment);
}

/// Placeholder for systems on which peak memory cannot be measured.
#[cfg(not(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(crate) mod peaks {
    use crate::memory::Peaks;
    use crate::trial::Fault;

    const REASON: &str = "measuring peak memory requires Linux with the GNU C library on x86-64 or AArch64";

    pub(crate) fn supported() -> Result<(), &'static str> {
        Err(REASON)
    }

    pub(crate) fn peaks(_operation: &mut (dyn FnMut() -> Result<(), Fault> + Send)) -> Result<Peaks, Fault> {
        Err(Fault::Unsupported(REASON.to_owned()))
    }
}
