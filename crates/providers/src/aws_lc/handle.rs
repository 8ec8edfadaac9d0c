//! Ownership of the library's objects.

use aws_lc_sys as aws;
use std::ptr::NonNull;

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
    aws::EVP_HPKE_CTX: aws::EVP_HPKE_CTX_free,
    aws::EVP_HPKE_KEY: aws::EVP_HPKE_KEY_free,
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
// SAFETY: a key of HPKE is a key as above; this provider changes it only while it makes it.
unsafe impl Shared for aws::EVP_HPKE_KEY {}
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
}

impl<T: Handle> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the object is owned and nobody else has the pointer.
        unsafe { T::free(self.0.as_ptr()) };
    }
}
