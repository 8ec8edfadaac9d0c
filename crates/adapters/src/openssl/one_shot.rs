//! Ed25519 with OpenSSL before 3.4, where `EVP_DigestSign` and `EVP_DigestVerify` must be initialized for each message.

use super::Calls;
use super::hash::MdCtx;
use super::native::Pkey;
use crate::Contexts;
use pqlab_primitives::Result;
use std::ptr;

/// Contexts that a key stores for one-shot calls (`EVP_DigestSign`, `EVP_DigestVerify`). Each context keeps a reference
/// to its key and cannot serve other keys.
pub trait OneShots<C: Calls>: Default + Send + Sync + 'static {
    /// Returns the contexts for one-shot calls, or `None` if the library never needs one.
    fn contexts(&self) -> Option<&Contexts<MdCtx<C>>>;
}

/// No stored contexts, for libraries whose contexts can sign several messages without one-shot calls.
impl<C: Calls> OneShots<C> for () {
    #[inline(always)]
    fn contexts(&self) -> Option<&Contexts<MdCtx<C>>> {
        None
    }
}

/// Stored contexts, for libraries of any version.
impl<C: Calls> OneShots<C> for Contexts<MdCtx<C>> {
    #[inline(always)]
    fn contexts(&self) -> Option<&Contexts<MdCtx<C>>> {
        Some(self)
    }
}

/// Returns whether messages must be signed and verified in one-shot calls.
#[inline(always)]
pub(super) fn are_needed<C: Calls>(calls: C) -> bool {
    calls.EVP_PKEY_sign_message_init().is_none()
}

/// Returns the contexts in `kept`, or `None` if the library does not need one-shot calls.
#[inline(always)]
pub(super) fn contexts<C: Calls>(calls: C, kept: &C::OneShots) -> Option<&Contexts<MdCtx<C>>> {
    if are_needed(calls) { OneShots::<C>::contexts(kept) } else { None }
}

/// Signs the message and returns the length of the signature in bytes.
pub(super) fn sign<C: Calls>(ctx: &MdCtx<C>, key: &Pkey<C>, message: &[u8], out: &mut [u8]) -> Result<usize> {
    let calls = ctx.calls;
    let mut length = out.len();
    // SAFETY: only this thread uses the context during the call, and the context keeps its own reference to the key.
    // Null means no digest, no properties, no parameters, and that the inner context is not returned. `length` is the
    // length of `out`.
    unsafe {
        let begun = calls.EVP_DigestSignInit_ex(
            ctx.as_ptr(),
            ptr::null_mut(),
            ptr::null(),
            calls.context(),
            ptr::null(),
            key.as_ptr(),
            ptr::null(),
        );
        calls.check("EVP_DigestSignInit_ex", begun)?;
        let signed =
            calls.EVP_DigestSign(ctx.as_ptr(), out.as_mut_ptr(), &raw mut length, message.as_ptr(), message.len());
        calls.check("EVP_DigestSign", signed)?;
    }
    Ok(length)
}

/// Verifies a signature. The library returns zero if the signature is invalid, or a negative number if its length is
/// wrong.
pub(super) fn verify<C: Calls>(ctx: &MdCtx<C>, key: &Pkey<C>, message: &[u8], signature: &[u8]) -> Result<()> {
    let calls = ctx.calls;
    // SAFETY: only this thread uses the context during the call, and the context keeps its own reference to the key.
    // Null means no digest, no properties, no parameters, and that the inner context is not returned. The lengths of
    // both slices are passed.
    let verified = unsafe {
        let begun = calls.EVP_DigestVerifyInit_ex(
            ctx.as_ptr(),
            ptr::null_mut(),
            ptr::null(),
            calls.context(),
            ptr::null(),
            key.as_ptr(),
            ptr::null(),
        );
        calls.check("EVP_DigestVerifyInit_ex", begun)?;
        calls.EVP_DigestVerify(ctx.as_ptr(), signature.as_ptr(), signature.len(), message.as_ptr(), message.len())
    };
    if verified == 1 { Ok(()) } else { Err(calls.refused()) }
}
