//! What OpenSSL hands out by pointer, owned: freed once, shared between threads only where the library allows it.
//!
//! Keys and fetched algorithms are counted references that the calls used here only read (openssl-threads(7)), so they
//! are `Sync`. Contexts are changed by every call: they are `Send` and stay with one thread at a time.

use super::Calls;
use super::param::{Param, array, array_mut};
use crate::Contexts;
use pqlab_openssl_headers::{
    OSSL_PARAM, OSSL_PARAM_END, OSSL_PARAM_UNMODIFIED, OSSL_PARAM_UNSIGNED_INTEGER, OSSL_PKEY_PARAM_GROUP_NAME,
    OSSL_PKEY_PARAM_RSA_BITS, OSSL_PKEY_PARAM_SEED,
};
use pqlab_primitives::{Error, Result};
use std::ffi::{CStr, CString, c_int};
use std::ptr;

/// Declares the owner of a pointer: its type, what it points to, and the call that gives it back.
macro_rules! owned {
    ($($(#[$doc:meta])* $vis:vis $name:ident: $raw:ident, $free:ident;)*) => {$(
        $(#[$doc])*
        $vis struct $name<C: $crate::openssl::Calls> {
            pointer: std::ptr::NonNull<pqlab_openssl_headers::$raw>,
            pub(super) calls: C,
        }

        impl<C: $crate::openssl::Calls> $name<C> {
            /// Takes over what a call handed out; null becomes a fault of that call.
            ///
            /// # Errors
            /// [`pqlab_primitives::Error::Library`].
            ///
            /// # Safety
            /// `pointer` is null, or valid and the caller's to give back; it came from this library.
            $vis unsafe fn own(
                calls: C,
                call: &'static str,
                pointer: *mut pqlab_openssl_headers::$raw,
            ) -> pqlab_primitives::Result<$name<C>> {
                match std::ptr::NonNull::new(pointer) {
                    Some(pointer) => Ok($name { pointer, calls }),
                    None => Err(calls.fault(call)),
                }
            }

            /// The pointer, which stays owned.
            $vis fn as_ptr(&self) -> *mut pqlab_openssl_headers::$raw {
                self.pointer.as_ptr()
            }
        }

        impl<C: $crate::openssl::Calls> Drop for $name<C> {
            fn drop(&mut self) {
                // SAFETY: the pointer is valid and ours to give back, by the contract of `own`.
                unsafe { self.calls.$free(self.as_ptr()) }
            }
        }

        // SAFETY: nothing behind the pointer is bound to the thread that made it.
        unsafe impl<C: $crate::openssl::Calls> Send for $name<C> {}
    )*};
}
pub(super) use owned;

owned! {
    /// A key or a key pair.
    pub Pkey: EVP_PKEY, EVP_PKEY_free;
    /// An operation with a key.
    pub PkeyCtx: EVP_PKEY_CTX, EVP_PKEY_CTX_free;
    /// A signature algorithm.
    pub(super) Signature: EVP_SIGNATURE, EVP_SIGNATURE_free;
    /// What makes and keeps the keys of an algorithm.
    KeyManagement: EVP_KEYMGMT, EVP_KEYMGMT_free;
}

// SAFETY: a key is never changed after it was made; its reference count and the caches inside are the library's to lock.
unsafe impl<C: Calls> Sync for Pkey<C> {}
// SAFETY: a fetched algorithm is never changed; its reference count is atomic.
unsafe impl<C: Calls> Sync for Signature<C> {}

impl<C: Calls> Pkey<C> {
    /// A public key from its raw encoding.
    pub(super) fn raw_public(calls: C, algorithm: &CStr, bytes: &[u8]) -> Result<Pkey<C>> {
        // SAFETY: null says that there are no properties; the slice is read during the call.
        unsafe {
            let key = calls.EVP_PKEY_new_raw_public_key_ex(
                calls.context(),
                algorithm.as_ptr(),
                ptr::null(),
                bytes.as_ptr(),
                bytes.len(),
            );
            Pkey::own(calls, "EVP_PKEY_new_raw_public_key_ex", key)
        }
    }

    /// A key pair from the raw encoding of the private key.
    ///
    /// # Errors
    /// [`Error::Library`].
    pub fn raw_private(calls: C, algorithm: &CStr, bytes: &[u8]) -> Result<Pkey<C>> {
        // SAFETY: as in `raw_public`.
        unsafe {
            let key = calls.EVP_PKEY_new_raw_private_key_ex(
                calls.context(),
                algorithm.as_ptr(),
                ptr::null(),
                bytes.as_ptr(),
                bytes.len(),
            );
            Pkey::own(calls, "EVP_PKEY_new_raw_private_key_ex", key)
        }
    }

    /// A key from its parts; `selection` says which of them count.
    pub(super) fn import(calls: C, algorithm: &CStr, selection: c_int, parts: &mut [Param<'_>]) -> Result<Pkey<C>> {
        let ctx = PkeyCtx::of_name(calls, algorithm)?;
        let mut key = ptr::null_mut();
        // SAFETY: the context is ours alone, the array has its end, and a key that comes back is ours.
        unsafe {
            calls.check("EVP_PKEY_fromdata_init", calls.EVP_PKEY_fromdata_init(ctx.as_ptr()))?;
            let returned = calls.EVP_PKEY_fromdata(ctx.as_ptr(), &raw mut key, selection, array_mut(parts));
            calls.check("EVP_PKEY_fromdata", returned)?;
            Pkey::own(calls, "EVP_PKEY_fromdata", key)
        }
    }

    /// Writes the raw public key, which has exactly the length of `out`.
    ///
    /// # Errors
    /// [`Error::Library`], [`Error::Length`].
    pub fn write_raw_public(&self, out: &mut [u8]) -> Result<()> {
        let mut length = out.len();
        // SAFETY: `length` says how much room there is in `out`.
        let returned =
            unsafe { self.calls.EVP_PKEY_get_raw_public_key(self.as_ptr(), out.as_mut_ptr(), &raw mut length) };
        self.calls.check("EVP_PKEY_get_raw_public_key", returned)?;
        Error::check_length("public key", length, out.len())
    }

    /// Writes the raw private key, which has exactly the length of `out`.
    ///
    /// # Errors
    /// [`Error::Library`], [`Error::Length`].
    pub fn write_raw_private(&self, out: &mut [u8]) -> Result<()> {
        let mut length = out.len();
        // SAFETY: `length` says how much room there is in `out`.
        let returned =
            unsafe { self.calls.EVP_PKEY_get_raw_private_key(self.as_ptr(), out.as_mut_ptr(), &raw mut length) };
        self.calls.check("EVP_PKEY_get_raw_private_key", returned)?;
        Error::check_length("private key", length, out.len())
    }

    /// Writes a part of the key and returns its length in bytes; a key that lacks the part is a fault.
    pub(super) fn write_octets(&self, part: &'static CStr, out: &mut [u8]) -> Result<usize> {
        let mut length = 0;
        // SAFETY: the room in `out` is given.
        let returned = unsafe {
            self.calls.EVP_PKEY_get_octet_string_param(
                self.as_ptr(),
                part.as_ptr(),
                out.as_mut_ptr(),
                out.len(),
                &raw mut length,
            )
        };
        self.calls.check("EVP_PKEY_get_octet_string_param", returned)?;
        Ok(length)
    }

    /// Writes an integer of the key over the whole of `out`, in the machine's byte order.
    pub(super) fn write_number(&self, part: &'static CStr, out: &mut [u8]) -> Result<()> {
        let mut params = [
            OSSL_PARAM {
                key: part.as_ptr(),
                data_type: OSSL_PARAM_UNSIGNED_INTEGER,
                data: out.as_mut_ptr().cast(),
                data_size: out.len(),
                return_size: OSSL_PARAM_UNMODIFIED,
            },
            OSSL_PARAM_END,
        ];
        // SAFETY: the array has its end, and its only element says how much room there is in `out`.
        let returned = unsafe { self.calls.EVP_PKEY_get_params(self.as_ptr(), params.as_mut_ptr()) };
        self.calls.check("EVP_PKEY_get_params", returned)?;
        if params[0].return_size == OSSL_PARAM_UNMODIFIED {
            Err(self.calls.fault("EVP_PKEY_get_params"))
        } else {
            Ok(())
        }
    }

    /// The length of the key in bits, by the algorithm's own measure.
    pub(super) fn bits(&self) -> c_int {
        // SAFETY: reads the key.
        unsafe { self.calls.EVP_PKEY_get_bits(self.as_ptr()) }
    }
}

impl<C: Calls> PkeyCtx<C> {
    /// A context for making keys.
    ///
    /// # Errors
    /// [`Error::Library`] for an algorithm that the library does not know.
    pub fn of_name(calls: C, algorithm: &CStr) -> Result<PkeyCtx<C>> {
        // SAFETY: null says that there are no properties; the context that comes back is ours.
        unsafe {
            let ctx = calls.EVP_PKEY_CTX_new_from_name(calls.context(), algorithm.as_ptr(), ptr::null());
            PkeyCtx::own(calls, "EVP_PKEY_CTX_new_from_name", ctx)
        }
    }

    /// A context for using a key, of which it holds a reference.
    pub(super) fn of_key(key: &Pkey<C>) -> Result<PkeyCtx<C>> {
        let calls = key.calls;
        // SAFETY: as in `of_name`; the context counts its own reference to the key.
        unsafe {
            let ctx = calls.EVP_PKEY_CTX_new_from_pkey(calls.context(), key.as_ptr(), ptr::null());
            PkeyCtx::own(calls, "EVP_PKEY_CTX_new_from_pkey", ctx)
        }
    }

    /// Sets parameters of the operation that was begun.
    pub(super) fn set(&self, params: &[Param<'_>]) -> Result<()> {
        // SAFETY: the context is this thread's while we hold it (it is not `Sync`), and the array has its end.
        let returned = unsafe { self.calls.EVP_PKEY_CTX_set_params(self.as_ptr(), array(params)) };
        self.calls.check("EVP_PKEY_CTX_set_params", returned)
    }

    /// Whether the operation that was begun has a parameter of that name: one that it does not have it passes over in silence.
    pub(super) fn knows(&self, parameter: &CStr) -> bool {
        // SAFETY: the answer is null or an array that lives as long as the context and has its end; names are strings.
        unsafe {
            let mut next = self.calls.EVP_PKEY_CTX_settable_params(self.as_ptr());
            while !next.is_null() && !(*next).key.is_null() {
                if CStr::from_ptr((*next).key) == parameter {
                    return true;
                }
                next = next.add(1);
            }
        }
        false
    }

    fn generate(&self) -> Result<Pkey<C>> {
        let mut key = ptr::null_mut();
        // SAFETY: the context is this thread's while we hold it; a key that comes back is ours.
        unsafe {
            self.calls.check("EVP_PKEY_generate", self.calls.EVP_PKEY_generate(self.as_ptr(), &raw mut key))?;
            Pkey::own(self.calls, "EVP_PKEY_generate", key)
        }
    }
}

impl<C: Calls> Signature<C> {
    /// The implementation of an algorithm, looked up once.
    pub(super) fn fetch(calls: C, algorithm: &CStr) -> Result<Signature<C>> {
        // SAFETY: null says that there are no properties; the reference that comes back is ours.
        unsafe {
            let fetched = calls.EVP_SIGNATURE_fetch(calls.context(), algorithm.as_ptr(), ptr::null());
            Signature::own(calls, "EVP_SIGNATURE_fetch", fetched)
        }
    }

    /// Makes a context ready to sign digests. Before 3.4 the library looks the algorithm up itself.
    pub(super) fn begin_to_sign(&self, ctx: &PkeyCtx<C>, params: &[Param<'_>]) -> Result<()> {
        // SAFETY: the context is this thread's while the caller holds it; the array has its end.
        unsafe {
            match self.calls.EVP_PKEY_sign_init_ex2() {
                Some(begin) => {
                    let returned = begin(ctx.as_ptr(), self.as_ptr(), array(params));
                    self.calls.check("EVP_PKEY_sign_init_ex2", returned)
                }
                None => {
                    let returned = self.calls.EVP_PKEY_sign_init_ex(ctx.as_ptr(), array(params));
                    self.calls.check("EVP_PKEY_sign_init_ex", returned)
                }
            }
        }
    }

    /// As [`begin_to_sign`](Self::begin_to_sign), to verify.
    pub(super) fn begin_to_verify(&self, ctx: &PkeyCtx<C>, params: &[Param<'_>]) -> Result<()> {
        // SAFETY: as above.
        unsafe {
            match self.calls.EVP_PKEY_verify_init_ex2() {
                Some(begin) => {
                    let returned = begin(ctx.as_ptr(), self.as_ptr(), array(params));
                    self.calls.check("EVP_PKEY_verify_init_ex2", returned)
                }
                None => {
                    let returned = self.calls.EVP_PKEY_verify_init_ex(ctx.as_ptr(), array(params));
                    self.calls.check("EVP_PKEY_verify_init_ex", returned)
                }
            }
        }
    }
}

/// Checks that the library has keys of an algorithm.
pub(super) fn check_keys<C: Calls>(calls: C, algorithm: &CStr) -> Result<()> {
    if C::COMPLETE {
        return Ok(());
    }
    // SAFETY: null says that there are no properties; the reference that comes back is ours.
    unsafe {
        let fetched = calls.EVP_KEYMGMT_fetch(calls.context(), algorithm.as_ptr(), ptr::null());
        KeyManagement::own(calls, "EVP_KEYMGMT_fetch", fetched).map(drop)
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
pub(super) struct Generator<C: Calls> {
    pub(super) calls: C,
    algorithm: CString,
    setting: Setting,
    idle: Contexts<PkeyCtx<C>>,
    /// Those that were handed a seed: some families keep it for the next key, so each key from a seed brings its own.
    seeded: Contexts<PkeyCtx<C>>,
}

impl<C: Calls> Generator<C> {
    pub(super) fn new(calls: C, algorithm: &CStr, setting: Setting) -> Generator<C> {
        Generator { calls, algorithm: algorithm.to_owned(), setting, idle: Contexts::new(), seeded: Contexts::new() }
    }

    /// A key from the library's own randomness.
    pub(super) fn generate(&self) -> Result<Pkey<C>> {
        self.idle.with(|| self.context(), |ctx| ctx.generate())
    }

    /// The key that follows from a seed, in a context that is used again as [`generate`](Self::generate) does.
    pub(super) fn generate_from(&self, seed: &[u8]) -> Result<Pkey<C>> {
        let context = || self.context();
        self.seeded.with(context, |ctx| {
            ctx.set(&[Param::octets(OSSL_PKEY_PARAM_SEED, seed), Param::END])?;
            ctx.generate()
        })
    }

    fn context(&self) -> Result<PkeyCtx<C>> {
        let ctx = PkeyCtx::of_name(self.calls, &self.algorithm)?;
        // SAFETY: the context is ours alone.
        self.calls.check("EVP_PKEY_keygen_init", unsafe { self.calls.EVP_PKEY_keygen_init(ctx.as_ptr()) })?;
        match &self.setting {
            Setting::None => {}
            Setting::Group(group) => ctx.set(&[Param::text(OSSL_PKEY_PARAM_GROUP_NAME, group), Param::END])?,
            Setting::Bits(bits) => ctx.set(&[Param::size(OSSL_PKEY_PARAM_RSA_BITS, bits), Param::END])?,
        }
        Ok(ctx)
    }
}
