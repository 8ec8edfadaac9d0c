//! Threads that live as long as their worker process and do what they are handed: starting a thread is never timed.

use pqlab_harness::{Fault, Recorder, Trial, affinity, residue};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Stack of a thread in bytes: what the main thread has on most systems, so that an operation that works on one thread
/// works on all.
const STACK: usize = 8 << 20;

type Work = Box<dyn FnOnce() + Send>;

thread_local! {
    /// Those of the calling thread, which is a worker's only one of its own; in tests each test has some.
    static THREADS: RefCell<Vec<Sender<Work>>> = const { RefCell::new(Vec::new()) };
}

/// Hands work to the thread of that number, which starts with the first. The work must catch its own panics.
///
/// # Errors
/// [`Fault::Library`] if the thread cannot be started, or is gone.
pub(super) fn dispatch(number: usize, work: impl FnOnce() + Send + 'static) -> Result<(), Fault> {
    THREADS.with_borrow_mut(|threads| {
        while threads.len() <= number {
            let (sender, queue) = channel::<Work>();
            thread::Builder::new()
                .name(format!("scaling-{}", threads.len()))
                .stack_size(STACK)
                .spawn(move || {
                    for work in queue {
                        // What the work of another case left behind is none of this one's.
                        residue::put_back();
                        work();
                    }
                })
                .map_err(|error| Fault::Library(format!("a thread cannot be started: {error}")))?;
            threads.push(sender);
        }
        threads[number].send(Box::new(work)).map_err(|_| gone())
    })
}

/// Keeps the calling thread on these processors, where the system can.
pub(crate) fn pin(cpus: &[u32]) -> Result<(), Fault> {
    match affinity::pin(cpus) {
        Ok(()) | Err(affinity::AffinityError::Unsupported | affinity::AffinityError::Refused(_)) => Ok(()),
        Err(error) => Err(Fault::Library(error.to_string())),
    }
}

/// Runs something that may panic; a panic becomes a fault.
pub(super) fn caught(run: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Err(Fault::Library(format!("panicked: {}", text.unwrap_or("without a message"))))
    })
}

/// A thread, or the share that it had, is no longer there.
pub(super) fn gone() -> Fault {
    Fault::Library("a thread has ended".into())
}

/// What one thread does: a trial of its own, and whether any operation of it was performed since its setup.
pub(super) struct Share {
    trial: Box<dyn Trial>,
    performed: bool,
}

impl Share {
    pub(super) fn new(trial: Box<dyn Trial>) -> Share {
        Share { trial, performed: false }
    }

    /// Readies the thread for up to `batch` operations: all that there are may fall to it.
    pub(super) fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.performed = false;
        self.trial.setup(batch)
    }

    /// Performs `count` operations, each of them whole.
    #[inline]
    pub(super) fn perform(&mut self, count: usize) -> Result<(), Fault> {
        self.trial.routine(count, &mut Recorder::default())?;
        self.performed = true;
        Ok(())
    }

    /// Whether the last answer is right, if the thread came to do anything.
    pub(super) fn verify(&mut self) -> Result<(), Fault> {
        if self.performed { self.trial.verify() } else { Ok(()) }
    }
}
