//! What only the linked OpenSSL hands out by pointer, owned: freed once. Contexts are changed by every call: they are `Send`
//! and stay with one thread at a time.

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
                // SAFETY: the pointer is valid and ours to give back, by the contract of `own`.
                unsafe { pqlab_openssl_sys::$free(self.as_ptr()) }
            }
        }

        // SAFETY: nothing behind the pointer is bound to the thread that made it.
        unsafe impl Send for $name {}
    )*};
}
pub(super) use owned;
