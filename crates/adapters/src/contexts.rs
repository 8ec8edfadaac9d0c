//! Library contexts that each key stores. Several threads can share a key, but only one thread at a time uses a
//! context.

use pqlab_primitives::{Error, Result};
use std::cell::{Cell, UnsafeCell};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Maximum number of contexts that a key stores. Each thread that uses the key at the same time needs one. Further
/// threads create a context for each call. The number is the same on every machine, so that the cost of a key does not
/// depend on the machine.
const SLOTS: usize = 16;

/// Contexts that are created on first use and then reused.
///
/// The first context is stored in the key object itself. Nearly all keys are used by one thread. That thread needs no
/// allocation and no second cache line, and each call costs only one atomic exchange and one store. The other slots are
/// allocated only when a second thread needs a context while the first one is in use. No two slots share a cache line.
pub struct Contexts<T: Send> {
    first: Slot<T>,
    slots: OnceLock<Box<[PaddedSlot<T>; SLOTS]>>,
}

/// Slot padded to 128 bytes, because processors fetch cache lines in pairs.
#[repr(align(128))]
struct PaddedSlot<T>(Slot<T>);

/// Storage for a context. The thread that set `taken` owns it.
struct Slot<T> {
    taken: AtomicBool,
    context: UnsafeCell<Option<T>>,
}

// SAFETY: a context is reached only through `Slot::enter`, by one thread at a time. The context may move between
// threads, because it is `Send`.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T: Send> Contexts<T> {
    /// Creates an empty set of contexts.
    #[inline]
    pub const fn new() -> Contexts<T> {
        Contexts { first: Slot::new(), slots: OnceLock::new() }
    }

    /// Calls `call` with an idle context, or with a new context from `make` if none is idle. Drops the context if
    /// `call` returns a library fault, because the context's state is then unknown.
    ///
    /// # Errors
    /// Propagates errors from `make` and `call`.
    #[inline]
    pub fn with<R>(&self, make: impl FnOnce() -> Result<T>, call: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
        match self.free() {
            Some(slot) => slot.enter(make, call),
            None => call(&mut make()?),
        }
    }

    /// Reserves a free slot for the caller. Returns `None` if all slots are in use.
    #[inline]
    fn free(&self) -> Option<&Slot<T>> {
        if self.slots.get().is_none() && self.first.take() {
            return Some(&self.first);
        }
        self.free_among_slots()
    }

    #[cold]
    fn free_among_slots(&self) -> Option<&Slot<T>> {
        let slots = self.slots.get_or_init(|| Box::new([const { PaddedSlot(Slot::new()) }; SLOTS]));
        let start = own_slot();
        let in_turn = (0..SLOTS).map(|index| &slots[(start + index) % SLOTS].0);
        in_turn.chain([&self.first]).find(|slot| slot.take())
    }
}

impl<T: Send> Default for Contexts<T> {
    #[inline]
    fn default() -> Contexts<T> {
        Contexts::new()
    }
}

impl<T> Slot<T> {
    const fn new() -> Slot<T> {
        Slot { taken: AtomicBool::new(false), context: UnsafeCell::new(None) }
    }

    #[inline]
    fn take(&self) -> bool {
        self.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Calls `call` with the slot's context, then frees the slot. The caller must have [reserved](Slot::take) the slot.
    /// If `call` panics, the slot stays reserved and its context is never used again.
    #[inline]
    fn enter<R>(&self, make: impl FnOnce() -> Result<T>, call: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
        // SAFETY: the caller reserved the slot, so no other reference to its context exists.
        let context = unsafe { &mut *self.context.get() };
        let result = match context {
            Some(context) => call(context),
            None => make().and_then(|fresh| call(context.insert(fresh))),
        };
        if matches!(result, Err(Error::Library { .. })) {
            *context = None;
        }
        self.taken.store(false, Ordering::Release);
        result
    }
}

/// Returns the index of the slot that this thread tries first. Different threads start with different slots, so threads
/// that share a key rarely compete for a slot.
fn own_slot() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static NUMBER: Cell<usize> = const { Cell::new(usize::MAX) });
    NUMBER.with(|number| {
        if number.get() == usize::MAX {
            number.set(THREADS.fetch_add(1, Ordering::Relaxed) % SLOTS);
        }
        number.get()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU32;
    use std::thread;

    const FAULT: fn() -> Error = || Error::Library { call: "call", detail: String::new() };

    /// Returns the context that `call` receives: an idle context, or else `new`.
    fn used(contexts: &Contexts<u32>, new: u32) -> u32 {
        contexts.with(|| Ok(new), |context| Ok(*context)).unwrap()
    }

    #[test]
    fn one_thread_makes_one_context_and_no_slots() {
        let contexts = Contexts::new();
        assert!([used(&contexts, 1), used(&contexts, 2), used(&contexts, 3)] == [1, 1, 1]);
        // Another thread reuses the idle context.
        assert_eq!(thread::scope(|scope| scope.spawn(|| used(&contexts, 4)).join().unwrap()), 1);
        assert!(contexts.slots.get().is_none());
    }

    #[test]
    fn does_not_share_a_context_in_use() {
        let contexts = Contexts::new();
        let nested = contexts.with(|| Ok(1), |outer| Ok([*outer, used(&contexts, 2), used(&contexts, 3)]));
        assert_eq!(nested, Ok([1, 2, 2]));
        // The thread keeps using its own slot.
        assert_eq!(used(&contexts, 4), 2);
    }

    #[test]
    fn drops_the_context_after_a_library_fault() {
        let contexts = Contexts::new();
        assert_eq!(used(&contexts, 1), 1);
        assert_eq!(contexts.with(|| Ok(2), |_| Err::<(), _>(FAULT())), Err(FAULT()));
        assert_eq!(used(&contexts, 3), 3);
        // `VerificationFailed` is not a library fault, so the context is kept.
        let refused = contexts.with(|| Ok(4), |_| Err::<(), _>(Error::VerificationFailed));
        assert_eq!((refused, used(&contexts, 5)), (Err(Error::VerificationFailed), 3));
        // If a context cannot be created, the next call tries again.
        let contexts = Contexts::new();
        assert_eq!(contexts.with(|| Err(FAULT()), |_: &mut u32| Ok(())), Err(FAULT()));
        assert_eq!(used(&contexts, 6), 6);
    }

    #[test]
    fn lends_a_context_to_one_thread_at_a_time_and_frees_it_once() {
        let (alive, busy) = (Arc::new(()), AtomicU32::new(0));
        let contexts = Contexts::new();
        thread::scope(|scope| {
            for _ in 0..2 * SLOTS {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let make = || Ok((Arc::clone(&alive), false));
                        let call = |context: &mut (Arc<()>, bool)| {
                            assert!(!std::mem::replace(&mut context.1, true), "threads must not share a context");
                            busy.fetch_add(1, Ordering::Relaxed);
                            thread::yield_now();
                            context.1 = false;
                            Ok(())
                        };
                        contexts.with(make, call).unwrap();
                    }
                });
            }
        });
        assert_eq!(busy.into_inner(), 2 * 1000 * SLOTS as u32);
        assert!(Arc::strong_count(&alive) <= 1 + 1 + SLOTS);
        drop(contexts);
        assert_eq!(Arc::strong_count(&alive), 1);
    }

    #[test]
    fn slots_share_no_cache_line() {
        assert_eq!((align_of::<PaddedSlot<u8>>(), size_of::<PaddedSlot<u8>>()), (128, 128));
    }

    #[test]
    fn contexts_add_little_to_the_size_of_a_key() {
        assert!(size_of::<Contexts<Box<u8>>>() <= 4 * size_of::<usize>());
        assert!(align_of::<Contexts<Box<u8>>>() <= 16, "a larger alignment makes allocation slower");
    }
}
