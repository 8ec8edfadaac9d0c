//! Direct calls to OpenSSL's ECDSA over secp256k1. Public keys are compressed. These calls hash the
//! message separately, so that one context serves any number of calls.

use super::symmetric::{digest, fetch, octets, parameter, text};
use crate::interleaved::Side;
use crate::libraries::Owned;
use crate::operations::{each, making, signature};
use pqlab_openssl_sys as sys;
use std::ffi::{CStr, c_int};
use std::ptr;

type Key = Owned<sys::EVP_PKEY>;
type Context = Owned<sys::EVP_PKEY_CTX>;

const GROUP: &CStr = c"secp256k1";

fn context_of(key: &Key) -> Context {
    // SAFETY: the context takes its own reference to the key.
    let context = unsafe { sys::EVP_PKEY_CTX_new_from_pkey(ptr::null_mut(), key.raw(), ptr::null()) };
    Owned::new(context, sys::EVP_PKEY_CTX_free)
}

fn context_of_name(name: &CStr) -> Context {
    // SAFETY: null means the default library context and no properties.
    let context = unsafe { sys::EVP_PKEY_CTX_new_from_name(ptr::null_mut(), name.as_ptr(), ptr::null()) };
    Owned::new(context, sys::EVP_PKEY_CTX_free)
}

fn import(name: &CStr, selection: c_int, params: &mut [sys::OSSL_PARAM]) -> Key {
    let (context, mut key) = (context_of_name(name), ptr::null_mut());
    // SAFETY: nothing else uses the context, and `params` ends with `OSSL_PARAM_END`.
    unsafe {
        assert_eq!(sys::EVP_PKEY_fromdata_init(context.raw()), 1);
        assert_eq!(sys::EVP_PKEY_fromdata(context.raw(), &raw mut key, selection, params.as_mut_ptr()), 1);
    }
    Owned::new(key, sys::EVP_PKEY_free)
}

fn generate(generator: &Context) -> Key {
    let mut key = ptr::null_mut();
    // SAFETY: the context is set up for key generation, and nothing else uses it.
    assert_eq!(unsafe { sys::EVP_PKEY_generate(generator.raw(), &raw mut key) }, 1);
    Owned::new(key, sys::EVP_PKEY_free)
}

fn generator(name: &CStr, params: &[sys::OSSL_PARAM]) -> Context {
    let context = context_of_name(name);
    // SAFETY: nothing else uses the context, and `params` ends with `OSSL_PARAM_END`.
    unsafe {
        assert_eq!(sys::EVP_PKEY_keygen_init(context.raw()), 1);
        assert_eq!(sys::EVP_PKEY_CTX_set_params(context.raw(), params.as_ptr()), 1);
    }
    context
}

fn private_key(scalar: &[u8]) -> Key {
    let mut number: [u8; 32] = scalar.try_into().expect("the value must be 32 bytes long");
    number.reverse();
    let number =
        parameter(sys::OSSL_PKEY_PARAM_PRIV_KEY, sys::OSSL_PARAM_UNSIGNED_INTEGER, number.as_ptr(), number.len());
    let mut params = [text(sys::OSSL_PKEY_PARAM_GROUP_NAME, GROUP), number, sys::OSSL_PARAM_END];
    let key = import(c"EC", sys::EVP_PKEY_KEYPAIR, &mut params);
    // The import accepts zero and scalars greater than or equal to the group order, so check the
    // key.
    // SAFETY: nothing else uses the context.
    assert_eq!(unsafe { sys::EVP_PKEY_private_check(context_of(&key).raw()) }, 1);
    key
}

fn public_key(point: &[u8]) -> Key {
    let point = octets(sys::OSSL_PKEY_PARAM_PUB_KEY, point);
    let mut params = [text(sys::OSSL_PKEY_PARAM_GROUP_NAME, GROUP), point, sys::OSSL_PARAM_END];
    import(c"EC", sys::EVP_PKEY_PUBLIC_KEY, &mut params)
}

fn write(key: &Key, public: &mut [u8], private: &mut [u8]) {
    let (mut point, mut length) = ([0_u8; 65], 0);
    let mut params = [
        sys::OSSL_PARAM {
            key: sys::OSSL_PKEY_PARAM_PRIV_KEY.as_ptr(),
            data_type: sys::OSSL_PARAM_UNSIGNED_INTEGER,
            data: private.as_mut_ptr().cast(),
            data_size: private.len(),
            return_size: sys::OSSL_PARAM_UNMODIFIED,
        },
        sys::OSSL_PARAM_END,
    ];
    let part = sys::OSSL_PKEY_PARAM_PUB_KEY.as_ptr();
    // SAFETY: the pointer and length describe `point`. `params` describes `private` and ends with
    // `OSSL_PARAM_END`.
    unsafe {
        let out = point.as_mut_ptr();
        assert_eq!(sys::EVP_PKEY_get_octet_string_param(key.raw(), part, out, point.len(), &raw mut length), 1);
        assert_eq!(sys::EVP_PKEY_get_params(key.raw(), params.as_mut_ptr()), 1);
    }
    private.reverse();
    public[0] = 2 | (point[64] & 1);
    public[1..].copy_from_slice(&point[1..33]);
}

/// Operation for which a context is initialized.
#[derive(Clone, Copy)]
enum Purpose {
    Sign,
    Verify,
}

fn context(key: &Key, scheme: &Owned<sys::EVP_SIGNATURE>, purpose: Purpose, params: &[sys::OSSL_PARAM]) -> Context {
    let context = context_of(key);
    // SAFETY: nothing else uses the context, and `params` ends with `OSSL_PARAM_END`.
    let done = unsafe {
        match purpose {
            Purpose::Sign => sys::EVP_PKEY_sign_init_ex2(context.raw(), scheme.raw(), params.as_ptr()),
            Purpose::Verify => sys::EVP_PKEY_verify_init_ex2(context.raw(), scheme.raw(), params.as_ptr()),
        }
    };
    assert_eq!(done, 1);
    context
}

fn scheme(name: &CStr) -> Owned<sys::EVP_SIGNATURE> {
    // SAFETY: null means the default library context and no properties.
    let fetched = unsafe { sys::EVP_SIGNATURE_fetch(ptr::null_mut(), name.as_ptr(), ptr::null()) };
    Owned::new(fetched, sys::EVP_SIGNATURE_free)
}

/// Signs a digest and returns the signature's length in bytes. ECDSA signatures are encoded in DER.
fn sign(context: &Context, digest: &[u8; 32], out: &mut [u8]) -> usize {
    let (mut length, signature) = (out.len(), out.as_mut_ptr());
    // SAFETY: nothing else uses the context, and `length` is the length of `out`.
    let done = unsafe { sys::EVP_PKEY_sign(context.raw(), signature, &raw mut length, digest.as_ptr(), digest.len()) };
    assert_eq!(done, 1);
    length
}

fn verify(context: &Context, digest: &[u8; 32], signature: &[u8]) {
    let (signature, length) = (signature.as_ptr(), signature.len());
    // SAFETY: nothing else uses the context, and the call only reads both slices.
    let done = unsafe { sys::EVP_PKEY_verify(context.raw(), signature, length, digest.as_ptr(), digest.len()) };
    assert_eq!(done, 1);
}

/// Returns the direct calls for ECDSA. Signatures stay in DER, OpenSSL's format, because the
/// conversion to and from `r || s` counts as the adapter's overhead.
pub(super) fn ecdsa(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
    let generator = generator(c"EC", &[text(sys::OSSL_PKEY_PARAM_GROUP_NAME, GROUP), sys::OSSL_PARAM_END]);
    let (scheme, hash) = (scheme(c"ECDSA"), fetch(c"SHA2-256"));
    let params = [text(sys::OSSL_ALG_PARAM_DIGEST, c"SHA2-256"), sys::OSSL_PARAM_END];
    let (mut public_out, mut private_out, _) = inputs.room();
    let (_, scalar) = inputs.private("");
    let (public, message, mut out) = (inputs.public.clone(), inputs.message.clone(), [0; 104]);
    let mut der = [0; 104];
    let length =
        sign(&context(&private_key(&scalar), &scheme, Purpose::Sign, &params), &digest(&hash, &message), &mut der);
    Some(match operation {
        "keygen" => making(move || generate(&generator)),
        "keygen encoded" => each(move || write(&generate(&generator), &mut public_out, &mut private_out)),
        "sign" => {
            let context = context(&private_key(&scalar), &scheme, Purpose::Sign, &params);
            each(move || {
                sign(&context, &digest(&hash, &message), &mut out);
            })
        }
        "sign deterministic" => {
            let context = context(&private_key(&scalar), &scheme, Purpose::Sign, &params);
            let nonce: std::ffi::c_uint = 1;
            let nonce = (&raw const nonce).cast();
            let kind = sys::OSSL_PARAM_UNSIGNED_INTEGER;
            let nonce = [parameter(sys::OSSL_SIGNATURE_PARAM_NONCE_TYPE, kind, nonce, 4), sys::OSSL_PARAM_END];
            // SAFETY: nothing else uses the context. `nonce` ends with `OSSL_PARAM_END` and points
            // to an integer that is still in scope.
            assert_eq!(unsafe { sys::EVP_PKEY_CTX_set_params(context.raw(), nonce.as_ptr()) }, 1);
            each(move || {
                sign(&context, &digest(&hash, &message), &mut out);
            })
        }
        "sign encoded key=scalar" => each(move || {
            let context = context(&private_key(&scalar), &scheme, Purpose::Sign, &params);
            sign(&context, &digest(&hash, &message), &mut out);
        }),
        "verify" => {
            let context = context(&public_key(&public), &scheme, Purpose::Verify, &params);
            each(move || verify(&context, &digest(&hash, &message), &der[..length]))
        }
        "verify encoded" => each(move || {
            let context = context(&public_key(&public), &scheme, Purpose::Verify, &params);
            verify(&context, &digest(&hash, &message), &der[..length]);
        }),
        _ => return None,
    })
}
