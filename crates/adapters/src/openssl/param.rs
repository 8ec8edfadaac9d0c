//! OpenSSL's named parameters, which borrow their values. See OSSL_PARAM(3).

use pqlab_openssl_headers as sys;
use std::ffi::{CStr, c_int, c_uint};
use std::marker::PhantomData;

/// A named parameter that is passed to the library.
#[repr(transparent)]
pub struct Param<'a> {
    raw: sys::OSSL_PARAM,
    value: PhantomData<&'a [u8]>,
}

impl<'a> Param<'a> {
    /// Marks the end of a parameter array.
    pub const END: Param<'static> = Param { raw: sys::OSSL_PARAM_END, value: PhantomData };

    /// Creates a parameter whose value is a byte string.
    #[inline]
    pub fn octets(key: &'static CStr, value: &'a [u8]) -> Param<'a> {
        Param::new(key, sys::OSSL_PARAM_OCTET_STRING, value.as_ptr(), value.len())
    }

    /// Creates a parameter whose value is a UTF-8 string.
    #[inline]
    pub fn text(key: &'static CStr, value: &'a CStr) -> Param<'a> {
        Param::new(key, sys::OSSL_PARAM_UTF8_STRING, value.as_ptr().cast(), value.count_bytes())
    }

    /// Creates a parameter whose value is a signed integer.
    #[inline]
    pub fn int(key: &'static CStr, value: &'a c_int) -> Param<'a> {
        Param::new(key, sys::OSSL_PARAM_INTEGER, (&raw const *value).cast(), size_of::<c_int>())
    }

    /// Creates a parameter whose value is an unsigned integer.
    #[inline]
    pub fn uint(key: &'static CStr, value: &'a c_uint) -> Param<'a> {
        Param::new(key, sys::OSSL_PARAM_UNSIGNED_INTEGER, (&raw const *value).cast(), size_of::<c_uint>())
    }

    /// Creates a parameter whose value is a `size_t`.
    #[inline]
    pub fn size(key: &'static CStr, value: &'a usize) -> Param<'a> {
        Param::new(key, sys::OSSL_PARAM_UNSIGNED_INTEGER, (&raw const *value).cast(), size_of::<usize>())
    }

    /// Creates a parameter whose value is an unsigned integer of any length, in native byte order.
    #[inline]
    pub fn number(key: &'static CStr, value: &'a [u8]) -> Param<'a> {
        Param::new(key, sys::OSSL_PARAM_UNSIGNED_INTEGER, value.as_ptr(), value.len())
    }

    #[inline]
    fn new(key: &'static CStr, data_type: c_uint, data: *const u8, data_size: usize) -> Param<'a> {
        let raw = sys::OSSL_PARAM {
            key: key.as_ptr(),
            data_type,
            // The pointer is declared mutable because parameters can also be outputs. The library only reads inputs.
            data: data.cast_mut().cast(),
            data_size,
            return_size: sys::OSSL_PARAM_UNMODIFIED,
        };
        Param { raw, value: PhantomData }
    }
}

/// Returns a pointer to the array, as the library expects it.
///
/// # Panics
/// If the array does not end with [`Param::END`].
#[inline]
pub fn array(params: &[Param<'_>]) -> *const sys::OSSL_PARAM {
    assert!(has_end(params), "a parameter array must end with END");
    params.as_ptr().cast()
}

/// Returns a pointer like [`array`], for functions that are declared to change the array.
///
/// # Panics
/// If the array does not end with [`Param::END`].
#[inline]
pub(super) fn array_mut(params: &mut [Param<'_>]) -> *mut sys::OSSL_PARAM {
    assert!(has_end(params), "a parameter array must end with END");
    params.as_mut_ptr().cast()
}

#[inline]
fn has_end(params: &[Param<'_>]) -> bool {
    params.last().is_some_and(|last| last.raw.key.is_null())
}
