//! liboqs's descriptions of algorithms: the first fields, which all versions share.

use super::{Api, Version};
use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// First fields of `OQS_KEM`.
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

/// First fields of `OQS_SIG`.
#[repr(C)]
pub(super) struct OqsSig {
    _method_name: *const c_char,
    _alg_version: *const c_char,
    pub(super) claimed_nist_level: u8,
    /// Flags in this order: EUF-CMA, SUF-CMA (since 0.13), and whether the scheme takes a context string (since 0.12).
    flags: Flags,
    pub(super) length_public_key: usize,
    pub(super) length_secret_key: usize,
    pub(super) length_signature: usize,
}

/// One or more flags, then padding up to the lengths.
type Flags = [MaybeUninit<u8>; size_of::<usize>() - 1];

/// liboqs's description of an algorithm, created once and never freed.
pub(super) struct Native<T>(NonNull<T>);

// SAFETY: the library finished writing the object before returning it, and the library's functions only read it.
unsafe impl<T> Send for Native<T> {}
// SAFETY: see `Send` above.
unsafe impl<T> Sync for Native<T> {}

impl<T> Native<T> {
    /// Wraps the description that the library allocated. Returns an error if `new` is null.
    ///
    /// # Safety
    /// `new` must be null or point to a description that is never freed.
    pub(super) unsafe fn adopt(new: *mut T) -> Result<Native<T>, String> {
        NonNull::new(new).map(Native).ok_or_else(|| "the library returned no object for this algorithm".to_owned())
    }

    pub(super) fn as_ptr(&self) -> *const T {
        self.0.as_ptr()
    }

    pub(super) fn front(&self) -> &T {
        // SAFETY: the object is valid until the process ends and is never written to.
        unsafe { self.0.as_ref() }
    }
}

impl Native<OqsSig> {
    /// Returns whether the scheme takes a context string.
    pub(super) fn takes_context(&self, api: &Api, version: Version, name: &CStr) -> bool {
        if let Some(supports) = api.OQS_SIG_supports_ctx_str {
            // SAFETY: the function accepts every name.
            return unsafe { supports(name.as_ptr()) };
        }
        let place = match version {
            (0, 12) => 1,
            (0, 13) => 2,
            _ => return false,
        };
        // SAFETY: `OQS_SIG` has the flag in these versions, and the library has written the flag.
        unsafe { self.front().flags[place].assume_init() == 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// Checks the layout in the headers of liboqs 0.10 to 0.16: `uint8_t`, one to three `bool`, then `size_t`.
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
