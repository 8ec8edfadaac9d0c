//! Threads that live as long as their worker process and do what they are handed: starting a thread is never timed.

use pqlab_harness::{Fault, affinity, residue};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Stack of a thread in bytes: what the main thread has on most systems, so that an operation that works on one thread
/// works on all.
const STACK: usize = 8 << 20;

type Order = Box<dyn FnOnce() + Send>;

thread_local! {
    /// The crew of the calling thread, which is a worker's only one of its own; in tests each test has a crew.
    static CREW: RefCell<Vec<Sender<Order>>> = const { RefCell::new(Vec::new()) };
}

/// Hands an order to a thread of the crew, which starts with its first order. The order must catch its own panics.
///
/// # Errors
/// [`Fault::Library`] if the thread cannot be started, or is gone.
pub(super) fn dispatch(member: usize, order: impl FnOnce() + Send + 'static) -> Result<(), Fault> {
    CREW.with_borrow_mut(|crew| {
        while crew.len() <= member {
            let (sender, orders) = channel::<Order>();
            thread::Builder::new()
                .name(format!("crew-{}", crew.len()))
                .stack_size(STACK)
                .spawn(move || {
                    for order in orders {
                        // What the order of another case left behind is none of this one's.
                        residue::put_back();
                        order();
                    }
                })
                .map_err(|error| Fault::Library(format!("a thread cannot be started: {error}")))?;
            crew.push(sender);
        }
        crew[member].send(Box::new(order)).map_err(|_| gone())
    })
}

/// Keeps the calling thread on these processors, where the system can.
pub(super) fn pin(cpus: &[u32]) -> Result<(), Fault> {
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

/// A thread, or the job that it had, is no longer there.
pub(super) fn gone() -> Fault {
    Fault::Library("a thread has ended".into())
}
