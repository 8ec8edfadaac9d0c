//! AWS-LC: its `EVP_PKEY` and one-shot functions, with contexts that are made beforehand where the key is.

use super::{Bare, Owned, aws_lc_other as other};
use crate::interleaved::Side;
use crate::operations::{agreement, each, kem, making, signature};
use aws_lc_sys as aws;
use pqlab_primitives::{Aead, Kdf, KeyEncoding, Mac};
use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::Arc;

pub(crate) struct AwsLc;

impl Bare for AwsLc {
    fn library(&self) -> &'static str {
        "aws-lc"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["RSA-2048"]
    }

    fn is_general(&self) -> bool {
        true
    }

    fn kem(&self, inputs: &kem::Inputs, operation: &str) -> Option<Side> {
        let algorithm = inputs.kem.info().parameters.algorithm.clone();
        if algorithm == "X25519" { other::x25519_kem(inputs, operation) } else { ml_kem(inputs, operation) }
    }

    fn signature(&self, inputs: &signature::Inputs, operation: &str) -> Option<Side> {
        match inputs.scheme.info().parameters.algorithm.as_ref() {
            "ML-DSA-44" => ml_dsa(inputs, operation),
            "Ed25519" => other::ed25519(inputs, operation),
            "RSA-2048" => other::rsa(inputs, operation),
            "ECDSA-secp256k1" => other::ecdsa(inputs, operation, true),
            _ => other::ecdsa(inputs, operation, false),
        }
    }

    fn agreement(&self, inputs: &agreement::Inputs, operation: &str) -> Option<Side> {
        other::x25519(inputs, operation)
    }

    fn hash(&self, _provider: &str, algorithm: &str) -> Option<Side> {
        other::hash(algorithm)
    }

    fn xof(&self, _provider: &str, _algorithm: &str, operation: &str) -> Option<Side> {
        other::xof(operation)
    }

    fn mac(&self, _mac: &Arc<dyn Mac>, operation: &str) -> Option<Side> {
        Some(other::hmac(operation))
    }

    fn kdf(&self, _kdf: &Arc<dyn Kdf>) -> Option<Side> {
        Some(other::hkdf())
    }

    fn aead(&self, aead: &Arc<dyn Aead>, operation: &str) -> Option<Side> {
        Some(other::aes_gcm(aead, operation))
    }
}

type Key = Owned<aws::EVP_PKEY>;
type Context = Owned<aws::EVP_PKEY_CTX>;
type Digest = Owned<aws::EVP_MD_CTX>;

fn context(key: &Key) -> Context {
    // SAFETY: the context counts its own reference to the key.
    Owned::new(unsafe { aws::EVP_PKEY_CTX_new(key.raw(), null_mut()) }, aws::EVP_PKEY_CTX_free)
}

fn generator(kind: c_int, set: unsafe extern "C" fn(*mut aws::EVP_PKEY_CTX, c_int) -> c_int, nid: c_int) -> Context {
    // SAFETY: makes a context, which is ours alone.
    unsafe {
        let context = Owned::new(aws::EVP_PKEY_CTX_new_id(kind, null_mut()), aws::EVP_PKEY_CTX_free);
        assert_eq!(set(context.raw(), nid), 1);
        assert_eq!(aws::EVP_PKEY_keygen_init(context.raw()), 1);
        context
    }
}

fn generate(generator: &Context) -> Key {
    let mut key = null_mut();
    // SAFETY: the context is a generator and ours alone.
    assert_eq!(unsafe { aws::EVP_PKEY_keygen(generator.raw(), &raw mut key) }, 1);
    Owned::new(key, aws::EVP_PKEY_free)
}

fn from_seed(generator: &Context, seed: &[u8]) -> Key {
    let (mut key, mut length) = (null_mut(), seed.len());
    // SAFETY: the context is a generator and ours alone; the seed has the length that is stated.
    let done =
        unsafe { aws::EVP_PKEY_keygen_deterministic(generator.raw(), &raw mut key, seed.as_ptr(), &raw mut length) };
    assert_eq!(done, 1);
    Owned::new(key, aws::EVP_PKEY_free)
}

/// Writes both halves, the private one expanded.
fn write(key: &Key, public: &mut [u8], private: &mut [u8]) {
    let (mut public_length, mut private_length) = (public.len(), private.len());
    // SAFETY: both buffers have room for as many bytes as is stated.
    unsafe {
        assert_eq!(aws::EVP_PKEY_get_raw_public_key(key.raw(), public.as_mut_ptr(), &raw mut public_length), 1);
        assert_eq!(aws::EVP_PKEY_get_raw_private_key(key.raw(), private.as_mut_ptr(), &raw mut private_length), 1);
    }
}

fn encapsulate(context: &Context, ciphertext: &mut [u8], secret: &mut [u8]) {
    let (mut length, mut secret_length) = (ciphertext.len(), secret.len());
    // SAFETY: the context is ours alone; both buffers have room for as many bytes as is stated.
    let done = unsafe {
        let (ciphertext, secret) = (ciphertext.as_mut_ptr(), secret.as_mut_ptr());
        aws::EVP_PKEY_encapsulate(context.raw(), ciphertext, &raw mut length, secret, &raw mut secret_length)
    };
    assert_eq!(done, 1);
}

fn decapsulate(context: &Context, ciphertext: &[u8], secret: &mut [u8]) {
    let mut length = secret.len();
    // SAFETY: the context is ours alone; the secret has room for `length` bytes, the ciphertext its own length.
    let done = unsafe {
        let (secret, ciphertext, size) = (secret.as_mut_ptr(), ciphertext.as_ptr(), ciphertext.len());
        aws::EVP_PKEY_decapsulate(context.raw(), secret, &raw mut length, ciphertext, size)
    };
    assert_eq!(done, 1);
}

fn public_key(nid: c_int, bytes: &[u8]) -> Key {
    // SAFETY: the buffer has the length that is stated.
    Owned::new(unsafe { aws::EVP_PKEY_kem_new_raw_public_key(nid, bytes.as_ptr(), bytes.len()) }, aws::EVP_PKEY_free)
}

fn secret_key(nid: c_int, bytes: &[u8]) -> Key {
    // SAFETY: the buffer has the length that is stated.
    Owned::new(unsafe { aws::EVP_PKEY_kem_new_raw_secret_key(nid, bytes.as_ptr(), bytes.len()) }, aws::EVP_PKEY_free)
}

fn ml_kem(inputs: &kem::Inputs, operation: &str) -> Option<Side> {
    let nid = aws::NID_MLKEM512;
    let generator = generator(aws::EVP_PKEY_KEM, aws::EVP_PKEY_CTX_kem_set_params, nid);
    let (public, ciphertext) = (inputs.public.clone(), inputs.ciphertext.clone());
    let (keygen_coins, coins) = (inputs.keygen_coins.clone(), inputs.coins.clone());
    let (_, mut private_out, mut secret) = inputs.room();
    let (mut public_out, mut out) = (vec![0; public.len()], vec![0; ciphertext.len()]);
    Some(match operation {
        "keygen" => making(move || generate(&generator)),
        "keygen coins=exact" => making(move || from_seed(&generator, &keygen_coins)),
        "keygen encoded" => each(move || write(&generate(&generator), &mut public_out, &mut private_out)),
        "keygen encoded coins=exact" => {
            each(move || write(&from_seed(&generator, &keygen_coins), &mut public_out, &mut private_out))
        }
        "encapsulate" => {
            let context = context(&public_key(nid, &public));
            each(move || encapsulate(&context, &mut out, &mut secret))
        }
        "encapsulate coins=exact" => {
            let context = context(&public_key(nid, &public));
            each(move || {
                let (mut length, mut secret_length, mut coins_length) = (out.len(), secret.len(), coins.len());
                // SAFETY: the context is ours alone; all buffers have the lengths that are stated.
                let done = unsafe {
                    aws::EVP_PKEY_encapsulate_deterministic(
                        context.raw(),
                        out.as_mut_ptr(),
                        &raw mut length,
                        secret.as_mut_ptr(),
                        &raw mut secret_length,
                        coins.as_ptr(),
                        &raw mut coins_length,
                    )
                };
                assert_eq!(done, 1);
            })
        }
        "encapsulate encoded" => each(move || encapsulate(&context(&public_key(nid, &public)), &mut out, &mut secret)),
        "decapsulate" => {
            let (_, private) = inputs.private("key=expanded");
            let context = context(&secret_key(nid, &private));
            each(move || decapsulate(&context, &ciphertext, &mut secret))
        }
        "decapsulate encoded key=expanded" => {
            let (_, private) = inputs.private(operation);
            each(move || decapsulate(&context(&secret_key(nid, &private)), &ciphertext, &mut secret))
        }
        "decapsulate encoded key=seed" => {
            let (_, seed) = inputs.private(operation);
            each(move || decapsulate(&context(&from_seed(&generator, &seed)), &ciphertext, &mut secret))
        }
        _ => return None,
    })
}

fn digest_context(
    key: &Key,
    begin: unsafe extern "C" fn(
        *mut aws::EVP_MD_CTX,
        *mut *mut aws::EVP_PKEY_CTX,
        *const aws::EVP_MD,
        *mut aws::ENGINE,
        *mut aws::EVP_PKEY,
    ) -> c_int,
) -> Digest {
    // SAFETY: makes a context, which is ours alone and counts its own reference to the key.
    unsafe {
        let context = Owned::new(aws::EVP_MD_CTX_new(), aws::EVP_MD_CTX_free);
        assert_eq!(begin(context.raw(), null_mut(), std::ptr::null(), null_mut(), key.raw()), 1);
        context
    }
}

fn sign(context: &Digest, message: &[u8], out: &mut [u8]) {
    let mut length = out.len();
    // SAFETY: the context is ours alone and set up for signing; the buffers have the lengths that are stated.
    let done = unsafe {
        aws::EVP_DigestSign(context.raw(), out.as_mut_ptr(), &raw mut length, message.as_ptr(), message.len())
    };
    assert_eq!(done, 1);
}

fn verify(context: &Digest, message: &[u8], signature: &[u8]) {
    // SAFETY: the context is ours alone and set up for verifying; the buffers have the lengths that are stated.
    let done = unsafe {
        aws::EVP_DigestVerify(context.raw(), signature.as_ptr(), signature.len(), message.as_ptr(), message.len())
    };
    assert_eq!(done, 1);
}

fn ml_dsa(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
    let nid = aws::NID_MLDSA44;
    let generator = generator(aws::EVP_PKEY_PQDSA, aws::EVP_PKEY_CTX_pqdsa_set_params, nid);
    let private_key = move |bytes: &[u8]| {
        // SAFETY: the buffer has the length that is stated.
        let key = unsafe { aws::EVP_PKEY_pqdsa_new_raw_private_key(nid, bytes.as_ptr(), bytes.len()) };
        Owned::new(key, aws::EVP_PKEY_free)
    };
    let public_key = move |bytes: &[u8]| {
        // SAFETY: the buffer has the length that is stated.
        let key = unsafe { aws::EVP_PKEY_pqdsa_new_raw_public_key(nid, bytes.as_ptr(), bytes.len()) };
        Owned::new(key, aws::EVP_PKEY_free)
    };
    let (mut public_out, mut private_out, mut out) = inputs.room();
    let (_, own) = inputs.private("");
    let (public, message, signature) = (inputs.public.clone(), inputs.message.clone(), inputs.signature.clone());
    let seed = inputs.coins.clone();
    Some(match operation {
        "keygen" => making(move || generate(&generator)),
        "keygen coins=exact" => making(move || private_key(&seed)),
        "keygen encoded" => each(move || write(&generate(&generator), &mut public_out, &mut private_out)),
        "keygen encoded coins=exact" => each(move || write(&private_key(&seed), &mut public_out, &mut private_out)),
        "sign" => {
            let context = digest_context(&private_key(&own), aws::EVP_DigestSignInit);
            each(move || sign(&context, &message, &mut out))
        }
        "sign deterministic" => each(move || {
            let mut length = out.len();
            // The prefix of the pure variant with an empty context string (FIPS 204, algorithm 2, line 10).
            let (prefix, rnd) = ([0_u8; 2], [0_u8; 32]);
            // SAFETY: the key and the signature have the lengths of the parameter set, the rest those that are stated.
            let done = unsafe {
                ml_dsa_44_sign_internal(
                    own.as_ptr(),
                    out.as_mut_ptr(),
                    &raw mut length,
                    message.as_ptr(),
                    message.len(),
                    prefix.as_ptr(),
                    prefix.len(),
                    rnd.as_ptr(),
                )
            };
            assert_eq!(done, 1);
        }),
        "verify" => {
            let context = digest_context(&public_key(&public), aws::EVP_DigestVerifyInit);
            each(move || verify(&context, &message, &signature))
        }
        "verify encoded" => each(move || {
            verify(&digest_context(&public_key(&public), aws::EVP_DigestVerifyInit), &message, &signature);
        }),
        "sign encoded key=expanded" | "sign encoded key=seed" => {
            let encoding = if operation.ends_with("seed") { KeyEncoding::Seed } else { KeyEncoding::Expanded };
            let (_, bytes) = inputs.private.iter().find(|(known, _)| *known == encoding)?.clone();
            each(move || sign(&digest_context(&private_key(&bytes), aws::EVP_DigestSignInit), &message, &mut out))
        }
        _ => return None,
    })
}

unsafe extern "C" {
    #[link_name = "aws_lc_0_47_0_ml_dsa_44_sign_internal"]
    fn ml_dsa_44_sign_internal(
        private_key: *const u8,
        signature: *mut u8,
        signature_len: *mut usize,
        message: *const u8,
        message_len: usize,
        prefix: *const u8,
        prefix_len: usize,
        rnd: *const u8,
    ) -> c_int;
}
