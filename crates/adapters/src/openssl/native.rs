//! Types that own OpenSSL's pointers. Each pointer is freed once, and shared between threads only if the library allows
//! it.
//!
//! Keys and fetched algorithms are reference-counted. The functions used here only read them (openssl-threads(7)), so
//! these types are `Sync`. Every call changes its context, so contexts are only `Send`: one thread at a time uses a
//! context.

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

/// Declares a type that owns a pointer: the type's name, the type behind the pointer, and the function that frees the
/// pointer.
macro_rules! owned {
    ($($(#[$doc:meta])* $vis:vis $name:ident: $raw:ident, $free:ident;)*) => {$(
        $(#[$doc])*
        $vis struct $name<C: $crate::openssl::Calls> {
            pointer: std::ptr::NonNull<pqlab_openssl_headers::$raw>,
            pub(super) calls: C,
        }

        impl<C: $crate::openssl::Calls> $name<C> {
            /// Takes ownership of `pointer`, which `call` returned.
            ///
            /// # Errors
            /// [`pqlab_primitives::Error::Library`] if `pointer` is null.
            ///
            /// # Safety
            /// `pointer` must come from this library. It must be null, or valid and owned by the caller.
            $vis unsafe fn adopt(
                calls: C,
                call: &'static str,
                pointer: *mut pqlab_openssl_headers::$raw,
            ) -> pqlab_primitives::Result<$name<C>> {
                match std::ptr::NonNull::new(pointer) {
                    Some(pointer) => Ok($name { pointer, calls }),
                    None => Err(calls.fault(call)),
                }
            }

            /// Returns the pointer, which `self` still owns.
            $vis fn as_ptr(&self) -> *mut pqlab_openssl_headers::$raw {
                self.pointer.as_ptr()
            }
        }

        impl<C: $crate::openssl::Calls> Drop for $name<C> {
            fn drop(&mut self) {
                // SAFETY: the contract of `adopt` guarantees that the pointer is valid and that this value may free it.
                unsafe { self.calls.$free(self.as_ptr()) }
            }
        }

        // SAFETY: the library does not bind these objects to the thread that created them.
        unsafe impl<C: $crate::openssl::Calls> Send for $name<C> {}
    )*};
}
pub(super) use owned;

owned! {
    /// A public key or a key pair.
    pub Pkey: EVP_PKEY, EVP_PKEY_free;
    /// A context for an operation with a key.
    pub PkeyCtx: EVP_PKEY_CTX, EVP_PKEY_CTX_free;
    /// A signature algorithm.
    pub(super) Signature: EVP_SIGNATURE, EVP_SIGNATURE_free;
    /// The component of OpenSSL that creates and stores an algorithm's keys.
    KeyManagement: EVP_KEYMGMT, EVP_KEYMGMT_free;
}

// SAFETY: keys do not change after creation, and the library locks their reference counts and internal caches.
unsafe impl<C: Calls> Sync for Pkey<C> {}
// SAFETY: fetched algorithms never change, and their reference counts are atomic.
unsafe impl<C: Calls> Sync for Signature<C> {}

impl<C: Calls> Pkey<C> {
    /// Loads a public key from its raw encoding.
    pub(super) fn raw_public(calls: C, algorithm: &CStr, bytes: &[u8]) -> Result<Pkey<C>> {
        // SAFETY: null means no properties, and the slice is only read during the call.
        unsafe {
            let key = calls.EVP_PKEY_new_raw_public_key_ex(
                calls.context(),
                algorithm.as_ptr(),
                ptr::null(),
                bytes.as_ptr(),
                bytes.len(),
            );
            Pkey::adopt(calls, "EVP_PKEY_new_raw_public_key_ex", key)
        }
    }

    /// Loads a key pair from the raw encoding of the private key.
    ///
    /// # Errors
    /// [`Error::Library`] if the library rejects the key.
    pub fn raw_private(calls: C, algorithm: &CStr, bytes: &[u8]) -> Result<Pkey<C>> {
        // SAFETY: null means no properties, and the slice is only read during the call.
        unsafe {
            let key = calls.EVP_PKEY_new_raw_private_key_ex(
                calls.context(),
                algorithm.as_ptr(),
                ptr::null(),
                bytes.as_ptr(),
                bytes.len(),
            );
            Pkey::adopt(calls, "EVP_PKEY_new_raw_private_key_ex", key)
        }
    }

    /// Imports a key from its parts. `selection` names the parts to use.
    pub(super) fn import(calls: C, algorithm: &CStr, selection: c_int, parts: &mut [Param<'_>]) -> Result<Pkey<C>> {
        let ctx = PkeyCtx::of_name(calls, algorithm)?;
        let mut key = ptr::null_mut();
        // SAFETY: no one else uses the context, the array is terminated, and this code owns the returned key.
        unsafe {
            calls.check("EVP_PKEY_fromdata_init", calls.EVP_PKEY_fromdata_init(ctx.as_ptr()))?;
            let returned = calls.EVP_PKEY_fromdata(ctx.as_ptr(), &raw mut key, selection, array_mut(parts));
            calls.check("EVP_PKEY_fromdata", returned)?;
            Pkey::adopt(calls, "EVP_PKEY_fromdata", key)
        }
    }

    /// Writes the raw public key to `out`, which must have exactly the right length.
    ///
    /// # Errors
    /// [`Error::Library`] if the library fails; [`Error::Length`] if `out` has the wrong length.
    pub fn write_raw_public(&self, out: &mut [u8]) -> Result<()> {
        let mut length = out.len();
        // SAFETY: `length` is the length of `out`.
        let returned =
            unsafe { self.calls.EVP_PKEY_get_raw_public_key(self.as_ptr(), out.as_mut_ptr(), &raw mut length) };
        self.calls.check("EVP_PKEY_get_raw_public_key", returned)?;
        Error::check_length("public key", length, out.len())
    }

    /// Writes the raw private key to `out`, which must have exactly the right length.
    ///
    /// # Errors
    /// [`Error::Library`] if the library fails; [`Error::Length`] if `out` has the wrong length.
    pub fn write_raw_private(&self, out: &mut [u8]) -> Result<()> {
        let mut length = out.len();
        // SAFETY: `length` is the length of `out`.
        let returned =
            unsafe { self.calls.EVP_PKEY_get_raw_private_key(self.as_ptr(), out.as_mut_ptr(), &raw mut length) };
        self.calls.check("EVP_PKEY_get_raw_private_key", returned)?;
        Error::check_length("private key", length, out.len())
    }

    /// Writes a part of the key to `out` and returns its length in bytes. Fails if the key does not contain the part.
    pub(super) fn write_octets(&self, part: &'static CStr, out: &mut [u8]) -> Result<usize> {
        let mut length = 0;
        // SAFETY: the length of `out` is passed.
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

    /// Writes an integer from the key to `out`, in native byte order. The integer fills all of `out`.
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
        // SAFETY: the array is terminated, and its only element contains the length of `out`.
        let returned = unsafe { self.calls.EVP_PKEY_get_params(self.as_ptr(), params.as_mut_ptr()) };
        self.calls.check("EVP_PKEY_get_params", returned)?;
        if params[0].return_size == OSSL_PARAM_UNMODIFIED {
            Err(self.calls.fault("EVP_PKEY_get_params"))
        } else {
            Ok(())
        }
    }

    /// Returns the length of the key in bits, as the algorithm defines it.
    pub(super) fn bits(&self) -> c_int {
        // SAFETY: the function only reads the key.
        unsafe { self.calls.EVP_PKEY_get_bits(self.as_ptr()) }
    }
}

impl<C: Calls> PkeyCtx<C> {
    /// Creates a context for generating or importing keys.
    ///
    /// # Errors
    /// [`Error::Library`] if the library does not support the algorithm.
    pub fn of_name(calls: C, algorithm: &CStr) -> Result<PkeyCtx<C>> {
        // SAFETY: null means no properties, and this code owns the returned context.
        unsafe {
            let ctx = calls.EVP_PKEY_CTX_new_from_name(calls.context(), algorithm.as_ptr(), ptr::null());
            PkeyCtx::adopt(calls, "EVP_PKEY_CTX_new_from_name", ctx)
        }
    }

    /// Creates a context for using a key. The context keeps a reference to the key.
    pub(super) fn of_key(key: &Pkey<C>) -> Result<PkeyCtx<C>> {
        let calls = key.calls;
        // SAFETY: null means no properties, this code owns the returned context, and the context keeps its own
        // reference to the key.
        unsafe {
            let ctx = calls.EVP_PKEY_CTX_new_from_pkey(calls.context(), key.as_ptr(), ptr::null());
            PkeyCtx::adopt(calls, "EVP_PKEY_CTX_new_from_pkey", ctx)
        }
    }

    /// Sets parameters of the operation for which the context is initialized.
    pub(super) fn set(&self, params: &[Param<'_>]) -> Result<()> {
        // SAFETY: contexts are not `Sync`, so only this thread uses the context during the call. The array is
        // terminated.
        let returned = unsafe { self.calls.EVP_PKEY_CTX_set_params(self.as_ptr(), array(params)) };
        self.calls.check("EVP_PKEY_CTX_set_params", returned)
    }

    /// Returns whether the initialized operation supports a parameter. The library silently ignores unknown parameters.
    pub(super) fn knows(&self, parameter: &CStr) -> bool {
        // SAFETY: the result is null or a terminated array that stays valid as long as the context. Names are C
        // strings.
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
        // SAFETY: only this thread uses the context during the call, and this code owns the returned key.
        unsafe {
            self.calls.check("EVP_PKEY_generate", self.calls.EVP_PKEY_generate(self.as_ptr(), &raw mut key))?;
            Pkey::adopt(self.calls, "EVP_PKEY_generate", key)
        }
    }
}

impl<C: Calls> Signature<C> {
    /// Fetches the implementation of an algorithm.
    pub(super) fn fetch(calls: C, algorithm: &CStr) -> Result<Signature<C>> {
        // SAFETY: null means no properties, and this code owns the returned reference.
        unsafe {
            let fetched = calls.EVP_SIGNATURE_fetch(calls.context(), algorithm.as_ptr(), ptr::null());
            Signature::adopt(calls, "EVP_SIGNATURE_fetch", fetched)
        }
    }

    /// Initializes a context for signing digests. Before 3.4, the library looks up the algorithm itself.
    pub(super) fn begin_to_sign(&self, ctx: &PkeyCtx<C>, params: &[Param<'_>]) -> Result<()> {
        // SAFETY: only this thread uses the context during the call, and the array is terminated.
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

    /// Initializes a context for verifying signatures on digests, like [`begin_to_sign`](Self::begin_to_sign).
    pub(super) fn begin_to_verify(&self, ctx: &PkeyCtx<C>, params: &[Param<'_>]) -> Result<()> {
        // SAFETY: only this thread uses the context during the call, and the array is terminated.
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

/// Checks that the library supports keys of an algorithm.
pub(super) fn check_keys<C: Calls>(calls: C, algorithm: &CStr) -> Result<()> {
    if C::COMPLETE {
        return Ok(());
    }
    // SAFETY: null means no properties, and this code owns the returned reference.
    unsafe {
        let fetched = calls.EVP_KEYMGMT_fetch(calls.context(), algorithm.as_ptr(), ptr::null());
        KeyManagement::adopt(calls, "EVP_KEYMGMT_fetch", fetched).map(drop)
    }
}

/// Setting that a family of algorithms needs before it can generate keys.
pub(super) enum Setting {
    /// No setting: the name of the algorithm is sufficient.
    None,
    /// Name of the elliptic curve.
    Group(&'static CStr),
    /// Length of the modulus in bits.
    Bits(usize),
}

/// Generates keys, and reuses the contexts. OpenSSL does not carry state over from one key to the next, except for the
/// seed in some families.
pub(super) struct Generator<C: Calls> {
    pub(super) calls: C,
    algorithm: CString,
    setting: Setting,
    idle: Contexts<PkeyCtx<C>>,
    /// Contexts that were used with a seed. Some families keep the seed for the next key, so these contexts must get a
    /// new seed for each key.
    seeded: Contexts<PkeyCtx<C>>,
}

impl<C: Calls> Generator<C> {
    pub(super) fn new(calls: C, algorithm: &CStr, setting: Setting) -> Generator<C> {
        Generator { calls, algorithm: algorithm.to_owned(), setting, idle: Contexts::new(), seeded: Contexts::new() }
    }

    /// Generates a key with the library's own randomness.
    pub(super) fn generate(&self) -> Result<Pkey<C>> {
        self.idle.with(|| self.context(), |ctx| ctx.generate())
    }

    /// Generates the key for a seed. Reuses contexts, like [`generate`](Self::generate).
    pub(super) fn generate_from(&self, seed: &[u8]) -> Result<Pkey<C>> {
        let context = || self.context();
        self.seeded.with(context, |ctx| {
            ctx.set(&[Param::octets(OSSL_PKEY_PARAM_SEED, seed), Param::END])?;
            ctx.generate()
        })
    }

    fn context(&self) -> Result<PkeyCtx<C>> {
        let ctx = PkeyCtx::of_name(self.calls, &self.algorithm)?;
        // SAFETY: no one else uses the context.
        self.calls.check("EVP_PKEY_keygen_init", unsafe { self.calls.EVP_PKEY_keygen_init(ctx.as_ptr()) })?;
        match &self.setting {
            Setting::None => {}
            Setting::Group(group) => ctx.set(&[Param::text(OSSL_PKEY_PARAM_GROUP_NAME, group), Param::END])?,
            Setting::Bits(bits) => ctx.set(&[Param::size(OSSL_PKEY_PARAM_RSA_BITS, bits), Param::END])?,
        }
        Ok(ctx)
    }
}
