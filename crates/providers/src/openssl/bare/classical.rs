//! Direct calls to OpenSSL's ECDSA and RSA. These calls hash the message separately, so that one context serves any
//! number of calls.

use super::symmetric::{digest, fetch, octets, parameter, text};
use crate::interleaved::Side;
use crate::libraries::Owned;
use crate::operations::{each, making, signature};
use pqlab_openssl_sys as sys;
use std::ffi::{CStr, c_int};
use std::ptr;

type Key = Owned<sys::EVP_PKEY>;
type Context = Owned<sys::EVP_PKEY_CTX>;

/// P-256, or secp256k1 with the conventions of ledgers: compressed points and the lower `s`.
#[derive(Clone, Copy)]
struct Curve {
    group: &'static CStr,
    ledger: bool,
}

fn context_of(key: &Key) -> Context {
    // SAFETY: the context holds a separate reference to the key.
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
    // SAFETY: nothing else uses the context, and the array is terminated.
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
    // SAFETY: nothing else uses the context, and the array is terminated.
    unsafe {
        assert_eq!(sys::EVP_PKEY_keygen_init(context.raw()), 1);
        assert_eq!(sys::EVP_PKEY_CTX_set_params(context.raw(), params.as_ptr()), 1);
    }
    context
}

impl Curve {
    fn private(self, scalar: &[u8]) -> Key {
        let mut number: [u8; 32] = scalar.try_into().expect("the value must be 32 bytes long");
        number.reverse();
        let number =
            parameter(sys::OSSL_PKEY_PARAM_PRIV_KEY, sys::OSSL_PARAM_UNSIGNED_INTEGER, number.as_ptr(), number.len());
        let mut params = [text(sys::OSSL_PKEY_PARAM_GROUP_NAME, self.group), number, sys::OSSL_PARAM_END];
        let key = import(c"EC", sys::EVP_PKEY_KEYPAIR, &mut params);
        // Importing alone would accept zero and scalars that are not less than the group order.
        // SAFETY: nothing else uses the context.
        assert_eq!(unsafe { sys::EVP_PKEY_private_check(context_of(&key).raw()) }, 1);
        key
    }

    fn public(self, point: &[u8]) -> Key {
        let point = octets(sys::OSSL_PKEY_PARAM_PUB_KEY, point);
        let mut params = [text(sys::OSSL_PKEY_PARAM_GROUP_NAME, self.group), point, sys::OSSL_PARAM_END];
        import(c"EC", sys::EVP_PKEY_PUBLIC_KEY, &mut params)
    }

    fn write(self, key: &Key, public: &mut [u8], private: &mut [u8]) {
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
        // SAFETY: the call is passed the lengths of both buffers, and the array is terminated.
        unsafe {
            let out = point.as_mut_ptr();
            assert_eq!(sys::EVP_PKEY_get_octet_string_param(key.raw(), part, out, point.len(), &raw mut length), 1);
            assert_eq!(sys::EVP_PKEY_get_params(key.raw(), params.as_mut_ptr()), 1);
        }
        private.reverse();
        if self.ledger {
            public[0] = 2 | (point[64] & 1);
            public[1..].copy_from_slice(&point[1..33]);
        } else {
            public.copy_from_slice(&point);
        }
    }
}

/// Operation for which a context is initialised.
#[derive(Clone, Copy)]
enum Purpose {
    Sign,
    Verify,
}

fn context(key: &Key, scheme: &Owned<sys::EVP_SIGNATURE>, purpose: Purpose, params: &[sys::OSSL_PARAM]) -> Context {
    let context = context_of(key);
    // SAFETY: nothing else uses the context, and the array is terminated.
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

/// Returns the direct calls for ECDSA. Signatures stay in DER, OpenSSL's format. The conversion to and from `r || s`
/// belongs to the adapter's overhead.
pub(super) fn ecdsa(inputs: &signature::Inputs, operation: &str, ledger: bool) -> Option<Side> {
    let curve = Curve { group: if ledger { c"secp256k1" } else { c"P-256" }, ledger };
    let generator = generator(c"EC", &[text(sys::OSSL_PKEY_PARAM_GROUP_NAME, curve.group), sys::OSSL_PARAM_END]);
    let (scheme, hash) = (scheme(c"ECDSA"), fetch(c"SHA2-256"));
    let params = [text(sys::OSSL_ALG_PARAM_DIGEST, c"SHA2-256"), sys::OSSL_PARAM_END];
    let (mut public_out, mut private_out, _) = inputs.room();
    let (_, scalar) = inputs.private("");
    let (public, message, mut out) = (inputs.public.clone(), inputs.message.clone(), [0; 104]);
    let mut der = [0; 104];
    let length =
        sign(&context(&curve.private(&scalar), &scheme, Purpose::Sign, &params), &digest(&hash, &message), &mut der);
    Some(match operation {
        "keygen" => making(move || generate(&generator)),
        "keygen coins=exact" => making(move || curve.private(&scalar)),
        "keygen encoded" => each(move || curve.write(&generate(&generator), &mut public_out, &mut private_out)),
        "keygen encoded coins=exact" => {
            each(move || curve.write(&curve.private(&scalar), &mut public_out, &mut private_out))
        }
        "sign" => {
            let context = context(&curve.private(&scalar), &scheme, Purpose::Sign, &params);
            each(move || {
                sign(&context, &digest(&hash, &message), &mut out);
            })
        }
        "sign deterministic" => {
            let context = context(&curve.private(&scalar), &scheme, Purpose::Sign, &params);
            let nonce: std::ffi::c_uint = 1;
            let nonce = (&raw const nonce).cast();
            let kind = sys::OSSL_PARAM_UNSIGNED_INTEGER;
            let nonce = [parameter(sys::OSSL_SIGNATURE_PARAM_NONCE_TYPE, kind, nonce, 4), sys::OSSL_PARAM_END];
            // SAFETY: nothing else uses the context, the array is terminated, and the number in the array is alive.
            assert_eq!(unsafe { sys::EVP_PKEY_CTX_set_params(context.raw(), nonce.as_ptr()) }, 1);
            each(move || {
                sign(&context, &digest(&hash, &message), &mut out);
            })
        }
        "sign encoded key=scalar" => each(move || {
            let context = context(&curve.private(&scalar), &scheme, Purpose::Sign, &params);
            sign(&context, &digest(&hash, &message), &mut out);
        }),
        "verify" => {
            let context = context(&curve.public(&public), &scheme, Purpose::Verify, &params);
            each(move || verify(&context, &digest(&hash, &message), &der[..length]))
        }
        "verify encoded" => each(move || {
            let context = context(&curve.public(&public), &scheme, Purpose::Verify, &params);
            verify(&context, &digest(&hash, &message), &der[..length]);
        }),
        _ => return None,
    })
}

/// Decodes an RSA key from DER.
fn read(selection: c_int, bytes: &[u8]) -> Key {
    let (mut data, mut rest, mut key) = (bytes.as_ptr(), bytes.len(), ptr::null_mut());
    // SAFETY: null means the default library context and no properties. The decoder sets `key`, which outlives the
    // decoder.
    unsafe {
        let (kind, structure, name) = (c"DER".as_ptr(), c"type-specific".as_ptr(), c"RSA".as_ptr());
        let (null, none) = (ptr::null_mut(), ptr::null());
        let decoder = sys::OSSL_DECODER_CTX_new_for_pkey(&raw mut key, kind, structure, name, selection, null, none);
        let decoder = Owned::new(decoder, sys::OSSL_DECODER_CTX_free);
        assert_eq!(sys::OSSL_DECODER_from_data(decoder.raw(), &raw mut data, &raw mut rest), 1);
        sys::ERR_clear_error();
    }
    Owned::new(key, sys::EVP_PKEY_free)
}

pub(super) fn rsa(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
    let (scheme, hash) = (scheme(c"RSA"), fetch(c"SHA2-256"));
    let params = [
        text(sys::OSSL_SIGNATURE_PARAM_PAD_MODE, c"pkcs1"),
        text(sys::OSSL_ALG_PARAM_DIGEST, c"SHA2-256"),
        sys::OSSL_PARAM_END,
    ];
    let (_, private) = inputs.private("");
    let (public, message, signature) = (inputs.public.clone(), inputs.message.clone(), inputs.signature.clone());
    let mut out = [0; 256];
    Some(match operation {
        "sign" => {
            let context = context(&read(sys::EVP_PKEY_KEYPAIR, &private), &scheme, Purpose::Sign, &params);
            each(move || {
                sign(&context, &digest(&hash, &message), &mut out);
            })
        }
        "sign encoded key=der" => each(move || {
            let context = context(&read(sys::EVP_PKEY_KEYPAIR, &private), &scheme, Purpose::Sign, &params);
            sign(&context, &digest(&hash, &message), &mut out);
        }),
        "verify" => {
            let context = context(&read(sys::EVP_PKEY_PUBLIC_KEY, &public), &scheme, Purpose::Verify, &params);
            each(move || verify(&context, &digest(&hash, &message), &signature))
        }
        "verify encoded" => each(move || {
            let context = context(&read(sys::EVP_PKEY_PUBLIC_KEY, &public), &scheme, Purpose::Verify, &params);
            verify(&context, &digest(&hash, &message), &signature);
        }),
        _ => return None,
    })
}
