//! Runs the asynchronous tasks of one side until all of them wait for input.

use crate::{Error, Result};
use std::future::{Future, pending, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use tokio::runtime::{Builder, Runtime};

/// Work of a connection that is not finished.
pub(crate) type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A runtime on the calling thread. It never blocks: [`run`](Self::run) returns when the runtime would.
pub(crate) struct Driver {
    runtime: Runtime,
    idle: Arc<Idle>,
}

/// Whether all tasks of a runtime wait.
#[derive(Default)]
struct Idle {
    is_reached: AtomicBool,
    /// Wakes [`Driver::run`].
    waker: Mutex<Option<Waker>>,
}

impl Idle {
    fn set_waker(&self, waker: &Waker) {
        *self.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(waker.clone());
    }

    /// Ends the current [`Driver::run`] instead of blocking the thread.
    fn reach(&self) {
        self.is_reached.store(true, Ordering::Relaxed);
        if let Some(waker) = self.waker.lock().unwrap_or_else(PoisonError::into_inner).take() {
            waker.wake();
        }
    }
}

impl Driver {
    pub(crate) fn new() -> Result<Driver> {
        let idle = Arc::new(Idle::default());
        let reached = Arc::clone(&idle);
        // russh needs the timer for its time limits, which no connection here reaches.
        let runtime = Builder::new_current_thread().enable_time().on_thread_park(move || reached.reach()).build();
        Ok(Driver { runtime: runtime.map_err(Error::Runtime)?, idle })
    }

    /// Runs `work` and the tasks that it started, until all of them wait. Returns the output of `work` if it is
    /// finished.
    pub(crate) fn run<T>(&self, work: &mut Work<T>) -> Option<T> {
        let mut output = None;
        self.idle.is_reached.store(false, Ordering::Relaxed);
        self.runtime.block_on(poll_fn(|context| {
            // The runtime calls `reach` only if neither `work` nor a task can continue.
            if self.idle.is_reached.load(Ordering::Relaxed) {
                return Poll::Ready(());
            }
            self.idle.set_waker(context.waker());
            if output.is_none()
                && let Poll::Ready(value) = work.as_mut().poll(context)
            {
                output = Some(value);
            }
            Poll::Pending
        }));
        output
    }

    /// Runs the remaining tasks until all of them wait.
    pub(crate) fn settle(&self) {
        let mut nothing: Work<()> = Box::pin(pending());
        self.run(&mut nothing);
    }
}
