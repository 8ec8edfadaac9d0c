//! Ed25519 before 3.4: `EVP_DigestSign` and `EVP_DigestVerify`, which are begun anew for each message.

use super::hash::MdCtx;
use super::native::Pkey;
use pqlab_primitives::Result;
use std::ptr;

/// Signs and returns the signature's length in bytes.
pub(super) fn sign(ctx: &MdCtx, key: &Pkey, message: &[u8], out: &mut [u8]) -> Result<usize> {
    let crypto = ctx.crypto;
    let mut length = out.len();
    // SAFETY: the context is this thread's while we hold it and counts its own reference to the key; null says that there is
    // no digest, that nobody asks for the inner context, and that there are no properties and parameters; `length` says how
    // much room there is.
    unsafe {
        let begun = (crypto.EVP_DigestSignInit_ex)(
            ctx.as_ptr(),
            ptr::null_mut(),
            ptr::null(),
            crypto.context(),
            ptr::null(),
            key.as_ptr(),
            ptr::null(),
        );
        crypto.check("EVP_DigestSignInit_ex", begun)?;
        let signed =
            (crypto.EVP_DigestSign)(ctx.as_ptr(), out.as_mut_ptr(), &raw mut length, message.as_ptr(), message.len());
        crypto.check("EVP_DigestSign", signed)?;
    }
    Ok(length)
}

/// Verifies. Zero is the library's answer to a signature that does not verify, and so is a negative one to a signature of
/// another length.
pub(super) fn verify(ctx: &MdCtx, key: &Pkey, message: &[u8], signature: &[u8]) -> Result<()> {
    let crypto = ctx.crypto;
    // SAFETY: as in `sign`.
    let verified = unsafe {
        let begun = (crypto.EVP_DigestVerifyInit_ex)(
            ctx.as_ptr(),
            ptr::null_mut(),
            ptr::null(),
            crypto.context(),
            ptr::null(),
            key.as_ptr(),
            ptr::null(),
        );
        crypto.check("EVP_DigestVerifyInit_ex", begun)?;
        (crypto.EVP_DigestVerify)(ctx.as_ptr(), signature.as_ptr(), signature.len(), message.as_ptr(), message.len())
    };
    if verified == 1 { Ok(()) } else { Err(crypto.refused()) }
}
