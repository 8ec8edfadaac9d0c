//! Ed25519 before 3.4: `EVP_DigestSign` and `EVP_DigestVerify`, which must be initialised for each message.

use super::Calls;
use super::hash::MdCtx;
use super::native::Pkey;
use crate::Contexts;
use pqlab_primitives::Result;
use std::ptr;

/// State that a key keeps for one-shot calls. A context for them keeps its key and serves no other.
pub trait OneShots<C: Calls>: Default + Send + Sync + 'static {
    /// Returns contexts for one-shot calls, if the library may need any.
    fn contexts(&self) -> Option<&Contexts<MdCtx<C>>>;
}

/// For a library whose contexts stay unchanged when they sign messages.
impl<C: Calls> OneShots<C> for () {
    #[inline(always)]
    fn contexts(&self) -> Option<&Contexts<MdCtx<C>>> {
        None
    }
}

/// For a library of any version.
impl<C: Calls> OneShots<C> for Contexts<MdCtx<C>> {
    #[inline(always)]
    fn contexts(&self) -> Option<&Contexts<MdCtx<C>>> {
        Some(self)
    }
}

/// Returns whether messages are signed and verified in one-shot calls.
#[inline(always)]
pub(super) fn are_needed<C: Calls>(calls: C) -> bool {
    calls.EVP_PKEY_sign_message_init().is_none()
}

/// Returns the contexts that a key keeps for one-shot calls, if the library needs any.
#[inline(always)]
pub(super) fn contexts<C: Calls>(calls: C, kept: &C::OneShots) -> Option<&Contexts<MdCtx<C>>> {
    if are_needed(calls) { OneShots::<C>::contexts(kept) } else { None }
}

/// Signs and returns the signature's length in bytes.
pub(super) fn sign<C: Calls>(ctx: &MdCtx<C>, key: &Pkey<C>, message: &[u8], out: &mut [u8]) -> Result<usize> {
    let calls = ctx.calls;
    let mut length = out.len();
    // SAFETY: only this thread uses the context while we hold it, and it holds its own reference to the key. Null means
    // no digest, no properties, no parameters, and that the inner context is not returned. `length` is the length of
    // `out`.
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

/// Verifies. The library returns zero if a signature does not verify, or a negative number if its length is wrong.
pub(super) fn verify<C: Calls>(ctx: &MdCtx<C>, key: &Pkey<C>, message: &[u8], signature: &[u8]) -> Result<()> {
    let calls = ctx.calls;
    // SAFETY: as in `sign`.
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
