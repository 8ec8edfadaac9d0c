//! Owned handles for objects that the library allocates.

use aws_lc_sys as aws;
use std::ptr::NonNull;

/// An object that the library allocates and frees.
///
/// # Safety
/// `free` must release an object of this type. Using and freeing the object must be sound on any thread, not only on
/// the thread that created the object.
pub(super) unsafe trait Handle {
    /// Releases the object.
    ///
    /// # Safety
    /// `raw` must be an object that the library allocated, and it must not be used after this call.
    unsafe fn free(raw: *mut Self);
}

/// A [`Handle`] that several threads may use concurrently if no thread mutates it.
///
/// # Safety
/// With a shared reference, this provider must call only functions that the library's headers describe as non-mutating.
pub(super) unsafe trait Shared: Handle {}

macro_rules! handle {
    ($($type:ty: $free:path),+ $(,)?) => {
        $(
            // SAFETY: `free` is the library's destructor for this type, and the library does not bind objects of this
            // type to a thread.
            unsafe impl Handle for $type {
                unsafe fn free(raw: *mut Self) {
                    // SAFETY: the caller upholds the contract of `free`.
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
    aws::EVP_HPKE_CTX: aws::EVP_HPKE_CTX_free,
    aws::EVP_HPKE_KEY: aws::EVP_HPKE_KEY_free,
    aws::EVP_MD_CTX: aws::EVP_MD_CTX_free,
    aws::EVP_PKEY: aws::EVP_PKEY_free,
    aws::EVP_PKEY_CTX: aws::EVP_PKEY_CTX_free,
    aws::HMAC_CTX: aws::HMAC_CTX_free,
    aws::RSA: aws::RSA_free,
}

// SAFETY: `evp.h`, `ec_key.h` and `rsa.h` say that a key "may be used concurrently on multiple threads by non-mutating
// functions". This provider mutates a key only while creating it.
unsafe impl Shared for aws::EVP_PKEY {}
// SAFETY: see `EVP_PKEY` above.
unsafe impl Shared for aws::EC_KEY {}
// SAFETY: see `EVP_PKEY` above.
unsafe impl Shared for aws::RSA {}
// SAFETY: this provider uses only AES-256-GCM, and `aead.h` allows concurrent seal and open calls on one AES-256-GCM
// context.
unsafe impl Shared for aws::EVP_AEAD_CTX {}
// SAFETY: this provider mutates a number only while creating it.
unsafe impl Shared for aws::BIGNUM {}
// SAFETY: this provider mutates an HPKE key only while creating it.
unsafe impl Shared for aws::EVP_HPKE_KEY {}
// SAFETY: threads share an HMAC context only to copy it, and `HMAC_CTX_copy_ex` takes its source as
// `const`.
unsafe impl Shared for aws::HMAC_CTX {}

/// An object that the library allocated. It is freed on drop.
pub(super) struct Owned<T: Handle>(NonNull<T>);

// SAFETY: every implementation of `Handle` guarantees that the object may move to another thread.
unsafe impl<T: Handle> Send for Owned<T> {}
// SAFETY: every implementation of `Shared` guarantees that several threads may use the object.
unsafe impl<T: Shared> Sync for Owned<T> {}

impl<T: Handle> Owned<T> {
    /// Takes ownership of an object that the library returned. Returns `None` for null.
    ///
    /// # Safety
    /// `raw` must be null or an object that the caller owns.
    pub(super) unsafe fn from_raw(raw: *mut T) -> Option<Owned<T>> {
        NonNull::new(raw).map(Owned)
    }

    /// Returns the pointer. `self` keeps ownership.
    pub(super) fn as_ptr(&self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T: Handle> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: `self` owns the object, and nothing uses it after this call.
        unsafe { T::free(self.0.as_ptr()) };
    }
}
