//! Functions of the linked OpenSSL. The function table is a zero-sized type, so every call is a direct call.

use pqlab_adapters::openssl::{Calls, DIGESTS, Functions, MdCtx};
use pqlab_openssl_sys::{self as sys, *};
use pqlab_primitives::Result;
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;

/// The linked OpenSSL.
#[derive(Clone, Copy)]
pub(super) struct Linked;

/// Implements each method as a call to the linked function.
macro_rules! call {
    (
        $($(#[$doc:meta])* fn $required:ident($($argument:ident: $type:ty),* $(,)?) $(-> $answer:ty)?;)*
        optional
        $(
            $(#[$doc_of_optional:meta])*
            fn $optional:ident($($argument_of_optional:ident: $type_of_optional:ty),* $(,)?) $(-> $answer_of_optional:ty)?;
        )*
    ) => {
        // SAFETY: each method calls or returns the linked function of the same name, and the linked
        // library stays loaded.
        unsafe impl Functions for Linked {
            $(
                #[inline(always)]
                unsafe fn $required(self, $($argument: $type),*) $(-> $answer)? {
                    // SAFETY: the caller upholds the contract of the OpenSSL function.
                    unsafe { sys::$required($($argument),*) }
                }
            )*
            $(
                #[inline(always)]
                fn $optional(self) -> Option<unsafe extern "C" fn($($type_of_optional),*) $(-> $answer_of_optional)?> {
                    Some(sys::$optional)
                }
            )*
        }
    };
}
openssl_calls!(call);

thread_local! {
    static CONTEXTS: [Cell<Option<MdCtx<Linked>>>; DIGESTS] = const { [const { Cell::new(None) }; DIGESTS] };
}

/// Checks a return value of the linked library, with [`Calls::check`].
#[inline]
pub(super) fn check(call: &'static str, returned: c_int) -> Result<()> {
    Linked.check(call, returned)
}

// SAFETY: null means the default library context, which is never freed. `CONTEXTS` holds only
// contexts of the linked OpenSSL.
unsafe impl Calls for Linked {
    const COMPLETE: bool = true;

    type OneShots = ();

    #[inline(always)]
    fn context(self) -> *mut OSSL_LIB_CTX {
        ptr::null_mut()
    }

    #[inline]
    fn with_digest_context<R>(self, digest: usize, work: impl FnOnce(&Cell<Option<MdCtx<Linked>>>) -> R) -> R {
        CONTEXTS.with(|contexts| work(&contexts[digest]))
    }
}
