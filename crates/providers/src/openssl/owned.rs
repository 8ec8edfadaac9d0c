//! Owners of objects that only the linked OpenSSL provides. Every call changes a context, so
//! contexts are `Send` but not `Sync`: only one thread may use a context at a time.

/// Declares types that own OpenSSL objects. Takes the name of each new type, the OpenSSL type, and
/// the function that frees the object.
macro_rules! owned {
    ($($(#[$doc:meta])* $name:ident: $raw:ident, $free:ident;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name(std::ptr::NonNull<pqlab_openssl_sys::$raw>);

        impl $name {
            /// Takes ownership of the pointer that the OpenSSL function `call` returned. If the
            /// pointer is null, returns the error that `call` reported.
            ///
            /// # Safety
            /// `pointer` must be null, or it must be valid and owned by the caller.
            pub(super) unsafe fn adopt(
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
                // SAFETY: `own` accepts only valid pointers that we own, and only `drop` frees
                // them.
                unsafe { pqlab_openssl_sys::$free(self.as_ptr()) }
            }
        }

        // SAFETY: the library does not bind objects of this type to the thread that created them.
        unsafe impl Send for $name {}
    )*};
}
pub(super) use owned;
