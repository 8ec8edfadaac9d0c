//! `EVP_PKEY` calls that ML-KEM and ML-DSA share.

use super::error::{check, library};
use super::handle::Owned;
use aws_lc_sys as aws;
use pqlab_primitives::{Error, Result};
use std::ffi::c_int;
use std::ptr::null_mut;

/// A key that the library allocated.
pub(super) type Key = Owned<aws::EVP_PKEY>;

/// A context set up for key generation.
pub(super) type Generator = Owned<aws::EVP_PKEY_CTX>;

/// Returns a context for generating keys of a kind (`EVP_PKEY_KEM`, `EVP_PKEY_PQDSA`). `set_parameters` selects the
/// parameter set `nid`.
pub(super) fn generator(
    kind: c_int,
    set_parameters: unsafe extern "C" fn(*mut aws::EVP_PKEY_CTX, c_int) -> c_int,
    nid: c_int,
) -> Result<Generator> {
    // SAFETY: the call returns null or a new context that we own.
    let context = unsafe { Owned::from_raw(aws::EVP_PKEY_CTX_new_id(kind, null_mut())) };
    let context = context.ok_or_else(|| library("EVP_PKEY_CTX_new_id"))?;
    // SAFETY: nothing else uses the context.
    unsafe {
        check("EVP_PKEY_CTX_kem_set_params or EVP_PKEY_CTX_pqdsa_set_params", set_parameters(context.as_ptr(), nid))?;
        check("EVP_PKEY_keygen_init", aws::EVP_PKEY_keygen_init(context.as_ptr()))?;
    }
    Ok(context)
}

/// Generates a key with random bytes from the library.
///
/// # Safety
/// `generator` must come from a [`Generator`] that no other thread uses.
pub(super) unsafe fn generate(generator: *mut aws::EVP_PKEY_CTX) -> Result<Key> {
    let mut raw = null_mut();
    // SAFETY: the caller guarantees that the context is set up for key generation. The call returns null or a key that
    // we own.
    let (returned, key) = unsafe {
        let returned = aws::EVP_PKEY_keygen(generator, &raw mut raw);
        (returned, Owned::from_raw(raw))
    };
    check("EVP_PKEY_keygen", returned)?;
    key.ok_or_else(|| library("EVP_PKEY_keygen"))
}

/// Returns a second owner of the key, and increments the library's reference count.
pub(super) fn share(key: &Key) -> Result<Key> {
    // SAFETY: the first call adds the reference that the new owner releases. It cannot fail for a
    // live key.
    let key = unsafe {
        aws::EVP_PKEY_up_ref(key.as_ptr());
        Owned::from_raw(key.as_ptr())
    };
    key.ok_or_else(|| library("EVP_PKEY_up_ref"))
}

/// Writes the public key in the standard's encoding. `out` must be as long as the encoded key.
pub(super) fn write_public(key: &Key, out: &mut [u8]) -> Result<()> {
    let mut length = out.len();
    // SAFETY: the call writes at most `length` bytes, the length of `out`.
    let returned = unsafe { aws::EVP_PKEY_get_raw_public_key(key.as_ptr(), out.as_mut_ptr(), &raw mut length) };
    check("EVP_PKEY_get_raw_public_key", returned)
}

/// Writes the private key in the standard's expanded encoding. `out` must be as long as the encoded key.
pub(super) fn write_expanded(key: &Key, out: &mut [u8]) -> Result<()> {
    let mut length = out.len();
    // SAFETY: the call writes at most `length` bytes, the length of `out`.
    let returned = unsafe { aws::EVP_PKEY_get_raw_private_key(key.as_ptr(), out.as_mut_ptr(), &raw mut length) };
    check("EVP_PKEY_get_raw_private_key", returned)
}

/// Writes the private key's seed. `out` must be as long as the seed. Fails if the key was loaded in expanded form,
/// because the library then has no seed.
pub(super) fn write_seed(key: &Key, out: &mut [u8]) -> Result<()> {
    let mut length = out.len();
    // SAFETY: the call writes at most `length` bytes, the length of `out`.
    let returned = unsafe { aws::EVP_PKEY_get_private_seed(key.as_ptr(), out.as_mut_ptr(), &raw mut length) };
    check("EVP_PKEY_get_private_seed", returned)
        .map_err(|_| Error::Unsupported("the seed is unknown, because the key was loaded in expanded form"))
}
