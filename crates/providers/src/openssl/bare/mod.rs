//! Direct calls to OpenSSL 4 through the `EVP_PKEY` interface. Set-up fetches the algorithms and, for prepared keys,
//! creates the contexts in advance.

mod ecdsa;
mod symmetric;

use crate::interleaved::Side;
use crate::libraries::{Bare, Owned};
use crate::operations::{agreement, each, kem, making, signature};
use pqlab_openssl_sys as sys;
use pqlab_primitives::{Aead, Kdf, KeyEncoding, Mac};
use std::ffi::{CStr, CString, c_int};
use std::ptr;
use std::sync::Arc;

pub(crate) const BARE: &[&dyn Bare] = &[&OpenSsl];

struct OpenSsl;

impl Bare for OpenSsl {
    fn library(&self) -> &'static str {
        "openssl"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &[]
    }

    fn is_general(&self) -> bool {
        true
    }

    fn kem(&self, inputs: &kem::Inputs, operation: &str) -> Option<Side> {
        ml_kem(inputs, operation)
    }

    fn signature(&self, inputs: &signature::Inputs, operation: &str) -> Option<Side> {
        match inputs.scheme.info().parameters.algorithm.as_ref() {
            "ECDSA-secp256k1" => ecdsa::ecdsa(inputs, operation),
            _ => signature(inputs, operation),
        }
    }

    fn agreement(&self, inputs: &agreement::Inputs, operation: &str) -> Option<Side> {
        let (private, peer) = (inputs.private.clone(), inputs.peer.clone());
        let mut secret = [0; 32];
        Some(match operation {
            "agree" => {
                let context = context(&private_key(c"X25519", &private), Purpose::Derive);
                each(move || derive(&context, &public_key(c"X25519", &peer), &mut secret))
            }
            "agree encoded" => each(move || {
                let context = context(&private_key(c"X25519", &private), Purpose::Derive);
                derive(&context, &public_key(c"X25519", &peer), &mut secret);
            }),
            _ => return x25519_keygen(operation),
        })
    }

    fn hash(&self, _provider: &str, _algorithm: &str) -> Option<Side> {
        Some(symmetric::sha3_256())
    }

    fn xof(&self, _provider: &str, _algorithm: &str, operation: &str) -> Option<Side> {
        Some(symmetric::xof(operation))
    }

    fn mac(&self, _mac: &Arc<dyn Mac>, operation: &str) -> Option<Side> {
        Some(symmetric::hmac(operation))
    }

    fn kdf(&self, _kdf: &Arc<dyn Kdf>) -> Option<Side> {
        Some(symmetric::hkdf())
    }

    fn aead(&self, aead: &Arc<dyn Aead>, operation: &str) -> Option<Side> {
        Some(symmetric::aes_gcm(aead, operation))
    }
}

type Key = Owned<sys::EVP_PKEY>;
type Context = Owned<sys::EVP_PKEY_CTX>;

/// Operation for which a key's context is initialized.
#[derive(Clone, Copy)]
enum Purpose {
    Encapsulate,
    Decapsulate,
    Derive,
}

fn context(key: &Key, purpose: Purpose) -> Context {
    // SAFETY: nothing else uses the context, which takes its own reference to the key.
    unsafe {
        let context = sys::EVP_PKEY_CTX_new_from_pkey(ptr::null_mut(), key.raw(), ptr::null());
        let context = Owned::new(context, sys::EVP_PKEY_CTX_free);
        assert_eq!(begin(&context, purpose), 1);
        context
    }
}

/// Initializes the context for an operation. Returns 1 on success.
///
/// # Safety
/// The context must contain a key, and only the caller may use the context.
unsafe fn begin(context: &Context, purpose: Purpose) -> c_int {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        match purpose {
            Purpose::Encapsulate => sys::EVP_PKEY_encapsulate_init(context.raw(), ptr::null()),
            Purpose::Decapsulate => sys::EVP_PKEY_decapsulate_init(context.raw(), ptr::null()),
            Purpose::Derive => sys::EVP_PKEY_derive_init(context.raw()),
        }
    }
}

fn generator(name: &CStr) -> Context {
    // SAFETY: nothing else uses the context.
    unsafe {
        let context = sys::EVP_PKEY_CTX_new_from_name(ptr::null_mut(), name.as_ptr(), ptr::null());
        let context = Owned::new(context, sys::EVP_PKEY_CTX_free);
        assert_eq!(sys::EVP_PKEY_keygen_init(context.raw()), 1);
        context
    }
}

fn generate(generator: &Context) -> Key {
    let mut key = ptr::null_mut();
    // SAFETY: nothing else uses the context.
    assert_eq!(unsafe { sys::EVP_PKEY_generate(generator.raw(), &raw mut key) }, 1);
    Owned::new(key, sys::EVP_PKEY_free)
}

/// Imports a key pair from a seed.
fn imported(name: &CStr, seed: &[u8]) -> Key {
    let mut params = [symmetric::octets(sys::OSSL_PKEY_PARAM_SEED, seed), sys::OSSL_PARAM_END];
    let mut key = ptr::null_mut();
    // SAFETY: nothing else uses the context, and `params` ends with `OSSL_PARAM_END`.
    unsafe {
        let context = sys::EVP_PKEY_CTX_new_from_name(ptr::null_mut(), name.as_ptr(), ptr::null());
        let context = Owned::new(context, sys::EVP_PKEY_CTX_free);
        assert_eq!(sys::EVP_PKEY_fromdata_init(context.raw()), 1);
        let done = sys::EVP_PKEY_fromdata(context.raw(), &raw mut key, sys::EVP_PKEY_KEYPAIR, params.as_mut_ptr());
        assert_eq!(done, 1);
    }
    Owned::new(key, sys::EVP_PKEY_free)
}

fn public_key(name: &CStr, bytes: &[u8]) -> Key {
    let (null, bytes, length) = (ptr::null_mut(), bytes.as_ptr(), bytes.len());
    // SAFETY: `length` is the length of `bytes`.
    let key = unsafe { sys::EVP_PKEY_new_raw_public_key_ex(null, name.as_ptr(), ptr::null(), bytes, length) };
    Owned::new(key, sys::EVP_PKEY_free)
}

fn private_key(name: &CStr, bytes: &[u8]) -> Key {
    let (null, bytes, length) = (ptr::null_mut(), bytes.as_ptr(), bytes.len());
    // SAFETY: `length` is the length of `bytes`.
    let key = unsafe { sys::EVP_PKEY_new_raw_private_key_ex(null, name.as_ptr(), ptr::null(), bytes, length) };
    Owned::new(key, sys::EVP_PKEY_free)
}

fn write_public(key: &Key, out: &mut [u8]) {
    let mut length = out.len();
    // SAFETY: `length` is the length of `out`.
    assert_eq!(unsafe { sys::EVP_PKEY_get_raw_public_key(key.raw(), out.as_mut_ptr(), &raw mut length) }, 1);
}

fn write_private(key: &Key, out: &mut [u8]) {
    let mut length = out.len();
    // SAFETY: `length` is the length of `out`.
    assert_eq!(unsafe { sys::EVP_PKEY_get_raw_private_key(key.raw(), out.as_mut_ptr(), &raw mut length) }, 1);
}

fn write_seed(key: &Key, out: &mut [u8]) {
    let (part, mut length) = (sys::OSSL_PKEY_PARAM_SEED.as_ptr(), 0);
    // SAFETY: the call writes at most `out.len()` bytes.
    let done =
        unsafe { sys::EVP_PKEY_get_octet_string_param(key.raw(), part, out.as_mut_ptr(), out.len(), &raw mut length) };
    assert_eq!(done, 1);
}

fn encapsulate(context: &Context, ciphertext: &mut [u8], secret: &mut [u8]) {
    let (mut length, mut secret_length) = (ciphertext.len(), secret.len());
    let (ciphertext, secret) = (ciphertext.as_mut_ptr(), secret.as_mut_ptr());
    // SAFETY: nothing else uses the context, and each pointer is passed with the length of its
    // buffer.
    let done = unsafe {
        sys::EVP_PKEY_encapsulate(context.raw(), ciphertext, &raw mut length, secret, &raw mut secret_length)
    };
    assert_eq!(done, 1);
}

fn decapsulate(context: &Context, ciphertext: &[u8], secret: &mut [u8]) {
    let mut length = secret.len();
    let (secret, ciphertext, size) = (secret.as_mut_ptr(), ciphertext.as_ptr(), ciphertext.len());
    // SAFETY: nothing else uses the context, and each pointer is passed with the length of its
    // buffer.
    assert_eq!(unsafe { sys::EVP_PKEY_decapsulate(context.raw(), secret, &raw mut length, ciphertext, size) }, 1);
}

fn derive(context: &Context, peer: &Key, secret: &mut [u8]) {
    let mut length = secret.len();
    // SAFETY: nothing else uses the context, which takes its own reference to the peer's key.
    // `length` is the length of `secret`.
    unsafe {
        assert_eq!(sys::EVP_PKEY_derive_set_peer_ex(context.raw(), peer.raw(), 0), 1);
        assert_eq!(sys::EVP_PKEY_derive(context.raw(), secret.as_mut_ptr(), &raw mut length), 1);
    }
}

fn ml_kem(inputs: &kem::Inputs, operation: &str) -> Option<Side> {
    const NAME: &CStr = c"ML-KEM-512";
    let generator = generator(NAME);
    let (public, ciphertext) = (inputs.public.clone(), inputs.ciphertext.clone());
    let (_, private) = inputs.private(operation);
    let (_, mut seed_out, mut secret) = inputs.room();
    let (mut public_out, mut out) = (vec![0; public.len()], vec![0; ciphertext.len()]);
    let mut write = move |key: &Key| {
        write_public(key, &mut public_out);
        write_seed(key, &mut seed_out);
    };
    Some(match operation {
        "keygen" => making(move || generate(&generator)),
        "keygen encoded" => each(move || write(&generate(&generator))),
        "encapsulate" => {
            let context = context(&public_key(NAME, &public), Purpose::Encapsulate);
            each(move || encapsulate(&context, &mut out, &mut secret))
        }
        "encapsulate encoded" => each(move || {
            encapsulate(&context(&public_key(NAME, &public), Purpose::Encapsulate), &mut out, &mut secret);
        }),
        "decapsulate" => {
            let context = context(&imported(NAME, &private), Purpose::Decapsulate);
            each(move || decapsulate(&context, &ciphertext, &mut secret))
        }
        "decapsulate encoded key=seed" => each(move || {
            decapsulate(&context(&imported(NAME, &private), Purpose::Decapsulate), &ciphertext, &mut secret);
        }),
        "decapsulate encoded key=expanded" => each(move || {
            decapsulate(&context(&private_key(NAME, &private), Purpose::Decapsulate), &ciphertext, &mut secret);
        }),
        _ => return None,
    })
}

fn x25519_keygen(operation: &str) -> Option<Side> {
    const NAME: &CStr = c"X25519";
    let generator = generator(NAME);
    let (mut public, mut private) = ([0; 32], [0; 32]);
    let mut write = move |key: &Key| {
        write_public(key, &mut public);
        write_private(key, &mut private);
    };
    Some(match operation {
        "keygen" => making(move || generate(&generator)),
        "keygen encoded" => each(move || write(&generate(&generator))),
        _ => return None,
    })
}

/// Returns the direct calls for an ML-DSA or Ed25519 operation.
fn signature(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
    let info = inputs.scheme.info();
    let algorithm = info.parameters.algorithm.to_string();
    let name = CString::new(algorithm.as_str()).ok()?;
    let generator = generator(&name);
    let fetch = |name: &CStr| {
        // SAFETY: null means the default library context and no properties.
        let fetched = unsafe { sys::EVP_SIGNATURE_fetch(ptr::null_mut(), name.as_ptr(), ptr::null()) };
        Owned::new(fetched, sys::EVP_SIGNATURE_free)
    };
    let scheme = fetch(&name);
    let (mut public_out, mut private_out, mut out) = inputs.room();
    let (encoding, bytes) = inputs.private(operation);
    let (public, message, signature) = (inputs.public.clone(), inputs.message.clone(), inputs.signature.clone());
    let prehashed = inputs.prehashed.clone();
    // OpenSSL imports ML-DSA seeds and ML-DSA private keys through different calls. For the other
    // schemes, the encoded key is the private key.
    let seeded = algorithm.starts_with("ML-DSA") && encoding == KeyEncoding::Seed;
    let load = {
        let name = name.clone();
        move |bytes: &[u8]| if seeded { imported(&name, bytes) } else { private_key(&name, bytes) }
    };
    let signing = |key: &Key, scheme: &Owned<sys::EVP_SIGNATURE>| {
        let context = operation_context(key);
        // SAFETY: nothing else uses the context. Null means no parameters.
        assert_eq!(unsafe { sys::EVP_PKEY_sign_message_init(context.raw(), scheme.raw(), ptr::null()) }, 1);
        context
    };
    let verifying = |key: &Key, scheme: &Owned<sys::EVP_SIGNATURE>| {
        let context = operation_context(key);
        // SAFETY: nothing else uses the context. Null means no parameters.
        assert_eq!(unsafe { sys::EVP_PKEY_verify_message_init(context.raw(), scheme.raw(), ptr::null()) }, 1);
        context
    };
    let own_is_seed = algorithm.starts_with("ML-DSA") && info.encodings[0] == KeyEncoding::Seed;
    let mut write = move |key: &Key| {
        write_public(key, &mut public_out);
        if own_is_seed { write_seed(key, &mut private_out) } else { write_private(key, &mut private_out) }
    };
    Some(match operation {
        "keygen" => making(move || generate(&generator)),
        "keygen encoded" => each(move || write(&generate(&generator))),
        "sign" => {
            let context = signing(&load(&bytes), &scheme);
            each(move || sign(&context, &message, &mut out))
        }
        "sign deterministic" => {
            let context = signing(&load(&bytes), &scheme);
            let one: c_int = 1;
            let params = [symmetric::int(sys::OSSL_SIGNATURE_PARAM_DETERMINISTIC, &one), sys::OSSL_PARAM_END];
            // SAFETY: nothing else uses the context, and `params` ends with `OSSL_PARAM_END`.
            assert_eq!(unsafe { sys::EVP_PKEY_CTX_set_params(context.raw(), params.as_ptr()) }, 1);
            each(move || sign(&context, &message, &mut out))
        }
        "sign prehash" => {
            let context = signing(&load(&bytes), &fetch(c"ED25519ph"));
            each(move || sign(&context, &message, &mut out))
        }
        "verify" => {
            let context = verifying(&public_key(&name, &public), &scheme);
            each(move || verify(&context, &message, &signature))
        }
        "verify encoded" => {
            each(move || verify(&verifying(&public_key(&name, &public), &scheme), &message, &signature))
        }
        "verify prehash" => {
            let context = verifying(&public_key(&name, &public), &fetch(c"ED25519ph"));
            each(move || verify(&context, &message, &prehashed))
        }
        _ => each(move || sign(&signing(&load(&bytes), &scheme), &message, &mut out)),
    })
}

fn operation_context(key: &Key) -> Context {
    // SAFETY: the context takes its own reference to the key.
    let context = unsafe { sys::EVP_PKEY_CTX_new_from_pkey(ptr::null_mut(), key.raw(), ptr::null()) };
    Owned::new(context, sys::EVP_PKEY_CTX_free)
}

fn sign(context: &Context, message: &[u8], out: &mut [u8]) {
    let (mut length, signature) = (out.len(), out.as_mut_ptr());
    // SAFETY: nothing else uses the context, and `length` is the length of `out`.
    let done =
        unsafe { sys::EVP_PKEY_sign(context.raw(), signature, &raw mut length, message.as_ptr(), message.len()) };
    assert_eq!(done, 1);
}

fn verify(context: &Context, message: &[u8], signature: &[u8]) {
    let (signature, length) = (signature.as_ptr(), signature.len());
    // SAFETY: nothing else uses the context, and the call only reads both slices.
    let done = unsafe { sys::EVP_PKEY_verify(context.raw(), signature, length, message.as_ptr(), message.len()) };
    assert_eq!(done, 1);
}
