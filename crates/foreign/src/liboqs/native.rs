//! The library's descriptions of algorithms: the front that all versions share.

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
    /// EUF-CMA; from 0.13 on SUF-CMA; from 0.12 on whether it takes a context string.
    flags: Flags,
    pub(super) length_public_key: usize,
    pub(super) length_secret_key: usize,
    pub(super) length_signature: usize,
}

/// One flag or several, then padding up to the lengths.
type Flags = [MaybeUninit<u8>; size_of::<usize>() - 1];

/// The library's description of an algorithm, made once and kept.
pub(super) struct Native<T>(NonNull<T>);

// SAFETY: the object is written once, before we get it; functions only read it.
unsafe impl<T> Send for Native<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Native<T> {}

impl<T> Native<T> {
    /// # Safety
    /// `new` is null, or a description that nobody frees.
    pub(super) unsafe fn of(new: *mut T) -> Result<Native<T>, String> {
        NonNull::new(new).map(Native).ok_or_else(|| "the library returns no object for it".to_owned())
    }

    pub(super) fn as_ptr(&self) -> *const T {
        self.0.as_ptr()
    }

    pub(super) fn front(&self) -> &T {
        // SAFETY: valid as long as the process lives, and nobody writes to it.
        unsafe { self.0.as_ref() }
    }
}

impl Native<OqsSig> {
    /// Whether the scheme takes a context string.
    pub(super) fn takes_context(&self, api: &Api, version: Version, name: &CStr) -> bool {
        if let Some(supports) = api.OQS_SIG_supports_ctx_str {
            // SAFETY: takes every name.
            return unsafe { supports(name.as_ptr()) };
        }
        let place = match version {
            (0, 12) => 1,
            (0, 13) => 2,
            _ => return false,
        };
        // SAFETY: in these versions the flag is there, which the library has written.
        unsafe { self.front().flags[place].assume_init() == 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// As in the headers of 0.10 to 0.16: `uint8_t`, one to three `bool`, then `size_t`.
    #[test]
    fn lengths_stand_where_every_version_has_them() {
        let word = size_of::<usize>();
        assert_eq!(offset_of!(OqsKem, length_public_key), 3 * word);
        assert_eq!(offset_of!(OqsKem, length_shared_secret), 6 * word);
        assert_eq!(offset_of!(OqsSig, flags), 2 * word + 1);
        assert_eq!(offset_of!(OqsSig, length_public_key), 3 * word);
        assert_eq!(offset_of!(OqsSig, length_signature), 5 * word);
    }
}
