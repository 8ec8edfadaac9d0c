//! The library's descriptions of algorithms: the front, which all versions share.

use super::{Api, Version};
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// The front of `OQS_KEM`.
#[repr(C)]
pub(super) struct OqsKem {
    _method_name: *const c_char,
    _alg_version: *const c_char,
    pub(super) claimed_nist_level: u8,
    _ind_cca: Flags,
    pub(super) length_public_key: usize,
    pub(super) length_secret_key: usize,
    pub(super) length_ciphertext: usize,
    pub(super) length_shared_secret: usize,
}

/// The front of `OQS_SIG`.
#[repr(C)]
pub(super) struct OqsSig {
    _method_name: *const c_char,
    _alg_version: *const c_char,
    pub(super) claimed_nist_level: u8,
    /// In order: EUF-CMA; since 0.13, SUF-CMA; since 0.12, whether it takes a context string.
    flags: Flags,
    pub(super) length_public_key: usize,
    pub(super) length_secret_key: usize,
    pub(super) length_signature: usize,
}

/// One or more flags, then padding up to the lengths.
type Flags = [MaybeUninit<u8>; size_of::<usize>() - 1];

/// The library's description of an algorithm, made once and kept.
pub(super) struct Native<T>(NonNull<T>);

// SAFETY: the library wrote the object before we got it, and its functions only read it.
unsafe impl<T> Send for Native<T> {}
// SAFETY: as for `Send`.
unsafe impl<T> Sync for Native<T> {}

impl<T> Native<T> {
    /// # Safety
    /// `new` must be null or a description that is never freed.
    pub(super) unsafe fn of(new: *mut T) -> Result<Native<T>, String> {
        NonNull::new(new).map(Native).ok_or_else(|| "the library returns no object for it".to_owned())
    }

    pub(super) fn as_ptr(&self) -> *const T {
        self.0.as_ptr()
    }

    pub(super) fn front(&self) -> &T {
        // SAFETY: valid for the life of the process, and never written to.
        unsafe { self.0.as_ref() }
    }
}

impl Native<OqsSig> {
    /// Returns whether the scheme takes a context string.
    pub(super) fn takes_context(&self, api: &Api, version: Version, name: &CStr) -> bool {
        if let Some(supports) = api.OQS_SIG_supports_ctx_str {
            // SAFETY: accepts every name.
            return unsafe { supports(name.as_ptr()) };
        }
        let place = match version {
            (0, 12) => 1,
            (0, 13) => 2,
            _ => return false,
        };
        // SAFETY: these versions have the flag, and the library has written it.
        unsafe { self.front().flags[place].assume_init() == 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// Layout in the headers of 0.10 to 0.16: `uint8_t`, one to three `bool`, then `size_t`.
    #[test]
    fn lengths_have_the_same_offset_in_every_version() {
        let word = size_of::<usize>();
        assert_eq!(offset_of!(OqsKem, length_public_key), 3 * word);
        assert_eq!(offset_of!(OqsKem, length_shared_secret), 6 * word);
        assert_eq!(offset_of!(OqsSig, flags), 2 * word + 1);
        assert_eq!(offset_of!(OqsSig, length_public_key), 3 * word);
        assert_eq!(offset_of!(OqsSig, length_signature), 5 * word);
    }
}
