//! Contexts at rest beside a key: one thread uses one context at a time, and gives it back.

use pqlab_primitives::Result;
use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// How many contexts a pool keeps at rest. Threads beyond this number that hold a context at once make their own.
const SLOTS: usize = 8;

/// Keeps up to [`SLOTS`] objects for reuse. Taking one and giving it back is one atomic exchange each, without
/// allocation or lock, as long as a thread finds an object at rest.
///
/// A slot owns what its pointer points to; whoever swaps the pointer out owns it from then on.
pub(super) struct Pool<T: Send> {
    slots: [AtomicPtr<T>; SLOTS],
}

impl<T: Send> Pool<T> {
    pub(super) fn new() -> Pool<T> {
        Pool { slots: [const { AtomicPtr::new(ptr::null_mut()) }; SLOTS] }
    }

    /// A pool that starts with one object.
    pub(super) fn with(item: T) -> Pool<T> {
        let pool = Pool::new();
        pool.give(Box::new(item));
        pool
    }

    /// An object at rest, or else a new one.
    pub(super) fn lease(&self, make: impl FnOnce() -> Result<T>) -> Result<Lease<'_, T>> {
        let item = match self.take() {
            Some(item) => item,
            None => Box::new(make()?),
        };
        Ok(Lease { pool: self, item: Some(item) })
    }

    fn take(&self) -> Option<Box<T>> {
        let start = first_slot();
        for i in 0..SLOTS {
            let slot = &self.slots[(start + i) % SLOTS];
            if slot.load(Ordering::Relaxed).is_null() {
                continue;
            }
            let item = slot.swap(ptr::null_mut(), Ordering::Acquire);
            if !item.is_null() {
                // SAFETY: the pointer came from `Box::into_raw` in `give`; the swap took it out of the only place
                // that held it, so that nobody else owns it.
                return Some(unsafe { Box::from_raw(item) });
            }
        }
        None
    }

    fn give(&self, item: Box<T>) {
        let start = first_slot();
        let item = Box::into_raw(item);
        for i in 0..SLOTS {
            let slot = &self.slots[(start + i) % SLOTS];
            if slot.compare_exchange(ptr::null_mut(), item, Ordering::Release, Ordering::Relaxed).is_ok() {
                return;
            }
        }
        // SAFETY: no slot took the pointer, so it is still ours alone.
        drop(unsafe { Box::from_raw(item) });
    }
}

impl<T: Send> Drop for Pool<T> {
    fn drop(&mut self) {
        for slot in &mut self.slots {
            let item = *slot.get_mut();
            if !item.is_null() {
                // SAFETY: the slot owns the pointer, and no lease outlives the pool.
                drop(unsafe { Box::from_raw(item) });
            }
        }
    }
}

/// The slot at which a thread looks first: threads that share a key settle on slots of their own.
fn first_slot() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static NUMBER: Cell<usize> = const { Cell::new(usize::MAX) });
    NUMBER.with(|number| {
        if number.get() == usize::MAX {
            number.set(THREADS.fetch_add(1, Ordering::Relaxed) % SLOTS);
        }
        number.get()
    })
}

/// An object taken from a [`Pool`], given back when dropped.
pub(super) struct Lease<'a, T: Send> {
    pool: &'a Pool<T>,
    /// Always there until the lease ends.
    item: Option<Box<T>>,
}

impl<T: Send> Lease<'_, T> {
    /// Ends the lease without giving the object back, for one whose state is in doubt after a fault.
    pub(super) fn discard(mut self) {
        self.item = None;
    }
}

impl<T: Send> Deref for Lease<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.item.as_deref().expect("a lease holds its object until it ends")
    }
}

impl<T: Send> DerefMut for Lease<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.item.as_deref_mut().expect("a lease holds its object until it ends")
    }
}

impl<T: Send> Drop for Lease<'_, T> {
    fn drop(&mut self) {
        if let Some(item) = self.item.take() {
            self.pool.give(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn an_object_comes_back_to_the_thread_that_gave_it() {
        let pool = Pool::with(1u32);
        *pool.lease(|| Ok(0)).unwrap() += 1;
        assert_eq!(*pool.lease(|| Ok(0)).unwrap(), 2);
    }

    #[test]
    fn a_second_lease_makes_its_own_and_a_discarded_one_is_gone() {
        let pool = Pool::with(1u32);
        let first = pool.lease(|| Ok(10)).unwrap();
        let second = pool.lease(|| Ok(20)).unwrap();
        assert_eq!((*first, *second), (1, 20));
        first.discard();
        drop(second);
        assert_eq!(*pool.lease(|| Ok(30)).unwrap(), 20);
    }

    #[test]
    fn every_object_is_owned_once_and_freed_once() {
        let counter = Arc::new(());
        let pool = Pool::new();
        thread::scope(|scope| {
            for _ in 0..2 * SLOTS {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let mut lease = pool.lease(|| Ok((counter.clone(), false))).unwrap();
                        assert!(!lease.1, "two threads hold the same object");
                        lease.1 = true;
                        thread::yield_now();
                        lease.1 = false;
                    }
                });
            }
        });
        assert!(Arc::strong_count(&counter) <= 1 + SLOTS);
        drop(pool);
        assert_eq!(Arc::strong_count(&counter), 1);
    }
}
