//! Threads that run work passed to them. They live as long as their worker process, so that starting a thread is never
//! timed.

use pqlab_harness::{Fault, Recorder, Trial, affinity, residue};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Stack size of a thread in bytes, as for the main thread on most systems. Every operation that works on the main
/// thread therefore also works here.
const STACK: usize = 8 << 20;

type Work = Box<dyn FnOnce() + Send>;

thread_local! {
    /// Threads that work for the calling thread. A worker process has one calling thread. In tests, each test has its
    /// own calling thread.
    static THREADS: RefCell<Vec<Sender<Work>>> = const { RefCell::new(Vec::new()) };
}

/// Passes `work` to the thread with index `number`. Starts this thread and all threads with lower indices, if
/// necessary. `work` must catch its own panics.
///
/// # Errors
/// [`Fault::Library`] if the thread cannot be started, or has ended.
pub(super) fn dispatch(number: usize, work: impl FnOnce() + Send + 'static) -> Result<(), Fault> {
    THREADS.with_borrow_mut(|threads| {
        while threads.len() <= number {
            let (sender, queue) = channel::<Work>();
            thread::Builder::new()
                .name(format!("scaling-{}", threads.len()))
                .stack_size(STACK)
                .spawn(move || {
                    for work in queue {
                        // Clear the register state that the work of another case left behind.
                        residue::put_back();
                        work();
                    }
                })
                .map_err(|error| Fault::Library(format!("cannot start a thread: {error}")))?;
            threads.push(sender);
        }
        threads[number].send(Box::new(work)).map_err(|_| gone())
    })
}

/// Pins the calling thread to these processors. Does nothing if the system cannot pin threads.
pub(crate) fn pin(cpus: &[u32]) -> Result<(), Fault> {
    match affinity::pin(cpus) {
        Ok(()) | Err(affinity::AffinityError::Unsupported | affinity::AffinityError::Refused(_)) => Ok(()),
        Err(error) => Err(Fault::Library(error.to_string())),
    }
}

/// Runs a function, converting a panic into a fault.
pub(super) fn caught(run: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Err(Fault::Library(format!("panicked: {}", text.unwrap_or("no message"))))
    })
}

/// Returns the fault for a thread that has ended, or that has lost its share.
pub(super) fn gone() -> Fault {
    Fault::Library("a thread ended unexpectedly".into())
}

/// Share of one thread in a sample: the thread's trial, and whether it has performed any operation since the setup.
pub(super) struct Share {
    trial: Box<dyn Trial>,
    performed: bool,
}

impl Share {
    pub(super) fn new(trial: Box<dyn Trial>) -> Share {
        Share { trial, performed: false }
    }

    /// Prepares for all `batch` operations of the team, because this thread may have to perform all of them.
    pub(super) fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.performed = false;
        self.trial.setup(batch)
    }

    /// Performs `count` complete operations.
    #[inline]
    pub(super) fn perform(&mut self, count: usize) -> Result<(), Fault> {
        self.trial.routine(count, &mut Recorder::default())?;
        self.performed = true;
        Ok(())
    }

    /// Checks the last answer, if the thread performed any operation.
    pub(super) fn verify(&mut self) -> Result<(), Fault> {
        if self.performed { self.trial.verify() } else { Ok(()) }
    }
}
