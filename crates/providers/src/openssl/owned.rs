//! Owners of the pointers that only the linked OpenSSL returns. Each is freed once. Every call changes its context, so
//! contexts are only `Send`: one thread at a time uses them.

/// Declares the owner of a pointer: its name, the type behind the pointer, and the call that frees it.
macro_rules! owned {
    ($($(#[$doc:meta])* $name:ident: $raw:ident, $free:ident;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name(std::ptr::NonNull<pqlab_openssl_sys::$raw>);

        impl $name {
            /// Takes ownership of the pointer that `call` returned. Null becomes a fault of that call.
            ///
            /// # Safety
            /// `pointer` must be null or valid and owned by the caller.
            pub(super) unsafe fn own(
                call: &'static str,
                pointer: *mut pqlab_openssl_sys::$raw,
            ) -> pqlab_primitives::Result<$name> {
                let fault = || pqlab_adapters::openssl::Calls::fault($crate::openssl::linked::Linked, call);
                std::ptr::NonNull::new(pointer).map($name).ok_or_else(fault)
            }

            pub(super) fn as_ptr(&self) -> *mut pqlab_openssl_sys::$raw {
                self.0.as_ptr()
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: by the contract of `own`, the pointer is valid and we must free it.
                unsafe { pqlab_openssl_sys::$free(self.as_ptr()) }
            }
        }

        // SAFETY: the library does not bind objects of this type to the thread that created them.
        unsafe impl Send for $name {}
    )*};
}
pub(super) use owned;
