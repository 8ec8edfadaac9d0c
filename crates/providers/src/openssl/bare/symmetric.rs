//! Direct calls to OpenSSL's hash functions, MAC, KDF and cipher. Set-up fetches the algorithms and creates the
//! contexts in advance.

use crate::interleaved::{Side, Work};
use crate::libraries::Owned;
use crate::operations::{each, hash, symmetric};
use pqlab_openssl_sys as sys;
use pqlab_primitives::Aead;
use std::ffi::{CStr, c_int};
use std::hint::black_box;
use std::ptr;
use std::sync::Arc;

/// Returns a parameter that refers to a byte string. OpenSSL reads the bytes when it uses the parameter.
pub(super) fn octets(key: &CStr, value: &[u8]) -> sys::OSSL_PARAM {
    parameter(key, sys::OSSL_PARAM_OCTET_STRING, value.as_ptr(), value.len())
}

/// Returns a parameter that refers to a number. OpenSSL reads the number when it uses the parameter.
pub(super) fn int(key: &CStr, value: &c_int) -> sys::OSSL_PARAM {
    parameter(key, sys::OSSL_PARAM_INTEGER, (&raw const *value).cast(), size_of::<c_int>())
}

pub(super) fn text(key: &CStr, value: &CStr) -> sys::OSSL_PARAM {
    parameter(key, sys::OSSL_PARAM_UTF8_STRING, value.as_ptr().cast(), value.count_bytes())
}

pub(super) fn parameter(key: &CStr, data_type: std::ffi::c_uint, data: *const u8, data_size: usize) -> sys::OSSL_PARAM {
    let (key, data) = (key.as_ptr(), data.cast_mut().cast());
    sys::OSSL_PARAM { key, data_type, data, data_size, return_size: sys::OSSL_PARAM_UNMODIFIED }
}

pub(super) type Md = Owned<sys::EVP_MD>;
pub(super) type Context = Owned<sys::EVP_MD_CTX>;

pub(super) fn fetch(name: &CStr) -> (Md, Context) {
    // SAFETY: null means the default library context and no properties. We own both objects.
    unsafe {
        let md = sys::EVP_MD_fetch(ptr::null_mut(), name.as_ptr(), ptr::null());
        (Owned::new(md, sys::EVP_MD_free), Owned::new(sys::EVP_MD_CTX_new(), sys::EVP_MD_CTX_free))
    }
}

fn begin(md: &Md, context: &Context) {
    // SAFETY: nothing else uses the context. Null means no parameters.
    assert_eq!(unsafe { sys::EVP_DigestInit_ex2(context.raw(), md.raw(), ptr::null()) }, 1);
}

fn absorb(context: &Context, part: &[u8]) {
    // SAFETY: nothing else uses the context, and the call only reads `part`.
    assert_eq!(unsafe { sys::EVP_DigestUpdate(context.raw(), part.as_ptr().cast(), part.len()) }, 1);
}

fn squeeze(context: &Context, out: &mut [u8]) {
    // SAFETY: nothing else uses the context, and the call writes `out.len()` bytes.
    assert_eq!(unsafe { sys::EVP_DigestSqueeze(context.raw(), out.as_mut_ptr(), out.len()) }, 1);
}

/// Returns the 32-byte digest of a message.
pub(super) fn digest((md, context): &(Md, Context), message: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    begin(md, context);
    absorb(context, message);
    // SAFETY: nothing else uses the context, and `out` is as long as the digest.
    assert_eq!(unsafe { sys::EVP_DigestFinal_ex(context.raw(), out.as_mut_ptr(), ptr::null_mut()) }, 1);
    out
}

pub(super) fn sha3_256() -> Side {
    let (md, context) = fetch(c"SHA3-256");
    let (messages, mut out) = (hash::pool(), [0_u8; 32]);
    Box::new(move |batch| {
        for message in black_box(&messages).iter().cycle().take(batch) {
            begin(&md, &context);
            absorb(&context, message);
            // SAFETY: nothing else uses the context, and `out` is as long as the digest.
            assert_eq!(unsafe { sys::EVP_DigestFinal_ex(context.raw(), out.as_mut_ptr(), ptr::null_mut()) }, 1);
        }
    })
}

pub(super) fn xof(operation: &str) -> Side {
    let (messages, long, mut out) = (hash::pool(), hash::long(), [0; hash::OUTPUT]);
    let (md, context) = fetch(c"SHAKE-128");
    match operation {
        "digest" => Box::new(move |batch| {
            for message in black_box(&messages).iter().cycle().take(batch) {
                begin(&md, &context);
                absorb(&context, message);
                squeeze(&context, &mut out);
            }
        }),
        "absorb" => each(move || {
            // SAFETY: the call takes no arguments and returns a context that we own.
            let context = Owned::new(unsafe { sys::EVP_MD_CTX_new() }, sys::EVP_MD_CTX_free);
            begin(&md, &context);
            for part in black_box(&long).chunks(hash::PART) {
                absorb(&context, part);
            }
            squeeze(&context, &mut out);
        }),
        _ => Box::new(Squeezing { long, md, context, out }),
    }
}

/// Side that squeezes one context throughout a batch.
struct Squeezing {
    long: Vec<u8>,
    md: Md,
    context: Context,
    out: [u8; hash::OUTPUT],
}

impl Work for Squeezing {
    fn ready(&mut self, _batch: usize) {
        begin(&self.md, &self.context);
        absorb(&self.context, &self.long);
    }

    fn run(&mut self, batch: usize) {
        for _ in 0..batch {
            squeeze(&self.context, black_box(&mut self.out));
        }
    }
}

pub(super) fn hmac(operation: &str) -> Side {
    let (message, key, mut out, mut length) = (symmetric::message(), symmetric::KEY, [0; 32], 0);
    let params = [text(sys::OSSL_ALG_PARAM_DIGEST, c"SHA2-256"), sys::OSSL_PARAM_END];
    // SAFETY: null means the default library context and no properties. We own the objects. The key
    // is passed with its length, and `params` ends with `OSSL_PARAM_END`.
    let context = unsafe {
        let mac = sys::EVP_MAC_fetch(ptr::null_mut(), c"HMAC".as_ptr(), ptr::null());
        let mac = Owned::new(mac, sys::EVP_MAC_free);
        let context = Owned::new(sys::EVP_MAC_CTX_new(mac.raw()), sys::EVP_MAC_CTX_free);
        assert_eq!(sys::EVP_MAC_init(context.raw(), key.as_ptr(), key.len(), params.as_ptr()), 1);
        context
    };
    let anew = operation == "tag encoded";
    each(move || {
        let (key, key_length) = if anew { (key.as_ptr(), key.len()) } else { (ptr::null(), 0) };
        // SAFETY: nothing else uses the context. A null key keeps the current key. The last call
        // writes at most `out.len()` bytes.
        unsafe {
            assert_eq!(sys::EVP_MAC_init(context.raw(), key, key_length, ptr::null()), 1);
            assert_eq!(sys::EVP_MAC_update(context.raw(), message.as_ptr(), message.len()), 1);
            assert_eq!(sys::EVP_MAC_final(context.raw(), out.as_mut_ptr(), &raw mut length, out.len()), 1);
        }
    })
}

pub(super) fn hkdf() -> Side {
    // SAFETY: null means the default library context and no properties. We own both objects.
    let context = unsafe {
        let kdf = sys::EVP_KDF_fetch(ptr::null_mut(), c"HKDF-SHA256".as_ptr(), ptr::null());
        let kdf = Owned::new(kdf, sys::EVP_KDF_free);
        Owned::new(sys::EVP_KDF_CTX_new(kdf.raw()), sys::EVP_KDF_CTX_free)
    };
    let (key, mut out) = (symmetric::KEY, [0_u8; 32]);
    each(move || {
        let params = [
            octets(sys::OSSL_KDF_PARAM_SALT, symmetric::SALT),
            octets(sys::OSSL_KDF_PARAM_KEY, &key),
            octets(sys::OSSL_KDF_PARAM_INFO, symmetric::INFO),
            sys::OSSL_PARAM_END,
        ];
        // SAFETY: nothing else uses the context, `params` ends with `OSSL_PARAM_END`, and the first
        // call writes `out.len()` bytes. Without the reset, the library would append `info` to the
        // previous `info`.
        unsafe {
            assert_eq!(sys::EVP_KDF_derive(context.raw(), out.as_mut_ptr(), out.len(), params.as_ptr()), 1);
            sys::EVP_KDF_CTX_reset(context.raw());
        }
    })
}

pub(super) fn aes_gcm(aead: &Arc<dyn Aead>, operation: &str) -> Side {
    let (key, nonce, none) = (symmetric::KEY, symmetric::NONCE, ptr::null());
    // SAFETY: null means the default library context and no properties. We own both objects.
    let (cipher, context) = unsafe {
        let cipher = sys::EVP_CIPHER_fetch(ptr::null_mut(), c"AES-256-GCM".as_ptr(), ptr::null());
        let context = Owned::new(sys::EVP_CIPHER_CTX_new(), sys::EVP_CIPHER_CTX_free);
        (Owned::new(cipher, sys::EVP_CIPHER_free), context)
    };
    if operation == "seal" {
        // SAFETY: nothing else uses the context, and the key has the cipher's length.
        let done = unsafe { sys::EVP_EncryptInit_ex2(context.raw(), cipher.raw(), key.as_ptr(), none, ptr::null()) };
        assert_eq!(done, 1);
        return symmetric::cipher((symmetric::message(), vec![0; symmetric::TAG]), move |buffer, tag| {
            let (data, size, mut length) = (buffer.as_mut_ptr(), buffer.len() as c_int, 0);
            let (null, nonce, out) = (ptr::null(), nonce.as_ptr(), tag.as_mut_ptr());
            // SAFETY: nothing else uses the context, which keeps its key. OpenSSL allows encryption
            // in place. In this mode `EVP_EncryptFinal_ex` writes nothing, and the last call writes
            // the 16 bytes of `tag`.
            unsafe {
                assert_eq!(sys::EVP_EncryptInit_ex2(context.raw(), ptr::null(), null, nonce, ptr::null()), 1);
                assert_eq!(sys::EVP_EncryptUpdate(context.raw(), data, &raw mut length, data, size), 1);
                assert_eq!(sys::EVP_EncryptFinal_ex(context.raw(), out, &raw mut length), 1);
                let (command, size) = (sys::EVP_CTRL_AEAD_GET_TAG, symmetric::TAG as c_int);
                assert_eq!(sys::EVP_CIPHER_CTX_ctrl(context.raw(), command, size, out.cast()), 1);
            }
        });
    }
    // SAFETY: nothing else uses the context, and the key has the cipher's length.
    let done = unsafe { sys::EVP_DecryptInit_ex2(context.raw(), cipher.raw(), key.as_ptr(), none, ptr::null()) };
    assert_eq!(done, 1);
    symmetric::cipher(symmetric::sealed(aead), move |buffer, tag| {
        let (data, size, mut length) = (buffer.as_mut_ptr(), buffer.len() as c_int, 0);
        let (null, nonce, expected) = (ptr::null(), nonce.as_ptr(), tag.as_mut_ptr());
        // SAFETY: nothing else uses the context, which keeps its key. OpenSSL allows decryption in
        // place. `EVP_CIPHER_CTX_ctrl` copies the tag, and `EVP_DecryptFinal_ex` writes nothing in
        // this mode.
        unsafe {
            assert_eq!(sys::EVP_DecryptInit_ex2(context.raw(), ptr::null(), null, nonce, ptr::null()), 1);
            assert_eq!(sys::EVP_DecryptUpdate(context.raw(), data, &raw mut length, data, size), 1);
            let (command, size) = (sys::EVP_CTRL_AEAD_SET_TAG, symmetric::TAG as c_int);
            assert_eq!(sys::EVP_CIPHER_CTX_ctrl(context.raw(), command, size, expected.cast()), 1);
            assert_eq!(sys::EVP_DecryptFinal_ex(context.raw(), expected, &raw mut length), 1);
        }
    })
}
