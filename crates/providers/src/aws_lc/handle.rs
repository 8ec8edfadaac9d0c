//! Ownership of the library's objects, and the pool that keeps contexts ready.

use aws_lc_sys as aws;
use std::ptr::{NonNull, null_mut};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// An object that the library allocates and frees.
///
/// # Safety
/// `free` releases an object of this type, and the object may be used and freed on another thread than the one that
/// made it.
pub(super) unsafe trait Handle {
    /// Releases the object.
    ///
    /// # Safety
    /// `raw` came from the library and is not used afterwards.
    unsafe fn free(raw: *mut Self);
}

/// A [`Handle`] that several threads may use at once as long as none changes it.
///
/// # Safety
/// Every function that this provider calls on a shared reference is one that the library's headers call non-mutating.
pub(super) unsafe trait Shared: Handle {}

macro_rules! handle {
    ($($type:ty: $free:path),+ $(,)?) => {
        $(
            // SAFETY: the named function is the library's own for this type, and the library ties none of these objects
            // to a thread.
            unsafe impl Handle for $type {
                unsafe fn free(raw: *mut Self) {
                    // SAFETY: passed on to the caller.
                    unsafe { $free(raw) };
                }
            }
        )+
    };
}

handle! {
    aws::BIGNUM: aws::BN_clear_free,
    aws::EC_KEY: aws::EC_KEY_free,
    aws::EC_POINT: aws::EC_POINT_free,
    aws::ECDSA_SIG: aws::ECDSA_SIG_free,
    aws::EVP_AEAD_CTX: aws::EVP_AEAD_CTX_free,
    aws::EVP_MD_CTX: aws::EVP_MD_CTX_free,
    aws::EVP_PKEY: aws::EVP_PKEY_free,
    aws::EVP_PKEY_CTX: aws::EVP_PKEY_CTX_free,
    aws::HMAC_CTX: aws::HMAC_CTX_free,
    aws::RSA: aws::RSA_free,
}

// SAFETY: `evp.h`, `ec_key.h` and `rsa.h`: a key "may be used concurrently on multiple threads by non-mutating
// functions"; this provider changes a key only while it makes it.
unsafe impl Shared for aws::EVP_PKEY {}
// SAFETY: as above.
unsafe impl Shared for aws::EC_KEY {}
// SAFETY: as above.
unsafe impl Shared for aws::RSA {}
// SAFETY: `aead.h` lists AES-256-GCM, the only cipher that this provider offers, among those whose seal and open may be
// called concurrently on one context.
unsafe impl Shared for aws::EVP_AEAD_CTX {}
// SAFETY: a number is only read once it stands.
unsafe impl Shared for aws::BIGNUM {}
// SAFETY: a shared HMAC context is a template: `HMAC_CTX_copy_ex` takes it as `const`.
unsafe impl Shared for aws::HMAC_CTX {}

/// An object of the library, freed when dropped.
pub(super) struct Owned<T: Handle>(NonNull<T>);

// SAFETY: `Handle` demands it.
unsafe impl<T: Handle> Send for Owned<T> {}
// SAFETY: `Shared` demands it.
unsafe impl<T: Shared> Sync for Owned<T> {}

impl<T: Handle> Owned<T> {
    /// Takes ownership of what the library returned, `None` for null.
    ///
    /// # Safety
    /// `raw` is null or an object that the caller owns.
    pub(super) unsafe fn from_raw(raw: *mut T) -> Option<Owned<T>> {
        NonNull::new(raw).map(Owned)
    }

    /// The pointer, still owned by `self`.
    pub(super) fn as_ptr(&self) -> *mut T {
        self.0.as_ptr()
    }

    fn into_raw(self) -> *mut T {
        let raw = self.0.as_ptr();
        std::mem::forget(self);
        raw
    }
}

impl<T: Handle> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the object is owned and nobody else has the pointer.
        unsafe { T::free(self.0.as_ptr()) };
    }
}

/// Contexts of one key, ready for use. The library allows a context to one thread at a time, while a key object of
/// ours serves several: a thread takes a context out and puts it back. Each thread has a lane of its own, on its own
/// cache line, so that a call costs two uncontended exchanges and, once warm, no allocation.
pub(super) struct Pool<T: Handle> {
    lanes: Box<[Lane<T>]>,
}

#[repr(align(64))]
struct Lane<T>(AtomicPtr<T>);

impl<T: Handle> Pool<T> {
    /// A pool without a context yet.
    pub(super) fn empty() -> Pool<T> {
        Pool { lanes: (0..*LANES).map(|_| Lane(AtomicPtr::new(null_mut()))).collect() }
    }

    /// A pool that holds a first context.
    pub(super) fn new(first: Owned<T>) -> Pool<T> {
        let pool = Pool::empty();
        pool.give(first);
        pool
    }

    /// Runs `call` with a context of the pool, or with one from `make` if all are in use.
    pub(super) fn with<R, E>(
        &self,
        make: impl FnOnce() -> Result<Owned<T>, E>,
        call: impl FnOnce(*mut T) -> Result<R, E>,
    ) -> Result<R, E> {
        let context = match self.take() {
            Some(context) => context,
            None => make()?,
        };
        let result = call(context.as_ptr());
        self.give(context);
        result
    }

    fn take(&self) -> Option<Owned<T>> {
        // A lane of another thread holds a context where, for instance, that thread prepared the key.
        self.lanes_from_own().find_map(|lane| {
            let raw = lane.0.swap(null_mut(), Ordering::Acquire);
            // SAFETY: null, or put there by `give`; the exchange made this thread the only one with the pointer.
            unsafe { Owned::from_raw(raw) }
        })
    }

    fn give(&self, context: Owned<T>) {
        let raw = context.into_raw();
        let kept = self
            .lanes_from_own()
            .any(|lane| lane.0.compare_exchange(null_mut(), raw, Ordering::Release, Ordering::Relaxed).is_ok());
        if !kept {
            // SAFETY: the pointer is still this thread's alone.
            drop(unsafe { Owned::from_raw(raw) });
        }
    }

    fn lanes_from_own(&self) -> impl Iterator<Item = &Lane<T>> {
        let (before, from) = self.lanes.split_at(own_lane(self.lanes.len()));
        from.iter().chain(before)
    }
}

impl<T: Handle> Drop for Pool<T> {
    fn drop(&mut self) {
        for lane in &mut self.lanes {
            // SAFETY: nobody else refers to the pool any more.
            drop(unsafe { Owned::from_raw(*lane.0.get_mut()) });
        }
    }
}

/// One lane for each thread that may run at the same time, within reason, since every key has a pool. At least eight,
/// because a process that is bound to one CPU now may later let its threads run on several.
static LANES: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from).next_power_of_two().clamp(8, 64));

fn own_lane(lanes: usize) -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static THREAD: usize = THREADS.fetch_add(1, Ordering::Relaxed);
    }
    // `lanes` is a power of two.
    THREAD.with(|thread| thread & (lanes - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number() -> Owned<aws::BIGNUM> {
        // SAFETY: makes a new number; null or ours.
        unsafe { Owned::from_raw(aws::BN_new()) }.unwrap()
    }

    #[test]
    fn a_thread_gets_the_same_context_again() {
        let pool = Pool::new(number());
        let again = |pool: &Pool<aws::BIGNUM>| {
            pool.with(|| Err("the pool was empty"), |context| Ok::<_, &str>(context as usize)).unwrap()
        };
        let first = again(&pool);
        assert_eq!(first, again(&pool));
        // Another thread finds it too.
        assert_eq!(std::thread::scope(|scope| scope.spawn(|| again(&pool)).join().unwrap()), first);
    }

    #[test]
    fn contexts_in_use_are_not_given_out_twice() {
        let pool = Pool::new(number());
        let make = || Ok::<_, ()>(number());
        let nested = pool.with(make, |outer| pool.with(make, |inner| Ok(outer != inner)));
        assert_eq!(nested, Ok(true));
        // Both are in the pool now, and a pool keeps no more than it has lanes for.
        let contexts: Vec<_> = (0..2).map(|_| pool.take().unwrap()).collect();
        assert!(pool.take().is_none());
        for context in contexts.into_iter().chain((0..*LANES).map(|_| number())) {
            pool.give(context);
        }
        assert_eq!(std::iter::from_fn(|| pool.take()).count(), *LANES);
    }

    #[test]
    fn a_failed_call_returns_its_context() {
        let pool = Pool::new(number());
        let failed = pool.with(|| Err("the pool was empty"), |_| Err::<(), _>("the call failed"));
        assert_eq!(failed, Err("the call failed"));
        assert!(pool.take().is_some());
    }
}
