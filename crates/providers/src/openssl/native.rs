//! What OpenSSL hands out by pointer, owned: freed once, shared between threads only where the library allows it.
//!
//! Keys and fetched algorithms are counted references that the calls used here only read (openssl-threads(7)), so they
//! are `Sync`. Contexts are changed by every call: they are `Send` and stay with one thread at a time.

use super::error::{check, library};
use super::param::{Param, array, array_mut};
use crate::shared::contexts::Contexts;
use pqlab_openssl_sys as sys;
use pqlab_primitives::{Error, Result};
use std::ffi::{CStr, CString, c_int};
use std::ptr;

/// Declares the owner of a pointer: its type, what it points to, and the call that gives it back.
macro_rules! owned {
    ($($(#[$doc:meta])* $name:ident: $raw:ident, $free:ident;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name(std::ptr::NonNull<pqlab_openssl_sys::$raw>);

        impl $name {
            /// Takes over what a call handed out; null becomes a fault of that call.
            ///
            /// # Safety
            /// `pointer` is null, or valid and the caller's to give back.
            pub(super) unsafe fn own(call: &'static str, pointer: *mut pqlab_openssl_sys::$raw) -> pqlab_primitives::Result<$name> {
                std::ptr::NonNull::new(pointer).map($name).ok_or_else(|| crate::openssl::error::library(call))
            }

            pub(super) fn as_ptr(&self) -> *mut pqlab_openssl_sys::$raw {
                self.0.as_ptr()
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the pointer is valid and ours to give back, by the contract of `own`.
                unsafe { pqlab_openssl_sys::$free(self.as_ptr()) }
            }
        }

        // SAFETY: nothing behind the pointer is bound to the thread that made it.
        unsafe impl Send for $name {}
    )*};
}
pub(super) use owned;

owned! {
    /// A key or a key pair.
    Pkey: EVP_PKEY, EVP_PKEY_free;
    /// An operation with a key.
    PkeyCtx: EVP_PKEY_CTX, EVP_PKEY_CTX_free;
    /// A signature algorithm.
    Signature: EVP_SIGNATURE, EVP_SIGNATURE_free;
}

// SAFETY: a key is never changed after it was made; its reference count and the caches inside are the library's to lock.
unsafe impl Sync for Pkey {}
// SAFETY: a fetched algorithm is never changed; its reference count is atomic.
unsafe impl Sync for Signature {}

impl Pkey {
    /// A public key from its raw encoding.
    pub(super) fn raw_public(algorithm: &CStr, bytes: &[u8]) -> Result<Pkey> {
        // SAFETY: null stands for the default library context and no properties; the slice is read during the call.
        unsafe {
            let key = sys::EVP_PKEY_new_raw_public_key_ex(
                ptr::null_mut(),
                algorithm.as_ptr(),
                ptr::null(),
                bytes.as_ptr(),
                bytes.len(),
            );
            Pkey::own("EVP_PKEY_new_raw_public_key_ex", key)
        }
    }

    /// A key pair from the raw encoding of the private key.
    pub(super) fn raw_private(algorithm: &CStr, bytes: &[u8]) -> Result<Pkey> {
        // SAFETY: as in `raw_public`.
        unsafe {
            let key = sys::EVP_PKEY_new_raw_private_key_ex(
                ptr::null_mut(),
                algorithm.as_ptr(),
                ptr::null(),
                bytes.as_ptr(),
                bytes.len(),
            );
            Pkey::own("EVP_PKEY_new_raw_private_key_ex", key)
        }
    }

    /// A key from its parts; `selection` says which of them count.
    pub(super) fn import(algorithm: &CStr, selection: c_int, parts: &mut [Param<'_>]) -> Result<Pkey> {
        let ctx = PkeyCtx::of_name(algorithm)?;
        let mut key = ptr::null_mut();
        // SAFETY: the context is ours alone, the array has its end, and a key that comes back is ours.
        unsafe {
            check("EVP_PKEY_fromdata_init", sys::EVP_PKEY_fromdata_init(ctx.as_ptr()))?;
            let returned = sys::EVP_PKEY_fromdata(ctx.as_ptr(), &raw mut key, selection, array_mut(parts));
            check("EVP_PKEY_fromdata", returned)?;
            Pkey::own("EVP_PKEY_fromdata", key)
        }
    }

    /// Writes the raw public key, which has exactly the length of `out`.
    pub(super) fn write_raw_public(&self, out: &mut [u8]) -> Result<()> {
        let mut length = out.len();
        // SAFETY: `length` says how much room there is in `out`.
        let returned = unsafe { sys::EVP_PKEY_get_raw_public_key(self.as_ptr(), out.as_mut_ptr(), &raw mut length) };
        check("EVP_PKEY_get_raw_public_key", returned)?;
        Error::check_length("public key", length, out.len())
    }

    /// Writes the raw private key, which has exactly the length of `out`.
    pub(super) fn write_raw_private(&self, out: &mut [u8]) -> Result<()> {
        let mut length = out.len();
        // SAFETY: `length` says how much room there is in `out`.
        let returned = unsafe { sys::EVP_PKEY_get_raw_private_key(self.as_ptr(), out.as_mut_ptr(), &raw mut length) };
        check("EVP_PKEY_get_raw_private_key", returned)?;
        Error::check_length("private key", length, out.len())
    }

    /// Writes a part of the key and returns its length in bytes; a key that lacks the part is a fault.
    pub(super) fn write_octets(&self, part: &'static CStr, out: &mut [u8]) -> Result<usize> {
        let mut length = 0;
        // SAFETY: the room in `out` is given.
        let returned = unsafe {
            sys::EVP_PKEY_get_octet_string_param(
                self.as_ptr(),
                part.as_ptr(),
                out.as_mut_ptr(),
                out.len(),
                &raw mut length,
            )
        };
        check("EVP_PKEY_get_octet_string_param", returned)?;
        Ok(length)
    }

    /// Writes an integer of the key over the whole of `out`, in the machine's byte order.
    pub(super) fn write_number(&self, part: &'static CStr, out: &mut [u8]) -> Result<()> {
        let mut params = [
            sys::OSSL_PARAM {
                key: part.as_ptr(),
                data_type: sys::OSSL_PARAM_UNSIGNED_INTEGER,
                data: out.as_mut_ptr().cast(),
                data_size: out.len(),
                return_size: sys::OSSL_PARAM_UNMODIFIED,
            },
            sys::OSSL_PARAM_END,
        ];
        // SAFETY: the array has its end, and its only element says how much room there is in `out`.
        let returned = unsafe { sys::EVP_PKEY_get_params(self.as_ptr(), params.as_mut_ptr()) };
        check("EVP_PKEY_get_params", returned)?;
        if params[0].return_size == sys::OSSL_PARAM_UNMODIFIED { Err(library("EVP_PKEY_get_params")) } else { Ok(()) }
    }

    /// The length of the key in bits, by the algorithm's own measure.
    pub(super) fn bits(&self) -> c_int {
        // SAFETY: reads the key.
        unsafe { sys::EVP_PKEY_get_bits(self.as_ptr()) }
    }
}

impl PkeyCtx {
    /// A context for making keys.
    pub(super) fn of_name(algorithm: &CStr) -> Result<PkeyCtx> {
        // SAFETY: null stands for the default library context and no properties; the context that comes back is ours.
        unsafe {
            let ctx = sys::EVP_PKEY_CTX_new_from_name(ptr::null_mut(), algorithm.as_ptr(), ptr::null());
            PkeyCtx::own("EVP_PKEY_CTX_new_from_name", ctx)
        }
    }

    /// A context for using a key, of which it holds a reference.
    pub(super) fn of_key(key: &Pkey) -> Result<PkeyCtx> {
        // SAFETY: as in `of_name`; the context counts its own reference to the key.
        unsafe {
            let ctx = sys::EVP_PKEY_CTX_new_from_pkey(ptr::null_mut(), key.as_ptr(), ptr::null());
            PkeyCtx::own("EVP_PKEY_CTX_new_from_pkey", ctx)
        }
    }

    /// Sets parameters of the operation that was begun.
    pub(super) fn set(&self, params: &[Param<'_>]) -> Result<()> {
        // SAFETY: the context is this thread's while we hold it (it is not `Sync`), and the array has its end.
        let returned = unsafe { sys::EVP_PKEY_CTX_set_params(self.as_ptr(), array(params)) };
        check("EVP_PKEY_CTX_set_params", returned)
    }

    fn generate(&self) -> Result<Pkey> {
        let mut key = ptr::null_mut();
        // SAFETY: the context is this thread's while we hold it; a key that comes back is ours.
        unsafe {
            check("EVP_PKEY_generate", sys::EVP_PKEY_generate(self.as_ptr(), &raw mut key))?;
            Pkey::own("EVP_PKEY_generate", key)
        }
    }
}

impl Signature {
    /// The implementation of an algorithm, looked up once.
    pub(super) fn fetch(algorithm: &CStr) -> Result<Signature> {
        // SAFETY: null stands for the default library context and no properties; the reference that comes back is ours.
        unsafe {
            let fetched = sys::EVP_SIGNATURE_fetch(ptr::null_mut(), algorithm.as_ptr(), ptr::null());
            Signature::own("EVP_SIGNATURE_fetch", fetched)
        }
    }
}

/// What a family of algorithms needs to know before it makes a key.
pub(super) enum Setting {
    /// Nothing: the name says it all.
    None,
    /// The elliptic curve.
    Group(&'static CStr),
    /// The length of the modulus in bits.
    Bits(usize),
}

/// Makes keys. A context that was made ready for it is used again: OpenSSL keeps nothing of one key for the next.
pub(super) struct Generator {
    algorithm: CString,
    setting: Setting,
    idle: Contexts<PkeyCtx>,
    /// Those that were handed a seed: some families keep it for the next key, so each key from a seed brings its own.
    seeded: Contexts<PkeyCtx>,
}

impl Generator {
    pub(super) fn new(algorithm: &CStr, setting: Setting) -> Generator {
        Generator { algorithm: algorithm.to_owned(), setting, idle: Contexts::new(), seeded: Contexts::new() }
    }

    /// A key from the library's own randomness.
    pub(super) fn generate(&self) -> Result<Pkey> {
        self.idle.with(|| self.context(), |ctx| ctx.generate())
    }

    /// The key that follows from a seed, in a context that is used again as [`generate`](Self::generate) does.
    pub(super) fn generate_from(&self, seed: &[u8]) -> Result<Pkey> {
        let context = || self.context();
        self.seeded.with(context, |ctx| {
            ctx.set(&[Param::octets(sys::OSSL_PKEY_PARAM_SEED, seed), Param::END])?;
            ctx.generate()
        })
    }

    fn context(&self) -> Result<PkeyCtx> {
        let ctx = PkeyCtx::of_name(&self.algorithm)?;
        // SAFETY: the context is ours alone.
        check("EVP_PKEY_keygen_init", unsafe { sys::EVP_PKEY_keygen_init(ctx.as_ptr()) })?;
        match &self.setting {
            Setting::None => {}
            Setting::Group(group) => ctx.set(&[Param::text(sys::OSSL_PKEY_PARAM_GROUP_NAME, group), Param::END])?,
            Setting::Bits(bits) => ctx.set(&[Param::size(sys::OSSL_PKEY_PARAM_RSA_BITS, bits), Param::END])?,
        }
        Ok(ctx)
    }
}
