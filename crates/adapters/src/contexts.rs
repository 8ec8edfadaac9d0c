//! Contexts of a library that are kept beside a key: one thread uses one of them at a time, while the key serves several.

use pqlab_primitives::{Error, Result};
use std::cell::{Cell, UnsafeCell};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many threads find a context of their own beside one key; beyond it, those that come in between make their own for
/// the call. The number is no machine's, so that a key costs the same on all.
const SLOTS: usize = 16;

/// Contexts, each made when it is first needed and used again after that.
///
/// The first stands in the key object itself: a key that one thread uses, as nearly all do, costs neither an allocation
/// nor a second cache line, and a call one exchange and one store. Only when a second thread comes while the first is at
/// work does each thread get a slot of its own, which shares no cache line.
pub struct Contexts<T: Send> {
    first: Slot<T>,
    slots: OnceLock<Box<[PaddedSlot<T>; SLOTS]>>,
}

/// 128 bytes: processors fetch cache lines in pairs.
#[repr(align(128))]
struct PaddedSlot<T>(Slot<T>);

/// Room for a context, which belongs to whoever set `taken`.
struct Slot<T> {
    taken: AtomicBool,
    context: UnsafeCell<Option<T>>,
}

// SAFETY: a context is reached only through `Slot::enter`, by one thread at a time, and moves from thread to thread, which
// `Send` allows.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T: Send> Contexts<T> {
    /// None yet.
    #[inline]
    pub const fn new() -> Contexts<T> {
        Contexts { first: Slot::new(), slots: OnceLock::new() }
    }

    /// Runs `call` with a context, which `make` makes where there is none at rest. After a fault of the library its state is
    /// in doubt, and it is not kept.
    ///
    /// # Errors
    /// Those of `make` and `call`.
    #[inline]
    pub fn with<R>(&self, make: impl FnOnce() -> Result<T>, call: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
        match self.free() {
            Some(slot) => slot.enter(make, call),
            None => call(&mut make()?),
        }
    }

    /// A slot that is the caller's now.
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
        let own = own_slot();
        let in_turn = (0..SLOTS).map(|index| &slots[(own + index) % SLOTS].0);
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

    /// Uses the context and gives the slot back. The caller has [taken](Slot::take) it. Where `call` panics it stays taken,
    /// and nobody sees its context again.
    #[inline]
    fn enter<R>(&self, make: impl FnOnce() -> Result<T>, call: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
        // SAFETY: the slot is taken, so that no other reference to its context exists.
        let context = unsafe { &mut *self.context.get() };
        let result = match context {
            Some(context) => call(context),
            None => make().and_then(|made| call(context.insert(made))),
        };
        if matches!(result, Err(Error::Library { .. })) {
            *context = None;
        }
        self.taken.store(false, Ordering::Release);
        result
    }
}

/// The slot at which a thread looks first: threads that share a key settle on slots of their own.
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

    /// What `call` finds; `made` is what is made where there is no context.
    fn used(contexts: &Contexts<u32>, made: u32) -> u32 {
        contexts.with(|| Ok(made), |context| Ok(*context)).unwrap()
    }

    #[test]
    fn one_thread_makes_one_context_and_no_slots() {
        let contexts = Contexts::new();
        assert!([used(&contexts, 1), used(&contexts, 2), used(&contexts, 3)] == [1, 1, 1]);
        // Another thread that comes when the first is gone finds it too.
        assert_eq!(thread::scope(|scope| scope.spawn(|| used(&contexts, 4)).join().unwrap()), 1);
        assert!(contexts.slots.get().is_none());
    }

    #[test]
    fn a_context_in_use_is_not_given_out() {
        let contexts = Contexts::new();
        let nested = contexts.with(|| Ok(1), |outer| Ok([*outer, used(&contexts, 2), used(&contexts, 3)]));
        assert_eq!(nested, Ok([1, 2, 2]));
        // From now on the thread has its slot.
        assert_eq!(used(&contexts, 4), 2);
    }

    #[test]
    fn after_a_fault_of_the_library_the_context_is_not_kept() {
        let contexts = Contexts::new();
        assert_eq!(used(&contexts, 1), 1);
        assert_eq!(contexts.with(|| Ok(2), |_| Err::<(), _>(FAULT())), Err(FAULT()));
        assert_eq!(used(&contexts, 3), 3);
        // A refusal of the input is no fault.
        let refused = contexts.with(|| Ok(4), |_| Err::<(), _>(Error::VerificationFailed));
        assert_eq!((refused, used(&contexts, 5)), (Err(Error::VerificationFailed), 3));
        // Where none can be made, the next call tries again.
        let contexts = Contexts::new();
        assert_eq!(contexts.with(|| Err(FAULT()), |_: &mut u32| Ok(())), Err(FAULT()));
        assert_eq!(used(&contexts, 6), 6);
    }

    #[test]
    fn every_context_is_one_threads_at_a_time_and_freed_once() {
        let (alive, busy) = (Arc::new(()), AtomicU32::new(0));
        let contexts = Contexts::new();
        thread::scope(|scope| {
            for _ in 0..2 * SLOTS {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let make = || Ok((Arc::clone(&alive), false));
                        let call = |context: &mut (Arc<()>, bool)| {
                            assert!(!std::mem::replace(&mut context.1, true), "two threads hold the same context");
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
    fn a_context_costs_a_key_no_more_than_its_own_room() {
        assert!(size_of::<Contexts<Box<u8>>>() <= 4 * size_of::<usize>());
        assert!(align_of::<Contexts<Box<u8>>>() <= 16, "an allocation with a greater alignment takes longer");
    }
}
