//! Which processors a process may use, and how a thread is kept on some of them.

use crate::system::{Here, System};

/// Why a thread could not be pinned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AffinityError {
    /// No processor was named.
    #[error("no processor to pin to")]
    Empty,
    /// This process may not use the processor, or there is none of that number.
    #[error("processor {cpu} is not among those that this process may use: {}", list(.allowed))]
    NotAllowed {
        /// The processor's number.
        cpu: u32,
        /// What may be used instead.
        allowed: Vec<u32>,
    },
    /// The kernel refused.
    #[error("the kernel refused to pin the thread: {0}")]
    Refused(nix::errno::Errno),
    /// The operating system offers no way to pin threads.
    #[error("threads cannot be pinned on this operating system")]
    Unsupported,
}

/// The numbers of the processors that the calling thread may use, in rising order. Where the system cannot tell: as many
/// as it says run in parallel.
pub fn allowed() -> Vec<u32> {
    Here::allowed_processors().unwrap_or_else(|| {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        (0..count as u32).collect()
    })
}

/// Number of the processors that are at work in this machine, whoever may use them.
pub fn online() -> usize {
    Here::online_processors().unwrap_or_else(|| allowed().len())
}

/// The processors that trials with several threads may use, once a worker was told.
static GRANTED: std::sync::OnceLock<Vec<u32>> = std::sync::OnceLock::new();

/// Says which processors this run may use; the first answer stands. A worker is pinned to one of them.
pub(crate) fn grant(cpus: Vec<u32>) {
    if !cpus.is_empty() {
        GRANTED.get_or_init(|| cpus);
    }
}

/// The processors that this run may use, in rising order or in the order that the user gave. Where no coordinator said so:
/// those that the calling thread [may use](allowed).
pub fn granted() -> Vec<u32> {
    GRANTED.get().cloned().unwrap_or_else(allowed)
}

/// Keeps the calling thread, and the threads that it starts from now on, on these processors. A thread that is pinned
/// already can be pinned elsewhere.
///
/// # Errors
/// [`AffinityError`] if the list is empty, names a processor that this process is not granted, or the system refuses.
pub fn pin(cpus: &[u32]) -> Result<(), AffinityError> {
    if cpus.is_empty() {
        return Err(AffinityError::Empty);
    }
    Here::pin(cpus)
}

/// Whether a thread, and so a process that this one starts, can be kept on these processors. Tried on a thread of its own: the
/// calling one stays where it is.
///
/// # Errors
/// As [`pin`]; [`AffinityError::Refused`] too where no thread can be started.
pub fn can_pin(cpus: &[u32]) -> Result<(), AffinityError> {
    std::thread::scope(|scope| {
        let trial = std::thread::Builder::new().spawn_scoped(scope, || pin(cpus));
        let again = AffinityError::Refused(nix::errno::Errno::EAGAIN);
        trial.map_err(|_| again.clone())?.join().unwrap_or(Err(again))
    })
}

/// The processor on which the calling thread runs at this moment.
pub fn current_cpu() -> Option<u32> {
    Here::current_processor()
}

/// Writes processors the way `taskset -c` reads them: `0-3,8`.
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
    fn nothing_is_pinned_to_nothing() {
        assert_eq!(pin(&[]), Err(AffinityError::Empty));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pinned_thread_stays_where_it_is_put() {
        // On a thread of its own: an affinity would outlive the test.
        std::thread::spawn(|| {
            let everywhere = allowed();
            let last = *everywhere.last().unwrap();
            pin(&[last]).unwrap();
            assert_eq!(allowed(), [last]);
            assert_eq!(current_cpu(), Some(last));
            // Neither does being pinned forbid to be pinned elsewhere, nor does a refusal change anything.
            let error = pin(&[last, 1_000]).unwrap_err();
            // Named is what may be had, which is more than what a `taskset` before the test left.
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
    fn trying_to_pin_moves_nobody() {
        let everywhere = allowed();
        assert_eq!(can_pin(&everywhere[..1]), Ok(()));
        assert!(matches!(can_pin(&[1_000_000]), Err(AffinityError::NotAllowed { cpu: 1_000_000, .. })));
        assert_eq!(allowed(), everywhere);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_processor_that_is_not_there_is_named() {
        let error = pin(&[1_000_000]).unwrap_err();
        assert!(matches!(error, AffinityError::NotAllowed { cpu: 1_000_000, .. }));
        assert!(error.to_string().contains("processor 1000000"), "{error}");
    }
}
