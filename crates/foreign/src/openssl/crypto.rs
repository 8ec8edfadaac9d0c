//! An opened libcrypto: the table of its functions, and a separate library context. Both are created once and never
//! freed.

use crate::open::{Library, OpenError};
use crate::symbols::symbols;
use pqlab_adapters::Contexts;
use pqlab_adapters::openssl::{Calls, DIGESTS, Functions, MdCtx};
use pqlab_openssl_headers::*;
use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An opened libcrypto.
#[derive(Clone, Copy)]
pub(super) struct Loaded(&'static Crypto);

/// The functions of a libcrypto, and the library context in which algorithms are looked up.
struct Crypto {
    api: Api,
    context: *mut OSSL_LIB_CTX,
    /// Number of libcryptos that this process opened before this one. It determines this libcrypto's position in
    /// [`CONTEXTS`].
    number: usize,
}

// SAFETY: several threads may use a library context concurrently (openssl-threads(7)), and the context is never freed.
unsafe impl Send for Crypto {}
// SAFETY: see `Send` above.
unsafe impl Sync for Crypto {}

/// Declares the table of looked-up functions and the methods that call these functions.
macro_rules! look_up {
    (
        $($(#[$doc:meta])* fn $required:ident($($argument:ident: $type:ty),* $(,)?) $(-> $answer:ty)?;)*
        optional
        $(
            $(#[$doc_of_optional:meta])*
            fn $optional:ident($($argument_of_optional:ident: $type_of_optional:ty),* $(,)?) $(-> $answer_of_optional:ty)?;
        )*
    ) => {
        symbols! {
            /// The libcrypto functions that pqlab calls.
            Api, "not a libcrypto of OpenSSL 3.0 or later" {
                $(fn $required($($type),*) $(-> $answer)?;)*
                fn OPENSSL_init_crypto(u64, *const c_void) -> c_int;
                fn OSSL_LIB_CTX_new() -> *mut OSSL_LIB_CTX;
                optional
                $(fn $optional($($type_of_optional),*) $(-> $answer_of_optional)?;)*
            }
        }

        // SAFETY: the functions were looked up by name in one library, and the library stays open.
        unsafe impl Functions for Loaded {
            $(
                #[inline(always)]
                unsafe fn $required(self, $($argument: $type),*) $(-> $answer)? {
                    // SAFETY: the caller upholds the function's contract.
                    unsafe { (self.0.api.$required)($($argument),*) }
                }
            )*
            $(
                #[inline(always)]
                fn $optional(self) -> Option<unsafe extern "C" fn($($type_of_optional),*) $(-> $answer_of_optional)?> {
                    self.0.api.$optional
                }
            )*
        }
    };
}
openssl_calls!(look_up);

thread_local! {
    /// This thread's digest contexts: [`DIGESTS`] contexts for each libcrypto, in the order in which libcryptos were
    /// opened.
    static CONTEXTS: RefCell<Vec<Cell<Option<MdCtx<Loaded>>>>> = const { RefCell::new(Vec::new()) };
}

// SAFETY: the library context is never freed, and no two libraries share a digest context.
unsafe impl Calls for Loaded {
    const COMPLETE: bool = false;

    type OneShots = Contexts<MdCtx<Loaded>>;

    #[inline(always)]
    fn context(self) -> *mut OSSL_LIB_CTX {
        self.0.context
    }

    #[inline]
    fn with_digest_context<R>(self, digest: usize, work: impl FnOnce(&Cell<Option<MdCtx<Loaded>>>) -> R) -> R {
        let place = self.0.number * DIGESTS + digest;
        CONTEXTS.with_borrow_mut(|contexts| {
            if contexts.len() <= place {
                contexts.resize_with(place + 1, Cell::default);
            }
            work(&contexts[place])
        })
    }
}

impl Loaded {
    /// Initializes the library without reading the OpenSSL configuration file and without an exit handler.
    pub(super) fn start(library: &Library) -> Result<Loaded, OpenError> {
        static OPENED: AtomicUsize = AtomicUsize::new(0);
        let api = Api::load(library)?;
        // SAFETY: null requests the default settings, and no other call into this library precedes
        // these.
        let (started, context) = unsafe {
            let options = OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT;
            ((api.OPENSSL_init_crypto)(options, ptr::null()), (api.OSSL_LIB_CTX_new)())
        };
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let loaded = Loaded(Box::leak(Box::new(Crypto { api, context, number })));
        if started <= 0 || context.is_null() {
            return Err(library.unusable(loaded.fault("OPENSSL_init_crypto").to_string()));
        }
        Ok(loaded)
    }
}
