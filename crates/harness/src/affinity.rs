//! Lists the processors that a process may use, and pins threads to them.

use crate::system::{Here, System};

/// Reason why a thread could not be pinned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AffinityError {
    /// The list of processors is empty.
    #[error("the list of processors to pin to is empty")]
    Empty,
    /// The processor does not exist, or this process may not use it.
    #[error("processor {cpu} is not available to this process; available: {}", list(.allowed))]
    NotAllowed {
        /// Number of the processor.
        cpu: u32,
        /// Processors that this process may use.
        allowed: Vec<u32>,
    },
    /// The kernel rejected the request.
    #[error("the kernel could not pin the thread: {0}")]
    Refused(nix::errno::Errno),
    /// The operating system cannot pin threads.
    #[error("threads cannot be pinned on this operating system")]
    Unsupported,
}

/// Returns the processors that the calling thread may use, in ascending order. If the system does not report them,
/// assumes processors 0 to `available_parallelism() - 1`.
pub fn allowed() -> Vec<u32> {
    Here::allowed_processors().unwrap_or_else(|| {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        (0..count as u32).collect()
    })
}

/// Returns the number of processors that are online, including those that this process may not use.
pub fn online() -> usize {
    Here::online_processors().unwrap_or_else(|| allowed().len())
}

/// Processors that multi-threaded trials may use. [`grant`] sets them once.
static GRANTED: std::sync::OnceLock<Vec<u32>> = std::sync::OnceLock::new();

/// Sets the processors that this run may use; later calls have no effect. Each worker is pinned to one of these
/// processors.
pub(crate) fn grant(cpus: Vec<u32>) {
    if !cpus.is_empty() {
        GRANTED.get_or_init(|| cpus);
    }
}

/// Returns the processors that this run may use, in ascending order or in the order the user gave. If no coordinator
/// set a list, returns the [allowed] processors.
pub fn granted() -> Vec<u32> {
    GRANTED.get().cloned().unwrap_or_else(allowed)
}

/// Pins the calling thread, and the threads it starts from now on, to these processors. The thread can be pinned to
/// other processors later.
///
/// # Errors
/// [`AffinityError`] if the list is empty, if it names a processor that this process may not use, or if the system
/// cannot pin the thread.
pub fn pin(cpus: &[u32]) -> Result<(), AffinityError> {
    if cpus.is_empty() {
        return Err(AffinityError::Empty);
    }
    Here::pin(cpus)
}

/// Tests whether a thread, and therefore a child process, can be pinned to these processors. Pins a new thread, so the
/// calling thread's affinity does not change.
///
/// # Errors
/// The same errors as [`pin`], and [`AffinityError::Refused`] if no thread can be started.
pub fn can_pin(cpus: &[u32]) -> Result<(), AffinityError> {
    std::thread::scope(|scope| {
        let trial = std::thread::Builder::new().spawn_scoped(scope, || pin(cpus));
        let again = AffinityError::Refused(nix::errno::Errno::EAGAIN);
        trial.map_err(|_| again.clone())?.join().unwrap_or(Err(again))
    })
}

/// Returns the processor on which the calling thread is running. `None` if the system does not report it.
pub fn current_cpu() -> Option<u32> {
    Here::current_processor()
}

/// Formats processor numbers in the syntax of `taskset -c`, such as `0-3,8`.
pub fn list(cpus: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &cpu in cpus {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == cpu => *end = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let words: Vec<String> = ranges
        .iter()
        .map(|&(begin, end)| if begin == end { begin.to_string() } else { format!("{begin}-{end}") })
        .collect();
    words.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_written_as_ranges() {
        assert_eq!(list(&[]), "");
        assert_eq!(list(&[3]), "3");
        assert_eq!(list(&[0, 1, 2, 3, 8, 10, 11]), "0-3,8,10-11");
    }

    #[test]
    fn there_is_always_a_processor() {
        let cpus = allowed();
        assert!(!cpus.is_empty());
        assert!(cpus.is_sorted());
    }

    #[test]
    fn refuses_to_pin_to_an_empty_list() {
        assert_eq!(pin(&[]), Err(AffinityError::Empty));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pinned_thread_stays_on_its_processor() {
        // Use a separate thread, so that the affinity does not outlive the test.
        std::thread::spawn(|| {
            let everywhere = allowed();
            let last = *everywhere.last().unwrap();
            pin(&[last]).unwrap();
            assert_eq!(allowed(), [last]);
            assert_eq!(current_cpu(), Some(last));
            // A failed call leaves the thread pinned where it was.
            let error = pin(&[last, 1_000]).unwrap_err();
            // The error lists the processors to which a thread can be pinned. Under `taskset`, this list may be longer
            // than the one from `allowed`.
            let AffinityError::NotAllowed { cpu: 1_000, allowed: named } = error else { panic!("{error}") };
            assert!(everywhere.iter().all(|cpu| named.contains(cpu)), "{named:?}");
            assert_eq!(allowed(), [last]);
            pin(&everywhere).unwrap();
            assert_eq!(allowed(), everywhere);
        })
        .join()
        .unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn testing_a_pin_leaves_the_thread_in_place() {
        let everywhere = allowed();
        assert_eq!(can_pin(&everywhere[..1]), Ok(()));
        assert!(matches!(can_pin(&[1_000_000]), Err(AffinityError::NotAllowed { cpu: 1_000_000, .. })));
        assert_eq!(allowed(), everywhere);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_a_processor_that_does_not_exist() {
        let error = pin(&[1_000_000]).unwrap_err();
        assert!(matches!(error, AffinityError::NotAllowed { cpu: 1_000_000, .. }));
        assert!(error.to_string().contains("processor 1000000"), "{error}");
    }
}
